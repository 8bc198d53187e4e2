/// temporary_posix.h: the temporary files of one file: regular files beside it, named
/// `<name>.<16 hex digits>.firn-tmp`, held by an exclusive flock as long as their writer lives.
/// What nobody holds was left behind by a killed writer.
///
/// A writer makes the file and then takes the lock; a cleaner takes the lock and then removes the
/// file. So a writer that gets no lock, or whose file is gone once it has the lock, met a cleaner
/// in between and makes another one. File systems without flock work too: nothing is cleaned there.
#ifndef FR_TEMPORARY_POSIX_H
#define FR_TEMPORARY_POSIX_H

#include "firn/base.h"
#include <sys/types.h>

/// The longest file name, in bytes, and room for one with its zero.
#define FR_FILE_NAME_MOST 255
#define FR_FILE_NAME_SIZE (FR_FILE_NAME_MOST + 1)

typedef struct fr_temporaries {
    int folder;       ///< an open folder, borrowed
    const char *name; ///< the file that they belong to, borrowed; NULL: those of all files
    size_t stem_size; ///< bytes of name in their names: all, or what leaves room for the rest
} fr_temporaries;

/// The temporaries of `name` (at most FR_FILE_NAME_MOST bytes) in `folder`.
void fr_temporaries_init(fr_temporaries *temporaries, int folder, const char *name);

/// Writes a fresh random name, of a file, to `out`.
void fr_temporary_name(const fr_temporaries *temporaries, char out[FR_FILE_NAME_SIZE]);

/// Makes and locks a new, empty temporary file that is open for writing, and writes its name to
/// `out`. The lock lives as long as the descriptor or a duplicate of it. -1 with errno; nothing is
/// then left.
int fr_temporary_create(const fr_temporaries *temporaries, mode_t mode,
                        char out[FR_FILE_NAME_SIZE]);

/// Removes the temporaries that nobody holds. What cannot be removed stays: that is no failure.
void fr_temporaries_remove_stale(const fr_temporaries *temporaries);

#endif
