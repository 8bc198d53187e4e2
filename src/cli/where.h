/// where.h: expressions that choose entities, `Health.current < 10 and not has(Boss)`.
///
///     expression   = and-part {"or" and-part}
///     and-part     = not-part {"and" not-part}
///     not-part     = "not" not-part | "(" expression ")" | comparison
///     comparison   = operand [("<" | "<=" | ">" | ">=" | "==" | "=" | "!=" | "~=") operand]
///     operand      = number | text | "true" | "false" | "nil" | "id" | "key" | "name" | place
///                  | "has" "(" component ")"
///     place        = component {"." name | "[" (number | text) "]"}
///
/// A component or a name of other characters than letters, digits and `_` stands in backquotes.
#ifndef FR_CLI_WHERE_H
#define FR_CLI_WHERE_H

#include "cli/row.h"

typedef struct fr_cli_where fr_cli_where;

/// Reads an expression, which is copied. NULL: FIRN_INVALID, err->offset is the character where it
/// is wrong; FIRN_LIMIT, of one with too many parts or too many parentheses; FIRN_NO_MEMORY.
fr_cli_where *fr_cli_where_read(const char *text, const firn_allocator *allocator, firn_error *err);
/// NULL is allowed.
void fr_cli_where_free(fr_cli_where *where);

/// Finds the components that it names in an image. What names none is told: `tell` gets it, and
/// then the field, or "".
void fr_cli_where_begin(fr_cli_where *where, const firn_image *image,
                        void (*tell)(void *user, const char *component, const char *field),
                        void *user);
/// Whether the row at hand is one of those. FIRN_CORRUPT (a table that has a key twice),
/// FIRN_LIMIT, FIRN_NO_MEMORY.
firn_result fr_cli_where_test(fr_cli_where *where, fr_cli_row *row, bool *out, firn_error *err);

#endif
