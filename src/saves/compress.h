/// compress.h: zstd for one section of a save file. Its memory comes from the given allocator. In a
/// build without zstd nothing is compressed, and expanding is FIRN_UNSUPPORTED.
#ifndef FR_COMPRESS_H
#define FR_COMPRESS_H

#include "firn/value.h"

/// Sections above this size are held to firn_limits.expand_ratio.
#define FR_RATIO_FREE_BYTES (UINT64_C(1) << 20)

/// Whether `stored` bytes may expand to `size`.
bool fr_expand_ratio_allowed(const firn_limits *limits, uint64_t size, uint64_t stored);

bool fr_can_compress(void);

/// Compresses into `room`, which has less than `size` bytes. *stored: what it takes, or 0 when it
/// does not fit. Where it is smaller than a reader would let expand, zeros follow. FIRN_NO_MEMORY.
firn_result fr_compress(const firn_allocator *allocator, const firn_limits *limits, int level,
                        const void *bytes, size_t size, uint8_t *room, size_t room_size,
                        size_t *stored, firn_error *err);

/// Expands one frame, which says its size and may be followed by zeros, to exactly `room` bytes at
/// `out`, and never writes more. FIRN_CORRUPT, FIRN_LIMIT (the frame looks back further than
/// limits->window_log), FIRN_NO_MEMORY, FIRN_UNSUPPORTED. Names the section.
firn_result fr_expand(const firn_allocator *allocator, const firn_limits *limits,
                      const char *section, const void *stored, size_t stored_size, uint8_t *out,
                      size_t room, firn_error *err);

/// fr_expand of a frame that may be damaged: *made bytes at `out` come before the damage. Fails as
/// that does; FIRN_CORRUPT may leave some.
firn_result fr_expand_part(const firn_allocator *allocator, const firn_limits *limits,
                           const char *section, const void *stored, size_t stored_size,
                           uint8_t *out, size_t room, size_t *made, firn_error *err);

#endif
