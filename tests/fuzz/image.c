// Images without a world: check, hash and data must agree. The first byte chooses the limits, the
// second the call to the allocator that fails (0: none), the rest is the image.
#include "fuzz/fuzz.h"

#include <string.h>

static void count_component(void *user, const char *component, uint64_t hash)
{
    (void)hash;
    FUZZ_CHECK(component[0] != '\0');
    ++*(uint32_t *)user;
}

static void check_prelude(const firn_prelude *prelude, const firn_limits *limits)
{
    FUZZ_CHECK(prelude->version == 1 || prelude->version == 2);
    FUZZ_CHECK(prelude->next_slot >= 1 && prelude->entity_count <= limits->entities);
    FUZZ_CHECK(prelude->entity_count < prelude->next_slot);
    FUZZ_CHECK(prelude->frame_count <= limits->archetypes);
    FUZZ_CHECK(prelude->component_count <= limits->table_entries);
    FUZZ_CHECK(prelude->data_count <= limits->data_keys + 64); // of firn's own
}

// NO_MEMORY for the failed call of the allocator, or what the call without it comes to.
static void check_without_memory(const uint8_t *image, size_t size, const firn_limits *limits,
                                 uint64_t call, firn_result expected)
{
    fuzz_allocator memory;
    fuzz_allocator_init(&memory);
    firn_image_options options = {.limits = limits, .allocator = &memory.allocator};
    firn_error err = {0};
    memory.left = call;
    firn_result result = firn_image_check(image, size, &options, NULL, &err);
    FUZZ_CHECK(result == expected || (result == FIRN_NO_MEMORY && memory.left == UINT64_MAX));
    memory.left = call;
    firn_hash hash;
    result = firn_image_hash(image, size, &options, &hash, NULL, NULL, &err);
    FUZZ_CHECK(result == expected || (result == FIRN_NO_MEMORY && memory.left == UINT64_MAX));
    FUZZ_CHECK(memory.blocks == 0 && memory.bytes == 0);
}

static void check_data(const uint8_t *image, size_t size, const firn_image_options *options,
                       firn_result checked, const char *key)
{
    const void *encoded = NULL;
    size_t encoded_size = 0;
    firn_error err = {0};
    firn_result result = firn_image_data(image, size, key, options, &encoded, &encoded_size, &err);
    if (checked != FIRN_OK) {
        FUZZ_CHECK(result == checked);
    } else if (result == FIRN_OK) {
        const uint8_t *at = encoded;
        FUZZ_CHECK(at > image && at < image + size);
        FUZZ_CHECK(encoded_size > 0 && encoded_size < (size_t)(image + size - at));
        FUZZ_OK(firn_value_check(encoded, encoded_size, options->limits, NULL, &err), &err);
    } else {
        FUZZ_CHECK(result == FIRN_NOT_FOUND);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return -1;
    }
    const uint8_t *image = data + 2;
    size -= 2;
    firn_limits limits = fuzz_limits(data[0]);
    firn_image_options options = {.limits = &limits};
    firn_error err = {0};
    firn_prelude prelude = {0};
    firn_result checked = firn_image_check(image, size, &options, &prelude, &err);
    FUZZ_CHECK(checked == FIRN_OK || (err.code == checked && err.message[0] != '\0'));
    FUZZ_CHECK(checked == FIRN_OK || err.offset <= size || err.offset == FIRN_NO_OFFSET);
    if (checked == FIRN_OK) {
        check_prelude(&prelude, &limits);
    }

    firn_hash first = {0}, second = {0};
    uint32_t components = 0;
    firn_result hashed =
        firn_image_hash(image, size, &options, &first, count_component, &components, &err);
    FUZZ_CHECK(hashed == checked);
    if (hashed == FIRN_OK) {
        FUZZ_OK(firn_image_hash(image, size, &options, &second, NULL, NULL, &err), &err);
        FUZZ_CHECK(memcmp(&first, &second, sizeof first) == 0);
        FUZZ_CHECK(components <= prelude.component_count);
    }
    check_data(image, size, &options, checked, "weather");
    check_data(image, size, &options, checked, "");
    if (data[1] > 0) {
        check_without_memory(image, size, &limits, data[1] - 1u, checked);
    }
    return 0;
}
