/// save_parts.h: what save files are made of in tests.
#ifndef TEST_SAVE_PARTS_H
#define TEST_SAVE_PARTS_H

#include "firn/save_file.h"
#include "support/support.h"
#include "support/tree.h"

/// A header of the game "mill", every field filled in, without meta.
firn_save_header parts_header(void);

/// The snapshot of a small world; freed with firn_buffer_free.
firn_buffer parts_snapshot(void);

/// The canonical encoding of the tree that a text says.
firn_buffer parts_encoded(const char *tree);

/// The save file of these parts; NULL options: the defaults.
firn_buffer parts_write(const firn_save_header *header, const firn_section *sections,
                        uint32_t count, const firn_save_file_options *options);

/// A save with custom, variables, a snapshot, two sections of the game's own and a thumbnail in
/// meta.
firn_buffer parts_full_save(const firn_save_file_options *options);

/// firn_save_file_open, which succeeds.
firn_save_file *parts_open(const firn_buffer *save);

/// firn_save_file_open fails so.
void parts_assert_refused(const void *bytes, size_t size, const firn_save_file_options *options,
                          firn_result result, const char *subject, const char *message);

/// The section has these bytes.
void parts_assert_section(firn_save_file *file, const char *name, const void *bytes, size_t size);

/// Puts the right hash on the first `head` bytes of a file that was changed on purpose.
void parts_seal(uint8_t *file);

#endif
