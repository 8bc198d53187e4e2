#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: firn_bench [--list] [--scene NAME] [--entities N] [--repeat K] "
                            "[--csv]\n";

static bool parse_count(const char *option, const char *text, uint32_t most, uint32_t *out)
{
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != 0 || number < 1 || number > most) {
        fprintf(stderr, "firn_bench: %s takes a number from 1 to %lu, not \"%s\"\n", option,
                (unsigned long)most, text);
        return false;
    }
    *out = (uint32_t)number;
    return true;
}

static bool parse_scene(const char *name, Options *out)
{
    out->scene = name;
    const Scene *scene;
    for (uint32_t i = 0; (scene = scene_at(i)) != NULL; i++) {
        if (scene_is_asked(scene, name)) {
            return true;
        }
    }
    fprintf(stderr, "firn_bench: there is no scene \"%s\"; --list names them\n", name);
    return false;
}

bool options_parse(int argc, char **argv, Options *out)
{
    *out = (Options){.entities = 100000, .repeat = 21};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--csv") == 0) {
            out->csv = true;
        } else if (strcmp(argv[i], "--list") == 0) {
            out->list = true;
        } else if (strcmp(argv[i], "--scene") == 0 && value != NULL) {
            if (!parse_scene(argv[++i], out)) {
                return false;
            }
        } else if (strcmp(argv[i], "--entities") == 0 && value != NULL) {
            if (!parse_count(argv[i++], value, FIRN_SLOT_MAX, &out->entities)) {
                return false;
            }
        } else if (strcmp(argv[i], "--repeat") == 0 && value != NULL) {
            if (!parse_count(argv[i++], value, 100000, &out->repeat)) {
                return false;
            }
        } else {
            fprintf(stderr, "firn_bench: what is \"%s\"?\n%s", argv[i], usage);
            return false;
        }
    }
    return true;
}
