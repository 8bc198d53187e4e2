#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "buffer/bytes.h"
#include "saves/compress.h"
#include "saves/file.h"
#include "value/check.h"

typedef struct file_section {
    char name[FIRN_SECTION_NAME_MOST + 1];
    firn_section_info info;
    uint8_t *expanded; ///< info.size bytes, or NULL: not compressed, or nobody asked
} file_section;

struct firn_save_file {
    fr_file_settings settings;
    firn_doc *doc; ///< the header lives in it
    firn_save_header header;
    firn_digest identity;
    uint64_t size;
    const uint8_t *bytes; ///< the whole file, or NULL: only the head was read
    uint32_t head_bytes;
    uint32_t header_bytes;
    uint32_t count;
    file_section sections[];
};

// ---- the head as bytes

// Sizes that fit each other, and the hash over all of the head.
static firn_result check_head(const uint8_t *bytes, size_t size, firn_error *err)
{
    uint32_t head = fr_load_u32(bytes + FR_HEAD_SIZE);
    uint32_t header = fr_load_u32(bytes + FR_HEAD_HEADER);
    uint32_t count = fr_load_u32(bytes + FR_HEAD_COUNT);
    if (head > FIRN_SAVE_HEAD_MOST || count > FIRN_SECTIONS_MOST || header > head) {
        return fr_fail_at(err, FIRN_CORRUPT, FR_HEAD_SIZE, "head",
                          "a head of %" PRIu32 " bytes, a header of %" PRIu32 " and %" PRIu32
                          " sections are no head of a save",
                          head, header, count);
    }
    uint32_t used = FR_SAVE_FIXED_BYTES + header + count * FR_SAVE_ENTRY_BYTES;
    if (head != fr_head_bytes(used)) {
        return fr_fail_at(err, FIRN_CORRUPT, FR_HEAD_SIZE, "head",
                          "the head has %" PRIu32 " bytes, which is not what it holds", head);
    }
    if (size < head) {
        return fr_fail_at(err, FIRN_TRUNCATED, size, "head",
                          "the head of the save has %" PRIu32 " bytes, and ends at byte %zu", head,
                          size);
    }
    firn_digest said = fr_get_digest(bytes + head - FR_SAVE_DIGEST_BYTES);
    firn_digest is = firn_bytes_digest(bytes, head - FR_SAVE_DIGEST_BYTES);
    if (said.low != is.low || said.high != is.high) {
        return fr_fail_at(err, FIRN_CORRUPT, 0, "head",
                          "the head of the save was damaged: its %" PRIu32
                          " bytes do not have the hash that they had",
                          head);
    }
    size_t filled = head - FR_SAVE_DIGEST_BYTES - used;
    size_t zeros = fr_leading_zeros(bytes + used, filled);
    return zeros == filled ? FIRN_OK
                           : fr_fail_at(err, FIRN_CORRUPT, used + zeros, "head",
                                        "byte %zu of the head is not 0", used + zeros);
}

// A head that is whole but for its version was damaged: no other version has that hash.
static bool is_damaged_version(const uint8_t *bytes, size_t size)
{
    uint8_t head[FIRN_SAVE_HEAD_MOST];
    size_t there = size < sizeof head ? size : sizeof head;
    memcpy(head, bytes, there);
    fr_store_u32(head + FR_HEAD_VERSION, FIRN_SAVE_CONTAINER_VERSION);
    return check_head(head, there, NULL) == FIRN_OK;
}

static firn_result check_container_version(const uint8_t *bytes, size_t size, firn_error *err)
{
    uint32_t version = fr_load_u32(bytes + FR_HEAD_VERSION);
    if (version == FIRN_SAVE_CONTAINER_VERSION) {
        return FIRN_OK;
    }
    if (version == 0 || version > FR_SAVE_CONTAINER_MOST || is_damaged_version(bytes, size)) {
        return fr_fail_at(err, FIRN_CORRUPT, FR_HEAD_VERSION, "container version",
                          "the container version was damaged: it is %" PRIu32, version);
    }
    return fr_fail_at(err, FIRN_VERSION, FR_HEAD_VERSION, "container version",
                      "container version %" PRIu32 " is not %u, the one known here", version,
                      FIRN_SAVE_CONTAINER_VERSION);
}

static firn_result check_container(const uint8_t *bytes, size_t size, firn_error *err)
{
    if (bytes == NULL && size > 0) {
        return fr_fail(err, FIRN_INVALID, "bytes", "%zu bytes at NULL", size);
    }
    size_t magic = size < FR_SAVE_MAGIC_BYTES ? size : FR_SAVE_MAGIC_BYTES;
    if (size == 0 || memcmp(bytes, FR_SAVE_MAGIC, magic) != 0) {
        return fr_file_refuse(bytes, size, err);
    }
    if (size < FR_SAVE_FIXED_BYTES) {
        return fr_fail_at(err, FIRN_TRUNCATED, size, "head",
                          "the head of the save ends at byte %zu", size);
    }
    return check_container_version(bytes, size, err);
}

// ---- the table of sections

static firn_result read_section_name(const uint8_t *entry, uint64_t at, file_section *section,
                                     firn_error *err)
{
    memcpy(section->name, entry + 1, FIRN_SECTION_NAME_MOST);
    section->name[FIRN_SECTION_NAME_MOST] = 0;
    size_t size = fr_section_name_size(section->name, FIRN_SECTION_NAME_MOST);
    if (size == 0 || size != entry[0]) {
        return fr_fail_at(err, FIRN_CORRUPT, at, "section", "the name of a section is none");
    }
    size_t end = size + fr_leading_zeros(entry + 1 + size, FIRN_SECTION_NAME_MOST - size);
    return end == FIRN_SECTION_NAME_MOST
               ? FIRN_OK
               : fr_fail_at(err, FIRN_CORRUPT, at + 1 + end, section->name,
                            "more stands behind the name of the section %s", section->name);
}

static firn_result read_section_entry(const uint8_t *entry, uint64_t at, file_section *section,
                                      firn_error *err)
{
    firn_result result = read_section_name(entry, at, section, err);
    if (result != FIRN_OK) {
        return result;
    }
    uint32_t codec = fr_load_u32(entry + FR_ENTRY_CODEC);
    section->info = (firn_section_info){
        .name = section->name,
        .compressed = codec == FR_SAVE_CODEC_ZSTD,
        .size = fr_load_u64(entry + FR_ENTRY_SIZE),
        .stored = fr_load_u64(entry + FR_ENTRY_STORED),
        .digest = fr_get_digest(entry + FR_ENTRY_DIGEST),
    };
    if (codec > FR_SAVE_CODEC_ZSTD || fr_load_u32(entry + FR_ENTRY_ZERO) != 0) {
        return fr_fail_at(err, FIRN_CORRUPT, at + FR_ENTRY_CODEC, section->name,
                          "the section %s has the unknown codec %" PRIu32, section->name, codec);
    }
    const firn_section_info *info = &section->info;
    if (info->compressed ? info->stored >= info->size : info->stored != info->size) {
        return fr_fail_at(err, FIRN_CORRUPT, at + FR_ENTRY_SIZE, section->name,
                          "the section %s cannot have %" PRIu64 " bytes in the file of %" PRIu64
                          " in memory",
                          section->name, info->stored, info->size);
    }
    return FIRN_OK;
}

static bool name_is_taken(const firn_save_file *file, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(file->sections[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static firn_result read_section_table(firn_save_file *file, const uint8_t *bytes, firn_error *err)
{
    uint64_t end = file->head_bytes, at = FR_SAVE_FIXED_BYTES + file->header_bytes;
    for (uint32_t i = 0; i < file->count; i++, at += FR_SAVE_ENTRY_BYTES) {
        file_section *section = &file->sections[i];
        firn_result result = read_section_entry(bytes + at, at, section, err);
        if (result != FIRN_OK) {
            return result;
        }
        if (name_is_taken(file, i, section->name)) {
            return fr_fail_at(err, FIRN_CORRUPT, at, section->name, "the section %s is there twice",
                              section->name);
        }
        if (i > 0 && strcmp(section->name, FIRN_SECTION_SNAPSHOT) == 0) {
            return fr_fail_at(err, FIRN_CORRUPT, at, section->name,
                              "the snapshot is not the first section, but stands behind %s",
                              file->sections[i - 1].name);
        }
        if (section->info.stored > file->size - end) {
            return fr_fail_at(err, FIRN_CORRUPT, at + FR_ENTRY_STORED, section->name,
                              "the section %s does not fit a file of %" PRIu64 " bytes",
                              section->name, file->size);
        }
        section->info.offset = end;
        end += section->info.stored;
    }
    if (end != file->size) {
        return fr_fail_at(err, FIRN_CORRUPT, FR_HEAD_FILE, "file",
                          "the sections end at byte %" PRIu64 " of %" PRIu64, end, file->size);
    }
    return FIRN_OK;
}

// ---- the header

static firn_result read_header(firn_save_file *file, const uint8_t *bytes, firn_error *err)
{
    const fr_file_settings *settings = &file->settings;
    const uint8_t *encoded = bytes + FR_SAVE_FIXED_BYTES;
    if (!fr_value_is_canonical(encoded, file->header_bytes)) {
        return fr_fail_at(err, FIRN_CORRUPT, FR_SAVE_FIXED_BYTES, "header",
                          "the header is no value as firn encodes it");
    }
    file->doc = firn_doc_create(&settings->allocator, &settings->limits, err);
    if (file->doc == NULL) {
        return FIRN_NO_MEMORY;
    }
    firn_error why;
    const firn_value *map = firn_value_decode(file->doc, encoded, file->header_bytes, &why);
    if (map == NULL) {
        bool has_place = why.offset != FIRN_NO_OFFSET;
        return fr_fail_at(err, why.code, has_place ? FR_SAVE_FIXED_BYTES + why.offset : why.offset,
                          "header", "the header: %s", why.message);
    }
    firn_result result = fr_file_read_header(map, FIRN_CORRUPT, &file->header, &why);
    if (result == FIRN_OK) {
        return FIRN_OK;
    }
    return fr_fail_at(err, result, FR_SAVE_FIXED_BYTES, why.subject, "%s", why.message);
}

static firn_result read_parts(firn_save_file *file, const uint8_t *bytes, firn_error *err)
{
    if (file->size < file->head_bytes) {
        return fr_fail_at(err, FIRN_CORRUPT, FR_HEAD_FILE, "file",
                          "a file of %" PRIu64 " bytes cannot hold its head", file->size);
    }
    firn_result result = read_section_table(file, bytes, err);
    return result == FIRN_OK ? read_header(file, bytes, err) : result;
}

firn_save_file *firn_save_file_read_head(const void *bytes, size_t size,
                                         const firn_save_file_options *options, firn_error *err)
{
    fr_file_settings settings;
    firn_result result = fr_file_settings_make(&settings, options, err);
    if (result == FIRN_OK) {
        result = check_container(bytes, size, err);
    }
    if (result == FIRN_OK) {
        result = check_head(bytes, size, err);
    }
    if (result != FIRN_OK) {
        return NULL;
    }
    const uint8_t *head = bytes;
    uint32_t count = fr_load_u32(head + FR_HEAD_COUNT);
    size_t whole = sizeof(firn_save_file) + count * sizeof(file_section);
    firn_save_file *file = fr_alloc_zero(&settings.allocator, whole, 1, FR_CACHE_LINE);
    if (file == NULL) {
        fr_fail_memory(err, "save file");
        return NULL;
    }
    file->settings = settings;
    file->count = count;
    file->head_bytes = fr_load_u32(head + FR_HEAD_SIZE);
    file->header_bytes = fr_load_u32(head + FR_HEAD_HEADER);
    file->size = fr_load_u64(head + FR_HEAD_FILE);
    file->identity = fr_get_digest(head + file->head_bytes - FR_SAVE_DIGEST_BYTES);
    if (read_parts(file, head, err) != FIRN_OK) {
        firn_save_file_close(file);
        return NULL;
    }
    return file;
}

// ---- the whole file

static firn_result check_whole_size(const firn_save_file *file, size_t size, firn_error *err)
{
    if (size < file->size) {
        return fr_fail_at(err, FIRN_TRUNCATED, size, "file",
                          "the save has %" PRIu64 " bytes, and ends at byte %zu: it was cut",
                          file->size, size);
    }
    if (size > file->size) {
        return fr_fail_at(err, FIRN_CORRUPT, file->size, "file",
                          "%" PRIu64 " bytes were added behind the %" PRIu64 " of the save",
                          size - file->size, file->size);
    }
    if (file->size > file->settings.limits.file_bytes) {
        return fr_fail(err, FIRN_LIMIT, "file", "the save has %zu bytes, above the limit %" PRIu64,
                       size, file->settings.limits.file_bytes);
    }
    return FIRN_OK;
}

static firn_result check_expansion(const firn_save_file *file, firn_error *err)
{
    const firn_limits *limits = &file->settings.limits;
    // What memory cannot address is above every limit.
    uint64_t most = limits->expanded_bytes < SIZE_MAX / 2 ? limits->expanded_bytes : SIZE_MAX / 2;
    uint64_t left = most;
    for (uint32_t i = 0; i < file->count; i++) {
        const firn_section_info *info = &file->sections[i].info;
        if (info->size > left) {
            return fr_fail_at(err, FIRN_LIMIT, info->offset, info->name,
                              "the section %s expands to %" PRIu64
                              " bytes: the sections are above the limit %" PRIu64,
                              info->name, info->size, most);
        }
        left -= info->size;
        if (info->compressed && !fr_expand_ratio_allowed(limits, info->size, info->stored)) {
            return fr_fail_at(err, FIRN_LIMIT, info->offset, info->name,
                              "the section %s expands from %" PRIu64 " to %" PRIu64
                              " bytes, more than %" PRIu32 " times as much",
                              info->name, info->stored, info->size, limits->expand_ratio);
        }
    }
    return FIRN_OK;
}

static firn_result check_hashes(const firn_save_file *file, const uint8_t *bytes, firn_error *err)
{
    for (uint32_t i = 0; i < file->count; i++) {
        const firn_section_info *info = &file->sections[i].info;
        firn_digest is = firn_bytes_digest(bytes + info->offset, (size_t)info->stored);
        if (is.low != info->digest.low || is.high != info->digest.high) {
            return fr_fail_at(err, FIRN_CORRUPT, info->offset, info->name,
                              "the section %s was damaged: its %" PRIu64
                              " bytes do not have the hash that they had",
                              info->name, info->stored);
        }
    }
    return FIRN_OK;
}

firn_save_file *firn_save_file_open(const void *bytes, size_t size,
                                    const firn_save_file_options *options, firn_error *err)
{
    firn_save_file *file = firn_save_file_read_head(bytes, size, options, err);
    if (file == NULL) {
        return NULL;
    }
    firn_result result = check_whole_size(file, size, err);
    if (result == FIRN_OK) {
        result = check_expansion(file, err);
    }
    if (result == FIRN_OK) {
        result = check_hashes(file, bytes, err);
    }
    if (result != FIRN_OK) {
        firn_save_file_close(file);
        return NULL;
    }
    file->bytes = bytes;
    return file;
}

void firn_save_file_close(firn_save_file *file)
{
    if (file == NULL) {
        return;
    }
    firn_allocator allocator = file->settings.allocator;
    for (uint32_t i = 0; i < file->count; i++) {
        file_section *section = &file->sections[i];
        fr_free(&allocator, section->expanded, (size_t)section->info.size, 1, FR_CACHE_LINE);
    }
    firn_doc_destroy(file->doc);
    size_t whole = sizeof(firn_save_file) + file->count * sizeof(file_section);
    fr_free(&allocator, file, whole, 1, FR_CACHE_LINE);
}

// ---- what it holds

const firn_allocator *fr_file_allocator(const firn_save_file *file)
{
    return &file->settings.allocator;
}

const firn_save_header *firn_save_file_header(const firn_save_file *file)
{
    return file != NULL ? &file->header : NULL;
}

firn_digest firn_save_file_identity(const firn_save_file *file)
{
    return file != NULL ? file->identity : (firn_digest){0, 0};
}

uint64_t firn_save_file_size(const firn_save_file *file)
{
    return file != NULL ? file->size : 0;
}

uint32_t firn_save_file_section_count(const firn_save_file *file)
{
    return file != NULL ? file->count : 0;
}

bool firn_save_file_section_at(const firn_save_file *file, uint32_t index, firn_section_info *out)
{
    if (file == NULL || out == NULL || index >= file->count) {
        return false;
    }
    *out = file->sections[index].info;
    return true;
}

static firn_result expand_section(firn_save_file *file, file_section *section, firn_error *err)
{
    const fr_file_settings *settings = &file->settings;
    size_t size = (size_t)section->info.size;
    uint8_t *expanded = NULL;
    if (fr_can_compress()) {
        expanded = fr_alloc(&settings->allocator, size, 1, FR_CACHE_LINE);
        if (expanded == NULL) {
            return fr_fail_memory(err, section->name);
        }
    }
    firn_result result = fr_expand(&settings->allocator, &settings->limits, section->name,
                                   file->bytes + section->info.offset, (size_t)section->info.stored,
                                   expanded, size, err);
    if (result == FIRN_OK) {
        section->expanded = expanded;
    } else {
        fr_free(&settings->allocator, expanded, size, 1, FR_CACHE_LINE);
    }
    return result;
}

static firn_result section_bytes(firn_save_file *file, file_section *section, const void **bytes,
                                 firn_error *err)
{
    if (!section->info.compressed) {
        *bytes = file->bytes + section->info.offset;
        return FIRN_OK;
    }
    firn_result result = section->expanded == NULL ? expand_section(file, section, err) : FIRN_OK;
    *bytes = section->expanded;
    return result;
}

firn_result firn_save_file_section(firn_save_file *file, const char *name, const void **bytes,
                                   size_t *size, firn_error *err)
{
    if (file == NULL || name == NULL || bytes == NULL || size == NULL) {
        const char *what = file == NULL    ? "file"
                           : name == NULL  ? "name"
                           : bytes == NULL ? "bytes"
                                           : "size";
        return fr_fail(err, FIRN_INVALID, what, "%s is NULL", what);
    }
    for (uint32_t i = 0; i < file->count; i++) {
        file_section *section = &file->sections[i];
        if (strcmp(section->name, name) != 0) {
            continue;
        }
        if (file->bytes == NULL) {
            return fr_fail(err, FIRN_INVALID, name,
                           "the section %s is not at hand: only the head was read", name);
        }
        const void *found;
        firn_result result = section_bytes(file, section, &found, err);
        if (result == FIRN_OK) {
            *bytes = found;
            *size = (size_t)section->info.size;
        }
        return result;
    }
    return fr_fail(err, FIRN_NOT_FOUND, name, "the save has no section %s", name);
}
