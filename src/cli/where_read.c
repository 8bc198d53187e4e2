// Expressions: text to parts.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/where_parts.h"

#define PARTS_MOST 1000
#define DEPTH_MOST 50

// A text that is being read. The first failure stays.
typedef struct where_reading {
    fr_cli_where *where;
    const char *text;
    const char *at;
    uint32_t depth;
    firn_error *err;
    firn_result result;
} where_reading;

static uint32_t read_expression(where_reading *in);

// ---- failures

static uint32_t refuse_where(where_reading *in, firn_result code, const char *format, ...)
{
    if (in->result == FIRN_OK) {
        va_list arguments;
        in->result = code;
        *in->err = (firn_error){.code = code, .offset = (uint64_t)(in->at - in->text)};
        va_start(arguments, format);
        (void)vsnprintf(in->err->message, sizeof in->err->message, format, arguments);
        va_end(arguments);
    }
    return 0;
}

static void keep_result(where_reading *in, firn_result result)
{
    in->result = in->result == FIRN_OK ? result : in->result;
}

// ---- characters

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_blanks(where_reading *in)
{
    while (*in->at == ' ' || *in->at == '\t' || *in->at == '\n' || *in->at == '\r') {
        in->at++;
    }
}

static size_t word_size(const char *at)
{
    size_t size = 0;
    while (is_letter(at[size]) || (size > 0 && is_digit(at[size]))) {
        size++;
    }
    return size;
}

// Whether a word or mark stands here, which is then read.
static bool takes(where_reading *in, const char *mark)
{
    skip_blanks(in);
    size_t size = strlen(mark);
    if (in->result != FIRN_OK || strncmp(in->at, mark, size) != 0 ||
        (is_letter(mark[0]) && word_size(in->at) != size)) {
        return false;
    }
    in->at += size;
    return true;
}

// ---- parts

static uint32_t add_where_part(where_reading *in, where_part part)
{
    firn_buffer *parts = &in->where->parts;
    uint32_t number = (uint32_t)(parts->size / sizeof part);
    if (in->result != FIRN_OK) {
        return 0;
    }
    if (number == PARTS_MOST) {
        return refuse_where(in, FIRN_LIMIT, "more than %d parts", PARTS_MOST);
    }
    keep_result(in, firn_buffer_append(parts, &part, sizeof part, in->err));
    return number;
}

static uint32_t add_pair_part(where_reading *in, where_op op, uint32_t left, uint32_t right)
{
    return add_where_part(in, (where_part){.op = op, .left = left, .right = right});
}

// Texts have room for all of the expression, and more.
static char *text_end(const where_reading *in)
{
    return (char *)in->where->texts.data + in->where->texts.size;
}

static void keep_bytes(where_reading *in, const char *bytes, size_t size)
{
    if (in->result == FIRN_OK) {
        keep_result(in, firn_buffer_append(&in->where->texts, bytes, size, in->err));
    }
}

// ---- texts and numbers

// Up to the closing quote; a backslash takes what is behind it as it is.
static size_t read_quoted(where_reading *in)
{
    char quote = *in->at;
    const char *opened = in->at++;
    size_t size = 0;
    for (; *in->at != quote; in->at++, size++) {
        in->at += *in->at == '\\' && in->at[1] != 0;
        if (*in->at == 0) {
            in->at = opened;
            refuse_where(in, FIRN_INVALID, "this %c is not closed", quote);
            return 0;
        }
        keep_bytes(in, in->at, 1);
    }
    in->at++;
    return size;
}

static firn_value read_text(where_reading *in)
{
    const char *text = text_end(in);
    size_t size = read_quoted(in);
    keep_bytes(in, "", 1);
    return (firn_value){.kind = FIRN_VALUE_STRING, .length = (uint32_t)size, .as.string = text};
}

// Whole numbers keep all their digits.
static firn_value read_where_number(where_reading *in)
{
    const char *begin = in->at;
    bool negative = *in->at == '-', exact = true;
    uint64_t whole = 0;
    in->at += negative;
    for (; is_digit(*in->at); in->at++) {
        uint64_t digit = (uint64_t)(*in->at - '0');
        exact = exact && whole <= (UINT64_MAX - digit) / 10;
        whole = whole * 10 + digit;
    }
    if (exact && *in->at != '.' && *in->at != 'e' && *in->at != 'E' &&
        (!negative || (whole > 0 && whole <= INT64_MAX))) {
        return negative ? (firn_value){.kind = FIRN_VALUE_INT64, .as.int64 = -(int64_t)whole}
                        : (firn_value){.kind = FIRN_VALUE_UINT64, .as.uint64 = whole};
    }
    char *end;
    double number = strtod(begin, &end);
    in->at = end;
    return (firn_value){.kind = FIRN_VALUE_NUMBER, .as.number = number};
}

static double double_of_number(const firn_value *number)
{
    return number->kind == FIRN_VALUE_UINT64  ? (double)number->as.uint64
           : number->kind == FIRN_VALUE_INT64 ? (double)number->as.int64
                                              : number->as.number;
}

static bool begins_number(const char *at)
{
    at += *at == '-';
    return is_digit(*at) || (*at == '.' && is_digit(at[1]));
}

// ---- places

static void add_place_step(where_reading *in, where_part *part, firn_value key)
{
    where_step step = {.end = (uint32_t)(text_end(in) - part->place), .key = key};
    if (in->result == FIRN_OK) {
        keep_result(in, firn_buffer_append(&in->where->steps, &step, sizeof step, in->err));
        part->step_count++;
    }
}

static void read_name_step(where_reading *in, where_part *part)
{
    const char *name = text_end(in);
    size_t size = word_size(in->at);
    if (*in->at == '`') {
        size = read_quoted(in);
    } else if (size > 0) {
        keep_bytes(in, in->at, size);
        in->at += size;
    } else {
        refuse_where(in, FIRN_INVALID, "a name is missing");
    }
    const firn_value key = {.kind = FIRN_VALUE_STRING, .length = (uint32_t)size, .as.string = name};
    add_place_step(in, part, key);
}

static void read_index_step(where_reading *in, where_part *part)
{
    firn_value key = {.kind = FIRN_VALUE_NIL};
    keep_bytes(in, "[", 1);
    skip_blanks(in);
    const char *text = text_end(in), *begin = in->at;
    if (*in->at == '"' || *in->at == '\'') {
        size_t size = read_quoted(in);
        key = (firn_value){.kind = FIRN_VALUE_STRING, .length = (uint32_t)size, .as.string = text};
    } else if (begins_number(in->at)) {
        key = read_where_number(in);
        keep_bytes(in, begin, (size_t)(in->at - begin));
        key = (firn_value){.kind = FIRN_VALUE_NUMBER, .as.number = double_of_number(&key)};
    } else {
        refuse_where(in, FIRN_INVALID, "a number or a text is missing");
    }
    keep_bytes(in, "]", 1);
    if (!takes(in, "]")) {
        refuse_where(in, FIRN_INVALID, "a ] is missing");
    }
    add_place_step(in, part, key);
}

// The text of a place is kept as one writes it, `cells[3].x`.
static uint32_t read_place(where_reading *in, where_op op)
{
    where_part part = {.op = op,
                       .place = text_end(in),
                       .first_step = (uint32_t)(in->where->steps.size / sizeof(where_step)),
                       .quoted = *in->at == '`'};
    read_name_step(in, &part);
    while (in->result == FIRN_OK && (*in->at == '.' || (*in->at == '[' && op == WHERE_PLACE))) {
        if (*in->at++ == '.') {
            keep_bytes(in, ".", 1);
            read_name_step(in, &part);
        } else {
            read_index_step(in, &part);
        }
    }
    keep_bytes(in, "", 1);
    return add_where_part(in, part);
}

// ---- operands and operators

static uint32_t read_has(where_reading *in)
{
    skip_blanks(in);
    uint32_t part = read_place(in, WHERE_HAS);
    return takes(in, ")") ? part : refuse_where(in, FIRN_INVALID, "a ) is missing");
}

static uint32_t read_word_operand(where_reading *in)
{
    static const struct {
        const char *word;
        where_part part;
    } words[] = {{"true", {.op = WHERE_LITERAL, .value = {FIRN_VALUE_BOOL, 0, {.boolean = true}}}},
                 {"false", {.op = WHERE_LITERAL, .value = {.kind = FIRN_VALUE_BOOL}}},
                 {"nil", {.op = WHERE_LITERAL, .value = {.kind = FIRN_VALUE_NIL}}},
                 {"id", {.op = WHERE_ID}},
                 {"key", {.op = WHERE_KEY}},
                 {"name", {.op = WHERE_NAME}}};
    size_t size = word_size(in->at);
    const char *behind = in->at + size;
    while (*behind == ' ') {
        behind++;
    }
    if (size == 3 && strncmp(in->at, "has", 3) == 0 && *behind == '(') {
        in->at = behind + 1;
        return read_has(in);
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strlen(words[i].word) == size && strncmp(in->at, words[i].word, size) == 0 &&
            in->at[size] != '.' && in->at[size] != '[') {
            in->at += size;
            return add_where_part(in, words[i].part);
        }
    }
    return read_place(in, WHERE_PLACE);
}

// Words that join never stand where a component does; in backquotes they may.
static bool begins_word(const char *at)
{
    static const char *const joins[] = {"and", "or", "not"};
    size_t size = word_size(at);
    for (size_t i = 0; i < sizeof joins / sizeof *joins; i++) {
        if (strlen(joins[i]) == size && strncmp(at, joins[i], size) == 0) {
            return false;
        }
    }
    return size > 0 || *at == '`';
}

static uint32_t read_operand(where_reading *in)
{
    skip_blanks(in);
    if (*in->at == '"' || *in->at == '\'') {
        return add_where_part(in, (where_part){.op = WHERE_LITERAL, .value = read_text(in)});
    }
    if (begins_number(in->at)) {
        return add_where_part(in,
                              (where_part){.op = WHERE_LITERAL, .value = read_where_number(in)});
    }
    if (begins_word(in->at)) {
        return read_word_operand(in);
    }
    return refuse_where(in, FIRN_INVALID,
                        *in->at == 0 ? "something is missing at the end"
                                     : "a component or value is missing");
}

static uint32_t read_comparison(where_reading *in)
{
    // The longer ones come first.
    static const struct {
        const char *mark;
        where_op op;
    } marks[] = {{"<=", WHERE_LESS_EQUAL}, {">=", WHERE_GREATER_EQUAL}, {"==", WHERE_EQUAL},
                 {"!=", WHERE_NOT_EQUAL},  {"~=", WHERE_NOT_EQUAL},     {"<", WHERE_LESS},
                 {">", WHERE_GREATER},     {"=", WHERE_EQUAL}};
    uint32_t left = read_operand(in);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (takes(in, marks[i].mark)) {
            return add_pair_part(in, marks[i].op, left, read_operand(in));
        }
    }
    return left;
}

static uint32_t read_not(where_reading *in)
{
    if (in->depth == DEPTH_MOST) {
        return refuse_where(in, FIRN_LIMIT, "more than %d inside each other", DEPTH_MOST);
    }
    in->depth++;
    uint32_t part = 0;
    if (takes(in, "not")) {
        part = add_pair_part(in, WHERE_NOT, read_not(in), 0);
    } else if (takes(in, "(")) {
        part = read_expression(in);
        if (!takes(in, ")")) {
            refuse_where(in, FIRN_INVALID, "a ) is missing");
        }
    } else {
        part = read_comparison(in);
    }
    in->depth--;
    return part;
}

static uint32_t read_and(where_reading *in)
{
    uint32_t part = read_not(in);
    while (takes(in, "and")) {
        part = add_pair_part(in, WHERE_AND, part, read_not(in));
    }
    return part;
}

static uint32_t read_expression(where_reading *in)
{
    uint32_t part = read_and(in);
    while (takes(in, "or")) {
        part = add_pair_part(in, WHERE_OR, part, read_and(in));
    }
    return part;
}

// ---- the whole

static firn_result read_where(fr_cli_where *where, const char *text, firn_error *err)
{
    where_reading in = {.where = where, .text = text, .at = text, .err = err, .result = FIRN_OK};
    firn_result result = firn_buffer_reserve(&where->texts, 2 * strlen(text) + 2, err);
    if (result != FIRN_OK) {
        return result;
    }
    read_expression(&in);
    skip_blanks(&in);
    if (*in.at != 0) {
        refuse_where(&in, FIRN_INVALID, "an operator is missing");
    }
    return in.result;
}

fr_cli_where *fr_cli_where_read(const char *text, const firn_allocator *allocator, firn_error *err)
{
    const firn_allocator *memory = allocator != NULL ? allocator : firn_allocator_default();
    fr_cli_where *where = memory->resize(memory->user, NULL, 0, sizeof *where, sizeof(void *));
    if (where == NULL) {
        *err = (firn_error){.code = FIRN_NO_MEMORY,
                            .offset = FIRN_NO_OFFSET,
                            .message = "no memory for an expression"};
        return NULL;
    }
    *where = (fr_cli_where){.allocator = *memory};
    firn_buffer_init(&where->parts, memory);
    firn_buffer_init(&where->steps, memory);
    firn_buffer_init(&where->texts, memory);
    if (read_where(where, text, err) == FIRN_OK) {
        return where;
    }
    fr_cli_where_free(where);
    return NULL;
}

void fr_cli_where_free(fr_cli_where *where)
{
    if (where != NULL) {
        firn_allocator memory = where->allocator;
        firn_buffer_free(&where->parts);
        firn_buffer_free(&where->steps);
        firn_buffer_free(&where->texts);
        memory.resize(memory.user, where, sizeof *where, 0, sizeof(void *));
    }
}
