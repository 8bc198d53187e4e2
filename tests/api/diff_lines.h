/// diff_lines.h: what the tests of firn/diff.h share: two worlds that are equal, and comparisons as
/// text.
#ifndef TEST_DIFF_LINES_H
#define TEST_DIFF_LINES_H

#include "api/snapshot_zoo.h"

/// Ids of the entities of the worlds.
enum {
    DIFF_HERO = 1,   ///< key "hero", zoo.Point, zoo.Body, zoo.Gap
    DIFF_PARENT = 2, ///< name "Ann", zoo.Score
    DIFF_BAG = 3,    ///< zoo.Bag, zoo.Score, child of the parent
    DIFF_FRIEND = 4, ///< zoo.Tag, likes the hero, owns the bag
    DIFF_POINTS = 5  ///< 100 entities from here on: zoo.Point, zoo.Title
};

/// A world of the zoo with two relations and two states.
typedef struct diff_world {
    zoo z;
    firn_world *world;    ///< that of the zoo
    firn_component likes; ///< a column a target
    firn_component owns;  ///< sparse, of many targets, listed
} diff_world;

typedef struct diff_worlds {
    diff_world left, right;
} diff_worlds;

/// One such world; those that are made with the same numbers are equal.
diff_world diff_world_make(test_allocator *memory, uint32_t points);
/// Two that are equal, with 100 points.
diff_worlds diff_worlds_make(void);
void diff_worlds_free(diff_worlds *worlds);

/// zoo.Bag of an entity becomes the tree of a text (support/tree.h).
void diff_set_bag(const diff_world *world, firn_entity entity, const char *tree);
/// The row of an entity, to be changed; never NULL.
void *diff_row(const diff_world *world, firn_entity entity, firn_component component);

/// firn_diff_text of two worlds is this text, and so it is of their images, and of a world and an
/// image; a tree and the summary have as many differences.
#define assert_differences(worlds, options, text)                                                  \
    diff_assert_worlds((worlds), (options), (text), __FILE__, __LINE__)
void diff_assert_worlds(const diff_worlds *worlds, const firn_diff_options *options,
                        const char *text, const char *file, int line);
/// The same of two sides.
#define assert_sides_differ(left, right, options, text)                                            \
    diff_assert_sides((left), (right), (options), (text), __FILE__, __LINE__)
void diff_assert_sides(const firn_diff_side *left, const firn_diff_side *right,
                       const firn_diff_options *options, const char *text, const char *file,
                       int line);

#endif
