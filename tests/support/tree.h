/// tree.h: value trees as text, the way Lua writes them: `{1, "two", name = {true, [0.5] = 3LL}}`.
/// `nil` is a hole in a list, LL and ULL are 64-bit integers.
#ifndef TEST_TREE_H
#define TEST_TREE_H

#include "firn/value.h"

/// The tree that a text says, in `doc`. Text that is none ends the test.
firn_value *test_tree(firn_doc *doc, const char *text);

/// The tree as text, map keys in canonical order; freed with free.
char *test_tree_text(const firn_value *value);

/// The value is the tree that the text says; prints both when not.
#define assert_tree(value, text) test_assert_tree((value), (text), __FILE__, __LINE__)
void test_assert_tree(const firn_value *value, const char *text, const char *file, int line);

#endif
