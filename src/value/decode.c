#include "value/decode.h"

#include "base/error.h"
#include "value/check.h"
#include "value/path.h"
#include "value/table.h"

/// What is still to come in an open table.
struct build_level {
    firn_table *table;
    uint64_t owed;  ///< items still to come in the tables around this one
    uint64_t index; ///< of the next element
    uint32_t elements;
    uint32_t pairs;
};

/// A builder believes nothing, but only says that something is wrong: when the build has failed, a
/// check of the bytes finds the words.
struct builder {
    fr_in in;
    firn_doc *doc;
    const firn_limits *limits;
    uint64_t values;
    uint32_t outside;    ///< tables that were open before the first level
    uint32_t depth;      ///< open levels
    fr_table_keys *last; ///< the shared list that a table took last, or NULL
    firn_error error;    ///< of the tree; code FIRN_OK when the bytes are wrong
    struct build_level levels[FIRN_DEPTH_MAX];
};

static bool build_fail_memory(struct builder *builder, const char *what)
{
    fr_fail_memory(&builder->error, what);
    return false;
}

/// The counts of a table. Every item needs a byte, those that other tables announced too: so what
/// is taken for them is bounded by the bytes, whatever comes.
static bool build_head(struct builder *builder, uint32_t tag, uint64_t owed, firn_table_head *head)
{
    fr_in *in = &builder->in;
    const firn_limits *limits = builder->limits;
    if (tag == FR_TAG_TABLE + 1 && in->at != in->end && *in->at < FR_COUNT_TWO) {
        *head = (firn_table_head){1, 0, *in->at++};
        uint32_t items = 2 * head->map_count;
        if (items > limits->tree_values - builder->values) {
            return false;
        }
        builder->values += items;
    } else if (!fr_value_check_head(in, in->at, tag, &builder->values, limits, head, NULL)) {
        return false;
    }
    return head->array_count + 2 * (uint64_t)head->map_count + owed <= fr_in_left(in);
}

/// Keys of such a list can be taken as they come. A number is not so simple: it may continue the
/// array part.
static bool is_shared_names(const fr_table_keys *keys)
{
    return keys != NULL && keys->wire != NULL && keys->numbers == 0;
}

/// A list that begins with the key that comes, or NULL.
static fr_table_keys *known_keys(struct builder *builder)
{
    const fr_in *in = &builder->in;
    if (fr_in_left(in) < FR_WIRE_KEY_BYTES) {
        return NULL;
    }
    if (builder->last != NULL && fr_wire_key_is_at(&builder->last->wire[0], in->at)) {
        return builder->last;
    }
    uint8_t length = (uint8_t)(*in->at - FR_TAG_STRING);
    if (length == 0 || length >= FR_WIRE_KEY_BYTES - 1) {
        return NULL;
    }
    fr_table_keys *recent = *fr_keys_recent_text(builder->doc, in->at + 1, length);
    if (recent == NULL || !fr_keys_share(builder->doc, recent) ||
        !fr_wire_key_is_at(&recent->wire[0], in->at)) {
        return NULL;
    }
    builder->last = recent;
    return recent;
}

/// Reads at most `pairs` pairs, as long as keys come as the shared list has them and values are
/// numbers. Returns how many those are.
static uint32_t build_row(struct builder *builder, firn_table *table, uint32_t pairs)
{
    if (table->keys == NULL) {
        table->keys = known_keys(builder);
    }
    const fr_table_keys *keys = table->keys;
    if (!is_shared_names(keys)) {
        return 0;
    }
    const uint8_t *at = builder->in.at;
    uint32_t first = table->entries;
    uint32_t entry = first;
    uint32_t end = keys->count < table->room ? keys->count : table->room;
    end = end - first < pairs ? end : first + pairs;
    while (entry < end && builder->in.end - at >= FR_WIRE_KEY_BYTES + 9 &&
           fr_wire_key_is_at(&keys->wire[entry], at)) {
        const uint8_t *value = at + keys->wire[entry].size;
        if (*value != FR_TAG_NUMBER) {
            break;
        }
        table->values[entry++] =
            (firn_value){.kind = FIRN_VALUE_NUMBER, .as.number = fr_load_f64(value + 1)};
        at = value + 9;
    }
    table->entries = entry;
    builder->in.at = at;
    return entry - first;
}

static bool build_table(struct builder *builder, uint32_t tag, firn_value *out)
{
    uint64_t owed = 0;
    if (builder->depth > 0) {
        const struct build_level *level = &builder->levels[builder->depth - 1];
        owed = level->owed + level->elements + 2 * (uint64_t)level->pairs;
    }
    firn_table_head head;
    if (builder->outside + builder->depth >= builder->limits->depth ||
        !build_head(builder, tag, owed, &head)) {
        return false;
    }
    firn_table *table = fr_table_create(builder->doc, head.map_count);
    if (table == NULL) {
        return build_fail_memory(builder, "table");
    }
    *out = (firn_value){.kind = FIRN_VALUE_TABLE, .as.table = table};
    if (head.array_count == 0 && head.map_count > 0) {
        head.map_count -= build_row(builder, table, head.map_count);
    }
    if ((head.array_count | head.map_count) != 0) {
        builder->levels[builder->depth++] =
            (struct build_level){table, owed, head.array_first, head.array_count, head.map_count};
    }
    return true;
}

static bool build_string(struct builder *builder, uint32_t length, firn_value *out)
{
    const uint8_t *bytes;
    if (length > builder->limits->string_bytes || !fr_in_bytes(&builder->in, length, &bytes)) {
        return false;
    }
    char *copy = fr_doc_copy(builder->doc, bytes, length);
    if (copy == NULL) {
        return build_fail_memory(builder, "string");
    }
    *out = (firn_value){.kind = FIRN_VALUE_STRING, .length = length, .as.string = copy};
    return true;
}

static bool build_complex(struct builder *builder, const uint8_t *payload, firn_value *out)
{
    double *parts = fr_doc_alloc(builder->doc, 2, sizeof *parts);
    if (parts == NULL) {
        return build_fail_memory(builder, "complex number");
    }
    parts[0] = fr_load_f64(payload);
    parts[1] = fr_load_f64(payload + 8);
    *out = (firn_value){.kind = FIRN_VALUE_COMPLEX, .as.complex = parts};
    return true;
}

static bool build_scalar(struct builder *builder, uint32_t tag, firn_value *out)
{
    const uint8_t *payload;
    size_t size = fr_scalar_payload[tag];
    if (size == FR_NO_SCALAR || !fr_in_bytes(&builder->in, size, &payload)) {
        return false;
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

/// One value; a table of which more is to come becomes the newest level.
static bool build_item(struct builder *builder, firn_value *out)
{
    uint32_t tag;
    if (!fr_in_count(&builder->in, &tag)) {
        return false;
    }
    if (tag >= FR_TAG_STRING) {
        return build_string(builder, tag - FR_TAG_STRING, out);
    }
    if (tag >= FR_TAG_TABLE && tag <= FR_TAG_TABLE_LAST) {
        return build_table(builder, tag, out);
    }
    return build_scalar(builder, tag, out);
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
        fr_fail_at(&builder->error, FIRN_CORRUPT, offset, NULL, "the key %s is there twice",
                   fr_key_text(text, sizeof text, &key));
        return false;
    }
    // The announced items exist, so room for all of them is no more than what is needed anyway.
    bool appends = key.kind == FIRN_VALUE_NUMBER && key.as.number == (double)table->count + 1;
    bool ready = appends ? fr_table_reserve_items(builder->doc, table, table->count + room)
                         : fr_table_reserve_map(builder->doc, table, room);
    if (!ready || !fr_table_add(builder->doc, table, key, item)) {
        return build_fail_memory(builder, "table");
    }
    return true;
}

/// An element that is no nil goes to its place at once while those before it are there; false after
/// a failure.
static bool build_element(struct builder *builder, struct build_level *level)
{
    firn_table *table = level->table;
    level->elements -= 1;
    uint64_t index = level->index++;
    if (index == (uint64_t)table->count + 1 && table->count < table->capacity &&
        table->keys == NULL) {
        firn_value *item = &table->items[table->count];
        if (!build_item(builder, item)) {
            return false;
        }
        table->count += item->kind != FIRN_VALUE_NIL;
        return true;
    }
    // The element at 0 is the only one that is sure to be an entry of the map.
    size_t room = index == 0 ? 1 : (size_t)level->elements + 1;
    firn_value key = {.kind = FIRN_VALUE_NUMBER, .as.number = (double)index};
    firn_value item;
    return build_item(builder, &item) &&
           build_place(builder, table, key, item, room, fr_in_offset(&builder->in));
}

/// The elements up to one that opens a level.
static bool build_elements(struct builder *builder, struct build_level *level)
{
    uint32_t depth = builder->depth;
    while (level->elements > 0 && builder->depth == depth) {
        if (!build_element(builder, level)) {
            return false;
        }
    }
    return true;
}

/// The key that comes is the next one of the list that the table shares, and its value has room.
static bool next_key_comes(const struct builder *builder, const firn_table *table)
{
    const fr_table_keys *keys = table->keys;
    return is_shared_names(keys) && table->entries < keys->count && table->entries < table->room &&
           fr_in_left(&builder->in) >= FR_WIRE_KEY_BYTES &&
           fr_wire_key_is_at(&keys->wire[table->entries], builder->in.at);
}

/// A pair with that key: nothing is searched, and the value is read where it stays.
static bool build_next_pair(struct builder *builder, firn_table *table)
{
    firn_value *value = &table->values[table->entries];
    builder->in.at += table->keys->wire[table->entries].size;
    if (!build_item(builder, value)) {
        return false;
    }
    table->entries += value->kind != FIRN_VALUE_NIL;
    return true;
}

/// A pair with any key; `room` is how many are still to come with it.
static bool build_pair(struct builder *builder, firn_table *table, size_t room)
{
    uint64_t offset = fr_in_offset(&builder->in);
    firn_value key;
    firn_value item;
    if (!build_item(builder, &key) || !fr_is_key(&key)) {
        return false;
    }
    if (key.kind == FIRN_VALUE_NUMBER && key.as.number == 0) {
        key.as.number = 0;
    }
    return build_item(builder, &item) && build_place(builder, table, key, item, room, offset);
}

/// The pairs up to one whose value opens a level.
static bool build_pairs(struct builder *builder, struct build_level *level)
{
    firn_table *table = level->table;
    uint32_t depth = builder->depth;
    while (builder->depth == depth) {
        level->pairs -= build_row(builder, table, level->pairs);
        if (level->pairs == 0) {
            break;
        }
        size_t room = level->pairs--;
        if (next_key_comes(builder, table) ? !build_next_pair(builder, table)
                                           : !build_pair(builder, table, room)) {
            return false;
        }
    }
    return true;
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
            built = build_elements(builder, level);
        } else if (level->pairs > 0) {
            built = build_pairs(builder, level);
        } else {
            builder->depth -= 1;
        }
        if (!built) {
            return false;
        }
    }
    return true;
}

/// The check passed and the bytes are others now: a mapped file that someone writes to.
static void build_fail_changed(const fr_in *in, firn_error *err)
{
    fr_fail_at(err, FIRN_CORRUPT, fr_in_offset(in), NULL, "the bytes changed while they were read");
}

/// Says why a build failed: bytes that are wrong come before a tree that cannot be.
static void build_explain(struct builder *builder, fr_in *in, uint64_t values, firn_error *err)
{
    if (!fr_value_check_inside(in, builder->outside, &values, builder->limits, err)) {
        return;
    }
    if (builder->error.code != FIRN_OK) {
        fr_fail_copy(err, &builder->error);
    } else {
        build_fail_changed(&builder->in, err);
    }
}

firn_value *fr_value_build(fr_in *in, uint32_t depth, uint64_t *values, const firn_limits *limits,
                           firn_doc *doc, firn_error *err)
{
    fr_doc_mark mark = fr_doc_here(doc);
    fr_doc_forget_keys(doc);
    struct builder builder;
    builder.in = *in;
    builder.doc = doc;
    builder.limits = limits;
    builder.values = *values;
    builder.outside = depth;
    builder.depth = 0;
    builder.last = NULL;
    builder.error.code = FIRN_OK;
    firn_value *root = fr_doc_alloc(doc, 1, sizeof *root);
    if (root == NULL) {
        fr_fail_memory(&builder.error, "value");
    }
    if (root == NULL || !build_tree(&builder, root)) {
        fr_doc_rollback(doc, mark);
        fr_in again = *in;
        build_explain(&builder, &again, *values, err);
        return NULL;
    }
    in->at = builder.in.at;
    *values = builder.values;
    return root;
}

firn_value *firn_value_decode(firn_doc *doc, const void *bytes, size_t size, firn_error *err)
{
    if (doc == NULL) {
        fr_fail(err, FIRN_INVALID, "doc", "the document is NULL");
        return NULL;
    }
    fr_doc_mark mark = fr_doc_here(doc);
    firn_error failure;
    uint64_t values = 1;
    fr_in in;
    fr_in_begin(&in, bytes, size);
    firn_value *value = fr_value_build(&in, 0, &values, &doc->limits, doc, &failure);
    if (value != NULL && in.at == in.end) {
        return value;
    }
    if (value != NULL) {
        fr_doc_rollback(doc, mark);
        build_fail_changed(&in, &failure);
    }
    // Bytes behind the value come before a tree that cannot be.
    if (firn_value_check(bytes, size, &doc->limits, NULL, err) == FIRN_OK) {
        fr_fail_copy(err, &failure);
    }
    return NULL;
}
