// Before-save hooks: what they give for `custom`, and that no two give the same.
#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "saves/saves.h"

#include <stdalign.h>
#include <string.h>

// ---------------------------------------------------------------- registration

static void free_hook(const firn_allocator *allocator, fr_hook *hook)
{
    for (uint32_t i = 0; i < hook->field_count; i++) {
        fr_free_text(allocator, hook->fields[i]);
    }
    fr_free(allocator, hook->fields, hook->field_count, sizeof *hook->fields, alignof(char *));
}

void fr_hooks_free(firn_saves *saves)
{
    for (uint32_t i = 0; i < saves->hook_count; i++) {
        free_hook(&saves->allocator, &saves->hooks[i]);
    }
    FR_ARRAY_FREE(&saves->allocator, saves->hooks, saves->hook_capacity);
}

static bool hook_declares(const fr_hook *hook, const char *field)
{
    for (uint32_t i = 0; i < hook->field_count; i++) {
        if (strcmp(hook->fields[i], field) == 0) {
            return true;
        }
    }
    return false;
}

static firn_result check_declared_fields(const firn_saves *saves, const char *const *fields,
                                         uint32_t *count, firn_error *err)
{
    for (*count = 0; fields != NULL && fields[*count] != NULL; ++*count) {
        const char *field = fields[*count];
        if (field[0] == 0) {
            return fr_fail(err, FIRN_INVALID, "fields", "the name of field %u is empty", *count);
        }
        for (uint32_t i = 0; i < saves->hook_count; i++) {
            if (hook_declares(&saves->hooks[i], field)) {
                return fr_fail(err, FIRN_EXISTS, field,
                               "another before-save hook gives the field %.200s", field);
            }
        }
    }
    return FIRN_OK;
}

static firn_result copy_fields(const firn_allocator *allocator, const char *const *fields,
                               uint32_t count, fr_hook *hook, firn_error *err)
{
    hook->declares = fields != NULL;
    if (fields == NULL || count == 0) {
        return FIRN_OK;
    }
    hook->fields = fr_alloc_zero(allocator, count, sizeof *hook->fields, alignof(char *));
    if (hook->fields == NULL) {
        return fr_fail_memory(err, "a before-save hook");
    }
    hook->field_count = count;
    for (uint32_t i = 0; i < count; i++) {
        hook->fields[i] = fr_copy_text(allocator, fields[i], strlen(fields[i]));
        if (hook->fields[i] == NULL) {
            return fr_fail_memory(err, "a before-save hook");
        }
    }
    return FIRN_OK;
}

firn_save_hook firn_saves_before_save(firn_saves *saves, const char *const *fields,
                                      firn_before_save_fn fn, void *user, firn_error *err)
{
    uint32_t count;
    if (fr_saves_check(saves, err) != FIRN_OK) {
        return 0;
    }
    if (fn == NULL) {
        fr_fail(err, FIRN_INVALID, "fn", "fn is NULL");
        return 0;
    }
    if (check_declared_fields(saves, fields, &count, err) != FIRN_OK) {
        return 0;
    }
    if (!FR_RESERVE(&saves->allocator, saves->hooks, saves->hook_capacity, saves->hook_count + 1)) {
        fr_fail_memory(err, "a before-save hook");
        return 0;
    }
    fr_hook hook = {.handle = saves->hooks_made + 1, .fn = fn, .user = user};
    if (copy_fields(&saves->allocator, fields, count, &hook, err) != FIRN_OK) {
        free_hook(&saves->allocator, &hook);
        return 0;
    }
    saves->hooks[saves->hook_count++] = hook;
    return ++saves->hooks_made;
}

firn_result firn_saves_remove_hook(firn_saves *saves, firn_save_hook hook, firn_error *err)
{
    if (saves == NULL) {
        return fr_fail(err, FIRN_INVALID, "saves", "saves is NULL");
    }
    if (saves->hooks_run) {
        return fr_fail(err, FIRN_BUSY, "hook", "no hook is removed while before-save hooks run");
    }
    for (uint32_t i = 0; i < saves->hook_count; i++) {
        if (saves->hooks[i].handle == hook) {
            free_hook(&saves->allocator, &saves->hooks[i]);
            saves->hook_count--;
            memmove(&saves->hooks[i], &saves->hooks[i + 1],
                    (saves->hook_count - i) * sizeof *saves->hooks);
            return FIRN_OK;
        }
    }
    return fr_fail(err, FIRN_NOT_FOUND, "hook", "there is no before-save hook %llu",
                   (unsigned long long)hook);
}

// ---------------------------------------------------------------- run

// A field that a hook gave, after those of the hooks before it.
static firn_result check_given_field(const firn_saves *saves, const fr_hook *hook,
                                     const firn_value *custom, const firn_value *key,
                                     firn_error *err)
{
    if (key->kind != FIRN_VALUE_STRING || strlen(key->as.string) != key->length) {
        return fr_fail(err, FIRN_INVALID, "custom",
                       "a before-save hook gave a field whose name is no text");
    }
    const char *field = key->as.string;
    if (hook->declares && !hook_declares(hook, field)) {
        return fr_fail(err, FIRN_INVALID, field,
                       "a before-save hook gave the field %.200s, which it did not declare", field);
    }
    bool taken = firn_table_get(custom, key) != NULL;
    for (uint32_t i = 0; !taken && i < saves->hook_count; i++) {
        taken = saves->hooks[i].handle != hook->handle && hook_declares(&saves->hooks[i], field);
    }
    return taken ? fr_fail(err, FIRN_EXISTS, field, "two before-save hooks give the field %.200s",
                           field)
                 : FIRN_OK;
}

static firn_result take_fields(const firn_saves *saves, const fr_hook *hook, firn_doc *doc,
                               const firn_value *fields, firn_value *custom, firn_error *err)
{
    uint32_t cursor = 0;
    firn_value key;
    const firn_value *value;
    firn_result result = FIRN_OK;
    while (result == FIRN_OK && (value = firn_table_next(fields, &cursor, &key)) != NULL) {
        result = check_given_field(saves, hook, custom, &key, err);
        if (result == FIRN_OK) {
            result = firn_table_set(doc, custom, &key, value, err);
        }
    }
    return result;
}

static firn_result run_hook(firn_saves *saves, const fr_hook *hook, firn_doc *doc,
                            firn_value *custom, firn_error *err)
{
    firn_value *fields = firn_value_table(doc, err);
    if (fields == NULL) {
        return FIRN_NO_MEMORY;
    }
    firn_error why;
    fr_error_begin(&why);
    firn_result result = hook->fn(hook->user, saves, doc, fields, &why);
    if (result != FIRN_OK && why.message[0] == 0) {
        return fr_fail(err, result, "hook", "a before-save hook failed: %s",
                       firn_result_text(result));
    }
    if (result != FIRN_OK) {
        fr_error_complete(&why, result);
        return fr_fail_copy(err, &why);
    }
    return take_fields(saves, hook, doc, fields, custom, err);
}

static firn_result run_hooks(firn_saves *saves, firn_doc *doc, firn_value *custom, firn_error *err)
{
    // Those that are added meanwhile wait for the next save.
    uint32_t count = saves->hook_count;
    firn_result result = FIRN_OK;
    saves->hooks_run = true;
    saves->busy = "a before-save hook";
    for (uint32_t i = 0; result == FIRN_OK && i < count; i++) {
        const fr_hook hook = saves->hooks[i];
        result = run_hook(saves, &hook, doc, custom, err);
    }
    saves->busy = NULL;
    saves->hooks_run = false;
    return result;
}

firn_result fr_hooks_collect(firn_saves *saves, firn_doc **doc, firn_buffer *out, firn_error *err)
{
    firn_error why;
    if (*doc == NULL) {
        *doc = firn_doc_create(&saves->allocator, &saves->limits, &why);
    }
    firn_doc_clear(*doc);
    firn_value *custom = *doc == NULL ? NULL : firn_value_table(*doc, &why);
    firn_result result = custom == NULL ? fr_fail_copy(err, &why) : FIRN_OK;
    if (result == FIRN_OK) {
        result = run_hooks(saves, *doc, custom, err);
    }
    if (result == FIRN_OK) {
        result = firn_value_encode(custom, &saves->limits, out, err);
    }
    return result;
}
