// The scene in the section of a persisted save: its name, ids, and who is gone.
#include "saves/scene.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"
#include "saves/file.h"
#include "store/entity_index.h"

// ---------------------------------------------------------------- write

static bool is_gone(const fr_scene_item *item, const firn_world *world)
{
    return !firn_alive(world, item->entity);
}

void fr_scene_write_ids(const fr_scene *scene, const firn_world *world, firn_writer *to)
{
    uint32_t gone = 0;
    for (uint32_t i = 0; i < scene->seen_count; i++) {
        gone += is_gone(&scene->seen[i], world);
    }
    firn_write_text(to, "gone");
    firn_write_table(to, gone, 0);
    for (uint32_t i = 0; i < scene->seen_count; i++) {
        if (is_gone(&scene->seen[i], world)) {
            firn_write_number(to, (double)scene->seen[i].local);
        }
    }
    firn_write_text(to, "ids");
    firn_write_table(to, 3 * scene->run_count, 0);
    for (uint32_t i = 0; i < scene->run_count; i++) {
        firn_write_number(to, (double)scene->runs[i].local);
        firn_write_number(to, (double)scene->runs[i].first);
        firn_write_number(to, scene->runs[i].count);
    }
}

// ---------------------------------------------------------------- read

// What a section says of a scene, on its way into one.
typedef struct scene_reader {
    const firn_allocator *allocator;
    const firn_limits *limits;
    fr_scene scene;
    uint64_t total; // of entities so far
    firn_error *err;
} scene_reader;

static firn_result refuse_scene(const scene_reader *r, const char *key)
{
    return fr_fail(r->err, FIRN_CORRUPT, FIRN_SECTION_PERSIST,
                   "%s in the section " FIRN_SECTION_PERSIST " of the save is none", key);
}

// A whole number of 1 to most at a place of an array. False: it is none.
static bool whole_at(const firn_value *array, uint32_t at, uint64_t most, uint64_t *out)
{
    const firn_value *value = firn_table_get_number(array, at);
    if (value == NULL || value->kind != FIRN_VALUE_NUMBER ||
        !(value->as.number >= 1 && value->as.number <= (double)most)) {
        return false;
    }
    *out = (uint64_t)value->as.number;
    return (double)*out == value->as.number;
}

static firn_result read_run(scene_reader *r, const firn_value *ids, uint32_t at)
{
    const uint64_t most = FR_LOCAL_END - 1;
    fr_scene *scene = &r->scene;
    uint64_t local, first, count;
    if (!whole_at(ids, at, most, &local) || !whole_at(ids, at + 1, most, &first) ||
        !whole_at(ids, at + 2, FIRN_SLOT_MAX, &count)) {
        return refuse_scene(r, "ids");
    }
    const fr_scene_run *before = scene->run_count > 0 ? &scene->runs[scene->run_count - 1] : NULL;
    bool in_order = before == NULL || local >= before->local + before->count;
    uint32_t slot = fr_slot(first);
    r->total += count;
    if (!in_order || slot == 0 || slot + count - 1 > FIRN_SLOT_MAX ||
        count > FR_LOCAL_END - local || r->total > r->limits->entities) {
        return refuse_scene(r, "ids");
    }
    if (!FR_RESERVE(r->allocator, scene->runs, scene->run_room, scene->run_count + 1)) {
        return fr_fail_memory(r->err, "a scene");
    }
    scene->runs[scene->run_count++] = (fr_scene_run){local, first, (uint32_t)count};
    return FIRN_OK;
}

static firn_result read_ids(scene_reader *r, const firn_value *ids)
{
    uint32_t count = firn_table_array_count(ids);
    firn_result result = count % 3 == 0 ? FIRN_OK : refuse_scene(r, "ids");
    for (uint32_t at = 1; result == FIRN_OK && at <= count; at += 3) {
        result = read_run(r, ids, at);
    }
    firn_error why;
    if (result == FIRN_OK) {
        result = fr_scene_order(r->allocator, &r->scene, &why);
        result = result == FIRN_INVALID ? refuse_scene(r, "ids")
                 : result != FIRN_OK    ? fr_fail_copy(r->err, &why)
                                        : FIRN_OK;
    }
    return result;
}

static firn_result read_gone(scene_reader *r, const firn_value *gone)
{
    fr_scene *scene = &r->scene;
    uint32_t count = firn_table_array_count(gone);
    if (!FR_RESERVE(r->allocator, scene->seen, scene->seen_room, count)) {
        return fr_fail_memory(r->err, "a scene");
    }
    uint64_t before = 0;
    for (uint32_t at = 1; at <= count; at++) {
        uint64_t local;
        if (!whole_at(gone, at, FR_LOCAL_END - 1, &local) || local <= before) {
            return refuse_scene(r, "gone");
        }
        fr_scene_add_seen(
            scene, (fr_scene_item){.local = local, .entity = fr_scene_entity(scene, local)});
        before = local;
    }
    return FIRN_OK;
}

static firn_result check_section_version(const scene_reader *r, const firn_value *table)
{
    const firn_value *version = firn_table_get_text(table, "version");
    if (version == NULL || (version->kind == FIRN_VALUE_NUMBER && version->as.number == 1)) {
        return FIRN_OK;
    }
    return fr_fail(r->err, FIRN_VERSION, FIRN_SECTION_PERSIST,
                   "the version of the section " FIRN_SECTION_PERSIST " of the save is not 1");
}

static firn_result read_scene(scene_reader *r, const firn_value *table)
{
    const firn_value *name = firn_table_get_text(table, "scene");
    const firn_value *ids = firn_table_get_text(table, "ids");
    const firn_value *gone = firn_table_get_text(table, "gone");
    if (name == NULL) {
        return FIRN_OK;
    }
    if (name->kind != FIRN_VALUE_STRING ||
        fr_check_name(name->as.string, name->length, FR_SAVE_TEXT_MOST, "scene", NULL) != FIRN_OK) {
        return refuse_scene(r, "scene");
    }
    r->scene.name = fr_copy_text(r->allocator, name->as.string, name->length);
    if (r->scene.name == NULL) {
        return fr_fail_memory(r->err, "a scene");
    }
    firn_result result = read_ids(r, ids);
    return result == FIRN_OK ? read_gone(r, gone) : result;
}

firn_result fr_scene_read(const firn_allocator *allocator, const firn_limits *limits,
                          const void *bytes, size_t size, fr_scene *out, firn_error *err)
{
    firn_error why;
    scene_reader r = {.allocator = allocator, .limits = limits, .err = err};
    firn_doc *doc = firn_doc_create(allocator, limits, &why);
    const firn_value *table = doc == NULL ? NULL : firn_value_decode(doc, bytes, size, &why);
    firn_result result = FIRN_OK;
    if (table == NULL) {
        bool damaged = why.code == FIRN_TRUNCATED || why.code == FIRN_CORRUPT;
        result = damaged ? refuse_scene(&r, "a table") : fr_fail_copy(err, &why);
    } else {
        result = check_section_version(&r, table);
        result = result == FIRN_OK ? read_scene(&r, table) : result;
    }
    firn_doc_destroy(doc);
    if (result != FIRN_OK) {
        fr_scene_free(allocator, &r.scene);
        return result;
    }
    r.scene.looked = true;
    *out = r.scene;
    return FIRN_OK;
}
