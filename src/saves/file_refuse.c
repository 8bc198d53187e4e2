#include <string.h>

#include "base/error.h"
#include "buffer/reader.h"
#include "saves/file.h"

// What transfers as text make of the magic: other line ends, seven bits, another encoding.
static bool went_as_text(const uint8_t *bytes, size_t size)
{
    static const char *const forms[] = {
        "\211FIR\n",         "\211FIR\r\r", "\211FIR\r\032\r", "\211FIR\r\n\032\r\n",
        "\011FIR\r\n\032\n", "\302\211FIR", "\357\277\275FIR",
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        size_t form = strlen(forms[i]);
        if (size >= form && memcmp(bytes, forms[i], form) == 0) {
            return true;
        }
    }
    return false;
}

bool fr_file_is_snapshot(const void *bytes, size_t size)
{
    fr_in in;
    uint64_t version = 0;
    fr_in_begin(&in, bytes, size);
    return fr_in_encoded_count(&in, "version", 2, &version, NULL) == FIRN_OK && version > 0;
}

static bool looks_like_text(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size && i < 256; i++) {
        bool is_blank = bytes[i] == '\t' || bytes[i] == '\n' || bytes[i] == '\r';
        if ((bytes[i] < 0x20 && !is_blank) || bytes[i] == 0x7f) {
            return false;
        }
    }
    return true;
}

// How many bytes of the magic are there, and the first that is not.
static size_t matching_magic(const uint8_t *bytes, size_t size, size_t *wrong)
{
    size_t same = 0;
    *wrong = FR_SAVE_MAGIC_BYTES;
    for (size_t i = 0; i < FR_SAVE_MAGIC_BYTES && i < size; i++) {
        if (bytes[i] == (uint8_t)FR_SAVE_MAGIC[i]) {
            same++;
        } else if (*wrong == FR_SAVE_MAGIC_BYTES) {
            *wrong = i;
        }
    }
    return same;
}

firn_result fr_file_refuse(const uint8_t *bytes, size_t size, firn_error *err)
{
    if (size == 0) {
        return fr_fail_at(err, FIRN_TRUNCATED, 0, "file", "the file is empty");
    }
    if (went_as_text(bytes, size)) {
        return fr_fail_at(err, FIRN_CORRUPT, 0, "magic",
                          "the save file was changed by a transfer as text: line ends or the "
                          "encoding are other ones");
    }
    size_t wrong, same = matching_magic(bytes, size, &wrong);
    if (same >= FR_SAVE_MAGIC_BYTES - 2) {
        return fr_fail_at(err, FIRN_CORRUPT, wrong, "magic",
                          "the first bytes of the save file are damaged: byte %zu is 0x%02x", wrong,
                          bytes[wrong]);
    }
    if (fr_file_is_snapshot(bytes, size)) {
        return fr_fail_at(err, FIRN_NOT_OURS, 0, "magic",
                          "a bare snapshot, not a save file: firn_snapshot_load takes it");
    }
    if (fr_leading_zeros(bytes, size) == size) {
        return fr_fail_at(err, FIRN_CORRUPT, 0, "magic", "only zeros: the file was never written");
    }
    if (looks_like_text(bytes, size)) {
        return fr_fail_at(err, FIRN_NOT_OURS, 0, "magic", "text, not a save file");
    }
    return fr_fail_at(err, FIRN_NOT_OURS, 0, "magic",
                      "not a save file: it begins with 0x%02x, not with 0x89 FIR", bytes[0]);
}
