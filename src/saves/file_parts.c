#include "base/alloc.h"
#include "base/error.h"
#include "buffer/bytes.h"
#include "saves/compress.h"
#include "saves/file.h"
#include "value/check.h"

#include <string.h>

firn_result fr_file_settings_make(fr_file_settings *out, const firn_save_file_options *options,
                                  firn_error *err)
{
    const firn_save_file_options defaults = {0};
    if (options == NULL) {
        options = &defaults;
    }
    firn_result result = fr_check_reserved(options->reserved, "firn_save_file_options", err);
    if (result == FIRN_OK) {
        result = fr_allocator_check(options->allocator, err);
    }
    if (result == FIRN_OK) {
        result = fr_limits_resolve(options->limits, &out->limits, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    if (options->compression < 0 || options->compression > 19) {
        return fr_fail(err, FIRN_INVALID, "compression", "compression %d is not 0 to 19",
                       options->compression);
    }
    if (options->compression > 0 && !fr_can_compress()) {
        return fr_fail(err, FIRN_UNSUPPORTED, "compression", "this build of firn has no zstd");
    }
    out->allocator = options->allocator != NULL ? *options->allocator : *firn_allocator_default();
    out->compression = options->compression;
    return FIRN_OK;
}

bool firn_save_file_can_compress(void)
{
    return fr_can_compress();
}

bool fr_is_encoded_table(const uint8_t *bytes, size_t size)
{
    return size > 0 && bytes[0] >= FR_TAG_TABLE && bytes[0] <= FR_TAG_TABLE_LAST &&
           fr_value_is_canonical(bytes, size);
}

size_t fr_head_bytes(size_t used)
{
    const size_t mask = FR_SAVE_ALIGN - 1;
    return (used + FR_SAVE_DIGEST_BYTES + mask) & ~mask;
}

// ---- names and digests

static bool is_section_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

size_t fr_section_name_size(const char *name, size_t most)
{
    size_t size = 0;
    while (size < most && is_section_character(name[size])) {
        size++;
    }
    bool ended = size == most || name[size] == 0;
    return ended && size <= FIRN_SECTION_NAME_MOST ? size : 0;
}

firn_result fr_section_name_check(const char *name, firn_error *err)
{
    if (fr_section_name_size(name, FIRN_SECTION_NAME_MOST + 1) == 0) {
        return fr_fail(err, FIRN_INVALID, name,
                       "'%.40s' names no section: a name is 1 to %d of a-z 0-9 _ - and .", name,
                       FIRN_SECTION_NAME_MOST);
    }
    if (strncmp(name, "firn.", 5) == 0) {
        return fr_fail(err, FIRN_INVALID, name,
                       "the section %s: names that begin with firn. are reserved", name);
    }
    if (strcmp(name, FIRN_SECTION_THUMBNAIL) == 0) {
        return fr_fail(err, FIRN_INVALID, name, "the section thumbnail is made of meta.thumbnail");
    }
    return FIRN_OK;
}

static void put_big_endian(uint8_t *at, uint64_t value)
{
    for (int i = 7; i >= 0; i--) {
        at[i] = (uint8_t)value;
        value >>= 8;
    }
}

static uint64_t get_big_endian(const uint8_t *at)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value = value << 8 | at[i];
    }
    return value;
}

void fr_put_digest(uint8_t *at, firn_digest digest)
{
    put_big_endian(at, digest.high);
    put_big_endian(at + 8, digest.low);
}

firn_digest fr_get_digest(const uint8_t *at)
{
    return (firn_digest){.low = get_big_endian(at + 8), .high = get_big_endian(at)};
}

void fr_digest_text(char out[FR_DIGEST_TEXT_BYTES], firn_digest digest)
{
    uint8_t bytes[FR_SAVE_DIGEST_BYTES];
    if ((digest.low | digest.high) == 0) {
        out[0] = 0;
        return;
    }
    fr_put_digest(bytes, digest);
    for (size_t i = 0; i < sizeof bytes; i++) {
        out[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        out[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    out[2 * sizeof bytes] = 0;
}

static bool hex_digit(char c, uint8_t *value)
{
    if (c >= '0' && c <= '9') {
        *value = (uint8_t)(c - '0');
    } else if (c >= 'a' && c <= 'f') {
        *value = (uint8_t)(c - 'a' + 10);
    } else {
        return false;
    }
    return true;
}

bool fr_digest_from_text(const char *text, size_t size, firn_digest *out)
{
    uint8_t bytes[FR_SAVE_DIGEST_BYTES], high, low;
    if (size != 2 * sizeof bytes) {
        return false;
    }
    for (size_t i = 0; i < sizeof bytes; i++) {
        if (!hex_digit(text[2 * i], &high) || !hex_digit(text[2 * i + 1], &low)) {
            return false;
        }
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    *out = fr_get_digest(bytes);
    return true;
}
