/// report.h: what a report says about a file, gathered before its page is written.
#ifndef FR_CLI_REPORT_H
#define FR_CLI_REPORT_H

#include "cli/cli.h"
#include "cli/histogram.h"
#include "cli/html.h"

// ---------------------------------------------------------------- the largest of many

#define FR_TOP_ROOM      256
#define FR_ENTITIES_MOST 20

typedef struct fr_top_item {
    uint64_t weight;
    uint32_t what, row; ///< what it is about: an index, and a row of it
    const void *key;    ///< of an entity: the encoded value of its Key or Name, or NULL
    size_t key_size;
} fr_top_item;

/// The `most` items of the largest weights, in descending order; of equal ones those that came
/// first. What does not fit is counted.
typedef struct fr_top {
    uint32_t most; ///< set before the first one is added; at most FR_TOP_ROOM
    uint32_t count;
    uint64_t others, others_weight;
    fr_top_item items[FR_TOP_ROOM];
} fr_top;

void fr_top_add(fr_top *top, const fr_top_item *item);

// ---------------------------------------------------------------- places in values

/// One step down into a table: a key of text, or another one.
typedef struct fr_step {
    const char *key; ///< not zero-terminated; NULL: any other key
    size_t size;
    double number; ///< of another key
} fr_step;

/// A value inside an encoded value.
typedef struct fr_walk {
    firn_reader *reader;
    void (*leaf)(void *user, const struct fr_walk *walk, const firn_value *value);
    void *user;
    uint32_t depth;
    fr_step steps[FIRN_DEPTH_MAX + 1];
} fr_walk;

/// Reads the next value and calls leaf for everything in it that is no table, with `depth` steps to
/// it. What is wrong with the value is the reader's failure.
void fr_walk_value(fr_walk *walk);

/// Writes steps as `items[3].name`.
void fr_html_steps(fr_html *html, const fr_step *steps, uint32_t count);

// ---------------------------------------------------------------- fields

#define FR_FIELDS_MOST 256 // with a histogram
#define FR_FIELDS_EACH 48  // of one component
#define FR_NO_FIELD    UINT32_MAX

/// A key that values of a component have; keys that are no text count as one.
typedef struct fr_field_node {
    const char *key; ///< NULL: any that is no text, or the whole value
    size_t size;
    uint32_t parent, child, sibling; ///< 0: none
    uint32_t last;                   ///< the child that was asked for last
    uint32_t children;
    uint32_t field; ///< FR_NO_FIELD: it is no number
} fr_field_node;

typedef struct fr_field {
    uint32_t part; ///< index of the component
    uint32_t node;
    const char *type;
    uint32_t elements; ///< of an array in raw rows; else 0
    fr_histogram histogram;
} fr_field;

#define FR_NODES_MOST 4096

/// Numeric fields of all components.
typedef struct fr_fields {
    fr_field fields[FR_FIELDS_MOST];
    uint32_t count;
    uint32_t part, part_count; ///< the component at hand, and how many fields it has
    bool left_out;             ///< some fields did not fit
    fr_field_node nodes[FR_NODES_MOST];
    uint32_t node_count;
} fr_fields;

/// Goes on to the fields of another component; returns the node of its whole value, 0 when there is
/// no room.
uint32_t fr_fields_begin(fr_fields *fields, uint32_t part);
/// The node below another one; 0 when there is no room for it.
uint32_t fr_fields_below(fr_fields *fields, uint32_t node, const fr_step *step);
/// The field of a node, made when there is none yet; NULL when there is no room for it.
fr_field *fr_fields_at(fr_fields *fields, uint32_t node, const char *type);
/// Writes the path to a node.
void fr_html_node(fr_html *html, const fr_fields *fields, uint32_t node);

// ---------------------------------------------------------------- strings

#define FR_STRINGS_MOST 20
#define FR_STRING_STEPS 8

typedef enum fr_place { FR_PLACE_COLUMN, FR_PLACE_DATUM, FR_PLACE_SECTION } fr_place;

typedef struct fr_long_string {
    const char *bytes;
    size_t size;
    uint64_t times; ///< that it is there
    // ---- for the first time:
    fr_place place;
    uint32_t what;      ///< index of a component, an entry of data, a section
    firn_entity entity; ///< or 0
    uint32_t depth;
    fr_step steps[FR_STRING_STEPS]; ///< the first ones of `depth`
} fr_long_string;

// ---------------------------------------------------------------- the report

/// A component, or all columns of a relation: one for each target.
typedef struct fr_part {
    const char *name;
    size_t name_size;
    uint32_t component;    ///< index of the first one
    uint32_t targets;      ///< of a relation with columns; else 0
    uint32_t columns;      ///< in archetypes
    uint32_t first_column; ///< in fr_report.columns
    bool raw;
    bool holes_known;
    uint32_t row_size; ///< of raw rows
    uint64_t rows, nils, bytes;
    uint64_t holes; ///< bytes of its raw rows that no field covers
} fr_part;

typedef struct fr_column_place {
    uint32_t archetype, column;
} fr_column_place;

/// Bytes of an archetype in the file.
typedef struct fr_frame_bytes {
    bool by_row;
    uint64_t head, ids; ///< ids: with the masks of rows, where they lie by row
} fr_frame_bytes;

typedef struct fr_report {
    const char *path;
    uint64_t file_bytes;
    firn_save_file *save;
    const firn_image *image; ///< NULL: the file holds no snapshot
    const uint8_t *bytes;    ///< of the snapshot
    const firn_allocator *allocator;
    const firn_limits *limits;
    firn_image_info info;

    uint32_t part_count;
    firn_buffer parts;   ///< fr_part, by name
    firn_buffer names;   ///< const char *: of each component
    firn_buffer part_of; ///< uint32_t: of each component
    firn_buffer columns; ///< fr_column_place: part by part
    fr_top components;   ///< what: part
    fr_top archetypes;   ///< what: archetype
    fr_top data;         ///< what: entry
    fr_top entities;     ///< what: archetype
    fr_long_string strings[FR_STRINGS_MOST];
    uint32_t string_count;
    fr_fields fields;

    uint64_t prelude, heads, ids, raw, holes, encoded, data_bytes; ///< of the snapshot
} fr_report;

/// Gathers everything about an open file; what is gathered points into it. FIRN_NO_MEMORY.
firn_result fr_report_gather(fr_report *report, const fr_cli *cli, const fr_cli_source *source,
                             firn_error *err);
/// A zeroed report is allowed.
void fr_report_free(fr_report *report);

fr_part *fr_report_part(const fr_report *report, uint32_t index);
/// firn_image_component_at walks all columns of a component: these two do not.
const char *fr_report_component_name(const fr_report *report, uint32_t component);
uint32_t fr_report_part_of(const fr_report *report, uint32_t component);
/// Bytes of a column in the file: rows that lie by row have no bytes for values that they lack.
uint64_t fr_report_column_bytes(const firn_image_column *column, const fr_frame_bytes *frame);
fr_frame_bytes fr_report_frame(const fr_report *report, uint32_t archetype);
/// Bytes of an entry of data, with its marker and key.
uint64_t fr_report_datum_bytes(const fr_report *report, uint32_t index);
/// Bytes of everything: those of the file where no section is compressed.
uint64_t fr_report_total(const fr_report *report);
/// Bytes of a save file in front of its sections; 0 when it is none.
uint64_t fr_report_head(const fr_report *report);

/// Second half of gathering: numbers, strings and entities. FIRN_NO_MEMORY.
firn_result fr_report_values(fr_report *report, firn_error *err);
firn_result fr_report_entities(fr_report *report, firn_error *err);

// ---------------------------------------------------------------- the page

/// Appends the whole page.
void fr_report_page(const fr_report *report, fr_html *html);
/// Its parts: the treemap; tables of components and archetypes; of entities, strings and numbers;
/// of entries of data and sections.
void fr_report_map(const fr_report *report, fr_html *html);
void fr_report_parts(const fr_report *report, fr_html *html);
void fr_report_rows(const fr_report *report, fr_html *html);
void fr_report_file(const fr_report *report, fr_html *html);

/// Lines of the style and the script of each page, ended by NULL, and their hashes, which the page
/// allows and nothing else.
extern const char *const fr_report_style[];
extern const char *const fr_report_script[];
extern const char fr_report_style_hash[];
extern const char fr_report_script_hash[];

#endif
