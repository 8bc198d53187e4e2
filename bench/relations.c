// Scenes of relationships: a tree of ChildOf, which is sparse, exclusive and cascades, and a dense
// relation to few targets.
#include "bench.h"

#define ROOTS    16u ///< of the tree
#define CHILDREN 8u  ///< of each entity of it, as far as there are any

// The parent of an entity in the tree, where it has one.
static firn_entity parent_of(const Stage *stage, uint32_t child)
{
    return stage->ids[(child - ROOTS) / CHILDREN];
}

// One by one, in the order of ids.
static bool relate_children(Stage *stage)
{
    firn_component child_of = firn_child_of(stage->w1.world);
    stage->changes = stage->entities > ROOTS ? stage->entities - ROOTS : 1;
    for (uint32_t i = ROOTS; i < stage->entities; i++) {
        if (firn_relate(stage->w1.world, stage->ids[i], child_of, parent_of(stage, i), NULL,
                        &stage->err) != FIRN_OK) {
            return false;
        }
    }
    return true;
}

static bool unrelate_children(Stage *stage)
{
    firn_component child_of = firn_child_of(stage->w1.world);
    for (uint32_t i = ROOTS; i < stage->entities; i++) {
        if (firn_unrelate(stage->w1.world, stage->ids[i], child_of, 0, &stage->err) != FIRN_OK) {
            return false;
        }
    }
    return true;
}

// Every child to the first root.
static bool move_children(Stage *stage)
{
    firn_component child_of = firn_child_of(stage->w1.world);
    for (uint32_t i = ROOTS; i < stage->entities; i++) {
        if (firn_relate(stage->w1.world, stage->ids[i], child_of, stage->ids[0], NULL,
                        &stage->err) != FIRN_OK) {
            return false;
        }
    }
    return true;
}

static bool make_w1_tree(Stage *stage)
{
    return stage_fill_world(stage) && relate_children(stage);
}

// ---------------------------------------------------------------- snapshots

static bool make_tree_image(Stage *stage)
{
    stage->changes = stage->entities;
    if (!stage_save(stage)) {
        return false;
    }
    stage->bytes = stage->image.size;
    return true;
}

// Entities that have nothing else; shuffled: rows in a random order.
static bool make_bare_tree(Stage *stage)
{
    if (!stage_empty_world(stage) || firn_spawn_many(stage->w1.world, NULL, 0, stage->entities,
                                                     stage->ids, &stage->err) != FIRN_OK) {
        return false;
    }
    if ((stage->kind & W1_SHUFFLED) != 0) {
        shuffle(stage->ids, stage->entities);
    }
    return relate_children(stage) && make_tree_image(stage);
}

// The children of each parent are listed in another order than their rows have.
static bool make_moved_tree(Stage *stage)
{
    if (!make_bare_tree(stage)) {
        return false;
    }
    // Each away and back, from the last to the first.
    firn_component child_of = firn_child_of(stage->w1.world);
    for (uint32_t i = stage->entities; i-- > ROOTS;) {
        firn_entity parent = parent_of(stage, i);
        firn_relate(stage->w1.world, stage->ids[i], child_of, stage->ids[i], NULL, &stage->err);
        firn_relate(stage->w1.world, stage->ids[i], child_of, parent, NULL, &stage->err);
    }
    return make_tree_image(stage);
}

static bool make_w1_tree_image(Stage *stage)
{
    return make_w1_tree(stage) && make_tree_image(stage);
}

// ---------------------------------------------------------------- cascades and walks

static bool end_roots(Stage *stage)
{
    stage->changes = stage->entities;
    for (uint32_t i = 0; i < ROOTS && i < stage->entities; i++) {
        if (firn_despawn(stage->w1.world, stage->ids[i], &stage->err) != FIRN_OK) {
            return false;
        }
    }
    return true;
}

static bool walk_children(Stage *stage)
{
    const firn_world *world = stage->w1.world;
    firn_component child_of = firn_child_of(world);
    for (uint32_t i = 0; i < stage->entities; i++) {
        firn_entity child = firn_first_source(world, child_of, stage->ids[i]);
        while (child != 0) {
            stage->sum += (double)child;
            child = firn_next_source(world, child_of, stage->ids[i], child);
        }
    }
    return true;
}

// ---------------------------------------------------------------- a dense relation

static bool relate_dense(Stage *stage)
{
    stage->changes = stage->entities > ROOTS ? stage->entities - ROOTS : 1;
    for (uint32_t i = ROOTS; i < stage->entities; i++) {
        if (firn_relate(stage->w1.world, stage->ids[i], stage->component, stage->ids[i % ROOTS],
                        NULL, &stage->err) != FIRN_OK) {
            return false;
        }
    }
    return true;
}

static bool unrelate_dense(Stage *stage)
{
    for (uint32_t i = ROOTS; i < stage->entities; i++) {
        if (firn_unrelate(stage->w1.world, stage->ids[i], stage->component, 0, &stage->err) !=
            FIRN_OK) {
            return false;
        }
    }
    return true;
}

static bool make_dense(Stage *stage)
{
    firn_component_desc desc = {.name = "Likes", .kind = FIRN_RELATION};
    if (!stage_fill_world(stage)) {
        return false;
    }
    stage->component = firn_component_register(stage->w1.world, &desc, &stage->err);
    return stage->component != 0 && relate_dense(stage);
}

const Scene relation_scenes[] = {
    {.name = "save_parent",
     .about = "a parent an entity, into a buffer that is used again",
     .setup = make_bare_tree,
     .run = stage_save},
    {.name = "save_parent_moved",
     .about = "the same, children listed in another order than their rows",
     .setup = make_moved_tree,
     .run = stage_save},
    {.name = "save_parent_shuffled",
     .about = "the same, ids in a random order",
     .kind = W1_SHUFFLED,
     .setup = make_bare_tree,
     .run = stage_save},
    {.name = "save_parent_w1",
     .about = "W1 in a tree, into a buffer that is used again",
     .setup = make_w1_tree_image,
     .run = stage_save},
    {.name = "load_parent",
     .about = "a parent an entity, into the world that holds it",
     .setup = make_bare_tree,
     .run = stage_load},
    {.name = "load_parent_moved",
     .about = "the same, children listed in another order than their rows",
     .setup = make_moved_tree,
     .run = stage_load},
    {.name = "load_parent_shuffled",
     .about = "the same, ids in a random order",
     .kind = W1_SHUFFLED,
     .setup = make_bare_tree,
     .run = stage_load},
    {.name = "load_parent_w1",
     .about = "W1 in a tree, into the world that holds it",
     .setup = make_w1_tree_image,
     .run = stage_load},
    {.name = "relate_sparse",
     .about = "W1 to its parents one by one, done before",
     .setup = make_w1_tree,
     .before = unrelate_children,
     .run = relate_children},
    {.name = "relate_sparse_again",
     .about = "W1 to other parents one by one",
     .setup = make_w1_tree,
     .before = move_children,
     .run = relate_children},
    {.name = "unrelate_sparse",
     .about = "W1 from its parents one by one, done before",
     .setup = make_w1_tree,
     .before = relate_children,
     .run = unrelate_children},
    {.name = "relate_dense",
     .about = "W1 to 16 targets one by one, done before",
     .setup = make_dense,
     .before = unrelate_dense,
     .run = relate_dense},
    {.name = "unrelate_dense",
     .about = "W1 from 16 targets one by one, done before",
     .setup = make_dense,
     .before = relate_dense,
     .run = unrelate_dense},
    {.name = "cascade",
     .about = "the end of all roots of W1 in a tree",
     .before = make_w1_tree,
     .run = end_roots},
    {.name = "sources",
     .about = "the children of each entity of W1 in a tree",
     .setup = make_w1_tree,
     .run = walk_children},
};
const uint32_t relation_scene_count = FIRN_COUNT(relation_scenes);
