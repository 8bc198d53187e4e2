// Descriptions that are refused: each has its result, names the thing, and changes nothing.
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

static void no_move(void *user, void *to, void *from, uint32_t count)
{
    (void)user, (void)to, (void)from, (void)count;
}

static int set_up(void **state)
{
    static components_fixture fixture;
    open_components(&fixture);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    close_components(*state);
    return 0;
}

static void refused(components_fixture *f, const firn_component_desc *desc,
                    const uint32_t *required, firn_result result, const char *subject)
{
    uint64_t blocks = f->memory.blocks;
    uint32_t count = f->components.count;
    fr_component *out = NULL;
    assert_int_equal(fr_components_check(&f->memory.allocator, &f->components, &f->limits, desc,
                                         required, &f->err),
                     result);
    assert_error(&f->err, result, subject);
    assert_int_equal(add_component(f, desc, required, &out), result);
    assert_error(&f->err, result, subject);
    assert_null(out);
    assert_int_equal(f->memory.blocks, blocks);
    assert_int_equal(f->components.count, count);
}

static void assert_says(const components_fixture *f, const char *part)
{
    if (strstr(f->err.message, part) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", f->err.message, part);
    }
}

static void names_that_are_empty_or_not_utf8_are_refused(void **state)
{
    static const char *const names[] = {NULL, "", "a\xff", "tab\t", "\xc0\x80"};
    for (size_t i = 0; i < FIRN_COUNT(names); i++) {
        firn_component_desc desc = mover_desc(names[i]);
        refused(*state, &desc, NULL, FIRN_INVALID, "");
        assert_says(*state, "component name");
    }
}

static void a_name_longer_than_the_limit_is_refused(void **state)
{
    char name[257];
    memset(name, 'n', 256);
    name[256] = 0;
    firn_component_desc desc = mover_desc(name);
    refused(*state, &desc, NULL, FIRN_LIMIT, "nnn");
    name[255] = 0;
    must_add(*state, &desc, NULL);
}

static void a_name_that_looks_like_a_relationship_is_refused(void **state)
{
    firn_component_desc desc = mover_desc("Likes->12");
    refused(*state, &desc, NULL, FIRN_INVALID, "Likes->12");
    static const char *const former[] = {"Likes->", NULL};
    desc = mover_desc("Likes");
    desc.former_names = former;
    refused(*state, &desc, NULL, FIRN_INVALID, "Likes");
}

static void a_name_may_hold_what_field_names_may_not(void **state)
{
    firn_component_desc desc = mover_desc("a.b:c,d|e - é");
    must_add(*state, &desc, NULL);
}

static void reserved_words_must_be_zero(void **state)
{
    for (unsigned i = 0; i < 4; i++) {
        firn_component_desc desc = mover_desc("Mover");
        desc.reserved[i] = 1;
        refused(*state, &desc, NULL, FIRN_INVALID, "Mover");
    }
}

static void an_unknown_kind_is_refused(void **state)
{
    firn_component_desc desc = {.name = "Mover", .kind = (firn_component_kind)(FIRN_RELATION + 1)};
    refused(*state, &desc, NULL, FIRN_INVALID, "Mover");
    assert_says(*state, "kind 7");
}

static void what_a_kind_does_not_take_is_refused(void **state)
{
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    const firn_value *value = firn_value_text(doc, "text", NULL);
    static const uint8_t row[64];
    const firn_codec codec = {FIRN_ABI, "codec", no_encode, no_decode, NULL};
    static const firn_component_kind kinds[] = {FIRN_BOOLEAN, FIRN_NUMBER, FIRN_STRING, FIRN_VALUE,
                                                FIRN_TAG};
    for (size_t i = 0; i < FIRN_COUNT(kinds); i++) {
        const firn_component_desc plain = {.name = "Thing", .kind = kinds[i]};
        firn_component_desc desc = plain;
        desc.size = 4;
        refused(*state, &desc, NULL, FIRN_INVALID, "Thing");
        desc = plain;
        desc.align = 4;
        refused(*state, &desc, NULL, FIRN_INVALID, "Thing");
        desc = plain;
        desc.fields = mover_fields;
        refused(*state, &desc, NULL, FIRN_INVALID, "Thing");
        desc = plain;
        desc.field_count = 1;
        refused(*state, &desc, NULL, FIRN_INVALID, "Thing");
        desc = plain;
        desc.codec = &codec;
        refused(*state, &desc, NULL, FIRN_INVALID, "Thing");
        assert_says(*state, "takes no codec");
        desc = plain;
        desc.hooks.init = no_hook;
        if (kinds[i] != FIRN_TAG) {
            refused(*state, &desc, NULL, FIRN_INVALID, "Thing");
        }
        desc = plain;
        desc.hooks.move = no_move;
        if (kinds[i] != FIRN_TAG) {
            refused(*state, &desc, NULL, FIRN_INVALID, "Thing");
        }
        bool has_row = kinds[i] == FIRN_BOOLEAN || kinds[i] == FIRN_NUMBER;
        bool has_value = kinds[i] == FIRN_STRING || kinds[i] == FIRN_VALUE;
        desc = plain;
        desc.default_row = row;
        if (!has_row) {
            refused(*state, &desc, NULL, FIRN_INVALID, "Thing");
        }
        desc = plain;
        desc.default_value = value;
        if (!has_value) {
            refused(*state, &desc, NULL, FIRN_INVALID, "Thing");
        }
    }
    firn_component_desc desc = mover_desc("Thing");
    desc.default_value = value;
    refused(*state, &desc, NULL, FIRN_INVALID, "Thing");
    firn_doc_destroy(doc);
}

static void T12_a_pointer_with_neither_codec_nor_transient_is_refused_naming_the_field(void **state)
{
    typedef struct {
        int32_t n;
        void *handle;
    } holder;
    const firn_field fields[] = {
        FIRN_FIELD(holder, n, FIRN_I32),
        FIRN_FIELD(holder, handle, FIRN_POINTER),
    };
    firn_component_desc desc = {
        .name = "Holder", .size = sizeof(holder), .fields = fields, .field_count = 2};
    refused(*state, &desc, NULL, FIRN_INVALID, "Holder.handle");
    assert_says(*state, "pointer");
}

static void N6_a_relation_has_a_codec_unless_its_rows_hold_many_targets(void **state)
{
    const firn_codec codec = {FIRN_ABI, "codec", no_encode, no_decode, NULL};
    firn_component_desc desc = {
        .name = "Likes", .kind = FIRN_RELATION, .relation = FIRN_SPARSE, .codec = &codec};
    refused(*state, &desc, NULL, FIRN_INVALID, "Likes");
    assert_says(*state, "takes no codec");
    desc.relation = FIRN_SPARSE | FIRN_EXCLUSIVE;
    must_add(*state, &desc, NULL);
    desc.name = "Owns";
    desc.relation = 0;
    must_add(*state, &desc, NULL);
}

static void T14_a_codec_that_is_transient_is_refused(void **state)
{
    const firn_codec codec = {FIRN_ABI, "codec", no_encode, no_decode, NULL};
    firn_component_desc desc = mover_desc("Mover");
    desc.codec = &codec;
    desc.transient = true;
    refused(*state, &desc, NULL, FIRN_INVALID, "Mover");
    assert_says(*state, "transient");
}

static void a_codec_of_no_or_a_newer_abi_is_refused(void **state)
{
    firn_codec codec = {0, "codec", no_encode, no_decode, NULL};
    firn_component_desc desc = mover_desc("Mover");
    desc.codec = &codec;
    refused(*state, &desc, NULL, FIRN_INVALID, "Mover");
    assert_says(*state, "abi 0");
    codec.abi = FIRN_ABI + 1;
    refused(*state, &desc, NULL, FIRN_VERSION, "Mover");
}

static void a_codec_without_its_functions_is_refused(void **state)
{
    firn_codec codec = {FIRN_ABI, "codec", NULL, no_decode, NULL};
    firn_component_desc desc = mover_desc("Mover");
    desc.codec = &codec;
    refused(*state, &desc, NULL, FIRN_INVALID, "Mover");
    assert_says(*state, "encode");
    codec.encode = no_encode;
    codec.decode = NULL;
    refused(*state, &desc, NULL, FIRN_INVALID, "Mover");
    assert_says(*state, "decode");
    codec.decode = no_decode;
    codec.name = NULL;
    refused(*state, &desc, NULL, FIRN_INVALID, "Mover");
    assert_says(*state, "name");
}

static void a_layout_that_is_refused_names_component_and_field(void **state)
{
    firn_field fields[3];
    memcpy(fields, mover_fields, sizeof fields);
    fields[1].offset = 0;
    firn_component_desc desc = mover_desc("game.Mover");
    desc.fields = fields;
    refused(*state, &desc, NULL, FIRN_INVALID, "game.Mover.x");
    assert_says(*state, "overlaps");
    desc.field_count = 0;
    refused(*state, &desc, NULL, FIRN_INVALID, "game.Mover");
}

static void F10_former_names_that_mean_another_component_are_refused(void **state)
{
    static const char *const own[] = {"Mover", NULL};
    static const char *const twice[] = {"Was", "Was", NULL};
    static const char *const empty[] = {"", NULL};
    static const char *const other[] = {"Other", NULL};
    static const char *const others[] = {"OtherWas", NULL};
    firn_component_desc there = {.name = "Other", .kind = FIRN_TAG, .former_names = others};
    must_add(*state, &there, NULL);
    firn_component_desc desc = mover_desc("Mover");
    static const char *const *const lists[] = {own, twice, empty, other, others};
    for (size_t i = 0; i < FIRN_COUNT(lists); i++) {
        desc.former_names = lists[i];
        refused(*state, &desc, NULL, FIRN_INVALID, "Mover");
    }
    desc = mover_desc("OtherWas");
    refused(*state, &desc, NULL, FIRN_INVALID, "OtherWas");
    assert_says(*state, "\"Other\"");
}

static void F10_more_than_64_former_names_of_a_component_are_refused(void **state)
{
    components_fixture *f = *state;
    char names[65][16];
    const char *former[66] = {NULL};
    for (int i = 0; i < 65; i++) {
        snprintf(names[i], sizeof names[i], "was%d", i);
        former[i] = names[i];
    }
    firn_component_desc desc = mover_desc("game.Mover");
    desc.former_names = former;
    refused(f, &desc, NULL, FIRN_LIMIT, "game.Mover");
    former[64] = NULL;
    must_add(f, &desc, NULL);
}

static void a_component_that_requires_itself_is_refused(void **state)
{
    firn_component_desc desc = {.name = "Tag", .kind = FIRN_TAG};
    must_add(*state, &desc, NULL);
    desc.required_count = 1;
    refused(*state, &desc, (const uint32_t[]){0}, FIRN_INVALID, "Tag");
    assert_says(*state, "itself");
}

static void default_rows_with_bools_that_are_neither_0_nor_1_are_refused(void **state)
{
    uint8_t row[sizeof(mover)] = {0};
    row[offsetof(mover, moving)] = 3;
    firn_component_desc desc = mover_desc("Mover");
    desc.default_row = row;
    refused(*state, &desc, NULL, FIRN_INVALID, "Mover.moving");
    assert_says(*state, "a bool of 3");
    const firn_field flags = {.name = "flags", .type = FIRN_BOOL, .count = 4};
    const uint8_t second[4] = {1, 2, 3, 0};
    desc = (firn_component_desc){.name = "Flags",
                                 .kind = FIRN_STRUCT,
                                 .size = 4,
                                 .fields = &flags,
                                 .field_count = 1,
                                 .default_row = second};
    refused(*state, &desc, NULL, FIRN_INVALID, "Flags.flags");
    assert_says(*state, "a bool of 2");
    desc = (firn_component_desc){.name = "Flag", .kind = FIRN_BOOLEAN};
    desc.default_row = &row[offsetof(mover, moving)];
    refused(*state, &desc, NULL, FIRN_INVALID, "Flag");
}

static void default_values_of_the_wrong_kind_are_refused(void **state)
{
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_component_desc desc = {.name = "Text", .kind = FIRN_STRING};
    desc.default_value = firn_value_number(doc, 1, NULL);
    refused(*state, &desc, NULL, FIRN_INVALID, "Text");
    desc = (firn_component_desc){.name = "Bag", .kind = FIRN_VALUE};
    desc.default_value = firn_value_nil(doc, NULL);
    refused(*state, &desc, NULL, FIRN_INVALID, "Bag");
    firn_doc_destroy(doc);
}

static void default_values_beyond_the_limits_are_refused_naming_the_place(void **state)
{
    components_fixture *f = *state;
    firn_error err;
    firn_doc *doc = firn_doc_create(NULL, NULL, &err);
    firn_value *bag = firn_value_table(doc, NULL);
    firn_table_set_text(doc, bag, "label", firn_value_text(doc, "too long", NULL), NULL);
    firn_component_desc desc = {.name = "Bag", .kind = FIRN_VALUE, .default_value = bag};
    f->limits.string_bytes = 5;
    refused(f, &desc, NULL, FIRN_LIMIT, "Bag.label");
    firn_doc_destroy(doc);
}

static void more_components_than_the_limit_are_refused(void **state)
{
    components_fixture *f = *state;
    f->limits.components = 2;
    must_add(f, &(firn_component_desc){.name = "a", .kind = FIRN_TAG}, NULL);
    must_add(f, &(firn_component_desc){.name = "b", .kind = FIRN_TAG}, NULL);
    refused(f, &(firn_component_desc){.name = "c", .kind = FIRN_TAG}, NULL, FIRN_LIMIT, "c");
    must_add(f, &(firn_component_desc){.name = "b", .kind = FIRN_TAG}, NULL);
}

#define REFUSED_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        REFUSED_TEST(names_that_are_empty_or_not_utf8_are_refused),
        REFUSED_TEST(a_name_longer_than_the_limit_is_refused),
        REFUSED_TEST(a_name_that_looks_like_a_relationship_is_refused),
        REFUSED_TEST(a_name_may_hold_what_field_names_may_not),
        REFUSED_TEST(reserved_words_must_be_zero),
        REFUSED_TEST(an_unknown_kind_is_refused),
        REFUSED_TEST(what_a_kind_does_not_take_is_refused),
        REFUSED_TEST(T12_a_pointer_with_neither_codec_nor_transient_is_refused_naming_the_field),
        REFUSED_TEST(N6_a_relation_has_a_codec_unless_its_rows_hold_many_targets),
        REFUSED_TEST(T14_a_codec_that_is_transient_is_refused),
        REFUSED_TEST(a_codec_of_no_or_a_newer_abi_is_refused),
        REFUSED_TEST(a_codec_without_its_functions_is_refused),
        REFUSED_TEST(a_layout_that_is_refused_names_component_and_field),
        REFUSED_TEST(F10_former_names_that_mean_another_component_are_refused),
        REFUSED_TEST(F10_more_than_64_former_names_of_a_component_are_refused),
        REFUSED_TEST(a_component_that_requires_itself_is_refused),
        REFUSED_TEST(default_rows_with_bools_that_are_neither_0_nor_1_are_refused),
        REFUSED_TEST(default_values_of_the_wrong_kind_are_refused),
        REFUSED_TEST(default_values_beyond_the_limits_are_refused_naming_the_place),
        REFUSED_TEST(more_components_than_the_limit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
