/// report_table.h: tables of a page.
#ifndef FR_CLI_REPORT_TABLE_H
#define FR_CLI_REPORT_TABLE_H

#include "cli/report.h"

typedef struct fr_head {
    const char *name;
    bool number; ///< its cells are numbers
} fr_head;

/// A section of the page: a heading, which is the caption of its table as well, and a sentence that
/// explains it.
typedef struct fr_table {
    const char *id, *caption, *note;
    const fr_head *heads;
    uint32_t columns;
} fr_table;

void fr_table_begin(fr_html *html, const fr_table *table);
void fr_table_end(fr_html *html);
/// The whole table, of the largest of many: a row for each, by `put_row`, and a line that counts
/// the `others`. No table when there is none.
void fr_table_top(fr_html *html, const fr_table *table, const fr_report *report, const fr_top *top,
                  void (*put_row)(const fr_report *report, const fr_top_item *item, fr_html *html),
                  const char *others);

void fr_row_begin(fr_html *html);
void fr_row_end(fr_html *html);

/// The cell that names a row.
void fr_cell_name(fr_html *html, const char *name, size_t size);
/// Text that may be long.
void fr_cell_text(fr_html *html, const char *text, size_t size);
/// The components of an archetype: the name of the row, or one of its cells.
void fr_cell_archetype(fr_html *html, const fr_report *report, uint32_t archetype, bool names_row);
/// A word or two, which stay in one line.
void fr_cell_word(fr_html *html, const char *word);
void fr_cell_count(fr_html *html, uint64_t count);
/// A count of what is odd: quiet when there are none.
void fr_cell_odd_ones(fr_html *html, uint64_t count);
void fr_cell_share(fr_html *html, uint64_t part, uint64_t whole);
/// An empty cell, where there is no number.
void fr_cell_none(fr_html *html);
/// A cell of numbers that is filled by hand, up to fr_cell_end. `order` is what it is sorted by.
void fr_cell_begin(fr_html *html, double order);
void fr_cell_end(fr_html *html);

#endif
