/// firn/base.h: what every other header needs: version, results, errors, memory, limits.
#ifndef FIRN_BASE_H
#define FIRN_BASE_H

#ifndef FIRN_CDEF // for the FFI of LuaJIT, which knows what is in them
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif

#define FIRN_VERSION_MAJOR 0
#define FIRN_VERSION_MINOR 1
#define FIRN_VERSION_PATCH 0

#ifndef FIRN_API
#if defined(_WIN32) && defined(FIRN_SHARED)
#ifdef FIRN_BUILDING
#define FIRN_API __declspec(dllexport)
#else
#define FIRN_API __declspec(dllimport)
#endif
#elif defined(__GNUC__) && defined(FIRN_SHARED)
#define FIRN_API __attribute__((visibility("default")))
#else
#define FIRN_API
#endif
#endif

/// Stands before each function that may call back into the game: a hook, an observer, a codec, a
/// handler, a system. Such a function is never called through a foreign function interface that
/// compiles the call, as that of LuaJIT does.
#define FIRN_CALLS_BACK

#ifdef __cplusplus
extern "C" {
#endif

/// Every result: name, pinned number, one line of prose.
#define FIRN_RESULTS(X)                                                                            \
    X(OK, 0, "done")                                                                               \
    X(NO_MEMORY, 1, "the allocator gave no memory")                                                \
    X(IO, 2, "the operating system refused a file operation")                                      \
    X(NOT_DURABLE, 3, "the file was replaced, but may not survive a power loss yet")               \
    X(INVALID, 10, "an argument is wrong")                                                         \
    X(NOT_FOUND, 11, "the named thing does not exist")                                             \
    X(EXISTS, 12, "the named thing exists already")                                                \
    X(BUSY, 13, "not allowed while the named query, callback or hook is open")                     \
    X(CONFLICT, 14, "somebody else changed it meanwhile")                                          \
    X(NOT_OURS, 20, "the bytes do not begin like what was asked for")                              \
    X(TRUNCATED, 21, "the bytes end early")                                                        \
    X(CORRUPT, 22, "the bytes contradict themselves")                                              \
    X(VERSION, 23, "a version that this library does not know")                                    \
    X(NEWER, 24, "written by a newer game")                                                        \
    X(LIMIT, 25, "larger than a limit allows")                                                     \
    X(UNKNOWN, 26, "names something that is not registered")                                       \
    X(OTHER_GAME, 27, "a save of another game")                                                    \
    X(UNSUPPORTED, 28, "this build of the library lacks what it takes")                            \
    X(REFUSED, 30, "a callback refused")

/// What a call came to. FIRN_OK is 0; the numbers never change.
typedef enum firn_result {
#define FIRN_RESULT_ENUM(name, number, text) FIRN_##name = number,
    FIRN_RESULTS(FIRN_RESULT_ENUM)
#undef FIRN_RESULT_ENUM
} firn_result;

/// The name of a result, `"FIRN_CORRUPT"`; a static string. An unknown number gives `"FIRN_?"`.
FIRN_API const char *firn_result_name(firn_result result);

/// One line of prose for a result; a static string. An unknown number gives `"unknown result"`.
FIRN_API const char *firn_result_text(firn_result result);

/// An entity id: slot + generation * 2^22. Slot 1..2^22-1, generation 0..2^31-1, so every id is
/// exact as a double. 0 is no entity.
typedef uint64_t firn_entity;

#define FIRN_SLOT_BITS      22
#define FIRN_SLOT_MAX       ((UINT32_C(1) << FIRN_SLOT_BITS) - 1)
#define FIRN_GENERATION_MAX UINT32_C(0x7fffffff)

/// firn_error.offset when the error is not about a place in bytes.
#define FIRN_NO_OFFSET UINT64_MAX

/// What went wrong. The caller owns it, every call takes NULL for it, and a call that succeeds
/// does not touch it.
typedef struct firn_error {
    firn_result code;   ///< the value that the call returned, or would have returned
    uint64_t offset;    ///< byte offset from the start of the input, or FIRN_NO_OFFSET
    firn_entity entity; ///< the entity it is about, or 0
    char subject[256];  ///< the component, field, key, path or argument it is about; may be ""
    char message[512];  ///< one line of prose that names the thing and the value
} firn_error;

/// The one door to memory. `resize(user, ptr, old_size, new_size, align)`:
/// - ptr NULL, old_size 0: allocate new_size bytes at a multiple of align (a power of two);
/// - new_size 0: free ptr, return NULL;
/// - else: move to a block of new_size bytes that begins with the first min(old_size, new_size)
///   bytes, free the old one, return the new one.
/// Returns NULL when there is no memory; the old block is then still valid. The old size and the
/// alignment are always those that the block was made with. New bytes may hold anything.
typedef struct firn_allocator {
    void *(*resize)(void *user, void *ptr, size_t old_size, size_t new_size, size_t align);
    void *user; ///< handed to resize
} firn_allocator;

/// The allocator that a NULL allocator stands for: malloc, realloc and free of the C library. On
/// Linux it asks for large pages (MADV_HUGEPAGE) under blocks from 2 MiB up.
FIRN_API const firn_allocator *firn_allocator_default(void);

/// Bounds, checked when reading and when writing. A field of 0 means its default. They bound what a
/// file from anywhere can make the library do; lower them for bytes from strangers.
typedef struct firn_limits {
    uint64_t file_bytes;    ///< bytes of one snapshot or save file: 256 MiB
    uint64_t tree_values;   ///< values in one encoded value, the value itself included: 16 Mi
    uint64_t string_bytes;  ///< bytes of one string: 16 MiB
    uint32_t depth;         ///< tables inside each other: 100, which is also the most allowed
    uint32_t name_bytes;    ///< bytes of a component, field or key name: 255, the most allowed
    uint32_t entities;      ///< living entities: 4,194,303, the most allowed
    uint32_t components;    ///< registered components: 4,096; the most allowed is 1,048,575
    uint32_t table_entries; ///< entries of a component table: 262,144
    uint32_t archetypes;  ///< archetypes of a world, frames of an image: 262,144, the most allowed
    uint32_t columns;     ///< components of one archetype, columns of one frame: 512
    uint32_t data_keys;   ///< entries of a data section, but for firn's own: 4,096
    uint32_t handlers;    ///< handlers of a world, built-in ones not counted: 1,024
    uint32_t streams;     ///< random streams of a world: 65,536; the most allowed is 1,048,575
    uint32_t window_log;  ///< zstd may look back 2^this bytes: 23; the most allowed is 30
    /// Sections of a save file that are larger than 1 MiB, as often as large as they are in the
    /// file: 1,000.
    uint32_t expand_ratio;
    uint64_t expanded_bytes; ///< bytes of all sections of a save file, expanded: 1 GiB
    uint64_t reserved[4]; ///< must be zero
} firn_limits;

/// Writes every limit's default to *out.
FIRN_API void firn_limits_default(firn_limits *out);

/// Writes the lower limits for bytes from strangers to *out: 64 MiB files, 1 Mi values, 1 MiB
/// strings, depth 32, 1,048,576 entities, 1,024 components, 65,536 table entries and archetypes,
/// 128 columns, 1,024 data keys, 1,024 handlers, 4,096 streams, a window log of 21, 256 MiB of
/// expanded sections, at most 250 times as large as in the file.
FIRN_API void firn_limits_untrusted(firn_limits *out);

/// The library's version as major * 1,000,000 + minor * 1,000 + patch, for a check at run time
/// against the FIRN_VERSION_* of the header.
FIRN_API uint32_t firn_version(void);

#ifdef __cplusplus
}
#endif

#endif
