// Types as fingerprints spell them.
#include "store/schema.h"

#include <string.h>

// The words that C type names are made of, and how often each may stand in one.
typedef enum type_word {
    WORD_SIGNED,
    WORD_UNSIGNED,
    WORD_CHAR,
    WORD_SHORT,
    WORD_INT,
    WORD_LONG,
    WORD_COUNT
} type_word;

static bool text_is(const char *text, size_t size, const char *other)
{
    return size == strlen(other) && memcmp(text, other, size) == 0;
}

static type_word parse_type_word(const char *text, size_t size)
{
    static const char *const words[WORD_COUNT] = {"signed", "unsigned", "char",
                                                  "short",  "int",      "long"};
    for (unsigned i = 0; i < WORD_COUNT; i++) {
        if (text_is(text, size, words[i])) {
            return (type_word)i;
        }
    }
    return WORD_COUNT;
}

// The type of a set of words that C allows together; FIRN_TYPE_NONE for others, and for `long`,
// whose size differs between systems.
static firn_type type_of_words(const uint8_t count[WORD_COUNT])
{
    for (unsigned i = 0; i < WORD_COUNT; i++) {
        if (count[i] > (i == WORD_LONG ? 2 : 1)) {
            return FIRN_TYPE_NONE;
        }
    }
    bool is_unsigned = count[WORD_UNSIGNED] != 0;
    bool is_signed = count[WORD_SIGNED] != 0;
    int sizes = count[WORD_CHAR] + count[WORD_SHORT] + (count[WORD_LONG] != 0);
    if ((is_unsigned && is_signed) || sizes > 1 || (count[WORD_CHAR] && count[WORD_INT])) {
        return FIRN_TYPE_NONE;
    }
    if (count[WORD_CHAR]) {
        return is_unsigned ? FIRN_U8 : is_signed ? FIRN_I8 : FIRN_CHAR;
    }
    if (count[WORD_SHORT]) {
        return is_unsigned ? FIRN_U16 : FIRN_I16;
    }
    if (count[WORD_LONG] == 2) {
        return is_unsigned ? FIRN_U64 : FIRN_I64;
    }
    if (count[WORD_LONG] == 1) {
        return FIRN_TYPE_NONE;
    }
    return is_unsigned ? FIRN_U32 : FIRN_I32;
}

static firn_type parse_type_words(const char *text, size_t size)
{
    uint8_t count[WORD_COUNT] = {0};
    size_t at = 0;
    unsigned total = 0;
    while (at < size) {
        const char *space = memchr(text + at, ' ', size - at);
        size_t end = space == NULL ? size : (size_t)(space - text);
        if (end > at) {
            type_word word = parse_type_word(text + at, end - at);
            if (word == WORD_COUNT || ++total > 5) {
                return FIRN_TYPE_NONE;
            }
            count[word]++;
        }
        at = end + 1;
    }
    return total == 0 ? FIRN_TYPE_NONE : type_of_words(count);
}

static firn_type parse_type_name(const char *text, size_t size)
{
    // Where types share a text, the first of them is the plain number.
#define TYPE_NAME(name, c_name, bytes)                                                             \
    if (text_is(text, size, c_name)) {                                                             \
        return FIRN_##name;                                                                        \
    }
    FIRN_TYPES(TYPE_NAME)
#undef TYPE_NAME
    return text_is(text, size, "_Bool") ? FIRN_BOOL : parse_type_words(text, size);
}

// Reads digits without leading zeros, 1..UINT32_MAX; false for anything else.
static bool parse_count(const char *text, size_t size, uint32_t *count)
{
    uint64_t value = 0;
    if (size == 0 || size > 10 || text[0] == '0') {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    *count = (uint32_t)value;
    return value <= UINT32_MAX;
}

firn_type fr_type_parse(const char *text, size_t size, uint32_t *count)
{
    *count = 0;
    while (size > 0 && text[size - 1] == ' ') {
        size--;
    }
    while (size > 0 && text[0] == ' ') {
        text++;
        size--;
    }
    const char *bracket = memchr(text, '[', size);
    if (bracket != NULL) {
        size_t inner = size - (size_t)(bracket - text) - 1;
        if (inner == 0 || bracket[inner] != ']' || !parse_count(bracket + 1, inner - 1, count)) {
            return FIRN_TYPE_NONE;
        }
        size = (size_t)(bracket - text);
        while (size > 0 && text[size - 1] == ' ') {
            size--;
        }
    }
    return parse_type_name(text, size);
}
