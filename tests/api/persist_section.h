/// persist_section.h: saves with another section FIRN_SECTION_PERSIST.
#ifndef TEST_PERSIST_SECTION_H
#define TEST_PERSIST_SECTION_H

#include "firn/firn.h"

/// firn_saves_take of a save file whose section is replaced by these bytes.
firn_result take_with_section(firn_saves *saves, const firn_buffer *file, const void *section,
                              size_t size, firn_error *err);

#endif
