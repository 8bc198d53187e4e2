// Components that are registered: what they become, and the same description again.
#include "store_components.h"

#include <stdio.h>

static firn_result no_encode(void *user, const firn_rows *rows, firn_writer *out, firn_error *err)
{
    (void)user, (void)rows, (void)out, (void)err;
    return FIRN_OK;
}

static firn_result no_decode(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)user, (void)rows, (void)in, (void)err;
    return FIRN_OK;
}

static void no_hook(void *user, const firn_rows *rows)
{
    (void)user, (void)rows;
}

static void a_struct_becomes_a_component_with_a_layout(void **state)
{
    (void)state;
    components_fixture f;
    open_components(&f);
    firn_component_desc desc = mover_desc("game.Mover");
    fr_component *component = must_add(&f, &desc, NULL);
    assert_string_equal(component->name, "game.Mover");
    assert_int_equal(component->index, 0);
    assert_int_equal(component->stride, sizeof(mover));
    assert_int_equal(component->align, alignof(mover));
    assert_true(component->raw);
    assert_true(component->default_zero);
    assert_string_equal(component->layout.fingerprint, "state:int8_t,x:float,moving:bool|12");
    close_components(&f);
}

static void every_kind_has_its_row(void **state)
{
    (void)state;
    components_fixture f;
    open_components(&f);
    static const struct {
        firn_component_kind kind;
        uint32_t stride;
    } kinds[] = {
        {FIRN_BOOLEAN, 1}, {FIRN_NUMBER, 8}, {FIRN_STRING, 16}, {FIRN_VALUE, 16}, {FIRN_TAG, 0}};
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    for (uint32_t i = 0; i < FIRN_COUNT(kinds); i++) {
        firn_component_desc desc = {.name = names[i], .kind = kinds[i].kind};
        fr_component *component = must_add(&f, &desc, NULL);
        assert_int_equal(component->stride, kinds[i].stride);
        assert_int_equal(component->default_row == NULL, kinds[i].stride == 0);
        assert_int_equal(component->index, i);
        assert_false(component->raw);
    }
    assert_int_equal(f.components.count, 5);
    close_components(&f);
}

static void strings_and_values_hold_the_canonical_encoding_of_their_default(void **state)
{
    (void)state;
    components_fixture f;
    open_components(&f);
    const fr_blob *blob =
        must_add(&f, &(firn_component_desc){.name = "s", .kind = FIRN_STRING}, NULL)->default_row;
    assert_int_equal(blob->size, 1);
    assert_int_equal(fr_blob_bytes(blob)[0], 0x20);
    blob = must_add(&f, &(firn_component_desc){.name = "v", .kind = FIRN_VALUE}, NULL)->default_row;
    assert_int_equal(blob->size, 1);
    assert_int_equal(fr_blob_bytes(blob)[0], 0x08);

    firn_doc *doc = firn_doc_create(NULL, NULL, &f.err);
    firn_component_desc desc = {.name = "t", .kind = FIRN_STRING};
    desc.default_value = firn_value_text(doc, "longer than twelve bytes", NULL);
    blob = must_add(&f, &desc, NULL)->default_row;
    assert_int_equal(blob->size, 25);
    assert_int_equal(fr_blob_bytes(blob)[0], 0x20 + 24);
    assert_memory_equal(fr_blob_bytes(blob) + 1, "longer than twelve bytes", 24);
    firn_doc_destroy(doc);
    close_components(&f);
}

static void T13_the_default_row_is_kept_without_its_padding(void **state)
{
    (void)state;
    components_fixture f;
    open_components(&f);
    mover row;
    memset(&row, 0xaa, sizeof row);
    row.state = 3;
    row.x = 1.5f;
    row.moving = true;
    firn_component_desc desc = mover_desc("Mover");
    desc.default_row = &row;
    fr_component *component = must_add(&f, &desc, NULL);
    mover expected;
    memset(&expected, 0, sizeof expected);
    expected.state = 3;
    expected.x = 1.5f;
    expected.moving = true;
    assert_memory_equal(component->default_row, &expected, sizeof expected);
    assert_false(component->default_zero);
    // The same description, with other padding, is the same.
    memset(&row, 0x55, sizeof row);
    row.state = 3;
    row.x = 1.5f;
    row.moving = true;
    assert_ptr_equal(must_add(&f, &desc, NULL), component);
    close_components(&f);
}

static void scalars_have_defaults(void **state)
{
    (void)state;
    components_fixture f;
    open_components(&f);
    double number = 2.5;
    bool yes = true;
    firn_component_desc desc = {.name = "n", .kind = FIRN_NUMBER, .default_row = &number};
    assert_memory_equal(must_add(&f, &desc, NULL)->default_row, &number, 8);
    desc = (firn_component_desc){.name = "b", .kind = FIRN_BOOLEAN, .default_row = &yes};
    assert_memory_equal(must_add(&f, &desc, NULL)->default_row, &yes, 1);
    close_components(&f);
}

static void T12_a_codec_or_transient_makes_a_struct_with_pointers_allowed(void **state)
{
    (void)state;
    components_fixture f;
    open_components(&f);
    typedef struct {
        void *handle;
    } holder;
    const firn_field fields[] = {FIRN_FIELD(holder, handle, FIRN_POINTER)};
    firn_codec codec = {FIRN_ABI, "holder", no_encode, no_decode, NULL};
    firn_component_desc desc = {.name = "Coded",
                                .size = sizeof(holder),
                                .fields = fields,
                                .field_count = 1,
                                .codec = &codec};
    fr_component *coded = must_add(&f, &desc, NULL);
    assert_true(coded->has_codec);
    assert_false(coded->raw);
    assert_ptr_equal(coded->codec.encode, no_encode);
    desc.name = "Fleeting";
    desc.codec = NULL;
    desc.transient = true;
    assert_false(must_add(&f, &desc, NULL)->raw);
    close_components(&f);
}

static void T14_required_components_are_closed_sorted_and_without_repeats(void **state)
{
    (void)state;
    components_fixture f;
    open_components(&f);
    must_add(&f, &(firn_component_desc){.name = "a", .kind = FIRN_TAG}, NULL);
    must_add(&f, &(firn_component_desc){.name = "b", .kind = FIRN_TAG}, NULL);
    firn_component_desc c = {.name = "c", .kind = FIRN_TAG, .required_count = 2};
    must_add(&f, &c, (const uint32_t[]){1, 0});
    firn_component_desc d = {.name = "d", .kind = FIRN_TAG, .required_count = 3};
    fr_component *component = must_add(&f, &d, (const uint32_t[]){2, 0, 2});
    static const uint32_t expected[] = {0, 1, 2};
    assert_int_equal(component->required_count, 3);
    assert_memory_equal(component->required, expected, sizeof expected);
    // As the closed set it is the same component.
    assert_ptr_equal(must_add(&f, &d, expected), component);
    close_components(&f);
}

static void components_are_found_by_name_and_by_former_name(void **state)
{
    (void)state;
    components_fixture f;
    open_components(&f);
    static const char *const former[] = {"Old", "Older", NULL};
    firn_component_desc desc = mover_desc("New");
    desc.former_names = former;
    fr_component *component = must_add(&f, &desc, NULL);
    assert_ptr_equal(fr_components_find(&f.components, "New", 3), component);
    assert_null(fr_components_find(&f.components, "Old", 3));
    assert_null(fr_components_find(&f.components, "Ne", 2));
    assert_ptr_equal(fr_components_find_former(&f.components, "Older", 5), component);
    assert_null(fr_components_find_former(&f.components, "New", 3));
    close_components(&f);
}

static void many_components_are_all_found(void **state)
{
    (void)state;
    components_fixture f;
    open_components(&f);
    char name[16];
    for (uint32_t i = 0; i < 500; i++) {
        snprintf(name, sizeof name, "c%u", i);
        must_add(&f, &(firn_component_desc){.name = name, .kind = FIRN_TAG}, NULL);
    }
    for (uint32_t i = 0; i < 500; i++) {
        int size = snprintf(name, sizeof name, "c%u", i);
        assert_int_equal(fr_components_find(&f.components, name, (size_t)size)->index, i);
    }
    close_components(&f);
}

// ---------------------------------------------------------------- the same name again

static void the_same_description_gives_the_component_that_is_there(void **state)
{
    (void)state;
    components_fixture f;
    open_components(&f);
    static const char *const former[] = {"Was", NULL};
    static const char *const same_former[] = {"Was", NULL};
    firn_codec codec = {FIRN_ABI, "mover", no_encode, no_decode, NULL};
    firn_codec same_codec = codec;
    firn_component_desc desc = mover_desc("Mover");
    desc.former_names = former;
    desc.codec = &codec;
    desc.hooks = (firn_hooks){.init = no_hook};
    fr_component *component = must_add(&f, &desc, NULL);
    desc.former_names = same_former;
    desc.codec = &same_codec;
    uint64_t blocks = f.memory.blocks;
    assert_ptr_equal(must_add(&f, &desc, NULL), component);
    assert_int_equal(f.components.count, 1);
    assert_int_equal(f.memory.blocks, blocks);
    close_components(&f);
}

// The description differs from what is registered as game.Mover, in what the message says.
static void assert_exists(components_fixture *f, const firn_component_desc *desc,
                          const uint32_t *required, const char *difference)
{
    fr_component *out = NULL;
    uint64_t blocks = f->memory.blocks;
    assert_int_equal(add_component(f, desc, required, &out), FIRN_EXISTS);
    assert_error(&f->err, FIRN_EXISTS, "game.Mover");
    if (strstr(f->err.message, difference) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", f->err.message, difference);
    }
    assert_null(out);
    assert_int_equal(f->memory.blocks, blocks);
}

static void another_description_of_the_same_name_exists_already(void **state)
{
    (void)state;
    components_fixture f;
    open_components(&f);
    const firn_component_desc plain = mover_desc("game.Mover");
    must_add(&f, &plain, NULL);
    must_add(&f, &(firn_component_desc){.name = "tag", .kind = FIRN_TAG}, NULL);

    firn_component_desc desc = {.name = "game.Mover", .kind = FIRN_TAG};
    assert_exists(&f, &desc, NULL, "another kind");

    firn_field fields[3];
    memcpy(fields, mover_fields, sizeof fields);
    desc = plain;
    desc.fields = fields;
    fields[0].name = "mode";
    assert_exists(&f, &desc, NULL, "another layout");
    memcpy(fields, mover_fields, sizeof fields);
    fields[0].type = FIRN_U8;
    assert_exists(&f, &desc, NULL, "another layout");
    static const char *const former[] = {"was", NULL};
    memcpy(fields, mover_fields, sizeof fields);
    fields[0].former_names = former;
    assert_exists(&f, &desc, NULL, "another layout");
    desc.field_count = 2;
    assert_exists(&f, &desc, NULL, "another layout");

    mover row = {.x = 1};
    desc = plain;
    desc.default_row = &row;
    assert_exists(&f, &desc, NULL, "another default");
    desc = plain;
    desc.transient = true;
    assert_exists(&f, &desc, NULL, "transient");
    firn_codec codec = {FIRN_ABI, "mover", no_encode, no_decode, NULL};
    desc = plain;
    desc.codec = &codec;
    assert_exists(&f, &desc, NULL, "another codec");
    desc = plain;
    desc.hooks.drop = no_hook;
    assert_exists(&f, &desc, NULL, "other hooks");
    desc = plain;
    desc.required_count = 1;
    assert_exists(&f, &desc, (const uint32_t[]){1}, "other required components");
    desc = plain;
    desc.former_names = former;
    assert_exists(&f, &desc, NULL, "other former names");
    close_components(&f);
}

static void no_move(void *user, void *to, void *from, uint32_t count)
{
    (void)user, (void)to, (void)from, (void)count;
}

static firn_result other_encode(void *user, const firn_rows *rows, firn_writer *out,
                                firn_error *err)
{
    (void)user, (void)rows, (void)out, (void)err;
    return FIRN_INVALID;
}

static firn_result other_decode(void *user, firn_rows *rows, firn_reader *in, firn_error *err)
{
    (void)user, (void)rows, (void)in, (void)err;
    return FIRN_INVALID;
}

static void a_codec_that_differs_in_one_part_is_another(void **state)
{
    (void)state;
    components_fixture f;
    open_components(&f);
    int user;
    firn_codec codec = {FIRN_ABI, "mover", no_encode, no_decode, NULL};
    firn_component_desc desc = mover_desc("game.Mover");
    desc.codec = &codec;
    fr_component *component = must_add(&f, &desc, NULL);
    const firn_codec others[] = {
        {FIRN_ABI, "other", no_encode, no_decode, NULL},
        {FIRN_ABI, "mover", other_encode, no_decode, NULL},
        {FIRN_ABI, "mover", no_encode, other_decode, NULL},
        {FIRN_ABI, "mover", no_encode, no_decode, &user},
    };
    for (uint32_t i = 0; i < FIRN_COUNT(others); i++) {
        desc.codec = &others[i];
        assert_exists(&f, &desc, NULL, "another codec");
    }
    firn_codec same = codec;
    desc.codec = &same;
    assert_ptr_equal(must_add(&f, &desc, NULL), component);
    close_components(&f);
}

static void hooks_that_differ_in_one_part_are_others(void **state)
{
    (void)state;
    components_fixture f;
    open_components(&f);
    int user;
    firn_component_desc desc = mover_desc("game.Mover");
    desc.hooks = (firn_hooks){no_hook, no_hook, no_move, NULL};
    must_add(&f, &desc, NULL);
    const firn_hooks others[] = {
        {NULL, no_hook, no_move, NULL},
        {no_hook, NULL, no_move, NULL},
        {no_hook, no_hook, NULL, NULL},
        {no_hook, no_hook, no_move, &user},
    };
    for (uint32_t i = 0; i < FIRN_COUNT(others); i++) {
        desc.hooks = others[i];
        assert_exists(&f, &desc, NULL, "other hooks");
    }
    close_components(&f);
}

static void lists_that_differ_in_one_place_are_others(void **state)
{
    (void)state;
    components_fixture f;
    open_components(&f);
    const char *const former[] = {"one", "two", NULL};
    must_add(&f, &(firn_component_desc){.name = "a", .kind = FIRN_TAG}, NULL);
    must_add(&f, &(firn_component_desc){.name = "b", .kind = FIRN_TAG}, NULL);
    firn_component_desc desc = mover_desc("game.Mover");
    desc.required_count = 1;
    desc.former_names = former;
    must_add(&f, &desc, (const uint32_t[]){0});
    assert_exists(&f, &desc, (const uint32_t[]){1}, "other required components");
    desc.required_count = 2;
    assert_exists(&f, &desc, (const uint32_t[]){0, 1}, "other required components");
    desc.required_count = 1;
    desc.former_names = (const char *const[]){"one", "six", NULL};
    assert_exists(&f, &desc, (const uint32_t[]){0}, "other former names");
    desc.former_names = (const char *const[]){"one", NULL};
    assert_exists(&f, &desc, (const uint32_t[]){0}, "other former names");
    close_components(&f);
}

static void former_names_of_a_field_that_differ_are_another_layout(void **state)
{
    (void)state;
    components_fixture f;
    open_components(&f);
    firn_field fields[3];
    memcpy(fields, mover_fields, sizeof fields);
    firn_component_desc desc = mover_desc("game.Mover");
    desc.fields = fields;
    fields[1].former_names = (const char *const[]){"px", NULL};
    fr_component *component = must_add(&f, &desc, NULL);
    assert_ptr_equal(must_add(&f, &desc, NULL), component);
    fields[1].former_names = (const char *const[]){"qx", NULL};
    assert_exists(&f, &desc, NULL, "another layout");
    close_components(&f);
}

static void another_default_value_of_the_same_name_exists_already(void **state)
{
    (void)state;
    components_fixture f;
    open_components(&f);
    firn_doc *doc = firn_doc_create(NULL, NULL, &f.err);
    firn_component_desc desc = {.name = "game.Mover", .kind = FIRN_STRING};
    desc.default_value = firn_value_text(doc, "a text of many bytes", NULL);
    fr_component *component = must_add(&f, &desc, NULL);
    desc.default_value = firn_value_text(doc, "a text of many bytes", NULL);
    assert_ptr_equal(must_add(&f, &desc, NULL), component);
    desc.default_value = firn_value_text(doc, "a text of more bytes", NULL);
    assert_exists(&f, &desc, NULL, "another default");
    firn_doc_destroy(doc);
    close_components(&f);
}

static void a_failed_allocation_registers_nothing(void **state)
{
    (void)state;
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    static const char *const former[] = {"Was", "WasBefore", NULL};
    for (uint64_t call = 1;; call++) {
        components_fixture f;
        open_components(&f);
        must_add(&f, &(firn_component_desc){.name = "tag", .kind = FIRN_TAG}, NULL);
        uint64_t blocks = f.memory.blocks;
        mover row = {.x = 1};
        firn_component_desc desc = mover_desc("Mover");
        desc.default_row = &row;
        desc.former_names = former;
        desc.required_count = 1;
        firn_component_desc value = {.name = "Text", .kind = FIRN_STRING};
        value.default_value = firn_value_text(doc, "longer than twelve bytes", NULL);

        fr_component *out = NULL;
        test_allocator_fail_at(&f.memory, call, false);
        firn_result result = add_component(&f, &desc, (const uint32_t[]){0}, &out);
        if (result == FIRN_OK) {
            blocks = f.memory.blocks;
            out = NULL;
            result = add_component(&f, &value, NULL, &out);
        }
        bool injected = f.memory.injected;
        test_allocator_fail_at(&f.memory, 0, false);
        if (injected) {
            assert_int_equal(result, FIRN_NO_MEMORY);
            assert_error(&f.err, FIRN_NO_MEMORY, "");
            assert_null(out);
            const char *name = fr_components_find(&f.components, "Mover", 5) ? "Text" : "Mover";
            assert_null(fr_components_find(&f.components, name, strlen(name)));
            assert_true(f.memory.blocks <= blocks + 3); // grown tables may stay
        }
        must_add(&f, &desc, (const uint32_t[]){0});
        must_add(&f, &value, NULL);
        assert_int_equal(f.components.count, 3);
        close_components(&f);
        if (!injected) {
            break;
        }
    }
    firn_doc_destroy(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_struct_becomes_a_component_with_a_layout),
        cmocka_unit_test(every_kind_has_its_row),
        cmocka_unit_test(strings_and_values_hold_the_canonical_encoding_of_their_default),
        cmocka_unit_test(T13_the_default_row_is_kept_without_its_padding),
        cmocka_unit_test(scalars_have_defaults),
        cmocka_unit_test(T12_a_codec_or_transient_makes_a_struct_with_pointers_allowed),
        cmocka_unit_test(T14_required_components_are_closed_sorted_and_without_repeats),
        cmocka_unit_test(components_are_found_by_name_and_by_former_name),
        cmocka_unit_test(many_components_are_all_found),
        cmocka_unit_test(the_same_description_gives_the_component_that_is_there),
        cmocka_unit_test(another_description_of_the_same_name_exists_already),
        cmocka_unit_test(a_codec_that_differs_in_one_part_is_another),
        cmocka_unit_test(hooks_that_differ_in_one_part_are_others),
        cmocka_unit_test(lists_that_differ_in_one_place_are_others),
        cmocka_unit_test(former_names_of_a_field_that_differ_are_another_layout),
        cmocka_unit_test(another_default_value_of_the_same_name_exists_already),
        cmocka_unit_test(a_failed_allocation_registers_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
