// The values of relations: {target = id, fields}, or {edges = {those, ...}}.
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "snapshot/target.h"
#include "snapshot/write.h"
#include "store/relation.h"
#include "store/schema.h"

// Edges that are only a target.
static firn_result write_bare_edges(fr_save *save, const fr_saved_rows *run,
                                    const fr_component *relation, const uint8_t *rows,
                                    firn_error *err)
{
    const uint32_t most = (uint32_t)(FR_WRITE_CHUNK / FR_TARGET_BYTES);
    for (uint32_t row = 0; row < run->count;) {
        uint32_t n = run->count - row < most ? run->count - row : most;
        uint8_t *at = fr_write_space(save, (size_t)n * FR_TARGET_BYTES);
        if (at == NULL) {
            break;
        }
        for (uint32_t i = 0; i < n; i++, row++) {
            firn_entity target = fr_edge_target(rows + (size_t)row * relation->stride);
            at = fr_put_target(at, (double)(int64_t)target);
        }
        fr_write_filled(save, (size_t)n * FR_TARGET_BYTES);
    }
    return fr_out_end(&save->out, err);
}

// How edges with fields become tables.
typedef struct edge_format {
    const fr_component *relation;
    fr_schema schema;   // of the fields; none: only the target
    uint32_t target_at; // before which of the sorted names the target stands
    uint8_t *wire;      // room for the fields of a row
} edge_format;

static firn_result begin_format(const fr_save *save, const fr_component *relation,
                                edge_format *format, firn_error *err)
{
    static const char key[] = "target";
    const firn_allocator *allocator = &save->world->allocator;
    const fr_layout *layout = &relation->layout;
    *format = (edge_format){.relation = relation};
    if (layout->leaf_count == 0) {
        return FIRN_OK;
    }
    firn_result result =
        fr_schema_parse(allocator, layout->fingerprint, strlen(layout->fingerprint), relation->name,
                        &save->world->limits, &format->schema, err);
    if (result != FIRN_OK) {
        return result;
    }
    const fr_field_names *names = &format->schema.names;
    while (format->target_at < names->count &&
           fr_compare_names(names->sorted[format->target_at]->bytes,
                            names->sorted[format->target_at]->size, key, sizeof key - 1) < 0) {
        format->target_at++;
    }
    format->wire = fr_alloc(allocator, layout->wire_size, 1, sizeof(uint64_t));
    return format->wire != NULL ? FIRN_OK : fr_fail_memory(err, relation->name);
}

static void end_format(const fr_save *save, edge_format *format)
{
    const firn_allocator *allocator = &save->world->allocator;
    if (format->wire != NULL) {
        fr_free(allocator, format->wire, format->relation->layout.wire_size, 1, sizeof(uint64_t));
    }
    fr_schema_free(allocator, &format->schema);
}

static void put_edge_table(const edge_format *format, const uint8_t *edge, firn_writer *out)
{
    const fr_schema *schema = &format->schema;
    uint32_t fields = schema->field_count;
    if (fields > 0) {
        fr_layout_to_wire(&format->relation->layout, edge, 1, format->wire);
    }
    firn_write_table(out, 0, fields + 1);
    for (uint32_t i = 0; i <= fields; i++) {
        if (i == format->target_at) {
            firn_write_string(out, "target", 6);
            firn_write_number(out, (double)fr_edge_target(edge));
        }
        if (i < fields) {
            const fr_schema_field *field = &schema->fields[schema->names.sorted[i]->field];
            firn_write_string(out, field->name, field->name_size);
            fr_field_write(field->type, field->count, format->wire + field->offset, out);
        }
    }
}

static void put_edges_of_row(const edge_format *format, const uint8_t *row, firn_writer *out)
{
    const fr_component *relation = format->relation;
    if (!fr_relation_is_many(relation)) {
        put_edge_table(format, row, out);
        return;
    }
    const fr_edges *edges = (const fr_edges *)(const void *)row;
    firn_write_table(out, 0, 1);
    firn_write_string(out, "edges", 5);
    firn_write_table(out, edges->count, 0);
    for (uint32_t i = 0; i < edges->count; i++) {
        put_edge_table(format, edges->rows + (size_t)i * relation->edge_stride, out);
    }
}

static firn_result refuse_edges(const fr_saved_rows *run, const fr_component *relation,
                                uint64_t row, const firn_error *why, firn_error *err)
{
    firn_entity entity = row < run->count ? run->entities[row] : 0;
    return fr_fail_entity(err, why->code, entity, relation->name, "%s of entity %llu%s%s: %s",
                          relation->name, (unsigned long long)entity, why->subject[0] ? " at " : "",
                          why->subject, why->message);
}

static firn_result check_bools(const fr_saved_rows *run, const fr_component *relation,
                               const uint8_t *rows, firn_error *err)
{
    for (uint32_t row = 0; row < run->count; row++) {
        const uint8_t *edges = rows + (size_t)row * relation->stride;
        uint32_t count = 1;
        if (fr_relation_is_many(relation)) {
            count = ((const fr_edges *)(const void *)edges)->count;
            edges = ((const fr_edges *)(const void *)edges)->rows;
        }
        size_t bad;
        uint32_t leaf;
        if (!fr_layout_check_rows(&relation->layout, edges, count, &bad, &leaf)) {
            firn_error why = {.code = FIRN_INVALID};
            snprintf(why.message, sizeof why.message, "%s is a bool that is neither 0 nor 1",
                     relation->layout.leaves[leaf].name);
            return refuse_edges(run, relation, row, &why, err);
        }
    }
    return FIRN_OK;
}

// By way of the scratch buffer, a chunk at a time.
static firn_result write_tables(fr_save *save, const fr_saved_rows *run, const edge_format *format,
                                const uint8_t *rows, firn_error *err)
{
    const fr_component *relation = format->relation;
    for (uint32_t row = 0; row < run->count;) {
        firn_writer writer;
        firn_error why;
        uint32_t first = row;
        firn_buffer_clear(save->scratch);
        firn_writer_begin(&writer, save->scratch, &save->world->limits);
        do {
            put_edges_of_row(format, rows + (size_t)row * relation->stride, &writer);
        } while (++row < run->count && save->scratch->size < FR_WRITE_CHUNK);
        if (firn_writer_end(&writer, &why) != FIRN_OK) {
            return refuse_edges(run, relation, first + writer.written, &why, err);
        }
        fr_out_bytes(&save->out, save->scratch->data, save->scratch->size);
    }
    return fr_out_end(&save->out, err);
}

firn_result fr_write_edges(fr_save *save, const fr_saved_rows *run, const fr_component *relation,
                           const uint8_t *rows, firn_error *err)
{
    if (relation->layout.leaf_count == 0 && !fr_relation_is_many(relation) &&
        fr_target_allowed(&save->world->limits)) {
        return write_bare_edges(save, run, relation, rows, err);
    }
    edge_format format;
    firn_result result = check_bools(run, relation, rows, err);
    if (result != FIRN_OK) {
        return result;
    }
    result = begin_format(save, relation, &format, err);
    if (result == FIRN_OK) {
        result = write_tables(save, run, &format, rows, err);
    }
    end_format(save, &format);
    return result;
}
