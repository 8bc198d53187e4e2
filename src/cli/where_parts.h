/// where_parts.h: an expression, taken apart.
#ifndef FR_CLI_WHERE_PARTS_H
#define FR_CLI_WHERE_PARTS_H

#include "cli/where.h"

typedef enum where_op {
    WHERE_OR,
    WHERE_AND,
    WHERE_NOT,
    WHERE_LESS,
    WHERE_LESS_EQUAL,
    WHERE_GREATER,
    WHERE_GREATER_EQUAL,
    WHERE_EQUAL,
    WHERE_NOT_EQUAL,
    WHERE_HAS,     ///< of `name`
    WHERE_LITERAL, ///< `value`
    WHERE_ID,
    WHERE_KEY,
    WHERE_NAME,
    WHERE_PLACE ///< `name`, and steps in it
} where_op;

/// A part, with the numbers of the parts in it, which stand before it.
typedef struct where_part {
    where_op op;
    uint32_t left, right;
    firn_value value;
    const char *place;   ///< `Position.x`, ended by a 0
    uint32_t first_step; ///< its steps, the component's among them
    uint32_t step_count;
    bool quoted; ///< the first step alone names the component
    // ---- in the image at hand
    fr_cli_name name;
    uint32_t name_steps; ///< steps that name the component
} where_part;

/// `.x`, `[3]` or `["two words"]` in a place.
typedef struct where_step {
    uint32_t end;   ///< of its text in that of the place
    firn_value key; ///< a string or a number
} where_step;

struct fr_cli_where {
    firn_allocator allocator;
    firn_buffer parts; ///< of where_part; the last one is the whole
    firn_buffer steps; ///< of where_step
    firn_buffer texts; ///< never moves
};

#endif
