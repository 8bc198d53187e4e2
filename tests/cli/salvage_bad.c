// What firn salvage makes of damaged snapshots: verify takes it, or nothing is written.
#include "cli/golden.h"
#include "golden/firn_build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- salvage, then verify

typedef struct salvage_tally {
    uint32_t tried;
    uint32_t saved;
} salvage_tally;

static salvage_tally tally;

static void salvage_and_verify(cli_test *t, const char *file)
{
    tally.tried++;
    int status = cli_run(t, "salvage", file, "-o", "out", NULL);
    if (status == 2) {
        assert_says(t->err, "nothing was written");
        assert_false(cli_has(t, "out"));
        return;
    }
    tally.saved++;
    if (cli_run(t, "verify", "out", NULL) != 0)
        fail_msg("%s: salvaged, and then: %s", file, t->err);
}

static void what_comes_of_bad_files_verifies(void **state)
{
    cli_test *t = *state;
    static const char *const folders[] = {"corrupt", "invalid",   "limit",   "not_ours",
                                          "refused", "truncated", "unknown", "version"};
    for (size_t i = 0; i < FIRN_COUNT(folders); i++) {
        char folder[32];
        (void)snprintf(folder, sizeof folder, "errors/%s", folders[i]);
        assert_true(cli_each_golden(t, folder, ".bin", salvage_and_verify) > 0);
    }
}

// Also behind a state that no game is there to know.
static void a_stack_with_a_state_that_is_no_name_goes(void **state)
{
    cli_test *t = *state;
    cli_put_golden(t, "errors/corrupt/state_is_a_number.bin");
    assert_int_equal(
        cli_run(t, "salvage", "errors/corrupt/state_is_a_number.bin", "-o", "out.bin", NULL), 1);
    assert_says(t->out, "data __tecs.stateStack is lost: no world can have it\n");
    assert_int_equal(cli_run(t, "verify", "out.bin", NULL), 0);
}

// ---------------------------------------------------------------- bytes by chance

static void damage(test_random *random, uint8_t *bytes, size_t size)
{
    for (uint32_t i = 0, times = 1 + test_random_below(random, 3); i < times; i++) {
        size_t at = test_random_below(random, (uint32_t)size);
        uint32_t how = test_random_below(random, 3);
        // A digit of a target, a bit, or any byte.
        if (bytes[at] >= '0' && bytes[at] <= '9')
            bytes[at] = (uint8_t)('0' + test_random_below(random, 10));
        else if (how == 0)
            bytes[at] ^= (uint8_t)(1u << test_random_below(random, 8));
        else
            bytes[at] = (uint8_t)test_random_below(random, how == 1 ? 8 : 256);
    }
}

static void damage_at_random(cli_test *t, const char *file)
{
    firn_buffer good = {0};
    const firn_buffer *bytes = cli_get(t, file);
    test_random random = {.state = bytes->size};
    assert_ok(firn_buffer_append(&good, bytes->data, bytes->size, NULL), NULL);
    for (int i = 0; i < 1000; i++) {
        uint8_t *copy = malloc(good.size);
        assert_non_null(copy);
        memcpy(copy, good.data, good.size);
        damage(&random, copy, good.size);
        cli_forget(t);
        cli_put(t, "broken.bin", copy, good.size);
        salvage_and_verify(t, "broken.bin");
        free(copy);
    }
    firn_buffer_free(&good);
}

static void what_comes_of_random_damage_verifies(void **state)
{
    cli_test *t = *state;
    tally = (salvage_tally){0};
    assert_true(cli_each_golden(t, "firn", ".bin", damage_at_random) > 0);
    assert_true(tally.saved > tally.tried / 2);
}

// ---------------------------------------------------------------- relations by hand

#define EDGE "\x09\x01\x26target\x06"

static void add_edge(image_builder *image, uint8_t target)
{
    image_add_bytes(image, EDGE, sizeof EDGE - 1);
    image_add_bytes(image, (const uint8_t[]){target, 0, 0, 0}, 4);
}

// One frame of two entities that has these components, `fingerprint` is that of the first.
static image_builder begin_edges(uint32_t columns, const char *const *names,
                                 const char *fingerprint)
{
    image_builder image = {0};
    image_add_front(&image, 9, 2, 1, columns);
    for (uint32_t i = 0; i < columns; i++) {
        image_add_text(&image, names[i]);
        image_add_text(&image, i == 0 ? fingerprint : "");
    }
    image_add_frame(&image, columns, 2);
    return image;
}

static void add_list(image_builder *image, const char *relation, uint32_t target, uint32_t source)
{
    image_add_byte(image, 0x02);
    image_add_text(image, "__firn.order");
    image_add_bytes(image, "\x0c\x02\x0c\x04", 4);
    image_add_text(image, relation);
    image_add_number(image, target);
    image_add_string(image, (const char[]){(char)source, 0, 0, 0, 0, 0, 0, 0}, 8);
}

static void end_edges(cli_test *t, image_builder *image)
{
    image_add_byte(image, 0x02);
    image_add_text(image, "__firn.world");
    image_add_bytes(image, "\x09\x01\x24tick\x06\x07\0\0\0\x01", 13);
    cli_forget(t);
    cli_put(t, "broken.bin", image->bytes, image->size);
    free(image->bytes);
}

// It is not whole, something is left, and that is.
static void assert_mended(cli_test *t, const char *says)
{
    if (cli_run(t, "verify", "broken.bin", NULL) != 1)
        fail_msg("nothing is broken that says: %s", says);
    assert_int_equal(cli_run(t, "salvage", "broken.bin", "-o", "out.bin", NULL), 1);
    assert_says(t->out, says);
    assert_says(t->out, "entities 2 of 2, ");
    assert_int_equal(cli_run(t, "verify", "out.bin", NULL), 0);
    assert_int_equal(cli_run(t, "salvage", "out.bin", "-n", NULL), 0);
}

static void a_column_without_a_target_goes(void **state)
{
    cli_test *t = *state;
    static const char *const names[] = {"Likes->0",
                                        "Likes->01",
                                        "Likes->x",
                                        "Likes->",
                                        "Likes->-1",
                                        "Likes->1e3",
                                        "Likes->99999999999999999"};
    for (size_t i = 0; i < FIRN_COUNT(names); i++) {
        const char *const columns[] = {names[i], "Likes->1"};
        char says[128];
        (void)snprintf(says, sizeof says, "%s is lost, of 2 entities: no world can have it\n",
                       names[i]);
        image_builder image = begin_edges(2, columns, "");
        for (int k = 0; k < 4; k++)
            add_edge(&image, 1);
        end_edges(t, &image);
        assert_mended(t, says);
        assert_int_equal(cli_run(t, "info", "out.bin", NULL), 0);
        assert_says(t->out, "Likes->1");
    }
}

static void an_edge_to_another_target_goes(void **state)
{
    cli_test *t = *state;
    image_builder image = begin_edges(1, (const char *const[]){"Likes->1"}, "");
    add_edge(&image, 1);
    add_edge(&image, 2);
    end_edges(t, &image);
    assert_mended(t, "Likes->1 of entity 2 is lost: no world can have the value\n");
    assert_int_equal(cli_run(t, "dump", "out.bin", NULL), 0);
    assert_says(t->out, "Likes->1");
    // What a codec made stays.
    image = begin_edges(1, (const char *const[]){"Likes->1"}, "");
    image_add_text(&image, "of a codec");
    image_add_bytes(&image, "\x0d\x02\x02\x02\x06\7\0\0\0\x02\x23key\x02", 15);
    end_edges(t, &image);
    assert_int_equal(cli_run(t, "salvage", "-n", "broken.bin", NULL), 0);
    // No number, none at all, and edges that are none.
    static const char *const values[] = {"\x09\x01\x26target\x21x", "\x09\x01\x25"
                                                                    "edges\x08"};
    for (size_t i = 0; i < FIRN_COUNT(values); i++) {
        image = begin_edges(1, (const char *const[]){"Likes->1"}, "");
        image_add_bytes(&image, values[i], strlen(values[i]));
        add_edge(&image, 1);
        end_edges(t, &image);
        assert_mended(t, "Likes->1 of entity 1 is lost: ");
    }
}

// What only a codec can tell ends neither verify nor salvage.
static void what_a_codec_made_hides_nothing_behind_it(void **state)
{
    cli_test *t = *state;
    static const char *const names[] = {"A->1", "B->1", "C->1", "D->1",   "E->1",
                                        "F->1", "G->1", "H->1", "ChildOf"};
    for (uint32_t coded = 1; coded < FIRN_COUNT(names); coded++) {
        image_builder image = begin_edges(coded + 1, names + FIRN_COUNT(names) - 1 - coded, "");
        for (uint32_t i = 0; i < 2 * coded; i++)
            image_add_text(&image, "of a codec");
        image_add_bytes(&image, "\x09\x01\x26target\x21x", 11);
        add_edge(&image, 1);
        end_edges(t, &image);
        assert_mended(t, "ChildOf of entity 1 is lost: no world can have the value\n");
    }
    const char *const salvage[] = {"firn", "salvage", "-n", "broken.bin"};
    cli_run_without_memory(t, 4, salvage);
    const char *const verify[] = {"firn", "verify", "broken.bin"};
    cli_run_without_memory(t, 3, verify);
}

static void more_wrong_targets_than_tries_go(void **state)
{
    cli_test *t = *state;
    image_builder image = {0};
    image_add_front(&image, 400, 300, 1, 1);
    image_add_text(&image, "Likes->3");
    image_add_text(&image, "");
    image_add_frame(&image, 1, 300);
    for (int i = 0; i < 300; i++)
        add_edge(&image, 1);
    end_edges(t, &image);
    assert_int_equal(cli_run(t, "salvage", "broken.bin", "-o", "out.bin", NULL), 1);
    assert_says(t->out, "and 100 losses more\nentities 300 of 300, ");
    assert_int_equal(cli_run(t, "verify", "out.bin", NULL), 0);
}

// Values of a relation whose sources are listed.
static void values_of_listed_relations_that_are_no_edges_go(void **state)
{
    cli_test *t = *state;
    static const char *const values[] = {"\x09\x01\x26target\x21x",              // no number
                                         "\x09\x01\x26target\x06\1\x80\x80\x80", // negative
                                         "\x09\x01\x25"
                                         "edges\x02", // no list
                                         "\x09\x01\x25"
                                         "edges\x0c\x03" EDGE "\1\1\1\1" EDGE
                                         "\1\1\1\1"}; // one twice
    for (size_t i = 0; i < FIRN_COUNT(values); i++) {
        image_builder image = begin_edges(1, (const char *const[]){"Knows"}, "");
        size_t at = image.size;
        image_add_bytes(&image, values[i], strlen(values[i]));
        // Targets hold no zeros above.
        for (size_t k = at; k + 4 < image.size; k++)
            if (image.bytes[k] == 6 && image.bytes[k + 1] == 1 && image.bytes[k + 2] == 1)
                memset(&image.bytes[k + 2], 0, 3);
        add_edge(&image, 1);
        add_list(&image, "Knows", 1, 2);
        end_edges(t, &image);
        assert_mended(t, "Knows of entity 1 is lost: no world can have the value\n");
    }
}

static void components_that_contradict_their_relation_go(void **state)
{
    cli_test *t = *state;
    static const char *const names[][2] = {{"Likes->1", "Likes"},
                                           {"Likes", "Likes->1"},
                                           {"ChildOf->1", "Other"},
                                           {"ChildOf->1", "ChildOf"}};
    for (size_t i = 0; i < FIRN_COUNT(names); i++) {
        image_builder image = begin_edges(2, names[i], "");
        add_edge(&image, 1);
        add_edge(&image, 1);
        add_edge(&image, 2);
        add_edge(&image, 1);
        end_edges(t, &image);
        assert_int_equal(cli_run(t, "verify", "broken.bin", NULL), 1);
        salvage_and_verify(t, "broken.bin");
        assert_true(cli_has(t, "out"));
    }
    static const char *const raw[] = {"ChildOf", "Name", "Likes"};
    for (size_t i = 0; i < FIRN_COUNT(raw); i++) {
        image_builder image = begin_edges(2, (const char *const[]){raw[i], "Likes->1"}, "a:bool|1");
        image_add_bytes(&image, "\1\0", 2);
        add_edge(&image, 1);
        add_edge(&image, 1);
        end_edges(t, &image);
        assert_mended(t, " is lost, of 2 entities: no world can have it\n");
    }
}

// Row by row an edge that cannot be goes with its entity.
static void rows_that_lie_one_by_one_go_whole(void **state)
{
    cli_test *t = *state;
    for (uint8_t zero = 0; zero < 2; zero++) {
        image_builder image = {0};
        image_add_front(&image, 9, 3, 2, 2);
        image_add_text(&image, "Likes->1");
        image_add_text(&image, "");
        image_add_text(&image, zero ? "Likes->0" : "Likes->2");
        image_add_text(&image, "");
        for (uint32_t frame = 0; frame < 2; frame++) {
            image_add_number(&image, 1);
            image_add_number(&image, 1 + frame);
            image_add_number(&image, 1 + frame);
            image_add_number(&image, 1);
            for (uint32_t row = 0; row <= frame; row++) {
                image_add_number(&image, 1 + frame + row);
                image_add_number(&image, 1);
                add_edge(&image, (uint8_t)(1 + (zero ? 0 : row)));
            }
        }
        end_edges(t, &image);
        assert_int_equal(cli_run(t, "salvage", "broken.bin", "-o", "out.bin", NULL), 1);
        assert_says(t->out, "is lost: no world can have a value of it\n");
        assert_int_equal(cli_run(t, "verify", "out.bin", NULL), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cli_unit_test(what_comes_of_bad_files_verifies),
        cli_unit_test(a_stack_with_a_state_that_is_no_name_goes),
        cli_unit_test(what_comes_of_random_damage_verifies),
        cli_unit_test(a_column_without_a_target_goes),
        cli_unit_test(an_edge_to_another_target_goes),
        cli_unit_test(what_a_codec_made_hides_nothing_behind_it),
        cli_unit_test(more_wrong_targets_than_tries_go),
        cli_unit_test(values_of_listed_relations_that_are_no_edges_go),
        cli_unit_test(components_that_contradict_their_relation_go),
        cli_unit_test(rows_that_lie_one_by_one_go_whole),
    };
    return cmocka_run_group_tests_name("cli_salvage_bad", tests, NULL, NULL);
}
