#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/sort.h"
#include "buffer/bytes.h"
#include "buffer/writer.h"
#include "saves/compress.h"
#include "saves/file.h"

// ---- order and names

#define RANK_SNAPSHOT 0
#define RANK_OWN      3

// What stands first in a file; the game's own sections come between variables and thumbnail.
static int section_rank(const char *name)
{
    static const char *const first[RANK_OWN] = {
        [RANK_SNAPSHOT] = FIRN_SECTION_SNAPSHOT, FIRN_SECTION_CUSTOM, FIRN_SECTION_VARIABLES};
    int rank = 0;
    while (rank < RANK_OWN && strcmp(name, first[rank]) != 0) {
        rank++;
    }
    return rank;
}

static int compare_section_names(const char *a, const char *b)
{
    int order = section_rank(a) - section_rank(b);
    return order != 0 ? order : strcmp(a, b);
}

static int compare_sections(const void *a, const void *b)
{
    return compare_section_names(((const firn_section *)a)->name, ((const firn_section *)b)->name);
}

void fr_file_sort_sections(const firn_section **sections, uint32_t count)
{
    fr_sort((const void **)sections, count, compare_sections);
}

static firn_result check_section_name(const char *name, const char *before, firn_error *err)
{
    bool ours = strcmp(name, FIRN_SECTION_PERSIST) == 0;
    firn_result result = ours ? FIRN_OK : fr_section_name_check(name, err);
    if (result != FIRN_OK) {
        return result;
    }
    if (before == NULL || compare_section_names(before, name) < 0) {
        return FIRN_OK;
    }
    if (strcmp(before, name) == 0) {
        return fr_fail(err, FIRN_INVALID, name, "the section %s is there twice", name);
    }
    return fr_fail(err, FIRN_INVALID, name, "the section %s stands behind %s", name, before);
}

static firn_result check_section_names(const char *const *names, uint32_t count, uint32_t more,
                                       firn_error *err)
{
    if (count > FIRN_SECTIONS_MOST - more) {
        return fr_fail(err, FIRN_LIMIT, "sections",
                       "%" PRIu32 " sections are more than the %d of a "
                       "file",
                       count + more, FIRN_SECTIONS_MOST);
    }
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && i < count; i++) {
        result = names[i] != NULL
                     ? check_section_name(names[i], i > 0 ? names[i - 1] : NULL, err)
                     : fr_fail(err, FIRN_INVALID, "sections", "section %" PRIu32 " has no name", i);
    }
    return result;
}

// ---- begin

static uint8_t *file_entry(const fr_file_out *file, uint32_t index)
{
    size_t table = FR_SAVE_FIXED_BYTES + file->header_bytes;
    return file->out->data + file->start + table + (size_t)index * FR_SAVE_ENTRY_BYTES;
}

static const char *section_in_work(const fr_file_out *file)
{
    return (const char *)file_entry(file, file->done) + 1;
}

static void put_section_name(const fr_file_out *file, uint32_t index, const char *name)
{
    uint8_t *entry = file_entry(file, index);
    size_t size = fr_section_name_size(name, FIRN_SECTION_NAME_MOST + 1);
    entry[0] = (uint8_t)size;
    memcpy(entry + 1, name, size);
}

// Room for the head: zeros, the header and the names.
static firn_result begin_head(fr_file_out *file, const firn_save_header *header,
                              const char *const *names, uint32_t count, firn_error *err)
{
    firn_buffer *out = file->out;
    static const uint8_t zeros[FIRN_SAVE_HEAD_MOST] = {0};
    firn_result result = firn_buffer_append(out, zeros, FR_SAVE_FIXED_BYTES, err);
    if (result == FIRN_OK) {
        result = fr_file_write_header(header, &file->settings.limits, out, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    size_t used = out->size - file->start;
    file->header_bytes = used - FR_SAVE_FIXED_BYTES;
    file->head_bytes = fr_head_bytes(used + (size_t)file->count * FR_SAVE_ENTRY_BYTES);
    if (file->head_bytes > FIRN_SAVE_HEAD_MOST) {
        return fr_fail(err, FIRN_LIMIT, header->meta != NULL ? "meta" : "header",
                       "the head of the save has %zu bytes, more than the %d that it may have: the "
                       "header takes %zu of them",
                       file->head_bytes, FIRN_SAVE_HEAD_MOST, file->header_bytes);
    }
    result = firn_buffer_append(out, zeros, file->head_bytes - used, err);
    for (uint32_t i = 0; result == FIRN_OK && i < count; i++) {
        put_section_name(file, i, names[i]);
    }
    if (result == FIRN_OK && count < file->count) {
        put_section_name(file, count, FIRN_SECTION_THUMBNAIL);
    }
    return result;
}

static firn_result end_call(fr_file_out *file, firn_result result)
{
    if (result != FIRN_OK) {
        fr_file_cancel(file);
    }
    return result;
}

firn_result fr_file_begin(fr_file_out *file, const firn_save_header *header,
                          const char *const *names, uint32_t count,
                          const firn_save_file_options *options, firn_buffer *out, firn_error *err)
{
    if (out == NULL) {
        return fr_fail(err, FIRN_INVALID, "out", "out is NULL");
    }
    *file = (fr_file_out){.out = out, .start = out->size};
    firn_result result = fr_file_settings_make(&file->settings, options, err);
    if (result == FIRN_OK) {
        result = fr_file_check_header(header, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    file->thumbnail = fr_file_thumbnail(header);
    uint32_t more = file->thumbnail.kind == FIRN_VALUE_STRING ? 1 : 0;
    result = check_section_names(names, count, more, err);
    if (result != FIRN_OK) {
        return result;
    }
    file->count = count + more;
    return end_call(file, begin_head(file, header, names, count, err));
}

void fr_file_cancel(fr_file_out *file)
{
    if (file->out->size > file->start) {
        file->out->size = file->start;
    }
}

// ---- sections

// What the library's own sections hold is checked as far as it is cheap.
static firn_result check_section_bytes(const char *name, const uint8_t *bytes, size_t size,
                                       firn_error *err)
{
    if (bytes == NULL && size > 0) {
        return fr_fail(err, FIRN_INVALID, name, "%zu bytes of the section %s at NULL", size, name);
    }
    int rank = section_rank(name);
    if (rank == RANK_SNAPSHOT && !fr_file_is_snapshot(bytes, size)) {
        return fr_fail(err, FIRN_INVALID, name, "the section snapshot does not begin like one");
    }
    bool is_table = rank > RANK_SNAPSHOT && rank < RANK_OWN;
    if (is_table && !fr_is_encoded_table(bytes, size)) {
        return fr_fail(err, FIRN_INVALID, name, "the section %s is no table as firn encodes it",
                       name);
    }
    return FIRN_OK;
}

// A section of `size` bytes is to come.
static firn_result check_section(const fr_file_out *file, const void *bytes, size_t size,
                                 firn_error *err)
{
    const char *name = section_in_work(file);
    uint64_t most = file->settings.limits.expanded_bytes;
    if (size > most - file->expanded) {
        return fr_fail(err, FIRN_LIMIT, name,
                       "%" PRIu64 " bytes of sections, with %s, are above the limit %" PRIu64,
                       file->expanded + size, name, most);
    }
    return check_section_bytes(name, bytes, size, err);
}

// The bytes from `at` to the end of the buffer are the next section.
static firn_result take_section(fr_file_out *file, size_t at, size_t size, uint32_t codec,
                                firn_digest digest, firn_error *err)
{
    uint64_t whole = file->out->size - file->start, most = file->settings.limits.file_bytes;
    if (whole > most) {
        const char *name = section_in_work(file);
        return fr_fail(err, FIRN_LIMIT, name,
                       "the file has %" PRIu64
                       " bytes with the section %s, above the limit %" PRIu64,
                       whole, name, most);
    }
    uint8_t *entry = file_entry(file, file->done++);
    fr_store_u32(entry + FR_ENTRY_CODEC, codec);
    fr_store_u64(entry + FR_ENTRY_SIZE, size);
    fr_store_u64(entry + FR_ENTRY_STORED, file->out->size - at);
    fr_put_digest(entry + FR_ENTRY_DIGEST, digest);
    file->expanded += size;
    return FIRN_OK;
}

// Compresses into the room for `size` bytes behind the buffer. *stored 0: it stays as it is.
static firn_result compress_section(fr_file_out *file, const void *bytes, size_t size,
                                    size_t *stored, firn_error *err)
{
    *stored = 0;
    if (file->settings.compression == 0 || size < 2) {
        return FIRN_OK;
    }
    firn_buffer *out = file->out;
    return fr_compress(&file->settings.allocator, &file->settings.limits,
                       file->settings.compression, bytes, size, out->data + out->size, size - 1,
                       stored, err);
}

// Appends the bytes and takes their digest block by block.
static firn_result copy_section(fr_file_out *file, const void *bytes, size_t size,
                                firn_digest *digest, firn_error *err)
{
    if (size < FR_OUT_BLOCK) {
        *digest = firn_bytes_digest(bytes, size);
        return firn_buffer_append(file->out, bytes, size, err);
    }
    const firn_allocator *allocator = &file->settings.allocator;
    fr_digest *taken = fr_digest_create(allocator);
    if (taken == NULL) {
        return fr_fail_memory(err, "digest");
    }
    fr_out out;
    fr_out_begin(&out, file->out, taken);
    fr_out_bytes(&out, bytes, size);
    fr_out_flush(&out);
    fr_hash128 value = fr_digest_value_128(taken);
    *digest = (firn_digest){value.low, value.high};
    fr_digest_destroy(allocator, taken);
    return fr_out_end(&out, err);
}

static firn_result write_section(fr_file_out *file, const void *bytes, size_t size, firn_error *err)
{
    firn_buffer *out = file->out;
    size_t at = out->size, stored = 0;
    firn_result result = check_section(file, bytes, size, err);
    if (result == FIRN_OK) {
        result = firn_buffer_reserve(out, size, err);
    }
    if (result == FIRN_OK) {
        result = compress_section(file, bytes, size, &stored, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    if (stored > 0) {
        out->size += stored;
        return take_section(file, at, size, FR_SAVE_CODEC_ZSTD,
                            firn_bytes_digest(out->data + at, stored), err);
    }
    firn_digest digest = {0, 0};
    result = copy_section(file, bytes, size, &digest, err);
    return result == FIRN_OK ? take_section(file, at, size, FR_SAVE_CODEC_NONE, digest, err)
                             : result;
}

firn_result fr_file_section(fr_file_out *file, const void *bytes, size_t size, firn_error *err)
{
    assert(file->done < file->count);
    return end_call(file, write_section(file, bytes, size, err));
}

size_t fr_file_room(const fr_file_out *file, const firn_section *const *sections, uint32_t count)
{
    const uint64_t limit = file->settings.limits.file_bytes;
    const uint64_t most = limit < SIZE_MAX / 2 ? limit : SIZE_MAX / 2;
    uint64_t bytes = file->thumbnail.kind == FIRN_VALUE_STRING ? file->thumbnail.length : 0;
    for (uint32_t i = 0; bytes <= most && i < count; i++) {
        bytes = sections[i]->size <= most ? bytes + sections[i]->size : UINT64_MAX;
    }
    return file->settings.compression == 0 && bytes <= most ? (size_t)bytes : 0;
}

firn_result fr_file_sections(fr_file_out *file, const firn_section *const *sections, uint32_t count,
                             firn_error *err)
{
    size_t room = fr_file_room(file, sections, count);
    firn_result result = end_call(file, firn_buffer_reserve(file->out, room, err));
    for (uint32_t i = 0; result == FIRN_OK && i < count; i++) {
        result = fr_file_section(file, sections[i]->bytes, sections[i]->size, err);
    }
    return result;
}

firn_buffer *fr_file_open_section(fr_file_out *file)
{
    assert(file->done < file->count);
    file->opened = file->out->size;
    return file->out;
}

static firn_result close_section(fr_file_out *file, const firn_digest *digest, firn_error *err)
{
    firn_buffer *out = file->out;
    size_t at = file->opened, size = out->size - at, stored = 0;
    firn_result result = check_section(file, out->data + at, size, err);
    if (result == FIRN_OK && file->settings.compression > 0) {
        result = firn_buffer_reserve(out, size, err);
    }
    if (result == FIRN_OK) {
        result = compress_section(file, out->data + at, size, &stored, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    if (stored == 0) {
        firn_digest taken = digest != NULL ? *digest : firn_bytes_digest(out->data + at, size);
        return take_section(file, at, size, FR_SAVE_CODEC_NONE, taken, err);
    }
    memmove(out->data + at, out->data + out->size, stored);
    out->size = at + stored;
    return take_section(file, at, size, FR_SAVE_CODEC_ZSTD,
                        firn_bytes_digest(out->data + at, stored), err);
}

firn_result fr_file_close_section(fr_file_out *file, const firn_digest *digest, firn_error *err)
{
    return end_call(file, close_section(file, digest, err));
}

// ---- end

firn_result fr_file_end(fr_file_out *file, firn_digest *identity, firn_error *err)
{
    if (file->thumbnail.kind == FIRN_VALUE_STRING) {
        const firn_value *bytes = &file->thumbnail;
        firn_result result = fr_file_section(file, bytes->as.string, bytes->length, err);
        if (result != FIRN_OK) {
            return result;
        }
    }
    assert(file->done == file->count);
    uint8_t *head = file->out->data + file->start;
    for (size_t i = 0; i < FR_SAVE_MAGIC_BYTES; i++) {
        head[i] = (uint8_t)FR_SAVE_MAGIC[i];
    }
    fr_store_u32(head + FR_HEAD_VERSION, FIRN_SAVE_CONTAINER_VERSION);
    fr_store_u32(head + FR_HEAD_SIZE, (uint32_t)file->head_bytes);
    fr_store_u64(head + FR_HEAD_FILE, file->out->size - file->start);
    fr_store_u32(head + FR_HEAD_HEADER, (uint32_t)file->header_bytes);
    fr_store_u32(head + FR_HEAD_COUNT, file->count);
    size_t hashed = file->head_bytes - FR_SAVE_DIGEST_BYTES;
    firn_digest digest = firn_bytes_digest(head, hashed);
    fr_put_digest(head + hashed, digest);
    if (identity != NULL) {
        *identity = digest;
    }
    return FIRN_OK;
}
