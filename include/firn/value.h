/// firn/value.h: growable bytes, value trees, and the streaming writer and reader of the
/// string.buffer encoding (docs/format.md; source: the LuaJIT manual, "String Buffer Library",
/// section "Serialization Format Specification", and WIRE vectors of real builds in tests/golden).
///
/// firn writes one encoding per value (canonical) and reads every valid encoding.
#ifndef FIRN_VALUE_H
#define FIRN_VALUE_H

#include "firn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------- bytes

/// Growable bytes that outlive worlds. A zeroed buffer is valid, empty, and uses the default
/// allocator. Read `data` and `size` freely; change them only through the functions.
typedef struct firn_buffer {
    uint8_t *data;            ///< `size` bytes, at a multiple of 64; NULL while capacity is 0
    size_t size;              ///< bytes in use
    size_t capacity;          ///< bytes allocated
    firn_allocator allocator; ///< resize NULL: the default allocator
} firn_buffer;

/// Makes *buffer empty with this allocator (NULL: the default). Allocates nothing.
FIRN_API void firn_buffer_init(firn_buffer *buffer, const firn_allocator *allocator);

/// Frees the bytes; the buffer is then empty and may be used again. NULL is allowed.
FIRN_API void firn_buffer_free(firn_buffer *buffer);

/// Sets size to 0 and keeps the memory.
FIRN_API void firn_buffer_clear(firn_buffer *buffer);

/// Makes room for `extra` bytes after `size` without changing `size`. Growth is geometric.
/// FIRN_NO_MEMORY, or FIRN_LIMIT when the size would not fit size_t; the buffer is then unchanged.
FIRN_API firn_result firn_buffer_reserve(firn_buffer *buffer, size_t extra, firn_error *err);

/// Appends `size` bytes, which are not the buffer's own. Fails like firn_buffer_reserve, and then
/// changes nothing.
FIRN_API firn_result firn_buffer_append(firn_buffer *buffer, const void *bytes, size_t size,
                                        firn_error *err);

// ---------------------------------------------------------------- value trees

/// The kinds of value.
typedef enum firn_value_kind {
    FIRN_VALUE_NIL,
    FIRN_VALUE_BOOL,
    FIRN_VALUE_NUMBER,  ///< a double; int32 on the wire is read as one
    FIRN_VALUE_INT64,   ///< LuaJIT's int64_t cdata
    FIRN_VALUE_UINT64,  ///< LuaJIT's uint64_t cdata
    FIRN_VALUE_COMPLEX, ///< LuaJIT's complex cdata, two doubles
    FIRN_VALUE_STRING,  ///< any bytes, 0 included
    FIRN_VALUE_TABLE    ///< array part 1..n and a map part
} firn_value_kind;

typedef struct firn_table firn_table;

/// One value. Lives in a document and is valid until that is cleared or destroyed. Read the fields
/// freely; change tables through the functions below.
typedef struct firn_value {
    firn_value_kind kind;
    uint32_t length; ///< bytes of a string
    union {
        bool boolean;
        double number;
        int64_t int64;
        uint64_t uint64;
        const double *complex; ///< real and imaginary part
        const char *string;    ///< `length` bytes and a 0 behind them
        firn_table *table;
    } as;
} firn_value;

/// A document: the arena that values live in.
typedef struct firn_doc firn_doc;

/// Makes an empty document. allocator NULL: the default; limits NULL: the defaults (both are
/// copied). NULL with FIRN_NO_MEMORY or FIRN_INVALID (a limit above the most allowed, an allocator
/// without resize).
FIRN_API firn_doc *firn_doc_create(const firn_allocator *allocator, const firn_limits *limits,
                                   firn_error *err);

/// Frees the document and every value in it. NULL is allowed.
FIRN_API void firn_doc_destroy(firn_doc *doc);

/// Forgets every value and keeps memory for the next ones.
FIRN_API void firn_doc_clear(firn_doc *doc);

/// Makers: each returns a value that lives in `doc`, or NULL with FIRN_NO_MEMORY (or FIRN_INVALID
/// for a NULL doc, FIRN_LIMIT for a string longer than the limit).
FIRN_API firn_value *firn_value_nil(firn_doc *doc, firn_error *err);
FIRN_API firn_value *firn_value_bool(firn_doc *doc, bool value, firn_error *err);
FIRN_API firn_value *firn_value_number(firn_doc *doc, double value, firn_error *err);
FIRN_API firn_value *firn_value_int64(firn_doc *doc, int64_t value, firn_error *err);
FIRN_API firn_value *firn_value_uint64(firn_doc *doc, uint64_t value, firn_error *err);
FIRN_API firn_value *firn_value_complex(firn_doc *doc, double re, double im, firn_error *err);
/// The bytes are copied.
FIRN_API firn_value *firn_value_string(firn_doc *doc, const void *bytes, size_t size,
                                       firn_error *err);
/// firn_value_string of a zero-terminated text.
FIRN_API firn_value *firn_value_text(firn_doc *doc, const char *text, firn_error *err);
FIRN_API firn_value *firn_value_table(firn_doc *doc, firn_error *err);

/// Appends at index count + 1, where count is firn_table_array_count. `item` must live in the same
/// document; a table in it is not copied. A nil item is FIRN_INVALID (it would be no element).
FIRN_API firn_result firn_table_push(firn_doc *doc, firn_value *table, const firn_value *item,
                                     firn_error *err);

/// Sets table[key] = item; both live in `doc`. Keys are booleans, numbers (not NaN; -0 is 0) and
/// strings; anything else is FIRN_INVALID. A nil item removes the key. Integral keys 1..n that
/// continue the array part move to it.
FIRN_API firn_result firn_table_set(firn_doc *doc, firn_value *table, const firn_value *key,
                                    const firn_value *item, firn_error *err);

/// firn_table_set with a zero-terminated text key.
FIRN_API firn_result firn_table_set_text(firn_doc *doc, firn_value *table, const char *key,
                                         const firn_value *item, firn_error *err);

/// table[key], or NULL when absent, when `table` is no table or NULL.
FIRN_API const firn_value *firn_table_get(const firn_value *table, const firn_value *key);
FIRN_API const firn_value *firn_table_get_text(const firn_value *table, const char *key);
FIRN_API const firn_value *firn_table_get_number(const firn_value *table, double key);

/// Elements 1..n of the array part, n the largest number for which all are present.
FIRN_API uint32_t firn_table_array_count(const firn_value *table);
/// Entries outside the array part.
FIRN_API uint32_t firn_table_map_count(const firn_value *table);

/// Walks a table: array part first, then the map part in canonical key order (booleans, numbers by
/// value, strings bytewise). *cursor starts at 0. Writes the key to *key and returns the value;
/// NULL at the end. The table must not change meanwhile. This and firn_value_encode may sort the
/// map part inside: two threads must not use one table at once, nor one of them a table while the
/// other changes a table of the same document.
FIRN_API const firn_value *firn_table_next(const firn_value *table, uint32_t *cursor,
                                           firn_value *key);

/// Deep equality: numbers by bits except that all NaN are equal; -0 and 0 differ. Values that are
/// too deep (100 tables) or too large (2^28 values) to compare are not equal. Two NULLs are.
FIRN_API bool firn_value_equal(const firn_value *a, const firn_value *b);

/// Appends the canonical encoding of `value` to `out`. limits NULL: the defaults. FIRN_NO_MEMORY,
/// FIRN_LIMIT (deeper, longer or more than a limit; a table inside itself ends here), FIRN_INVALID;
/// err->subject is the path to the place, like `.items[3].name`. `out` is then as before.
FIRN_API firn_result firn_value_encode(const firn_value *value, const firn_limits *limits,
                                       firn_buffer *out, firn_error *err);

/// Decodes exactly one value from `size` bytes into `doc` (whose limits apply). NULL with
/// FIRN_TRUNCATED, FIRN_CORRUPT (a bad tag, a duplicate, nil or NaN key, bytes behind the value),
/// FIRN_LIMIT or FIRN_NO_MEMORY; err->offset is the byte. Nothing is left in the document then.
/// The result does not refer to `bytes`.
FIRN_API firn_value *firn_value_decode(firn_doc *doc, const void *bytes, size_t size,
                                       firn_error *err);

/// Walks one encoded value without allocating and without believing a count that the bytes left
/// cannot hold. used NULL: the value must fill the bytes; else *used receives its length. Fails
/// like firn_value_decode, except that duplicate keys are only noticed in decode.
FIRN_API firn_result firn_value_check(const void *bytes, size_t size, const firn_limits *limits,
                                      size_t *used, firn_error *err);

/// How a value becomes text. Zero is the default of each field.
typedef struct firn_print_options {
    bool floats;          ///< numbers are floats, and have as many digits as those need
    bool brief;           ///< long strings and tables are cut, and end in "..."
    uint64_t reserved[4]; ///< must be zero
} firn_print_options;

/// Appends a value as one line of text for people, without a line end: `nil`, `true`, `1.5`,
/// `"Ann"`, `{1, 2, name = "Ann", [0.5] = {}}`. Numbers have as many digits as it takes to tell
/// them apart; what is not printable UTF-8 is \xNN. It is not read again: JSON is (firn/json.h).
/// options NULL: the defaults. FIRN_INVALID, FIRN_NO_MEMORY; `out` is then as before.
FIRN_API firn_result firn_value_print(const firn_value *value, const firn_print_options *options,
                                      firn_buffer *out, firn_error *err);

// ---------------------------------------------------------------- streaming writer

#define FIRN_DEPTH_MAX 100

/// One open table of a writer or reader. Items are elements, then keys and values by turns.
typedef struct firn_level {
    uint64_t items;     ///< announced
    uint64_t map_items; ///< of them keys and values
    uint64_t left;      ///< still to come
    size_t last_key;    ///< writer: where in the buffer the last key begins; 0: none yet
} firn_level;

/// Writes encoded values to a buffer. The first failure sticks: later calls do nothing, and
/// firn_writer_end returns it. Writing to a NULL writer does nothing. The fields are the library's
/// business, but `written` may be read.
typedef struct firn_writer {
    firn_buffer *buffer;
    firn_level level; ///< the innermost open table; outside of tables the one value to come
    uint32_t depth;   ///< open tables
    size_t start;     ///< buffer->size at begin
    uint64_t values;  ///< values of the current top-level value so far
    uint64_t written; ///< complete top-level values
    firn_error error; ///< code FIRN_OK while all is well
    firn_limits limits;
    firn_level outer[FIRN_DEPTH_MAX]; ///< the levels around `level`
} firn_writer;

/// Begins writing at the end of `buffer`. limits NULL: the defaults.
FIRN_API void firn_writer_begin(firn_writer *writer, firn_buffer *buffer,
                                const firn_limits *limits);

/// Ends writing: FIRN_OK when no call failed and no table is open; else the first failure, and the
/// buffer is as it was at begin. Nothing is written after the end, and a second end is
/// FIRN_INVALID, until the writer begins again.
FIRN_API firn_result firn_writer_end(firn_writer *writer, firn_error *err);

/// Each writes one value: at the top level, as the next array element, or as the next key or value
/// of the open table. What would not be canonical is FIRN_INVALID: nil inside a table, a key that
/// is nil, NaN, a table, an int64, uint64 or complex, a key that does not sort after the one
/// before, the keys 1..array_count + 1, fewer items than announced. The error's subject is the path
/// to the place, like `.items[3].name`.
FIRN_API void firn_write_nil(firn_writer *writer);
FIRN_API void firn_write_bool(firn_writer *writer, bool value);
FIRN_API void firn_write_number(firn_writer *writer, double value);
FIRN_API void firn_write_int64(firn_writer *writer, int64_t value);
FIRN_API void firn_write_uint64(firn_writer *writer, uint64_t value);
FIRN_API void firn_write_complex(firn_writer *writer, double re, double im);
FIRN_API void firn_write_string(firn_writer *writer, const void *bytes, size_t size);
FIRN_API void firn_write_text(firn_writer *writer, const char *text);
/// Opens a table of `array_count` elements, then `map_count` pairs key, value. It closes itself
/// with the last item.
FIRN_API void firn_write_table(firn_writer *writer, uint32_t array_count, uint32_t map_count);
/// Writes a whole tree.
FIRN_API void firn_write_value(firn_writer *writer, const firn_value *value);

// ---------------------------------------------------------------- streaming reader

/// Reads encoded values. The first failure sticks: later calls return zeros, and firn_reader_end
/// returns it. Reading from a NULL reader returns zeros. Never reads outside the bytes it was
/// given. The fields are the library's business, but `finished` may be read.
typedef struct firn_reader {
    const uint8_t *at;  ///< the next byte
    const uint8_t *end; ///< one past the last; `at` after a failure
    firn_level level;   ///< the innermost open table; outside of tables the one value to come
    uint32_t depth;     ///< open tables
    const uint8_t *bytes;
    uint64_t base;         ///< added to offsets in errors
    uint64_t values;       ///< values of the current top-level value so far
    uint64_t finished;     ///< complete top-level values; one that was refused is none of them
    const uint8_t *next;   ///< where the top-level value begins that is read now or next
    const uint8_t *last;   ///< where the one before it begins, or NULL
    const uint8_t *looked; ///< where firn_read_kind was called last, or NULL
    firn_entity (*entity_of)(void *ids, firn_entity saved); ///< NULL: ids are as they were saved
    void *ids;                                              ///< handed to it
    firn_error error;
    firn_limits limits;
    firn_level outer[FIRN_DEPTH_MAX]; ///< the levels around `level`
} firn_reader;

/// Reads from `size` bytes, which must outlive the reader. limits NULL: the defaults.
FIRN_API void firn_reader_begin(firn_reader *reader, const void *bytes, size_t size,
                                const firn_limits *limits);

/// FIRN_OK when no call failed and every byte was read; else the first failure, FIRN_CORRUPT for
/// bytes left over, or FIRN_TRUNCATED for a table that lacks items.
FIRN_API firn_result firn_reader_end(const firn_reader *reader, firn_error *err);

/// The kind of the next value without reading it; FIRN_VALUE_NIL at the end or after a failure.
FIRN_API firn_value_kind firn_read_kind(firn_reader *reader);
/// Whether a call failed; true for NULL.
FIRN_API bool firn_reader_failed(const firn_reader *reader);

/// Each reads one value of exactly its kind (a number also from the int32 form); another kind is
/// FIRN_CORRUPT with the offset.
FIRN_API void firn_read_nil(firn_reader *reader);
FIRN_API bool firn_read_bool(firn_reader *reader);
FIRN_API double firn_read_number(firn_reader *reader);
FIRN_API int64_t firn_read_int64(firn_reader *reader);
FIRN_API uint64_t firn_read_uint64(firn_reader *reader);
FIRN_API void firn_read_complex(firn_reader *reader, double *re, double *im);
/// Points into the bytes that the reader was given; not zero-terminated. NULL after a failure.
FIRN_API const char *firn_read_string(firn_reader *reader, size_t *size);

/// What a table announces. The items follow in order: first the array elements, whose first index
/// is array_first (0 or 1), then map_count times key and value. Elements and values may be nil.
typedef struct firn_table_head {
    uint32_t array_first;
    uint32_t array_count;
    uint32_t map_count;
} firn_table_head;

/// Opens a table. All zero after a failure.
FIRN_API firn_table_head firn_read_table(firn_reader *reader);
/// Skips one value of any kind.
FIRN_API void firn_read_skip(firn_reader *reader);
/// Reads one value of any kind as a tree; NULL after a failure.
FIRN_API firn_value *firn_read_value(firn_reader *reader, firn_doc *doc);
/// Makes the reader fail with FIRN_REFUSED: for codecs that refuse a value. Inside a table at the
/// item it would read next; between top-level values at the last one, or at the next one where
/// firn_read_kind has looked at that. reason NULL is allowed.
FIRN_API void firn_reader_refuse(firn_reader *reader, const char *reason);
/// The id in the world that loads of an entity whose id in the save is `saved`: for codecs, which
/// call it for every id that they read, in whatever form. In firn_snapshot_merge entities get new
/// ids, and 0 is for an entity that the image does not have; elsewhere it is `saved` itself. The
/// codec of a relation may leave the target of `{target = id}` as it was saved.
FIRN_API firn_entity firn_reader_entity(firn_reader *reader, firn_entity saved);

// ---------------------------------------------------------------- streaming rows

#define FIRN_ROW_KEYS_MAX 32

/// A key as encoded bytes, for comparing and copying 16 bytes at once. The library's business.
typedef struct firn_wire_key {
    uint8_t bytes[16];            ///< the key, then the tag of a number, then zeros
    uint64_t low_mask, high_mask; ///< the bits of `bytes` that belong to the key
    uint8_t size;                 ///< 1..15; 0: the key is longer
    uint8_t ordered;              ///< at i: the number of the key that is i-th in canonical order
} firn_wire_key;

/// Text keys that many tables have, prepared once: a row is then written or read with one call, at
/// several times the speed of a call for each key and value. The fields are the library's business.
typedef struct firn_row_keys {
    uint32_t count;
    uint32_t longest; ///< bytes of the longest name; UINT32_MAX when it has no firn_wire_key
    const char *names[FIRN_ROW_KEYS_MAX];
    firn_wire_key wire[FIRN_ROW_KEYS_MAX]; ///< in canonical order; `ordered` is the name's number
} firn_row_keys;

/// Prepares `count` zero-terminated names, in any order, which must outlive *keys. FIRN_INVALID (a
/// NULL, no name, a name twice) or FIRN_LIMIT (more than FIRN_ROW_KEYS_MAX).
FIRN_API firn_result firn_row_keys_init(firn_row_keys *keys, const char *const *names,
                                        uint32_t count, firn_error *err);

/// Writes a table: values[i] under name i, without those that are nil. Strings and tables are like
/// those of firn_write_value. A table of other keys too is written with firn_write_table.
FIRN_API void firn_write_row(firn_writer *writer, const firn_row_keys *keys,
                             const firn_value *values);

/// Reads a table: values[i] is what name i has, nil when it is absent. Other keys and elements are
/// skipped; a name twice is FIRN_CORRUPT. Strings point into the reader's bytes and have no 0
/// behind them. Tables and complex numbers are made in `doc`; doc NULL: they are FIRN_CORRUPT. All
/// are nil after a failure.
FIRN_API void firn_read_row(firn_reader *reader, const firn_row_keys *keys, firn_value *values,
                            firn_doc *doc);

#ifdef __cplusplus
}
#endif

#endif
