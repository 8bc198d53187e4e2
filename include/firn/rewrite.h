/// firn/rewrite.h: other names in the bytes of a save, without a world and without the game's code:
/// components and fields are renamed or dropped in snapshots and save files (docs/migration.md,
/// "Without the game").
#ifndef FIRN_REWRITE_H
#define FIRN_REWRITE_H

#include "firn/image.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What an edit does.
typedef enum firn_edit_kind {
    FIRN_RENAME_COMPONENT, ///< `component` is called `to`; of a relation all its targets follow
    FIRN_DROP_COMPONENT,   ///< no entity has `component` any more; of a relation, all its edges
    FIRN_RENAME_FIELD,     ///< `field` of `component` is called `to`
    FIRN_DROP_FIELD        ///< `component` has no `field` any more
} firn_edit_kind;

/// One change of names. Fields are those of raw rows and of tables by field name; what is in a
/// nested struct has a dotted name, `home.x`, and the name of a struct stands for all that is in
/// it: `home` also for `home.x`, `path` also for `path[0].x`. What a table lacks is passed over.
typedef struct firn_edit {
    firn_edit_kind kind;
    const char *component; ///< without `->` and a target
    const char *field;     ///< of FIRN_RENAME_FIELD and FIRN_DROP_FIELD
    const char *to;        ///< the new name, of FIRN_RENAME_COMPONENT and FIRN_RENAME_FIELD
} firn_edit;

/// What an edit came to.
typedef struct firn_edit_effect {
    bool found;     ///< there was something that it names
    uint64_t rows;  ///< rows of components, and values, that it changes
    uint64_t names; ///< names in lists: of `persist` components, and in the section `firn.persist`
} firn_edit_effect;

/// Zero is the default of each field.
typedef struct firn_rewrite_options {
    const firn_edit *edits; ///< each is about the names that those before it leave
    uint32_t edit_count;
    bool strict;                      ///< an edit that finds nothing is FIRN_NOT_FOUND
    uint32_t game_version;            ///< 0, or what a save file gets as `gameVersion`
    const firn_limits *limits;        ///< NULL: the defaults
    const firn_allocator *allocator;  ///< NULL: the default
    const firn_image_schema *schemas; ///< of the snapshot, as in firn_image_options
    uint32_t schema_count;
    uint64_t reserved[4]; ///< must be zero
} firn_rewrite_options;

/// Appends the snapshot with other names to `out`, as firn writes it: components and frames in the
/// order of their names, and in one frame all entities that have the same components now, in the
/// order in which a load of the image without the dropped ones has them. Sources of a target keep
/// their order. Also a snapshot of another writer comes out as one of firn, of the same version; of
/// what only registrations tell nothing changes (docs/migration.md). Custom data, and whatever else
/// the game keeps itself, stays as it is.
///
/// effects: NULL, or edit_count of them; after a failure they are not to be used. Besides the
/// result there is memory for some times the image. Slots that an image of another writer does not
/// account for are freed ones in the result, of 8 bytes each.
///
/// FIRN_INVALID: an option, an edit without a name or with one that no component or field can have,
/// `target` or `edges` of a relation, a field of a component whose fingerprint is not understood,
/// the last field of a struct (err->subject is the name). FIRN_EXISTS: there is something of the
/// new name already (err->subject). FIRN_NOT_FOUND: strict (err->subject is what is not there).
/// FIRN_LIMIT (a name that becomes too long, also in the list of a `persist` component).
/// FIRN_CORRUPT: a value that has a key twice, and as firn_image_check, whose failures are those of
/// the image. FIRN_NO_MEMORY. `out` is then as before.
FIRN_API firn_result firn_image_rewrite(const void *image, size_t size,
                                        const firn_rewrite_options *options, firn_buffer *out,
                                        firn_edit_effect *effects, firn_error *err);

/// The same of a save file: its snapshot, and in one of kind "persisted" the section
/// `firn.persist`, whose names and values follow. The header stays but for `gameVersion`, other
/// sections do, and what was compressed is compressed again; where nothing changes, the file stays
/// as it is. Else the head is another one, and so is the identity of the save: saves that follow it
/// name one that is gone as their parent. Also fails as firn_save_file_open, firn_save_file_section
/// and firn_save_file_write, and with FIRN_CORRUPT: a section `firn.persist` that is none.
FIRN_API firn_result firn_save_file_rewrite(const void *file, size_t size,
                                            const firn_rewrite_options *options, firn_buffer *out,
                                            firn_edit_effect *effects, firn_error *err);

#ifdef __cplusplus
}
#endif

#endif
