/// format.h: the wire on one page. docs/format.md says the same in prose.
///
///     prelude   version, next slot, entity count, frame count, component count: encoded numbers
///               component count x (encoded name, encoded fingerprint: a string; nil reads as "")
///     frame     column count, entity count: encoded numbers
///               column count x component (1-based index into the table): encoded numbers
///               mode: encoded number; 0 column by column, 1 row by row
///       mode 0  entity count x 8 bytes: ids as doubles
///               per column: entity count rows of raw bytes, or entity count encoded values
///       mode 1  per row: encoded id, encoded mask, and per column whose bit is set: a row of raw
///               bytes, or an encoded value. The mask is a number, column i (from 0) is bit i, or
///               an array of as many booleans as there are columns
///     data      repeat (encoded true, encoded key, encoded value); then encoded false
///
/// Ids are slot + generation * 2^22. Little-endian throughout.
#ifndef FR_FORMAT_H
#define FR_FORMAT_H

#define FR_WIRE_VERSION   1 ///< scalars as they are
#define FR_WIRE_VERSION_2 2 ///< scalars as {value = X}

#define FR_MODE_COLUMNS 0
#define FR_MODE_ROWS    1

/// Columns of a frame row by row, at most: the mask is exact as a double.
#define FR_MASK_COLUMNS 52
/// An id and a mask.
#define FR_ROW_BYTES 18

#define FR_ID_BYTES 8
#define FR_ID_END   9007199254740992.0 ///< 2^53: above all ids

/// Smallest encodings, against which counts are checked: three int32 numbers a frame; a name of one
/// byte and a nil a table entry; true, a key of one byte and a value a data entry.
#define FR_FRAME_BYTES_MIN 15
#define FR_ENTRY_BYTES_MIN 3

/// `{name = string, tick = number}`: what the world is called and its completed steps. In every
/// image that firn writes, so it also says that a fingerprint stands exactly where a column is raw.
#define FR_KEY_WORLD "__firn.world"
/// Array of strings of at most FR_PIECE_BYTES: the ids that freed slots give next, 8 bytes each, in
/// the order of their use. Slots that are neither alive nor here are retired. Absent when every
/// slot lives.
#define FR_KEY_FREE    "__firn.free"
#define FR_PIECE_BYTES (UINT32_C(1) << 20)
/// Array of `{relation, target, piece, ...}`, by relation and target: the sources of a target in
/// the order in which they came, 8 bytes each in pieces as above. Only where a relation lists them
/// and frames and rows give another order; absent when there is none.
#define FR_KEY_ORDER "__firn.order"
/// The same of targets that the save does not have, in a save of entities that were picked: their
/// saved sources in the order in which they came. For a load that keeps those targets.
#define FR_KEY_OUTER "__firn.outer"
/// Entries that are not the game's, at most, beside the limit of data keys.
#define FR_OWN_ENTRIES UINT32_C(64)

/// A component whose name has this in it is a target of a relationship: always encoded.
#define FR_ARROW "->"

/// Columns whose form is in doubt, at most: each one doubles the readings that are tried.
#define FR_DOUBTS_MAX 8

#endif
