/// persist_section.h: persisted saves with another section.
#ifndef TEST_PERSIST_SECTION_H
#define TEST_PERSIST_SECTION_H

#include "firn/firn.h"

/// firn_saves_take of a save file whose FIRN_SECTION_PERSIST is replaced by these bytes, or whose
/// snapshot is.
firn_result take_with_section(firn_saves *saves, const firn_buffer *file, const void *section,
                              size_t size, firn_error *err);
firn_result take_with_image(firn_saves *saves, const firn_buffer *file, const void *image,
                            size_t size, firn_error *err);

#endif
