#include "support/support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- errors

static void print_firn_error(const firn_error *err)
{
    print_error("  code    %s\n  subject \"%s\"\n  message \"%s\"\n", firn_result_name(err->code),
                err->subject, err->message);
    if (err->offset != FIRN_NO_OFFSET) {
        print_error("  offset  %llu\n", (unsigned long long)err->offset);
    }
    if (err->entity != 0) {
        print_error("  entity  %llu\n", (unsigned long long)err->entity);
    }
}

void test_assert_error(const firn_error *err, firn_result result, const char *subject_part,
                       const char *file, int line)
{
    const char *wrong = NULL;
    if (err->code != result) {
        wrong = "another code";
    } else if (strstr(err->subject, subject_part) == NULL) {
        wrong = "another subject";
    } else if (err->message[0] == 0) {
        wrong = "an empty message";
    } else if (strchr(err->message, '\n') != NULL) {
        wrong = "a message of several lines";
    }
    if (wrong != NULL) {
        print_error("expected %s about \"%s\", got %s:\n", firn_result_name(result), subject_part,
                    wrong);
        print_firn_error(err);
        _fail(file, line);
    }
}

void test_assert_ok(firn_result result, const firn_error *err, const char *file, int line)
{
    if (result != FIRN_OK) {
        print_error("expected FIRN_OK, got %s:\n", firn_result_name(result));
        if (err != NULL) {
            print_firn_error(err);
        }
        _fail(file, line);
    }
}

// ---------------------------------------------------------------- bytes

static unsigned hex_digit(char digit)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *found = digit == 0 ? NULL : strchr(digits, digit);
    if (found == NULL) {
        fail_msg("0x%02x is no hex digit", (unsigned)(uint8_t)digit);
        abort(); // fail_msg does not return; the compiler cannot know
    }
    return (unsigned)(found - digits) % 16;
}

// Reads the bytes of the text to out, or only counts them when out is NULL.
static size_t parse_hex(const char *hex, uint8_t *out)
{
    size_t size = 0;
    while (*hex != 0) {
        if (*hex == ' ' || *hex == '\t' || *hex == '\n' || *hex == '\r') {
            hex++;
            continue;
        }
        uint8_t byte = (uint8_t)(hex_digit(hex[0]) * 16 + hex_digit(hex[1]));
        unsigned long times = 1;
        hex += 2;
        if (*hex == '*') {
            char *end;
            times = strtoul(hex + 1, &end, 10);
            hex = end;
        }
        if (out != NULL) {
            memset(out + size, byte, times);
        }
        size += times;
    }
    return size;
}

uint8_t *test_from_hex(const char *hex, size_t *size)
{
    *size = parse_hex(hex, NULL);
    uint8_t *bytes = malloc(*size + (*size == 0));
    assert_non_null(bytes);
    parse_hex(hex, bytes);
    return bytes;
}

uint8_t *test_read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail_msg("cannot open %s: %s", path, strerror(errno));
        abort();
    }
    size_t capacity = 4096;
    size_t used = 0;
    uint8_t *bytes = malloc(capacity);
    assert_non_null(bytes);
    size_t got;
    while ((got = fread(bytes + used, 1, capacity - used - 1, file)) > 0) {
        used += got;
        if (used + 1 == capacity) {
            capacity *= 2;
            bytes = realloc(bytes, capacity);
            assert_non_null(bytes);
        }
    }
    if (ferror(file)) {
        fail_msg("cannot read %s", path);
    }
    fclose(file);
    bytes[used] = 0;
    *size = used;
    return bytes;
}

// ---------------------------------------------------------------- generator

uint64_t test_random_u64(test_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint32_t test_random_below(test_random *random, uint32_t bound)
{
    return (uint32_t)(((test_random_u64(random) >> 32) * bound) >> 32);
}

double test_random_real(test_random *random)
{
    return (double)(test_random_u64(random) >> 11) * 0x1p-53;
}
