/// firn/plugin.h: vtables through which a game extends firn. They are a promise of their own: `abi`
/// comes first and is FIRN_ABI, tables are copied at registration and grow only at their end.
#ifndef FIRN_PLUGIN_H
#define FIRN_PLUGIN_H

#include "firn/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The version of the vtables. 0 is refused, so that a zeroed table is noticed.
#define FIRN_ABI 1u

/// How the rows of a struct component are saved when its bytes mean nothing elsewhere: handles
/// become names, pointers become what they point to. Both functions see registrations and ids; the
/// world is locked while they run, and holds no entity of the load yet.
struct firn_codec {
    uint32_t abi;     ///< FIRN_ABI
    const char *name; ///< for messages; not copied, must outlive the world
    /// Writes exactly rows->count values, in row order; nil leaves the component out of that
    /// entity. Anything but FIRN_OK fails the save; fill `err` to say why. Must not be NULL.
    firn_result (*encode)(void *user, const firn_rows *rows, firn_writer *out, firn_error *err);
    /// Reads exactly rows->count values, none of them nil, into rows->data, which holds default
    /// rows. Anything but FIRN_OK fails the load before the world changes: what was decoded so far
    /// is dropped by the drop hook, so the function must leave rows that it did not finish as they
    /// were, or complete. A save without a codec gives tables by field name. Must not be NULL.
    firn_result (*decode)(void *user, firn_rows *rows, firn_reader *in, firn_error *err);
    void *user; ///< handed to both
};

/// A codec of one row at a time, for components that are few or simple.
typedef struct firn_row_codec {
    uint32_t abi;     ///< FIRN_ABI
    const char *name; ///< as in firn_codec
    /// Writes exactly one value; nil leaves the component out of the entity. Not NULL.
    firn_result (*encode)(void *user, const void *row, firn_writer *out, firn_error *err);
    /// Reads exactly one value, not nil, into a default row. Not NULL.
    firn_result (*decode)(void *user, void *row, firn_reader *in, firn_error *err);
    void *user; ///< handed to both
} firn_row_codec;

/// Makes *out the codec that calls `row_codec` for each row, in order; a failure names the entity.
/// `row_codec` must outlive every world that uses *out. FIRN_INVALID: NULL arguments, an abi of 0,
/// no name or function; FIRN_VERSION: a newer abi. *out is then unchanged.
FIRN_API firn_result firn_row_codec_adapt(const firn_row_codec *row_codec, firn_codec *out,
                                          firn_error *err);

#ifdef __cplusplus
}
#endif

#endif
