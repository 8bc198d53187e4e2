#include "cli/envelope.h"

void fr_cli_header_tree(fr_cli *cli, const firn_save_file *save, fr_cli_tree *tree)
{
    const firn_save_header *header = firn_save_file_header(save);
    fr_cli_tree_begin(cli, tree);
    fr_cli_tree_number(tree, tree->root, "saveFormatVersion", header->format_version);
    fr_cli_tree_number(tree, tree->root, "gameVersion", header->game_version);
    fr_cli_tree_text(tree, tree->root, "game", header->game);
    fr_cli_tree_text(tree, tree->root, "engineVersion", header->engine);
    fr_cli_tree_text(tree, tree->root, "level", header->level);
    fr_cli_tree_text(tree, tree->root, "kind", header->kind);
    fr_cli_tree_number(tree, tree->root, "timestamp", (double)header->timestamp);
    fr_cli_tree_number(tree, tree->root, "tick", (double)header->tick);
    fr_cli_tree_number(tree, tree->root, "playTime", header->play_time);
    fr_cli_tree_number(tree, tree->root, "revision", (double)header->revision);
    fr_cli_tree_digest(tree, tree->root, "parent", header->parent);
    if (header->meta != NULL) { // it lives longer than the tree
        fr_cli_tree_set(tree, tree->root, "meta", header->meta);
    }
}

firn_result fr_cli_section_read(fr_cli *cli, const fr_cli_source *source, const char *name,
                                firn_doc *doc, fr_cli_section *out, firn_error *err)
{
    *out = (fr_cli_section){.value = NULL};
    firn_result result = firn_save_file_section(source->save, name, &out->bytes, &out->size, err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_reader reader;
    firn_reader_begin(&reader, out->bytes, out->size, &cli->limits);
    if (firn_read_kind(&reader) == FIRN_VALUE_TABLE) {
        out->value = firn_value_decode(doc, out->bytes, out->size, err);
        if (out->value == NULL && err->code == FIRN_NO_MEMORY) {
            return FIRN_NO_MEMORY;
        }
    }
    if (out->value == NULL) {
        out->text = (firn_value){
            .kind = FIRN_VALUE_STRING, .length = (uint32_t)out->size, .as.string = out->bytes};
        out->value = &out->text;
    }
    return FIRN_OK;
}
