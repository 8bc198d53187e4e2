// What all commands share: words, help, output, errors.
#include "cli/run.h"

#include <stdlib.h>
#include <string.h>

// ---- words

static void no_command_is_misuse(void **state)
{
    cli_test *t = *state;
    assert_int_equal(cli_run(t, NULL), 2);
    assert_string_equal(t->out, "");
    assert_string_equal(t->err, "firn: which command?\ntry: firn --help\n");
    assert_int_equal(cli_run_words(t, 0, NULL), 2);
}

static void an_unknown_command_is_named(void **state)
{
    cli_test *t = *state;
    assert_int_equal(cli_run(t, "hsah", "a.firn", NULL), 2);
    assert_string_equal(t->err, "firn: there is no command hsah\ntry: firn --help\n");
    assert_int_equal(cli_run(t, "help", "hsah", NULL), 2);
    assert_says(t->err, "there is no command hsah");
}

static void an_unknown_option_is_named(void **state)
{
    cli_test *t = *state;
    static const char *const wrong[] = {"--jsn", "--jsonl", "-j", "-", "---", "--=x", "-\xff"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (strcmp(wrong[i], "-") == 0) {
            continue; // a file
        }
        assert_int_equal(cli_run(t, "hash", wrong[i], "a.firn", NULL), 2);
        assert_says(t->err, "firn: hash has no option -");
        assert_says(t->err, "\ntry: firn hash --help\n");
    }
}

static void values_of_options_are_checked(void **state)
{
    cli_test *t = *state;
    assert_int_equal(cli_run(t, "hash", "--json=yes", "a", NULL), 2);
    assert_says(t->err, "firn: --json takes no value: --json=yes\n");
    assert_int_equal(cli_run(t, "hash", "-total", "a", NULL), 2);
    assert_says(t->err, "firn: --total takes no value: -total\n");
    assert_int_equal(cli_run(t, "hash", "a", "--max-size", NULL), 2);
    assert_says(t->err, "firn: --max-size takes a value: --max-size BYTES\n");
    static const char *const wrong[] = {
        "", "K", "x", "-1", "1.5", "1KB", "1k", "0x1", "18446744073709551616", "17179869184G"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(cli_run(t, "hash", "a", "--max-size", wrong[i], NULL), 2);
        assert_says(t->err, "firn: --max-size takes a number, not \"");
    }
}

static void the_number_of_files_is_checked(void **state)
{
    cli_test *t = *state;
    assert_int_equal(cli_run(t, "hash", NULL), 2);
    assert_says(t->err, "firn: hash takes FILE..., not 0 of them\n");
    assert_int_equal(cli_run(t, "help", "a", "b", NULL), 2);
    assert_says(t->err, "firn: help takes [COMMAND], not 2 of them\n");
}

static void the_name_of_a_file_is_not_empty(void **state)
{
    cli_test *t = *state;
    assert_int_equal(cli_run(t, "hash", "", NULL), 2);
    assert_says(t->err, "firn: the name of a file is empty\n");
}

static void an_empty_name_stands_in_quotes(void **state)
{
    cli_test *t = *state;
    assert_int_equal(cli_run(t, "", NULL), 2);
    assert_says(t->err, "firn: there is no command \"\"\n");
    cli_put_golden(t, "firn/01_empty.bin");
    static const struct {
        const char *option, *says;
    } cases[] = {
        {"--component=", "firn: firn/01_empty.bin: there is no component \"\"\n"},
        {"--csv=", "firn: firn/01_empty.bin: there is no component \"\"\n"},
        {"--entity=", "firn: firn/01_empty.bin: there is no such entity: \"\"\n"},
        {"--schema=", "firn: \"\": there is no such file\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(cli_run(t, "dump", "firn/01_empty.bin", cases[i].option, NULL), 2);
        assert_string_equal(t->err, cases[i].says);
    }
    assert_int_equal(cli_run(t, "diff", "firn/01_empty.bin", "firn/01_empty.bin", "-x", "", NULL),
                     2);
    assert_string_equal(t->err, "firn: neither file has a component \"\"\n");
}

static void names_in_messages_do_not_drive_the_terminal(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/01_empty.bin");
    static const char *const runs[][4] = {
        {"a\33b"},
        {"help", "a\33b"},
        {"info", "--a\33b"},
        {"info", "--max-size=\33b", "a"},
        {"info", "--schema=\33b", "a"},
        {"dump", "-c\33b", "firn/01_empty.bin"},
        {"dump", "-w\33b", "firn/01_empty.bin"},
        {"dump", "-w`\33b`", "firn/01_empty.bin"},
        {"diff", "-x\33b", "firn/01_empty.bin", "firn/01_empty.bin"},
        {"migrate", "-n", "--drop-field=\33b", "firn/01_empty.bin"}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        (void)cli_run(t, runs[i][0], runs[i][1], runs[i][2], runs[i][3], NULL);
        assert_says(t->err, "\\u{1b}b");
        assert_null(strchr(t->err, 27));
    }
}

static void json_that_dump_did_not_write_is_named(void **state)
{
    cli_test *t = *state;
    static const char *const texts[] = {"{\n  \"firn\": \"snapshot\"\n}\n", "[1, 2]", " {}", "{",
                                        "\n\t{\"a\": 1}\n{\"firn\": 1}\n"};
    static const char *const commands[] = {"info", "hash", "dump", "schema", "undump"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cli_put_text(t, "a.json", texts[i]);
        for (size_t k = 0; k < sizeof commands / sizeof *commands; k++) {
            assert_int_equal(cli_run(t, commands[k], "a.json", NULL), 2);
            assert_string_equal(
                t->err,
                "firn: a.json: looks like JSON, but is not what dump --json writes (byte 0)\n");
        }
        assert_int_equal(cli_run(t, "verify", "a.json", NULL), 1);
        assert_int_equal(cli_run(t, "salvage", "-n", "a.json", NULL), 2);
        assert_says(t->err, "looks like JSON, but");
    }
}

static void what_is_read_is_not_written_over(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/03_structs.bin");
    const firn_buffer *file = cli_get(t, "firn/03_structs.bin");
    cli_put(t, "a", file->data, file->size);
    cli_put_text(t, "b", "");
    static const char *const runs[][5] = {{"report", "a", "-o", "./a"},
                                          {"undump", "./a", "-oa"},
                                          {"salvage", "a", "--output=a"},
                                          {"migrate", "a", "--output", "a"},
                                          {"report", "a", "-ob", "--schema", "./b"}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        assert_int_equal(
            cli_run(t, runs[i][0], runs[i][1], runs[i][2], runs[i][3], runs[i][4], NULL), 2);
        assert_says(t->err, "firn: --output is a file that is read: ");
        assert_int_equal(cli_get(t, "a")->size, file->size);
        assert_int_equal(cli_get(t, "b")->size, 0);
    }
    assert_int_equal(cli_run(t, "report", "a", "-o", "b", NULL), 0);
    cli_put_text(t, "-", "");
    assert_int_equal(cli_run(t, "salvage", "-", "-o", "-", NULL), 2);
    assert_null(strstr(t->err, "that is read"));
}

static void what_is_read_is_not_written_over_by_what_becomes_a_bak(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/03_structs.bin");
    const firn_buffer *file = cli_get(t, "firn/03_structs.bin");
    cli_put(t, "a.bak", file->data, file->size);
    assert_int_equal(cli_run(t, "migrate", "a.bak", "-o", "a", NULL), 0); // there is no a yet
    static const char *const runs[][5] = {{"report", "./a.bak", "-o", "a"},
                                          {"salvage", "a.bak", "--output=./a"},
                                          {"migrate", "a.bak", "--output", "a"},
                                          {"report", "a.bak.bak", "-oa", "--schema", "a.bak"}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        assert_int_equal(
            cli_run(t, runs[i][0], runs[i][1], runs[i][2], runs[i][3], runs[i][4], NULL), 2);
        assert_says(t->err, "a: what is there would become ");
        assert_says(t->err, "a.bak, which is read\n");
        assert_int_equal(cli_get(t, "a")->size, file->size);
    }
    assert_int_equal(cli_run(t, "salvage", "--backup", "a", "-o", "a.bak", NULL), 2);
    assert_says(t->err, "firn: --output is a file that is read: a.bak\n");
}

static void files_may_be_called_like_options(void **state)
{
    cli_test *t = *state;
    assert_int_equal(cli_run(t, "hash", "--", "--json", "--", NULL), 2);
    assert_says(t->err, "firn: --json: there is no such file\n");
    assert_says(t->err, "firn: --: there is no such file\n");
}

static void the_standard_input_is_read_once(void **state)
{
    cli_test *t = *state;
    size_t size;
    uint8_t *bytes = test_read_data("firn/03_structs.bin", &size);
    cli_put(t, "-", bytes, size);
    free(bytes);
    assert_int_equal(cli_run(t, "hash", "-", NULL), 0);
    assert_says(t->out, "  component ");
    assert_int_equal(cli_run(t, "hash", "-", "x", "-", NULL), 2);
    assert_says(t->err, "firn: the standard input, -, can be read once\n");
    assert_int_equal(cli_run(t, "verify", "--schema", "-", "-", NULL), 2);
    assert_says(t->err, "firn: the standard input, -, can be read once\n");
}

static void a_file_above_the_most_bytes_is_not_read(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/03_structs.bin");
    assert_int_equal(cli_run(t, "hash", "firn/03_structs.bin", "--max-size", "100", NULL), 2);
    assert_string_equal(t->err, "firn: firn/03_structs.bin: it is larger than the limit\n");
    static const char *const good[] = {"--max-size=1K", "--max-size=1M", "--max-size=2G"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(cli_run(t, "hash", "--max-size=1", good[i], "firn/03_structs.bin", NULL),
                         0);
    }
}

// ---- help

static void every_command_has_help(void **state)
{
    cli_test *t = *state;
    for (const fr_cli_command *const *at = fr_cli_commands; *at != NULL; at++) {
        const fr_cli_command *command = *at;
        assert_true(at == fr_cli_commands || strcmp(at[-1]->name, command->name) < 0);
        assert_int_equal(cli_run(t, "help", command->name, NULL), 0);
        assert_says(t->out, "usage: firn ");
        assert_says(t->out, command->help);
        for (uint32_t i = 0; i < command->option_count; i++) {
            assert_says(t->out, command->options[i].name);
        }
        char first[64];
        assert_true(strlen(t->out) > sizeof first);
        memcpy(first, t->out, sizeof first - 1);
        first[sizeof first - 1] = '\0';
        assert_int_equal(cli_run(t, command->name, "a", "--help", "b", NULL), 0);
        assert_says(t->out, first);
        assert_int_equal(cli_run(t, command->name, "-h", NULL), 0);
        assert_says(t->out, first);
        assert_int_equal(cli_run(t, "help", NULL), 0);
        assert_says(t->out, command->summary);
    }
}

static void assert_fits(const char *text)
{
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
        if (strcspn(line, "\n") > 80) {
            fail_msg("%.*s", (int)strcspn(line, "\n"), line);
        }
    }
}

// A terminal of 80 columns shows every line whole.
static void help_fits_a_terminal(void **state)
{
    cli_test *t = *state;
    cli_run(t, "help", NULL);
    assert_fits(t->out);
    for (const fr_cli_command *const *at = fr_cli_commands; *at != NULL; at++) {
        cli_run(t, "help", (*at)->name, NULL);
        assert_fits(t->out);
    }
}

static void help_and_version_need_no_command(void **state)
{
    cli_test *t = *state;
    assert_int_equal(cli_run(t, "--help", NULL), 0);
    assert_says(t->out, "usage: firn COMMAND");
    assert_int_equal(cli_run(t, "-h", NULL), 0);
    assert_says(t->out, "usage: firn COMMAND");
    assert_int_equal(cli_run(t, "--version", NULL), 0);
    assert_true(strncmp(t->out, "firn 0.", 7) == 0);
    assert_int_equal(cli_run(t, "-V", NULL), 0);
    assert_true(strncmp(t->out, "firn 0.", 7) == 0);
}

// ---- output

static void a_closed_pipe_ends_without_a_word(void **state)
{
    cli_test *t = *state;
    t->output_most = 0;
    assert_int_equal(cli_run(t, "help", NULL), 2);
    assert_string_equal(t->err, "");
}

static void a_full_disk_is_told(void **state)
{
    cli_test *t = *state;
    t->output_most = 0;
    t->output_full = true;
    assert_int_equal(cli_run(t, "help", NULL), 2);
    assert_string_equal(t->err, "firn: output: no space left\n");
}

static void nothing_is_read_when_nobody_reads(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/03_structs.bin");
    const char *words[400] = {"firn", "hash"};
    for (int i = 2; i < 400; i++) {
        words[i] = "firn/03_structs.bin";
    }
    words[399] = "missing";
    t->output_most = 20000;
    assert_int_equal(cli_run_words(t, 400, words), 2);
    assert_string_equal(t->err, ""); // it did not come to the last one
}

static void a_file_name_does_not_drive_the_terminal(void **state)
{
    cli_test *t = *state;
    assert_int_equal(cli_run(t, "hash", "a\33[2Jb\nc\xff\xc2\x9b\xe2\x80\xae\\ \xc3\xa4", NULL), 2);
    assert_string_equal(t->err,
                        "firn: a\\u{1b}[2Jb\\nc\\xff\\u{9b}\\u{202e}\\ \xc3\xa4: there is no "
                        "such file\n");
}

// What is printed of a file, which may come from a stranger, is the name here.
static void text_of_files_is_escaped(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "firn/01_empty.bin");
    const firn_buffer *image = cli_get(t, "firn/01_empty.bin");
    static const char name[] =
        "a\\\xe2\x81\xa6 \xe9\x9b\xaa \xf5 \xed\xa0\x80 \xc0\x80 \xe2((( \xe2\x80";
    cli_put(t, name, image->data, image->size);
    assert_int_equal(cli_run(t, "hash", "-t", name, NULL), 0);
    assert_says(
        t->out,
        "  a\\\\\\u{2066} \xe9\x9b\xaa \\xf5 \\xed\\xa0\\x80 \\xc0\\x80 \\xe2((( \\xe2\\x80\n");
    cli_put(t, "a\xe2\x80\xae.bin", image->data, image->size);
    if (firn_json_available()) {
        assert_int_equal(cli_run(t, "hash", "--json", "a\xe2\x80\xae.bin", NULL), 0);
        assert_says(t->out, "\"file\":\"a\\u202e.bin\"");
    }
}

static void a_run_without_memory_says_so(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "saves/02_kitchen.firn");
    const char *form = firn_json_available() ? "--json" : "--total";
    const char *const words[] = {"firn", "hash", form, "saves/02_kitchen.firn"};
    cli_run_without_memory(t, 4, words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cli_unit_test(no_command_is_misuse),
        cli_unit_test(an_unknown_command_is_named),
        cli_unit_test(an_unknown_option_is_named),
        cli_unit_test(values_of_options_are_checked),
        cli_unit_test(the_number_of_files_is_checked),
        cli_unit_test(the_name_of_a_file_is_not_empty),
        cli_unit_test(an_empty_name_stands_in_quotes),
        cli_unit_test(names_in_messages_do_not_drive_the_terminal),
        cli_unit_test(json_that_dump_did_not_write_is_named),
        cli_unit_test(what_is_read_is_not_written_over),
        cli_unit_test(what_is_read_is_not_written_over_by_what_becomes_a_bak),
        cli_unit_test(files_may_be_called_like_options),
        cli_unit_test(the_standard_input_is_read_once),
        cli_unit_test(a_file_above_the_most_bytes_is_not_read),
        cli_unit_test(every_command_has_help),
        cli_unit_test(help_fits_a_terminal),
        cli_unit_test(help_and_version_need_no_command),
        cli_unit_test(a_closed_pipe_ends_without_a_word),
        cli_unit_test(a_full_disk_is_told),
        cli_unit_test(nothing_is_read_when_nobody_reads),
        cli_unit_test(a_file_name_does_not_drive_the_terminal),
        cli_unit_test(text_of_files_is_escaped),
        cli_unit_test(a_run_without_memory_says_so),
    };
    return cmocka_run_group_tests_name("cli_tool", tests, NULL, NULL);
}
