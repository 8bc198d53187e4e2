// Events of a world against a naive model: both run the same random calls, in loops, outside, and
// from observers, and must write the same text.
#include "unit/event_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POOL 24

struct side;
typedef struct side_observer {
    struct side *side;
    uint32_t number;
} side_observer;

// One of the two: a world, or the model of one.
typedef struct side {
    firn_world *world; // NULL: the model's
    model *m;
    test_random random;
    journal log;
    firn_entity pool[POOL]; // ids that were spawned; dead ones too
    uint32_t next;          // place in it
    int budget;             // calls that observers may still make in this step
    int nesting;            // of observers
    firn_query query;
    firn_queue queues[MODEL_QUEUES];
    uint32_t observer_count;
    firn_observer handles[MODEL_OBSERVERS];
    side_observer users[MODEL_OBSERVERS];
} side;

static uint32_t draw(side *s, uint32_t bound)
{
    return test_random_below(&s->random, bound);
}

static void say(side *s, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert_int_equal(firn_buffer_append(&s->log.text, text, (size_t)size, NULL), FIRN_OK);
}

static void say_result(side *s, const char *what, firn_result result, firn_entity id)
{
    say(s, "  %s %u.%u: %s\n", what, fr_slot(id), fr_generation(id), firn_result_name(result));
}

static firn_result there(bool is_there)
{
    return is_there ? FIRN_OK : FIRN_NOT_FOUND;
}

static uint32_t handles_of(const side *s, uint32_t components, firn_component *handles)
{
    uint32_t count = 0;
    for (int i = 0; i < COMPONENTS; i++) {
        if ((components >> i & 1) != 0) {
            handles[count++] = s->m->handles[i];
        }
    }
    return count;
}

// ---------------------------------------------------------------- calls of either

static void call_spawn(side *s)
{
    firn_entity ids[MODEL_MANY];
    firn_component handles[COMPONENTS];
    uint32_t components = draw(s, 1u << COMPONENTS);
    uint32_t n = draw(s, 3) == 0 ? 1 + draw(s, MODEL_MANY) : 1;
    uint32_t count = s->world == NULL ? s->m->entity_count : firn_entity_count(s->world);
    if (count > 40) {
        return;
    }
    if (s->world == NULL) {
        model_spawn(s->m, components, n, ids);
    } else if (n == 1) {
        ids[0] = firn_spawn(s->world, handles, handles_of(s, components, handles), NULL);
    } else {
        assert_int_equal(
            firn_spawn_many(s->world, handles, handles_of(s, components, handles), n, ids, NULL),
            FIRN_OK);
    }
    for (uint32_t i = 0; i < n; i++) {
        say_result(s, "spawn", FIRN_OK, ids[i]);
        s->pool[s->next++ % POOL] = ids[i];
    }
}

static firn_result set_component(side *s, firn_entity id, int component)
{
    bool flag = true;
    double number = 3;
    const void *row = component == FLAG ? (const void *)&flag : &number;
    return firn_set(s->world, id, s->m->handles[component], row, NULL);
}

static void call_change(side *s, firn_entity id)
{
    firn_component handles[COMPONENTS];
    uint32_t components = 1u << draw(s, COMPONENTS) | 1u << draw(s, COMPONENTS);
    int component = draw(s, 2) == 0 ? FLAG : NUMBER;
    firn_result result;
    switch (draw(s, 6)) {
    case 0:
        result =
            s->world == NULL ? there(model_despawn(s->m, id)) : firn_despawn(s->world, id, NULL);
        say_result(s, "despawn", result, id);
        break;
    case 1:
    case 2:
        result = s->world == NULL
                     ? there(model_add(s->m, id, components))
                     : firn_add(s->world, id, handles, handles_of(s, components, handles), NULL);
        say_result(s, "add", result, id);
        break;
    case 3:
        result = s->world == NULL
                     ? there(model_remove(s->m, id, components))
                     : firn_remove(s->world, id, handles, handles_of(s, components, handles), NULL);
        say_result(s, "remove", result, id);
        break;
    default:
        result = s->world == NULL ? there(model_set(s->m, id, component))
                                  : set_component(s, id, component);
        say_result(s, "set", result, id);
        break;
    }
}

static void call_emit(side *s, firn_entity address)
{
    char payload[64];
    snprintf(payload, sizeof payload, "%u", draw(s, 1000000));
    firn_result result;
    if (s->world == NULL) {
        result = there(model_emit(s->m, address, payload));
    } else {
        firn_event_kind hit = firn_event_find(s->world, "Hit");
        result = firn_emit(s->world, hit, address, payload, strlen(payload), NULL);
    }
    say_result(s, "emit", result, address);
}

static firn_result run_observer(void *user, firn_world *world, const firn_event *event,
                                firn_error *err);

static void call_observe(side *s, firn_entity address)
{
    uint32_t number = s->observer_count;
    int kind = (int)draw(s, KINDS);
    int component = draw(s, 2) == 0 ? (int)draw(s, COMPONENTS) : -1;
    component = kind >= ADD && kind <= SET ? component : -1;
    if (number == MODEL_OBSERVERS) {
        return;
    }
    bool made;
    if (s->world == NULL) {
        made = model_observe(s->m, kind, address, component);
    } else {
        firn_observer_desc desc = {.event = s->m->names[kind],
                                   .address = address,
                                   .component = component < 0 ? 0 : s->m->handles[component],
                                   .observe = run_observer,
                                   .user = &s->users[number]};
        s->users[number] = (side_observer){s, number};
        s->handles[number] = firn_observe(s->world, &desc, NULL);
        made = s->handles[number] != 0;
    }
    s->observer_count += made;
    say_result(s, "observe", there(made), address);
}

static void call_unobserve(side *s)
{
    // One of the last, so that those who see everything do not become many.
    uint32_t recent = s->observer_count < 12 ? s->observer_count : 12;
    if (recent == 0) {
        return;
    }
    uint32_t number = s->observer_count - 1 - draw(s, recent);
    firn_result result = s->world == NULL ? there(model_unobserve(s->m, number))
                                          : firn_unobserve(s->world, s->handles[number], NULL);
    say(s, "  unobserve %u: %s\n", number, firn_result_name(result));
}

static void call_pull(side *s)
{
    int queue = (int)draw(s, MODEL_QUEUES);
    for (uint32_t i = draw(s, 60); i > 0; i--) {
        if (s->world == NULL) {
            firn_buffer text;
            if (model_pull(s->m, queue, &text)) {
                say(s, "%.*s", (int)text.size, (const char *)text.data);
                firn_buffer_free(&text);
            }
        } else {
            firn_event event;
            if (firn_queue_next(s->world, s->queues[queue], &event)) {
                journal_write(&s->log, "q", &event);
            }
        }
    }
}

static bool lives(side *s, firn_entity id)
{
    return s->world == NULL ? model_find(s->m, id) != NULL : firn_alive(s->world, id);
}

// Now and then one that has ended; 0 at the very beginning.
static firn_entity draw_entity(side *s)
{
    firn_entity id = s->pool[draw(s, POOL)];
    for (int i = 0; i < 5 && !lives(s, id); i++) {
        id = s->pool[draw(s, POOL)];
    }
    return id;
}

static void call_one(side *s)
{
    firn_entity id = draw_entity(s);
    uint32_t which = draw(s, 16);
    if (id == 0 || which < 3) {
        call_spawn(s);
    } else if (which < 11) {
        call_change(s, id);
    } else if (which < 13) {
        call_emit(s, draw(s, 3) == 0 ? 0 : id);
    } else if (which == 13) {
        call_observe(s, draw(s, 4) == 0 ? 0 : id);
    } else if (which == 14) {
        call_unobserve(s);
    } else {
        call_pull(s);
    }
}

static void call_loop(side *s)
{
    firn_iter it;
    firn_error err;
    if (s->world == NULL) {
        model_begin_loop(s->m);
    } else {
        firn_iter_begin(s->world, s->query, &it);
    }
    for (uint32_t i = draw(s, 8); i > 0; i--) {
        call_one(s);
    }
    if (s->world == NULL) {
        model_end_loop(s->m);
    } else {
        assert_ok(firn_iter_end(&it, &err), &err);
    }
}

// ---------------------------------------------------------------- observers

static void act(side *s, uint32_t observer, const firn_event *event)
{
    char label[16];
    snprintf(label, sizeof label, "%u", observer);
    journal_write(&s->log, label, event);
    s->nesting++;
    for (uint32_t i = draw(s, 3); i > 0 && s->budget > 0 && s->nesting < 8; i--) {
        s->budget--;
        if (draw(s, 6) == 0) {
            call_loop(s);
        } else {
            call_one(s);
        }
    }
    s->nesting--;
}

static void run_model_observer(void *user, uint32_t observer, const firn_event *event)
{
    act(user, observer, event);
}

static firn_result run_observer(void *user, firn_world *world, const firn_event *event,
                                firn_error *err)
{
    side_observer *observer = user;
    (void)err;
    assert_ptr_equal(world, observer->side->world);
    act(observer->side, observer->number, event);
    // It decides nothing where a change is observed, and an emit says it.
    return FIRN_OK;
}

// ---------------------------------------------------------------- the run

static void say_state(side *s)
{
    say(s, "%u entities", s->world == NULL ? s->m->entity_count : firn_entity_count(s->world));
    for (int i = 0; i < POOL; i++) {
        const model_entity *entity = model_find(s->m, s->pool[i]);
        for (int k = 0; k < COMPONENTS; k++) {
            bool has = s->world == NULL ? entity != NULL && (entity->components >> k & 1) != 0
                                        : firn_has(s->world, s->pool[i], s->m->handles[k]);
            say(s, "%s%c", k == 0 ? " " : "", has ? 'x' : '-');
        }
    }
    say(s, "\n");
}

static void run_step(side *s)
{
    s->budget = 25;
    if (draw(s, 4) == 0) {
        call_loop(s);
    } else {
        call_one(s);
    }
    say_state(s);
}

static side *make_side(fixture *f, firn_world *world, model *m, uint64_t seed)
{
    firn_error err;
    side *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->world = world;
    s->m = m;
    s->random.state = seed;
    s->log.world = f->world;
    static const uint32_t kinds[MODEL_QUEUES] = {(1u << KINDS) - 1, 1u << ADD | 1u << HIT};
    for (int i = 0; i < MODEL_QUEUES; i++) {
        firn_event_kind handles[KINDS];
        uint32_t count = 0;
        for (int k = 0; k < KINDS; k++) {
            handles[count] = event_kind(f->world, m->names[k]);
            count += kinds[i] >> k & 1;
        }
        m->queues[i].kinds = kinds[i];
        if (world != NULL) {
            s->queues[i] = firn_queue_open(world, handles, count, &err);
            assert_int_not_equal(s->queues[i], 0);
        }
    }
    s->query = firn_query_create(f->world, &(firn_query_desc){0}, &err);
    return s;
}

static model *make_model(const fixture *f)
{
    static const char *const names[KINDS] = {"OnSpawn",  "OnDespawn", "OnAdd",
                                             "OnRemove", "OnSet",     "Hit"};
    model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    const firn_component handles[COMPONENTS] = {f->flag, f->mark, f->number, f->tag, f->passing};
    memcpy(m->handles, handles, sizeof handles);
    memcpy(m->names, names, sizeof names);
    m->next_slot = 1;
    m->observe = run_model_observer;
    m->scratch.world = f->world;
    return m;
}

static void free_model(model *m)
{
    firn_buffer text;
    for (int i = 0; i < MODEL_QUEUES; i++) {
        while (model_pull(m, i, &text)) {
            firn_buffer_free(&text);
        }
    }
    free(m);
}

static void assert_same_text(const side *a, const side *b, uint64_t seed, uint32_t step)
{
    if (a->log.text.size == b->log.text.size &&
        memcmp(a->log.text.data, b->log.text.data, a->log.text.size) == 0) {
        return;
    }
    print_error("seed %llu, step %u: the model wrote:\n%.*sand the world:\n%.*s",
                (unsigned long long)seed, step, (int)b->log.text.size,
                (const char *)b->log.text.data, (int)a->log.text.size,
                (const char *)a->log.text.data);
    fail();
}

static size_t run_both(fixture *f, uint64_t seed, uint32_t steps)
{
    size_t written = 0;
    model *m = make_model(f);
    side *real = make_side(f, f->world, m, seed), *modelled = make_side(f, NULL, m, seed);
    m->user = modelled;
    for (uint32_t step = 0; step < steps; step++) {
        run_step(modelled);
        run_step(real);
        assert_same_text(real, modelled, seed, step);
        written += real->log.text.size;
        firn_buffer_clear(&real->log.text);
        firn_buffer_clear(&modelled->log.text);
    }
    assert_int_equal(firn_pending(f->world), 0);
    journal_free(&real->log);
    journal_free(&modelled->log);
    free(real);
    free(modelled);
    free_model(m);
    return written;
}

static void T10_events_are_those_of_a_naive_model(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        void *f = NULL;
        assert_int_equal(fixture_setup(&f), 0);
        assert_true(run_both(f, seed, 1500) > 200000);
        assert_int_equal(fixture_teardown(&f), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(T10_events_are_those_of_a_naive_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
