// Tables of entries of data, of sections, and of what a save says about itself.
#include <stdio.h>
#include <string.h>

#include "cli/report_table.h"

// ---- data

// What an encoded value is: `array of 3`, `table of 2`, `string`.
static void put_shape_cell(fr_html *html, const void *encoded, size_t size)
{
    static const char *const words[] = {"nil",    "boolean", "number", "int64",
                                        "uint64", "complex", "string", "table"};
    firn_reader reader;
    char text[64];
    firn_reader_begin(&reader, encoded, size, NULL);
    firn_value_kind kind = firn_read_kind(&reader);
    snprintf(text, sizeof text, "%s", words[kind]);
    if (kind == FIRN_VALUE_TABLE) {
        firn_table_head head = firn_read_table(&reader);
        snprintf(text, sizeof text, "%s of %llu", head.map_count == 0 ? "array" : "table",
                 (unsigned long long)head.array_count + head.map_count);
    }
    fr_cell_word(html, text);
}

static void put_datum_row(const fr_report *report, const fr_top_item *item, fr_html *html)
{
    firn_image_datum datum;
    firn_image_datum_at(report->image, item->what, &datum);
    fr_row_begin(html);
    fr_cell_name(html, datum.key, datum.key_size);
    fr_cell_word(html, datum.custom ? "the game" : "firn");
    put_shape_cell(html, datum.encoded, datum.size);
    fr_cell_count(html, item->weight);
    fr_cell_share(html, item->weight, fr_report_total(report));
    fr_row_end(html);
}

static void put_data_table(const fr_report *report, fr_html *html)
{
    static const fr_head heads[] = {
        {"Key", false}, {"Of", false}, {"Value", false}, {"Bytes", true}, {"Share", true}};
    static const fr_table table = {"data", "Data",
                                   "Entries behind the entities: what the game keeps, and "
                                   "what firn keeps about the world.",
                                   heads, FIRN_COUNT(heads)};
    fr_table_top(html, &table, report, &report->data, put_datum_row, "smaller entries");
}

// ---- sections

static void put_section_row(const firn_section_info *section, const fr_report *report,
                            fr_html *html)
{
    fr_row_begin(html);
    fr_cell_name(html, section->name, strlen(section->name));
    fr_cell_count(html, section->offset);
    fr_cell_count(html, section->stored);
    fr_cell_share(html, section->stored, report->file_bytes);
    fr_cell_count(html, section->size);
    fr_cell_word(html, section->compressed ? "zstd" : "as it is");
    fr_html_put(html, "<td><code>");
    fr_html_digest(html, section->digest);
    fr_html_put(html, "</code></td>");
    fr_row_end(html);
}

static void put_section_table(const fr_report *report, fr_html *html)
{
    static const fr_head heads[] = {
        {"Section", false},        {"Offset", true}, {"Bytes in the file", true}, {"Share", true},
        {"Bytes in memory", true}, {"Form", false},  {"XXH3-128", false}};
    static const fr_table table = {"sections", "Sections",
                                   "The parts of the save file, behind its head.", heads,
                                   FIRN_COUNT(heads)};
    fr_table_begin(html, &table);
    firn_section_info section;
    for (uint32_t i = 0; firn_save_file_section_at(report->save, i, &section); i++) {
        put_section_row(&section, report, html);
    }
    fr_table_end(html);
}

// ---- meta

static void put_meta_value(const firn_value *value, firn_buffer *text, fr_html *html)
{
    const firn_print_options options = {.brief = true};
    firn_buffer_clear(text);
    firn_result result = firn_value_print(value, &options, text, html->err);
    if (html->result == FIRN_OK) {
        html->result = result;
    }
    fr_cell_text(html, (const char *)text->data, text->size);
}

static void put_meta_key(fr_html *html, const firn_value *key)
{
    fr_step step = {.key = NULL};
    if (key->kind == FIRN_VALUE_STRING) {
        step = (fr_step){.key = key->as.string, .size = key->length};
    } else {
        step.number = key->kind == FIRN_VALUE_NUMBER ? key->as.number : key->as.boolean;
    }
    fr_html_put(html, "<th scope=\"row\">");
    fr_html_steps(html, &step, 1);
    fr_html_put(html, "</th>");
}

static void put_meta_table(const fr_report *report, const firn_value *meta, fr_html *html)
{
    static const fr_head heads[] = {{"Key", false}, {"Value", false}};
    firn_value key;
    const firn_value *value;
    firn_buffer text;
    firn_buffer_init(&text, report->allocator);
    static const fr_table table = {"meta", "Meta",
                                   "What the game says about the save, for its menus.", heads,
                                   FIRN_COUNT(heads)};
    fr_table_begin(html, &table);
    for (uint32_t cursor = 0; (value = firn_table_next(meta, &cursor, &key)) != NULL;) {
        fr_row_begin(html);
        put_meta_key(html, &key);
        put_meta_value(value, &text, html);
        fr_row_end(html);
    }
    fr_table_end(html);
    firn_buffer_free(&text);
}

void fr_report_file(const fr_report *report, fr_html *html)
{
    const firn_save_header *header = firn_save_file_header(report->save);
    put_data_table(report, html);
    if (firn_save_file_section_count(report->save) > 0) {
        put_section_table(report, html);
    }
    if (header != NULL && header->meta != NULL) {
        put_meta_table(report, header->meta, html);
    }
}
