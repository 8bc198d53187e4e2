#include "golden/firn_build.h"

#include "support/support.h"

#include <stdlib.h>
#include <string.h>

void image_add_bytes(image_builder *to, const void *bytes, size_t size)
{
    if (to->size + size > to->room) {
        to->room = (to->size + size) * 2;
        to->bytes = realloc(to->bytes, to->room);
        assert_non_null(to->bytes);
    }
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

void image_add_byte(image_builder *to, uint8_t byte)
{
    image_add_bytes(to, &byte, 1);
}

void image_add_word(image_builder *to, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        image_add_byte(to, (uint8_t)(word >> (8 * i)));
}

void image_add_number(image_builder *to, uint32_t number)
{
    image_add_byte(to, 0x06);
    image_add_word(to, number);
}

void image_add_string(image_builder *to, const char *text, size_t size)
{
    if (size < 0xe0 - 0x20) {
        image_add_byte(to, (uint8_t)(size + 0x20));
    } else {
        image_add_byte(to, 0xff);
        image_add_word(to, (uint32_t)size + 0x20);
    }
    image_add_bytes(to, text, size);
}

void image_add_text(image_builder *to, const char *text)
{
    image_add_string(to, text, strlen(text));
}

void image_add_id(image_builder *to, uint32_t id)
{
    double number = id;
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    image_add_word(to, (uint32_t)bits);
    image_add_word(to, (uint32_t)(bits >> 32));
}

void image_add_front(image_builder *to, uint32_t next_slot, uint32_t entities, uint32_t frames,
                     uint32_t components)
{
    image_add_number(to, 1);
    image_add_number(to, next_slot);
    image_add_number(to, entities);
    image_add_number(to, frames);
    image_add_number(to, components);
}

void image_add_frame(image_builder *to, uint32_t columns, uint32_t rows)
{
    image_add_number(to, columns);
    image_add_number(to, rows);
    for (uint32_t i = 1; i <= columns; i++)
        image_add_number(to, i);
    image_add_number(to, 0);
    for (uint32_t i = 1; i <= rows; i++)
        image_add_id(to, i);
}

image_builder image_make_doubtful(void)
{
    image_builder image = {0};
    image_add_front(&image, 2, 1, 1, 3);
    image_add_text(&image, "First");
    image_add_text(&image, "a:int8_t|1");
    image_add_text(&image, "Second");
    image_add_text(&image, "b:int8_t|1");
    image_add_text(&image, "Third");
    image_add_text(&image, "c:int8_t|1");
    image_add_frame(&image, 3, 1);
    image_add_bytes(&image, "\x03\x21\x21\x03\x01", 5);
    return image;
}
