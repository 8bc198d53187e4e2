// Tables of components and archetypes.
#include <inttypes.h>
#include <stdio.h>

#include "cli/report_table.h"

static void put_kind_cell(fr_html *html, const fr_part *part)
{
    char text[48];
    const char *kind = part->raw ? "raw" : "encoded";
    if (part->targets > 0) {
        snprintf(text, sizeof text, "%s, %" PRIu32 " target%s", kind, part->targets,
                 part->targets == 1 ? "" : "s");
        kind = text;
    }
    fr_cell_word(html, kind);
}

static void put_per_row_cell(fr_html *html, const fr_part *part)
{
    uint64_t rows = part->rows - part->nils;
    double each = rows == 0 ? 0 : (double)part->bytes / (double)rows;
    fr_cell_begin(html, each);
    fr_html_tenths(html, each);
    fr_cell_end(html);
}

static void put_component_row(const fr_report *report, const fr_top_item *item, fr_html *html)
{
    const fr_part *part = fr_report_part(report, item->what);
    fr_row_begin(html);
    fr_cell_name(html, part->name, part->name_size);
    put_kind_cell(html, part);
    fr_cell_count(html, part->rows - part->nils);
    fr_cell_count(html, part->columns);
    put_per_row_cell(html, part);
    fr_cell_count(html, part->bytes);
    fr_cell_share(html, part->bytes, fr_report_total(report));
    if (part->holes_known && part->bytes > 0) {
        double share = (double)part->holes / (double)part->bytes;
        fr_cell_begin(html, share);
        fr_html_share(html, part->holes, part->bytes);
        fr_cell_end(html);
    } else {
        fr_cell_none(html);
    }
    fr_row_end(html);
}

static void put_component_table(const fr_report *report, fr_html *html)
{
    static const fr_head heads[] = {{"Component", false}, {"Kind", false},       {"Rows", true},
                                    {"Columns", true},    {"Bytes a row", true}, {"Bytes", true},
                                    {"Share", true},      {"Padding", true}};
    static const fr_table table = {
        "components", "Components",
        "Raw rows are those of a struct, field by field; encoded ones are a value each. "
        "Padding is the share of raw rows that no field covers.",
        heads, FIRN_COUNT(heads)};
    fr_table_top(html, &table, report, &report->components, put_component_row,
                 "smaller components");
}

static void put_archetype_row(const fr_report *report, const fr_top_item *item, fr_html *html)
{
    fr_frame_bytes frame = fr_report_frame(report, item->what);
    firn_image_archetype archetype;
    firn_image_archetype_at(report->image, item->what, &archetype);
    fr_row_begin(html);
    fr_cell_archetype(html, report, item->what, true);
    fr_cell_word(html, frame.by_row ? "row by row" : "columns");
    fr_cell_count(html, archetype.rows);
    fr_cell_count(html, archetype.columns);
    fr_cell_count(html, frame.ids);
    fr_cell_count(html, archetype.size);
    fr_cell_share(html, archetype.size, fr_report_total(report));
    fr_row_end(html);
}

static void put_archetype_table(const fr_report *report, fr_html *html)
{
    static const fr_head heads[] = {
        {"Components", false},  {"Layout", false}, {"Entities", true}, {"Columns", true},
        {"Bytes of ids", true}, {"Bytes", true},   {"Share", true}};
    static const fr_table table = {"archetypes", "Archetypes",
                                   "Entities with the same saved components lie together.", heads,
                                   FIRN_COUNT(heads)};
    fr_table_top(html, &table, report, &report->archetypes, put_archetype_row,
                 "smaller archetypes");
}

void fr_report_parts(const fr_report *report, fr_html *html)
{
    put_component_table(report, html);
    put_archetype_table(report, html);
}
