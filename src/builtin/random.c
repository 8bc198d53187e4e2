// Random numbers. The generator is xoshiro128** (David Blackman and Sebastiano Vigna 2018,
// https://prng.di.unimi.it), its state comes from a SplitMix32 mix; docs/format.md has both.
#include "builtin/entry.h"
#include "builtin/game.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "plugin/registry.h"

#include <stdalign.h>
#include <string.h>

#define DEFAULT_SEED      UINT32_C(0x5eed1234)
#define STREAM_NAME_BYTES 255
// A stream in a tree: its name, its table and 4 words.
#define STREAM_VALUES 6

// ---------------------------------------------------------------- the generator

static uint32_t rotate(uint32_t word, uint32_t bits)
{
    return word << bits | word >> (32 - bits);
}

static uint32_t mix(uint32_t r)
{
    r = (r ^ (r >> 16)) * UINT32_C(0x21f0aaad);
    r = (r ^ (r >> 15)) * UINT32_C(0x735a2d97);
    return r ^ (r >> 15);
}

// All zero is the one state that gives zeros for ever.
static void mend_state(firn_random *random)
{
    const uint32_t *words = random->words;
    if ((words[0] | words[1] | words[2] | words[3]) == 0) {
        random->words[0] = UINT32_C(0x9e3779b9);
    }
}

static void start_random(firn_random *random, uint32_t seed)
{
    for (int i = 0; i < 4; i++) {
        seed += UINT32_C(0x9e3779b9);
        random->words[i] = mix(seed);
    }
    mend_state(random);
}

void firn_random_start(firn_random *random, int32_t seed)
{
    if (random != NULL) {
        start_random(random, (uint32_t)seed);
    }
}

double firn_random_next(firn_random *random)
{
    if (random == NULL) {
        return 0;
    }
    uint32_t *s = random->words;
    uint32_t drawn = rotate(s[1] * 5, 7) * 9;
    uint32_t shifted = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate(s[3], 11);
    return drawn * (1.0 / 4294967296.0);
}

int64_t firn_random_integer(firn_random *random, int64_t low, int64_t high)
{
    double drawn = firn_random_next(random);
    if (high <= low) {
        return low;
    }
    // The last of 2^64 numbers is one that rounding may step over.
    uint64_t last = (uint64_t)high - (uint64_t)low;
    double step = drawn * ((double)last + 1.0);
    uint64_t whole = step < 18446744073709551615.0 ? (uint64_t)step : last;
    uint64_t sum = (uint64_t)low + (whole < last ? whole : last);
    int64_t value;
    memcpy(&value, &sum, sizeof value);
    return value;
}

double firn_random_range(firn_random *random, double low, double high)
{
    return low + firn_random_next(random) * (high - low);
}

// ---------------------------------------------------------------- streams

// FNV-1a of 32 bits (Fowler, Noll, Vo).
static uint32_t name_seed(const char *name, size_t size)
{
    uint32_t hash = UINT32_C(0x811c9dc5);
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (uint8_t)name[i]) * UINT32_C(0x01000193);
    }
    return hash;
}

static void begin_stream(const fr_stream *stream, uint32_t seed, firn_random *random)
{
    start_random(random, mix(name_seed(stream->name, stream->name_size) ^ mix(seed)));
}

// One that a load started again is none of the save, until the game asks for it or draws from it.
static bool has_begun(const fr_streams *streams, const fr_stream *stream)
{
    firn_random first;
    begin_stream(stream, streams->seed, &first);
    return stream->begun || memcmp(&first, &stream->random, sizeof first) != 0;
}

static size_t stream_size(uint32_t name_size)
{
    return offsetof(fr_stream, name) + name_size;
}

static fr_stream *make_stream(const firn_allocator *allocator, const char *name, size_t size)
{
    fr_stream *stream = fr_alloc(allocator, stream_size((uint32_t)size), 1, alignof(fr_stream));
    if (stream != NULL) {
        stream->opened = false;
        stream->begun = true;
        stream->name_size = (uint32_t)size;
        memcpy(stream->name, name, size);
    }
    return stream;
}

static void free_stream(const firn_allocator *allocator, fr_stream *stream)
{
    fr_free(allocator, stream, stream_size(stream->name_size), 1, alignof(fr_stream));
}

void fr_streams_free(const firn_allocator *allocator, fr_streams *streams)
{
    for (uint32_t i = 0; i < streams->count; i++) {
        free_stream(allocator, streams->items[i]);
    }
    FR_ARRAY_FREE(allocator, streams->items, streams->capacity);
    *streams = (fr_streams){0};
}

// Where the stream stands, or would stand.
static uint32_t stream_place(const fr_streams *streams, const char *name, size_t size, bool *there)
{
    uint32_t first = 0;
    uint32_t behind = streams->count;
    *there = false;
    while (first < behind) {
        uint32_t middle = first + (behind - first) / 2;
        const fr_stream *stream = streams->items[middle];
        int order = fr_compare_names(stream->name, stream->name_size, name, size);
        if (order == 0) {
            *there = true;
            return middle;
        }
        first = order < 0 ? middle + 1 : first;
        behind = order < 0 ? behind : middle;
    }
    return first;
}

// There is room.
static void insert_stream(fr_streams *streams, uint32_t place, fr_stream *stream)
{
    memmove(&streams->items[place + 1], &streams->items[place],
            (streams->count - place) * sizeof(fr_stream *));
    streams->items[place] = stream;
    streams->count++;
}

// Those that only a save named have no state of their own any more.
static void start_streams(const firn_world *world, fr_streams *streams, uint32_t seed)
{
    uint32_t kept = 0;
    streams->seed = seed;
    for (uint32_t i = 0; i < streams->count; i++) {
        fr_stream *stream = streams->items[i];
        if (stream->opened) {
            begin_stream(stream, seed, &stream->random);
            streams->items[kept++] = stream;
        } else {
            free_stream(&world->allocator, stream);
        }
    }
    streams->count = kept;
}

firn_result firn_random_seed(firn_world *world, int32_t seed, firn_error *err)
{
    fr_game *game;
    firn_result result = fr_game_enter(world, &game, err);
    if (result != FIRN_OK) {
        return result;
    }
    start_streams(world, &game->streams, (uint32_t)seed);
    game->streams.seeded = true;
    return FIRN_OK;
}

int32_t firn_random_seed_of(const firn_world *world)
{
    const fr_game *game = fr_game_of(world);
    int32_t seed = 0;
    if (game != NULL) {
        memcpy(&seed, &game->streams.seed, sizeof seed);
    }
    return seed;
}

static fr_stream *add_stream(firn_world *world, fr_streams *streams, uint32_t place,
                             const char *name, size_t size, firn_error *err)
{
    if (streams->count >= world->limits.streams) {
        fr_fail(err, FIRN_LIMIT, name, "stream %s: there are %u already, the most allowed", name,
                streams->count);
        return NULL;
    }
    if (!FR_RESERVE(&world->allocator, streams->items, streams->capacity, streams->count + 1)) {
        fr_fail_memory(err, "a random stream");
        return NULL;
    }
    fr_stream *stream = make_stream(&world->allocator, name, size);
    if (stream == NULL) {
        fr_fail_memory(err, "a random stream");
        return NULL;
    }
    begin_stream(stream, streams->seed, &stream->random);
    insert_stream(streams, place, stream);
    return stream;
}

firn_random *firn_random_stream(firn_world *world, const char *name, firn_error *err)
{
    fr_game *game = fr_game_of(world);
    if (game == NULL) {
        fr_fail(err, FIRN_INVALID, "world", "world is %s", world ? "being destroyed" : "NULL");
        return NULL;
    }
    size_t size;
    if (fr_check_text_name(name, STREAM_NAME_BYTES, "stream name", &size, err) != FIRN_OK) {
        return NULL;
    }
    fr_streams *streams = &game->streams;
    bool there;
    uint32_t place = stream_place(streams, name, size, &there);
    if (there && streams->items[place]->opened) {
        streams->items[place]->begun = true;
        return &streams->items[place]->random;
    }
    if (fr_world_check_unlocked(world, err) != FIRN_OK) {
        return NULL;
    }
    fr_stream *stream =
        there ? streams->items[place] : add_stream(world, streams, place, name, size, err);
    if (stream == NULL) {
        return NULL;
    }
    stream->opened = true;
    return &stream->random;
}

// ---------------------------------------------------------------- saving

static double signed_word(uint32_t word)
{
    int32_t value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static bool streams_rest(const void *user)
{
    const fr_streams *streams = user;
    bool rests = !streams->seeded;
    for (uint32_t i = 0; rests && i < streams->count; i++) {
        rests = !has_begun(streams, streams->items[i]);
    }
    return rests;
}

static void rest_streams(void *user, firn_world *world)
{
    fr_streams *streams = user;
    start_streams(world, streams, DEFAULT_SEED);
    streams->seeded = false;
    for (uint32_t i = 0; i < streams->count; i++) {
        streams->items[i]->begun = false;
    }
}

static firn_result save_streams(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    (void)world, (void)err; // the writer keeps what fails
    const fr_streams *streams = user;
    firn_write_table(out, 0, 2);
    firn_write_text(out, "seed");
    firn_write_number(out, signed_word(streams->seed));
    firn_write_text(out, "streams");
    uint32_t count = 0;
    for (uint32_t i = 0; i < streams->count; i++) {
        count += has_begun(streams, streams->items[i]);
    }
    firn_write_table(out, 0, count);
    for (uint32_t i = 0; i < streams->count; i++) {
        const fr_stream *stream = streams->items[i];
        if (!has_begun(streams, stream)) {
            continue;
        }
        firn_write_string(out, stream->name, stream->name_size);
        firn_write_table(out, 4, 0);
        for (int w = 0; w < 4; w++) {
            firn_write_number(out, signed_word(stream->random.words[w]));
        }
    }
    return FIRN_OK;
}

// ---------------------------------------------------------------- loading

// A whole number of 32 bits, signed or not.
static bool read_word(const firn_value *value, uint32_t *word)
{
    if (value == NULL || value->kind != FIRN_VALUE_NUMBER) {
        return false;
    }
    double number = value->as.number;
    if (!(number >= -2147483648.0 && number <= 4294967295.0) || number != (double)(int64_t)number) {
        return false;
    }
    *word = (uint32_t)(int64_t)number;
    return true;
}

static bool read_words(const firn_value *value, firn_random *random)
{
    if (firn_table_array_count(value) != 4 || firn_table_map_count(value) != 0) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        if (!read_word(firn_table_get_number(value, i + 1), &random->words[i])) {
            return false;
        }
    }
    mend_state(random);
    return true;
}

static firn_result add_saved_stream(const fr_game_entry *entry, fr_streams *saved,
                                    const firn_value *name, const firn_value *words,
                                    firn_error *err)
{
    if (name->kind != FIRN_VALUE_STRING) {
        return fr_entry_fail(entry, FIRN_CORRUPT, err, "a name of a stream is not a string");
    }
    char shown[64];
    fr_printable(shown, sizeof shown, name->as.string, name->length);
    if (name->length > STREAM_NAME_BYTES) {
        return fr_entry_fail(entry, FIRN_LIMIT, err,
                             "the name of stream %s has %u bytes, above the limit %d", shown,
                             name->length, STREAM_NAME_BYTES);
    }
    fr_stream *stream = make_stream(&entry->world->allocator, name->as.string, name->length);
    if (stream == NULL) {
        return fr_fail_memory(err, "a random stream");
    }
    // Names come in order.
    insert_stream(saved, saved->count, stream);
    return read_words(words, &stream->random)
               ? FIRN_OK
               : fr_entry_fail(entry, FIRN_CORRUPT, err, "stream %s is not 4 words of 32 bits",
                               shown);
}

// Live streams that the save does not name.
static uint32_t count_unnamed(const fr_streams *live, const firn_value *names)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < live->count; i++) {
        const fr_stream *stream = live->items[i];
        // A key as it stands in a tree, without a document around it.
        const firn_value name = {
            .kind = FIRN_VALUE_STRING, .length = stream->name_size, .as.string = stream->name};
        count += stream->opened && firn_table_get(names, &name) == NULL;
    }
    return count;
}

static firn_result read_saved_streams(void *user, const fr_game_entry *entry, void *prepared,
                                      firn_error *err)
{
    fr_streams *saved = prepared;
    const firn_world *world = entry->world;
    const firn_value *names = firn_table_get_text(entry->value, "streams");
    if (!read_word(firn_table_get_text(entry->value, "seed"), &saved->seed)) {
        return fr_entry_fail(entry, FIRN_CORRUPT, err, "the seed is not a number of 32 bits");
    }
    if (names == NULL || names->kind != FIRN_VALUE_TABLE || firn_table_array_count(names) > 0) {
        return fr_entry_fail(entry, FIRN_CORRUPT, err, "streams is not a table of names");
    }
    uint64_t count = (uint64_t)firn_table_map_count(names) + count_unnamed(user, names);
    if (count > world->limits.streams) {
        return fr_entry_fail(entry, FIRN_LIMIT, err, "%llu streams are above the limit %u",
                             (unsigned long long)count, world->limits.streams);
    }
    if (count > 0 &&
        !FR_RESERVE(&world->allocator, saved->items, saved->capacity, (uint32_t)count)) {
        return fr_fail_memory(err, "random streams");
    }
    uint32_t cursor = 0;
    firn_value name;
    const firn_value *words;
    firn_result result = FIRN_OK;
    while (result == FIRN_OK && (words = firn_table_next(names, &cursor, &name)) != NULL) {
        result = add_saved_stream(entry, saved, &name, words, err);
    }
    return result;
}

static void discard_streams(void *user, firn_world *world, void *prepared)
{
    (void)user;
    fr_streams *saved = prepared;
    if (saved != NULL) {
        fr_streams_free(&world->allocator, saved);
        fr_free(&world->allocator, saved, 1, sizeof *saved, alignof(fr_streams));
    }
}

static firn_result check_streams(void *user, firn_world *world, firn_reader *in, void **prepared,
                                 firn_error *err)
{
    const fr_entry_reading reading = {
        .key = FR_KEY_RANDOM,
        .most = STREAM_VALUES * (uint64_t)world->limits.streams + 16,
        .saved_size = sizeof(fr_streams),
        .saved_align = alignof(fr_streams),
        .read = read_saved_streams,
        .discard = discard_streams,
    };
    return fr_entry_check(&reading, user, world, in, prepared, err);
}

// Streams that the game holds stay where they are, with the saved words or from the saved seed.
static void commit_streams(void *user, firn_world *world, void *prepared)
{
    fr_streams *live = user;
    fr_streams *saved = prepared;
    if (saved == NULL) {
        return;
    }
    for (uint32_t i = 0; i < live->count; i++) {
        fr_stream *stream = live->items[i];
        bool there;
        uint32_t place = stream_place(saved, stream->name, stream->name_size, &there);
        if (!stream->opened) {
            free_stream(&world->allocator, stream);
        } else if (there) {
            stream->random = saved->items[place]->random;
            stream->begun = true;
            free_stream(&world->allocator, saved->items[place]);
            saved->items[place] = stream;
        } else {
            begin_stream(stream, saved->seed, &stream->random);
            stream->begun = false;
            insert_stream(saved, place, stream);
        }
    }
    FR_ARRAY_FREE(&world->allocator, live->items, live->capacity);
    *live = *saved;
    live->seeded = true;
    fr_free(&world->allocator, saved, 1, sizeof *saved, alignof(fr_streams));
}

firn_result fr_streams_install(firn_world *world, fr_streams *streams, firn_error *err)
{
    streams->seed = DEFAULT_SEED;
    const firn_handler handler = {
        .abi = FIRN_ABI,
        .name = FR_KEY_RANDOM,
        .save = save_streams,
        .check = check_streams,
        .commit = commit_streams,
        .discard = discard_streams,
        .user = streams,
    };
    return fr_handler_add_resting(world, &handler, streams_rest, rest_streams, err);
}
