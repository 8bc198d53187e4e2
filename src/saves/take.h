/// take.h: a load, from checked bytes to the running world.
#ifndef FR_TAKE_H
#define FR_TAKE_H

#include "saves/saves.h"

/// What firn_saves_take and firn_saves_read check first.
firn_result fr_take_check(const firn_saves *saves, firn_error *err);
/// The load of a save whose file was opened, with every hash checked: loaded->envelope, over bytes
/// that stay. Fails as firn_saves_take; `loaded` then tells how far it came.
firn_result fr_take_file(firn_saves *saves, firn_saves_loaded *loaded, firn_error *err);
/// The first of its steps: the envelope is of this game, or the failure says how it is not, and
/// becomes one of its version. Changes nothing but `loaded`.
firn_result fr_take_ready(firn_saves *saves, firn_saves_loaded *loaded, firn_error *err);

/// Brings a save of an older version of the game to the manager's: appends the file to `out`, and
/// nothing else changes. FIRN_NOT_FOUND (a version without a migration, the subject); what a
/// migration returned (its version is the subject); FIRN_INVALID (what it left is no save); what
/// firn_snapshot_check_table says of its snapshot; as firn_save_file_from_value.
firn_result fr_migrate(const firn_saves *saves, firn_save_file *file, firn_buffer *out,
                       firn_error *err);

#endif
