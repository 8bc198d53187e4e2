// A load beside entities that are kept: what it governs comes back exactly, others stay as they
// are.
#include "api/snapshot_zoo.h"
#include "base/array.h"
#include "snapshot/append.h"
#include "snapshot/beside.h"
#include "unit/store_renames.h"

#include <stdio.h>
#include <string.h>

#define MOST 64

// A world whose marked entities are saved; scenery is not.
typedef struct stage {
    test_allocator memory;
    zoo z;
    firn_component marked, likes, owns, holds, key, child_of;
    firn_entity scenery[8];
    firn_random random;
    uint32_t spawned;
    uint64_t fail_call;            // the allocation of the next load that fails; 0: none
    uint32_t moved;                // entities that were kept and got other ids
    firn_merged renamed[MOST * 8]; // by the next load
    uint32_t renamed_count;
} stage;

static firn_component relation(firn_world *world, const char *name, uint32_t bits)
{
    const firn_component_desc desc = {.name = name, .kind = FIRN_RELATION, .relation = bits};
    return zoo_register(world, &desc);
}

static void make_stage(stage *s)
{
    firn_error err;
    *s = (stage){.spawned = 0};
    test_allocator_init(&s->memory);
    s->z = zoo_make(&s->memory, false);
    const firn_component_desc marked = {.name = "Marked", .kind = FIRN_TAG};
    const firn_component_desc key = {.name = "Unique", .kind = FIRN_STRING, .unique = true};
    s->marked = zoo_register(s->z.world, &marked);
    s->key = zoo_register(s->z.world, &key);
    s->likes = relation(s->z.world, "Likes", 0);
    s->owns = relation(s->z.world, "Owns", FIRN_SPARSE | FIRN_REVERSE);
    s->holds = relation(s->z.world, "Holds", FIRN_REVERSE | FIRN_CASCADE);
    s->child_of = firn_child_of(s->z.world);
    for (uint32_t i = 0; i < 8; i++) {
        s->scenery[i] = zoo_spawn_one(s->z.world, s->z.of[i % ZOO_KINDS]);
        assert_ok(firn_set_text(s->z.world, s->scenery[i], s->z.of[ZOO_TITLE],
                                "scenery whose title is long", &err),
                  &err);
    }
    firn_random_start(&s->random, 7);
}

static void end_stage(stage *s)
{
    firn_world_destroy(s->z.world);
    assert_no_leak(&s->memory);
}

static uint32_t draw(stage *s, uint32_t most)
{
    return (uint32_t)firn_random_integer(&s->random, 0, most - 1);
}

// The entities of a query, in no order that matters.
static uint32_t list_entities(stage *s, const firn_term *terms, uint32_t term_count,
                              firn_entity *out)
{
    firn_error err;
    const firn_query_desc desc = {.terms = terms, .term_count = term_count};
    firn_query query = firn_query_create(s->z.world, &desc, &err);
    uint32_t count = 0;
    firn_iter it;
    firn_iter_begin(s->z.world, query, &it);
    while (firn_iter_next(&it))
        for (uint32_t i = 0; i < it.count; i++)
            out[count++] = it.entities[i];
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_ok(firn_query_destroy(s->z.world, query, &err), &err);
    return count;
}

static uint32_t list_marked(stage *s, firn_entity *out)
{
    const firn_term terms[] = {{.component = s->marked},
                               {.component = firn_disabled(s->z.world), .kind = FIRN_OPTIONAL}};
    return list_entities(s, terms, 2, out);
}

static firn_entity spawn_marked(stage *s)
{
    firn_error err;
    char text[40];
    firn_entity entity = zoo_spawn_one(s->z.world, s->marked);
    firn_component one = s->z.of[draw(s, ZOO_KINDS)];
    assert_ok(firn_add(s->z.world, entity, &one, 1, &err), &err);
    (void)snprintf(text, sizeof text, "key of more than 12 bytes %u", s->spawned++);
    if (draw(s, 2) == 0)
        assert_ok(firn_set_text(s->z.world, entity, s->key, text, &err), &err);
    return entity;
}

static void relate(stage *s, firn_entity source, firn_component of, firn_entity target)
{
    firn_error err;
    if (source != target && firn_alive(s->z.world, target)) // scenery may have moved
        assert_ok(firn_relate(s->z.world, source, of, target, NULL, &err), &err);
}

static void change_once(stage *s)
{
    firn_error err;
    firn_entity all[MOST * 2];
    uint32_t count = list_marked(s, all);
    firn_entity a = count == 0 ? 0 : all[draw(s, count)], b = count == 0 ? 0 : all[draw(s, count)];
    uint32_t what = draw(s, 12);
    firn_component one = s->z.of[draw(s, ZOO_KINDS)];
    if (count < 6 || (what < 3 && count < MOST)) {
        spawn_marked(s);
    } else if (what < 5) {
        assert_ok(firn_despawn(s->z.world, a, &err), &err);
    } else if (what < 6) {
        assert_ok(firn_add(s->z.world, a, &one, 1, &err), &err);
    } else if (what < 7) {
        assert_ok(firn_remove(s->z.world, a, &one, 1, &err), &err);
    } else if (what < 8) {
        relate(s, a, s->likes, draw(s, 3) == 0 ? s->scenery[draw(s, 8)] : b);
    } else if (what < 9) {
        relate(s, a, s->owns, b);
    } else if (what < 10) {
        relate(s, a, s->holds, b);
    } else if (what < 11) {
        relate(s, a, s->child_of, b);
    } else {
        assert_ok(firn_unrelate(s->z.world, a, s->likes, b, &err), &err);
    }
}

static void change(stage *s, uint32_t times)
{
    while (times-- > 0)
        change_once(s);
}

static firn_result pick_marked(void *user, firn_world *world, fr_picks *picks, firn_error *err)
{
    firn_entity all[MOST * 2];
    uint32_t count = list_marked(user, all);
    for (uint32_t i = 0; i < count; i++)
        if (!fr_picks_add(world, picks, all[i]))
            return firn_despawn(NULL, 0, err);
    return FIRN_OK;
}

static const firn_save_options sparse = {.sparse_edges = true};

static firn_buffer save_marked(stage *s)
{
    firn_error err;
    firn_buffer image = {0};
    assert_ok(fr_snapshot_append_with(s->z.world, &sparse,
                                      &(fr_append){.pick = pick_marked, .pick_user = s}, &image,
                                      &err),
              &err);
    return image;
}

static void assert_saves_as_sparse(stage *s, const firn_buffer *expected)
{
    firn_buffer now = zoo_save_with(s->z.world, &sparse);
    assert_same_bytes(&now, expected);
    firn_buffer_free(&now);
}

static firn_result try_load(stage *s, const firn_buffer *image, firn_error *err)
{
    firn_entity all[MOST * 2];
    const firn_load_options options = {0};
    firn_load_report report;
    struct fr_beside beside = {.governed = all,
                               .governed_count = list_marked(s, all),
                               .renamed = s->renamed,
                               .renamed_count = s->renamed_count};
    test_allocator_fail_at(&s->memory, s->fail_call, false);
    firn_result result = fr_snapshot_load_beside(s->z.world, image->data, image->size, &beside,
                                                 &options, &report, err);
    test_allocator_fail_at(&s->memory, 0, false);
    assert_true(report.committed == (result == FIRN_OK));
    firn_load_report_free(&report);
    if (result == FIRN_OK)
        s->moved += beside.moved_count;
    FR_ARRAY_FREE(&s->memory.allocator, beside.moved, beside.moved_room);
    return result;
}

static void load_marked(stage *s, const firn_buffer *image)
{
    firn_error err;
    assert_ok(try_load(s, image, &err), &err);
}

// ---- exactness

static void K14_what_is_governed_comes_back_exactly_with_order_ids_and_free_list(void **state)
{
    (void)state;
    stage s;
    make_stage(&s);
    for (int round = 0; round < 150; round++) {
        change(&s, 20);
        firn_buffer whole = zoo_save_with(s.z.world, &sparse), marked = save_marked(&s);
        change(&s, (uint32_t)round % 40);
        load_marked(&s, &marked);
        firn_buffer after = zoo_save_with(s.z.world, &sparse);
        assert_same_bytes(&whole, &after);
        firn_buffer_free(&whole);
        firn_buffer_free(&after);
        firn_buffer_free(&marked);
    }
    end_stage(&s);
}

// ---- what is kept

#define EXTRAS 40

// Entities that are not marked, told apart by their score; 0 where one is gone.
typedef struct extras {
    stage *s;
    firn_buffer text;
} extras;

static double score_of(const stage *s, firn_entity entity)
{
    const double *score = firn_get(s->z.world, entity, s->z.of[ZOO_SCORE]);
    return score == NULL ? 0 : *score;
}

static void print(extras *e, const char *name, double number)
{
    char text[64];
    int size = snprintf(text, sizeof text, " %s%g", name, number);
    assert_ok(firn_buffer_append(&e->text, text, (size_t)size, NULL), NULL);
}

// In an order of its own: by score.
static void print_targets(extras *e, const char *name, firn_entity entity, firn_component of)
{
    firn_entity targets[MOST];
    uint32_t count = firn_targets(e->s->z.world, entity, of, targets, MOST);
    double scores[MOST];
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        double score = score_of(e->s, targets[i]);
        if (score < 100)
            continue;
        uint32_t at = n++;
        for (; at > 0 && scores[at - 1] > score; at--)
            scores[at] = scores[at - 1];
        scores[at] = score;
    }
    for (uint32_t i = 0; i < n; i++)
        print(e, name, scores[i]);
}

static void print_sources(extras *e, const char *name, firn_entity entity, firn_component of)
{
    firn_entity source = firn_first_source(e->s->z.world, of, entity);
    for (; source != 0; source = firn_next_source(e->s->z.world, of, source, entity))
        if (score_of(e->s, source) >= 100)
            print(e, name, score_of(e->s, source));
}

static void print_extra(extras *e, firn_entity entity)
{
    stage *s = e->s;
    size_t size = 0;
    const char *key = firn_get_string(s->z.world, entity, s->key, &size);
    const zoo_body *body = firn_get(s->z.world, entity, s->z.of[ZOO_BODY]);
    print(e, "\nentity ", score_of(s, entity));
    if (key != NULL)
        assert_ok(firn_buffer_append(&e->text, key, size, NULL), NULL);
    if (body != NULL) {
        print(e, "target ", score_of(s, body->target));
        print(e, "number ", score_of(s, (firn_entity)body->target_number));
    }
    print_targets(e, "likes ", entity, s->likes);
    print_targets(e, "owns ", entity, s->owns);
    print_targets(e, "holds ", entity, s->holds);
    print_targets(e, "child of ", entity, s->child_of);
    print_sources(e, "owned by ", entity, s->owns);
    print_sources(e, "parent of ", entity, s->child_of);
}

static uint32_t list_extras(stage *s, firn_entity *out)
{
    const firn_term scored = {.component = s->z.of[ZOO_SCORE]};
    uint32_t count = 0, all = list_entities(s, &scored, 1, out);
    for (uint32_t i = 0; i < all; i++)
        if (score_of(s, out[i]) >= 100)
            out[count++] = out[i];
    return count;
}

static firn_buffer print_extras(stage *s)
{
    firn_entity all[EXTRAS * 8];
    extras e = {.s = s, .text = {0}};
    uint32_t count = list_extras(s, all);
    for (double score = 100; score < 100 + s->spawned; score++)
        for (uint32_t i = 0; i < count; i++)
            if (score_of(s, all[i]) == score)
                print_extra(&e, all[i]);
    return e.text;
}

static void spawn_extra(stage *s, firn_entity *all, uint32_t count)
{
    firn_error err;
    const double score = 100 + s->spawned++;
    firn_entity entity = zoo_spawn_one(s->z.world, s->z.of[ZOO_SCORE]);
    assert_ok(firn_set(s->z.world, entity, s->z.of[ZOO_SCORE], &score, &err), &err);
    if (count == 0)
        return;
    const zoo_body body = {.target = all[draw(s, count)],
                           .target_number = (double)all[draw(s, count)]};
    assert_ok(firn_set(s->z.world, entity, s->z.of[ZOO_BODY], &body, &err), &err);
    relate(s, entity, s->likes, all[draw(s, count)]);
    relate(s, entity, s->likes, all[draw(s, count)]);
    relate(s, all[draw(s, count)], s->likes, entity);
    relate(s, entity, s->owns, all[draw(s, count)]);
    relate(s, all[draw(s, count)], s->owns, entity);
    relate(s, all[draw(s, count)], s->holds, entity);
    relate(s, entity, s->child_of, all[draw(s, count)]);
    char text[40];
    (void)snprintf(text, sizeof text, "extra of more than 12 bytes %u", s->spawned);
    assert_ok(firn_set_text(s->z.world, entity, s->key, text, &err), &err);
}

static void change_extras(stage *s)
{
    firn_error err;
    firn_entity all[EXTRAS * 8];
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t count = list_extras(s, all);
        if (count < EXTRAS)
            spawn_extra(s, all, count);
        else
            assert_ok(firn_despawn(s->z.world, all[draw(s, count)], &err), &err);
    }
}

static void K14_who_is_kept_on_a_slot_of_the_save_moves_and_what_names_it_follows(void **state)
{
    (void)state;
    stage s;
    make_stage(&s);
    for (int round = 0; round < 150; round++) {
        change(&s, 20);
        firn_buffer marked = save_marked(&s);
        for (int i = 0; i < 4; i++) {
            change(&s, (uint32_t)round % 9);
            change_extras(&s);
        }
        firn_buffer before = print_extras(&s);
        load_marked(&s, &marked);
        firn_buffer after = print_extras(&s);
        assert_same_bytes(&before, &after);
        // What the world is can be saved and loaded, and marked entities are as they were.
        firn_buffer whole = zoo_save_with(s.z.world, &sparse);
        zoo_load(s.z.world, &whole);
        assert_int_equal(firn_entity_count(s.z.world) > 0, true);
        firn_buffer_free(&whole);
        firn_buffer_free(&before);
        firn_buffer_free(&after);
        firn_buffer_free(&marked);
    }
    assert_true(s.moved > 100);
    end_stage(&s);
}

// The entities of a list get each other's ids.
static void exchange(stage *s, test_random *random, firn_entity *all, uint32_t count)
{
    firn_entity left[EXTRAS * 8];
    uint32_t n = count;
    memcpy(left, all, count * sizeof *left);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = test_random_below(random, n);
        s->renamed[s->renamed_count++] = (firn_merged){.saved = all[i], .entity = left[at]};
        left[at] = left[--n];
    }
}

static bool has_slot(const firn_image *image, firn_entity entity)
{
    firn_entity all[MOST * 2];
    firn_image_info info;
    firn_image_describe(image, &info);
    for (uint32_t i = 0; i < info.prelude.frame_count; i++) {
        uint32_t count = firn_image_entities(image, i, 0, all, MOST * 2);
        for (uint32_t k = 0; k < count; k++)
            if ((all[k] & FIRN_SLOT_MAX) == (entity & FIRN_SLOT_MAX))
                return true;
    }
    return false;
}

// Those that are in the save and live, and those that are kept and need not move.
static void exchange_some(stage *s, test_random *random, const firn_buffer *marked)
{
    firn_error err;
    firn_entity all[EXTRAS * 8];
    firn_image *image = firn_image_open(marked->data, marked->size, NULL, &err);
    uint32_t archetype, row, count = 0, now = list_marked(s, all);
    for (uint32_t i = 0; i < now; i++)
        if (firn_image_find(image, all[i], &archetype, &row))
            all[count++] = all[i];
    s->renamed_count = 0;
    exchange(s, random, all, count);
    count = 0;
    now = list_extras(s, all);
    for (uint32_t i = 0; i < now; i++)
        if (!has_slot(image, all[i]))
            all[count++] = all[i];
    exchange(s, random, all, count);
    firn_image_close(image);
}

static void rename_now(stage *s, const firn_merged *pairs, uint32_t count)
{
    firn_error err;
    fr_renames renames = {.count = 0};
    for (uint32_t i = 0; i < count; i++)
        assert_true(fr_renames_add(s->z.world, &renames, pairs[i].saved, pairs[i].entity));
    assert_ok(renames_run(s->z.world, &renames, &err), &err);
    fr_renames_free(s->z.world, &renames);
}

static void K14_entities_that_a_load_renames_are_those_that_had_the_ids_before_it(void **state)
{
    (void)state;
    for (int32_t round = 0; round < 60; round++) {
        static stage s[2];
        firn_buffer after[2];
        test_random random = {(uint64_t)round};
        for (int i = 0; i < 2; i++) {
            make_stage(&s[i]);
            firn_random_start(&s[i].random, round);
            change(&s[i], 60);
            firn_buffer marked = save_marked(&s[i]);
            for (int k = 0; k < 6; k++) {
                change(&s[i], (uint32_t)round % 9);
                change_extras(&s[i]);
            }
            if (i == 0)
                exchange_some(&s[i], &random, &marked);
            else
                rename_now(&s[1], s[0].renamed, s[0].renamed_count);
            load_marked(&s[i], &marked);
            after[i] = zoo_save_with(s[i].z.world, &sparse);
            firn_buffer_free(&marked);
        }
        assert_same_bytes(&after[0], &after[1]);
        for (int i = 0; i < 2; i++) {
            firn_buffer_free(&after[i]);
            end_stage(&s[i]);
        }
    }
}

// Of whoever lives, to whatever id: of the image, of another one that lives, of nobody.
static void rename_at_random(stage *s, test_random *random, const firn_entity *saved,
                             uint32_t saved_count)
{
    firn_entity all[EXTRAS * 8 + MOST * 2];
    uint32_t count = list_marked(s, all);
    count += list_extras(s, all + count);
    s->renamed_count = test_random_below(random, 12);
    for (uint32_t i = 0; i < s->renamed_count; i++) {
        const firn_entity to[] = {saved[test_random_below(random, saved_count)],
                                  all[test_random_below(random, count)],
                                  fr_entity(1 + test_random_below(random, 150), i)};
        s->renamed[i] = (firn_merged){.saved = all[test_random_below(random, count)],
                                      .entity = to[test_random_below(random, 3)]};
    }
}

static void assert_works(stage *s)
{
    firn_hash before = zoo_hash(s->z.world);
    firn_buffer whole = zoo_save_with(s->z.world, &sparse);
    zoo_load(s->z.world, &whole);
    assert_int_equal(zoo_hash(s->z.world).total, before.total);
    firn_buffer_free(&whole);
}

static void K14_whoever_is_renamed_the_world_has_all_of_the_save_and_goes_on(void **state)
{
    (void)state;
    static stage s;
    test_random random = {3};
    make_stage(&s);
    for (int round = 0; round < 150; round++) {
        firn_entity saved[MOST * 2], now[MOST * 2];
        change(&s, 30);
        uint32_t count = list_marked(&s, saved);
        firn_buffer marked = save_marked(&s);
        for (int k = 0; k < 4; k++) {
            change(&s, (uint32_t)round % 9);
            change_extras(&s);
        }
        rename_at_random(&s, &random, saved, count);
        load_marked(&s, &marked);
        s.renamed_count = 0;
        assert_int_equal(list_marked(&s, now), count);
        for (uint32_t i = 0; i < count; i++)
            assert_true(firn_has(s.z.world, saved[i], s.marked));
        assert_works(&s);
        firn_buffer_free(&marked);
    }
    end_stage(&s);
}

// Each allocation fails by turns.
static void K14_a_load_that_fails_leaves_the_world_as_it_was(void **state)
{
    (void)state;
    firn_error err;
    stage s;
    make_stage(&s);
    for (int i = 0; i < 5; i++)
        change_extras(&s);
    change(&s, 60);
    firn_buffer marked = save_marked(&s);
    for (int i = 0; i < 12; i++) {
        change(&s, 5);
        change_extras(&s);
    }
    firn_buffer before = zoo_save_with(s.z.world, &sparse);
    firn_result result = FIRN_NO_MEMORY;
    while (result == FIRN_NO_MEMORY) {
        s.fail_call++;
        result = try_load(&s, &marked, &err);
        if (result == FIRN_NO_MEMORY)
            assert_saves_as_sparse(&s, &before);
    }
    assert_ok(result, &err);
    assert_true(s.fail_call > 50 && s.moved > 0);
    firn_buffer_free(&before);
    firn_buffer_free(&marked);
    end_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(K14_what_is_governed_comes_back_exactly_with_order_ids_and_free_list),
        cmocka_unit_test(K14_entities_that_a_load_renames_are_those_that_had_the_ids_before_it),
        cmocka_unit_test(K14_whoever_is_renamed_the_world_has_all_of_the_save_and_goes_on),
        cmocka_unit_test(K14_a_load_that_fails_leaves_the_world_as_it_was),
        cmocka_unit_test(K14_who_is_kept_on_a_slot_of_the_save_moves_and_what_names_it_follows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
