/// parse.h: one line of JSON taken apart by jansson, as a row of nodes: a value, then what is in
/// it, then the next value.
///
/// jansson's memory is that of malloc: its allocator is a setting of the whole process, which a
/// library must not change. It is bounded before: a line of more than 64 KiB is looked at first,
/// and what it will take is held to limits->expanded_bytes. What jansson made is freed by the next
/// parse.
#ifndef FR_JSON_PARSE_H
#define FR_JSON_PARSE_H

#include "firn/value.h"

typedef enum fr_json_kind {
    FR_JSON_NULL,
    FR_JSON_BOOL,
    FR_JSON_INTEGER,
    FR_JSON_REAL,
    FR_JSON_STRING,
    FR_JSON_ARRAY,
    FR_JSON_OBJECT
} fr_json_kind;

typedef struct fr_json_node {
    fr_json_kind kind;
    uint32_t span;   ///< nodes of the value: itself and all in it
    uint64_t offset; ///< where it begins, counted from the beginning of the input
    const char *key; ///< of a member of an object; NULL
    size_t key_size;
    size_t size; ///< bytes of a string; elements of an array, members of an object
    union {
        bool boolean;
        int64_t integer;
        double real;
        const char *string; ///< with a 0 behind it
    } as;
} fr_json_node;

typedef struct fr_json_parser {
    firn_allocator allocator;
    firn_limits limits; ///< resolved
    fr_json_node *nodes;
    uint32_t count;
    uint32_t capacity;
    void *root; ///< jansson's
} fr_json_parser;

/// A line of JSON has at most 4 values for each one that limits->tree_values allows, and 65,536:
/// tables with keys of any kind and numbers with tags take no more.
uint64_t fr_json_values_most(const firn_limits *limits);

/// limits are resolved. Takes no memory.
void fr_json_parser_begin(fr_json_parser *parser, const firn_allocator *allocator,
                          const firn_limits *limits);
void fr_json_parser_end(fr_json_parser *parser);
/// Parses a text that stands `offset` bytes behind the beginning of the input. The first node is
/// the value; all are valid until the next parse. NULL with FIRN_CORRUPT (no JSON, a key twice),
/// FIRN_TRUNCATED (the text ends early), FIRN_LIMIT (more values, more memory or deeper than limits
/// allow, longer than 8 times limits->file_bytes and 64 KiB) or FIRN_NO_MEMORY.
const fr_json_node *fr_json_parse(fr_json_parser *parser, const char *text, size_t size,
                                  uint64_t offset, firn_error *err);

/// The lines of a text, one after the other.
typedef struct fr_json_lines {
    const char *text;
    const char *at; ///< the next line
    const char *end;
    uint64_t line; ///< number of the line at hand, from 1
    const char *bytes;
    size_t size;     ///< of the line at hand, without its end
    uint64_t offset; ///< where it begins
} fr_json_lines;

void fr_json_lines_begin(fr_json_lines *lines, const void *text, size_t size);
/// Steps to the next line that is not blank; false at the end.
bool fr_json_lines_next(fr_json_lines *lines);
/// Fails like *why, about the line at hand.
firn_result fr_json_lines_fail(const fr_json_lines *lines, const firn_error *why, firn_error *err);

/// What comes behind a value and all in it: its next sibling, where there is one.
static inline const fr_json_node *fr_json_next(const fr_json_node *node)
{
    return node + node->span;
}

/// Whether the key of a member is this text.
bool fr_json_key_is(const fr_json_node *member, const char *key);
/// The member of an object with this key, or NULL.
const fr_json_node *fr_json_member(const fr_json_node *object, const char *key);
/// FIRN_CORRUPT about a node.
firn_result fr_json_refuse(const fr_json_node *node, const char *subject, const char *message,
                           firn_error *err);

#endif
