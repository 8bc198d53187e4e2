// What firn itself keeps in a snapshot.
#include "cli/check.h"

#include <stdio.h>
#include <string.h>

// ---- entries that a load hands to the handlers of every world

// A snapshot of nothing but this entry. *start receives where its value begins there.
static firn_result write_alone(const firn_image_datum *datum, firn_buffer *out, size_t *start,
                               firn_error *err)
{
    static const double head[] = {1, 1, 0, 0, 0}; // version, next slot, entities, frames, names
    firn_writer writer;
    firn_buffer_clear(out);
    firn_writer_begin(&writer, out, NULL);
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) {
        firn_write_number(&writer, head[i]);
    }
    firn_write_bool(&writer, true);
    firn_write_text(&writer, datum->key);
    firn_result result = firn_writer_end(&writer, err);
    *start = out->size;
    if (result == FIRN_OK) {
        result = firn_buffer_append(out, datum->encoded, datum->size, err);
    }
    firn_writer_begin(&writer, out, NULL);
    firn_write_bool(&writer, false);
    return result == FIRN_OK ? firn_writer_end(&writer, err) : result;
}

// The states that a save names are those of the game, which is not here.
static firn_result make_states(firn_world *world, const firn_value *stack, firn_error *err)
{
    for (uint32_t i = 1; i <= firn_table_array_count(stack); i++) {
        const firn_value *name = firn_table_get_number(stack, i);
        const firn_state_desc desc = {.name = name->as.string};
        firn_error why;
        if (name->kind == FIRN_VALUE_STRING && firn_state_create(world, &desc, &why) == 0 &&
            why.code == FIRN_NO_MEMORY) {
            *err = why;
            return why.code;
        }
    }
    return FIRN_OK;
}

// As a load would. A provider of script state that is not registered is the game's, too.
static firn_result check_alone(firn_world *world, const firn_image_datum *datum, size_t place,
                               firn_buffer *alone, firn_error *err)
{
    size_t start;
    firn_result result = write_alone(datum, alone, &start, err);
    if (result == FIRN_OK) {
        result = firn_snapshot_check(world, alone->data, alone->size, NULL, NULL, err);
    }
    if (result == FIRN_UNKNOWN) {
        return FIRN_OK;
    }
    if (result != FIRN_OK && err->offset != FIRN_NO_OFFSET) {
        err->offset = place + (err->offset - start);
    }
    return result;
}

static firn_result check_handled(const fr_cli *cli, const firn_image_datum *datum,
                                 const firn_value *value, size_t place, firn_error *err)
{
    const firn_world_desc desc = {.allocator = cli->host->allocator, .limits = &cli->limits};
    firn_world *world = firn_world_create(&desc, err);
    if (world == NULL) {
        return err->code;
    }
    firn_buffer alone;
    firn_buffer_init(&alone, cli->host->allocator);
    firn_result result =
        strcmp(datum->key, "__tecs.stateStack") == 0 ? make_states(world, value, err) : FIRN_OK;
    if (result == FIRN_OK) {
        result = check_alone(world, datum, place, &alone, err);
    }
    firn_buffer_free(&alone);
    firn_world_destroy(world);
    return result;
}

// ---- lists of the sources of relationships

static bool is_entity(double number)
{
    return number >= 1 && number < 9007199254740992.0 && number == (double)(uint64_t)number &&
           ((uint64_t)number & FIRN_SLOT_MAX) != 0;
}

// Pieces of 8 bytes for each id. What is wrong with them, or NULL.
static const char *wrong_with_list(const firn_value *list)
{
    uint32_t count = firn_table_array_count(list);
    if (count < 2 || firn_table_map_count(list) > 0) {
        return "holds something else than lists";
    }
    const firn_value *target = firn_table_get_number(list, 2);
    if (firn_table_get_number(list, 1)->kind != FIRN_VALUE_STRING) {
        return "has a list that begins with no relation";
    }
    if (target->kind != FIRN_VALUE_NUMBER || !is_entity(target->as.number)) {
        return "has a list without a target";
    }
    for (uint32_t i = 3; i <= count; i++) {
        const firn_value *piece = firn_table_get_number(list, i);
        if (piece->kind != FIRN_VALUE_STRING || piece->length % 8 != 0) {
            return "has a piece that holds no ids";
        }
    }
    return NULL;
}

static firn_result check_order(const firn_image_datum *datum, const firn_value *value, size_t place,
                               firn_error *err)
{
    const char *wrong = NULL;
    if (value->kind != FIRN_VALUE_TABLE || firn_table_map_count(value) > 0) {
        wrong = "is no array of lists";
    }
    for (uint32_t i = 1; wrong == NULL && i <= firn_table_array_count(value); i++) {
        wrong = wrong_with_list(firn_table_get_number(value, i));
    }
    if (wrong == NULL) {
        return FIRN_OK;
    }
    *err = (firn_error){.code = FIRN_CORRUPT, .offset = place};
    (void)snprintf(err->subject, sizeof err->subject, "%s", datum->key);
    (void)snprintf(err->message, sizeof err->message, "%s %s", datum->key, wrong);
    return FIRN_CORRUPT;
}

firn_result fr_cli_check_entry(const fr_cli *cli, const firn_image_datum *datum,
                               const firn_value *value, size_t place, firn_error *err)
{
    static const char *const handled[] = {"__tecs.stateStack", "__tecs.pipeline", "tecs.random",
                                          "tecs.sequence"};
    for (size_t i = 0; i < sizeof handled / sizeof *handled; i++) {
        if (strcmp(datum->key, handled[i]) == 0) {
            return check_handled(cli, datum, value, place, err);
        }
    }
    bool lists = strcmp(datum->key, "__firn.order") == 0 || strcmp(datum->key, "__firn.outer") == 0;
    return lists ? check_order(datum, value, place, err) : FIRN_OK;
}
