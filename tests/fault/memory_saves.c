// Calls of json.h.
#include "fault/memory_scene.h"

#include "firn/json.h"

static firn_result ask_for_json(scene *s, firn_error *err)
{
    (void)s;
    (void)err;
    firn_json_available();
    return FIRN_OK;
}

const memory_case memory_saves_cases[] = {
    {"firn_json_available", ask_for_json, NULL, true},
    {NULL, NULL, NULL, false},
};
