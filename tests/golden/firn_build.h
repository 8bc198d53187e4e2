/// Images by hand, in the forms that other writers use.
#ifndef TESTS_GOLDEN_FIRN_BUILD_H
#define TESTS_GOLDEN_FIRN_BUILD_H

#include <stddef.h>
#include <stdint.h>

/// Begins zeroed; `bytes` is freed with free.
typedef struct image_builder {
    uint8_t *bytes;
    size_t size;
    size_t room;
} image_builder;

void image_add_bytes(image_builder *to, const void *bytes, size_t size);
void image_add_byte(image_builder *to, uint8_t byte);
/// Four bytes, little-endian.
void image_add_word(image_builder *to, uint32_t word);
/// An encoded number in its short form, five bytes.
void image_add_number(image_builder *to, uint32_t number);
/// An encoded string.
void image_add_string(image_builder *to, const char *text, size_t size);
void image_add_text(image_builder *to, const char *text);
/// Eight bytes: an id as it stands in a frame.
void image_add_id(image_builder *to, uint32_t id);
/// A prelude of version 1, without the component table.
void image_add_front(image_builder *to, uint32_t next_slot, uint32_t entities, uint32_t frames,
                     uint32_t components);
/// A frame of all components 1..columns in mode 0, with the ids 1..rows, without its columns.
void image_add_frame(image_builder *to, uint32_t columns, uint32_t rows);

/// An image of one entity. First is raw. Of the others one is a string of one byte and the other
/// raw, and it does not say which.
image_builder image_make_doubtful(void);

#endif
