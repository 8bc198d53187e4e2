// The store against a naive model: random changes, at once and deferred, then everything compared.
#include "unit/store_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- rows of a value

static size_t text_of(uint64_t value, char text[128])
{
    size_t size = (size_t)(value % 61);
    memset(text, 'a' + (int)(value % 26), size);
    int digits = snprintf(text + size, 128 - size, "%llu", (unsigned long long)value);
    return size + (size_t)digits;
}

static void set_row(model *m, firn_entity id, int component, uint64_t value)
{
    firn_world *world = m->f->world;
    firn_component handle = m->handles[component];
    firn_error err;
    char text[128];
    wide big = {.value = (double)value};
    firn_result result = FIRN_OK;
    switch (component) {
    case POSITION:
    case HUNGRY:
        result = firn_set(world, id, handle, &(position){(float)value, -1}, &err);
        break;
    case WIDE:
        big.more[64] = (uint8_t)value;
        result = firn_set(world, id, handle, &big, &err);
        break;
    case NUMBER:
        result = firn_set(world, id, handle, &(double){(double)value}, &err);
        break;
    case FLAG:
        result = firn_set(world, id, handle, &(bool){(value & 1) != 0}, &err);
        break;
    case NAME:
    case TEXT:
        result = firn_set_string(world, id, handle, text, text_of(value, text), &err);
        break;
    case VALUE: {
        firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
        firn_value *table = firn_value_table(doc, NULL);
        for (uint64_t i = 0; i < value % 5; i++) {
            firn_table_push(doc, table, firn_value_number(doc, (double)value, NULL), NULL);
        }
        result = firn_set_value(world, id, handle, table, &err);
        firn_doc_destroy(doc);
        break;
    }
    case OWNER:
        result = firn_set(world, id, handle, &(owner){fixture_take_resource(m->f)}, &err);
        break;
    case SELF:
        result = firn_set(world, id, handle, &(self_pointer){NULL, value}, &err);
        break;
    default:
        result = firn_set(world, id, handle, NULL, &err);
        break;
    }
    assert_ok(result, &err);
}

static void check_value(model *m, const model_entity *entity)
{
    uint64_t value = entity->values[VALUE];
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    firn_value *tree = firn_get_value(m->f->world, entity->id, m->handles[VALUE], doc, NULL);
    assert_non_null(tree);
    assert_int_equal(firn_table_array_count(tree), value % 5);
    if (value % 5 > 0) {
        assert_true(firn_table_get_number(tree, 1)->as.number == (double)value);
    }
    firn_doc_destroy(doc);
}

static void check_text(model *m, const model_entity *entity, int component)
{
    char text[128] = "a default that does not fit inline";
    size_t expected = component == NAME ? 0 : strlen(text);
    if (entity->values[component] != 0) {
        expected = text_of(entity->values[component], text);
    }
    size_t size;
    const char *got = firn_get_string(m->f->world, entity->id, m->handles[component], &size);
    assert_non_null(got);
    assert_int_equal(size, expected);
    assert_memory_equal(got, text, size);
}

static void check_row(model *m, const model_entity *entity, int component)
{
    uint64_t value = entity->values[component];
    const void *row = firn_get(m->f->world, entity->id, m->handles[component]);
    switch (component) {
    case POSITION:
    case HUNGRY: {
        float fresh = component == POSITION ? 1.0f : 0.0f;
        assert_true(((const position *)row)->x == (value == 0 ? fresh : (float)value));
        break;
    }
    case WIDE:
        assert_int_equal((uintptr_t)row % 64, 0);
        assert_true(((const wide *)row)->value == (double)value);
        assert_int_equal(((const wide *)row)->more[64], (uint8_t)value);
        break;
    case NUMBER:
        assert_true(*(const double *)row == (double)value);
        break;
    case FLAG:
        assert_int_equal(*(const bool *)row, value & 1);
        break;
    case NAME:
    case TEXT:
        check_text(m, entity, component);
        break;
    case VALUE:
        check_value(m, entity);
        break;
    case OWNER:
        assert_true(m->f->owned[((const owner *)row)->resource - 1]);
        break;
    case SELF: {
        const self_pointer *self = row;
        assert_true(value == 0 ? self->self == self : self->self == NULL);
        assert_int_equal(self->value, value);
        break;
    }
    default:
        assert_null(row);
        break;
    }
}

// ---------------------------------------------------------------- comparing

static void check_entities(model *m)
{
    uint32_t owners = 0;
    assert_int_equal(firn_entity_count(m->f->world), m->count);
    for (uint32_t i = 0; i < m->count; i++) {
        const model_entity *entity = &m->entities[i];
        assert_true(firn_alive(m->f->world, entity->id));
        owners += entity->components >> OWNER & 1;
        for (int k = 0; k < COMPONENTS; k++) {
            bool there = (entity->components >> k & 1) != 0;
            assert_int_equal(firn_has(m->f->world, entity->id, m->handles[k]), there);
            if (there) {
                check_row(m, entity, k);
            } else {
                assert_null(firn_get(m->f->world, entity->id, m->handles[k]));
            }
        }
    }
    assert_int_equal(m->f->owned_count, owners);
}

static void check_free_list(model *m)
{
    const fr_entity_index *index = &m->f->world->index;
    assert_int_equal(index->next_slot, m->next_slot);
    assert_int_equal(index->free_count, m->free_count);
    uint32_t slot = index->free_head;
    for (uint32_t i = m->free_count; i > 0; i--) {
        assert_int_equal(slot, m->free_slots[i - 1]);
        assert_int_equal(fr_record_generation(index->records[slot]), m->generations[slot]);
        slot = fr_record_next_free(index->records[slot]);
    }
    assert_int_equal(slot, 0);
}

typedef struct model_query {
    uint32_t with;
    uint32_t without;
    uint32_t any;
    uint32_t optional;
} model_query;

static const model_query model_queries[MODEL_QUERIES] = {
    {0, 0, 0, 0},
    {1u << POSITION, 0, 0, 1u << TEXT},
    {1u << TAG, 1u << MARK, 0, 0},
    {1u << DISABLED, 0, 0, 1u << NUMBER},
    {0, 1u << NAME, 1u << WIDE | 1u << OWNER | 1u << PASSING, 0},
    {1u << SELF | 1u << NUMBER, 1u << FLAG, 1u << TEXT | 1u << DISABLED, 1u << POSITION},
};

static bool model_matches(const model_query *query, uint32_t components)
{
    uint32_t named = query->with | query->without | query->any | query->optional;
    return (components & query->with) == query->with && (components & query->without) == 0 &&
           (query->any == 0 || (components & query->any) != 0) &&
           ((components >> DISABLED & 1) == 0 || (named >> DISABLED & 1) != 0);
}

static uint32_t query_terms(const model *m, const model_query *query, firn_term *terms,
                            int *components)
{
    uint32_t count = 0;
    const uint32_t sets[] = {query->with, query->without, query->any, query->optional};
    const firn_term_kind kinds[] = {FIRN_WITH, FIRN_WITHOUT, FIRN_ANY, FIRN_OPTIONAL};
    for (int set = 0; set < 4; set++) {
        for (int i = 0; i < COMPONENTS; i++) {
            if ((sets[set] >> i & 1) != 0) {
                components[count] = i;
                terms[count++] = (firn_term){m->handles[i], kinds[set], i % 2 == 0, 0};
            }
        }
    }
    return count;
}

static void check_step(model *m, const firn_iter *it, const model_query *query,
                       const model_table *table)
{
    assert_int_equal(it->count, table->count);
    assert_memory_equal(it->entities, table->rows, table->count * sizeof *table->rows);
    firn_term terms[FIRN_QUERY_TERMS];
    int components[FIRN_QUERY_TERMS];
    uint32_t count = query_terms(m, query, terms, components);
    for (uint32_t i = 0; i < count; i++) {
        bool there = (table->components >> components[i] & 1) != 0;
        assert_int_equal(it->present[i], there && terms[i].kind != FIRN_WITHOUT);
        assert_ptr_equal(it->columns[i],
                         there ? firn_get(m->f->world, it->entities[0], terms[i].component) : NULL);
    }
}

static void check_queries(model *m)
{
    for (int q = 0; q < MODEL_QUERIES; q++) {
        const model_query *query = &model_queries[q];
        firn_iter it;
        uint32_t total = 0;
        firn_iter_begin(m->f->world, m->queries[q], &it);
        for (uint32_t i = 0; i < m->table_count; i++) {
            const model_table *table = &m->tables[i];
            if (table->count > 0 && model_matches(query, table->components)) {
                assert_true(firn_iter_next(&it));
                check_step(m, &it, query, table);
                total += table->count;
            }
        }
        assert_false(firn_iter_next(&it));
        assert_int_equal(firn_iter_end(&it, NULL), FIRN_OK);
        assert_int_equal(firn_query_count(m->f->world, m->queries[q]), total);
    }
}

// ---------------------------------------------------------------- random changes

static uint32_t random_components(model *m)
{
    uint32_t components = 0;
    for (uint32_t i = test_random_below(&m->random, 4); i > 0; i--) {
        components |= 1u << test_random_below(&m->random, COMPONENTS);
    }
    return components;
}

static uint32_t handles_of(const model *m, uint32_t components, firn_component *handles)
{
    uint32_t count = 0;
    for (int i = COMPONENTS; i-- > 0;) {
        if ((components >> i & 1) != 0) {
            handles[count++] = m->handles[i];
        }
    }
    return count;
}

static void keep(model *m, bool deferred, const model_command *command)
{
    if (deferred) {
        assert_true(m->command_count < MODEL_COMMANDS);
        m->commands[m->command_count++] = *command;
    } else {
        model_apply(m, command);
    }
}

static void random_spawn(model *m, bool deferred)
{
    firn_error err;
    firn_component handles[COMPONENTS];
    uint32_t components = random_components(m);
    uint32_t count = handles_of(m, components, handles);
    uint32_t n = test_random_below(&m->random, 4) == 0 ? 1 + test_random_below(&m->random, 9) : 1;
    if (m->count + m->reserved_count + n > 200) {
        return;
    }
    firn_entity ids[16];
    if (n == 1) {
        ids[0] = firn_spawn(m->f->world, handles, count, &err);
        assert_int_not_equal(ids[0], 0);
    } else {
        assert_ok(firn_spawn_many(m->f->world, handles, count, n, ids, &err), &err);
    }
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(ids[i], model_take(m));
        assert_true(firn_alive(m->f->world, ids[i]));
        if (deferred) {
            m->reserved[m->reserved_count++] = ids[i];
        }
        keep(m, deferred,
             &(model_command){.kind = MODEL_SPAWN, .id = ids[i], .components = components});
    }
}

static void random_change(model *m, bool deferred)
{
    uint32_t all = m->count + m->reserved_count;
    if (all == 0) {
        return;
    }
    uint32_t at = test_random_below(&m->random, all);
    model_command command = {
        .id = at < m->count ? m->entities[at].id : m->reserved[at - m->count],
        .components = random_components(m),
    };
    firn_error err;
    firn_component handles[COMPONENTS];
    uint32_t count = handles_of(m, command.components, handles);
    switch (test_random_below(&m->random, 8)) {
    case 0:
        command.kind = MODEL_DESPAWN;
        assert_ok(firn_despawn(m->f->world, command.id, &err), &err);
        break;
    case 1:
    case 2:
        command.kind = MODEL_ADD;
        assert_ok(firn_add(m->f->world, command.id, handles, count, &err), &err);
        break;
    case 3:
    case 4:
        command.kind = MODEL_REMOVE;
        assert_ok(firn_remove(m->f->world, command.id, handles, count, &err), &err);
        break;
    default:
        command.kind = MODEL_SET;
        command.component = (int)test_random_below(&m->random, COMPONENTS);
        command.value = 1 + test_random_below(&m->random, 1000);
        set_row(m, command.id, command.component, command.value);
        break;
    }
    keep(m, deferred, &command);
}

static void random_step(model *m, bool deferred)
{
    if (test_random_below(&m->random, 4) == 0) {
        random_spawn(m, deferred);
    } else {
        random_change(m, deferred);
    }
}

// A loop, perhaps with one inside, whose changes are applied by the outer end.
static uint32_t random_loop(model *m)
{
    firn_error err;
    firn_iter it;
    firn_iter inner;
    uint32_t steps = 1 + test_random_below(&m->random, 40);
    firn_iter_begin(m->f->world, m->queries[test_random_below(&m->random, MODEL_QUERIES)], &it);
    firn_iter_next(&it);
    for (uint32_t i = 0; i < steps; i++) {
        random_step(m, true);
        if (i % 7 == 0) {
            firn_iter_begin(m->f->world, m->queries[i % MODEL_QUERIES], &inner);
            random_step(m, true);
            assert_ok(firn_iter_end(&inner, &err), &err);
        }
    }
    assert_ok(firn_iter_end(&it, &err), &err);
    assert_int_equal(firn_pending(m->f->world), 0);
    for (uint32_t i = 0; i < m->command_count; i++) {
        model_apply(m, &m->commands[i]);
    }
    m->command_count = 0;
    m->reserved_count = 0;
    return steps;
}

static model *make_model(fixture *f, uint64_t seed)
{
    model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->f = f;
    m->random.state = seed;
    m->next_slot = 1;
    firn_world *world = f->world;
    const firn_component handles[COMPONENTS] = {
        firn_name(world),
        firn_disabled(world),
        firn_paused(world),
        f->wide,
        f->position,
        f->number,
        f->flag,
        f->text,
        f->value,
        f->tag,
        f->mark,
        f->owner,
        f->self,
        f->hungry,
        f->passing,
    };
    memcpy(m->handles, handles, sizeof handles);
    return m;
}

static void make_query(model *m, int q)
{
    firn_error err;
    firn_term terms[FIRN_QUERY_TERMS];
    int components[FIRN_QUERY_TERMS];
    firn_query_desc desc = {.terms = terms};
    desc.term_count = query_terms(m, &model_queries[q], terms, components);
    m->queries[q] = firn_query_create(m->f->world, &desc, &err);
    assert_int_not_equal(m->queries[q], 0);
}

static void T4_the_store_does_what_a_naive_model_does(void **state)
{
    model *m = make_model(*state, 20);
    // Half of the queries see archetypes that are there, half only those that come.
    for (int q = 0; q < MODEL_QUERIES; q += 2) {
        make_query(m, q);
    }
    for (uint32_t i = 0; i < 500; i++) {
        random_step(m, false);
    }
    for (int q = 1; q < MODEL_QUERIES; q += 2) {
        make_query(m, q);
    }
    for (uint32_t step = 0, round = 0; step < 100000; round++) {
        if (test_random_below(&m->random, 8) == 0) {
            step += random_loop(m);
        } else {
            random_step(m, false);
            step++;
        }
        if (round % 128 == 0) {
            check_entities(m);
            check_free_list(m);
            check_queries(m);
        }
    }
    check_entities(m);
    check_queries(m);
    free(m->tables);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(T4_the_store_does_what_a_naive_model_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
