// The header of a damaged save file: the table, or else each field that can be found.
#include <string.h>

#include "buffer/reader.h"
#include "saves/salvage.h"
#include "value/check.h"

// A field, and what stands for it where it is lost and no backup has it.
typedef struct header_field {
    const char *key;
    firn_value_kind kind;
    const char *text; ///< of what must be there; NULL: it may be missing
    double number;
} header_field;

static const header_field header_fields[] = {
    {"saveFormatVersion", FIRN_VALUE_NUMBER, "", FIRN_SAVE_FORMAT_VERSION},
    {"game", FIRN_VALUE_STRING, "unknown", 0},
    {"gameVersion", FIRN_VALUE_NUMBER, "", 1},
    {"level", FIRN_VALUE_STRING, "", 0},
    {"engineVersion", FIRN_VALUE_STRING, NULL, 0},
    {"kind", FIRN_VALUE_STRING, NULL, 0},
    {"timestamp", FIRN_VALUE_NUMBER, NULL, 0},
    {"tick", FIRN_VALUE_NUMBER, NULL, 0},
    {"playTime", FIRN_VALUE_NUMBER, NULL, 0},
    {"revision", FIRN_VALUE_NUMBER, NULL, 0},
    {"parent", FIRN_VALUE_STRING, NULL, 0},
    {"meta", FIRN_VALUE_TABLE, NULL, 0},
};

#define FIELD_COUNT (sizeof header_fields / sizeof *header_fields)
// So many of them are no accident.
#define FIELDS_LEAST 4

// As the head says, if that can be.
static size_t head_end(const fr_file_salvage *job)
{
    size_t most = job->size < FIRN_SAVE_HEAD_MOST ? job->size : FIRN_SAVE_HEAD_MOST;
    uint32_t said = most < FR_SAVE_FIXED_BYTES ? 0 : fr_load_u32(job->bytes + FR_HEAD_SIZE);
    return said > FR_SAVE_FIXED_BYTES && said <= most && said % FR_SAVE_ALIGN == 0 ? said : most;
}

// The value behind the encoded key, wherever that stands; NULL: there is none.
static const firn_value *search_field(fr_file_salvage *job, const header_field *field)
{
    size_t length = strlen(field->key), end = head_end(job);
    for (size_t at = FR_SAVE_FIXED_BYTES; at + length + 1 < end; at++) {
        if (job->bytes[at] != FR_TAG_STRING + length ||
            memcmp(job->bytes + at + 1, field->key, length) != 0) {
            continue;
        }
        fr_in in;
        fr_in_begin(&in, job->bytes + at + 1 + length, end - at - 1 - length);
        if (!fr_value_check_next(&in, &job->settings.limits, NULL)) {
            continue;
        }
        const firn_value *value =
            firn_value_decode(job->doc, in.bytes, (size_t)fr_in_offset(&in), NULL);
        if (value != NULL && value->kind == field->kind) {
            return value;
        }
    }
    return NULL;
}

// The whole header as one table; NULL: it is none.
static const firn_value *find_table(fr_file_salvage *job)
{
    fr_in in;
    if (job->size <= FR_SAVE_FIXED_BYTES) {
        return NULL;
    }
    fr_in_begin(&in, job->bytes + FR_SAVE_FIXED_BYTES, head_end(job) - FR_SAVE_FIXED_BYTES);
    bool good = fr_value_check_next(&in, &job->settings.limits, NULL) &&
                fr_is_encoded_table(in.bytes, (size_t)fr_in_offset(&in));
    return good ? firn_value_decode(job->doc, in.bytes, (size_t)fr_in_offset(&in), NULL) : NULL;
}

// As the backup has it; nil: it has none.
static firn_value field_of_backup(fr_file_salvage *job, const char *key, firn_error *err)
{
    if (job->backup == NULL) {
        return (firn_value){.kind = FIRN_VALUE_NIL};
    }
    const firn_save_header *header = firn_save_file_header(job->backup);
    const char *text = strcmp(key, "game") == 0    ? header->game
                       : strcmp(key, "level") == 0 ? header->level
                       : strcmp(key, "kind") == 0  ? header->kind
                                                   : NULL;
    const firn_value *value = text != NULL ? firn_value_text(job->doc, text, err) : NULL;
    if (strcmp(key, "gameVersion") == 0) {
        value = firn_value_number(job->doc, header->game_version, err);
    }
    if (strcmp(key, "meta") == 0 && header->meta != NULL) {
        value = fr_file_copy_meta(header->meta, &job->settings.allocator, job->doc, err);
    }
    return value != NULL ? *value : (firn_value){.kind = FIRN_VALUE_NIL};
}

static void tell_field(fr_file_salvage *job, const header_field *field, const char *instead)
{
    fr_file_tell(job, &(firn_loss){.kind = FIRN_LOSS_HEADER, .offset = FIRN_NO_OFFSET}, field->key,
                 "%s of the header is lost%s", field->key, instead);
}

// A field that is lost: from the backup, or made up where it must be there.
static void replace_field(fr_file_salvage *job, firn_value *map, const header_field *field)
{
    firn_error err = {.code = FIRN_OK};
    firn_value value = field_of_backup(job, field->key, &err);
    bool made_up = value.kind == FIRN_VALUE_NIL && field->text != NULL;
    if (made_up) {
        const firn_value *made = field->kind == FIRN_VALUE_NUMBER
                                     ? firn_value_number(job->doc, field->number, &err)
                                     : firn_value_text(job->doc, field->text, &err);
        value = made != NULL ? *made : value;
    }
    tell_field(job, field,
               made_up                        ? ", and was made up"
               : value.kind != FIRN_VALUE_NIL ? ": that of the backup is taken"
                                              : "");
    firn_result result = value.kind == FIRN_VALUE_NIL
                             ? err.code
                             : firn_table_set_text(job->doc, map, field->key, &value, &err);
    fr_file_note(job, result, &err);
}

static const header_field *field_of_key(const char *key)
{
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        if (strcmp(header_fields[i].key, key) == 0) {
            return &header_fields[i];
        }
    }
    return NULL;
}

static void remove_field(fr_file_salvage *job, firn_value *map, const char *key)
{
    firn_error err;
    const firn_value nil = {.kind = FIRN_VALUE_NIL};
    fr_file_note(job, firn_table_set_text(job->doc, map, key, &nil, &err), &err);
}

// Takes the fields over, and replaces each that no header may have so.
static void settle_fields(fr_file_salvage *job, firn_value *map)
{
    for (size_t i = 0; i <= FIELD_COUNT && job->result == FIRN_OK; i++) {
        firn_error why;
        firn_result result = fr_file_read_header(map, FIRN_CORRUPT, &job->header, &why);
        const header_field *field = result == FIRN_OK ? NULL : field_of_key(why.subject);
        if (field == NULL) {
            return;
        }
        remove_field(job, map, field->key);
        replace_field(job, map, field);
    }
}

static void gather_fields(fr_file_salvage *job, firn_value *map)
{
    for (size_t i = 0; i < FIELD_COUNT && job->result == FIRN_OK; i++) {
        const header_field *field = &header_fields[i];
        const firn_value *value = search_field(job, field);
        firn_error err;
        if (value != NULL) {
            fr_file_note(job, firn_table_set_text(job->doc, map, field->key, value, &err), &err);
        } else if (job->backup != NULL || strcmp(field->key, "meta") != 0) { // not all have one
            replace_field(job, map, field);
        }
    }
}

bool fr_file_has_header(fr_file_salvage *job)
{
    uint32_t found = find_table(job) != NULL ? FIELDS_LEAST : 0;
    for (size_t i = 0; i < FIELD_COUNT && found < FIELDS_LEAST; i++) {
        found += search_field(job, &header_fields[i]) != NULL;
    }
    return found >= FIELDS_LEAST;
}

void fr_file_left_header(fr_file_salvage *job)
{
    firn_error err;
    const firn_value *table = find_table(job);
    firn_value *map = firn_value_table(job->doc, &err);
    if (map == NULL) {
        fr_file_note(job, FIRN_NO_MEMORY, &err);
        return;
    }
    if (table != NULL) {
        uint32_t cursor = 0;
        firn_value key;
        const firn_value *item;
        while (job->result == FIRN_OK && (item = firn_table_next(table, &cursor, &key)) != NULL) {
            fr_file_note(job, firn_table_set(job->doc, map, &key, item, &err), &err);
        }
    } else {
        gather_fields(job, map);
    }
    settle_fields(job, map);
}
