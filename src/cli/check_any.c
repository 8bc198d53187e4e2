// What every game has: a snapshot is tried in a world that knows nothing else.
#include "cli/check.h"
#include "cli/game.h"

#include <stdio.h>
#include <string.h>

// So many worlds it is tried in; the last one has what every game has, and no more.
#define WORLDS_MOST 8

typedef struct any_game {
    const fr_cli_source *source;
    firn_doc *doc;
    firn_world *world;
    uint32_t own;      // components that every world has
    firn_value *names; // name of a relation whose sources are listed -> true
    firn_value *coded; // name of a relation that a codec may write -> true: no world has it
    bool bare;         // the world is to have no relation that the snapshot shows
    bool needed;       // the snapshot holds what the world knows
} any_game;

// ---- relations that the snapshot shows

// The names in lists of sources, which have been checked.
static firn_result take_listed_names(any_game *any, const firn_image_datum *datum, firn_error *err)
{
    const firn_value yes = {.kind = FIRN_VALUE_BOOL, .as.boolean = true};
    const firn_value *lists = firn_value_decode(any->doc, datum->encoded, datum->size, err);
    firn_result result = lists != NULL ? FIRN_OK : err->code;
    for (uint32_t i = 1; result == FIRN_OK && i <= firn_table_array_count(lists); i++) {
        const firn_value *list = firn_table_get_number(lists, i);
        result = firn_table_set(any->doc, any->names, firn_table_get_number(list, 1), &yes, err);
    }
    return result;
}

static firn_result find_listed_names(any_game *any, firn_error *err)
{
    firn_image_datum datum;
    any->names = firn_value_table(any->doc, err);
    firn_result result = any->names != NULL ? FIRN_OK : err->code;
    for (uint32_t i = 0; result == FIRN_OK && firn_image_datum_at(any->source->opened, i, &datum);
         i++) {
        if (strcmp(datum.key, "__firn.order") == 0) {
            result = take_listed_names(any, &datum, err);
        }
    }
    return result;
}

// A relation that a column of a target, or a list of sources, shows; what its edges hold is taken
// as it is.
static firn_result add_shown_relation(any_game *any, const firn_image_component *component,
                                      firn_error *err)
{
    char name[256];
    size_t size = component->relation_size > 0 ? component->relation_size : strlen(component->name);
    const firn_value key = {
        .kind = FIRN_VALUE_STRING, .length = (uint32_t)size, .as.string = component->name};
    bool listed = firn_table_get(any->names, &key) != NULL;
    (void)snprintf(name, sizeof name, "%.*s", (int)size, component->name);
    firn_component known = firn_component_find(any->world, name);
    any->needed =
        any->needed || (known != 0 && firn_component_kind_of(any->world, known) != FIRN_TAG);
    if (known != 0 || any->bare || firn_table_get(any->coded, &key) != NULL ||
        !(listed || component->relation_size > 0)) {
        return FIRN_OK;
    }
    const firn_component_desc desc = {.name = name,
                                      .kind = FIRN_RELATION,
                                      .relation = (component->relation_size > 0 ? 0 : FIRN_SPARSE) |
                                                  (listed ? FIRN_REVERSE : 0)};
    any->needed = true;
    return firn_component_register(any->world, &desc, err) != 0 || err->code != FIRN_NO_MEMORY
               ? FIRN_OK
               : err->code;
}

static firn_result add_shown_relations(any_game *any, firn_error *err)
{
    firn_image_component component;
    firn_result result = FIRN_OK;
    for (uint32_t i = 0;
         result == FIRN_OK && firn_image_component_at(any->source->opened, i, &component); i++) {
        result = add_shown_relation(any, &component, err);
    }
    return result;
}

// ---- the verdict

// Whether a value of such a relation is no edge: a codec may have made it. FIRN_OK, or what is
// wrong with the value.
static firn_result look_at_value(const any_game *any, uint64_t place, bool *coded, firn_error *err)
{
    firn_reader reader;
    const fr_cli_source *source = any->source;
    firn_reader_begin(&reader, (const uint8_t *)source->image + place,
                      source->image_size - (size_t)place, NULL);
    const firn_value *value = firn_read_value(&reader, any->doc);
    if (value == NULL) {
        *err = reader.error;
        return err->code;
    }
    *coded = value->kind != FIRN_VALUE_TABLE || (firn_table_get_text(value, "target") == NULL &&
                                                 firn_table_get_text(value, "edges") == NULL);
    return FIRN_OK;
}

// Notes the relation that a load failed at, if a codec may be why: *again, without it.
static firn_result judge_failure(any_game *any, bool *again, firn_error *err)
{
    const firn_error why = *err;
    const firn_value yes = {.kind = FIRN_VALUE_BOOL, .as.boolean = true};
    const char *arrow = strstr(why.subject, "->");
    size_t size = arrow != NULL ? (size_t)(arrow - why.subject) : strlen(why.subject);
    const firn_value *name = firn_value_string(any->doc, why.subject, size, err);
    if (name == NULL) {
        return err->code;
    }
    firn_component component = firn_component_find(any->world, name->as.string);
    if (why.entity == 0 || why.offset >= any->source->image_size || component == 0 ||
        fr_cli_is_own(any->world, any->own, component)) {
        return why.code;
    }
    firn_result result = look_at_value(any, why.offset, again, err);
    if (result != FIRN_OK) {
        return result;
    }
    return *again ? firn_table_set(any->doc, any->coded, name, &yes, err) : why.code;
}

static firn_result try_any_game(const fr_cli *cli, any_game *any, bool *again, firn_error *err)
{
    const firn_load_options options = {.skip_unknown = true, .limits = &cli->limits};
    firn_result result = firn_snapshot_check(any->world, any->source->image,
                                             any->source->image_size, &options, NULL, err);
    if (result == FIRN_OK || result == FIRN_UNKNOWN) {
        return FIRN_OK; // unknown are states, classes, providers of script state
    }
    return judge_failure(any, again, err);
}

// A game of its own may have other components of those names.
static bool shows_persist(const fr_cli_source *source)
{
    firn_image_component component;
    uint32_t at = firn_image_component_find(source->opened, "persist");
    return firn_image_component_at(source->opened, at, &component) && component.raw &&
           component.row_size == sizeof(firn_persist);
}

static firn_result begin_any_world(const fr_cli *cli, any_game *any, firn_error *err)
{
    const firn_world_desc desc = {.allocator = cli->host->allocator, .limits = &cli->limits};
    any->world = firn_world_create(&desc, err);
    if (any->world == NULL ||
        (shows_persist(any->source) && firn_persist_register(any->world, err) == 0)) {
        return err->code;
    }
    any->own = firn_component_count(any->world);
    any->needed = false;
    return add_shown_relations(any, err);
}

// Until nothing is left that only a codec can tell.
static firn_result try_worlds(const fr_cli *cli, any_game *any, firn_error *err)
{
    firn_result result = FIRN_OK;
    bool again = true;
    for (uint32_t i = 1; result == FIRN_OK && again && i <= WORLDS_MOST; i++) {
        again = false;
        any->bare = i == WORLDS_MOST;
        result = begin_any_world(cli, any, err);
        if (result == FIRN_OK && any->needed) {
            result = try_any_game(cli, any, &again, err);
        }
        firn_world_destroy(any->world);
    }
    return result;
}

firn_result fr_cli_check_any(const fr_cli *cli, const fr_cli_source *source, firn_error *err)
{
    any_game any = {.source = source};
    firn_image_info info;
    firn_image_describe(source->opened, &info);
    if (!info.by_firn) {
        return FIRN_OK;
    }
    any.doc = firn_doc_create(cli->host->allocator, &cli->limits, err);
    any.coded = any.doc != NULL ? firn_value_table(any.doc, err) : NULL;
    firn_result result = any.coded != NULL ? find_listed_names(&any, err) : err->code;
    if (result == FIRN_OK) {
        result = try_worlds(cli, &any, err);
    }
    firn_doc_destroy(any.doc);
    return result;
}
