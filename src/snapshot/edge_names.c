// Targets in the names of saved components: `Likes->5`.
#include <stdio.h>
#include <string.h>

#include "snapshot/edges.h"
#include "snapshot/format.h"
#include "snapshot/image_rows.h"

// The digits of an id as %.14g prints them, `9.0071992505467e+15`: what Tecs makes of ids of more
// than 14 digits. Not printf, which asks the locale for the point.
static void put_short_digits(firn_entity id, char out[32])
{
    uint64_t unit = 1, digits = id;
    int exponent = 13;
    while (digits / unit >= UINT64_C(100000000000000)) {
        unit *= 10;
        exponent++;
    }
    uint64_t rest = digits % unit;
    digits /= unit;
    digits += rest * 2 > unit || (rest * 2 == unit && digits % 2 == 1);
    if (digits == UINT64_C(100000000000000)) {
        digits /= 10;
        exponent++;
    }
    while (digits % 10 == 0) {
        digits /= 10;
    }
    char text[24];
    int length = snprintf(text, sizeof text, "%llu", (unsigned long long)digits);
    snprintf(out, 32, "%c%s%.*se+%d", text[0], length > 1 ? "." : "", length - 1, text + 1,
             exponent);
}

bool fr_target_in_name(const char *digits, size_t size, firn_entity *target)
{
    uint64_t value = 0;
    if (size == 0 || size > 16 || digits[0] == '0') {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        if (digits[i] < '0' || digits[i] > '9') {
            return false;
        }
        value = value * 10 + (uint64_t)(digits[i] - '0');
    }
    *target = value;
    return value < (uint64_t)FR_ID_END;
}

// The target of the first value of an entry; 0 when it has none.
static firn_entity first_saved_target(const fr_image *image, const fr_entry *entry)
{
    for (uint32_t i = entry->first_column; i != FR_NO_COLUMN; i = image->spans[i].next) {
        const fr_span *span = &image->spans[i];
        firn_reader reader;
        firn_reader_begin(&reader, span->bytes, span->size, &image->limits);
        for (uint32_t row = 0; row < span->rows && !firn_reader_failed(&reader); row++) {
            firn_entity target = fr_read_target(&reader);
            if (target != 0) {
                return target;
            }
        }
    }
    return 0;
}

firn_entity fr_target_of_entry(const fr_image *image, const fr_entry *entry, const char *digits,
                               size_t size)
{
    firn_entity target;
    if (fr_target_in_name(digits, size, &target)) {
        return target;
    }
    target = first_saved_target(image, entry);
    char text[32];
    if (target < UINT64_C(100000000000000)) {
        return 0;
    }
    put_short_digits(target, text);
    return strlen(text) == size && memcmp(text, digits, size) == 0 ? target : 0;
}
