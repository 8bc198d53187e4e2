#include "cli/schema_file.h"
#include "cli/game.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// A file of schemas on its way in. Texts are unescaped and ended where they stand.
typedef struct schema_text {
    fr_cli *cli;
    const char *path;
    char *at; // in a line, which ends with a 0
    uint32_t line;
} schema_text;

static bool FR_CLI_PRINTF(2, 3) refuse_line(const schema_text *text, const char *format, ...)
{
    char why[600];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(why, sizeof why, format, values);
    va_end(values);
    fr_cli_say(text->cli, text->path, "line %" PRIu32 ": %s", text->line, why);
    return false;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_schema_blanks(schema_text *text)
{
    while (is_blank(*text->at)) {
        text->at++;
    }
}

static bool line_is_over(const schema_text *text)
{
    return *text->at == '\0' || *text->at == '#';
}

// ---- quoted texts

static uint32_t hex_value(char c)
{
    const char *digits = "0123456789abcdef";
    const char *found = c != '\0' ? strchr(digits, c) : NULL;
    return found != NULL ? (uint32_t)(found - digits) : 16;
}

static char *put_character(char *to, uint32_t code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

// Hex digits from *at on, at most `most`; false: there are none.
static bool read_escape_hex(char **at, int most, uint32_t *code)
{
    int count = 0;
    *code = 0;
    for (; count < most && hex_value(**at) < 16; count++) {
        *code = *code * 16 + hex_value(*(*at)++);
    }
    return count > 0;
}

// One escape behind its backslash; what it stands for is no longer than itself.
static bool read_escape(char **from, char **to)
{
    char *at = *from;
    uint32_t code;
    char kind = *at++;
    bool good = true;
    if (kind == '\\' || kind == '"') {
        *(*to)++ = kind;
    } else if (kind == 'n') {
        *(*to)++ = '\n';
    } else if (kind == 'x') {
        good = read_escape_hex(&at, 2, &code) && code != 0;
        *(*to)++ = (char)code;
    } else if (kind == 'u' && *at == '{') {
        at++;
        good = read_escape_hex(&at, 6, &code) && code != 0 && code < 0x110000 && *at++ == '}';
        *to = good ? put_character(*to, code) : *to;
    } else {
        good = false;
    }
    *from = at;
    return good;
}

static const char *schema_quoted(schema_text *text)
{
    char *start = ++text->at, *to = start;
    while (*text->at != '"') {
        if (*text->at == '\0') {
            refuse_line(text, "a quote has no end");
            return NULL;
        }
        if (*text->at != '\\') {
            *to++ = *text->at++;
            continue;
        }
        text->at++;
        if (!read_escape(&text->at, &to)) {
            refuse_line(text, "a backslash stands before something that it does not escape");
            return NULL;
        }
    }
    text->at++;
    *to = '\0';
    return start;
}

// ---- a line

// It gets its end when the whole line was read.
typedef struct plain_text {
    char *start, *end;
} plain_text;

static plain_text schema_word(schema_text *text)
{
    plain_text word = {text->at, text->at};
    while (!is_blank(*text->at) && *text->at != '\0') {
        text->at++;
    }
    word.end = text->at;
    return word;
}

// To the end of the line, or a comment behind a blank.
static plain_text read_rest(schema_text *text)
{
    plain_text rest = {text->at, text->at};
    for (; *text->at != '\0' && !(*text->at == '#' && is_blank(text->at[-1])); text->at++) {
        if (!is_blank(*text->at)) {
            rest.end = text->at + 1;
        }
    }
    return rest;
}

static bool is_word(plain_text word, const char *what)
{
    size_t size = strlen(what);
    return (size_t)(word.end - word.start) == size && memcmp(word.start, what, size) == 0;
}

// What may stand behind a name.
typedef struct line_kind {
    const char *word;
    firn_component_kind kind;
    bool reads; // it says how bytes are read
} line_kind;

static const line_kind line_kinds[] = {
    {"raw", FIRN_STRUCT, true},         {"encoded", FIRN_VALUE, true},
    {"boolean", FIRN_BOOLEAN, true},    {"number", FIRN_NUMBER, true},
    {"string", FIRN_STRING, true},      {"tag", FIRN_TAG, false},
    {"relation", FIRN_RELATION, false},
};

// A line; texts that stand plain end there when all of it was read.
typedef struct schema_line {
    fr_cli_registration says;
    const line_kind *kind; // NULL: a state
    char *name_end, *fingerprint_end;
} schema_line;

// The fingerprint, to the end of the line.
static bool schema_fingerprint(schema_text *text, schema_line *line)
{
    if (*text->at == '"') {
        line->says.fingerprint = schema_quoted(text);
        skip_schema_blanks(text);
        return line->says.fingerprint != NULL &&
               (line_is_over(text) || refuse_line(text, "something stands behind the fingerprint"));
    }
    plain_text rest = read_rest(text);
    line->says.fingerprint = rest.start;
    line->fingerprint_end = rest.end;
    return true;
}

// `sparse exclusive amount:int32_t|4`
static bool read_relation(schema_text *text, schema_line *line)
{
    static const struct {
        const char *word;
        uint32_t bit;
    } bits[] = {{"sparse", FIRN_SPARSE}, {"exclusive", FIRN_EXCLUSIVE}, {"listed", FIRN_REVERSE}};
    for (skip_schema_blanks(text); !line_is_over(text); skip_schema_blanks(text)) {
        uint32_t bit = 0;
        char *start = text->at;
        plain_text word = schema_word(text);
        for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
            bit |= is_word(word, bits[i].word) ? bits[i].bit : 0;
        }
        if (bit == 0) {
            text->at = start;
            return schema_fingerprint(text, line);
        }
        line->says.relation |= bit;
    }
    return true;
}

static bool read_behind_kind(schema_text *text, schema_line *line)
{
    skip_schema_blanks(text);
    if (line->kind != NULL && line->kind->kind == FIRN_RELATION) {
        return read_relation(text, line);
    }
    if (line->kind != NULL && line->kind->kind == FIRN_STRUCT) {
        return line_is_over(text)
                   ? refuse_line(text, "raw takes a fingerprint, like x:float,y:float|8")
                   : schema_fingerprint(text, line);
    }
    return line_is_over(text) || refuse_line(text, "something stands behind %s",
                                             line->kind != NULL ? line->kind->word : "state");
}

static bool read_kind(schema_text *text, schema_line *line)
{
    skip_schema_blanks(text);
    plain_text word = schema_word(text);
    for (size_t i = 0; i < sizeof line_kinds / sizeof *line_kinds; i++) {
        if (is_word(word, line_kinds[i].word)) {
            line->kind = &line_kinds[i];
            line->says.kind = line->kind->kind;
        }
    }
    if (line->kind == NULL && !is_word(word, "state")) {
        return refuse_line(text, "a component is raw or encoded, or a boolean, number, string, tag "
                                 "or relation; and there are states");
    }
    return read_behind_kind(text, line);
}

static bool has_schema(const fr_cli *cli, const char *name)
{
    const firn_image_schema *schemas = (const void *)cli->schemas.data;
    for (size_t i = 0; i < cli->schemas.size / sizeof *schemas; i++) {
        if (strcmp(schemas[i].component, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool keep_line(const schema_text *text, const schema_line *line)
{
    fr_cli *cli = text->cli;
    firn_error err;
    const firn_image_schema schema = {line->says.name, line->says.fingerprint};
    if (line->kind == NULL) {
        return fr_cli_game_add_state(cli, line->says.name, &err) == FIRN_OK ||
               refuse_line(text, "%s", err.message);
    }
    if (has_schema(cli, schema.component)) {
        return refuse_line(text, "the component has a schema already");
    }
    if (fr_cli_game_add(cli, &line->says, &err) != FIRN_OK) {
        return refuse_line(text, "%s", err.message);
    }
    if (line->kind->reads &&
        firn_buffer_append(&cli->schemas, &schema, sizeof schema, &err) != FIRN_OK) {
        fr_cli_fail(cli, text->path, &err);
        return false;
    }
    return true;
}

static void end_plain(char *end)
{
    if (end != NULL) {
        *end = '\0';
    }
}

static bool read_line(schema_text *text)
{
    schema_line line = {.kind = NULL};
    skip_schema_blanks(text);
    if (line_is_over(text)) {
        return true;
    }
    if (*text->at == '"') {
        line.says.name = schema_quoted(text);
    } else {
        plain_text word = schema_word(text);
        line.says.name = word.start;
        line.name_end = word.end;
        skip_schema_blanks(text);
        if (is_word(word, "complete") && line_is_over(text)) {
            text->cli->complete = true;
            return true;
        }
    }
    if (line.says.name == NULL || !read_kind(text, &line)) {
        return false;
    }
    end_plain(line.name_end);
    end_plain(line.fingerprint_end);
    return keep_line(text, &line);
}

// ---- a file

static bool read_schema_lines(schema_text *text, char *at, size_t size)
{
    char *end = at + size;
    bool good = true;
    while (good && at < end) {
        char *line_end = memchr(at, '\n', (size_t)(end - at));
        line_end = line_end != NULL ? line_end : end;
        *line_end = '\0';
        text->at = at;
        text->line++;
        good =
            memchr(at, '\0', (size_t)(line_end - at)) == NULL || refuse_line(text, "a byte is 0");
        good = good && read_line(text);
        at = line_end + 1;
    }
    return good;
}

bool fr_cli_schemas_read(fr_cli *cli)
{
    const char *path = fr_cli_value(cli, "schema");
    const fr_cli_host *host = cli->host;
    firn_buffer *bytes = &cli->schema_text;
    firn_error err;
    if (path == NULL) {
        return true;
    }
    firn_result result = host->read(host->user, path, cli->limits.file_bytes, bytes, &err);
    if (result == FIRN_OK) {
        result = firn_buffer_append(bytes, "", 1, &err); // the last line ends, too
    }
    if (result == FIRN_OK) {
        result = fr_cli_game_begin(cli, &err);
    }
    if (result != FIRN_OK) {
        fr_cli_fail(cli, path, &err);
        return false;
    }
    schema_text text = {.cli = cli, .path = path};
    if (!read_schema_lines(&text, (char *)bytes->data, bytes->size - 1)) {
        return false;
    }
    if (fr_cli_game_add_encoded(cli, &err) != FIRN_OK) {
        fr_cli_fail(cli, path, &err);
        return false;
    }
    return true;
}

// ---- write

static bool is_plain(const char *text, size_t size, bool with_blanks)
{
    for (size_t i = 0; i < size; i++) {
        bool inner = with_blanks && i > 0 && i + 1 < size;
        unsigned char c = (unsigned char)text[i];
        if (c < (inner ? 0x20 : 0x21) || c > 0x7e || c == '"' || c == '#' || c == '\\') {
            return false;
        }
    }
    return size > 0;
}

static void print_schema_text(fr_cli *cli, const char *text, size_t size, bool with_blanks)
{
    const char *end = text + size;
    if (is_plain(text, size, with_blanks)) {
        fr_cli_write(cli, text, size);
        return;
    }
    fr_cli_print(cli, "\"");
    while (text < end) {
        const char *quote = memchr(text, '"', (size_t)(end - text));
        const char *stop = quote != NULL ? quote : end;
        fr_cli_text(cli, text, (size_t)(stop - text));
        text = stop;
        if (quote != NULL) {
            fr_cli_print(cli, "\\\"");
            text++;
        }
    }
    fr_cli_print(cli, "\"");
}

void fr_cli_schema_print(fr_cli *cli, const firn_image_component *component)
{
    if (component->relation_size > 0) {
        print_schema_text(cli, component->name, component->relation_size, false);
        fr_cli_print(cli, " relation\n");
        return;
    }
    bool opaque = component->raw && component->field_count == 0;
    fr_cli_print(cli, "%s", opaque ? "# not understood: " : "");
    print_schema_text(cli, component->name, strlen(component->name), false);
    fr_cli_print(cli, component->raw ? " raw " : " encoded");
    if (component->raw) {
        print_schema_text(cli, component->fingerprint, strlen(component->fingerprint), true);
    }
    fr_cli_print(cli, "\n");
}
