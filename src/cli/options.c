#include "cli/help.h"

#include <inttypes.h>
#include <string.h>

const fr_cli_option fr_cli_common_options[] = {
    {"max-size", 0, "BYTES", "read files of up to BYTES, or 512M, 4G (256M)"},
    {"schema", 0, "FILE", "how components are read, as `firn schema` prints it"},
    {"help", 'h', NULL, "say what the command does"},
};
const uint32_t fr_cli_common_option_count =
    sizeof fr_cli_common_options / sizeof *fr_cli_common_options;

// An option of the command line.
typedef struct fr_cli_given {
    const fr_cli_option *option;
    const char *value;
} fr_cli_given;

// ---- values

bool fr_cli_option_next(const fr_cli *cli, uint32_t *cursor, const char **option,
                        const char **value)
{
    const fr_cli_given *given = (const void *)cli->given.data;
    if (*cursor >= cli->given.size / sizeof *given) {
        return false;
    }
    *option = given[*cursor].option->name;
    *value = given[(*cursor)++].value;
    return true;
}

bool fr_cli_value_next(const fr_cli *cli, const char *option, uint32_t *cursor, const char **value)
{
    const char *name, *given;
    while (fr_cli_option_next(cli, cursor, &name, &given)) {
        if (strcmp(name, option) == 0) {
            *value = given;
            return true;
        }
    }
    return false;
}

const char *fr_cli_value(const fr_cli *cli, const char *option)
{
    const char *value = NULL;
    for (uint32_t cursor = 0; fr_cli_value_next(cli, option, &cursor, &value);) {
    }
    return value;
}

// Digits, and perhaps K, M or G.
static bool count_from_text(const char *text, uint64_t *out)
{
    uint64_t count = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (count > (UINT64_MAX - digit) / 10) {
            return false;
        }
        count = count * 10 + digit;
    }
    if (at == text) {
        return false;
    }
    const char *units = "KMG";
    const char *unit = *at != '\0' ? strchr(units, *at) : NULL;
    if (unit != NULL) {
        uint32_t shift = 10 * (uint32_t)(unit - units + 1);
        if (count > UINT64_MAX >> shift) {
            return false;
        }
        count <<= shift;
        at++;
    }
    *out = count;
    return *at == '\0';
}

bool fr_cli_count(fr_cli *cli, const char *option, uint64_t *out)
{
    const char *value = fr_cli_value(cli, option);
    if (value == NULL || count_from_text(value, out)) {
        return true;
    }
    fr_cli_misuse(cli, "--%s takes a number, not \"%s\"", option, value);
    return false;
}

bool fr_cli_not_both(fr_cli *cli, const char *one, const char *other)
{
    if (fr_cli_value(cli, one) == NULL || fr_cli_value(cli, other) == NULL) {
        return true;
    }
    fr_cli_misuse(cli, "--%s or --%s, not both", one, other);
    return false;
}

// ---- the words of the command line

// The words that are not taken yet.
typedef struct word_list {
    const char *const *at;
    const char *const *end;
} word_list;

static const fr_cli_option *find_option(const fr_cli_option *options, uint32_t count, bool is_long,
                                        const char *name, size_t size)
{
    for (uint32_t i = 0; i < count; i++) {
        bool same = is_long ? strncmp(options[i].name, name, size) == 0 && !options[i].name[size]
                            : options[i].letter == name[0];
        if (same) {
            return &options[i];
        }
    }
    return NULL;
}

// By a name of so many bytes, or by the letter that it begins with.
static const fr_cli_option *option_of(const fr_cli *cli, bool is_long, const char *name,
                                      size_t size)
{
    const fr_cli_command *command = cli->command;
    const fr_cli_option *found =
        find_option(command->options, command->option_count, is_long, name, size);
    return found != NULL ? found
                         : find_option(fr_cli_common_options, fr_cli_common_option_count, is_long,
                                       name, size);
}

static bool keep_given(fr_cli *cli, const fr_cli_option *option, const char *value, firn_error *err)
{
    const fr_cli_given given = {option, value};
    return firn_buffer_append(&cli->given, &given, sizeof given, err) == FIRN_OK;
}

// `--name`, `--name=value`, `--name value`, `-n`, `-nvalue`, `-n value`.
static bool take_option(fr_cli *cli, word_list *words, const char *word, firn_error *err)
{
    bool is_long = word[1] == '-';
    const char *name = word + (is_long ? 2 : 1);
    size_t size = is_long ? strcspn(name, "=") : 1;
    const fr_cli_option *option = option_of(cli, is_long, name, size);
    if (option == NULL) {
        fr_cli_misuse(cli, "%s has no option %s", cli->command->name, word);
        return false;
    }
    const char *rest = name + size;
    bool attached = rest[0] != '\0';
    if (option->value == NULL) {
        if (attached) {
            fr_cli_misuse(cli, "--%s takes no value: %s", option->name, word);
            return false;
        }
        return keep_given(cli, option, "", err);
    }
    if (attached) {
        return keep_given(cli, option, is_long ? rest + 1 : rest, err);
    }
    if (words->at == words->end) {
        fr_cli_misuse(cli, "--%s takes a value: --%s %s", option->name, option->name,
                      option->value);
        return false;
    }
    return keep_given(cli, option, *words->at++, err);
}

static bool take_file(fr_cli *cli, const char *path, firn_error *err)
{
    if (path[0] == '\0') {
        fr_cli_misuse(cli, "the name of a file is empty");
        return false;
    }
    if (firn_buffer_append(&cli->paths, &path, sizeof path, err) != FIRN_OK) {
        return false;
    }
    cli->files = (const void *)cli->paths.data;
    cli->file_count++;
    return true;
}

// false with err->code FIRN_OK: it has been said why.
static bool take_words(fr_cli *cli, word_list *words, firn_error *err)
{
    bool only_files = false;
    while (words->at < words->end) {
        const char *word = *words->at++;
        if (!only_files && strcmp(word, "--") == 0) {
            only_files = true;
            continue;
        }
        bool is_option = !only_files && word[0] == '-' && word[1] != '\0';
        if (!(is_option ? take_option(cli, words, word, err) : take_file(cli, word, err))) {
            return false;
        }
    }
    return true;
}

// ---- what every command checks

static bool check_files(fr_cli *cli)
{
    const fr_cli_command *command = cli->command;
    if (cli->file_count >= command->least_files && cli->file_count <= command->most_files) {
        return true;
    }
    fr_cli_misuse(cli, "%s takes %s, not %" PRIu32 " of them", command->name,
                  command->files[0] != '\0' ? command->files : "no file", cli->file_count);
    return false;
}

static bool check_input(fr_cli *cli)
{
    const char *schema = fr_cli_value(cli, "schema");
    uint32_t readers = schema != NULL && strcmp(schema, "-") == 0;
    for (uint32_t i = 0; i < cli->file_count; i++) {
        readers += strcmp(cli->files[i], "-") == 0;
    }
    if (readers > 1) {
        fr_cli_misuse(cli, "the standard input, -, can be read once");
    }
    return readers <= 1;
}

// `backup`: the file that --backup reads, or NULL.
static bool is_read(const fr_cli *cli, const char *backup, const char *path)
{
    const fr_cli_host *host = cli->host;
    const char *schema = fr_cli_value(cli, "schema");
    bool reads = (schema != NULL && host->same(host->user, path, schema)) ||
                 (backup != NULL && host->same(host->user, path, backup));
    for (uint32_t i = 0; i < cli->file_count && !reads; i++) {
        reads = host->same(host->user, path, cli->files[i]);
    }
    return reads;
}

// What is read is not written over: a result that is wrong would be all that is left of it. An
// output that is there is kept as `bak`.
static bool spares_inputs(fr_cli *cli, const char *backup, const char *output, const char *bak)
{
    const fr_cli_host *host = cli->host;
    if (is_read(cli, backup, output)) {
        fr_cli_misuse(cli, "--output is a file that is read: %s", output);
        return false;
    }
    if (host->same(host->user, output, output) && is_read(cli, backup, bak)) {
        fr_cli_misuse(cli, "--output %s: what is there would become %s, which is read", output,
                      bak);
        return false;
    }
    return true;
}

static bool check_output(fr_cli *cli)
{
    firn_error err;
    firn_buffer bak, backup;
    const char *output = fr_cli_value(cli, "output");
    if (output == NULL || strcmp(output, "-") == 0) {
        return true;
    }
    bool good = false, has_backup = fr_cli_value(cli, "backup") != NULL;
    firn_buffer_init(&bak, cli->host->allocator);
    firn_buffer_init(&backup, cli->host->allocator);
    if (fr_cli_bak_name(output, &bak, &err) != FIRN_OK ||
        (has_backup && fr_cli_bak_name(cli->files[0], &backup, &err) != FIRN_OK)) {
        fr_cli_fail(cli, NULL, &err);
    } else {
        good = spares_inputs(cli, (const char *)backup.data, output, (const char *)bak.data);
    }
    firn_buffer_free(&backup);
    firn_buffer_free(&bak);
    return good;
}

static bool set_limits(fr_cli *cli)
{
    firn_limits_default(&cli->limits);
    if (!fr_cli_count(cli, "max-size", &cli->limits.file_bytes)) {
        return false;
    }
    if (cli->limits.expanded_bytes < cli->limits.file_bytes) {
        cli->limits.expanded_bytes = cli->limits.file_bytes;
    }
    return true;
}

bool fr_cli_parse(fr_cli *cli, int count, const char *const *words, fr_cli_status *status)
{
    firn_error err = {.code = FIRN_OK};
    word_list list = {words, words + count};
    *status = FR_CLI_TROUBLE;
    if (!take_words(cli, &list, &err)) {
        if (err.code != FIRN_OK) {
            fr_cli_fail(cli, NULL, &err);
        }
        return false;
    }
    if (fr_cli_value(cli, "help") != NULL) {
        cli->file_count = 0;
        fr_cli_print_help(cli, cli->command);
        *status = FR_CLI_OK;
        return false;
    }
    return check_files(cli) && check_input(cli) && check_output(cli) && set_limits(cli);
}
