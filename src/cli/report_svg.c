// The treemap as a picture.
#include <string.h>

#include "cli/report_map.h"

#define COLORS      8  // of components, the largest ones
#define STRIP       18 // height of the title of a group
#define GAP         2
#define SMALL_LABEL 11
#define LABEL       12

typedef struct map_drawing {
    const fr_report *report;
    fr_html *html;
    firn_buffer name; // of the tile at hand
    uint64_t total;
} map_drawing;

static uint32_t rank_of(const fr_report *report, uint32_t part)
{
    uint32_t rank = 0;
    while (rank < COLORS && rank < report->components.count &&
           report->components.items[rank].what != part) {
        rank++;
    }
    return rank < report->components.count ? rank : COLORS;
}

// The class that colors a tile.
static void put_tile_class(const map_drawing *drawing, const fr_tile *tile)
{
    char color[] = "c0";
    uint32_t rank = tile->kind == FR_TILE_PART ? rank_of(drawing->report, tile->what) : COLORS;
    switch (tile->kind) {
    case FR_TILE_PART:
        color[1] = (char)(rank < COLORS ? '0' + rank : 'x');
        break;
    case FR_TILE_PARTS:
    case FR_TILE_ARCHETYPES:
        color[1] = 'x';
        break;
    case FR_TILE_IDS:
        color[1] = 'i';
        break;
    case FR_TILE_DATUM:
    case FR_TILE_ENTRIES:
        color[1] = 'd';
        break;
    case FR_TILE_SECTION:
        color[1] = 's';
        break;
    default:
        color[1] = 'h';
        break;
    }
    fr_html_put(drawing->html, color);
}

static void take_tile_name(map_drawing *drawing, const fr_tile *tile)
{
    firn_buffer_clear(&drawing->name);
    firn_result result = fr_map_name(drawing->report, tile, &drawing->name, drawing->html->err);
    if (drawing->html->result == FIRN_OK) {
        drawing->html->result = result;
    }
}

static void put_tile_name(const map_drawing *drawing)
{
    fr_html_text(drawing->html, (const char *)drawing->name.data, drawing->name.size);
}

static void put_svg_rect(fr_html *html, const fr_rect *rect, double round)
{
    fr_html_put(html, "<rect");
    fr_html_place_of(html, "x", rect->x);
    fr_html_place_of(html, "y", rect->y);
    fr_html_place_of(html, "width", rect->width);
    fr_html_place_of(html, "height", rect->height);
    fr_html_place_of(html, "rx", round);
    fr_html_put(html, "/>");
}

// A line of text in front of which there is a place for it; nothing where it does not fit.
static void begin_label(fr_html *html, const char *class, double x, double y)
{
    fr_html_put(html, "<text class=\"");
    fr_html_put(html, class);
    fr_html_put(html, "\"");
    fr_html_place_of(html, "x", x);
    fr_html_place_of(html, "y", y);
    fr_html_put(html, ">");
}

// What hovering shows: the name of the tile at hand, and of the archetype around it.
static void put_tile_title(map_drawing *drawing, const fr_tile *tile, const fr_group *group)
{
    fr_html *html = drawing->html;
    fr_html_put(html, "<title>");
    put_tile_name(drawing);
    if (tile != &group->whole && group->whole.kind == FR_TILE_ARCHETYPE) {
        fr_html_put(html, " of ");
        take_tile_name(drawing, &group->whole);
        put_tile_name(drawing);
        take_tile_name(drawing, tile);
    }
    fr_html_put(html, ": ");
    fr_html_count(html, tile->weight);
    fr_html_put(html, " bytes, ");
    fr_html_share(html, tile->weight, drawing->total);
    fr_html_put(html, "</title>");
}

// The bytes of a tile below its name.
static void put_tile_bytes(fr_html *html, const fr_tile *tile, const fr_rect *rect)
{
    if (rect->height < 42 || rect->width < 62) {
        return;
    }
    begin_label(html, "s", rect->x + 6, rect->y + 33);
    fr_html_bytes(html, tile->weight);
    fr_html_put(html, "</text>");
}

static void draw_leaf(map_drawing *drawing, const fr_group *group, const fr_tile *tile,
                      const fr_rect *rect)
{
    fr_html *html = drawing->html;
    fr_html_put(html, "<g class=\"t ");
    put_tile_class(drawing, tile);
    fr_html_put(html, "\">");
    take_tile_name(drawing, tile);
    put_tile_title(drawing, tile, group);
    put_svg_rect(html, rect, rect->width > 8 && rect->height > 8 ? 3 : 0);
    if (rect->height >= 20 && rect->width >= 30) {
        begin_label(html, "l", rect->x + 6, rect->y + 17);
        fr_html_fit(html, (const char *)drawing->name.data, drawing->name.size, rect->width - 10,
                    LABEL);
        fr_html_put(html, "</text>");
        put_tile_bytes(html, tile, rect);
    }
    fr_html_put(html, "</g>\n");
}

// A smaller rectangle, so that there is a gap beside it.
static fr_rect shrink_rect(fr_rect rect, double by)
{
    double width = rect.width > 2 * by ? by : 0, height = rect.height > 2 * by ? by : 0;
    return (fr_rect){rect.x, rect.y, rect.width - width, rect.height - height};
}

static void put_group_title(map_drawing *drawing, const fr_group *group, const fr_rect *rect)
{
    fr_html *html = drawing->html;
    take_tile_name(drawing, &group->whole);
    put_tile_title(drawing, &group->whole, group);
    put_svg_rect(html, rect, 4);
    begin_label(html, "g", rect->x + 6, rect->y + 13);
    fr_html_fit(html, (const char *)drawing->name.data, drawing->name.size, rect->width - 10,
                SMALL_LABEL);
    fr_html_put(html, "</text>");
}

static void draw_group(map_drawing *drawing, const fr_group *group, const fr_rect *area)
{
    fr_rect rects[FR_LEAVES_MOST], rect = shrink_rect(*area, GAP + 1);
    uint64_t weights[FR_LEAVES_MOST];
    for (uint32_t i = 0; i < group->count; i++) {
        weights[i] = group->leaves[i].weight;
    }
    fr_html_put(drawing->html, "<g class=\"a\">");
    bool titled = group->count > 1 && rect.height > 3 * STRIP && rect.width > 3 * STRIP;
    if (titled) {
        put_group_title(drawing, group, &rect);
        rect = (fr_rect){rect.x + GAP, rect.y + STRIP, rect.width - GAP, rect.height - STRIP};
    }
    fr_treemap_lay(weights, group->count, rect, rects);
    for (uint32_t i = 0; i < group->count; i++) {
        fr_rect leaf = shrink_rect(rects[i], titled ? GAP : 1);
        draw_leaf(drawing, group, &group->leaves[i], &leaf);
    }
    fr_html_put(drawing->html, "</g>\n");
}

typedef struct map_size {
    const char *name; // of the class, and in ids
    double width, height;
} map_size;

static void put_map_head(map_drawing *drawing, const map_size *size)
{
    fr_html *html = drawing->html;
    fr_html_put(html, "<svg class=\"map ");
    fr_html_put(html, size->name);
    fr_html_put(html, "\" role=\"img\" aria-labelledby=\"t-");
    fr_html_put(html, size->name);
    fr_html_put(html, " d-");
    fr_html_put(html, size->name);
    fr_html_put(html, "\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ");
    fr_html_place(html, size->width);
    fr_html_put(html, " ");
    fr_html_place(html, size->height);
    fr_html_put(html, "\"><title id=\"t-");
    fr_html_put(html, size->name);
    fr_html_put(html, "\">Treemap of ");
    fr_html_count(html, drawing->total);
    fr_html_put(html, " bytes</title><desc id=\"d-");
    fr_html_put(html, size->name);
    fr_html_put(html, "\">Each rectangle is as large as what it stands for has bytes: components "
                      "inside of archetypes, ids, data and sections. The tables below have the "
                      "numbers.</desc>\n");
}

static void draw_map(map_drawing *drawing, const fr_map *map, const map_size *size)
{
    fr_rect rects[FR_GROUPS_MOST];
    uint64_t weights[FR_GROUPS_MOST];
    for (uint32_t i = 0; i < map->count; i++) {
        weights[i] = map->groups[i].whole.weight;
    }
    put_map_head(drawing, size);
    fr_treemap_lay(weights, map->count, (fr_rect){0, 0, size->width, size->height}, rects);
    for (uint32_t i = 0; i < map->count; i++) {
        if (rects[i].width > GAP && rects[i].height > GAP) { // else nobody sees it
            draw_group(drawing, &map->groups[i], &rects[i]);
        }
    }
    fr_html_put(drawing->html, "</svg>\n");
}

// ---- legend

static void put_legend_entry(const map_drawing *drawing, const char *color, const char *name,
                             size_t size, uint64_t bytes)
{
    fr_html *html = drawing->html;
    if (bytes == 0) {
        return;
    }
    fr_html_put(html, "<li data-color=\"");
    fr_html_put(html, color);
    fr_html_put(html, "\"><svg class=\"swatch\" aria-hidden=\"true\" viewBox=\"0 0 12 12\">"
                      "<g class=\"t ");
    fr_html_put(html, color);
    fr_html_put(html, "\"><rect width=\"12\" height=\"12\" rx=\"3\"/></g></svg> ");
    fr_html_cut(html, name, size, 48);
    fr_html_put(html, " <span class=\"quiet\">");
    fr_html_share(html, bytes, drawing->total);
    fr_html_put(html, "</span></li>\n");
}

static void put_fixed_entry(const map_drawing *drawing, const char *color, const char *name,
                            uint64_t bytes)
{
    put_legend_entry(drawing, color, name, strlen(name), bytes);
}

static void put_legend(const map_drawing *drawing)
{
    const fr_report *report = drawing->report;
    uint64_t columns = report->raw + report->encoded, others = columns;
    uint64_t heads = fr_report_head(report) + report->prelude + report->heads;
    uint64_t sections = drawing->total - heads - columns - report->ids - report->data_bytes;
    char color[] = "c0";
    fr_html_put(drawing->html, "<ul class=\"legend\">\n");
    for (uint32_t i = 0; i < COLORS && i < report->components.count; i++, color[1]++) {
        const fr_part *part = fr_report_part(report, report->components.items[i].what);
        put_legend_entry(drawing, color, part->name, part->name_size, part->bytes);
        others -= part->bytes;
    }
    put_fixed_entry(drawing, "cx", "other components", others);
    put_fixed_entry(drawing, "ci", "ids", report->ids);
    put_fixed_entry(drawing, "cd", "data", report->data_bytes);
    put_fixed_entry(drawing, "cs", "sections", sections);
    put_fixed_entry(drawing, "ch", "heads and tables", heads);
    fr_html_put(drawing->html, "</ul>\n");
}

void fr_report_map(const fr_report *report, fr_html *html)
{
    static const map_size sizes[] = {{"wide", 1080, 500}, {"narrow", 360, 560}};
    map_drawing drawing = {.report = report, .html = html, .total = fr_report_total(report)};
    firn_buffer memory;
    firn_buffer_init(&drawing.name, report->allocator);
    firn_buffer_init(&memory, report->allocator);
    firn_result result = firn_buffer_reserve(&memory, sizeof(fr_map), html->err);
    if (result == FIRN_OK) {
        fr_map *map = (fr_map *)(void *)memory.data;
        fr_map_make(map, report);
        fr_html_put(html,
                    "<figure id=\"map\"><figcaption><h2>Where the bytes are</h2></figcaption>\n");
        draw_map(&drawing, map, &sizes[0]);
        draw_map(&drawing, map, &sizes[1]);
        put_legend(&drawing);
        fr_html_put(html, "</figure>\n");
    } else if (html->result == FIRN_OK) {
        html->result = result;
    }
    firn_buffer_free(&memory);
    firn_buffer_free(&drawing.name);
}
