#include "bench.h"

#include <string.h>

const Scene *scene_at(uint32_t index)
{
    const struct {
        const Scene *scenes;
        uint32_t count;
    } groups[] = {
        {snapshot_scenes, snapshot_scene_count}, {column_scenes, column_scene_count},
        {store_scenes, store_scene_count},       {relation_scenes, relation_scene_count},
        {value_scenes, value_scene_count},       {save_scenes, save_scene_count},
#ifdef FIRN_BENCH_TOOL
        {tool_scenes, tool_scene_count},
#endif
    };
    for (uint32_t i = 0; i < FIRN_COUNT(groups); i++) {
        if (index < groups[i].count) {
            return &groups[i].scenes[index];
        }
        index -= groups[i].count;
    }
    return NULL;
}

static bool is_a_scene(const char *name)
{
    const Scene *scene;
    for (uint32_t i = 0; (scene = scene_at(i)) != NULL; i++) {
        if (strcmp(scene->name, name) == 0) {
            return true;
        }
    }
    return false;
}

bool scene_is_asked(const Scene *scene, const char *name)
{
    if (name == NULL || strcmp(scene->name, name) == 0) {
        return true;
    }
    size_t size = strlen(name);
    return strncmp(scene->name, name, size) == 0 && scene->name[size] == '_' && !is_a_scene(name);
}
