#ifdef FIRN_ZSTD
#ifndef ZSTD_STATIC_LINKING_ONLY
#define ZSTD_STATIC_LINKING_ONLY // memory from the allocator, the head of a frame
#endif
#include <zstd.h>
#include <zstd_errors.h>
#endif

#include "saves/compress.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "buffer/bytes.h"

bool fr_expand_ratio_allowed(const firn_limits *limits, uint64_t size, uint64_t stored)
{
    return size <= FR_RATIO_FREE_BYTES || size / limits->expand_ratio < stored ||
           (size / limits->expand_ratio == stored && size % limits->expand_ratio == 0);
}

#ifdef FIRN_ZSTD

bool fr_can_compress(void)
{
    return true;
}

// zstd frees without a size: it stands before each block.
#define BLOCK_HEAD ((size_t)16)

static void *take_block(void *user, size_t size)
{
    size_t whole;
    if (!fr_add_size(size, BLOCK_HEAD, &whole)) {
        return NULL;
    }
    uint8_t *block = fr_alloc(user, whole, 1, BLOCK_HEAD);
    if (block == NULL) {
        return NULL;
    }
    *(size_t *)(void *)block = whole;
    return block + BLOCK_HEAD;
}

static void give_block(void *user, void *ptr)
{
    if (ptr != NULL) {
        uint8_t *block = (uint8_t *)ptr - BLOCK_HEAD;
        fr_free(user, block, *(size_t *)(void *)block, 1, BLOCK_HEAD);
    }
}

static ZSTD_customMem zstd_memory(const firn_allocator *allocator)
{
    return (ZSTD_customMem){take_block, give_block, (void *)(uintptr_t)allocator};
}

// Nothing is written that the limits for strangers would not let pass.
#define WRITE_WINDOW_LOG 21u
#define LEAST_WINDOW_LOG 10u
#define WRITE_RATIO      250u

// The fewest bytes that a reader lets expand to `size`.
static size_t least_stored(const firn_limits *limits, size_t size)
{
    uint32_t ratio = limits->expand_ratio < WRITE_RATIO ? limits->expand_ratio : WRITE_RATIO;
    return size > FR_RATIO_FREE_BYTES ? (size - 1) / ratio + 1 : 0;
}

// `made` bytes of a frame are followed by zeros, where they are too few.
static size_t fill_up(uint8_t *room, size_t room_size, size_t made, size_t least)
{
    if (made >= least) {
        return made;
    }
    if (least > room_size) {
        return 0;
    }
    memset(room + made, 0, least - made);
    return least;
}

firn_result fr_compress(const firn_allocator *allocator, const firn_limits *limits, int level,
                        const void *bytes, size_t size, uint8_t *room, size_t room_size,
                        size_t *stored, firn_error *err)
{
    *stored = 0;
    uint32_t window = limits->window_log < WRITE_WINDOW_LOG ? limits->window_log : WRITE_WINDOW_LOG;
    if (window < LEAST_WINDOW_LOG) {
        return FIRN_OK;
    }
    ZSTD_compressionParameters fit = ZSTD_getCParams(level, size, 0);
    ZSTD_CCtx *context = ZSTD_createCCtx_advanced(zstd_memory(allocator));
    if (context == NULL) {
        return fr_fail_memory(err, "compression");
    }
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
    if (fit.windowLog > window) {
        ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, (int)window);
    }
    size_t made = ZSTD_compress2(context, room, room_size, bytes, size);
    ZSTD_freeCCtx(context);
    if (!ZSTD_isError(made)) {
        *stored = fill_up(room, room_size, made, least_stored(limits, size));
        return FIRN_OK;
    }
    if (ZSTD_getErrorCode(made) == ZSTD_error_dstSize_tooSmall) {
        return FIRN_OK;
    }
    return fr_fail_memory(err, "compression");
}

static firn_result refuse_frame(firn_error *err, const char *section, const char *why)
{
    return fr_fail(err, FIRN_CORRUPT, section, "the section %s does not expand: %s", section, why);
}

// What the head of the frame says, before anything is expanded. *frame_size: its bytes.
static firn_result check_frame(const firn_limits *limits, const char *section,
                               const uint8_t *stored, size_t stored_size, size_t size,
                               size_t *frame_size, firn_error *err)
{
    ZSTD_frameHeader frame;
    size_t missing = ZSTD_getFrameHeader(&frame, stored, stored_size);
    if (missing != 0 || frame.frameType != ZSTD_frame) {
        return refuse_frame(err, section, "it begins with no frame of zstd");
    }
    if (frame.frameContentSize != size) {
        return fr_fail(err, FIRN_CORRUPT, section,
                       "the section %s has %zu bytes, but its frame of zstd %s", section, size,
                       frame.frameContentSize == ZSTD_CONTENTSIZE_UNKNOWN ? "does not say so"
                                                                          : "says another number");
    }
    if (frame.windowSize > UINT64_C(1) << limits->window_log) {
        return fr_fail(err, FIRN_LIMIT, section,
                       "the section %s looks back %llu bytes, above the limit 2^%" PRIu32, section,
                       frame.windowSize, limits->window_log);
    }
    size_t found = ZSTD_findFrameCompressedSize(stored, stored_size);
    if (ZSTD_isError(found) ||
        fr_leading_zeros(stored + found, stored_size - found) < stored_size - found) {
        return refuse_frame(err, section, "it is not one whole frame of zstd");
    }
    *frame_size = found;
    return FIRN_OK;
}

firn_result fr_expand(const firn_allocator *allocator, const firn_limits *limits,
                      const char *section, const void *stored, size_t stored_size, uint8_t *out,
                      size_t room, firn_error *err)
{
    size_t frame_size = 0;
    firn_result result = check_frame(limits, section, stored, stored_size, room, &frame_size, err);
    if (result != FIRN_OK) {
        return result;
    }
    ZSTD_DCtx *context = ZSTD_createDCtx_advanced(zstd_memory(allocator));
    if (context == NULL) {
        return fr_fail_memory(err, section);
    }
    // The output is the window: zstd takes no memory for one.
    size_t made = ZSTD_decompressDCtx(context, out, room, stored, frame_size);
    ZSTD_freeDCtx(context);
    return made == room ? FIRN_OK : refuse_frame(err, section, ZSTD_getErrorName(made));
}

// Block by block, up to the first that is damaged.
static firn_result expand_blocks(const firn_allocator *allocator, const firn_limits *limits,
                                 const char *section, const void *stored, size_t stored_size,
                                 uint8_t *out, size_t room, size_t *made, firn_error *err)
{
    ZSTD_DCtx *context = ZSTD_createDCtx_advanced(zstd_memory(allocator));
    if (context == NULL) {
        return fr_fail_memory(err, section);
    }
    ZSTD_inBuffer from = {stored, stored_size, 0};
    ZSTD_outBuffer to = {out, room, 0};
    size_t left = ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, (int)limits->window_log);
    bool moved = true;
    while (!ZSTD_isError(left) && moved) {
        size_t before = from.pos + to.pos;
        left = ZSTD_decompressStream(context, &to, &from);
        moved = left != 0 && from.pos + to.pos > before;
    }
    ZSTD_freeDCtx(context);
    *made = to.pos;
    return ZSTD_isError(left) && ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation
               ? fr_fail_memory(err, section)
               : FIRN_OK;
}

firn_result fr_expand_part(const firn_allocator *allocator, const firn_limits *limits,
                           const char *section, const void *stored, size_t stored_size,
                           uint8_t *out, size_t room, size_t *made, firn_error *err)
{
    firn_result whole = fr_expand(allocator, limits, section, stored, stored_size, out, room, err);
    *made = whole == FIRN_OK ? room : 0;
    if (whole != FIRN_CORRUPT) {
        return whole;
    }
    firn_result part =
        expand_blocks(allocator, limits, section, stored, stored_size, out, room, made, err);
    return part == FIRN_OK ? whole : part;
}

#else

bool fr_can_compress(void)
{
    return false;
}

firn_result fr_compress(const firn_allocator *allocator, const firn_limits *limits, int level,
                        const void *bytes, size_t size, uint8_t *room, size_t room_size,
                        size_t *stored, firn_error *err)
{
    (void)allocator, (void)limits, (void)level, (void)bytes, (void)size, (void)room;
    (void)room_size, (void)err;
    *stored = 0;
    return FIRN_OK;
}

firn_result fr_expand(const firn_allocator *allocator, const firn_limits *limits,
                      const char *section, const void *stored, size_t stored_size, uint8_t *out,
                      size_t room, firn_error *err)
{
    (void)allocator, (void)limits, (void)stored, (void)stored_size, (void)out, (void)room;
    return fr_fail(err, FIRN_UNSUPPORTED, section,
                   "the section %s is compressed, and this build of firn has no zstd", section);
}

firn_result fr_expand_part(const firn_allocator *allocator, const firn_limits *limits,
                           const char *section, const void *stored, size_t stored_size,
                           uint8_t *out, size_t room, size_t *made, firn_error *err)
{
    *made = 0;
    return fr_expand(allocator, limits, section, stored, stored_size, out, room, err);
}

#endif
