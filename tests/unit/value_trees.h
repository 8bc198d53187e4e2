/// value_trees.h: random trees, and other ways to read and write a tree, to compare with.
#ifndef TEST_VALUE_TREES_H
#define TEST_VALUE_TREES_H

#include "firn/value.h"
#include "support/support.h"

/// A random value of at most `depth` tables inside each other: every kind, keys of every kind,
/// holes, binary strings, NaN, -0, infinities. Built in a random order.
firn_value *test_random_value(test_random *random, firn_doc *doc, uint32_t depth);

/// Writes the tree through the calls of the streaming writer, one for each value.
void test_write_tree(firn_writer *writer, const firn_value *value);

/// Reads one value through the calls of the streaming reader into a tree. NULL: the reader failed,
/// or a key was there twice.
firn_value *test_read_tree(firn_reader *reader, firn_doc *doc);

/// The canonical encoding in *out, which was empty; the test fails when there is none.
void test_encode(const firn_value *value, firn_buffer *out);

/// The bytes as hex; freed with free.
char *test_to_hex(const uint8_t *bytes, size_t size);

#endif
