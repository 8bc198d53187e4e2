/// diff_tell.h: differences as lines and as a tree, with names for the two sides.
#ifndef FR_DIFF_TELL_H
#define FR_DIFF_TELL_H

#include "firn/diff.h"

/// What the sides are called: `left` and `right`, or `saved` and `now`.
typedef struct fr_side_names {
    const char *left, *right;
} fr_side_names;

/// firn_difference_text. A difference of data without a key is one of variables.
firn_result fr_difference_text(const firn_difference *difference, const fr_side_names *names,
                               firn_buffer *out, firn_error *err);
/// Appends the entity of a difference and some words: `entity 17 (key "player"): missing`.
firn_result fr_entity_text(const firn_difference *difference, const char *words, firn_buffer *out,
                           firn_error *err);

/// A tree that is being made. Lists are by kind; those of entities have the changes of one behind
/// each other.
typedef struct fr_diff_tree {
    firn_doc *doc;
    const fr_side_names *names;
    firn_buffer scratch;
    firn_value *root;
    firn_value *lists[FIRN_DIFFERENCE_DATA + 1];
    firn_value *entity;  ///< the one at hand
    firn_value *changes; ///< its list
    firn_entity id;
    bool begun; ///< there is one at hand
} fr_diff_tree;

/// Makes the root and its lists. To be ended either way. As the makers of firn/value.h.
firn_result fr_diff_tree_begin(fr_diff_tree *tree, firn_doc *doc, const fr_side_names *names,
                               firn_error *err);
void fr_diff_tree_end(fr_diff_tree *tree);
/// Begins the entity of a difference, with id, key and name; `changes` is made with the first.
firn_result fr_diff_tree_entity(fr_diff_tree *tree, const firn_difference *difference,
                                firn_error *err);
/// Adds a difference to its list; a change to the entity at hand, which is begun if need be.
firn_result fr_diff_tree_add(fr_diff_tree *tree, const firn_difference *difference,
                             firn_error *err);
/// Sets a member of a table of the tree; of a text "" none.
firn_result fr_diff_tree_text(fr_diff_tree *tree, firn_value *table, const char *key,
                              const char *text, firn_error *err);
firn_result fr_diff_tree_number(fr_diff_tree *tree, firn_value *table, const char *key,
                                double number, firn_error *err);
firn_result fr_diff_tree_member(fr_diff_tree *tree, firn_value *table, const char *key,
                                const firn_value *value, firn_error *err);

#endif
