// Tables of entities, strings and numeric fields.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/report_table.h"

// ---- entities

static void put_entity_cell(fr_html *html, firn_entity entity)
{
    char text[48];
    snprintf(text, sizeof text, "%" PRIu64, entity);
    fr_cell_name(html, text, strlen(text));
}

// The text that an encoded value is, or `{value = text}`, as scalars of version 2 are.
static void put_key_cell(fr_html *html, const fr_top_item *item)
{
    firn_reader reader;
    size_t size = 0;
    firn_reader_begin(&reader, item->key, item->key == NULL ? 0 : item->key_size, NULL);
    if (firn_read_kind(&reader) == FIRN_VALUE_TABLE && firn_read_table(&reader).map_count > 0) {
        firn_read_skip(&reader);
    }
    const char *text = NULL;
    if (firn_read_kind(&reader) == FIRN_VALUE_STRING) {
        text = firn_read_string(&reader, &size);
    }
    fr_cell_text(html, text, text == NULL ? 0 : size);
}

static void put_large_entity(const fr_report *report, const fr_top_item *item, fr_html *html)
{
    firn_entity entity = 0;
    firn_image_entities(report->image, item->what, item->row, &entity, 1);
    fr_row_begin(html);
    put_entity_cell(html, entity);
    put_key_cell(html, item);
    fr_cell_archetype(html, report, item->what, false);
    fr_cell_count(html, item->weight);
    fr_row_end(html);
}

static void put_entity_table(const fr_report *report, fr_html *html)
{
    static const fr_head heads[] = {
        {"Entity", false}, {"Key or name", false}, {"Components", false}, {"Bytes", true}};
    static const fr_table table = {"entities", "Largest entities",
                                   "Bytes of all its components together.", heads,
                                   FIRN_COUNT(heads)};
    fr_table_top(html, &table, report, &report->entities, put_large_entity, NULL);
}

// ---- strings

static void put_string_place(const fr_report *report, const fr_long_string *string, fr_html *html)
{
    const char *name;
    firn_image_datum datum;
    firn_section_info section;
    fr_html_put(html, "<th scope=\"row\">");
    switch (string->place) {
    case FR_PLACE_COLUMN:
        name = fr_report_component_name(report, string->what);
        fr_html_cut(html, name, strlen(name), 64);
        break;
    case FR_PLACE_DATUM:
        firn_image_datum_at(report->image, string->what, &datum);
        fr_html_put(html, "data ");
        fr_html_cut(html, datum.key, datum.key_size, 64);
        break;
    case FR_PLACE_SECTION:
        firn_save_file_section_at(report->save, string->what, &section);
        fr_html_put(html, "section ");
        fr_html_cut(html, section.name, strlen(section.name), 64);
        break;
    }
    fr_html_put(html, "</th>");
}

static void put_string_row(const fr_report *report, const fr_long_string *string, fr_html *html)
{
    char entity[32];
    snprintf(entity, sizeof entity, "%" PRIu64, string->entity);
    fr_row_begin(html);
    put_string_place(report, string, html);
    fr_cell_word(html, string->entity == 0 ? "" : entity);
    fr_html_put(html, "<td class=\"w\">");
    bool deeper = string->depth > FR_STRING_STEPS;
    fr_html_steps(html, string->steps, deeper ? FR_STRING_STEPS : string->depth);
    fr_html_put(html, deeper ? "\u2026</td>" : "</td>");
    fr_cell_count(html, string->size);
    fr_cell_count(html, string->times);
    fr_html_put(html, "<td class=\"text\">");
    fr_html_cut(html, string->bytes, string->size, 100);
    fr_html_put(html, "</td>");
    fr_row_end(html);
}

static void put_string_table(const fr_report *report, fr_html *html)
{
    static const fr_head heads[] = {{"Where", false}, {"Entity", false}, {"Field", false},
                                    {"Bytes", true},  {"Times", true},   {"Begins with", false}};
    static const fr_table table = {
        "strings", "Largest strings",
        "In encoded components, data and sections. Of a text that is there many times: where "
        "it is first.",
        heads, FIRN_COUNT(heads)};
    fr_table_begin(html, &table);
    for (uint32_t i = 0; i < report->string_count; i++) {
        put_string_row(report, &report->strings[i], html);
    }
    fr_table_end(html);
}

// ---- numbers

#define BARS_WIDTH  192
#define BARS_HEIGHT 36
#define BAR_MOST    16 // wide

static void put_exact_number(fr_html *html, fr_number number)
{
    char text[32];
    bool sign = number.kind == FR_NUMBER_SIGNED;
    if (number.kind == FR_NUMBER_REAL) {
        fr_html_real(html, number.as.real);
        return;
    }
    if (sign) {
        snprintf(text, sizeof text, "%" PRId64, number.as.integer);
    } else {
        snprintf(text, sizeof text, "%" PRIu64, number.as.natural);
    }
    fr_html_put(html, text);
}

static void put_number_cell(fr_html *html, fr_number number)
{
    fr_cell_begin(html, fr_number_real(number));
    put_exact_number(html, number);
    fr_cell_end(html);
}

static uint64_t fullest_bin(const fr_histogram *histogram)
{
    uint64_t most = 1;
    for (uint32_t i = 0; i < histogram->bin_count; i++) {
        most = histogram->bins[i] > most ? histogram->bins[i] : most;
    }
    return most;
}

static void put_bar(fr_html *html, const fr_histogram *histogram, uint32_t bin, uint64_t most)
{
    uint64_t count = histogram->bins[bin];
    if (count == 0) {
        return;
    }
    double height = 1 + (BARS_HEIGHT - 1) * ((double)count / (double)most);
    double width = BARS_WIDTH / (double)histogram->bin_count;
    width = width < BAR_MOST ? width : BAR_MOST;
    fr_html_put(html, "<g><title>from ");
    fr_html_real(html, 2 * (histogram->low + histogram->step * bin));
    fr_html_put(html, ": ");
    fr_html_count(html, count);
    fr_html_put(html, "</title><rect");
    fr_html_place_of(html, "x", bin * width);
    fr_html_place_of(html, "y", BARS_HEIGHT - height);
    fr_html_place_of(html, "width", width - 1);
    fr_html_place_of(html, "height", height);
    fr_html_put(html, "/></g>");
}

static void put_histogram(fr_html *html, const fr_histogram *histogram)
{
    uint64_t most = fullest_bin(histogram);
    fr_html_put(html, "<svg class=\"histogram\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\" "
                      "viewBox=\"0 0 192 36\"><title>Histogram</title><desc>");
    fr_html_count(html, histogram->bin_count);
    fr_html_put(html, " bins from ");
    put_exact_number(html, histogram->least);
    fr_html_put(html, " to ");
    put_exact_number(html, histogram->most);
    fr_html_put(html, ", at most ");
    fr_html_count(html, most);
    fr_html_put(html, " in one</desc>");
    for (uint32_t i = 0; i < histogram->bin_count; i++) {
        put_bar(html, histogram, i, most);
    }
    fr_html_put(html, "</svg>");
}

static void put_spread(fr_html *html, const fr_histogram *histogram)
{
    fr_html_put(html, "<td>");
    if (histogram->bin_count > 0) {
        put_histogram(html, histogram);
    } else {
        fr_html_put(html, histogram->count > 0 ? "constant" : "no finite number");
    }
    fr_html_put(html, "</td>");
}

static void put_field_numbers(fr_html *html, const fr_histogram *histogram)
{
    fr_cell_count(html, histogram->count);
    if (histogram->count > 0) {
        put_number_cell(html, histogram->least);
        put_number_cell(html, (fr_number){FR_NUMBER_REAL, {.real = histogram->mean}});
        put_number_cell(html, histogram->most);
    } else {
        fr_cell_none(html);
        fr_cell_none(html);
        fr_cell_none(html);
    }
    fr_cell_odd_ones(html, histogram->nans);
    fr_cell_odd_ones(html, histogram->infinities);
}

static void put_field_row(const fr_report *report, const fr_field *field, fr_html *html)
{
    const fr_part *part = fr_report_part(report, field->part);
    fr_row_begin(html);
    fr_html_put(html, "<th scope=\"row\">");
    fr_html_cut(html, part->name, part->name_size, 64);
    fr_html_put(html, "</th><td class=\"w\">");
    fr_html_node(html, &report->fields, field->node);
    fr_html_put(html, "</td><td>");
    fr_html_put(html, field->type);
    if (field->elements > 0) {
        fr_html_put(html, "[");
        fr_html_count(html, field->elements);
        fr_html_put(html, "]");
    }
    fr_html_put(html, "</td>");
    put_field_numbers(html, &field->histogram);
    put_spread(html, &field->histogram);
    fr_row_end(html);
}

static void put_field_table(const fr_report *report, fr_html *html)
{
    static const fr_head heads[] = {{"Component", false}, {"Field", false}, {"Type", false},
                                    {"Values", true},     {"Least", true},  {"Mean", true},
                                    {"Most", true},       {"NaN", true},    {"Infinite", true},
                                    {"Spread", false}};
    static const fr_table table = {
        "fields", "Numeric fields",
        "Elements of an array, and keys that are no text, are put together: "
        "<code>[]</code>. NaN and infinities count apart.",
        heads, FIRN_COUNT(heads)};
    fr_table_begin(html, &table);
    for (uint32_t i = 0; i < report->fields.count; i++) {
        put_field_row(report, &report->fields.fields[i], html);
    }
    if (report->fields.left_out || report->components.others > 0) {
        fr_html_put(html, "</tbody><tbody class=\"rest\"><tr><td colspan=\"10\">There are more "
                          "fields than are listed here.</td></tr>\n");
    }
    fr_table_end(html);
}

void fr_report_rows(const fr_report *report, fr_html *html)
{
    put_entity_table(report, html);
    if (report->string_count > 0) {
        put_string_table(report, html);
    }
    if (report->fields.count > 0) {
        put_field_table(report, html);
    }
}
