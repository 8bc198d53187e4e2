// Expressions: what they say of the row at hand.
#include <string.h>

#include "cli/field.h"
#include "cli/number.h"
#include "cli/where_parts.h"

// A test that is going on. The first failure stays.
typedef struct where_testing {
    fr_cli_where *where;
    fr_cli_row *row;
    firn_error *err;
    firn_result result;
} where_testing;

// What an operand is. What an entity lacks is nil.
typedef struct where_operand {
    firn_value value;
    bool single;  ///< a float of the file
    bool written; ///< in the expression
} where_operand;

static where_part *where_part_at(const fr_cli_where *where, uint32_t number)
{
    return (where_part *)(void *)where->parts.data + number;
}

static uint32_t part_count(const fr_cli_where *where)
{
    return (uint32_t)(where->parts.size / sizeof(where_part));
}

static const where_step *step_at(const fr_cli_where *where, const where_part *part, uint32_t number)
{
    return (const where_step *)(const void *)where->steps.data + part->first_step + number;
}

// ---- places in an image

// What stands behind the component: `x`, `cells[3]`.
static const char *text_behind(const fr_cli_where *where, const where_part *part)
{
    const char *text = part->place + step_at(where, part, part->name_steps - 1)->end;
    return text + (*text == '.');
}

// The field of a raw row that a place names, and the element in it.
static bool find_place_field(const firn_image *image, uint32_t component, const char *text,
                             const firn_value *index, firn_image_field *out, uint32_t *element)
{
    size_t size = strlen(text);
    for (uint32_t i = 0; firn_image_field_at(image, component, i, out); i++) {
        if (size < out->name_size || memcmp(text, out->name, out->name_size) != 0) {
            continue;
        }
        *element = 0;
        if (size == out->name_size) {
            return true;
        }
        if (text[out->name_size] == '[' && strchr(text + out->name_size, ']') == text + size - 1 &&
            index->kind == FIRN_VALUE_NUMBER && out->type != FIRN_CHAR && index->as.number >= 0 &&
            index->as.number < out->count) {
            *element = (uint32_t)index->as.number;
            return *element == index->as.number;
        }
    }
    return false;
}

static const firn_value *last_key(const fr_cli_where *where, const where_part *part)
{
    return &step_at(where, part, part->step_count - 1)->key;
}

// The longest name wins: components and fields may both have points in theirs.
static void find_component(fr_cli_where *where, where_part *part, const firn_image *image)
{
    uint32_t most = part->quoted ? 1 : part->step_count;
    uint32_t least = part->op == WHERE_HAS && !part->quoted ? most : 1;
    part->name_steps = 1;
    for (uint32_t steps = most; steps >= least && !part->name.known; steps--) {
        part->name_steps = steps;
        part->name = fr_cli_name_find(image, part->place, step_at(where, part, steps - 1)->end);
    }
}

// Whether one of the components may have the field.
static bool may_have_field(const fr_cli_where *where, const where_part *part,
                           const firn_image *image)
{
    firn_image_component component;
    const char *text = text_behind(where, part);
    for (uint32_t i = 0; firn_image_component_at(image, i, &component); i++) {
        firn_image_field field;
        uint32_t element;
        if (fr_cli_name_is(&part->name, i) &&
            (!component.raw || *text == 0 ||
             find_place_field(image, i, text, last_key(where, part), &field, &element))) {
            return true;
        }
    }
    return false;
}

void fr_cli_where_begin(fr_cli_where *where, const firn_image *image,
                        void (*tell)(void *user, const char *component, const char *field),
                        void *user)
{
    for (uint32_t i = 0; i < part_count(where); i++) {
        where_part *part = where_part_at(where, i);
        if (part->op != WHERE_PLACE && part->op != WHERE_HAS) {
            continue;
        }
        part->name.known = false;
        find_component(where, part, image);
        if (part->op == WHERE_PLACE && !part->name.known) {
            tell(user, part->place, "");
        } else if (part->op == WHERE_PLACE && !may_have_field(where, part, image)) {
            tell(user, part->place, text_behind(where, part));
        }
    }
}

// ---- operands

static const firn_value *keep_value(where_testing *test, const firn_value *value)
{
    if (value == NULL && test->result == FIRN_OK) {
        test->result = test->err->code;
    }
    return value;
}

// A scalar of wire version 2 stands in a table.
static const firn_value *plain_value(const firn_value *value)
{
    const firn_value *inner = firn_table_get_text(value, "value");
    bool alone = firn_table_map_count(value) == 1 && firn_table_array_count(value) == 0;
    return inner != NULL && alone ? inner : value;
}

static firn_value encoded_value(where_testing *test, const where_part *part, uint32_t column)
{
    fr_cli_row *row = test->row;
    const firn_value *value =
        keep_value(test, firn_image_rows_value(row->rows, column, row->doc, test->err));
    for (uint32_t i = part->name_steps; value != NULL && i < part->step_count; i++) {
        value = firn_table_get(value, &step_at(test->where, part, i)->key);
    }
    if (value == NULL) {
        return (firn_value){.kind = FIRN_VALUE_NIL};
    }
    if (value->kind == FIRN_VALUE_NIL) { // of a tag, any value says that it is there
        return (firn_value){.kind = FIRN_VALUE_BOOL, .as.boolean = true};
    }
    return *plain_value(value);
}

static where_operand raw_value(where_testing *test, const where_part *part, uint32_t column,
                               uint32_t component)
{
    static const firn_value whole = {.kind = FIRN_VALUE_TABLE};
    const fr_cli_row *row = test->row;
    const char *text = text_behind(test->where, part);
    firn_image_field field;
    uint32_t element;
    size_t size;
    if (*text == 0) {
        return (where_operand){.value = whole};
    }
    if (!find_place_field(row->image, component, text, last_key(test->where, part), &field,
                          &element)) {
        return (where_operand){.value = {.kind = FIRN_VALUE_NIL}};
    }
    bool is_array = field.count > 0 && field.type != FIRN_CHAR;
    if (is_array && strlen(text) == field.name_size) {
        return (where_operand){.value = whole};
    }
    const void *bytes = firn_image_rows_bytes(row->rows, column, &size);
    return (where_operand){.value = fr_cli_field_value(&field, bytes, element),
                           .single = field.type == FIRN_F32};
}

static where_operand place_value(where_testing *test, const where_part *part)
{
    const fr_cli_row *row = test->row;
    firn_image_column at;
    uint32_t column = fr_cli_row_column(row, &part->name, 0);
    if (!firn_image_column_at(row->image, row->archetype, column, &at)) {
        return (where_operand){.value = {.kind = FIRN_VALUE_NIL}};
    }
    if (at.raw) {
        return raw_value(test, part, column, at.component);
    }
    return (where_operand){.value = encoded_value(test, part, column)};
}

static where_operand operand_value(where_testing *test, const where_part *part)
{
    where_operand out = {.value = part->value, .written = part->op == WHERE_LITERAL};
    switch (part->op) {
    case WHERE_ID:
        out.value = (firn_value){.kind = FIRN_VALUE_UINT64, .as.uint64 = test->row->entity};
        break;
    case WHERE_KEY:
    case WHERE_NAME: {
        fr_cli_label label = part->op == WHERE_KEY ? FR_CLI_LABEL_KEY : FR_CLI_LABEL_NAME;
        test->result = fr_cli_row_label(test->row, label, &out.value, test->err);
        break;
    }
    case WHERE_PLACE:
        out = place_value(test, part);
        break;
    default:
        break;
    }
    return out;
}

// ---- comparisons

// A number that somebody writes is, beside a float, the float that it reads as: whole numbers, too,
// since large floats print as such. Those of the file stay exact.
static void make_single(where_operand *operand, const where_operand *other)
{
    firn_value *value = &operand->value;
    if (!other->single || operand->single) {
        return;
    }
    if (value->kind == FIRN_VALUE_NUMBER) {
        value->as.number = (double)(float)value->as.number;
    } else if (operand->written && value->kind == FIRN_VALUE_UINT64) {
        *value =
            (firn_value){.kind = FIRN_VALUE_NUMBER, .as.number = (double)(float)value->as.uint64};
    } else if (operand->written && value->kind == FIRN_VALUE_INT64) {
        *value =
            (firn_value){.kind = FIRN_VALUE_NUMBER, .as.number = (double)(float)value->as.int64};
    }
}

static bool holds(where_op op, int order)
{
    switch (op) {
    case WHERE_LESS:
        return order < 0;
    case WHERE_LESS_EQUAL:
        return order <= 0;
    case WHERE_GREATER:
        return order > 0;
    case WHERE_GREATER_EQUAL:
        return order >= 0;
    case WHERE_EQUAL:
        return order == 0;
    default:
        return order != 0;
    }
}

static int compare_texts(const firn_value *a, const firn_value *b)
{
    uint32_t shorter = a->length < b->length ? a->length : b->length;
    int order = shorter > 0 ? memcmp(a->as.string, b->as.string, shorter) : 0;
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

// What has no order is only equal or not; a comparison with what an entity lacks does not hold.
static bool compare_operands(where_op op, where_operand left, where_operand right)
{
    make_single(&left, &right);
    make_single(&right, &left);
    const firn_value *a = &left.value, *b = &right.value;
    bool may_order = op != WHERE_EQUAL && op != WHERE_NOT_EQUAL;
    int order;
    if (fr_cli_is_number(a) && fr_cli_is_number(b)) {
        return fr_cli_number_compare(a, b, &order) ? holds(op, order) : op == WHERE_NOT_EQUAL;
    }
    if (a->kind == FIRN_VALUE_STRING && b->kind == FIRN_VALUE_STRING) {
        return holds(op, compare_texts(a, b));
    }
    if (may_order) {
        return false;
    }
    bool same =
        a->kind == b->kind && (a->kind == FIRN_VALUE_NIL ||
                               (a->kind == FIRN_VALUE_BOOL && a->as.boolean == b->as.boolean));
    return same == (op == WHERE_EQUAL);
}

static bool is_nil_literal(const where_part *part)
{
    return part->op == WHERE_LITERAL && part->value.kind == FIRN_VALUE_NIL;
}

static bool test_comparison(where_testing *test, const where_part *part)
{
    const where_part *parts[2] = {where_part_at(test->where, part->left),
                                  where_part_at(test->where, part->right)};
    where_operand left = operand_value(test, parts[0]);
    where_operand right = {.value = {.kind = FIRN_VALUE_NIL}};
    if (test->result == FIRN_OK) {
        right = operand_value(test, parts[1]);
    }
    bool lacks = left.value.kind == FIRN_VALUE_NIL || right.value.kind == FIRN_VALUE_NIL;
    if (lacks && !is_nil_literal(parts[0]) && !is_nil_literal(parts[1])) {
        return false;
    }
    return compare_operands(part->op, left, right);
}

// ---- all of it

static bool test_part(where_testing *test, uint32_t number)
{
    const where_part *part = where_part_at(test->where, number);
    if (test->result != FIRN_OK) {
        return false;
    }
    switch (part->op) {
    case WHERE_OR:
        return test_part(test, part->left) || test_part(test, part->right);
    case WHERE_AND:
        return test_part(test, part->left) && test_part(test, part->right);
    case WHERE_NOT:
        return !test_part(test, part->left);
    case WHERE_HAS:
        return fr_cli_row_column(test->row, &part->name, 0) < test->row->columns;
    case WHERE_LITERAL:
    case WHERE_ID:
    case WHERE_KEY:
    case WHERE_NAME:
    case WHERE_PLACE: {
        const where_operand operand = operand_value(test, part);
        return operand.value.kind != FIRN_VALUE_NIL &&
               (operand.value.kind != FIRN_VALUE_BOOL || operand.value.as.boolean);
    }
    default:
        return test_comparison(test, part);
    }
}

firn_result fr_cli_where_test(fr_cli_where *where, fr_cli_row *row, bool *out, firn_error *err)
{
    where_testing test = {where, row, err, FIRN_OK};
    *out = test_part(&test, part_count(where) - 1) && test.result == FIRN_OK;
    return test.result;
}
