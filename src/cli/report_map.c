// The tiles of a treemap, and their names.
#include "cli/report_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ARCHETYPES_MOST  40
#define COMPONENTS_NAMED 8

// ---- tiles

static void add_map_leaf(fr_group *group, const fr_tile *tile)
{
    if (tile->weight == 0) {
        return;
    }
    uint32_t at = group->count++;
    for (; at > 0 && group->leaves[at - 1].weight < tile->weight; at--) {
        group->leaves[at] = group->leaves[at - 1];
    }
    group->leaves[at] = *tile;
    group->whole.weight += tile->weight;
}

static void add_map_group(fr_map *map, const fr_group *group)
{
    if (group->whole.weight == 0) {
        return;
    }
    uint32_t at = map->count++;
    for (; at > 0 && map->groups[at - 1].whole.weight < group->whole.weight; at--) {
        map->groups[at] = map->groups[at - 1];
    }
    map->groups[at] = *group;
}

static void add_map_single(fr_map *map, fr_tile_kind kind, uint32_t what, uint64_t weight)
{
    fr_group group = {.whole = {.kind = kind}};
    add_map_leaf(&group, &(fr_tile){.weight = weight, .kind = kind, .what = what});
    add_map_group(map, &group);
}

// The columns of one relation are one tile.
static fr_top parts_of_archetype(const fr_report *report, uint32_t archetype,
                                 const fr_frame_bytes *frame)
{
    fr_top parts = {.most = FR_LEAVES_MOST - 3};
    firn_image_column column;
    uint64_t bytes = 0;
    uint32_t part = 0;
    for (uint32_t i = 0; firn_image_column_at(report->image, archetype, i, &column); i++) {
        uint32_t next = fr_report_part_of(report, column.component);
        if (i > 0 && next != part) {
            fr_top_add(&parts, &(fr_top_item){.weight = bytes, .what = part});
            bytes = 0;
        }
        part = next;
        bytes += fr_report_column_bytes(&column, frame);
    }
    fr_top_add(&parts, &(fr_top_item){.weight = bytes, .what = part});
    return parts;
}

static void add_archetype_group(fr_map *map, const fr_report *report, uint32_t archetype)
{
    fr_group group = {.whole = {.kind = FR_TILE_ARCHETYPE, .what = archetype}};
    fr_frame_bytes frame = fr_report_frame(report, archetype);
    fr_top parts = parts_of_archetype(report, archetype, &frame);
    add_map_leaf(&group, &(fr_tile){frame.head, FR_TILE_FRAME, 0, archetype});
    add_map_leaf(&group, &(fr_tile){frame.ids, FR_TILE_IDS, 0, archetype});
    for (uint32_t i = 0; i < parts.count; i++) {
        const fr_top_item *item = &parts.items[i];
        add_map_leaf(&group, &(fr_tile){item->weight, FR_TILE_PART, item->what, archetype});
    }
    add_map_leaf(&group,
                 &(fr_tile){parts.others_weight, FR_TILE_PARTS, (uint32_t)parts.others, archetype});
    add_map_group(map, &group);
}

static void add_archetype_groups(fr_map *map, const fr_report *report)
{
    const fr_top *top = &report->archetypes;
    uint64_t others = top->others, others_weight = top->others_weight;
    for (uint32_t i = 0; i < top->count; i++) {
        if (i < ARCHETYPES_MOST) {
            add_archetype_group(map, report, top->items[i].what);
        } else {
            others++;
            others_weight += top->items[i].weight;
        }
    }
    add_map_single(map, FR_TILE_ARCHETYPES, (uint32_t)others, others_weight);
}

static void add_data_group(fr_map *map, const fr_report *report)
{
    const fr_top *top = &report->data;
    fr_group group = {.whole = {.kind = FR_TILE_DATA}};
    uint64_t left = report->data_bytes;
    uint32_t shown = top->count < FR_LEAVES_MOST - 1 ? top->count : FR_LEAVES_MOST - 1;
    for (uint32_t i = 0; i < shown; i++) {
        const fr_top_item *item = &top->items[i];
        add_map_leaf(&group, &(fr_tile){item->weight, FR_TILE_DATUM, item->what, 0});
        left -= item->weight;
    }
    uint32_t others = report->info.prelude.data_count - shown;
    add_map_leaf(&group, &(fr_tile){left, FR_TILE_ENTRIES, others, 0});
    add_map_group(map, &group);
}

void fr_map_make(fr_map *map, const fr_report *report)
{
    map->count = 0;
    add_map_single(map, FR_TILE_HEAD, 0, fr_report_head(report));
    firn_section_info section;
    for (uint32_t i = 0; firn_save_file_section_at(report->save, i, &section); i++) {
        if (strcmp(section.name, FIRN_SECTION_SNAPSHOT) != 0) {
            add_map_single(map, FR_TILE_SECTION, i, section.size);
        }
    }
    if (report->image != NULL) {
        add_map_single(map, FR_TILE_PRELUDE, 0, report->prelude);
        add_archetype_groups(map, report);
        add_data_group(map, report);
    }
}

// ---- names

static firn_result name_part(const fr_report *report, uint32_t index, firn_buffer *name,
                             firn_error *err)
{
    const fr_part *part = fr_report_part(report, index);
    return firn_buffer_append(name, part->name, part->name_size, err);
}

static firn_result name_text(const char *text, firn_buffer *name, firn_error *err)
{
    return firn_buffer_append(name, text, strlen(text), err);
}

static firn_result name_count(const char *before, uint32_t count, const char *behind,
                              firn_buffer *name, firn_error *err)
{
    char text[64];
    snprintf(text, sizeof text, "%s%" PRIu32 "%s", before, count, behind);
    return name_text(text, name, err);
}

// Its components: `Position, Velocity and 3 more`.
static firn_result name_archetype(const fr_report *report, uint32_t archetype, firn_buffer *name,
                                  firn_error *err)
{
    firn_image_column column;
    uint32_t count = 0;
    firn_result result = FIRN_OK;
    for (; result == FIRN_OK && firn_image_column_at(report->image, archetype, count, &column);
         count++) {
        if (count >= COMPONENTS_NAMED) {
            continue;
        }
        result = name_text(count > 0 ? ", " : "", name, err);
        if (result == FIRN_OK) {
            result = name_text(fr_report_component_name(report, column.component), name, err);
        }
    }
    if (result == FIRN_OK && count == 0) {
        return name_text("no component", name, err);
    }
    return result == FIRN_OK && count > COMPONENTS_NAMED
               ? name_count(" and ", count - COMPONENTS_NAMED, " more", name, err)
               : result;
}

firn_result fr_map_name(const fr_report *report, const fr_tile *tile, firn_buffer *name,
                        firn_error *err)
{
    firn_section_info section;
    firn_image_datum datum;
    switch (tile->kind) {
    case FR_TILE_SECTION:
        firn_save_file_section_at(report->save, tile->what, &section);
        return name_text(section.name, name, err);
    case FR_TILE_DATUM:
        firn_image_datum_at(report->image, tile->what, &datum);
        return firn_buffer_append(name, datum.key, datum.key_size, err);
    case FR_TILE_PART:
        return name_part(report, tile->what, name, err);
    case FR_TILE_ARCHETYPE:
        return name_archetype(report, tile->what, name, err);
    case FR_TILE_PARTS:
        return name_count("", tile->what, " more components", name, err);
    case FR_TILE_ARCHETYPES:
        return name_count("", tile->what, " more archetypes", name, err);
    case FR_TILE_ENTRIES:
        return tile->what == 0 ? name_text("end of data", name, err)
                               : name_count("", tile->what, " more entries", name, err);
    case FR_TILE_HEAD:
        return name_text("head of the file", name, err);
    case FR_TILE_PRELUDE:
        return name_text("component table", name, err);
    case FR_TILE_FRAME:
        return name_text("frame head", name, err);
    case FR_TILE_IDS:
        return name_text("ids", name, err);
    default:
        return name_text("data", name, err);
    }
}
