#include "api/history_runs.h"

#include <stdlib.h>
#include <string.h>

#include "firn/diff.h"
#include "support/tree.h"

uint32_t history_count(const char *name, uint32_t usual)
{
    const char *text = getenv(name);
    unsigned long count = text != NULL ? strtoul(text, NULL, 10) : usual;
    assert_true(count > 0 && count <= 100000000);
    return (uint32_t)count;
}

// ---------------------------------------------------------------- what differs

static void print_diff(const firn_diff_side *wanted, const firn_diff_side *found)
{
    firn_error err;
    firn_buffer text = {0};
    const firn_diff_options options = {.limit = 20};
    firn_result result = firn_diff_text(wanted, found, &options, &text, NULL, &err);
    assert_ok(firn_buffer_append(&text, "", 1, NULL), NULL);
    print_error("%s\n", result == FIRN_OK ? (const char *)text.data : err.message);
    firn_buffer_free(&text);
}

static void print_value(const char *which, const void *encoded, size_t size)
{
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *value = size == 0 ? NULL : firn_value_decode(doc, encoded, size, &err);
    char *text = value == NULL ? NULL : test_tree_text(value);
    print_error("%s %s\n", which, text == NULL ? "nil" : text);
    free(text);
    firn_doc_destroy(doc);
}

static bool section_differs(const char *name, firn_save_file *wanted, firn_save_file *found)
{
    const void *a = "", *b = "";
    size_t a_size = 0, b_size = 0;
    firn_result in_a = firn_save_file_section(wanted, name, &a, &a_size, NULL);
    firn_result in_b = firn_save_file_section(found, name, &b, &b_size, NULL);
    if (in_a == in_b && a_size == b_size && memcmp(a, b, a_size) == 0)
        return false;
    print_error("the section %s differs: %u bytes, not %u\n", name, (unsigned)b_size,
                (unsigned)a_size);
    if (strcmp(name, FIRN_SECTION_SNAPSHOT) == 0) {
        print_diff(&(firn_diff_side){.bytes = a, .size = a_size},
                   &(firn_diff_side){.bytes = b, .size = b_size});
    } else {
        print_value("wanted", a, a_size);
        print_value("found ", b, b_size);
    }
    return true;
}

bool history_differs(const firn_buffer *wanted, const firn_buffer *found)
{
    static const char *const sections[] = {FIRN_SECTION_SNAPSHOT, FIRN_SECTION_PERSIST,
                                           FIRN_SECTION_VARIABLES, FIRN_SECTION_CUSTOM};
    firn_error err;
    firn_save_file *a = firn_save_file_open(wanted->data, wanted->size, NULL, &err);
    firn_save_file *b = firn_save_file_open(found->data, found->size, NULL, &err);
    assert_true(a != NULL && b != NULL);
    const firn_save_header *x = firn_save_file_header(a), *y = firn_save_file_header(b);
    bool differs = x->tick != y->tick || strcmp(x->level, y->level) != 0 ||
                   memcmp(&x->play_time, &y->play_time, sizeof x->play_time) != 0;
    if (differs)
        print_error("%s, tick %u, %.17g seconds; not %s, tick %u, %.17g seconds\n", y->level,
                    (unsigned)y->tick, y->play_time, x->level, (unsigned)x->tick, x->play_time);
    for (uint32_t i = 0; i < FIRN_COUNT(sections); i++)
        differs = section_differs(sections[i], a, b) || differs;
    firn_save_file_close(a);
    firn_save_file_close(b);
    return differs;
}

static firn_result note_difference(void *user, const firn_difference *difference, firn_error *err)
{
    (void)err;
    *(bool *)user = *(bool *)user || difference->kind != FIRN_DIFFERENCE_HEADER;
    return FIRN_OK;
}

void history_compare_beside(history *wanted, history *found)
{
    static const char *const sections[] = {FIRN_SECTION_PERSIST, FIRN_SECTION_VARIABLES};
    firn_error err;
    firn_buffer a = history_save(wanted), b = history_save(found);
    firn_save_file *x = firn_save_file_open(a.data, a.size, NULL, &err);
    firn_save_file *y = firn_save_file_open(b.data, b.size, NULL, &err);
    assert_true(x != NULL && y != NULL);
    firn_diff_side left = {.size = 0}, right = {.size = 0};
    bool differs = firn_world_tick(wanted->world) != firn_world_tick(found->world);
    assert_ok(firn_save_file_section(x, FIRN_SECTION_SNAPSHOT, &left.bytes, &left.size, &err),
              &err);
    assert_ok(firn_save_file_section(y, FIRN_SECTION_SNAPSHOT, &right.bytes, &right.size, &err),
              &err);
    assert_ok(firn_diff(&left, &right, NULL, note_difference, &differs, NULL, &err), &err);
    for (uint32_t i = 0; i < FIRN_COUNT(sections); i++)
        differs = section_differs(sections[i], x, y) || differs;
    if (differs) {
        print_diff(&left, &right);
        fail_msg("seed %u is another one beside others", (unsigned)wanted->options.seed);
    }
    firn_save_file_close(x);
    firn_save_file_close(y);
    firn_buffer_free(&a);
    firn_buffer_free(&b);
}

void history_explain(history *wanted, history *found)
{
    firn_buffer a = history_save(wanted), b = history_save(found);
    if (!history_differs(&a, &b))
        print_diff(&(firn_diff_side){.world = wanted->world},
                   &(firn_diff_side){.world = found->world});
    firn_buffer_free(&a);
    firn_buffer_free(&b);
}

// ---------------------------------------------------------------- runs

static history_mark mark_now(history *h)
{
    firn_error err;
    history_mark mark;
    firn_buffer save = history_save(h);
    mark.save = firn_bytes_digest(save.data, save.size);
    assert_ok(firn_world_hash(h->world, &mark.world, NULL, NULL, &err), &err);
    firn_buffer_free(&save);
    return mark;
}

// The game of a run so many ticks behind its save, and what it was like after each.
static history *run_to(const history_options *options, uint32_t before, firn_buffer *save,
                       uint32_t after, history_mark *marks)
{
    history *h = history_make(options);
    history_ticks(h, before);
    *save = history_save(h);
    for (uint32_t i = 0; i < after; i++) {
        history_tick(h);
        marks[i] = mark_now(h);
    }
    return h;
}

history *history_run_make(history_run *run, const history_options *options)
{
    run->options = *options;
    run->before = 3 + options->seed * 7 % 60;
    return run_to(options, run->before, &run->save, HISTORY_AFTER, run->marks);
}

static void fail_run(const history_run *run, uint32_t after, history *h, const char *how)
{
    firn_buffer save;
    history_mark marks[HISTORY_AFTER];
    print_error("seed %u%s, saved at tick %u, loaded %s, is another one %u ticks later:\n",
                (unsigned)run->options.seed, run->options.moving_scenery ? ", moving scenery" : "",
                (unsigned)run->before, how, (unsigned)after);
    history *wanted = run_to(&run->options, run->before, &save, after, marks);
    history_explain(wanted, h);
    fail_msg("the run of seed %u is another one after a load", (unsigned)run->options.seed);
}

void history_run_again(const history_run *run, history *h, const char *how)
{
    history_load(h, run->save.data, run->save.size);
    for (uint32_t i = 0; i < HISTORY_AFTER; i++) {
        history_tick(h);
        const history_mark now = mark_now(h), *wanted = &run->marks[i];
        if (memcmp(&now.save, &wanted->save, sizeof now.save) != 0 ||
            (!run->options.moving_scenery && now.world.total != wanted->world.total))
            fail_run(run, i + 1, h, how);
    }
}
