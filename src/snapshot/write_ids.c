// Ids of rows, as the doubles that a save has of them.
#include <string.h>

#include "base/avx2.h"
#include "buffer/bytes.h"
#include "snapshot/format.h"
#include "snapshot/write.h"

#define LANES_MOST 8

// Ids as doubles. One below 2^52, as nearly all are, is the mantissa of a number in front of which
// 2^52 is taken away: steps of which a compiler makes vectors, of some lanes at once. Returns the
// bits of all ids, which tell when there were others.
static inline uint64_t store_lanes(const firn_entity *restrict ids, uint32_t n,
                                   uint8_t *restrict wire, uint32_t lanes)
{
    const double mantissa = 4503599627370496.0; // 2^52
    uint64_t all[LANES_MOST] = {0};
    uint32_t i = 0;
    for (; n - i >= lanes; i += lanes) {
        for (uint32_t k = 0; k < lanes; k++) {
            uint64_t bits = ids[i + k] | UINT64_C(0x4330000000000000);
            double number;
            memcpy(&number, &bits, sizeof number);
            fr_store_f64(wire + (size_t)(i + k) * FR_ID_BYTES, number - mantissa);
            all[k] |= ids[i + k];
        }
    }
    for (; i < n; i++) {
        fr_store_f64(wire + (size_t)i * FR_ID_BYTES, (double)(int64_t)ids[i]);
    }
    for (uint32_t k = 1; k < lanes; k++) {
        all[0] |= all[k];
    }
    return all[0];
}

#ifdef FR_AVX2
__attribute__((target("avx2"))) static uint64_t store_ids_avx2(const firn_entity *restrict ids,
                                                               uint32_t n, uint8_t *restrict wire)
{
    return store_lanes(ids, n, wire, 8);
}
#endif

static uint64_t store_ids(const firn_entity *ids, uint32_t n, uint8_t *wire)
{
#ifdef FR_AVX2
    if (__builtin_cpu_supports("avx2")) {
        return store_ids_avx2(ids, n, wire);
    }
#endif
    return store_lanes(ids, n, wire, 4);
}

static void store_large_ids(const firn_entity *ids, uint32_t n, uint8_t *wire)
{
    for (uint32_t i = 0; i < n; i++) {
        fr_store_f64(wire + (size_t)i * FR_ID_BYTES, (double)(int64_t)ids[i]);
    }
}

firn_result fr_write_ids(fr_save *save, const fr_saved_rows *run, firn_error *err)
{
    for (uint32_t row = 0; row < run->count;) {
        uint32_t left = run->count - row;
        uint32_t n =
            left < FR_WRITE_CHUNK / FR_ID_BYTES ? left : (uint32_t)(FR_WRITE_CHUNK / FR_ID_BYTES);
        uint8_t *space = fr_write_space(save, (size_t)n * FR_ID_BYTES);
        if (space == NULL) {
            break;
        }
        if (store_ids(run->entities + row, n, space) >> 52 != 0) {
            store_large_ids(run->entities + row, n, space);
        }
        fr_write_filled(save, (size_t)n * FR_ID_BYTES);
        row += n;
    }
    return fr_out_end(&save->out, err);
}
