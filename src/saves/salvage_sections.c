// The sections of a damaged save file: their entries, their places, and which of them are whole.
#include <string.h>

#include "base/alloc.h"
#include "buffer/reader.h"
#include "saves/compress.h"
#include "saves/salvage.h"
#include "value/check.h"

// ---- the table

static bool read_left_section(const fr_file_salvage *job, size_t at, fr_left_section *out)
{
    if (job->size < FR_SAVE_ENTRY_BYTES || at > job->size - FR_SAVE_ENTRY_BYTES) {
        return false;
    }
    const uint8_t *entry = job->bytes + at;
    *out = (fr_left_section){.size = fr_load_u64(entry + FR_ENTRY_SIZE),
                             .stored = fr_load_u64(entry + FR_ENTRY_STORED),
                             .digest = fr_get_digest(entry + FR_ENTRY_DIGEST)};
    memcpy(out->name, entry + 1, FIRN_SECTION_NAME_MOST);
    uint32_t codec = fr_load_u32(entry + FR_ENTRY_CODEC);
    out->compressed = codec == FR_SAVE_CODEC_ZSTD;
    size_t size = fr_section_name_size(out->name, FIRN_SECTION_NAME_MOST);
    return size > 0 && size == entry[0] && codec <= FR_SAVE_CODEC_ZSTD &&
           fr_load_u32(entry + FR_ENTRY_ZERO) == 0;
}

static bool name_is_known(const fr_file_salvage *job, const char *name)
{
    for (uint32_t i = 0; i < job->count; i++) {
        if (strcmp(job->sections[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

// How many the table has, as the head says, or at most.
static uint32_t most_sections(const fr_file_salvage *job, bool *is_said)
{
    uint32_t said =
        job->size < FR_SAVE_FIXED_BYTES ? UINT32_MAX : fr_load_u32(job->bytes + FR_HEAD_COUNT);
    *is_said = said <= FIRN_SECTIONS_MOST;
    return *is_said ? said : FIRN_SECTIONS_MOST;
}

static bool is_table_at(const fr_file_salvage *job, size_t at)
{
    fr_left_section section;
    bool is_said, found = false;
    uint32_t most = most_sections(job, &is_said);
    for (uint32_t i = 0; i < most && !found; i++) {
        found = read_left_section(job, at + (size_t)i * FR_SAVE_ENTRY_BYTES, &section);
    }
    return found;
}

// Where the table begins: behind the header as the head says, or where the first entry is found.
static size_t find_sections_at(const fr_file_salvage *job)
{
    fr_left_section section;
    if (job->size < FR_SAVE_FIXED_BYTES) {
        return job->size;
    }
    uint32_t said = fr_load_u32(job->bytes + FR_HEAD_HEADER);
    if (said <= FIRN_SAVE_HEAD_MOST && is_table_at(job, FR_SAVE_FIXED_BYTES + (size_t)said)) {
        return FR_SAVE_FIXED_BYTES + (size_t)said;
    }
    size_t end = job->size < FIRN_SAVE_HEAD_MOST ? job->size : FIRN_SAVE_HEAD_MOST;
    for (size_t at = FR_SAVE_FIXED_BYTES; at < end; at++) {
        if (read_left_section(job, at, &section)) {
            return at;
        }
    }
    return end;
}

// The snapshot is the first section where there is one: behind the head, whatever its entry says.
static bool is_snapshot_behind(const fr_file_salvage *job, size_t head)
{
    return head < job->size && fr_file_is_snapshot(job->bytes + head, job->size - head);
}

// Entries from there on. One that cannot be read between others is stepped over. Returns the bytes
// of the head.
static size_t read_left_sections(fr_file_salvage *job, size_t at)
{
    bool is_said;
    uint32_t most = most_sections(job, &is_said);
    size_t head = fr_head_bytes(at + (size_t)most * FR_SAVE_ENTRY_BYTES);
    for (uint32_t i = 0; i < most; i++, at += FR_SAVE_ENTRY_BYTES) {
        fr_left_section *section = &job->sections[job->count];
        if (read_left_section(job, at, section) && !name_is_known(job, section->name)) {
            job->count++;
        } else if (!is_said) {
            return fr_head_bytes(at);
        } else if (i == 0 && is_snapshot_behind(job, head)) {
            *section = (fr_left_section){.name = FIRN_SECTION_SNAPSHOT};
            job->count++;
        } else {
            job->unreadable++;
        }
    }
    return fr_head_bytes(at);
}

// ---- their bytes

static bool has_digest(const fr_file_salvage *job, const fr_left_section *section, uint64_t offset)
{
    if (offset > job->size || section->stored > job->size - offset) {
        return false;
    }
    firn_digest is = firn_bytes_digest(job->bytes + offset, (size_t)section->stored);
    return is.low == section->digest.low && is.high == section->digest.high;
}

// Where the bytes are, counted from the front, or, where an entry before it is damaged, from the
// end.
static void place_sections(fr_file_salvage *job, size_t head)
{
    uint64_t offset = head;
    for (uint32_t i = 0; i < job->count; i++) {
        fr_left_section *section = &job->sections[i];
        section->offset = offset;
        section->good = has_digest(job, section, offset);
        offset = section->stored > UINT64_MAX - offset ? UINT64_MAX : offset + section->stored;
    }
    uint64_t end = job->size;
    for (uint32_t i = job->count; i-- > 0;) {
        fr_left_section *section = &job->sections[i];
        if (section->stored > end) {
            break;
        }
        end -= section->stored;
        if (!section->good && has_digest(job, section, end)) {
            section->offset = end;
            section->good = true;
        }
    }
}

// What stands in the file of it; of a damaged one all up to the next that is whole.
static void take_stored(fr_file_salvage *job, uint32_t index)
{
    fr_left_section *section = &job->sections[index];
    uint64_t end = job->size;
    if (section->offset >= job->size) {
        return;
    }
    for (uint32_t i = index + 1; i < job->count; i++) {
        const fr_left_section *next = &job->sections[i];
        bool whole = next->good && next->stored > 0 && next->offset > section->offset;
        end = whole && next->offset < end ? next->offset : end;
    }
    section->bytes = job->bytes + section->offset;
    section->left = (size_t)(section->good ? section->stored : end - section->offset);
}

static bool may_expand(const fr_file_salvage *job, const fr_left_section *section, uint64_t *left)
{
    const firn_limits *limits = &job->settings.limits;
    bool good = section->size > 0 && section->size <= *left && section->size < SIZE_MAX / 2 &&
                fr_expand_ratio_allowed(limits, section->size, section->stored);
    *left -= good ? section->size : 0;
    return good;
}

static void expand_left(fr_file_salvage *job, fr_left_section *section)
{
    const fr_file_settings *settings = &job->settings;
    size_t size = (size_t)section->size, made = 0;
    firn_error why;
    uint8_t *room = fr_alloc(&settings->allocator, size, 1, FR_CACHE_LINE);
    if (room == NULL) {
        fr_file_note(job, fr_fail_memory(&why, section->name), &why);
        return;
    }
    firn_result result = fr_expand_part(&settings->allocator, &settings->limits, section->name,
                                        section->bytes, section->left, room, size, &made, &why);
    if (result == FIRN_NO_MEMORY || result == FIRN_UNSUPPORTED) {
        fr_file_note(job, result, &why);
    }
    section->expanded = room;
    section->bytes = made > 0 ? room : NULL;
    section->left = made;
    section->good = section->good && result == FIRN_OK;
}

// ---- all of it

void fr_file_left_sections(fr_file_salvage *job)
{
    uint64_t left = job->settings.limits.expanded_bytes;
    place_sections(job, read_left_sections(job, find_sections_at(job)));
    for (uint32_t i = 0; i < job->count && job->result == FIRN_OK; i++) {
        fr_left_section *section = &job->sections[i];
        bool whole = section->good;
        take_stored(job, i);
        bool wanted = whole || strcmp(section->name, FIRN_SECTION_SNAPSHOT) == 0;
        if (!wanted || (section->compressed && !may_expand(job, section, &left))) {
            section->good = false;
            section->bytes = NULL;
        } else if (section->compressed && section->bytes != NULL) {
            expand_left(job, section);
        }
        bool is_table = strcmp(section->name, FIRN_SECTION_CUSTOM) == 0 ||
                        strcmp(section->name, FIRN_SECTION_VARIABLES) == 0;
        if (section->good && is_table) {
            section->good = fr_is_encoded_table(section->bytes, section->left);
        }
    }
}
