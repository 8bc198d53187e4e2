#include "value/decode.h"

#include "base/error.h"
#include "value/check.h"
#include "value/path.h"
#include "value/table.h"

/// What is still to come in an open table.
struct build_level {
    firn_table *table;
    uint64_t index; ///< of the next element
    uint32_t elements;
    uint32_t pairs;
};

struct builder {
    fr_in in;
    firn_doc *doc;
    firn_error *err;
    uint32_t depth;
    struct build_level levels[FIRN_DEPTH_MAX];
};

/// The check passed and the bytes are others now: a mapped file that someone writes to.
static bool build_fail_changed(struct builder *builder)
{
    fr_fail_at(builder->err, FIRN_CORRUPT, fr_in_offset(&builder->in), NULL,
               "the bytes changed while they were read");
    return false;
}

static bool build_table(struct builder *builder, uint32_t tag, firn_value *out)
{
    if (builder->depth == FIRN_DEPTH_MAX) {
        return build_fail_changed(builder);
    }
    uint64_t values = 0;
    firn_table_head head;
    firn_table *table = fr_table_create(builder->doc);
    if (table == NULL) {
        fr_fail_memory(builder->err, "table");
        return false;
    }
    firn_limits unbounded = {.tree_values = UINT64_MAX};
    if (!fr_value_check_head(&builder->in, builder->in.at, tag, &values, &unbounded, &head,
                             builder->err)) {
        return false;
    }
    *out = (firn_value){.kind = FIRN_VALUE_TABLE, .as.table = table};
    if (values > 0) {
        builder->levels[builder->depth++] =
            (struct build_level){table, head.array_first, head.array_count, head.map_count};
    }
    return true;
}

static bool build_string(struct builder *builder, uint32_t length, firn_value *out)
{
    const uint8_t *bytes;
    if (!fr_in_bytes(&builder->in, length, &bytes)) {
        return build_fail_changed(builder);
    }
    char *copy = fr_doc_copy(builder->doc, bytes, length);
    if (copy == NULL) {
        fr_fail_memory(builder->err, "string");
        return false;
    }
    *out = (firn_value){.kind = FIRN_VALUE_STRING, .length = length, .as.string = copy};
    return true;
}

static bool build_complex(struct builder *builder, const uint8_t *payload, firn_value *out)
{
    double *parts = fr_doc_alloc(builder->doc, 2, sizeof *parts);
    if (parts == NULL) {
        fr_fail_memory(builder->err, "complex number");
        return false;
    }
    parts[0] = fr_load_f64(payload);
    parts[1] = fr_load_f64(payload + 8);
    *out = (firn_value){.kind = FIRN_VALUE_COMPLEX, .as.complex = parts};
    return true;
}

/// One value; a table that holds something becomes the newest level.
static bool build_item(struct builder *builder, firn_value *out)
{
    uint32_t tag;
    const uint8_t *payload;
    if (!fr_in_count(&builder->in, &tag)) {
        return build_fail_changed(builder);
    }
    if (tag >= FR_TAG_STRING) {
        return build_string(builder, tag - FR_TAG_STRING, out);
    }
    if (tag >= FR_TAG_TABLE && tag <= FR_TAG_TABLE_LAST) {
        return build_table(builder, tag, out);
    }
    if (!fr_in_bytes(&builder->in, fr_scalar_payload[tag], &payload)) {
        return build_fail_changed(builder);
    }
    switch (tag) {
    case FR_TAG_FALSE:
    case FR_TAG_TRUE:
        *out = (firn_value){.kind = FIRN_VALUE_BOOL, .as.boolean = tag == FR_TAG_TRUE};
        return true;
    case FR_TAG_INT32:
        *out = (firn_value){.kind = FIRN_VALUE_NUMBER,
                            .as.number = (double)(int32_t)fr_load_u32(payload)};
        return true;
    case FR_TAG_NUMBER:
        *out = (firn_value){.kind = FIRN_VALUE_NUMBER, .as.number = fr_load_f64(payload)};
        return true;
    case FR_TAG_INT64:
        *out = (firn_value){.kind = FIRN_VALUE_INT64, .as.int64 = (int64_t)fr_load_u64(payload)};
        return true;
    case FR_TAG_UINT64:
        *out = (firn_value){.kind = FIRN_VALUE_UINT64, .as.uint64 = fr_load_u64(payload)};
        return true;
    case FR_TAG_COMPLEX:
        return build_complex(builder, payload, out);
    default:
        *out = (firn_value){.kind = FIRN_VALUE_NIL};
        return true;
    }
}

/// Puts an item in place. `room` is how many more of its kind the table announced.
static bool build_place(struct builder *builder, firn_table *table, firn_value key, firn_value item,
                        size_t room, uint64_t offset)
{
    if (item.kind == FIRN_VALUE_NIL) {
        return true;
    }
    if (fr_table_find(table, &key) != NULL) {
        char text[96];
        fr_fail_at(builder->err, FIRN_CORRUPT, offset, NULL, "the key %s is there twice",
                   fr_key_text(text, sizeof text, &key));
        return false;
    }
    // The announced items exist, so room for all of them is no more than what is needed anyway.
    bool appends = key.kind == FIRN_VALUE_NUMBER && key.as.number == (double)table->count + 1;
    bool ready = appends ? fr_table_reserve_items(builder->doc, table, table->count + room)
                         : fr_table_reserve_map(builder->doc, table, room);
    if (!ready || !fr_table_add(builder->doc, table, key, item)) {
        fr_fail_memory(builder->err, "table");
        return false;
    }
    return true;
}

static bool build_element(struct builder *builder, struct build_level *level)
{
    // The element at 0 is the only one that is sure to be an entry of the map.
    size_t room = level->index == 0 ? 1 : level->elements;
    level->elements -= 1;
    firn_value key = {.kind = FIRN_VALUE_NUMBER, .as.number = (double)level->index++};
    firn_value item;
    return build_item(builder, &item) &&
           build_place(builder, level->table, key, item, room, fr_in_offset(&builder->in));
}

static bool build_pair(struct builder *builder, struct build_level *level)
{
    size_t room = level->pairs--;
    uint64_t offset = fr_in_offset(&builder->in);
    firn_value key;
    firn_value item;
    if (!build_item(builder, &key)) {
        return false;
    }
    if (!fr_is_key(&key)) {
        return build_fail_changed(builder);
    }
    if (key.kind == FIRN_VALUE_NUMBER && key.as.number == 0) {
        key.as.number = 0;
    }
    return build_item(builder, &item) &&
           build_place(builder, level->table, key, item, room, offset);
}

static bool build_tree(struct builder *builder, firn_value *root)
{
    if (!build_item(builder, root)) {
        return false;
    }
    while (builder->depth > 0) {
        struct build_level *level = &builder->levels[builder->depth - 1];
        bool built = true;
        if (level->elements > 0) {
            built = build_element(builder, level);
        } else if (level->pairs > 0) {
            built = build_pair(builder, level);
        } else {
            builder->depth -= 1;
        }
        if (!built) {
            return false;
        }
    }
    return true;
}

firn_value *fr_value_build(fr_in *in, firn_doc *doc, firn_error *err)
{
    fr_doc_mark mark = fr_doc_here(doc);
    struct builder builder;
    builder.in = *in;
    builder.doc = doc;
    builder.err = err;
    builder.depth = 0;
    firn_value *root = fr_doc_alloc(doc, 1, sizeof *root);
    if (root == NULL) {
        fr_fail_memory(err, "value");
    }
    if (root == NULL || !build_tree(&builder, root)) {
        fr_doc_rollback(doc, mark);
        return NULL;
    }
    in->at = builder.in.at;
    return root;
}

firn_value *firn_value_decode(firn_doc *doc, const void *bytes, size_t size, firn_error *err)
{
    if (doc == NULL) {
        fr_fail(err, FIRN_INVALID, "doc", "the document is NULL");
        return NULL;
    }
    if (firn_value_check(bytes, size, &doc->limits, NULL, err) != FIRN_OK) {
        return NULL;
    }
    fr_in in;
    fr_in_begin(&in, bytes, size);
    return fr_value_build(&in, doc, err);
}
