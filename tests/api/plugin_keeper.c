#include "api/plugin_keeper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void keeper_note(keeper_log *log, const char *name, const char *what)
{
    size_t used = strlen(log->text);
    int n = snprintf(log->text + used, sizeof log->text - used, "%s:%s;", name, what);
    assert_true(n > 0 && (size_t)n < sizeof log->text - used);
}

// What the keeper is called for, and what it comes to.
static firn_result keeper_called(keeper *k, const char *what, firn_error *err)
{
    keeper_note(k->log, k->name, what);
    if (k->fails == NULL || strcmp(k->fails, what) != 0)
        return FIRN_OK;
    if (!k->silent) {
        err->code = k->result;
        snprintf(err->message, sizeof err->message, "%s says no", what);
    }
    return k->result;
}

static firn_result keeper_save(void *user, firn_world *world, firn_writer *out, firn_error *err)
{
    keeper *k = user;
    (void)world;
    if (k->number != 0)
        firn_write_number(out, k->number);
    else
        firn_write_nil(out);
    return keeper_called(k, "save", err);
}

static firn_result keeper_check(void *user, firn_world *world, firn_reader *in, void **prepared,
                                firn_error *err)
{
    keeper *k = user;
    (void)world;
    assert_null(*prepared);
    firn_result result = keeper_called(k, in != NULL ? "check" : "check nothing", err);
    if (result != FIRN_OK)
        return result;
    double *number = malloc(sizeof *number);
    assert_non_null(number);
    *number = in != NULL ? firn_read_number(in) : 0;
    *prepared = number;
    k->held++;
    return FIRN_OK;
}

static void keeper_commit(void *user, firn_world *world, void *prepared)
{
    keeper *k = user;
    (void)world;
    keeper_note(k->log, k->name, "commit");
    k->number = *(double *)prepared;
    free(prepared);
    k->held--;
}

static void keeper_discard(void *user, firn_world *world, void *prepared)
{
    keeper *k = user;
    (void)world;
    keeper_note(k->log, k->name, "discard");
    free(prepared);
    k->held--;
}

static firn_result keeper_load(void *user, firn_world *world, firn_reader *in, firn_error *err)
{
    keeper *k = user;
    (void)world;
    char what[40];
    snprintf(what, sizeof what, "load %g", firn_read_number(in));
    keeper_note(k->log, k->name, what);
    if (k->fails == NULL || strcmp(k->fails, "load") != 0)
        return FIRN_OK;
    err->code = k->result;
    snprintf(err->message, sizeof err->message, "load says no");
    return k->result;
}

static firn_result keeper_finish(void *user, firn_world *world, const firn_prelude *prelude,
                                 firn_error *err)
{
    keeper *k = user;
    assert_int_equal(prelude->entity_count, firn_entity_count(world));
    return keeper_called(k, "finish", err);
}

firn_handler keeper_handler(keeper *k)
{
    return (firn_handler){FIRN_ABI,     k->name,       keeper_save,
                          keeper_check, keeper_commit, keeper_discard,
                          keeper_load,  keeper_finish, k};
}

void keeper_add(keeper *k, firn_world *world)
{
    firn_error err;
    firn_handler handler = keeper_handler(k);
    assert_ok(firn_handler_add(world, &handler, &err), &err);
}
