#include "cli/schema_file.h"

#include <stdio.h>
#include <string.h>

// Whether the line of a relation stands there already, or its name says another thing.
static bool has_line(const firn_image *image, const firn_image_component *target,
                     const firn_image_component *before)
{
    char relation[256];
    (void)snprintf(relation, sizeof relation, "%.*s", (int)target->relation_size, target->name);
    return firn_image_component_find(image, relation) != UINT32_MAX ||
           (before->relation_size == target->relation_size &&
            memcmp(before->name, target->name, target->relation_size) == 0);
}

static void print_schemas(fr_cli *cli, const fr_cli_source *source)
{
    firn_image_component component, before = {.name = ""};
    fr_cli_print(cli, "# ");
    fr_cli_text(cli, source->path, strlen(source->path));
    fr_cli_print(cli, "\n");
    for (uint32_t i = 0; firn_image_component_at(source->opened, i, &component); i++) {
        if (component.relation_size == 0 || !has_line(source->opened, &component, &before)) {
            fr_cli_schema_print(cli, &component);
        }
        before = component;
    }
}

static fr_cli_status run_schema(fr_cli *cli)
{
    fr_cli_source source;
    if (!fr_cli_open(cli, cli->files[0], &source)) {
        return FR_CLI_TROUBLE;
    }
    bool good = fr_cli_open_image(cli, &source);
    if (good) {
        print_schemas(cli, &source);
    }
    fr_cli_close(&source);
    return good ? FR_CLI_OK : FR_CLI_TROUBLE;
}

const fr_cli_command fr_cli_schema = {
    .name = "schema",
    .files = "FILE",
    .summary = "how the components of a file are read, for --schema",
    .help = "Prints a schema file: a line for each component, its name and `encoded`, or\n"
            "`raw` and the fields of its rows. What is printed of one file reads another one\n"
            "that does not say it itself, or whose own words are damaged:\n"
            "\n"
            "  firn schema good.firn > game.schema\n"
            "  firn dump --schema game.schema other.bin\n"
            "\n"
            "`firn verify` holds a file to it as the game does, and to what only the game\n"
            "knows: say `boolean`, `number`, `string` or `tag` instead of `encoded`;\n"
            "`relation`, with `sparse`, `exclusive` and `listed` as it is, and fields, as in\n"
            "`Trusts relation sparse amount:int32_t|4`; `day state` for a state. A line\n"
            "`complete` says that there are no other components and states.\n"
            "\n"
            "A line may be a comment, which begins with #. A name with blanks stands in\n"
            "quotes.\n",
    .least_files = 1,
    .most_files = 1,
    .run = run_schema,
};
