/// salvage.h: a damaged image taken apart as far as it goes, and written again without what is
/// lost. Nothing here knows a world: builtin/salvage.c asks one whether the result loads.
#ifndef FR_SALVAGE_H
#define FR_SALVAGE_H

#include "base/error.h"
#include "base/map.h"
#include "firn/salvage.h"
#include "snapshot/image.h"

/// What is left of a frame.
typedef struct fr_left_frame {
    size_t offset;
    size_t body; ///< offset of its ids, or of its first row
    size_t end;  ///< behind what is left of it
    uint32_t rows;
    uint32_t columns;
    uint32_t said_rows; ///< that its head names, as it does the columns
    uint32_t said_columns;
    uint32_t first_span; ///< of its columns, which have bytes but where it lies row by row
    bool by_row;
    bool doubtful; ///< ids or bools are wrong: the count of its rows may be
    /// The value of one row could not be read: where it stands, and bytes to what follows. Row by
    /// row it is the whole row, and the column is 0.
    uint32_t hole_column; ///< FR_NO_COLUMN: there is none
    uint32_t hole_row;
    size_t hole;
    size_t hole_size;
    size_t first_bit; ///< of its rows in fr_salvage.gone
    uint32_t kept;    ///< rows that are written
    bool thinned;     ///< values of rows that are kept may be left out
} fr_left_frame;

/// A component whose name was damaged.
typedef struct fr_made_name {
    char text[24];
} fr_made_name;

/// What must not be kept, although it checks out: a world refuses it.
typedef struct fr_salvage_avoid {
    fr_map ids;     ///< entities
    fr_map values;  ///< entity -> component whose value is not kept
    fr_map columns; ///< components, as they stand in the damaged table
    uint32_t keys;  ///< bit i: entries of fr_salvage_keys[i]
} fr_salvage_avoid;

/// Keys of entries that are built in and that a world checks.
#define FR_SALVAGE_KEYS 4
extern const char *const fr_salvage_keys[FR_SALVAGE_KEYS];

typedef struct fr_salvage {
    fr_image image; ///< its table; spans of what is left; entries of data
    fr_left_frame *frames;
    uint32_t frame_count;
    uint32_t frame_capacity;
    uint8_t *gone; ///< a bit a row
    size_t gone_size;
    fr_made_name *names;
    uint32_t name_count;
    uint32_t name_room;
    uint32_t *numbers; ///< of each component in the table that is written; 0: it is not
    uint32_t numbers_size;
    uint32_t numbered; ///< components that are written
    double said[5];    ///< the numbers of the prelude; -1: cannot be read
    uint32_t slots;    ///< ids are below it
    bool slots_known;  ///< nextEntityId says so
    uint32_t top_slot; ///< the highest that is kept
    bool cut;          ///< the data section has no end
    uint64_t budget;   ///< bytes that tries may still walk
    bool telling;
    firn_loss_fn each;
    void *user;
    const fr_salvage_avoid *avoid;
    firn_salvage_summary summary;
    firn_result result; ///< the first failure that is none of the bytes
    firn_error error;
} fr_salvage;

#define FR_SAID_VERSION    0
#define FR_SAID_SLOTS      1
#define FR_SAID_ENTITIES   2
#define FR_SAID_FRAMES     3
#define FR_SAID_COMPONENTS 4

/// Salvages bytes that do not check, without what is to be avoided. Fails as firn_image_salvage.
firn_result fr_salvage_image(const void *bytes, size_t size, const firn_image_options *options,
                             const fr_salvage_avoid *avoid, firn_loss_fn each, void *user,
                             firn_buffer *out, firn_salvage_summary *summary, firn_error *err);

/// Tells of a loss, unless nobody listens. The texts may be NULL.
void fr_salvage_tell(fr_salvage *job, firn_loss *loss, const char *subject, const char *format, ...)
    FR_PRINTF(4, 5);
/// Notes that there is no memory.
void fr_salvage_no_memory(fr_salvage *job);

/// Reads the numbers in front and the component table. FIRN_NOT_OURS, FIRN_CORRUPT, FIRN_LIMIT,
/// FIRN_NO_MEMORY.
firn_result fr_salvage_front(fr_salvage *job, firn_error *err);

/// How much of a frame is there.
typedef enum fr_left { FR_LEFT_NONE, FR_LEFT_PART, FR_LEFT_WHOLE } fr_left;
/// Looks at the frame at an offset. With `strict` only one that is right in all is there. *why:
/// what is wrong with it. *end: how far it was walked.
fr_left fr_salvage_frame(fr_salvage *job, size_t offset, bool strict, fr_left_frame *out,
                         size_t *end, firn_error *why);
/// Whether a frame, or the data section, may begin at an offset.
bool fr_salvage_goes_on(fr_salvage *job, size_t offset);
/// Whether a number is the id of an entity that the image may have.
bool fr_salvage_is_id(const fr_salvage *job, double number);

/// Finds frames and data, from the end of the table on.
void fr_salvage_walk(fr_salvage *job);

/// Decides which rows are kept, and counts them.
void fr_salvage_rows(fr_salvage *job);
static inline bool fr_salvage_is_gone(const fr_salvage *job, const fr_left_frame *frame,
                                      uint32_t row)
{
    size_t bit = frame->first_bit + row;
    return (job->gone[bit / 8] >> bit % 8 & 1) != 0;
}
/// Whether the value of an entity is to be avoided.
bool fr_salvage_avoids(const fr_salvage *job, firn_entity entity, uint32_t entry);
/// Steps over one row of a frame that lies row by row; false when it does not check. `in` is then
/// as before. *id: its id.
bool fr_salvage_step_row(fr_salvage *job, const fr_left_frame *frame, fr_in *in, double *id,
                         firn_error *why);
/// Steps over the value of a row of an encoded column.
void fr_salvage_step_value(const fr_salvage *job, const fr_left_frame *frame, uint32_t column,
                           uint32_t row, fr_in *in);

/// Writes the image.
void fr_salvage_write(fr_salvage *job, firn_buffer *out);

/// Appends the value of the free list without what cannot be; *lost: ids that are left out.
void fr_salvage_free_list(fr_salvage *job, firn_buffer *out, uint64_t *lost);
/// Appends the value of lists of sources with those that `image`, what is kept, has. `outer`: of
/// targets that it does not have. *kept: how many lists.
void fr_salvage_order(fr_salvage *job, const fr_image *image, const fr_datum *datum, bool outer,
                      firn_buffer *out, uint32_t *kept);

/// Adds the entities that have a value with a table that has a key twice, which opening does not
/// look for. False: no memory.
bool fr_salvage_note_unsound(const fr_image *image, fr_map *ids);
/// Adds columns of relationships that name no target, and values in columns of another target than
/// theirs. `image` is what was salvaged without what `avoid` has so far. False: no memory.
bool fr_salvage_note_targets(const fr_image *image, fr_salvage_avoid *avoid);
/// Where a component of such an image stands in the damaged one.
uint32_t fr_salvage_place(const fr_salvage_avoid *avoid, uint32_t entry);
/// Whether a value, which was checked, is one of a relationship, and not what a codec made of it.
bool fr_salvage_is_edge(const uint8_t *bytes, size_t size, const firn_limits *limits);
/// Whether a value, which was checked, has no such table. *memory becomes false when there is none.
bool fr_value_is_sound(const uint8_t *bytes, size_t size, const firn_limits *limits,
                       const firn_allocator *allocator, bool *memory);

#endif
