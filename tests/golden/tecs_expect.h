/// Compares a world with the `.expect.json` of a golden file.
#ifndef TESTS_GOLDEN_TECS_EXPECT_H
#define TESTS_GOLDEN_TECS_EXPECT_H

#include <jansson.h>

#include "golden/tecs_components.h"

#define GOLDEN_ROOM 256

/// True when the world holds exactly the entities of `expect`: ids, generations, components and
/// every value in them, numbers bit for bit. Else `difference` says where the first one is.
bool golden_holds(const firn_world *world, const golden_file *file, const json_t *expect,
                  char difference[GOLDEN_ROOM]);

/// True when a text of the expectations stands for these bytes.
bool golden_is_text(const json_t *json, const char *bytes, size_t size);

/// True when `value` is what `json` says. `path` is what `difference` begins with.
bool golden_is_value(const json_t *json, const firn_value *value, const char *path,
                     char difference[GOLDEN_ROOM]);

#endif
