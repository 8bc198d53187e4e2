#include "api/salvage_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char world_entry[] = "\x02\x2c__firn.world\x09\x01\x24tick\x06\x07\0\0\0";

static firn_result note_loss(void *user, const firn_loss *loss, firn_error *err)
{
    (void)err;
    saved_image *to = user;
    assert_string_equal(loss->section, "");
    assert_true(loss->message[0] != 0 && strchr(loss->message, '\n') == NULL);
    if (to->count < 16) {
        to->losses[to->count] = *loss;
        snprintf(to->subjects[to->count], sizeof to->subjects[0], "%s", loss->subject);
        snprintf(to->messages[to->count], sizeof to->messages[0], "%s", loss->message);
    }
    to->count++;
    return FIRN_OK;
}

// Salvages, which must succeed, and frees the builder. The result checks and loads.
saved_image salvage_with(image_builder *from, const firn_image_options *options)
{
    saved_image saved = {.count = 0};
    const firn_load_options keep = {.keep_unknown = true};
    assert_ok(firn_image_salvage(from->bytes, from->size, options, note_loss, &saved, &saved.bytes,
                                 &saved.summary, &saved.err),
              &saved.err);
    assert_int_equal(saved.summary.losses, saved.count);
    assert_int_equal(saved.summary.whole, saved.count == 0);
    saved.image = firn_image_open(saved.bytes.data, saved.bytes.size, NULL, &saved.err);
    assert_non_null(saved.image);
    firn_image_info info;
    firn_image_describe(saved.image, &info);
    assert_int_equal(info.prelude.entity_count, saved.summary.entities);
    assert_int_equal(info.prelude.frame_count, saved.summary.frames);
    firn_world *world = firn_world_create(NULL, &saved.err);
    assert_ok(
        firn_snapshot_load(world, saved.bytes.data, saved.bytes.size, &keep, NULL, &saved.err),
        &saved.err);
    assert_int_equal(firn_entity_count(world), saved.summary.entities);
    firn_world_destroy(world);
    free(from->bytes);
    return saved;
}

saved_image salvage(image_builder *from)
{
    return salvage_with(from, NULL);
}

void free_saved(saved_image *saved)
{
    firn_image_close(saved->image);
    firn_buffer_free(&saved->bytes);
}

void assert_loss(const saved_image *saved, uint32_t index, firn_loss_kind kind, const char *subject)
{
    assert_true(index < saved->count);
    if (saved->losses[index].kind != kind || strcmp(saved->subjects[index], subject) != 0)
        fail_msg("loss %u is of kind %d about \"%s\": %s", index, saved->losses[index].kind,
                 saved->subjects[index], saved->messages[index]);
}

void assert_entities(const saved_image *saved, uint32_t archetype, uint32_t count, ...)
{
    firn_entity ids[16];
    va_list wanted;
    assert_int_equal(firn_image_entities(saved->image, archetype, 0, ids, 16), count);
    va_start(wanted, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(ids[i], va_arg(wanted, int));
    va_end(wanted);
}

// ---------------------------------------------------------------- a small image

// Three components: a raw one, a string, a table.
image_builder begin_parts(uint32_t entities, uint32_t frames)
{
    image_builder image = {0};
    image_add_front(&image, 20, entities, frames, 3);
    image_add_text(&image, "Flags");
    image_add_text(&image, "on:bool|1");
    image_add_text(&image, "Name of it");
    image_add_text(&image, "");
    image_add_text(&image, "Bag");
    image_add_text(&image, "");
    return image;
}

void add_head(image_builder *image, uint32_t columns, uint32_t rows, const uint32_t *which,
              uint32_t mode)
{
    image_add_number(image, columns);
    image_add_number(image, rows);
    for (uint32_t i = 0; i < columns; i++)
        image_add_number(image, which[i]);
    image_add_number(image, mode);
}

void add_ids(image_builder *image, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        image_add_id(image, first + i);
}

// A frame of all three components, column by column, with the ids from `first` on.
size_t add_whole_frame(image_builder *image, uint32_t first)
{
    const uint32_t all[] = {1, 2, 3};
    size_t at = image->size;
    add_head(image, 3, 3, all, 0);
    add_ids(image, first, 3);
    image_add_bytes(image, "\x01\x00\x01", 3);
    image_add_text(image, "ann");
    image_add_text(image, "bob");
    image_add_text(image, "cid");
    image_add_bytes(image, "\x0c\x02\x02\x08\x0c\x02\x01", 7);
    return at;
}

void add_end(image_builder *image)
{
    image_add_bytes(image, world_entry, sizeof world_entry - 1);
    image_add_byte(image, 0x01);
}

void add_list(image_builder *image, const char *relation, double target, uint32_t count, ...)
{
    char ids[64] = "", number[8];
    va_list sources;
    assert_true(count <= 8);
    va_start(sources, count);
    for (uint32_t i = 0; i < count && i < 8; i++)
        ids[8 * i] = (char)va_arg(sources, int);
    va_end(sources);
    uint64_t bits;
    memcpy(&bits, &target, 8);
    for (int i = 0; i < 8; i++)
        number[i] = (char)(bits >> 8 * i);
    image_add_bytes(image, "\x0c\x04", 2);
    image_add_text(image, relation);
    image_add_byte(image, 0x07);
    image_add_bytes(image, number, 8);
    image_add_string(image, ids, 8 * (size_t)count);
}

void begin_lists(image_builder *image, uint32_t count)
{
    image_add_byte(image, 0x02);
    image_add_text(image, "__firn.order");
    image_add_byte(image, 0x0c);
    image_add_byte(image, (uint8_t)(count + 1));
}

// ---------------------------------------------------------------- without memory

void fail_each_allocation(image_builder *image)
{
    test_allocator memory;
    test_allocator_init(&memory);
    const firn_image_schema schema = {"Bag", ""};
    firn_image_options options = {
        .allocator = &memory.allocator, .schemas = &schema, .schema_count = 1};
    firn_result result = FIRN_NO_MEMORY;
    firn_buffer good = {0};
    assert_ok(
        firn_image_salvage(image->bytes, image->size, &options, NULL, NULL, &good, NULL, NULL),
        NULL);
    for (uint64_t call = 1; result != FIRN_OK || memory.injected; call++) {
        firn_error err = {.code = FIRN_OK};
        firn_buffer out;
        firn_salvage_summary summary;
        firn_buffer_init(&out, &memory.allocator);
        test_allocator_fail_at(&memory, call, false);
        result = firn_image_salvage(image->bytes, image->size, &options, NULL, NULL, &out, &summary,
                                    &err);
        if (result == FIRN_OK) { // it does without
            assert_int_equal(out.size, good.size);
            assert_memory_equal(out.data, good.data, good.size);
        } else {
            assert_int_equal(result, FIRN_NO_MEMORY);
            assert_int_equal(err.code, FIRN_NO_MEMORY);
            assert_int_equal(out.size, 0);
        }
        firn_buffer_free(&out);
        assert_no_leak(&memory);
    }
    firn_buffer_free(&good);
    free(image->bytes);
}
