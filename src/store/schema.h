/// schema.h: fingerprints read back, and rows carried from one schema to another.
///
/// A fingerprint is `name:type,name:type|size`, type as C spells it, `[n]` for arrays. Names may
/// hold anything but `:` `,` `|`. Spellings read: the ones firn writes, and the C names of the same
/// types whose size is the same everywhere (`int`, `unsigned int`, `unsigned`, `short`,
/// `unsigned short`, `signed char`, `unsigned char`, `long long`, `unsigned long long`,
/// `long long int`, ..., `_Bool`), words in any order. `long` is no such name.
#ifndef FR_SCHEMA_H
#define FR_SCHEMA_H

#include "store/layout.h"

typedef struct fr_schema_field {
    const char *name; ///< into the fingerprint, which must outlive the schema
    uint32_t name_size;
    firn_type type;
    uint32_t count; ///< 0: one value
    uint32_t offset;
} fr_schema_field;

typedef struct fr_schema {
    fr_schema_field *fields;
    uint32_t field_count;
    uint32_t size;        ///< wire bytes of one row
    bool has_bools;       ///< of which not every byte will do
    fr_field_names names; ///< of the fields, sorted
} fr_schema;

/// Reads the text of a type: `unsigned int`, `float[3]` (*count receives 3; 0 without brackets).
/// FIRN_TYPE_NONE when it is not one.
firn_type fr_type_parse(const char *text, size_t size, uint32_t *count);

/// Parses and checks a fingerprint of `size` bytes: FIRN_CORRUPT with the subject `component` says
/// the place (an unknown type, an empty or repeated name, a count of 0 or too large, a size that is
/// not what the fields come to). FIRN_LIMIT: a row above string_bytes. FIRN_NO_MEMORY.
firn_result fr_schema_parse(const firn_allocator *allocator, const char *fingerprint, size_t size,
                            const char *component, const firn_limits *limits, fr_schema *out,
                            firn_error *err);
void fr_schema_free(const firn_allocator *allocator, fr_schema *schema);
/// The same wire rows: equal names, types (aliases, FIRN_ENTITY against uint64_t, and char against
/// int8_t, are equal), counts, offsets.
bool fr_schema_matches(const fr_schema *schema, const fr_layout *layout);
/// Whether every bool byte of `n` wire rows is 0 or 1; false: *row and *field say where.
bool fr_schema_check_rows(const fr_schema *schema, const uint8_t *wire, size_t n, size_t *row,
                          uint32_t *field);
/// Writes one wire row as a table by field name (keys in canonical order; 64-bit integers as int64
/// or uint64, other numbers as numbers, arrays 1-based, CHAR arrays as numbers). The table is flat:
/// the field of a nested struct stands under its dotted name.
void fr_schema_write_row(const fr_schema *schema, const uint8_t *wire, firn_writer *out);

/// How saved fields become registered ones: a step per leaf that has a source, by name, else by
/// former name. The rest keeps the default row.
typedef struct fr_migration {
    struct fr_migration_step *steps;
    uint32_t step_count;
    uint64_t *changed; ///< per leaf of the layout: values that changed by more than rounding so far
    uint8_t *used; ///< per field of the schema: 1 when a leaf takes it by name, 2 by a former name
} fr_migration;

firn_result fr_migration_make(const firn_allocator *allocator, const fr_schema *from,
                              const fr_layout *to, fr_migration *out, firn_error *err);
void fr_migration_free(const firn_allocator *allocator, const fr_schema *from, const fr_layout *to,
                       fr_migration *migration);
/// Carries `n` wire rows into rows that hold the default row already. Cannot fail. Conversions as
/// in docs/format.md ("numeric conversion"); of array fields the elements that both have, the rest
/// keeps its default; one value is an array of one.
void fr_migration_apply(fr_migration *migration, const fr_schema *from, const fr_layout *to,
                        const uint8_t *wire, size_t n, void *rows);

/// Reads one encoded value that must be a table by field name into a row that holds the default
/// row: the saved-encoded, now-plain direction. A leaf is found under its dotted name or inside
/// nested tables, by its name, else by a former one; arrays may be 1-based or 0-based. nil leaves
/// the default. Keys that are no field are ignored and counted in *removed. A value that is not a
/// number or bool, or an array of them (for CHAR arrays also a string), makes the reader refuse it,
/// naming the field. `changed` is as in fr_migration; both may be NULL.
void fr_layout_read_row(const fr_layout *layout, firn_reader *in, void *row, uint64_t *changed,
                        uint64_t *removed);

/// Writes one field of a row: `count` elements (0: one value) that begin at `wire`.
void fr_field_write(firn_type type, uint32_t count, const uint8_t *wire, firn_writer *out);

/// One number from one type to another, as docs/format.md defines it; both are unaligned, in memory
/// order. Returns whether it changed by more than rounding.
bool fr_convert(firn_type from, const void *source, firn_type to, void *target);

#endif
