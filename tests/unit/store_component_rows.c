// Rows of components: filled from the default, moved; blobs.
#include "store_components.h"

#include <stdlib.h>

static void blobs_hold_up_to_12_bytes_inline(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    uint8_t bytes[40];
    for (uint8_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i + 1);
    }
    assert_int_equal(sizeof(fr_blob), FIRN_ROW_SIZE);
    for (uint32_t size = 1; size <= sizeof bytes; size++) {
        fr_blob blob;
        assert_true(fr_blob_make(&memory.allocator, bytes, size, &blob));
        assert_int_equal(memory.blocks, size > FR_BLOB_INLINE);
        assert_int_equal(blob.size, size);
        assert_memory_equal(fr_blob_bytes(&blob), bytes, size);
        fr_blob_free(&memory.allocator, &blob, 1);
        assert_no_leak(&memory);
    }
}

static void inline_blobs_have_no_garbage_behind_their_bytes(void **state)
{
    (void)state;
    fr_blob blob;
    fr_blob expected;
    memset(&blob, 0xaa, sizeof blob);
    memset(&expected, 0, sizeof expected);
    expected.size = 2;
    memcpy(expected.bytes, "ab", 2);
    assert_true(fr_blob_make(firn_allocator_default(), (const uint8_t *)"ab", 2, &blob));
    assert_memory_equal(&blob, &expected, sizeof blob);
}

static void a_blob_without_memory_stays_as_it_was(void **state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory);
    fr_blob blob;
    fr_blob before;
    memset(&blob, 0x11, sizeof blob);
    before = blob;
    test_allocator_fail_at(&memory, 1, true);
    assert_false(fr_blob_make(&memory.allocator, (const uint8_t *)"0123456789abc", 13, &blob));
    assert_memory_equal(&blob, &before, sizeof blob);
    assert_no_leak(&memory);
}

static void default_rows_fill_any_number_of_rows(void **state)
{
    (void)state;
    components_fixture f;
    open_components(&f);
    mover row = {.state = 3, .x = 1.5f, .moving = true};
    firn_component_desc desc = mover_desc("Filled");
    desc.default_row = &row;
    const fr_component *filled = must_add(&f, &desc, NULL);
    desc = mover_desc("Zero");
    const fr_component *zero = must_add(&f, &desc, NULL);
    static const size_t counts[] = {0, 1, 2, 3, 7, 8, 1000};
    for (size_t i = 0; i < FIRN_COUNT(counts); i++) {
        size_t n = counts[i];
        uint8_t *rows = malloc((n + 1) * sizeof(mover));
        assert_non_null(rows);
        for (unsigned pass = 0; pass < 2; pass++) {
            const fr_component *component = pass == 0 ? filled : zero;
            memset(rows, 0xcc, (n + 1) * sizeof(mover));
            assert_true(fr_component_fill(&f.memory.allocator, component, rows, n));
            for (size_t at = 0; at < n; at++) {
                assert_memory_equal(rows + at * sizeof(mover), component->default_row,
                                    sizeof(mover));
            }
            assert_int_equal(rows[n * sizeof(mover)], 0xcc);
        }
        free(rows);
    }
    close_components(&f);
}

static void tags_have_no_rows_to_fill_or_move(void **state)
{
    (void)state;
    components_fixture f;
    open_components(&f);
    const fr_component *tag =
        must_add(&f, &(firn_component_desc){.name = "t", .kind = FIRN_TAG}, NULL);
    assert_true(fr_component_fill(&f.memory.allocator, tag, NULL, 10));
    fr_component_move(tag, NULL, NULL, 10);
    close_components(&f);
}

static const fr_component *add_text(components_fixture *f, const char *name, const char *text)
{
    firn_doc *doc = firn_doc_create(NULL, NULL, &f->err);
    firn_component_desc desc = {.name = name, .kind = FIRN_STRING};
    desc.default_value = firn_value_text(doc, text, NULL);
    const fr_component *component = must_add(f, &desc, NULL);
    firn_doc_destroy(doc);
    return component;
}

static void text_rows_are_copies_of_their_own(void **state)
{
    (void)state;
    components_fixture f;
    open_components(&f);
    const fr_component *text = add_text(&f, "text", "longer than twelve bytes");
    const fr_component *brief = add_text(&f, "brief", "short");
    fr_blob rows[9];
    uint64_t blocks = f.memory.blocks;
    assert_true(fr_component_fill(&f.memory.allocator, text, rows, 9));
    assert_int_equal(f.memory.blocks, blocks + 9);
    for (unsigned i = 0; i < 9; i++) {
        assert_memory_equal(fr_blob_bytes(&rows[i]) + 1, "longer than twelve bytes", 24);
    }
    fr_blob_free(&f.memory.allocator, rows, 9);
    assert_true(fr_component_fill(&f.memory.allocator, brief, rows, 9));
    assert_int_equal(f.memory.blocks, blocks);
    assert_memory_equal(fr_blob_bytes(&rows[8]) + 1, "short", 5);
    close_components(&f);
}

static void a_fill_without_memory_owns_nothing(void **state)
{
    (void)state;
    components_fixture f;
    open_components(&f);
    const fr_component *text = add_text(&f, "text", "longer than twelve bytes");
    fr_blob rows[9];
    uint64_t blocks = f.memory.blocks;
    for (uint64_t call = 1; call <= 9; call++) {
        test_allocator_fail_at(&f.memory, call, false);
        assert_false(fr_component_fill(&f.memory.allocator, text, rows, 9));
        assert_int_equal(f.memory.blocks, blocks);
    }
    test_allocator_fail_at(&f.memory, 0, false);
    close_components(&f);
}

static void rows_move_as_bytes(void **state)
{
    (void)state;
    components_fixture f;
    open_components(&f);
    firn_component_desc desc = mover_desc("Mover");
    const fr_component *component = must_add(&f, &desc, NULL);
    mover from[3] = {{.x = 1}, {.x = 2}, {.x = 3}};
    mover to[4];
    memset(to, 0xcc, sizeof to);
    fr_component_move(component, to, from, 3);
    assert_memory_equal(to, from, sizeof from);
    assert_int_equal(((uint8_t *)to)[sizeof from], 0xcc);
    fr_component_move(component, NULL, NULL, 0);
    close_components(&f);
}

// Counts its rows, and marks them as moved.
static void marking_move(void *user, void *to, void *from, uint32_t count)
{
    mover *rows = to;
    memcpy(to, from, count * sizeof *rows);
    for (uint32_t i = 0; i < count; i++) {
        rows[i].state = 1;
    }
    *(uint32_t *)user += count;
}

static void rows_move_through_the_move_hook(void **state)
{
    (void)state;
    components_fixture f;
    open_components(&f);
    uint32_t moved = 0;
    firn_component_desc desc = mover_desc("Mover");
    desc.hooks = (firn_hooks){.move = marking_move, .user = &moved};
    const fr_component *component = must_add(&f, &desc, NULL);
    mover from[2] = {{.x = 1}, {.x = 2}};
    mover to[2];
    fr_component_move(component, to, from, 2);
    assert_int_equal(moved, 2);
    assert_true(to[0].state == 1 && to[1].state == 1 && to[1].x == 2);
    close_components(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blobs_hold_up_to_12_bytes_inline),
        cmocka_unit_test(inline_blobs_have_no_garbage_behind_their_bytes),
        cmocka_unit_test(a_blob_without_memory_stays_as_it_was),
        cmocka_unit_test(default_rows_fill_any_number_of_rows),
        cmocka_unit_test(tags_have_no_rows_to_fill_or_move),
        cmocka_unit_test(text_rows_are_copies_of_their_own),
        cmocka_unit_test(a_fill_without_memory_owns_nothing),
        cmocka_unit_test(rows_move_as_bytes),
        cmocka_unit_test(rows_move_through_the_move_hook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
