// Every line of the vector files, which real LuaJIT builds wrote, is a test of its own. The kinds
// of lines are explained at the top of stringbuffer/gen_vectors.lua.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "value_trees.h"

struct vector {
    char *name; ///< "arm64 E num-one"
    char kind;
    bool arm64;
    const char *id;
    const char *hex;
    const char *result;
};

#define VECTORS_MAX 512

static struct vector vectors[VECTORS_MAX];

struct noted {
    const char *id;
    const char *why;
    const char *canonical; ///< what firn writes, where the note is about that
    bool one_build;        ///< only of the build below
    bool arm64;
};

/// Vectors whose bytes firn writes otherwise. On arm64 there are also all that have an int32: firn
/// writes those as the x64 build does.
static const struct noted written_otherwise[] = {
    {"num-nan", "one NaN", "07000000000000f87f", true, false},
    {"num-pos-nan", "one NaN", "07000000000000f87f", true, true},
    {"num-neg-zero", "lost by the build: it wrote int32 0", "070000000000000000", true, true},
    {"tab-hole", "the array part ends before the first hole",
     "0d020107000000000000f03f070000000000000840070000000000000840", false, false},
    {"tab-leading-nil", "the array part ends before the first hole",
     "0901070000000000000040070000000000000040", false, false},
    {"tab-zero-ctor", "key 0 is no element", "0901070000000000000000070000000000002440", false,
     false},
    {"tab-zero-mixed", "key 0 is no element",
     "0d0301070000000000002640070000000000002840070000000000000000070000000000002440", false,
     false},
    {"tab-zero-array", "key 0 is no element", "0d030121612162070000000000000000217a", false, false},
    {"tab-zero-only-array", "key 0 is no element", "0901070000000000000000217a", false, false},
};

/// Encodings that LuaJIT makes and firn refuses.
static const struct noted refused[] = {
    {.id = "lud-null", .why = "a pointer"},
    {.id = "lud-32", .why = "a pointer"},
    {.id = "lud-64", .why = "a pointer"},
    {.id = "dict-key", .why = "a dictionary"},
    {.id = "dict-key-2nd", .why = "a dictionary"},
    {.id = "dict-value-not-used", .why = "a dictionary"},
    {.id = "dict-mt", .why = "a dictionary"},
    {.id = "dict-mt-2nd", .why = "a dictionary"},
    {.id = "dict-mt-and-key", .why = "a dictionary"},
    {.id = "dict-300th", .why = "a dictionary"},
};

/// What LuaJIT refuses to encode and no tree of firn can hold.
static const struct noted not_in_trees[] = {
    {.id = "function", .why = "there is no such kind of value"},
    {.id = "nested-function", .why = "there is no such kind of value"},
    {.id = "thread", .why = "there is no such kind of value"},
    {.id = "userdata", .why = "there is no such kind of value"},
    {.id = "cdata-i32", .why = "of cdata there are int64, uint64 and complex only"},
    {.id = "cdata-double", .why = "of cdata there are int64, uint64 and complex only"},
    {.id = "cdata-ptr", .why = "of cdata there are int64, uint64 and complex only"},
    {.id = "cdata-struct", .why = "of cdata there are int64, uint64 and complex only"},
    {.id = "cdata-array", .why = "of cdata there are int64, uint64 and complex only"},
    {.id = "cdata-ctype", .why = "of cdata there are int64, uint64 and complex only"},
    {.id = "cdata-complex-float", .why = "of cdata there are int64, uint64 and complex only"},
    {.id = "cdata-bool", .why = "of cdata there are int64, uint64 and complex only"},
    {.id = "cdata-enum", .why = "of cdata there are int64, uint64 and complex only"},
    {.id = "cdata-u64-ref", .why = "of cdata there are int64, uint64 and complex only"},
    {.id = "buffer-object", .why = "there is no such kind of value"},
};

/// Errors of LuaJIT with another result in firn than their message says.
static const struct {
    const char *id;
    const char *why;
    firn_result result;
} other_errors[] = {
    {"lud32-cut", "a pointer is refused by its tag", FIRN_CORRUPT},
    {"lud64-cut", "a pointer is refused by its tag", FIRN_CORRUPT},
};

static const struct noted *find_noted(const struct noted *notes, size_t count,
                                      const struct vector *vector)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(notes[i].id, vector->id) == 0 &&
            (!notes[i].one_build || notes[i].arm64 == vector->arm64))
            return &notes[i];
    return NULL;
}

#define FIND_NOTED(notes, vector) find_noted((notes), sizeof(notes) / sizeof *(notes), (vector))

static void assert_hex(const firn_buffer *bytes, const char *hex)
{
    char *got = test_to_hex(bytes->data, bytes->size);
    size_t size;
    uint8_t *wanted = test_from_hex(hex, &size);
    char *plain = test_to_hex(wanted, size);
    assert_string_equal(got, plain);
    free(plain);
    free(wanted);
    free(got);
}

/// Whether the encoded value has an int32 anywhere: seen by walking it.
static bool walk_has_int32(firn_reader *reader)
{
    bool found = *reader->at == 0x06;
    firn_table_head head;
    if (firn_read_kind(reader) != FIRN_VALUE_TABLE) {
        firn_read_skip(reader);
        return found;
    }
    head = firn_read_table(reader);
    for (uint32_t i = 0; i < head.array_count + 2 * head.map_count; i++)
        found = walk_has_int32(reader) || found;
    return found;
}

static bool has_int32(const uint8_t *bytes, size_t size)
{
    firn_reader reader;
    firn_reader_begin(&reader, bytes, size, NULL);
    return walk_has_int32(&reader);
}

/// What the x64 build wrote for the same expression.
static const char *hex_of_x64(const struct vector *vector)
{
    for (const struct vector *other = vectors; other->name != NULL; other++)
        if (!other->arm64 && other->kind == vector->kind && strcmp(other->id, vector->id) == 0)
            return other->hex;
    fail_msg("no x64 vector %s", vector->id);
    return NULL;
}

/// The canonical bytes are LuaJIT's, or a note says why not and what they are.
static void check_canonical(const struct vector *vector, const firn_value *value,
                            const uint8_t *bytes, size_t size)
{
    const struct noted *note = FIND_NOTED(written_otherwise, vector);
    firn_buffer out = {0};
    test_encode(value, &out);
    bool same = out.size == size && memcmp(out.data, bytes, size) == 0;
    bool int32 = has_int32(bytes, size);
    assert_true(vector->arm64 || !int32);
    assert_int_equal(same, note == NULL && !int32);
    if (note != NULL)
        assert_hex(&out, note->canonical);
    else if (int32)
        assert_hex(&out, hex_of_x64(vector));
    firn_buffer_free(&out);
}

/// Pairs in no fixed order: firn's are sorted, so that both builds come to the same bytes.
static void check_pairs(const struct vector *vector, firn_doc *doc, const firn_value *value)
{
    size_t size;
    uint8_t *bytes = test_from_hex(hex_of_x64(vector), &size);
    const firn_value *other = firn_value_decode(doc, bytes, size, NULL);
    firn_buffer out = {0};
    firn_buffer other_out = {0};
    assert_true(firn_value_equal(value, other));
    test_encode(value, &out);
    test_encode(other, &other_out);
    assert_int_equal(out.size, other_out.size);
    assert_memory_equal(out.data, other_out.data, out.size);
    firn_buffer_free(&out);
    firn_buffer_free(&other_out);
    free(bytes);
}

/// Several values in a row, which the expression of the vector names.
static bool check_sequence(const struct vector *vector, const uint8_t *bytes, size_t size)
{
    bool raw = strcmp(vector->id, "encode-putcdata-encode") == 0;
    if (!raw && strcmp(vector->id, "stream-3") != 0)
        return false;
    size_t at = 0;
    size_t used;
    firn_error err;
    assert_ok(firn_value_check(bytes, size, NULL, &used, &err), &err);
    at += used + (raw ? 16 : 0);
    assert_ok(firn_value_check(bytes + at, size - at, NULL, &used, &err), &err);
    at += used;
    if (!raw) {
        assert_ok(firn_value_check(bytes + at, size - at, NULL, &used, &err), &err);
        at += used;
    }
    assert_int_equal(at, size);
    return true;
}

static void encoded_by_luajit(const struct vector *vector)
{
    size_t size;
    firn_error err;
    uint8_t *bytes = test_from_hex(vector->hex, &size);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *value = firn_value_decode(doc, bytes, size, &err);
    const struct noted *note = FIND_NOTED(refused, vector);
    if (note != NULL) {
        assert_null(value);
        assert_error(&err, FIRN_CORRUPT, "");
        assert_non_null(strstr(err.message, note->why + 2));
    } else if (!check_sequence(vector, bytes, size)) {
        assert_ok(value != NULL ? FIRN_OK : err.code, &err);
        if (vector->kind == 'O')
            check_pairs(vector, doc, value);
        else
            check_canonical(vector, value, bytes, size);
    }
    firn_doc_destroy(doc);
    free(bytes);
}

static void refused_by_luajit(const struct vector *vector)
{
    bool depth = strcmp(vector->id, "depth-101") == 0;
    if (!depth && strcmp(vector->id, "cycle") != 0) {
        assert_non_null(FIND_NOTED(not_in_trees, vector));
        return;
    }
    firn_error err;
    firn_buffer out = {0};
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *table = firn_value_table(doc, NULL);
    firn_value *inner = table;
    for (int i = 2; depth && i <= 101; i++) {
        table = firn_value_table(doc, NULL);
        firn_table_push(doc, table, inner, NULL);
        inner = table;
    }
    if (!depth)
        firn_table_push(doc, table, table, NULL);
    assert_int_equal(firn_value_encode(table, NULL, &out, &err), FIRN_LIMIT);
    assert_error(&err, FIRN_LIMIT, "[1][1][1]");
    assert_int_equal(out.size, 0);
    firn_buffer_free(&out);
    firn_doc_destroy(doc);
}

/// A value as gen_vectors.lua shows it.
static void show(const firn_value *value, char *text, size_t capacity)
{
    char *hex;
    switch (value->kind) {
    case FIRN_VALUE_NUMBER:
        if (isnan(value->as.number))
            snprintf(text, capacity, "number:nan");
        else
            snprintf(text, capacity, "number:%.17g", value->as.number);
        break;
    case FIRN_VALUE_BOOL:
        snprintf(text, capacity, "boolean:%s", value->as.boolean ? "true" : "false");
        break;
    case FIRN_VALUE_STRING:
        hex = test_to_hex((const uint8_t *)value->as.string, value->length);
        snprintf(text, capacity, "string[%u]:%s", value->length, hex);
        free(hex);
        break;
    case FIRN_VALUE_TABLE:
        snprintf(text, capacity, "table with %u pairs",
                 firn_table_array_count(value) + firn_table_map_count(value));
        break;
    case FIRN_VALUE_UINT64:
        snprintf(text, capacity, "cdata:%lluULL", (unsigned long long)value->as.uint64);
        break;
    default:
        snprintf(text, capacity, "kind %d", (int)value->kind);
        break;
    }
}

static firn_result result_of_message(const struct vector *vector, const char *message)
{
    for (size_t i = 0; i < sizeof other_errors / sizeof *other_errors; i++)
        if (strcmp(other_errors[i].id, vector->id) == 0)
            return other_errors[i].result;
    if (strcmp(message, "unexpected end of buffer") == 0 || strcmp(message, "table overflow") == 0)
        return FIRN_TRUNCATED;
    if (strcmp(message, "too deep to serialize") == 0)
        return FIRN_LIMIT;
    return FIRN_CORRUPT;
}

static void decoded_by_luajit(const struct vector *vector)
{
    size_t size;
    firn_error err;
    uint8_t *bytes = test_from_hex(strcmp(vector->hex, "-") == 0 ? "" : vector->hex, &size);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    const firn_value *value = firn_value_decode(doc, bytes, size, &err);
    bool fails = vector->kind == 'B' || strncmp(vector->result, "ERROR ", 6) == 0;
    if (fails) {
        assert_null(value);
        assert_error(&err,
                     result_of_message(vector, vector->result + (vector->kind == 'D' ? 6 : 0)), "");
        assert_true(err.offset <= size);
    } else {
        char text[200];
        assert_ok(value != NULL ? FIRN_OK : err.code, &err);
        show(value, text, sizeof text);
        assert_string_equal(text, vector->result);
    }
    firn_doc_destroy(doc);
    free(bytes);
}

static void cut_anywhere(const struct vector *vector)
{
    size_t size;
    firn_error err;
    uint8_t *bytes = test_from_hex(vector->hex, &size);
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    assert_int_equal(size, strtoul(vector->result, NULL, 10));
    assert_non_null(firn_value_decode(doc, bytes, size, &err));
    for (size_t cut = 0; cut < size; cut++) {
        // A block of exactly this size, so that the sanitizer sees a read behind it.
        uint8_t *prefix = malloc(cut + 1);
        assert_non_null(prefix);
        memcpy(prefix + 1, bytes, cut);
        assert_null(firn_value_decode(doc, prefix + 1, cut, &err));
        assert_error(&err, FIRN_TRUNCATED, "");
        assert_true(err.offset <= cut);
        free(prefix);
    }
    firn_doc_destroy(doc);
    free(bytes);
}

static void check_vector(void **state)
{
    const struct vector *vector = *state;
    switch (vector->kind) {
    case 'E':
    case 'O':
        encoded_by_luajit(vector);
        break;
    case 'X':
        refused_by_luajit(vector);
        break;
    case 'D':
    case 'B':
        decoded_by_luajit(vector);
        break;
    case 'T':
        cut_anywhere(vector);
        break;
    default:
        fail_msg("a line of kind %c", vector->kind);
    }
}

/// The hex inside `buffer.new(...):set(hex)`, or the text itself.
static char *hex_of_call(char *text)
{
    char *set = strstr(text, ":set(");
    if (set == NULL)
        return text;
    set += strlen(":set(");
    set[strcspn(set, ")")] = 0;
    return set;
}

static bool read_vector(char *line, bool arm64, struct vector *vector)
{
    char *fields[4] = {line, NULL, NULL, NULL};
    int count = 1;
    for (char *at = line; *at != 0 && count < 4; at++) {
        if (*at == '\t') {
            *at = 0;
            fields[count++] = at + 1;
        }
    }
    if (line[0] == '#' || line[0] == 0)
        return false;
    assert_int_equal(count, 4);
    bool has_expression = strchr("EOX", line[0]) != NULL;
    char name[200];
    int length = snprintf(name, sizeof name, "%s %s %s", arm64 ? "arm64" : "x64", line, fields[1]);
    *vector = (struct vector){.kind = line[0],
                              .arm64 = arm64,
                              .id = fields[1],
                              .hex = has_expression ? fields[3] : hex_of_call(fields[2]),
                              .result = fields[3]};
    vector->name = malloc((size_t)length + 1);
    assert_non_null(vector->name);
    memcpy(vector->name, name, (size_t)length + 1);
    return true;
}

static size_t read_vectors(char *text, bool arm64, struct vector *out)
{
    size_t count = 0;
    for (char *line = text; line != NULL && *line != 0;) {
        char *next = strchr(line, '\n');
        if (next != NULL)
            *next++ = 0;
        count += read_vector(line, arm64, &out[count]) ? 1 : 0;
        line = next;
    }
    return count;
}

int main(void)
{
    static struct CMUnitTest tests[VECTORS_MAX];
    size_t size;
    char *x64 = (char *)test_read_data("stringbuffer/stringbuffer_vectors.txt", &size);
    char *arm64 = (char *)test_read_data("stringbuffer/stringbuffer_vectors.arm64.txt", &size);
    size_t count = read_vectors(x64, false, vectors);
    count += read_vectors(arm64, true, vectors + count);
    for (size_t i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){
            .name = vectors[i].name, .test_func = check_vector, .initial_state = &vectors[i]};
    int failed = _cmocka_run_group_tests("value_vectors", tests, count, NULL, NULL);
    for (size_t i = 0; i < count; i++)
        free(vectors[i].name);
    free(x64);
    free(arm64);
    return failed != 0 || count != 360;
}
