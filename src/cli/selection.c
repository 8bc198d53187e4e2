#include "cli/selection.h"

#include <inttypes.h>
#include <string.h>

#include "cli/text.h"

// What --entity names: an id, a key, or what may be both.
typedef struct wanted_entity {
    const char *text;
    firn_entity id; ///< 0: it is none
    bool found;
} wanted_entity;

static wanted_entity *wanted_at(const fr_cli_selection *selection, size_t index)
{
    size_t count = selection->entities.size / sizeof(wanted_entity);
    wanted_entity *wanted = (wanted_entity *)(void *)selection->entities.data;
    return index < count ? &wanted[index] : NULL;
}

static const fr_cli_name *name_at(const fr_cli_selection *selection, size_t index)
{
    size_t count = selection->components.size / sizeof(fr_cli_name);
    const fr_cli_name *names = (const fr_cli_name *)(const void *)selection->components.data;
    return index < count ? &names[index] : NULL;
}

// ---- options

static firn_entity entity_of_text(const char *text)
{
    const firn_entity end = ((firn_entity)FIRN_GENERATION_MAX + 1) << FIRN_SLOT_BITS;
    firn_entity id = 0;
    for (; *text >= '0' && *text <= '9' && id < end; text++) {
        id = id * 10 + (firn_entity)(*text - '0');
    }
    return *text == 0 && id < end ? id : 0;
}

static bool choose_entities(fr_cli_selection *selection, firn_error *err)
{
    const char *text;
    for (uint32_t cursor = 0; fr_cli_value_next(selection->cli, "entity", &cursor, &text);) {
        const wanted_entity wanted = {.text = text, .id = entity_of_text(text)};
        if (firn_buffer_append(&selection->entities, &wanted, sizeof wanted, err) != FIRN_OK) {
            fr_cli_fail(selection->cli, NULL, err);
            return false;
        }
    }
    return true;
}

bool fr_cli_selection_find(const fr_cli_selection *selection, const char *text, fr_cli_name *out)
{
    const fr_cli_source *source = selection->source;
    *out = fr_cli_name_find(source->opened, text, strlen(text));
    if (!out->known) {
        fr_cli_say(selection->cli, source->path, "there is no component %s", fr_cli_shown(text));
    }
    return out->known;
}

static bool choose_components(fr_cli_selection *selection, firn_error *err)
{
    const char *text;
    for (uint32_t cursor = 0; fr_cli_value_next(selection->cli, "component", &cursor, &text);) {
        fr_cli_name name;
        if (!fr_cli_selection_find(selection, text, &name)) {
            return false;
        }
        if (firn_buffer_append(&selection->components, &name, sizeof name, err) != FIRN_OK) {
            fr_cli_fail(selection->cli, NULL, err);
            return false;
        }
    }
    return true;
}

// A file may have none of something; who has written a name wrong gets to know it.
static void tell_misspelt(void *user, const char *place, const char *field)
{
    const fr_cli_selection *selection = user;
    fr_cli_say(selection->cli, selection->source->path, "nothing has %s%s%s", place,
               *field != 0 ? ": there is no field " : "", field);
}

// Bytes on either side.
#define SHOWN_BYTES 30

static bool is_inside_character(char c)
{
    return ((uint8_t)c & 0xc0) == 0x80;
}

// An expression may be long: only what stands around the place where it is wrong is shown.
static void refuse_expression(fr_cli *cli, const char *text, const firn_error *err)
{
    size_t at = (size_t)err->offset, size = strlen(text);
    size_t first = at > SHOWN_BYTES ? at - SHOWN_BYTES : 0;
    size_t end = size - at > SHOWN_BYTES ? at + SHOWN_BYTES : size;
    while (first < at && is_inside_character(text[first])) {
        first++;
    }
    while (end > at && is_inside_character(text[end])) {
        end--;
    }
    fr_cli_misuse(cli, "--where, character %" PRIu64 ": %s: %s%.*s>>%.*s%s", err->offset + 1,
                  err->message, first > 0 ? "..." : "", (int)(at - first), text + first,
                  (int)(end - at), text + at, end < size ? "..." : "");
}

static bool choose_where(fr_cli_selection *selection, firn_error *err)
{
    fr_cli *cli = selection->cli;
    const char *text = fr_cli_value(cli, "where");
    if (text == NULL) {
        return true;
    }
    selection->where = fr_cli_where_read(text, cli->host->allocator, err);
    if (selection->where != NULL) {
        fr_cli_where_begin(selection->where, selection->source->opened, tell_misspelt, selection);
        return true;
    }
    if (err->offset == FIRN_NO_OFFSET) {
        fr_cli_fail(cli, NULL, err);
    } else {
        refuse_expression(cli, text, err);
    }
    return false;
}

bool fr_cli_selection_begin(fr_cli *cli, const fr_cli_source *source, fr_cli_selection *out)
{
    firn_error err;
    *out = (fr_cli_selection){.cli = cli, .source = source};
    firn_buffer_init(&out->entities, cli->host->allocator);
    firn_buffer_init(&out->components, cli->host->allocator);
    if (!choose_entities(out, &err) || !choose_components(out, &err) || !choose_where(out, &err)) {
        return false;
    }
    out->all = out->entities.size == 0 && out->components.size == 0 && out->where == NULL;
    return true;
}

void fr_cli_selection_end(fr_cli_selection *selection)
{
    firn_buffer_free(&selection->entities);
    firn_buffer_free(&selection->components);
    fr_cli_where_free(selection->where);
}

// ---- which rows

bool fr_cli_selection_shows(const fr_cli_selection *selection, uint32_t component)
{
    const fr_cli_name *name = name_at(selection, 0);
    bool shows = name == NULL;
    for (size_t i = 0; (name = name_at(selection, i)) != NULL && !shows; i++) {
        shows = fr_cli_name_is(name, component);
    }
    return shows;
}

static bool has_a_component(const fr_cli_selection *selection, const fr_cli_row *row)
{
    const fr_cli_name *name = name_at(selection, 0);
    bool has = name == NULL;
    for (size_t i = 0; (name = name_at(selection, i)) != NULL && !has; i++) {
        has = fr_cli_row_column(row, name, 0) < row->columns;
    }
    return has;
}

static firn_result is_wanted(fr_cli_selection *selection, fr_cli_row *row, bool *out,
                             firn_error *err)
{
    firn_value key = {.kind = FIRN_VALUE_NIL};
    wanted_entity *wanted = wanted_at(selection, 0);
    *out = wanted == NULL;
    firn_result result = *out ? FIRN_OK : fr_cli_row_label(row, FR_CLI_LABEL_KEY, &key, err);
    for (size_t i = 0; result == FIRN_OK && (wanted = wanted_at(selection, i)) != NULL; i++) {
        bool is_key = key.kind == FIRN_VALUE_STRING && key.length == strlen(wanted->text) &&
                      memcmp(key.as.string, wanted->text, key.length) == 0;
        if (wanted->id == row->entity || is_key) {
            wanted->found = true;
            *out = true;
        }
    }
    return result;
}

static firn_result is_chosen(fr_cli_selection *selection, fr_cli_row *row, bool *out,
                             firn_error *err)
{
    firn_result result = is_wanted(selection, row, out, err); // first: it notes who is there
    *out = *out && has_a_component(selection, row);
    return result == FIRN_OK && *out && selection->where != NULL
               ? fr_cli_where_test(selection->where, row, out, err)
               : result;
}

// ---- the walk

static firn_result walk_rows(fr_cli_selection *selection, fr_cli_row *row, fr_cli_row_fn each,
                             void *user, firn_error *err)
{
    firn_result result = FIRN_OK;
    while (result == FIRN_OK && !fr_cli_closed(selection->cli) && firn_image_rows_next(row->rows)) {
        bool chosen = true;
        row->entity = firn_image_rows_entity(row->rows);
        firn_doc_clear(row->doc);
        result = selection->all ? FIRN_OK : is_chosen(selection, row, &chosen, err);
        if (result == FIRN_OK && chosen) {
            result = each(user, row, err);
        }
    }
    return result;
}

static firn_result walk_archetypes(fr_cli_selection *selection, fr_cli_row *row, fr_cli_row_fn each,
                                   void *user, firn_error *err)
{
    firn_image_archetype archetype;
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && firn_image_archetype_at(row->image, i, &archetype);
         i++) {
        row->archetype = i;
        row->columns = archetype.columns;
        row->rows = firn_image_rows_open(row->image, i, err);
        result = row->rows != NULL ? walk_rows(selection, row, each, user, err) : err->code;
        firn_image_rows_close(row->rows);
    }
    return result;
}

static fr_cli_status say_who_is_missing(const fr_cli_selection *selection)
{
    fr_cli_status status = FR_CLI_OK;
    const wanted_entity *wanted;
    for (size_t i = 0; (wanted = wanted_at(selection, i)) != NULL; i++) {
        if (!wanted->found && !fr_cli_closed(selection->cli)) {
            status = fr_cli_say(selection->cli, selection->source->path,
                                "there is no such entity: %s", fr_cli_shown(wanted->text));
        }
    }
    return status;
}

fr_cli_status fr_cli_selection_walk(fr_cli_selection *selection, fr_cli_row_fn each, void *user)
{
    firn_error err;
    fr_cli *cli = selection->cli;
    // What was opened is within the limits, but for what firn saves of its own.
    firn_limits limits = cli->limits;
    limits.tree_values = limits.string_bytes = UINT64_MAX;
    fr_cli_row row = {.image = selection->source->opened,
                      .doc = firn_doc_create(cli->host->allocator, &limits, &err)};
    firn_result result =
        row.doc != NULL ? walk_archetypes(selection, &row, each, user, &err) : err.code;
    firn_doc_destroy(row.doc);
    if (result != FIRN_OK) {
        // Offsets are those in a value.
        return row.entity != 0 ? fr_cli_say(cli, selection->source->path, "entity %" PRIu64 ": %s",
                                            row.entity, err.message)
                               : fr_cli_fail(cli, selection->source->path, &err);
    }
    return say_who_is_missing(selection);
}
