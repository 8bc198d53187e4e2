/// stream.h: what other rooms need of the streaming writer and reader beyond firn/value.h.
#ifndef FR_STREAM_H
#define FR_STREAM_H

#include "buffer/reader.h"

/// firn_reader_begin for a part of a larger input: `base` is the part's offset, for errors.
void fr_reader_begin_at(firn_reader *reader, const void *bytes, size_t size, uint64_t base,
                        const firn_limits *limits);

/// Compares two keys in canonical encoding, as the order of keys goes: negative, 0 or positive.
int fr_encoded_key_compare(const uint8_t *a, const uint8_t *b);

/// The next item of a level is a key.
static inline bool fr_level_at_key(const firn_level *level)
{
    return level->left <= level->map_items && (level->left & 1) == 0;
}

/// A level outside of tables: one value is to come.
static inline firn_level fr_level_top(void)
{
    return (firn_level){.items = 1, .left = 1};
}

#endif
