#include "cli/help.h"
#include "cli/text.h"

#include <stdio.h>
#include <string.h>

// "  -o, --output FILE  what it does", the help at one column.
static void print_option(fr_cli *cli, const fr_cli_option *option)
{
    char letter[8] = "    ", left[64];
    if (option->letter != '\0') {
        (void)snprintf(letter, sizeof letter, "-%c, ", option->letter);
    }
    (void)snprintf(left, sizeof left, "%s--%s%s%s", letter, option->name,
                   option->value != NULL ? " " : "", option->value != NULL ? option->value : "");
    fr_cli_print(cli, "  %-24s  %s\n", left, option->help);
}

static void print_options(fr_cli *cli, const fr_cli_option *options, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        print_option(cli, &options[i]);
    }
}

void fr_cli_print_help(fr_cli *cli, const fr_cli_command *command)
{
    fr_cli_print(cli, "usage: firn %s [OPTION]...%s%s\n\n", command->name,
                 command->files[0] != '\0' ? " " : "", command->files);
    fr_cli_print(cli, "%s\n", command->help);
    print_options(cli, command->options, command->option_count);
    print_options(cli, fr_cli_common_options, fr_cli_common_option_count);
}

void fr_cli_print_overview(fr_cli *cli)
{
    fr_cli_print(cli, "usage: firn COMMAND [OPTION]... [FILE]...\n\n"
                      "Looks into what the library firn saves: snapshots of any dialect, save\n"
                      "files, and either as JSON Lines. A FILE of - is the standard input.\n\n");
    for (const fr_cli_command *const *at = fr_cli_commands; *at != NULL; at++) {
        fr_cli_print(cli, "  %-9s %s\n", (*at)->name, (*at)->summary);
    }
    fr_cli_print(cli, "\nfirn COMMAND --help says more; firn --version, which version it is. The\n"
                      "exit status is 0, 1 for differences or damage that was looked for, or 2.\n");
}

const fr_cli_command *fr_cli_command_of(fr_cli *cli, const char *name)
{
    for (const fr_cli_command *const *at = fr_cli_commands; *at != NULL; at++) {
        if (strcmp((*at)->name, name) == 0) {
            return *at;
        }
    }
    fr_cli_misuse(cli, "there is no command %s", fr_cli_shown(name));
    return NULL;
}

static fr_cli_status run_help(fr_cli *cli)
{
    if (cli->file_count == 0) {
        fr_cli_print_overview(cli);
        return FR_CLI_OK;
    }
    const fr_cli_command *command = fr_cli_command_of(cli, cli->files[0]);
    if (command == NULL) {
        return FR_CLI_TROUBLE;
    }
    fr_cli_print_help(cli, command);
    return FR_CLI_OK;
}

const fr_cli_command fr_cli_help = {
    .name = "help",
    .files = "[COMMAND]",
    .summary = "what there is, or what a command does",
    .help = "Lists the commands, or prints what COMMAND --help prints.\n",
    .most_files = 1,
    .run = run_help,
};
