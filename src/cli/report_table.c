#include "cli/report_table.h"

#include "cli/report_map.h"

void fr_table_begin(fr_html *html, const fr_table *table)
{
    fr_html_put(html, "<section id=\"");
    fr_html_put(html, table->id);
    fr_html_put(html, "\"><h2>");
    fr_html_put(html, table->caption);
    fr_html_put(html, "</h2>\n<p class=\"note\">");
    fr_html_put(html, table->note);
    fr_html_put(html, "</p>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"");
    fr_html_put(html, table->caption);
    fr_html_put(html, "\"><table><caption>");
    fr_html_put(html, table->caption);
    fr_html_put(html, "</caption>\n<thead><tr>");
    for (uint32_t i = 0; i < table->columns; i++) {
        const fr_head *head = &table->heads[i];
        fr_html_put(html, head->number ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">");
        fr_html_put(html, head->name);
        fr_html_put(html, "</th>");
    }
    fr_html_put(html, "</tr></thead>\n<tbody>\n");
}

void fr_table_end(fr_html *html)
{
    fr_html_put(html, "</tbody></table></div></section>\n");
}

void fr_row_begin(fr_html *html)
{
    fr_html_put(html, "<tr>");
}

void fr_row_end(fr_html *html)
{
    fr_html_put(html, "</tr>\n");
}

// A line behind the others that says what the table does not show.
static void put_others(fr_html *html, const char *what, uint64_t count, uint32_t columns)
{
    fr_html_put(html, "</tbody><tbody class=\"rest\"><tr><td colspan=\"");
    fr_html_count(html, columns);
    fr_html_put(html, "\">");
    fr_html_count(html, count);
    fr_html_put(html, " ");
    fr_html_put(html, what);
    fr_html_put(html, "</td></tr>\n");
}

void fr_table_top(fr_html *html, const fr_table *table, const fr_report *report, const fr_top *top,
                  void (*put_row)(const fr_report *report, const fr_top_item *item, fr_html *html),
                  const char *others)
{
    if (top->count == 0) {
        return;
    }
    fr_table_begin(html, table);
    for (uint32_t i = 0; i < top->count; i++) {
        put_row(report, &top->items[i], html);
    }
    if (others != NULL && top->others > 0) {
        put_others(html, others, top->others, table->columns);
    }
    fr_table_end(html);
}

void fr_cell_name(fr_html *html, const char *name, size_t size)
{
    fr_html_put(html, "<th scope=\"row\">");
    fr_html_cut(html, name, size, 120);
    fr_html_put(html, "</th>");
}

void fr_cell_text(fr_html *html, const char *text, size_t size)
{
    fr_html_put(html, "<td class=\"w\">");
    fr_html_cut(html, text, size, 120);
    fr_html_put(html, "</td>");
}

void fr_cell_archetype(fr_html *html, const fr_report *report, uint32_t archetype, bool names_row)
{
    const fr_tile tile = {.kind = FR_TILE_ARCHETYPE, .what = archetype};
    firn_buffer name;
    firn_buffer_init(&name, report->allocator);
    firn_result result = fr_map_name(report, &tile, &name, html->err);
    if (html->result == FIRN_OK) {
        html->result = result;
    }
    (names_row ? fr_cell_name : fr_cell_text)(html, (const char *)name.data, name.size);
    firn_buffer_free(&name);
}

void fr_cell_word(fr_html *html, const char *word)
{
    fr_html_put(html, "<td>");
    fr_html_name(html, word);
    fr_html_put(html, "</td>");
}

void fr_cell_begin(fr_html *html, double order)
{
    fr_html_put(html, "<td class=\"n\" data-order=\"");
    fr_html_real(html, order);
    fr_html_put(html, "\">");
}

void fr_cell_end(fr_html *html)
{
    fr_html_put(html, "</td>");
}

void fr_cell_count(fr_html *html, uint64_t count)
{
    fr_html_put(html, "<td class=\"n\">");
    fr_html_count(html, count);
    fr_html_put(html, "</td>");
}

void fr_cell_odd_ones(fr_html *html, uint64_t count)
{
    fr_html_put(html, count == 0 ? "<td class=\"n quiet\">" : "<td class=\"n odd\">");
    fr_html_count(html, count);
    fr_html_put(html, "</td>");
}

void fr_cell_none(fr_html *html)
{
    fr_html_put(html, "<td class=\"n\"></td>");
}

void fr_cell_share(fr_html *html, uint64_t part, uint64_t whole)
{
    double share = whole == 0 ? 0 : (double)part / (double)whole;
    fr_html_put(html,
                "<td class=\"n share\"><svg class=\"bar\" aria-hidden=\"true\" "
                "viewBox=\"0 0 60 6\"><rect class=\"all\" width=\"60\" height=\"6\" rx=\"3\"/>"
                "<rect height=\"6\" rx=\"3\"");
    fr_html_place_of(html, "width", 60 * share);
    fr_html_put(html, "/></svg><span>");
    fr_html_share(html, part, whole);
    fr_html_put(html, "</span></td>");
}
