// What is in a file, for people.
#include "cli/info.h"
#include "cli/text.h"

#include <inttypes.h>
#include <string.h>

static double number_at(const firn_value *table, const char *key)
{
    const firn_value *value = firn_table_get_text(table, key);
    return value != NULL && value->kind == FIRN_VALUE_NUMBER ? value->as.number : 0;
}

static bool is_true_at(const firn_value *table, const char *key)
{
    const firn_value *value = firn_table_get_text(table, key);
    return value != NULL && value->kind == FIRN_VALUE_BOOL && value->as.boolean;
}

static void print_text_at(fr_cli *cli, const firn_value *table, const char *key)
{
    fr_cli_text(cli, fr_cli_text_at(table, key), strlen(fr_cli_text_at(table, key)));
}

// ---- lines of a name and what it is

static void begin_fact(fr_cli *cli, const char *name)
{
    fr_cli_style_set(cli, FR_CLI_BOLD);
    fr_cli_print(cli, "%-11s", name);
    fr_cli_style_set(cli, FR_CLI_PLAIN);
}

static void print_fact(fr_cli *cli, const char *name, const firn_value *table, const char *key)
{
    if (fr_cli_text_at(table, key)[0] != '\0') {
        begin_fact(cli, name);
        print_text_at(cli, table, key);
        fr_cli_write(cli, "\n", 1);
    }
}

static void print_play_time(fr_cli *cli, double seconds)
{
    char text[48];
    fr_cli_play_time_text(seconds, text);
    begin_fact(cli, "play time");
    fr_cli_print(cli, "%s\n", text);
}

static fr_cli_status print_meta(fr_cli *cli, const firn_value *meta)
{
    firn_error err;
    firn_buffer text;
    fr_cli_status status = FR_CLI_OK;
    const firn_print_options options = {.brief = true};
    firn_buffer_init(&text, cli->host->allocator);
    if (firn_value_print(meta, &options, &text, &err) == FIRN_OK) {
        begin_fact(cli, "meta");
        fr_cli_escape(cli, (const char *)text.data, text.size, fr_cli_write);
        fr_cli_write(cli, "\n", 1);
    } else {
        status = fr_cli_fail(cli, NULL, &err);
    }
    firn_buffer_free(&text);
    return status;
}

// ---- lists

// A list below its title, unless it is empty; each item ends its line.
static void print_list(fr_cli *cli, const firn_value *table, const char *key, const char *title,
                       void (*print)(fr_cli *cli, const firn_value *item))
{
    const firn_value *list = firn_table_get_text(table, key);
    uint32_t count = firn_table_array_count(list);
    if (count > 0) {
        fr_cli_style_set(cli, FR_CLI_BOLD);
        fr_cli_print(cli, "\n%s\n", title);
        fr_cli_style_set(cli, FR_CLI_PLAIN);
    }
    for (uint32_t i = 1; i <= count && !fr_cli_closed(cli); i++) {
        print(cli, firn_table_get_number(list, i));
    }
}

static void print_section(fr_cli *cli, const firn_value *section)
{
    fr_cli_print(cli, "%11.0f %11.0f  %s%s\n", number_at(section, "size"),
                 number_at(section, "stored"), fr_cli_text_at(section, "name"),
                 is_true_at(section, "compressed") ? " (zstd)" : "");
}

// "Position {x: float, y: float[2]}"
static void print_fields(fr_cli *cli, const firn_value *fields)
{
    uint32_t count = firn_table_array_count(fields);
    for (uint32_t i = 1; i <= count; i++) {
        const firn_value *field = firn_table_get_number(fields, i);
        fr_cli_print(cli, i == 1 ? " {" : ", ");
        print_text_at(cli, field, "name");
        fr_cli_print(cli, ": %s", fr_cli_text_at(field, "type"));
        if (number_at(field, "count") > 0) {
            fr_cli_print(cli, "[%.0f]", number_at(field, "count"));
        }
    }
    fr_cli_print(cli, count > 0 ? "}" : "");
}

static void print_component(fr_cli *cli, const firn_value *component)
{
    fr_cli_print(cli, "%11.0f %11.0f %11.0f  ", number_at(component, "bytes"),
                 number_at(component, "rows"), number_at(component, "nils"));
    if (is_true_at(component, "raw")) {
        fr_cli_print(cli, "raw %-6.0f  ", number_at(component, "rowSize"));
    } else {
        fr_cli_print(cli, "values      ");
    }
    print_text_at(cli, component, "name");
    print_fields(cli, firn_table_get_text(component, "fields"));
    fr_cli_write(cli, "\n", 1);
}

static void print_archetype(fr_cli *cli, const firn_value *archetype)
{
    const firn_value *names = firn_table_get_text(archetype, "components");
    uint32_t columns = firn_table_array_count(names);
    fr_cli_print(cli, "%11.0f %11.0f %s", number_at(archetype, "bytes"),
                 number_at(archetype, "rows"), columns == 0 ? " (no components)" : "");
    for (uint32_t k = 1; k <= columns; k++) {
        const firn_value *name = firn_table_get_number(names, k);
        fr_cli_print(cli, k == 1 ? " " : ", ");
        fr_cli_text(cli, name->as.string, name->length);
    }
    fr_cli_write(cli, "\n", 1);
}

static void print_datum(fr_cli *cli, const firn_value *datum)
{
    fr_cli_print(cli, "%11.0f  ", number_at(datum, "bytes"));
    print_text_at(cli, datum, "key");
    fr_cli_write(cli, "\n", 1);
}

// ---- the file

static fr_cli_status print_save(fr_cli *cli, const firn_value *save)
{
    begin_fact(cli, "game");
    print_text_at(cli, save, "game");
    fr_cli_print(cli, ", version %.0f\n", number_at(save, "gameVersion"));
    print_fact(cli, "level", save, "level");
    print_fact(cli, "kind", save, "kind");
    print_fact(cli, "engine", save, "engine");
    if (number_at(save, "timestamp") > 0) {
        print_fact(cli, "saved", save, "saved");
    }
    print_play_time(cli, number_at(save, "playTime"));
    begin_fact(cli, "tick");
    fr_cli_print(cli, "%.0f\n", number_at(save, "tick"));
    begin_fact(cli, "revision");
    fr_cli_print(cli, "%.0f\n", number_at(save, "revision"));
    print_fact(cli, "identity", save, "identity");
    print_fact(cli, "parent", save, "parent");
    const firn_value *meta = firn_table_get_text(save, "meta");
    fr_cli_status status = meta != NULL ? print_meta(cli, meta) : FR_CLI_OK;
    print_list(cli, save, "sections", "      bytes     in file  section", print_section);
    return status;
}

static void print_snapshot(fr_cli *cli, const firn_value *snapshot)
{
    begin_fact(cli, "snapshot");
    fr_cli_print(cli, "version %.0f, %s\n", number_at(snapshot, "version"),
                 is_true_at(snapshot, "byFirn") ? "written by firn" : "of another writer");
    print_fact(cli, "world", snapshot, "world");
    if (is_true_at(snapshot, "byFirn")) {
        begin_fact(cli, "tick");
        fr_cli_print(cli, "%.0f\n", number_at(snapshot, "tick"));
    }
    begin_fact(cli, "entities");
    fr_cli_print(cli, "%.0f, free slots %.0f, next slot %.0f\n", number_at(snapshot, "entities"),
                 number_at(snapshot, "freeSlots"), number_at(snapshot, "nextSlot"));
    double frames = number_at(snapshot, "framesOffset"), data = number_at(snapshot, "dataOffset");
    double size = number_at(snapshot, "size");
    begin_fact(cli, "bytes");
    fr_cli_print(cli, "%.0f: names %.0f, entities %.0f, data %.0f\n", size, frames, data - frames,
                 size - data);
    begin_fact(cli, "hash");
    bool of_world = strcmp(fr_cli_text_at(snapshot, "hashOf"), "world") == 0;
    fr_cli_print(cli, "%s%s\n", fr_cli_text_at(snapshot, "hash"), of_world ? "" : " of the bytes");
    print_list(cli, snapshot, "components",
               "      bytes        rows        nils  form        component", print_component);
    print_list(cli, snapshot, "archetypes", "      bytes        rows  archetype", print_archetype);
    print_list(cli, snapshot, "data", "      bytes  data", print_datum);
}

fr_cli_status fr_cli_info_text(fr_cli *cli, const firn_value *root)
{
    const firn_value *save = firn_table_get_text(root, "save");
    const firn_value *snapshot = firn_table_get_text(root, "snapshot");
    begin_fact(cli, "file");
    print_text_at(cli, root, "file");
    fr_cli_write(cli, "\n", 1);
    begin_fact(cli, "format");
    fr_cli_print(cli, "%s%s, %.0f bytes\n", save != NULL ? "save file" : "snapshot",
                 is_true_at(root, "json") ? " as JSON" : "", number_at(root, "size"));
    fr_cli_status status = save != NULL ? print_save(cli, save) : FR_CLI_OK;
    if (save != NULL && snapshot != NULL) {
        fr_cli_write(cli, "\n", 1);
    }
    if (snapshot != NULL) {
        print_snapshot(cli, snapshot);
    }
    return status;
}
