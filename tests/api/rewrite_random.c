// Random edits of random worlds, against loads into worlds that have the old names as former ones.
#include "api/rewrite_game.h"
#include "api/snapshot_zoo.h"

#include <stdio.h>

#define EDITS 8

// Names that come before, between and behind those of the game.
static const char *const new_names[] = {"Aa", "Bm", "Crow", "Kin", "Owl", "Pz", "Zed", "zoo"};

typedef struct random_edits {
    firn_edit edits[EDITS];
    char texts[EDITS][3][GAME_NAME];
    uint32_t count;
} random_edits;

static const char *keep_text(random_edits *all, uint32_t part, const char *text)
{
    (void)snprintf(all->texts[all->count][part], GAME_NAME, "%s", text);
    return all->texts[all->count][part];
}

// One that finds something, or, as most of the rest, one that does not.
static void add_edit(random_edits *all, game_names *names, test_random *random)
{
    uint32_t kind = test_random_below(random, GAME_KINDS);
    uint32_t field = test_random_below(random, GAME_FIELDS);
    const game_name *component = &names->components[kind];
    const game_name *part = &names->fields[kind][field];
    firn_edit edit = {.kind = (firn_edit_kind)test_random_below(random, 4)};
    bool of_field = edit.kind == FIRN_RENAME_FIELD || edit.kind == FIRN_DROP_FIELD;
    if (of_field && part->was == NULL)
        return;
    edit.component = keep_text(all, 0, component->now);
    edit.field = of_field ? keep_text(all, 1, part->now) : NULL;
    edit.to = keep_text(all, 2, new_names[test_random_below(random, FIRN_COUNT(new_names))]);
    if (game_edit(names, &edit))
        all->edits[all->count++] = edit;
}

static void check_seed(uint64_t seed)
{
    test_random random = {seed};
    game_names names;
    game_names_begin(&names);
    game_world game = game_make(&names);
    game_fill(&game, seed * 7, test_random_below(&random, 60));
    firn_buffer image = game_save(game.world);
    firn_world_destroy(game.world);
    random_edits all = {.count = 0};
    uint32_t wanted = test_random_below(&random, EDITS + 1);
    for (uint32_t i = 0; i < 3 * EDITS && all.count < wanted; i++)
        add_edit(&all, &names, &random);
    firn_buffer expected = game_expect(&names, &image);
    firn_buffer rewritten = game_rewrite(&image, all.edits, all.count);
    assert_same_bytes(&rewritten, &expected);
    firn_buffer again = game_rewrite(&rewritten, NULL, 0);
    assert_same_bytes(&again, &rewritten);
    firn_buffer_free(&image);
    firn_buffer_free(&expected);
    firn_buffer_free(&rewritten);
    firn_buffer_free(&again);
}

static void random_edits_give_what_a_load_with_former_names_gives(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        check_seed(seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_edits_give_what_a_load_with_former_names_gives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
