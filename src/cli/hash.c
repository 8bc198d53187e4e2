#include "cli/tree.h"

#include <inttypes.h>
#include <string.h>

typedef struct hash_tree {
    fr_cli_tree tree;
    firn_value *components;
} hash_tree;

static void add_component_hash(void *user, const char *component, uint64_t hash)
{
    hash_tree *self = user;
    fr_cli_tree_hex(&self->tree, self->components, component, hash);
}

const char *fr_cli_hash_of(const firn_image *image)
{
    firn_image_info info;
    firn_image_describe(image, &info);
    return info.by_firn && info.prelude.version == 1 ? "world" : "bytes";
}

static void make_hash_tree(fr_cli *cli, const fr_cli_source *source, hash_tree *out)
{
    firn_hash hash;
    fr_cli_tree *tree = &out->tree;
    const firn_image_options options = fr_cli_image_options(cli);
    fr_cli_tree_begin(cli, tree);
    fr_cli_tree_text(tree, tree->root, "file", source->path);
    out->components = fr_cli_tree_table(tree, tree->root, "components");
    if (tree->err.code != FIRN_OK ||
        firn_image_hash(source->image, source->image_size, &options, &hash, add_component_hash, out,
                        &tree->err) != FIRN_OK) {
        return;
    }
    fr_cli_tree_text(tree, tree->root, "of", fr_cli_hash_of(source->opened));
    fr_cli_tree_hex(tree, tree->root, "total", hash.total);
    fr_cli_tree_hex(tree, tree->root, "ids", hash.ids);
    fr_cli_tree_hex(tree, tree->root, "entities", hash.entities);
    fr_cli_tree_hex(tree, tree->root, "world", hash.world);
}

static void print_hashes(fr_cli *cli, const hash_tree *hashes)
{
    static const char *const parts[] = {"total", "ids", "entities", "world"};
    const firn_value *root = hashes->tree.root;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        fr_cli_print(cli, "%s  %s\n", fr_cli_text_at(root, parts[i]), parts[i]);
    }
    firn_value name;
    uint32_t cursor = 0;
    const firn_value *hash;
    while ((hash = firn_table_next(hashes->components, &cursor, &name)) != NULL) {
        fr_cli_print(cli, "%s  component ", hash->as.string);
        fr_cli_text(cli, name.as.string, name.length);
        fr_cli_write(cli, "\n", 1);
    }
    if (strcmp(fr_cli_text_at(root, "of"), "bytes") == 0) {
        fr_cli_print(cli, "of the bytes: a world that loads them has other hashes\n");
    }
}

// `hash  FILE`, as sha256sum prints it.
static void print_total(fr_cli *cli, const hash_tree *hashes)
{
    fr_cli_print(cli, "%s  ", fr_cli_text_at(hashes->tree.root, "total"));
    fr_cli_text(cli, fr_cli_text_at(hashes->tree.root, "file"),
                strlen(fr_cli_text_at(hashes->tree.root, "file")));
    fr_cli_write(cli, "\n", 1);
}

static fr_cli_status show_hashes(fr_cli *cli, const fr_cli_source *source, bool first)
{
    hash_tree hashes;
    fr_cli_status status = FR_CLI_OK;
    make_hash_tree(cli, source, &hashes);
    if (hashes.tree.err.code != FIRN_OK) {
        status = fr_cli_fail(cli, source->path, &hashes.tree.err);
    } else if (fr_cli_value(cli, "json") != NULL) {
        status = fr_cli_json(cli, hashes.tree.root);
    } else if (fr_cli_value(cli, "total") != NULL) {
        print_total(cli, &hashes);
    } else {
        if (cli->file_count > 1) {
            fr_cli_print(cli, "%s", first ? "" : "\n");
            fr_cli_text(cli, source->path, strlen(source->path));
            fr_cli_print(cli, ":\n");
        }
        print_hashes(cli, &hashes);
    }
    fr_cli_tree_end(&hashes.tree);
    return status;
}

static fr_cli_status run_hash(fr_cli *cli)
{
    fr_cli_status worst = FR_CLI_OK;
    for (uint32_t i = 0; i < cli->file_count && !fr_cli_closed(cli); i++) {
        fr_cli_source source;
        bool open = fr_cli_open(cli, cli->files[i], &source) && fr_cli_open_image(cli, &source);
        if (!open || show_hashes(cli, &source, i == 0) != FR_CLI_OK) {
            worst = FR_CLI_TROUBLE;
        }
        fr_cli_close(&source);
    }
    return worst;
}

static const fr_cli_option hash_options[] = {
    {"total", 't', NULL, "only a line for each file: the hash and the file"},
    {"json", 0, NULL, "a line of JSON for each file"},
};

const fr_cli_command fr_cli_hash = {
    .name = "hash",
    .files = "FILE...",
    .summary = "the hash of a state, in total and for each component",
    .help = "Prints 16 hex digits for the whole state, for the ids of entities, for which\n"
            "components they have, for the world (tick, states, phases, random streams,\n"
            "script state), and for each component. Two players whose games went apart\n"
            "compare the two outputs: the lines that differ name the component.\n"
            "\n"
            "Of a snapshot that firn wrote they are those of firn_world_hash in the game,\n"
            "on any machine. Of one of another writer, or of wire version 2, they are those\n"
            "of its bytes, which the last line then says, as does \"of\" in JSON.\n",
    .options = hash_options,
    .option_count = sizeof hash_options / sizeof *hash_options,
    .least_files = 1,
    .most_files = UINT32_MAX,
    .run = run_hash,
};
