// Save files: what opens says the same in every way and is written again as it was. The first byte
// chooses the limits, the second the call to the allocator that fails (0: none), the third whether
// hashes are made right first (1), so that what lies behind them is reached; the rest is the file.
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "buffer/bytes.h"
#include "saves/file.h"

static void check_header(const firn_save_header *header)
{
    FUZZ_CHECK(header->format_version == FIRN_SAVE_FORMAT_VERSION && header->game_version > 0);
    FUZZ_CHECK(header->game[0] != 0 && strlen(header->level) < 256);
    FUZZ_CHECK(strlen(header->engine) < 256 && strlen(header->kind) < 256);
    FUZZ_CHECK(header->timestamp >= 0 && header->play_time >= 0);
    FUZZ_CHECK(header->meta == NULL || header->meta->kind == FIRN_VALUE_TABLE);
}

// The sections lie one behind the other, and each is at hand or says why not. Returns whether all
// are.
static bool check_sections(firn_save_file *file, const uint8_t *bytes, size_t size)
{
    firn_section_info info;
    firn_error err = {0};
    uint64_t end = 0;
    bool all = true;
    for (uint32_t i = 0; firn_save_file_section_at(file, i, &info); i++) {
        const void *found = NULL;
        size_t found_size = 0;
        FUZZ_CHECK(i == 0 ? info.offset % FR_SAVE_ALIGN == 0 : info.offset == end);
        end = info.offset + info.stored;
        FUZZ_CHECK(end <= size);
        firn_result result = firn_save_file_section(file, info.name, &found, &found_size, &err);
        if (result == FIRN_OK) {
            FUZZ_CHECK(found_size == info.size);
            FUZZ_CHECK(info.compressed || found == bytes + info.offset);
        } else {
            FUZZ_CHECK(info.compressed && found == NULL && err.code == result);
            all = false;
        }
    }
    FUZZ_CHECK(end == size || firn_save_file_section_count(file) == 0);
    return all;
}

// To a tree, to a file, to a tree: from then on nothing changes.
static void check_tree(firn_save_file *file, const firn_limits *limits)
{
    firn_error err = {0};
    firn_doc *doc = firn_doc_create(NULL, limits, &err);
    FUZZ_CHECK(doc != NULL);
    firn_save_file_options options = {.limits = limits};
    firn_buffer first = {0}, second = {0};
    firn_value *tree = firn_save_file_value(file, doc, &err);
    // A snapshot that is none, a reserved name, meta that grew.
    if (tree != NULL && firn_save_file_from_value(tree, &options, &first, &err) == FIRN_OK) {
        firn_save_file *again = firn_save_file_open(first.data, first.size, &options, &err);
        FUZZ_CHECK(again != NULL);
        firn_value *same = firn_save_file_value(again, doc, &err);
        FUZZ_CHECK(same != NULL);
        FUZZ_OK(firn_save_file_from_value(same, &options, &second, &err), &err);
        FUZZ_CHECK(first.size == second.size && memcmp(first.data, second.data, first.size) == 0);
        firn_save_file_close(again);
    }
    firn_buffer_free(&first);
    firn_buffer_free(&second);
    firn_doc_destroy(doc);
}

// With other names it is a save again, or says why not, and then it stays as it is.
static void check_rewrite(const uint8_t *bytes, size_t size, const firn_limits *limits)
{
    static const firn_edit edits[] = {
        {.kind = FIRN_RENAME_COMPONENT, .component = "Place", .to = "zoo"},
        {.kind = FIRN_RENAME_FIELD, .component = "zoo", .field = "x", .to = "home.x"},
        {.kind = FIRN_DROP_COMPONENT, .component = "Bag"},
    };
    firn_error err = {0};
    firn_buffer first = {0}, second = {0};
    firn_rewrite_options options = {.edits = edits, .edit_count = 3, .limits = limits};
    if (firn_save_file_rewrite(bytes, size, &options, &first, NULL, &err) == FIRN_OK) {
        options.edit_count = 0;
        FUZZ_OK(firn_save_file_rewrite(first.data, first.size, &options, &second, NULL, &err),
                &err);
        FUZZ_CHECK(first.size == second.size && memcmp(first.data, second.data, first.size) == 0);
    } else {
        FUZZ_CHECK(first.size == 0 && err.message[0] != '\0');
    }
    firn_buffer_free(&first);
    firn_buffer_free(&second);
}

static void check_file(firn_save_file *file, const uint8_t *bytes, size_t size,
                       const firn_limits *limits)
{
    firn_error err = {0};
    check_header(firn_save_file_header(file));
    FUZZ_CHECK(firn_save_file_size(file) == size);
    firn_save_file_options options = {.limits = limits};
    size_t most = size < FIRN_SAVE_HEAD_MOST ? size : FIRN_SAVE_HEAD_MOST;
    firn_save_file *head = firn_save_file_read_head(bytes, most, &options, &err);
    FUZZ_CHECK(head != NULL);
    firn_digest a = firn_save_file_identity(file), b = firn_save_file_identity(head);
    FUZZ_CHECK(a.low == b.low && a.high == b.high);
    firn_save_file_close(head);
    if (check_sections(file, bytes, size)) {
        check_tree(file, limits);
    }
    check_rewrite(bytes, size, limits);
}

// FIRN_NO_MEMORY for the failed call of the allocator, or what the call without it comes to.
static void check_without_memory_for_saves(const uint8_t *bytes, size_t size,
                                           const firn_limits *limits, uint64_t call,
                                           firn_result expected)
{
    fuzz_allocator memory;
    fuzz_allocator_init(&memory);
    memory.left = call;
    firn_save_file_options options = {.limits = limits, .allocator = &memory.allocator};
    firn_error err = {0};
    firn_save_file *file = firn_save_file_open(bytes, size, &options, &err);
    firn_result result = file != NULL ? FIRN_OK : err.code;
    FUZZ_CHECK(result == expected || (result == FIRN_NO_MEMORY && memory.left == UINT64_MAX));
    firn_section_info info;
    for (uint32_t i = 0; firn_save_file_section_at(file, i, &info); i++) {
        const void *found;
        size_t found_size;
        firn_save_file_section(file, info.name, &found, &found_size, &err);
    }
    firn_save_file_close(file);
    FUZZ_CHECK(memory.blocks == 0 && memory.bytes == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4) {
        return -1;
    }
    size -= 3;
    uint8_t *bytes = malloc(size);
    if (bytes == NULL) {
        return -1;
    }
    memcpy(bytes, data + 3, size);
    if (data[2] % 2 == 1) {
        fuzz_seal(bytes, size);
    }
    firn_limits limits = fuzz_limits(data[0]);
    firn_save_file_options options = {.limits = &limits};
    firn_error err = {0};
    firn_save_file *file = firn_save_file_open(bytes, size, &options, &err);
    firn_result opened = file != NULL ? FIRN_OK : err.code;
    if (file != NULL) {
        check_file(file, bytes, size, &limits);
        firn_save_file_close(file);
    } else {
        FUZZ_CHECK(err.code != FIRN_OK && err.message[0] != 0 && err.subject[0] != 0);
        FUZZ_CHECK(err.offset <= size || err.offset == FIRN_NO_OFFSET);
    }
    if (data[1] > 0) {
        check_without_memory_for_saves(bytes, size, &limits, data[1] - 1u, opened);
    }
    free(bytes);
    return 0;
}
