/// path.h: where in a tree an error is, as text like `.items[3].name`.
#ifndef FR_PATH_H
#define FR_PATH_H

#include "firn/value.h"

/// Text that ends in "..." when it did not fit.
typedef struct fr_path {
    char *text; ///< zero-terminated at all times
    size_t capacity;
    size_t size;
} fr_path;

/// An empty path in `capacity` bytes, more than 4.
void fr_path_begin(fr_path *path, char *text, size_t capacity);
/// Text as it is.
void fr_path_text(fr_path *path, const char *text);
/// Takes back what was added since the path had this size.
void fr_path_cut(fr_path *path, size_t size);
/// `[3]`. Elements of a value count from 1.
void fr_path_index(fr_path *path, uint64_t index);
/// `.name` for a string that is an identifier; else `["not one"]`, `[0.5]`, `[true]`.
void fr_path_key(fr_path *path, const firn_value *key);
/// Whether it is one: a letter or `_`, then those and digits.
bool fr_is_identifier(const char *text, size_t size);
/// A key as text in an error: `name`, `"not one"`, `0.5`.
char *fr_key_text(char *text, size_t capacity, const firn_value *key);

#endif
