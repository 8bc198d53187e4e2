/// Damaged images by hand, and what comes of them.
#ifndef TESTS_API_SALVAGE_PARTS_H
#define TESTS_API_SALVAGE_PARTS_H

#include "firn/firn.h"
#include "golden/firn_build.h"
#include "support/support.h"

/// What a salvage came to.
typedef struct saved_image {
    firn_buffer bytes;
    firn_salvage_summary summary;
    firn_loss losses[16];
    char subjects[16][64];
    char messages[16][256];
    uint32_t count;
    firn_image *image; ///< of the bytes
    firn_error err;
} saved_image;

/// Salvages, which must succeed, and frees the builder. The result checks and loads.
saved_image salvage_with(image_builder *from, const firn_image_options *options);
saved_image salvage(image_builder *from);
void free_saved(saved_image *saved);
void assert_loss(const saved_image *saved, uint32_t index, firn_loss_kind kind,
                 const char *subject);
/// An archetype has `count` entities, with these ids.
void assert_entities(const saved_image *saved, uint32_t archetype, uint32_t count, ...);

/// The front of an image of 19 slots with three components: Flags (a raw bool), Name of it (a
/// string), Bag (a table).
image_builder begin_parts(uint32_t entities, uint32_t frames);
void add_head(image_builder *image, uint32_t columns, uint32_t rows, const uint32_t *which,
              uint32_t mode);
void add_ids(image_builder *image, uint32_t first, uint32_t count);
/// A frame of all three components, column by column, with three ids from `first` on. Returns where
/// it begins: a head of 30 bytes, the ids, three bools, "ann", "bob", "cid", three tables.
size_t add_whole_frame(image_builder *image, uint32_t first);
/// The end of the data, behind `__firn.world`.
void add_end(image_builder *image);
/// The entry of orders of sources, and each of its `count` lists: the sources follow.
void begin_lists(image_builder *image, uint32_t count);
void add_list(image_builder *image, const char *relation, double target, uint32_t count, ...);

/// Salvages with each allocation failing once, and frees the builder.
void fail_each_allocation(image_builder *image);

#endif
