/// table_scene.h: the zoo and a document for its saves in table form.
#ifndef TEST_TABLE_SCENE_H
#define TEST_TABLE_SCENE_H

#include "api/snapshot_zoo.h"
#include "firn/plugin.h"
#include "support/tree.h"

typedef struct table_scene {
    zoo z;
    firn_doc *doc;
} table_scene;

table_scene table_scene_make(void);
void table_scene_free(table_scene *s);
/// firn_snapshot_save_table that must succeed.
firn_value *table_save(firn_world *world, firn_doc *doc, const firn_save_options *options);

#endif
