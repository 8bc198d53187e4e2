#include "api/table_scene.h"

table_scene table_scene_make(void)
{
    table_scene s = {.z = zoo_make(NULL, false), .doc = firn_doc_create(NULL, NULL, NULL)};
    assert_non_null(s.doc);
    return s;
}

void table_scene_free(table_scene *s)
{
    firn_doc_destroy(s->doc);
    firn_world_destroy(s->z.world);
}

firn_value *table_save(firn_world *world, firn_doc *doc, const firn_save_options *options)
{
    firn_error err;
    firn_value *table = NULL;
    assert_ok(firn_snapshot_save_table(world, options, doc, &table, &err), &err);
    assert_non_null(table);
    return table;
}
