// What is in a file, as a tree.
#include "cli/info.h"

#include <string.h>

#include "cli/text.h"

// ---- the save file around the snapshot

static void add_time(fr_cli_tree *tree, firn_value *table, const char *key, int64_t milliseconds)
{
    char text[48];
    fr_cli_time_text(milliseconds, text);
    fr_cli_tree_text(tree, table, key, text);
}

static void add_header(fr_cli_tree *tree, firn_value *save, const firn_save_header *header)
{
    fr_cli_tree_number(tree, save, "formatVersion", header->format_version);
    fr_cli_tree_text(tree, save, "game", header->game);
    fr_cli_tree_number(tree, save, "gameVersion", header->game_version);
    fr_cli_tree_text(tree, save, "engine", header->engine);
    fr_cli_tree_text(tree, save, "level", header->level);
    fr_cli_tree_text(tree, save, "kind", header->kind);
    fr_cli_tree_number(tree, save, "timestamp", (double)header->timestamp);
    add_time(tree, save, "saved", header->timestamp);
    fr_cli_tree_number(tree, save, "tick", (double)header->tick);
    fr_cli_tree_number(tree, save, "playTime", header->play_time);
    fr_cli_tree_number(tree, save, "revision", (double)header->revision);
    fr_cli_tree_digest(tree, save, "parent", header->parent);
}

// A copy, since a value of a tree lives in its document.
static void add_meta(fr_cli *cli, fr_cli_tree *tree, firn_value *save, const firn_value *meta)
{
    firn_buffer encoded;
    firn_buffer_init(&encoded, cli->host->allocator);
    if (meta == NULL || tree->err.code != FIRN_OK) {
        return;
    }
    if (firn_value_encode(meta, NULL, &encoded, &tree->err) == FIRN_OK) {
        fr_cli_tree_set(tree, save, "meta",
                        firn_value_decode(tree->doc, encoded.data, encoded.size, &tree->err));
    }
    firn_buffer_free(&encoded);
}

static void add_sections(fr_cli_tree *tree, firn_value *save, const firn_save_file *file)
{
    firn_section_info info;
    firn_value *list = fr_cli_tree_table(tree, save, "sections");
    for (uint32_t i = 0; firn_save_file_section_at(file, i, &info); i++) {
        firn_value *section = fr_cli_tree_table(tree, list, NULL);
        fr_cli_tree_text(tree, section, "name", info.name);
        fr_cli_tree_number(tree, section, "size", (double)info.size);
        fr_cli_tree_number(tree, section, "stored", (double)info.stored);
        fr_cli_tree_number(tree, section, "offset", (double)info.offset);
        fr_cli_tree_bool(tree, section, "compressed", info.compressed);
        fr_cli_tree_digest(tree, section, "digest", info.digest);
    }
}

static void add_save_facts(fr_cli *cli, fr_cli_tree *tree, const firn_save_file *file)
{
    firn_value *save = fr_cli_tree_table(tree, tree->root, "save");
    const firn_save_header *header = firn_save_file_header(file);
    add_header(tree, save, header);
    add_meta(cli, tree, save, header->meta);
    fr_cli_tree_digest(tree, save, "identity", firn_save_file_identity(file));
    add_sections(tree, save, file);
}

// ---- the snapshot

static void add_fields(fr_cli_tree *tree, firn_value *component, const firn_image *image,
                       uint32_t index)
{
    firn_image_field field;
    firn_value *list = fr_cli_tree_table(tree, component, "fields");
    for (uint32_t i = 0; firn_image_field_at(image, index, i, &field); i++) {
        firn_value *entry = fr_cli_tree_table(tree, list, NULL);
        fr_cli_tree_text(tree, entry, "name", field.name);
        fr_cli_tree_text(tree, entry, "type", field.type_text);
        fr_cli_tree_number(tree, entry, "offset", field.offset);
        if (field.count > 0) {
            fr_cli_tree_number(tree, entry, "count", field.count);
        }
    }
}

static void add_components(fr_cli_tree *tree, firn_value *snapshot, const firn_image *image)
{
    firn_image_component component;
    firn_value *list = fr_cli_tree_table(tree, snapshot, "components");
    for (uint32_t i = 0; firn_image_component_at(image, i, &component); i++) {
        firn_value *entry = fr_cli_tree_table(tree, list, NULL);
        fr_cli_tree_text(tree, entry, "name", component.name);
        fr_cli_tree_text(tree, entry, "fingerprint", component.fingerprint);
        fr_cli_tree_bool(tree, entry, "raw", component.raw);
        fr_cli_tree_number(tree, entry, "archetypes", component.columns);
        fr_cli_tree_number(tree, entry, "rows", (double)component.rows);
        fr_cli_tree_number(tree, entry, "nils", (double)component.nils);
        fr_cli_tree_number(tree, entry, "bytes", (double)component.bytes);
        if (component.raw) {
            fr_cli_tree_number(tree, entry, "rowSize", component.row_size);
            add_fields(tree, entry, image, i);
        }
    }
}

static void add_archetypes(fr_cli_tree *tree, firn_value *snapshot, const firn_image *image)
{
    firn_image_archetype archetype;
    firn_image_column column;
    firn_image_component component;
    firn_value *list = fr_cli_tree_table(tree, snapshot, "archetypes");
    for (uint32_t i = 0; firn_image_archetype_at(image, i, &archetype); i++) {
        firn_value *entry = fr_cli_tree_table(tree, list, NULL);
        fr_cli_tree_number(tree, entry, "rows", archetype.rows);
        fr_cli_tree_number(tree, entry, "bytes", (double)archetype.size);
        fr_cli_tree_number(tree, entry, "offset", (double)archetype.offset);
        firn_value *names = fr_cli_tree_table(tree, entry, "components");
        for (uint32_t k = 0; firn_image_column_at(image, i, k, &column); k++) {
            (void)firn_image_component_at(image, column.component, &component);
            fr_cli_tree_text(tree, names, NULL, component.name);
        }
    }
}

static void add_data(fr_cli_tree *tree, firn_value *snapshot, const firn_image *image)
{
    firn_image_datum datum;
    firn_value *list = fr_cli_tree_table(tree, snapshot, "data");
    for (uint32_t i = 0; firn_image_datum_at(image, i, &datum); i++) {
        firn_value *entry = fr_cli_tree_table(tree, list, NULL);
        fr_cli_tree_text(tree, entry, "key", datum.key);
        fr_cli_tree_number(tree, entry, "bytes", (double)datum.size);
        fr_cli_tree_bool(tree, entry, "custom", datum.custom);
    }
}

static void add_snapshot(fr_cli *cli, fr_cli_tree *tree, const fr_cli_source *source)
{
    firn_image_info info;
    firn_hash hash;
    const firn_image_options options = fr_cli_image_options(cli);
    if (tree->err.code != FIRN_OK || firn_image_hash(source->image, source->image_size, &options,
                                                     &hash, NULL, NULL, &tree->err) != FIRN_OK) {
        return;
    }
    firn_value *snapshot = fr_cli_tree_table(tree, tree->root, "snapshot");
    firn_image_describe(source->opened, &info);
    fr_cli_tree_number(tree, snapshot, "version", info.prelude.version);
    fr_cli_tree_bool(tree, snapshot, "byFirn", info.by_firn);
    fr_cli_tree_text(tree, snapshot, "world", info.world_name);
    fr_cli_tree_number(tree, snapshot, "tick", (double)info.tick);
    fr_cli_tree_number(tree, snapshot, "entities", info.prelude.entity_count);
    fr_cli_tree_number(tree, snapshot, "freeSlots", info.free_count);
    fr_cli_tree_number(tree, snapshot, "nextSlot", info.prelude.next_slot);
    fr_cli_tree_number(tree, snapshot, "size", (double)info.size);
    fr_cli_tree_number(tree, snapshot, "framesOffset", (double)info.frames_offset);
    fr_cli_tree_number(tree, snapshot, "dataOffset", (double)info.data_offset);
    fr_cli_tree_hex(tree, snapshot, "hash", hash.total);
    fr_cli_tree_text(tree, snapshot, "hashOf", fr_cli_hash_of(source->opened));
    add_components(tree, snapshot, source->opened);
    add_archetypes(tree, snapshot, source->opened);
    add_data(tree, snapshot, source->opened);
}

void fr_cli_info_tree(fr_cli *cli, const fr_cli_source *source, fr_cli_tree *tree)
{
    fr_cli_tree_begin(cli, tree);
    fr_cli_tree_text(tree, tree->root, "file", source->path);
    fr_cli_tree_text(tree, tree->root, "format", source->save != NULL ? "save" : "snapshot");
    fr_cli_tree_bool(tree, tree->root, "json", source->json);
    fr_cli_tree_number(tree, tree->root, "size", (double)source->bytes.size);
    if (source->save != NULL) {
        add_save_facts(cli, tree, source->save);
    }
    if (source->opened != NULL) {
        add_snapshot(cli, tree, source);
    }
}

// ---- the command

static fr_cli_status show_info(fr_cli *cli, const fr_cli_source *source)
{
    fr_cli_tree tree;
    fr_cli_status status = FR_CLI_OK;
    fr_cli_info_tree(cli, source, &tree);
    if (tree.err.code != FIRN_OK) {
        status = fr_cli_fail(cli, source->path, &tree.err);
    } else if (fr_cli_value(cli, "json") != NULL) {
        status = fr_cli_json(cli, tree.root);
    } else {
        status = fr_cli_info_text(cli, tree.root);
    }
    fr_cli_tree_end(&tree);
    return status;
}

static fr_cli_status run_info(fr_cli *cli)
{
    fr_cli_status worst = FR_CLI_OK;
    for (uint32_t i = 0; i < cli->file_count && !fr_cli_closed(cli); i++) {
        fr_cli_source source;
        bool open = fr_cli_open_whole(cli, cli->files[i], &source);
        if (open && i > 0 && fr_cli_value(cli, "json") == NULL) {
            fr_cli_write(cli, "\n", 1);
        }
        if (!open || show_info(cli, &source) != FR_CLI_OK) {
            worst = FR_CLI_TROUBLE;
        }
        fr_cli_close(&source);
    }
    return worst;
}

static const fr_cli_option info_options[] = {
    {"json", 0, NULL, "a line of JSON for each file, with all that is known"},
};

const fr_cli_command fr_cli_info = {
    .name = "info",
    .files = "FILE...",
    .summary = "what a file is, and what is in it",
    .help = "Says of a save file when it was saved, by which game and engine, its level, play\n"
            "time, meta and sections; of a snapshot its version, entities, hash, components,\n"
            "archetypes and data.\n"
            "\n"
            "A component is raw when its rows are bytes of the fields that stand behind its\n"
            "name, else each row is an encoded value. A row is nil where the entity lacks the\n"
            "component, and as tags of some writers are. Bytes are those in the snapshot.\n",
    .options = info_options,
    .option_count = sizeof info_options / sizeof *info_options,
    .least_files = 1,
    .most_files = UINT32_MAX,
    .run = run_info,
};
