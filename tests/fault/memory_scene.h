/// memory_scene.h: one small world, its documents, buffers and files, on which every public call is
/// made with each of its allocations failing.
#ifndef TEST_MEMORY_SCENE_H
#define TEST_MEMORY_SCENE_H

#include "api/snapshot_zoo.h"

/// What the scene is made from, once: an image that needs every way of loading.
typedef struct memory_source {
    firn_buffer image;
    char folder[128]; ///< of the files
} memory_source;

#define SCENE_ITEMS 1000
typedef struct scene {
    const memory_source *source;
    test_allocator memory; ///< of everything below that is not said to be otherwise
    zoo z;
    firn_component coded, owner, cache;
    firn_component held;         ///< its rows own something
    uint64_t live;               ///< what they own now
    firn_entity entity;          ///< has zoo.Point, zoo.Title, zoo.Bag
    firn_entity other;           ///< has nothing
    firn_query query;            ///< matches every entity
    firn_system system;          ///< of the game's cases
    firn_component relations[4]; ///< of its cases
    firn_entity people[6];
    firn_observer observer;
    firn_queue queue;
    firn_saves *saves;    ///< of its cases
    firn_storage storage; ///< of its cases; may be empty
    firn_doc *doc;
    firn_value *table;              ///< of the document; may be NULL
    firn_value *items[SCENE_ITEMS]; ///< of the document, made when a case needs them
    uint32_t next;                  ///< of the items, for the case at hand
    firn_buffer out;
    firn_iter it;
    bool in_loop;
    uint32_t told;     ///< calls of on_data
    char path[160];    ///< of a file that holds the image
    firn_buffer trace; ///< of the default allocator: what a call gave
} scene;

/// One call, or several that belong together. It may be made again after it failed.
typedef struct memory_case {
    const char *functions; ///< the public functions it is about, with blanks between them
    firn_result (*call)(scene *s, firn_error *err);
    void (*prepare)(scene *s); ///< NULL, or what happens before, with memory
    bool takes_none;           ///< it allocates nothing at all
} memory_case;

/// The tables of the kinds of call, each ended by a case without functions.
extern const memory_case memory_value_cases[];
extern const memory_case memory_world_cases[];
extern const memory_case memory_snapshot_cases[];
extern const memory_case memory_plugin_cases[];
extern const memory_case memory_event_cases[];
extern const memory_case memory_relation_cases[];
extern const memory_case memory_game_cases[];
extern const memory_case memory_image_cases[];
extern const memory_case memory_diff_cases[];
extern const memory_case memory_json_cases[];
extern const memory_case memory_save_file_cases[];
extern const memory_case memory_salvage_cases[];
extern const memory_case memory_storage_cases[];
extern const memory_case memory_file_cases[];
extern const memory_case memory_manager_cases[];
extern const memory_case memory_persist_cases[];
extern const memory_case memory_slots_cases[];
extern const memory_case memory_replace_cases[];
extern const memory_case memory_rewrite_cases[];
extern const memory_case memory_script_cases[];

memory_source memory_source_make(void);
void memory_source_free(memory_source *source);
void scene_make(scene *s, const memory_source *source);
void scene_free(scene *s);
/// Opens a loop over everything, in which changes are deferred, and closes it.
void scene_open_loop(scene *s);
void scene_close_loop(scene *s);
/// Ends the loop, if it is open, and what memory there was not for is applied with memory: what is
/// applied stays applied, so that everything is looked at when all is.
firn_result scene_end_loop(scene *s, firn_error *err);
/// Gives the scene a document in which nothing is.
void scene_empty_document(scene *s);
/// Everything that can be seen of the scene, but for the trace. Bytes of the default allocator.
firn_buffer scene_print(scene *s);
/// Adds to the trace.
void scene_trace(scene *s, const void *bytes, size_t size);
void scene_trace_value(scene *s, const firn_value *value);
/// Opens a queue of every change, and adds to the trace what it holds when the result is FIRN_OK.
void scene_hear_changes(scene *s);
firn_result scene_pull(scene *s, firn_result result);
/// The result of a maker.
firn_result scene_made(bool done, const firn_error *err);

#endif
