// Calls of storage.h and json.h.
#include "fault/memory_scene.h"

#include "firn/json.h"
#include "firn/storage.h"

static firn_result check_names(scene *s, firn_error *err)
{
    (void)s;
    firn_json_available();
    return firn_slot_name_check("autosave", err);
}

const memory_case memory_saves_cases[] = {
    {"firn_json_available firn_slot_name_check", check_names, NULL, true},
    {NULL, NULL, NULL, false},
};
