// What a file holds, in bytes: parts, archetypes and entries of data.
#include <stdlib.h>
#include <string.h>

#include "cli/report.h"

// ---- the largest of many

void fr_top_add(fr_top *top, const fr_top_item *item)
{
    bool full = top->count == top->most;
    if (full) {
        const fr_top_item *last = &top->items[top->count - 1];
        bool fits = item->weight > last->weight;
        top->others++;
        top->others_weight += fits ? last->weight : item->weight;
        if (!fits) {
            return;
        }
    }
    uint32_t at = full ? top->count - 1 : top->count++;
    while (at > 0 && top->items[at - 1].weight < item->weight) {
        top->items[at] = top->items[at - 1];
        at--;
    }
    top->items[at] = *item;
}

// ---- bytes

fr_part *fr_report_part(const fr_report *report, uint32_t index)
{
    return (fr_part *)(void *)report->parts.data + index;
}

static uint32_t *parts_of_components(const fr_report *report)
{
    return (uint32_t *)(void *)report->part_of.data;
}

static const char **names_of_components(const fr_report *report)
{
    return (const char **)(void *)report->names.data;
}

const char *fr_report_component_name(const fr_report *report, uint32_t component)
{
    return names_of_components(report)[component];
}

uint32_t fr_report_part_of(const fr_report *report, uint32_t component)
{
    return parts_of_components(report)[component];
}

uint64_t fr_report_column_bytes(const firn_image_column *column, const fr_frame_bytes *frame)
{
    bool made = frame->by_row && !column->raw; // a nil stands where a row lacks a value
    return column->size - (made ? column->nils : 0);
}

fr_frame_bytes fr_report_frame(const fr_report *report, uint32_t archetype)
{
    firn_image_archetype at;
    fr_frame_bytes frame = {.by_row = false};
    firn_reader mode;
    size_t used = 0;
    firn_image_archetype_at(report->image, archetype, &at);
    const uint8_t *bytes = report->bytes + at.offset;
    for (uint32_t i = 0; i < at.columns + 3; i++) { // two counts, the columns, the mode
        bytes += used;
        firn_value_check(bytes, (size_t)(report->bytes + at.offset + at.size - bytes), NULL, &used,
                         NULL);
    }
    firn_reader_begin(&mode, bytes, used, NULL);
    frame.by_row = firn_read_number(&mode) != 0;
    frame.head = (uint64_t)(bytes + used - (report->bytes + at.offset));
    frame.ids = at.size - frame.head;
    firn_image_column column;
    for (uint32_t i = 0; firn_image_column_at(report->image, archetype, i, &column); i++) {
        frame.ids -= fr_report_column_bytes(&column, &frame);
    }
    return frame;
}

uint64_t fr_report_datum_bytes(const fr_report *report, uint32_t index)
{
    firn_image_datum datum;
    const uint8_t *begin = report->bytes + report->info.data_offset;
    if (index > 0) {
        firn_image_datum_at(report->image, index - 1, &datum);
        begin = (const uint8_t *)datum.encoded + datum.size;
    }
    firn_image_datum_at(report->image, index, &datum);
    return (uint64_t)((const uint8_t *)datum.encoded + datum.size - begin);
}

uint64_t fr_report_head(const fr_report *report)
{
    uint64_t head = report->save == NULL ? 0 : report->file_bytes;
    firn_section_info section;
    for (uint32_t i = 0; firn_save_file_section_at(report->save, i, &section); i++) {
        head -= section.stored;
    }
    return head;
}

uint64_t fr_report_total(const fr_report *report)
{
    uint64_t total = report->save == NULL ? report->file_bytes : fr_report_head(report);
    firn_section_info section;
    for (uint32_t i = 0; firn_save_file_section_at(report->save, i, &section); i++) {
        total += section.size;
    }
    return total;
}

// ---- parts

// A component on its way to a part.
typedef struct part_name {
    const char *name;
    size_t size;
    bool relation;
    uint32_t component;
} part_name;

static int compare_part_texts(const char *a, size_t a_size, const char *b, size_t b_size)
{
    int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
    return order != 0 ? order : (a_size > b_size) - (a_size < b_size);
}

static int compare_part_names(const void *left, const void *right)
{
    const part_name *a = left, *b = right;
    int order = compare_part_texts(a->name, a->size, b->name, b->size);
    if (order == 0) {
        order = (int)a->relation - (int)b->relation;
    }
    return order != 0 ? order : (a->component > b->component) - (a->component < b->component);
}

static bool same_part(const part_name *a, const part_name *b)
{
    return a->relation && b->relation &&
           compare_part_texts(a->name, a->size, b->name, b->size) == 0;
}

// Memory for an array, zeroed.
static firn_result make_zeroed(const fr_report *report, firn_buffer *array, size_t count,
                               size_t size, firn_error *err)
{
    firn_buffer_init(array, report->allocator);
    firn_result result = firn_buffer_reserve(array, (count + 1) * size, err);
    if (result == FIRN_OK) {
        memset(array->data, 0, (count + 1) * size);
    }
    return result;
}

static void begin_part(fr_report *report, const part_name *name)
{
    firn_image_component component;
    firn_image_component_at(report->image, name->component, &component);
    fr_part *part = fr_report_part(report, report->part_count++);
    *part = (fr_part){.name = name->name,
                      .name_size = name->size,
                      .component = name->component,
                      .raw = component.raw,
                      .row_size = component.row_size};
    uint32_t fields = 0;
    firn_image_field field;
    for (; firn_image_field_at(report->image, name->component, fields, &field); fields++) {
        part->holes += field.size; // what is covered, until it is turned around
    }
    part->holes_known = part->raw && fields > 0;
    part->holes = part->holes_known ? component.row_size - part->holes : 0;
}

// Walks the columns of each component once.
static void gather_names(const fr_report *report, part_name *names)
{
    firn_image_component component;
    for (uint32_t i = 0; firn_image_component_at(report->image, i, &component); i++) {
        bool relation = component.relation_size > 0;
        names_of_components(report)[i] = component.name;
        names[i] = (part_name){.name = component.name,
                               .size = relation ? component.relation_size : strlen(component.name),
                               .relation = relation,
                               .component = i};
    }
}

static firn_result gather_parts(fr_report *report, firn_error *err)
{
    uint32_t count = report->info.prelude.component_count;
    firn_buffer names;
    firn_result result = make_zeroed(report, &names, count, sizeof(part_name), err);
    if (result == FIRN_OK) {
        result = make_zeroed(report, &report->parts, count, sizeof(fr_part), err);
    }
    if (result == FIRN_OK) {
        result = make_zeroed(report, &report->names, count, sizeof(const char *), err);
    }
    if (result == FIRN_OK) {
        result = make_zeroed(report, &report->part_of, count, sizeof(uint32_t), err);
    }
    part_name *name = (part_name *)(void *)names.data;
    if (result == FIRN_OK) {
        gather_names(report, name);
        qsort(name, count, sizeof *name, compare_part_names);
    }
    for (uint32_t i = 0; result == FIRN_OK && i < count; i++) {
        if (i == 0 || !same_part(&name[i - 1], &name[i])) {
            begin_part(report, &name[i]);
        }
        fr_report_part(report, report->part_count - 1)->targets += name[i].relation;
        parts_of_components(report)[name[i].component] = report->part_count - 1;
    }
    firn_buffer_free(&names);
    return result;
}

// ---- columns and archetypes

static void count_column(fr_report *report, const firn_image_column *column, uint64_t bytes)
{
    fr_part *part = fr_report_part(report, fr_report_part_of(report, column->component));
    part->columns++;
    part->rows += column->rows;
    part->nils += column->nils;
    part->bytes += bytes;
    *(column->raw ? &report->raw : &report->encoded) += bytes;
}

static void count_archetypes(fr_report *report)
{
    firn_image_archetype archetype;
    for (uint32_t i = 0; firn_image_archetype_at(report->image, i, &archetype); i++) {
        fr_frame_bytes frame = fr_report_frame(report, i);
        report->heads += frame.head;
        report->ids += frame.ids;
        firn_image_column column;
        for (uint32_t k = 0; firn_image_column_at(report->image, i, k, &column); k++) {
            count_column(report, &column, fr_report_column_bytes(&column, &frame));
        }
        fr_top_add(&report->archetypes, &(fr_top_item){.weight = archetype.size, .what = i});
    }
}

static void count_parts(fr_report *report)
{
    uint32_t columns = 0;
    for (uint32_t i = 0; i < report->part_count; i++) {
        fr_part *part = fr_report_part(report, i);
        part->holes *= part->rows - part->nils;
        report->holes += part->holes;
        part->first_column = columns;
        columns += part->columns;
        part->columns = 0; // until they are listed
        fr_top_add(&report->components, &(fr_top_item){.weight = part->bytes, .what = i});
    }
}

// The columns of each part, in the order of archetypes.
static firn_result gather_columns(fr_report *report, firn_error *err)
{
    uint32_t count = 0;
    firn_image_archetype archetype;
    for (uint32_t i = 0; firn_image_archetype_at(report->image, i, &archetype); i++) {
        count += archetype.columns;
    }
    firn_result result = make_zeroed(report, &report->columns, count, sizeof(fr_column_place), err);
    fr_column_place *places = (fr_column_place *)(void *)report->columns.data;
    firn_image_column column;
    for (uint32_t i = 0; result == FIRN_OK && i < report->info.prelude.frame_count; i++) {
        for (uint32_t k = 0; firn_image_column_at(report->image, i, k, &column); k++) {
            fr_part *part = fr_report_part(report, fr_report_part_of(report, column.component));
            places[part->first_column + part->columns++] = (fr_column_place){i, k};
        }
    }
    return result;
}

static void count_data(fr_report *report)
{
    for (uint32_t i = 0; i < report->info.prelude.data_count; i++) {
        uint64_t bytes = fr_report_datum_bytes(report, i);
        fr_top_add(&report->data, &(fr_top_item){.weight = bytes, .what = i});
    }
    report->data_bytes = report->info.size - report->info.data_offset;
    report->prelude = report->info.frames_offset;
}

// ---- all of it

static firn_result gather_image(fr_report *report, firn_error *err)
{
    firn_image_describe(report->image, &report->info);
    firn_result result = gather_parts(report, err);
    if (result == FIRN_OK) {
        count_archetypes(report);
        count_parts(report);
        count_data(report);
        result = gather_columns(report, err);
    }
    return result == FIRN_OK ? fr_report_entities(report, err) : result;
}

firn_result fr_report_gather(fr_report *report, const fr_cli *cli, const fr_cli_source *source,
                             firn_error *err)
{
    *report = (fr_report){.path = source->path,
                          .file_bytes = source->bytes.size,
                          .save = source->save,
                          .image = source->opened,
                          .bytes = source->image,
                          .allocator = cli->host->allocator,
                          .limits = &cli->limits};
    report->components.most = FR_TOP_ROOM;
    report->archetypes.most = FR_TOP_ROOM;
    report->data.most = FR_TOP_ROOM;
    report->entities.most = FR_ENTITIES_MOST;
    firn_result result = report->image != NULL ? gather_image(report, err) : FIRN_OK;
    return result == FIRN_OK ? fr_report_values(report, err) : result;
}

void fr_report_free(fr_report *report)
{
    firn_buffer_free(&report->parts);
    firn_buffer_free(&report->names);
    firn_buffer_free(&report->part_of);
    firn_buffer_free(&report->columns);
}
