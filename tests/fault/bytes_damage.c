#include "fault/bytes_damage.h"

#include "support/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void save_to(const damage_case *damage, firn_world *world, firn_buffer *out)
{
    firn_error err = {0};
    firn_save_options options = {.sparse_edges = true};
    firn_result result = firn_snapshot_save(world, &options, out, &err);
    if (result != FIRN_OK)
        fail_msg("%s: a loaded world cannot be saved: %s", damage->name, err.message);
}

static bool same_bytes(const firn_buffer *a, const firn_buffer *b)
{
    return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

void damage_begin(damage_case *damage, const char *name, const uint8_t *image, size_t size,
                  firn_world *world, firn_world *other)
{
    *damage = (damage_case){.name = name, .size = size, .world = world, .other = other};
    damage->image = malloc(size);
    assert_non_null(damage->image);
    memcpy(damage->image, image, size);
    firn_error err = {0};
    assert_ok(firn_snapshot_load(world, image, size, NULL, NULL, &err), &err);
    // An entity more, one less: not what any piece of the image holds.
    firn_entity entity = firn_spawn(world, NULL, 0, &err);
    assert_true(firn_spawn(world, NULL, 0, &err) != 0);
    assert_ok(firn_despawn(world, entity, &err), &err);
    save_to(damage, world, &damage->before);
    assert_ok(firn_world_hash(world, &damage->hash, NULL, NULL, &err), &err);
}

void damage_end(damage_case *damage)
{
    firn_world_destroy(damage->world);
    firn_world_destroy(damage->other);
    firn_buffer_free(&damage->before);
    firn_buffer_free(&damage->saved);
    firn_buffer_free(&damage->again);
    free(damage->image);
}

// ---------------------------------------------------------------- one image

// Fails and says which bytes were tried.
static void fail_damage(const damage_case *damage, const uint8_t *bytes, size_t size,
                        const char *why, const firn_error *err)
{
    print_error("%s, %zu bytes: %s (%s at %llu, %s: %s)\n", damage->name, size, why,
                firn_result_name(err->code), (unsigned long long)err->offset, err->subject,
                err->message);
    for (size_t i = 0; i < size && i < 4096; i++)
        print_error("%02x", bytes[i]);
    fail_msg("see above");
}

static const char *wrong_refusal(firn_result result, size_t size, const firn_error *err)
{
    if (err->code != result)
        return "the error has another code";
    if (err->offset > size)
        return "the error has no offset in the image";
    if (err->subject[0] == 0)
        return "the error has no subject";
    if (err->message[0] == 0 || strchr(err->message, '\n') != NULL)
        return "the error has no line of text";
    return NULL;
}

static const char *wrong_world(damage_case *damage)
{
    firn_hash hash;
    save_to(damage, damage->world, &damage->saved);
    assert_ok(firn_world_hash(damage->world, &hash, NULL, NULL, NULL), NULL);
    if (!same_bytes(&damage->saved, &damage->before))
        return "the world changed";
    if (memcmp(&hash, &damage->hash, sizeof hash) != 0)
        return "the hash of the world changed";
    return NULL;
}

// Whether the save of the loaded world loads to the same save.
static const char *wrong_round_trip(damage_case *damage, firn_error *err)
{
    for (int round = 0; round < 2; round++) {
        firn_result result = firn_snapshot_load(damage->other, damage->saved.data,
                                                damage->saved.size, NULL, NULL, err);
        if (result == FIRN_REFUSED && damage->loose_codecs)
            return NULL;
        if (result != FIRN_OK)
            return "the save of the loaded world does not load";
        save_to(damage, damage->other, &damage->again);
        if (same_bytes(&damage->saved, &damage->again))
            return NULL;
        if (!damage->loose_codecs)
            break;
        firn_buffer first = damage->saved;
        damage->saved = damage->again;
        damage->again = first;
    }
    return "a save that was loaded is saved otherwise";
}

// Whether what was loaded is a whole world: it can be saved, loaded and saved, with one hash. Then
// loads the world of before.
static const char *wrong_load(damage_case *damage, const firn_load_report *report, firn_error *err)
{
    firn_hash live, image;
    if (!report->committed || firn_entity_count(damage->world) != report->prelude.entity_count)
        return "the report is wrong";
    save_to(damage, damage->world, &damage->saved);
    assert_ok(firn_world_hash(damage->world, &live, NULL, NULL, NULL), NULL);
    if (firn_image_hash(damage->saved.data, damage->saved.size, NULL, &image, NULL, NULL, err))
        return "the save of the loaded world does not check";
    if (memcmp(&live, &image, sizeof live) != 0)
        return "the hashes of the loaded world and of its save differ";
    const char *wrong = wrong_round_trip(damage, err);
    if (wrong != NULL)
        return wrong;
    if (firn_snapshot_load(damage->world, damage->before.data, damage->before.size, NULL, NULL,
                           err))
        return "the world before does not load";
    return wrong_world(damage);
}

// `bytes` is a block of exactly `size` bytes.
static void try_load(damage_case *damage, const uint8_t *bytes, size_t size, bool skip_unknown,
                     firn_result check)
{
    firn_error err = {.code = FIRN_OK};
    firn_load_report report;
    firn_load_options options = {.skip_unknown = skip_unknown};
    firn_result result = firn_snapshot_load(damage->world, bytes, size, &options, &report, &err);
    firn_load_report_free(&report);
    const char *wrong;
    if (result == FIRN_OK) {
        // Registrations may decide what the bytes alone do not.
        wrong = check == FIRN_OK || check == FIRN_UNKNOWN ? wrong_load(damage, &report, &err)
                                                          : "it loads but does not check";
        damage->loaded++;
    } else {
        wrong = wrong_refusal(result, size, &err);
        if (wrong == NULL)
            wrong = report.committed ? "a refused load committed" : wrong_world(damage);
        damage->refused++;
    }
    if (wrong != NULL)
        fail_damage(damage, bytes, size, wrong, &err);
}

static void try_image(damage_case *damage, const uint8_t *bytes, size_t size)
{
    uint8_t *exact = malloc(size + (size == 0));
    assert_non_null(exact);
    memcpy(exact, bytes, size);
    firn_error err = {.code = FIRN_OK};
    firn_result check = firn_image_check(exact, size, NULL, NULL, &err);
    const char *wrong = check == FIRN_OK ? NULL : wrong_refusal(check, size, &err);
    if (wrong != NULL)
        fail_damage(damage, exact, size, wrong, &err);
    try_load(damage, exact, size, false, check);
    try_load(damage, exact, size, true, check);
    free(exact);
}

// ---------------------------------------------------------------- many images

static double bytes_factor(void)
{
    const char *text = getenv("FIRN_BYTES");
    double factor = text != NULL ? strtod(text, NULL) : 1;
    return factor > 0 ? factor : 1;
}

void damage_prefixes(damage_case *damage)
{
    double factor = bytes_factor();
    size_t step = factor < 1 ? (size_t)(1 / factor) : 1;
    for (size_t size = 0; size < damage->size; size += step)
        try_image(damage, damage->image, size);
    assert_int_equal(damage->loaded, 0);
}

#define CHANGED_ROOM 64

// A changed copy with room for what is inserted.
typedef struct changing {
    uint8_t *bytes;
    size_t size;
    size_t room;
} changing;

static void put_number(changing *to, size_t at, uint64_t number, size_t width)
{
    for (size_t i = 0; i < width && at + i < to->size; i++)
        to->bytes[at + i] = (uint8_t)(number >> (8 * i));
}

// Replaces what follows a tag of a number, or any place, by a number at a bound.
static void put_extreme(changing *to, test_random *random)
{
    static const double doubles[] = {0,
                                     -1,
                                     0.5,
                                     2,
                                     3,
                                     255,
                                     256,
                                     65536,
                                     4194303,
                                     4194304,
                                     2147483648,
                                     4294967295,
                                     4294967296.0,
                                     9007199254740991.0,
                                     9007199254740992.0,
                                     1e300,
                                     -0.0,
                                     (double)NAN,
                                     (double)INFINITY};
    static const uint64_t words[] = {
        0,      1,          0x7f,       0x80,       0xdf,       0xe0,       0xff,          0x7fff,
        0xffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, UINT64_MAX, UINT64_MAX / 2};
    size_t at = test_random_below(random, (uint32_t)to->size);
    if (test_random_below(random, 4) == 0) {
        static const size_t widths[] = {1, 2, 4, 8};
        put_number(to, at, words[test_random_below(random, FIRN_COUNT(words))],
                   widths[test_random_below(random, 4)]);
        return;
    }
    size_t start = at;
    while (at < to->size && to->bytes[at] != 0x07)
        at++;
    double number = doubles[test_random_below(random, FIRN_COUNT(doubles))];
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    put_number(to, at < to->size ? at + 1 : start, bits, 8);
}

static void insert_bytes(changing *to, size_t at, const uint8_t *from, size_t n)
{
    if (to->size + n > to->room)
        return;
    memmove(to->bytes + at + n, to->bytes + at, to->size - at);
    memcpy(to->bytes + at, from, n);
    to->size += n;
}

static void change_once(changing *to, test_random *random)
{
    uint8_t some[CHANGED_ROOM / 4];
    size_t at = test_random_below(random, (uint32_t)to->size);
    size_t n = 1 + test_random_below(random, sizeof some);
    size_t left = to->size - at;
    switch (test_random_below(random, 8)) {
    case 0:
    case 1:
        to->bytes[at] ^= (uint8_t)(1u << test_random_below(random, 8));
        break;
    case 2: // any byte
        to->bytes[at] = (uint8_t)test_random_u64(random);
        break;
    case 3: // a byte that means something
        to->bytes[at] = (uint8_t)test_random_below(random, 0x22);
        break;
    case 4:
        for (size_t i = 0; i < n; i++)
            some[i] = (uint8_t)test_random_u64(random);
        insert_bytes(to, at, some, n);
        break;
    case 5:
        n = n < left ? n : left;
        if (to->size > n) {
            memmove(to->bytes + at, to->bytes + at + n, left - n);
            to->size -= n;
        }
        break;
    case 6: // a range twice
        n = n < left ? n : left;
        memcpy(some, to->bytes + at, n);
        insert_bytes(to, at, some, n);
        break;
    default:
        put_extreme(to, random);
        break;
    }
}

void damage_changes(damage_case *damage, uint32_t count, uint64_t seed)
{
    test_random random = {seed};
    changing to = {.room = damage->size + CHANGED_ROOM};
    to.bytes = malloc(to.room);
    assert_non_null(to.bytes);
    double wanted = count * bytes_factor();
    for (double i = 0; i < wanted; i++) {
        memcpy(to.bytes, damage->image, damage->size);
        to.size = damage->size;
        uint32_t changes = 1 + test_random_below(&random, 3);
        for (uint32_t k = 0; k < changes; k++)
            change_once(&to, &random);
        try_image(damage, to.bytes, to.size);
    }
    free(to.bytes);
}

// ---- all images

void damage_prefixes_of_all(damage_begin_fn begin, uint32_t images)
{
    for (uint32_t i = 0; i < images; i++) {
        damage_case damage;
        begin(&damage, i);
        damage_prefixes(&damage);
        damage_end(&damage);
    }
}

void damage_changes_of_all(damage_begin_fn begin, uint32_t images, uint64_t seed)
{
    uint64_t refused = 0, loaded = 0;
    for (uint32_t i = 0; i < images; i++) {
        damage_case damage;
        begin(&damage, i);
        damage_changes(&damage, 5000, seed + i);
        refused += damage.refused;
        loaded += damage.loaded;
        damage_end(&damage);
    }
    assert_true(refused > 0 && loaded > 0);
    print_message("%llu loads refused, %llu done\n", (unsigned long long)refused,
                  (unsigned long long)loaded);
}
