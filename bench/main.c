#include "bench.h"

#include <stdio.h>

static void print_head(bool csv)
{
    if (csv) {
        printf("scene,entities,bytes,metric,unit,median,min,memcpy_ratio\n");
    } else {
        printf("%-25s %8s %10s  %-11s %-9s %10s %10s  %s\n", "scene", "entities", "bytes", "metric",
               "unit", "median", "min", "memcpy ratio");
    }
}

int main(int argc, char **argv)
{
    Options options;
    if (!options_parse(argc, argv, &options)) {
        return 2;
    }
    if (!options.list) {
        print_head(options.csv);
    }
    const Scene *scene;
    for (uint32_t i = 0; (scene = scene_at(i)) != NULL; i++) {
        bool wanted = scene_is_asked(scene, options.scene);
        if (options.list) {
            printf("%-25s %s\n", scene->name, scene->about);
        } else if (wanted && !perform(&options, scene)) {
            return 1;
        }
        fflush(stdout);
    }
    return 0;
}
