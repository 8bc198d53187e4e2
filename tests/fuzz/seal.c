#include "buffer/bytes.h"
#include "fuzz/fuzz.h"
#include "saves/file.h"

void fuzz_seal(uint8_t *file, size_t size)
{
    if (size < FR_SAVE_FIXED_BYTES) {
        return;
    }
    uint32_t head = fr_load_u32(file + FR_HEAD_SIZE);
    uint32_t header = fr_load_u32(file + FR_HEAD_HEADER);
    uint32_t count = fr_load_u32(file + FR_HEAD_COUNT);
    if (head > size || head < FR_SAVE_FIXED_BYTES + FR_SAVE_DIGEST_BYTES) {
        return;
    }
    uint64_t at = head, table = (uint64_t)FR_SAVE_FIXED_BYTES + header;
    for (uint32_t i = 0; i < count && table + FR_SAVE_ENTRY_BYTES <= head; i++) {
        uint8_t *entry = file + table;
        uint64_t stored = fr_load_u64(entry + FR_ENTRY_STORED);
        if (stored > size - at) {
            break;
        }
        fr_put_digest(entry + FR_ENTRY_DIGEST, firn_bytes_digest(file + at, (size_t)stored));
        at += stored;
        table += FR_SAVE_ENTRY_BYTES;
    }
    size_t hashed = head - FR_SAVE_DIGEST_BYTES;
    fr_put_digest(file + hashed, firn_bytes_digest(file, hashed));
}
