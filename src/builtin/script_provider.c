// Providers: the steps of the running game, and what listens.
#include "builtin/game.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdalign.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------- finding

static bool is_text(const char *text, const char *name, size_t size)
{
    return strlen(text) == size && memcmp(text, name, size) == 0;
}

uint32_t fr_provider_named(const fr_script *script, const char *name, size_t size)
{
    for (uint32_t i = 0; i < script->provider_count; i++) {
        if (is_text(script->providers[i]->name, name, size)) {
            return i;
        }
    }
    return UINT32_MAX;
}

uint32_t fr_step_named(const fr_provider *provider, const char *name, size_t size)
{
    for (uint32_t i = 0; i < provider->step_count; i++) {
        if (is_text(provider->steps[i].name, name, size)) {
            return i;
        }
    }
    return FR_NO_STEP;
}

firn_result fr_script_find_step(const fr_script *script, const char *provider, const char *step,
                                uint32_t *provider_index, uint32_t *step_index, firn_error *err)
{
    firn_result result = fr_script_check_name(provider, "provider", err);
    if (result == FIRN_OK && step != NULL) {
        result = fr_script_check_name(step, "step", err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    *provider_index = fr_provider_named(script, provider, strlen(provider));
    if (*provider_index == UINT32_MAX) {
        return fr_fail(err, FIRN_UNKNOWN, provider, "the provider \"%s\" is not registered",
                       provider);
    }
    *step_index =
        step == NULL ? 0 : fr_step_named(script->providers[*provider_index], step, strlen(step));
    if (*step_index == FR_NO_STEP) {
        char subject[sizeof err->subject];
        snprintf(subject, sizeof subject, "%s.%s", provider, step);
        return fr_fail(err, FIRN_UNKNOWN, subject, "the provider \"%s\" has no step \"%s\"",
                       provider, step);
    }
    return FIRN_OK;
}

// ---------------------------------------------------------------- registration

static void free_provider(const firn_allocator *allocator, fr_provider *provider)
{
    for (uint32_t i = 0; provider->steps != NULL && i < provider->step_count; i++) {
        fr_free_text(allocator, (char *)provider->steps[i].name);
    }
    fr_free(allocator, provider->steps, provider->step_count, sizeof *provider->steps,
            alignof(firn_step));
    fr_free_text(allocator, provider->name);
    fr_free(allocator, provider, 1, sizeof *provider, alignof(fr_provider));
}

static bool copy_steps(const firn_allocator *allocator, fr_provider *provider,
                       const firn_step *steps, uint32_t count)
{
    provider->steps = fr_alloc_zero(allocator, count, sizeof *steps, alignof(firn_step));
    if (provider->steps == NULL) {
        return false;
    }
    provider->step_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const char *name = fr_copy_text(allocator, steps[i].name, strlen(steps[i].name));
        if (name == NULL) {
            return false;
        }
        provider->steps[i] = (firn_step){.name = name, .run = steps[i].run};
    }
    return true;
}

// Adds one at the end; NULL: no memory.
static fr_provider *make_provider(const firn_allocator *allocator, fr_script *script,
                                  const char *name, const firn_step *steps, uint32_t count)
{
    if (!FR_RESERVE(allocator, script->providers, script->provider_capacity,
                    script->provider_count + 1)) {
        return NULL;
    }
    fr_provider *provider = fr_alloc_zero(allocator, 1, sizeof *provider, alignof(fr_provider));
    if (provider == NULL) {
        return NULL;
    }
    provider->name = fr_copy_text(allocator, name, strlen(name));
    if (provider->name == NULL || !copy_steps(allocator, provider, steps, count)) {
        free_provider(allocator, provider);
        return NULL;
    }
    script->providers[script->provider_count++] = provider;
    return provider;
}

static firn_result check_steps_of(const firn_provider_desc *desc, firn_error *err)
{
    if (desc->steps == NULL || desc->step_count == 0 || desc->step_count > FR_SCRIPT_NAMES_MOST) {
        return fr_fail(err, FIRN_INVALID, "steps",
                       "the provider \"%s\" has %u steps; 1 to %u are allowed", desc->name,
                       desc->steps == NULL ? 0 : desc->step_count, FR_SCRIPT_NAMES_MOST);
    }
    for (uint32_t i = 0; i < desc->step_count; i++) {
        firn_result result = fr_script_check_name(desc->steps[i].name, "step", err);
        for (uint32_t k = 0; result == FIRN_OK && k < i; k++) {
            if (strcmp(desc->steps[k].name, desc->steps[i].name) == 0) {
                result = fr_fail(err, FIRN_INVALID, desc->steps[i].name,
                                 "the provider \"%s\" has two steps named \"%s\"", desc->name,
                                 desc->steps[i].name);
            }
        }
        if (result != FIRN_OK) {
            return result;
        }
    }
    return FIRN_OK;
}

// Whether the copy of what a plugin added in another world waits for this one.
static bool provider_waits(const firn_world *world, const fr_provider *provider,
                           const firn_provider_desc *desc)
{
    bool waits = fr_maker_waits(provider->maker, world->installer) &&
                 provider->step_count == desc->step_count;
    for (uint32_t i = 0; waits && i < desc->step_count; i++) {
        waits = strcmp(provider->steps[i].name, desc->steps[i].name) == 0;
    }
    return waits;
}

static firn_result check_provider(const firn_world *world, const fr_script *script,
                                  const firn_provider_desc *desc, firn_error *err)
{
    if (desc == NULL) {
        return fr_fail(err, FIRN_INVALID, "desc", "desc is NULL");
    }
    firn_result result = fr_check_reserved(desc->reserved, "firn_provider_desc", err);
    if (result == FIRN_OK) {
        result = fr_script_check_name(desc->name, "name", err);
    }
    if (result == FIRN_OK) {
        result = check_steps_of(desc, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    uint32_t there = fr_provider_named(script, desc->name, strlen(desc->name));
    if (there != UINT32_MAX && !provider_waits(world, script->providers[there], desc)) {
        return fr_fail(err, FIRN_EXISTS, desc->name, "the provider \"%s\" is registered already",
                       desc->name);
    }
    if (there == UINT32_MAX && script->provider_count >= FR_SCRIPT_NAMES_MOST) {
        return fr_fail(err, FIRN_LIMIT, desc->name,
                       "provider %s: there are %u already, the most allowed", desc->name,
                       script->provider_count);
    }
    return FIRN_OK;
}

firn_result firn_provider_add(firn_world *world, const firn_provider_desc *desc, firn_error *err)
{
    fr_game *game;
    firn_result result = fr_game_enter(world, &game, err);
    if (result == FIRN_OK) {
        result = check_provider(world, &game->script, desc, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    fr_script *script = &game->script;
    uint32_t vacant = fr_provider_named(script, desc->name, strlen(desc->name));
    fr_provider *provider =
        vacant != UINT32_MAX
            ? script->providers[vacant]
            : make_provider(&world->allocator, script, desc->name, desc->steps, desc->step_count);
    if (provider == NULL) {
        return fr_fail_memory(err, "a provider");
    }
    for (uint32_t i = 0; i < provider->step_count; i++) {
        provider->steps[i].run = desc->steps[i].run;
    }
    provider->user = desc->user;
    provider->maker = (fr_maker){.installer = world->installer};
    return FIRN_OK;
}

// ---------------------------------------------------------------- listeners

static bool add_listener(const firn_allocator *allocator, fr_script *script, const char *event,
                         uint32_t provider, uint32_t step)
{
    if (!FR_RESERVE(allocator, script->listeners, script->listener_capacity,
                    script->listener_count + 1)) {
        return false;
    }
    char *name = fr_copy_text(allocator, event, strlen(event));
    if (name != NULL) {
        script->listeners[script->listener_count++] = (fr_listener_step){name, provider, step};
    }
    return name != NULL;
}

firn_result firn_script_listen(firn_world *world, const char *event, const char *provider,
                               const char *step, firn_error *err)
{
    fr_game *game;
    uint32_t provider_index = 0, step_index = 0;
    firn_result result = fr_game_enter(world, &game, err);
    if (result == FIRN_OK) {
        result = fr_script_check_name(event, "event", err);
    }
    if (result == FIRN_OK && step == NULL) {
        result = fr_fail(err, FIRN_INVALID, "step", "step is NULL");
    }
    if (result == FIRN_OK) {
        result =
            fr_script_find_step(&game->script, provider, step, &provider_index, &step_index, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    const fr_script *script = &game->script;
    for (uint32_t i = 0; i < script->listener_count; i++) {
        const fr_listener_step *there = &script->listeners[i];
        if (there->provider == provider_index && there->step == step_index &&
            strcmp(there->event, event) == 0) {
            return FIRN_OK;
        }
    }
    return add_listener(&world->allocator, &game->script, event, provider_index, step_index)
               ? FIRN_OK
               : fr_fail_memory(err, "a listener");
}

// ---------------------------------------------------------------- the whole

bool fr_script_copy(const firn_allocator *allocator, fr_script *to, const fr_script *from)
{
    for (uint32_t i = 0; i < from->provider_count; i++) {
        const fr_provider *provider = from->providers[i];
        fr_provider *copy =
            make_provider(allocator, to, provider->name, provider->steps, provider->step_count);
        if (copy == NULL) {
            return false;
        }
        copy->user = provider->user;
        copy->maker = fr_maker_copy(provider->maker);
    }
    for (uint32_t i = 0; i < from->listener_count; i++) {
        const fr_listener_step *listener = &from->listeners[i];
        if (!add_listener(allocator, to, listener->event, listener->provider, listener->step)) {
            return false;
        }
    }
    return true;
}

void fr_script_free(const firn_allocator *allocator, fr_script *script)
{
    fr_script_state_free(allocator, &script->state);
    for (uint32_t i = 0; i < script->provider_count; i++) {
        free_provider(allocator, script->providers[i]);
    }
    for (uint32_t i = 0; i < script->listener_count; i++) {
        fr_free_text(allocator, script->listeners[i].event);
    }
    FR_ARRAY_FREE(allocator, script->providers, script->provider_capacity);
    FR_ARRAY_FREE(allocator, script->listeners, script->listener_capacity);
    FR_ARRAY_FREE(allocator, script->due, script->due_capacity);
    FR_ARRAY_FREE(allocator, script->due_order, script->due_order_capacity);
    FR_ARRAY_FREE(allocator, script->woken, script->woken_capacity);
    firn_doc_destroy(script->payloads);
    *script = (fr_script){0};
}
