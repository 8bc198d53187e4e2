#include "cli/game.h"

#include "cli/check.h"

#include <stdio.h>
#include <string.h>

bool fr_cli_is_own(const firn_world *world, uint32_t own, firn_component component)
{
    for (uint32_t i = 0; i < own; i++) {
        if (firn_component_at(world, i) == component) {
            return true;
        }
    }
    return false;
}

firn_result fr_cli_game_begin(fr_cli *cli, firn_error *err)
{
    const firn_world_desc desc = {.allocator = cli->host->allocator, .limits = &cli->limits};
    cli->game = firn_world_create(&desc, err);
    if (cli->game == NULL) {
        return err->code;
    }
    cli->game_own = firn_component_count(cli->game);
    return FIRN_OK;
}

// ---- fields

// The fields of a row; names and fields stand in buffers.
typedef struct game_fields {
    firn_buffer image, names, fields;
    size_t row_size;
} game_fields;

// A snapshot of nothing but this component, which is read as its schema says.
static firn_image *open_alone(const fr_cli *cli, const fr_cli_registration *says,
                              firn_buffer *bytes, firn_error *err)
{
    static const double head[] = {1, 1, 0, 0, 1}; // version, next slot, entities, frames, names
    const firn_image_schema schema = {says->name, says->fingerprint};
    const firn_image_options options = {.limits = &cli->limits,
                                        .allocator = cli->host->allocator,
                                        .schemas = &schema,
                                        .schema_count = 1};
    firn_writer writer;
    firn_writer_begin(&writer, bytes, NULL);
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) {
        firn_write_number(&writer, head[i]);
    }
    firn_write_text(&writer, says->name);
    firn_write_text(&writer, says->fingerprint != NULL ? says->fingerprint : "");
    firn_write_bool(&writer, false);
    return firn_writer_end(&writer, err) == FIRN_OK
               ? firn_image_open(bytes->data, bytes->size, &options, err)
               : NULL;
}

// All fields, `shift` bytes behind where they stand in the row. There is room for their names.
static firn_result take_game_fields(const firn_image *image, size_t shift, game_fields *out,
                                    firn_error *err)
{
    firn_image_field field;
    firn_result result = FIRN_OK;
    for (uint32_t i = 0; result == FIRN_OK && firn_image_field_at(image, 0, i, &field); i++) {
        const firn_field made = {.name = (const char *)out->names.data + out->names.size,
                                 .type = field.type,
                                 .offset = shift + field.offset,
                                 .count = field.count};
        result = firn_buffer_append(&out->names, field.name, field.name_size, err);
        if (result == FIRN_OK) {
            result = firn_buffer_append(&out->names, "", 1, err);
        }
        if (result == FIRN_OK) {
            result = firn_buffer_append(&out->fields, &made, sizeof made, err);
        }
    }
    return result;
}

static firn_result read_game_fields(const fr_cli *cli, const fr_cli_registration *says,
                                    game_fields *out, firn_error *err)
{
    firn_image_component component = {.row_size = 0};
    size_t shift = says->kind == FIRN_RELATION ? sizeof(firn_entity) : 0;
    size_t room = says->fingerprint != NULL ? strlen(says->fingerprint) : 0;
    firn_image *image = open_alone(cli, says, &out->image, err);
    firn_result result = image != NULL ? FIRN_OK : err->code;
    if (result == FIRN_OK) {
        result = firn_buffer_reserve(&out->names, room, err);
    }
    if (result == FIRN_OK) {
        (void)firn_image_component_at(image, 0, &component);
        result = take_game_fields(image, shift, out, err);
    }
    out->row_size = component.row_size;
    firn_image_close(image);
    return result;
}

// ---- components and states

static firn_result register_component(fr_cli *cli, const fr_cli_registration *says,
                                      const game_fields *fields, firn_error *err)
{
    const size_t target = sizeof(firn_entity);
    firn_component_desc desc = {.name = says->name,
                                .kind = says->kind,
                                .fields = (const firn_field *)(const void *)fields->fields.data,
                                .field_count = (uint32_t)(fields->fields.size / sizeof(firn_field)),
                                .relation = says->relation};
    if (says->kind == FIRN_STRUCT) {
        desc.size = fields->row_size;
    } else if (fields->row_size > 0) {
        desc.size = target + (fields->row_size + target - 1) / target * target;
    }
    return firn_component_register(cli->game, &desc, err) != 0 ? FIRN_OK : err->code;
}

static firn_result refuse_game_own(const fr_cli_registration *says, firn_error *err)
{
    *err = (firn_error){.code = FIRN_EXISTS, .offset = FIRN_NO_OFFSET};
    (void)snprintf(err->message, sizeof err->message,
                   "every game has a component %.200s of another kind", says->name);
    return FIRN_EXISTS;
}

static firn_result add_component(fr_cli *cli, const fr_cli_registration *says,
                                 const game_fields *fields, firn_error *err)
{
    firn_component other = firn_component_find(cli->game, says->name);
    if (says->kind == FIRN_VALUE) {
        return FIRN_OK; // of fr_cli_game_add_encoded
    }
    if (other == 0 || !fr_cli_is_own(cli->game, cli->game_own, other)) {
        return register_component(cli, says, fields, err);
    }
    bool same = says->kind == FIRN_STRUCT || says->kind == firn_component_kind_of(cli->game, other);
    return same ? FIRN_OK : refuse_game_own(says, err);
}

firn_result fr_cli_game_add(fr_cli *cli, const fr_cli_registration *says, firn_error *err)
{
    game_fields fields = {.row_size = 0};
    firn_buffer_init(&fields.image, cli->host->allocator);
    firn_buffer_init(&fields.names, cli->host->allocator);
    firn_buffer_init(&fields.fields, cli->host->allocator);
    firn_result result = read_game_fields(cli, says, &fields, err);
    if (result == FIRN_OK) {
        result = add_component(cli, says, &fields, err);
    }
    firn_buffer_free(&fields.image);
    firn_buffer_free(&fields.names);
    firn_buffer_free(&fields.fields);
    return result;
}

firn_result fr_cli_game_add_encoded(fr_cli *cli, firn_error *err)
{
    const firn_image_schema *schemas = (const void *)cli->schemas.data;
    firn_result result = FIRN_OK;
    for (size_t i = 0; result == FIRN_OK && i < cli->schemas.size / sizeof *schemas; i++) {
        const firn_component_desc desc = {.name = schemas[i].component, .kind = FIRN_VALUE};
        if (firn_component_find(cli->game, desc.name) == 0 && strstr(desc.name, "->") == NULL &&
            firn_component_register(cli->game, &desc, err) == 0) {
            result = err->code;
        }
    }
    return result;
}

firn_result fr_cli_game_add_state(fr_cli *cli, const char *name, firn_error *err)
{
    const firn_state_desc desc = {.name = name};
    return firn_state_create(cli->game, &desc, err) != 0 ? FIRN_OK : err->code;
}

// ---- files

// What a snapshot has and the game lacks. Of providers and classes no schema tells, and what can be
// read in two ways is told when it is opened.
static firn_result judge_unknown(const fr_cli *cli, const fr_cli_source *source, firn_error *err)
{
    const firn_image_options options = fr_cli_image_options(cli);
    const void *script;
    size_t size;
    firn_error why;
    if (!cli->complete || err->entity != 0) {
        return FIRN_OK;
    }
    firn_result result = firn_image_data(source->image, source->image_size, "tecs.sequence",
                                         &options, &script, &size, &why);
    if (result != FIRN_OK && result != FIRN_NOT_FOUND) {
        *err = why;
        return result;
    }
    if (result == FIRN_OK && err->offset == fr_cli_place(source, script, 0)) {
        return FIRN_OK;
    }
    err->code = FIRN_INVALID;
    return FIRN_INVALID;
}

firn_result fr_cli_game_check(const fr_cli *cli, const fr_cli_source *source, firn_error *err)
{
    if (cli->game == NULL) {
        return FIRN_OK;
    }
    const firn_load_options options = {.skip_unknown = !cli->complete, .limits = &cli->limits};
    firn_result result =
        firn_snapshot_check(cli->game, source->image, source->image_size, &options, NULL, err);
    return result == FIRN_UNKNOWN ? judge_unknown(cli, source, err) : result;
}
