// Values from the outside in, and the fields that values of a component have.
#include <string.h>

#include "cli/report.h"

static void walk_table(fr_walk *walk);

void fr_walk_value(fr_walk *walk)
{
    firn_reader *reader = walk->reader;
    firn_value value = {.kind = firn_read_kind(reader)};
    size_t size = 0;
    switch (value.kind) {
    case FIRN_VALUE_TABLE:
        walk_table(walk);
        return;
    case FIRN_VALUE_BOOL:
        value.as.boolean = firn_read_bool(reader);
        break;
    case FIRN_VALUE_NUMBER:
        value.as.number = firn_read_number(reader);
        break;
    case FIRN_VALUE_INT64:
        value.as.int64 = firn_read_int64(reader);
        break;
    case FIRN_VALUE_UINT64:
        value.as.uint64 = firn_read_uint64(reader);
        break;
    case FIRN_VALUE_STRING:
        value.as.string = firn_read_string(reader, &size);
        value.length = (uint32_t)size;
        break;
    default:
        firn_read_skip(reader);
        return;
    }
    if (!firn_reader_failed(reader)) {
        walk->leaf(walk->user, walk, &value);
    }
}

// The key of the next entry of a map.
static fr_step read_step(firn_reader *reader)
{
    fr_step step = {.key = NULL};
    switch (firn_read_kind(reader)) {
    case FIRN_VALUE_STRING:
        step.key = firn_read_string(reader, &step.size);
        break;
    case FIRN_VALUE_BOOL:
        step.number = firn_read_bool(reader);
        break;
    default: // there are no other keys
        step.number = firn_read_number(reader);
        break;
    }
    return step;
}

// Tables lie in each other only as deep as the reader allows.
static void walk_table(fr_walk *walk)
{
    firn_reader *reader = walk->reader;
    firn_table_head head = firn_read_table(reader);
    fr_step *step = &walk->steps[walk->depth++];
    for (uint32_t i = 0; i < head.array_count && !firn_reader_failed(reader); i++) {
        *step = (fr_step){.number = (double)head.array_first + i};
        fr_walk_value(walk);
    }
    for (uint32_t i = 0; i < head.map_count && !firn_reader_failed(reader); i++) {
        *step = read_step(reader);
        fr_walk_value(walk);
    }
    walk->depth--;
}

void fr_html_steps(fr_html *html, const fr_step *steps, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (steps[i].key == NULL) {
            fr_html_put(html, "[");
            fr_html_real(html, steps[i].number);
            fr_html_put(html, "]");
        } else {
            fr_html_put(html, i > 0 ? "." : "");
            fr_html_cut(html, steps[i].key, steps[i].size, 64);
        }
    }
}

// ---- fields

#define CHILDREN_MOST 64

static uint32_t add_field_node(fr_fields *fields, uint32_t parent, const fr_step *step)
{
    if (fields->node_count == FR_NODES_MOST) {
        fields->left_out = true;
        return 0;
    }
    uint32_t index = fields->node_count++;
    fields->nodes[index] = (fr_field_node){
        .key = step->key, .size = step->size, .parent = parent, .field = FR_NO_FIELD};
    return index;
}

uint32_t fr_fields_begin(fr_fields *fields, uint32_t part)
{
    if (fields->node_count == 0) {
        fields->node_count = 1; // 0 is none
    }
    fields->part = part;
    fields->part_count = 0;
    return add_field_node(fields, 0, &(fr_step){.key = NULL});
}

static bool is_node_of(const fr_field_node *node, const fr_step *step)
{
    if (node->key == NULL || step->key == NULL) {
        return node->key == step->key;
    }
    return node->size == step->size && memcmp(node->key, step->key, step->size) == 0;
}

uint32_t fr_fields_below(fr_fields *fields, uint32_t node, const fr_step *step)
{
    if (node == 0) {
        return 0;
    }
    // Keys come in the same order row by row: the next one is mostly that behind the last.
    fr_field_node *parent = &fields->nodes[node];
    uint32_t at = parent->last == 0 ? 0 : fields->nodes[parent->last].sibling;
    for (uint32_t i = 0; i <= parent->children; i++) {
        at = at == 0 ? parent->child : at;
        if (at != 0 && is_node_of(&fields->nodes[at], step)) {
            parent->last = at;
            return at;
        }
        at = at == 0 ? 0 : fields->nodes[at].sibling;
    }
    if (parent->children == CHILDREN_MOST) {
        fields->left_out = true;
        return 0;
    }
    uint32_t added = add_field_node(fields, node, step);
    if (added != 0) {
        fields->nodes[added].sibling = parent->child;
        parent->child = added;
        parent->children++;
    }
    return added;
}

fr_field *fr_fields_at(fr_fields *fields, uint32_t node, const char *type)
{
    if (node == 0) {
        return NULL;
    }
    uint32_t *index = &fields->nodes[node].field;
    if (*index == FR_NO_FIELD) {
        if (fields->count == FR_FIELDS_MOST || fields->part_count == FR_FIELDS_EACH) {
            fields->left_out = true;
            return NULL;
        }
        *index = fields->count++;
        fields->part_count++;
        fields->fields[*index] = (fr_field){.part = fields->part, .node = node, .type = type};
    }
    return &fields->fields[*index];
}

// A node lies as deep as tables may in each other.
void fr_html_node(fr_html *html, const fr_fields *fields, uint32_t node)
{
    const fr_field_node *at = &fields->nodes[node];
    if (at->parent == 0) {
        return;
    }
    fr_html_node(html, fields, at->parent);
    if (at->key == NULL) {
        fr_html_put(html, "[]");
    } else {
        fr_html_put(html, fields->nodes[at->parent].parent != 0 ? "." : "");
        fr_html_cut(html, at->key, at->size, 64);
    }
}
