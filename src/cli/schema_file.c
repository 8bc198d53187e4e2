#include "cli/schema_file.h"

#include <string.h>

// A file of schemas on its way in. Texts are unescaped and ended where they stand.
typedef struct schema_text {
    fr_cli *cli;
    const char *path;
    char *at; // in a line, which ends with a 0
    uint32_t line;
} schema_text;

static bool refuse_line(const schema_text *text, const char *why)
{
    fr_cli_say(text->cli, text->path, "line %u: %s", text->line, why);
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

// What the library says of one schema.
static bool check_schema(const schema_text *text, const firn_image_schema *schema)
{
    static const uint8_t empty[] = {6, 1, 0, 0, 0, 6, 1, 0, 0, 0, 6, 0, 0,
                                    0, 0, 6, 0, 0, 0, 0, 6, 0, 0, 0, 0, 1};
    const fr_cli *cli = text->cli;
    const firn_image_options options = {.limits = &cli->limits,
                                        .allocator = cli->host->allocator,
                                        .schemas = schema,
                                        .schema_count = 1};
    firn_error err;
    return firn_image_check(empty, sizeof empty, &options, NULL, &err) == FIRN_OK ||
           refuse_line(text, err.message);
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

static bool keep_schema(const schema_text *text, const firn_image_schema *schema)
{
    firn_error err;
    if (has_schema(text->cli, schema->component)) {
        return refuse_line(text, "the component has a schema already");
    }
    if (!check_schema(text, schema)) {
        return false;
    }
    if (firn_buffer_append(&text->cli->schemas, schema, sizeof *schema, &err) != FIRN_OK) {
        fr_cli_fail(text->cli, text->path, &err);
        return false;
    }
    return true;
}

// The fingerprint behind `raw`; *end: where it is plain, its end.
static bool schema_fingerprint(schema_text *text, firn_image_schema *schema, char **end)
{
    skip_schema_blanks(text);
    if (line_is_over(text)) {
        return refuse_line(text, "raw takes a fingerprint, like x:float,y:float|8");
    }
    if (*text->at == '"') {
        schema->fingerprint = schema_quoted(text);
        skip_schema_blanks(text);
        return schema->fingerprint != NULL &&
               (line_is_over(text) || refuse_line(text, "something stands behind the fingerprint"));
    }
    plain_text rest = read_rest(text);
    schema->fingerprint = rest.start;
    *end = rest.end;
    return true;
}

static bool read_kind(schema_text *text, firn_image_schema *schema, char **end)
{
    skip_schema_blanks(text);
    plain_text kind = schema_word(text);
    if (is_word(kind, "raw")) {
        return schema_fingerprint(text, schema, end);
    }
    skip_schema_blanks(text);
    if (!is_word(kind, "encoded")) {
        return refuse_line(text, "a component is raw or encoded");
    }
    return line_is_over(text) || refuse_line(text, "something stands behind encoded");
}

static bool read_line(schema_text *text)
{
    firn_image_schema schema = {0};
    char *name_end = NULL, *end = NULL;
    skip_schema_blanks(text);
    if (line_is_over(text)) {
        return true;
    }
    if (*text->at == '"') {
        schema.component = schema_quoted(text);
    } else {
        plain_text word = schema_word(text);
        schema.component = word.start;
        name_end = word.end;
    }
    if (schema.component == NULL || !read_kind(text, &schema, &end)) {
        return false;
    }
    if (name_end != NULL) {
        *name_end = '\0';
    }
    if (end != NULL) {
        *end = '\0';
    }
    return keep_schema(text, &schema);
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
    if (result != FIRN_OK) {
        fr_cli_fail(cli, path, &err);
        return false;
    }
    schema_text text = {.cli = cli, .path = path};
    return read_schema_lines(&text, (char *)bytes->data, bytes->size - 1);
}

// ---- write

static bool is_plain(const char *text, bool with_blanks)
{
    size_t size = strlen(text);
    for (size_t i = 0; i < size; i++) {
        bool inner = with_blanks && i > 0 && i + 1 < size;
        unsigned char c = (unsigned char)text[i];
        if (c < (inner ? 0x20 : 0x21) || c > 0x7e || c == '"' || c == '#' || c == '\\') {
            return false;
        }
    }
    return size > 0;
}

static void print_schema_text(fr_cli *cli, const char *text, bool with_blanks)
{
    if (is_plain(text, with_blanks)) {
        fr_cli_print(cli, "%s", text);
        return;
    }
    fr_cli_print(cli, "\"");
    while (*text != '\0') {
        size_t size = strcspn(text, "\"");
        fr_cli_text(cli, text, size);
        text += size;
        if (*text == '"') {
            fr_cli_print(cli, "\\\"");
            text++;
        }
    }
    fr_cli_print(cli, "\"");
}

void fr_cli_schema_print(fr_cli *cli, const firn_image_component *component)
{
    if (component->relation_size > 0) {
        return;
    }
    bool opaque = component->raw && component->field_count == 0;
    fr_cli_print(cli, "%s", opaque ? "# not understood: " : "");
    print_schema_text(cli, component->name, false);
    fr_cli_print(cli, component->raw ? " raw " : " encoded");
    if (component->raw) {
        print_schema_text(cli, component->fingerprint, true);
    }
    fr_cli_print(cli, "\n");
}
