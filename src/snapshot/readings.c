// Which columns of an image are raw, where a fingerprint leaves it open.
#include "base/error.h"
#include "base/utf8.h"
#include "snapshot/format.h"
#include "snapshot/image.h"

// The entries that are tried both ways: the doubtful ones, or, when those are too many, the ones
// among them without a hint.
typedef struct readings {
    fr_image *image;
    fr_entry *doubts[FR_DOUBTS_MAX];
    uint32_t count;
    bool too_many;
    bool hinted;     ///< a hint says encoded
    uint64_t budget; ///< bytes that trying may still walk
} readings;

static void ask_hints(readings *all, fr_image_hint hint, void *user, uint32_t *doubtful)
{
    fr_image *image = all->image;
    *doubtful = 0;
    for (uint32_t i = 0; i < image->prelude.component_count; i++) {
        fr_entry *entry = &image->entries[i];
        if (!entry->doubtful) {
            continue;
        }
        entry->hint = hint ? hint(user, entry->name, entry->name_size) : -1;
        all->hinted |= entry->hint == 0;
        *doubtful += 1;
    }
}

static void find_doubts(readings *all, fr_image *image, fr_image_hint hint, void *user)
{
    uint32_t doubtful;
    *all = (readings){.image = image, .budget = (uint64_t)image->size * 4 + (UINT64_C(64) << 20)};
    ask_hints(all, hint, user, &doubtful);
    for (uint32_t i = 0; i < image->prelude.component_count && !all->too_many; i++) {
        fr_entry *entry = &image->entries[i];
        if (!entry->doubtful || (doubtful > FR_DOUBTS_MAX && entry->hint >= 0)) {
            continue;
        }
        if (all->count == FR_DOUBTS_MAX) {
            all->too_many = true;
        } else {
            all->doubts[all->count++] = entry;
        }
    }
}

static firn_result try_reading(readings *all, firn_error *err)
{
    size_t reached = 0;
    firn_result result = fr_image_walk(all->image, &reached, err);
    all->budget = reached < all->budget ? all->budget - reached : 0;
    return result;
}

// As the fingerprints say, or as the hints do where there are any.
static firn_result try_plain(readings *all, bool with_hints, firn_error *err)
{
    for (uint32_t i = 0; i < all->image->prelude.component_count; i++) {
        fr_entry *entry = &all->image->entries[i];
        if (entry->doubtful) {
            entry->raw = !with_hints || entry->hint != 0;
        }
    }
    return try_reading(all, err);
}

// Bit i of `encoded`: doubt i is read as encoded. The rest stays as it is.
static firn_result try_doubts(readings *all, uint32_t encoded, firn_error *err)
{
    for (uint32_t i = 0; i < all->count; i++) {
        all->doubts[i]->raw = !(encoded >> i & 1);
    }
    return try_reading(all, err);
}

static bool agrees(const readings *all, uint32_t encoded)
{
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->doubts[i]->hint >= 0 && all->doubts[i]->hint == (int)(encoded >> i & 1)) {
            return false;
        }
    }
    return true;
}

// Whether a reading that checks is no answer: it takes entries without rows as encoded, and so is
// the same as the one that does not, which is tried too; or the image is firn's own.
static bool is_no_answer(const readings *all, uint32_t encoded)
{
    if (all->image->world.ours) {
        return true;
    }
    for (uint32_t i = 0; i < all->count; i++) {
        if ((encoded >> i & 1) && all->doubts[i]->rows == 0) {
            return true;
        }
    }
    return false;
}

// Neither the fingerprints nor the hints gave a reading that checks: tries all the others. One that
// fits the hints is better than one that does not; two that are equally good are no answer.
static firn_result try_all_readings(readings *all, const firn_error *first, firn_error *err)
{
    uint32_t fits[2] = {0, 0}, found[2] = {0, 0}, rival[2] = {0, 0};
    for (uint32_t encoded = 1; encoded < UINT32_C(1) << all->count && all->budget > 0; encoded++) {
        firn_result result = try_doubts(all, encoded, NULL);
        if (result == FIRN_NO_MEMORY) {
            return fr_fail_memory(err, "image");
        }
        if (result != FIRN_OK || is_no_answer(all, encoded)) {
            continue;
        }
        int kind = agrees(all, encoded) ? 0 : 1;
        if (fits[kind]++ == 0) {
            found[kind] = encoded;
        } else {
            rival[kind] = encoded;
        }
    }
    int kind = fits[0] > 0 ? 0 : 1;
    if (fits[kind] == 1) {
        return try_doubts(all, found[kind], err);
    }
    if (fits[kind] == 0) {
        return fr_fail_copy(err, first);
    }
    uint32_t doubt = 0;
    while (((found[kind] ^ rival[kind]) >> doubt & 1) == 0) {
        doubt++;
    }
    char name[256];
    fr_printable(name, sizeof name, all->doubts[doubt]->name, all->doubts[doubt]->name_size);
    return fr_fail_at(
        err, FIRN_UNKNOWN, all->doubts[doubt]->offset, name,
        "the columns of %s can be read as raw and as encoded: register it or give its schema",
        name);
}

firn_result fr_image_find_reading(fr_image *image, fr_image_hint hint, void *user, firn_error *err)
{
    readings all;
    find_doubts(&all, image, hint, user);
    firn_error first;
    firn_result plain = try_plain(&all, false, &first);
    if (plain != FIRN_OK) {
        fr_image_blame_schema(image, &first);
    }
    if (plain == FIRN_NO_MEMORY) {
        return fr_fail_copy(err, &first);
    }
    if (plain == FIRN_OK && (image->world.ours || !all.hinted)) {
        return FIRN_OK;
    }
    if (all.hinted) {
        firn_result result = try_plain(&all, true, NULL);
        if (result == FIRN_OK && image->world.ours) {
            return fr_fail_copy(err, &first);
        }
        if (result == FIRN_OK) {
            return FIRN_OK;
        }
        if (result == FIRN_NO_MEMORY) {
            return fr_fail_memory(err, "image");
        }
    }
    if (plain == FIRN_OK) {
        return try_plain(&all, false, err);
    }
    return all.too_many ? fr_fail_copy(err, &first) : try_all_readings(&all, &first, err);
}
