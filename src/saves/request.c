// Requests: saves and loads that wait for the end of the tick, and how they are told.
#include "base/alloc.h"
#include "base/error.h"
#include "saves/draft.h"

#include <float.h>
#include <stdalign.h>
#include <string.h>

// ---------------------------------------------------------------- lists

static void append_request(fr_request_list *list, fr_request *request)
{
    request->next = NULL;
    if (list->last != NULL) {
        list->last->next = request;
    } else {
        list->first = request;
    }
    list->last = request;
}

static void prepend_request(fr_request_list *list, fr_request *request)
{
    request->next = list->first;
    list->first = request;
    if (list->last == NULL) {
        list->last = request;
    }
}

// Unlinks a request; before is the one before it, or NULL.
static void unlink_request(fr_request_list *list, fr_request *before, fr_request *request)
{
    if (before != NULL) {
        before->next = request->next;
    } else {
        list->first = request->next;
    }
    if (list->last == request) {
        list->last = before;
    }
    request->next = NULL;
}

// Unlinks the first request that `is`, or gives NULL.
static fr_request *take_first(fr_request_list *list, bool (*is)(const fr_request *request))
{
    fr_request *before = NULL;
    for (fr_request *at = list->first; at != NULL; before = at, at = at->next) {
        if (is(at)) {
            unlink_request(list, before, at);
            return at;
        }
    }
    return NULL;
}

// A request that is used again, or a new one.
static fr_request *make_request(firn_saves *saves, const char *slot, firn_error *err)
{
    fr_requests *requests = &saves->requests;
    fr_request *request = requests->spare;
    if (request != NULL) {
        requests->spare = request->next;
    } else {
        request = fr_alloc(&saves->allocator, 1, sizeof *request, alignof(fr_request));
        if (request == NULL) {
            (void)fr_fail_memory(err, "a request");
            return NULL;
        }
        request->doc = NULL;
        firn_buffer_init(&request->bytes, &saves->allocator);
    }
    firn_doc *doc = request->doc;
    firn_buffer bytes = request->bytes;
    *request = (fr_request){.doc = doc, .bytes = bytes};
    memcpy(request->slot, slot, strlen(slot) + 1);
    return request;
}

static void drop_request(firn_saves *saves, fr_request *request)
{
    firn_saves_loaded_free(&request->loaded);
    firn_doc_clear(request->doc);
    firn_buffer_clear(&request->bytes);
    request->next = saves->requests.spare;
    saves->requests.spare = request;
}

static bool is_any(const fr_request *request)
{
    (void)request;
    return true;
}

static bool is_of_world(const fr_request *request)
{
    return request->load || request->enter;
}

void fr_requests_drop_enter(firn_saves *saves)
{
    if (saves->requests.enter != NULL) {
        drop_request(saves, saves->requests.enter);
        saves->requests.enter = NULL;
    }
}

void fr_requests_drop(firn_saves *saves)
{
    fr_requests *requests = &saves->requests;
    fr_request *request;
    while ((request = take_first(&requests->saves, is_any)) != NULL ||
           (request = take_first(&requests->done, is_of_world)) != NULL) {
        drop_request(saves, request);
    }
    if (requests->load != NULL) {
        drop_request(saves, requests->load);
        requests->load = NULL;
    }
    fr_requests_drop_enter(saves);
}

void fr_requests_free(firn_saves *saves)
{
    fr_requests *requests = &saves->requests;
    fr_requests_drop(saves);
    fr_request *request;
    while ((request = take_first(&requests->done, is_any)) != NULL) {
        drop_request(saves, request);
    }
    while ((request = requests->spare) != NULL) {
        requests->spare = request->next;
        firn_doc_destroy(request->doc);
        firn_buffer_free(&request->bytes);
        fr_free(&saves->allocator, request, 1, sizeof *request, alignof(fr_request));
    }
}

// ---------------------------------------------------------------- what is asked for

// The meta of a save as a value of the request's own, by way of its encoding.
static firn_result keep_meta(firn_saves *saves, fr_request *request, const firn_value *meta,
                             firn_error *err)
{
    firn_result result = firn_value_encode(meta, &saves->limits, &request->bytes, err);
    if (result != FIRN_OK) {
        return result;
    }
    firn_error why;
    if (request->doc == NULL) {
        request->doc = firn_doc_create(&saves->allocator, &saves->limits, &why);
    }
    request->options.meta =
        request->doc == NULL
            ? NULL
            : firn_value_decode(request->doc, request->bytes.data, request->bytes.size, &why);
    firn_buffer_clear(&request->bytes);
    return request->options.meta != NULL ? FIRN_OK : fr_fail_copy(err, &why);
}

// The sections: an array of them, then their names and bytes, in one piece.
static firn_result keep_sections(fr_request *request, const firn_saves_write_options *from,
                                 firn_error *err)
{
    size_t size = from->section_count * sizeof(firn_section);
    bool fits = true;
    for (uint32_t i = 0; i < from->section_count; i++) {
        fits = fits && fr_add_size(size, strlen(from->sections[i].name) + 1, &size) &&
               fr_add_size(size, from->sections[i].size, &size);
    }
    firn_result result = fits ? firn_buffer_reserve(&request->bytes, size, err)
                              : fr_fail_memory(err, "the sections of a save");
    if (result != FIRN_OK || from->section_count == 0) {
        return result;
    }
    firn_section *sections = (firn_section *)(void *)request->bytes.data;
    char *at = (char *)(sections + from->section_count);
    for (uint32_t i = 0; i < from->section_count; i++) {
        const firn_section *section = &from->sections[i];
        size_t name = strlen(section->name) + 1;
        memcpy(at, section->name, name);
        if (section->size > 0) {
            memcpy(at + name, section->bytes, section->size);
        }
        sections[i] = (firn_section){at, at + name, section->size};
        at += name + section->size;
    }
    request->options.sections = sections;
    request->options.section_count = from->section_count;
    return FIRN_OK;
}

static firn_result keep_options(firn_saves *saves, fr_request *request,
                                const firn_saves_write_options *from, firn_error *err)
{
    if (from == NULL) {
        return FIRN_OK;
    }
    request->options.force = from->force;
    firn_result result = from->meta == NULL ? FIRN_OK : keep_meta(saves, request, from->meta, err);
    return result == FIRN_OK ? keep_sections(request, from, err) : result;
}

static firn_result check_playing(const firn_saves *saves, firn_error *err)
{
    firn_result result = fr_saves_check(saves, err);
    return result == FIRN_OK && !saves->playing
               ? fr_fail(err, FIRN_BUSY, "play", "the editor is outside of play")
               : result;
}

static firn_result check_request(const firn_saves *saves, const char *slot, firn_error *err)
{
    firn_result result = fr_saves_check(saves, err);
    if (result == FIRN_OK) {
        result = fr_saves_check_slot(saves, slot, err);
    }
    return result == FIRN_OK ? check_playing(saves, err) : result;
}

// Puts the request of a save in the place of one for the same slot that is not about to be done, or
// at the end.
static void add_save(firn_saves *saves, fr_request *request)
{
    fr_request_list *list = &saves->requests.saves;
    fr_request *before = NULL;
    for (fr_request *at = list->first; at != NULL; before = at, at = at->next) {
        if (!at->due && !at->autosave && strcmp(at->slot, request->slot) == 0) {
            request->next = at->next;
            if (before != NULL) {
                before->next = request;
            } else {
                list->first = request;
            }
            if (list->last == at) {
                list->last = request;
            }
            drop_request(saves, at);
            return;
        }
    }
    append_request(list, request);
}

// FIRN_BUSY: a save runs in the background, and no other one may be asked for meanwhile.
static firn_result check_second_save(firn_saves *saves, firn_error *err)
{
    const char *slot = saves->second_save == FIRN_SECOND_SAVE_BUSY ? fr_worker_slot(saves) : NULL;
    return slot == NULL ? FIRN_OK
                        : fr_fail(err, FIRN_BUSY, slot, "a background save to %s runs", slot);
}

firn_result firn_saves_request_save(firn_saves *saves, const char *slot,
                                    const firn_saves_write_options *options, firn_error *err)
{
    firn_result result = check_request(saves, slot, err);
    if (result == FIRN_OK) {
        result = fr_draft_check_options(saves, options, err);
    }
    if (result == FIRN_OK) {
        result = check_second_save(saves, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    fr_request *request = make_request(saves, slot, err);
    if (request == NULL) {
        return FIRN_NO_MEMORY;
    }
    result = keep_options(saves, request, options, err);
    if (result != FIRN_OK) {
        drop_request(saves, request);
        return result;
    }
    add_save(saves, request);
    return FIRN_OK;
}

// FIRN_NOT_FOUND: nothing is in the slot, or on its way to it.
static firn_result check_filled(firn_saves *saves, const char *slot, firn_error *err)
{
    for (const fr_request *at = saves->requests.saves.first; at != NULL; at = at->next) {
        if (!at->autosave && strcmp(at->slot, slot) == 0) {
            return FIRN_OK;
        }
    }
    firn_error why;
    firn_result result = fr_worker_writes(saves, slot) ? FIRN_OK : fr_slot_find(saves, slot, &why);
    // What cannot be read is no empty slot: the load will say why.
    return result == FIRN_NOT_FOUND || result == FIRN_NO_MEMORY ? fr_fail_copy(err, &why) : FIRN_OK;
}

firn_result firn_saves_request_load(firn_saves *saves, const char *slot, firn_error *err)
{
    firn_result result = check_request(saves, slot, err);
    if (result == FIRN_OK) {
        result = check_filled(saves, slot, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    fr_request *request = saves->requests.load;
    if (request == NULL) {
        request = make_request(saves, slot, err);
        if (request == NULL) {
            return FIRN_NO_MEMORY;
        }
        request->load = true;
        saves->requests.load = request;
    }
    memcpy(request->slot, slot, strlen(slot) + 1);
    return FIRN_OK;
}

firn_result firn_saves_request_enter(firn_saves *saves, const char *level, firn_error *err)
{
    firn_result result = check_playing(saves, err);
    if (result == FIRN_OK) {
        result = fr_level_check(saves, level, err);
    }
    fr_request *request = result == FIRN_OK ? make_request(saves, "", err) : NULL;
    if (request == NULL) {
        return result == FIRN_OK ? FIRN_NO_MEMORY : result;
    }
    request->enter = true;
    result = firn_buffer_append(&request->bytes, level, strlen(level) + 1, err);
    if (result != FIRN_OK) {
        drop_request(saves, request);
        return result;
    }
    fr_requests_drop_enter(saves);
    saves->requests.enter = request;
    return FIRN_OK;
}

// ---------------------------------------------------------------- told

void fr_request_done(firn_saves *saves, fr_request *request, firn_result result,
                     const firn_error *why)
{
    request->result = result;
    if (result != FIRN_OK) {
        request->error = *why;
    }
    append_request(&saves->requests.done, request);
}

static firn_result tell_request(firn_saves *saves, const fr_request *request, firn_error *err)
{
    firn_saves_event event = {.slot = request->slot, .result = request->result};
    bool done = request->result == FIRN_OK || request->result == FIRN_NOT_DURABLE;
    firn_event_kind kind = done ? saves->saved : saves->save_failed;
    if (request->result != FIRN_OK) {
        event.error = &request->error;
    }
    if (request->load) {
        kind = saves->loaded;
        event.loaded = &request->loaded;
    } else if (request->enter) {
        kind = saves->entered;
        event.slot = (const char *)request->bytes.data;
    }
    uint32_t index;
    return fr_event_kind_of(saves->world, kind, &index, err)
               ? fr_event_publish(saves->world, index, &event, err)
               : FIRN_INVALID;
}

static bool is_now(const fr_request *request)
{
    return !request->later;
}

// Tells what is done, until an observer closes the manager. The first failure of an observer is the
// result.
static firn_result tell_done(firn_saves *saves, bool (*is)(const fr_request *request),
                             firn_error *err)
{
    firn_error why;
    firn_result first = FIRN_OK;
    fr_request *request;
    saves->tells++;
    while (!saves->closed && (request = take_first(&saves->requests.done, is)) != NULL) {
        firn_result result = tell_request(saves, request, &why);
        if (first == FIRN_OK && result != FIRN_OK) {
            first = fr_fail_copy(err, &why);
        }
        drop_request(saves, request);
    }
    saves->tells--;
    return first;
}

// The end of a call that tells: of the manager too, if an observer closed it.
static firn_result end_telling(firn_saves *saves, firn_result result)
{
    if (saves->closed && saves->tells == 0) {
        fr_saves_free(saves);
    }
    return result;
}

firn_result firn_saves_tell(firn_saves *saves, firn_error *err)
{
    firn_result result = fr_saves_check(saves, err);
    if (result == FIRN_OK) {
        result = fr_saves_check_free(saves, err);
    }
    if (result == FIRN_OK) {
        result = fr_world_check_idle(saves->world, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    fr_worker_look(saves, false);
    return end_telling(saves, tell_done(saves, is_any, err));
}

// ---------------------------------------------------------------- the end of a tick

static bool is_due(const fr_request *request)
{
    return request->due;
}

// The save of an autosave, whose slot is chosen when it is packed.
static firn_result write_autosave(firn_saves *saves, fr_request *request, firn_error *err)
{
    fr_draft draft;
    firn_buffer file;
    firn_digest identity;
    firn_buffer_init(&file, &saves->allocator);
    fr_draft_init(&draft, saves);
    firn_result result = fr_draft_make(&draft, NULL, err);
    if (result == FIRN_OK) {
        result = fr_draft_write(&draft, &file, &identity, err);
    }
    if (result == FIRN_OK) {
        result = fr_request_put(saves, request, &file, err);
        if (result == FIRN_OK || result == FIRN_NOT_DURABLE) {
            fr_draft_saved(&draft, identity);
        }
    }
    fr_draft_free(&draft);
    firn_buffer_free(&file);
    return result;
}

static firn_result write_now(firn_saves *saves, fr_request *request, firn_error *err)
{
    return request->autosave ? write_autosave(saves, request, err)
                             : firn_saves_write(saves, request->slot, &request->options, err);
}

static void do_save(firn_saves *saves, fr_request *request)
{
    firn_error why;
    firn_result result =
        saves->background ? fr_worker_begin(saves, request, &why) : write_now(saves, request, &why);
    if (!saves->background || result != FIRN_OK) {
        fr_request_done(saves, request, result, &why);
    }
}

// Does the saves that are due. now: none of them may wait for a later tick.
static void do_saves(firn_saves *saves, bool now)
{
    fr_request *request;
    while (saves->requests.saves.first != NULL) {
        if (firn_saves_writing(saves)) {
            if (!now) {
                break;
            }
            fr_worker_finish(saves);
        }
        request = take_first(&saves->requests.saves, is_due);
        if (request == NULL) {
            break;
        }
        do_save(saves, request);
    }
    for (request = saves->requests.saves.first; request != NULL; request = request->next) {
        request->due = false;
    }
}

static firn_result do_load(firn_saves *saves, fr_request *request)
{
    firn_error why;
    fr_worker_finish(saves);
    firn_result result = firn_saves_read(saves, request->slot, &request->loaded, &why);
    fr_request_done(saves, request, result, &why);
    return result;
}

static void do_enter(firn_saves *saves, fr_request *request)
{
    firn_error why;
    firn_result result = firn_saves_enter(saves, (const char *)request->bytes.data, &why);
    fr_request_done(saves, request, result, &why);
}

// Asks for an autosave, when one is due in this tick and none waits.
static firn_result request_autosave(firn_saves *saves, double seconds, firn_error *err)
{
    fr_requests *requests = &saves->requests;
    if (!(saves->autosave_seconds > 0) || saves->storage.abi == 0 ||
        requests->played + seconds < saves->autosave_seconds) {
        return FIRN_OK;
    }
    for (const fr_request *at = requests->saves.first; at != NULL; at = at->next) {
        if (at->autosave) {
            return FIRN_OK;
        }
    }
    fr_request *autosave = make_request(saves, FIRN_SLOT_AUTOSAVE, err);
    if (autosave == NULL) {
        return FIRN_NO_MEMORY;
    }
    autosave->autosave = true;
    prepend_request(&requests->saves, autosave);
    return FIRN_OK;
}

static void play_on(firn_saves *saves, double seconds)
{
    fr_requests *requests = &saves->requests;
    double left = DBL_MAX - saves->line.play_time;
    saves->line.play_time += seconds < left ? seconds : left;
    requests->played += seconds;
    if (requests->played >= saves->autosave_seconds) {
        requests->played -= saves->autosave_seconds;
        if (requests->played >= saves->autosave_seconds) { // more than one was missed
            requests->played = 0;
        }
    }
}

static firn_result check_end_tick(const firn_saves *saves, double seconds, firn_error *err)
{
    firn_result result = fr_saves_check(saves, err);
    if (result == FIRN_OK && !(seconds >= 0 && seconds <= DBL_MAX)) {
        result = fr_fail(err, FIRN_INVALID, "seconds", "a tick of %g seconds", seconds);
    }
    return result == FIRN_OK ? fr_saves_check_rests(saves, NULL, err) : result;
}

firn_result firn_saves_end_tick(firn_saves *saves, double seconds, firn_error *err)
{
    firn_result result = check_end_tick(saves, seconds, err);
    if (result == FIRN_OK && saves->playing) {
        result = request_autosave(saves, seconds, err);
    }
    if (result != FIRN_OK) {
        return result;
    }
    // What observers ask for from here on is done at the end of a later tick.
    fr_request *load = saves->requests.load;
    fr_request *enter = saves->requests.enter;
    saves->requests.load = NULL;
    saves->requests.enter = NULL;
    for (fr_request *at = saves->requests.saves.first; at != NULL; at = at->next) {
        at->due = true;
    }
    fr_worker_look(saves, true);
    result = tell_done(saves, is_any, err);
    if (saves->playing) {
        play_on(saves, seconds);
    }
    // Those of this tick are of the world that a load or another level ends.
    bool now = saves->second_save == FIRN_SECOND_SAVE_WAITS || load != NULL || enter != NULL;
    do_saves(saves, now);
    firn_result told = tell_done(saves, is_now, result == FIRN_OK ? err : NULL);
    bool dropped = false; // the change of level
    if (load != NULL && saves->closed) {
        drop_request(saves, load);
    } else if (load != NULL && do_load(saves, load) == FIRN_OK) {
        dropped = true;
    }
    if (enter != NULL && (dropped || saves->closed)) {
        drop_request(saves, enter);
    } else if (enter != NULL) {
        do_enter(saves, enter);
    }
    return end_telling(saves, result == FIRN_OK ? told : result);
}
