// A dungeon of three rooms: what a save of persisted entities brings back, and what keeps running.
// examples/dungeon tells the same story in Lua.
#include <firn/firn.h>

#include <stdio.h>
#include <string.h>

typedef struct dungeon {
    firn_world *world;
    firn_saves *saves;
    firn_component open;  // of doors and chests
    firn_component life;  // of who fights
    firn_component rooms; // of the bat, which counts those that it sees
} dungeon;

// ---------------------------------------------------------------- the rooms

// The scene files. `local` is what a file calls a thing; a door needs a key and leads to a room, a
// chest holds something.
static const struct thing {
    const char *room;
    uint64_t local;
    const char *name, *needs, *leads, *holds;
} things[] = {
    {.room = "hall", .local = 1, .name = "hermit"},
    {.room = "hall", .local = 2, .name = "key"},
    {.room = "hall", .local = 3, .name = "door", .needs = "key", .leads = "crypt"},
    {.room = "crypt", .local = 1, .name = "ghoul"},
    {.room = "crypt", .local = 2, .name = "chest", .holds = "seal"},
    {.room = "crypt", .local = 3, .name = "gate", .needs = "seal", .leads = "vault"},
    {.room = "vault", .local = 1, .name = "coffer", .holds = "crown"},
};

static const struct thing *const things_end = things + sizeof things / sizeof *things;

static bool is(const char *text, const char *other)
{
    return text != NULL && strcmp(text, other) == 0;
}

static firn_entity the(const dungeon *d, const char *name)
{
    return firn_find_key(d->world, name, strlen(name));
}

static firn_entity make_thing(dungeon *d, const struct thing *thing, bool done)
{
    firn_entity entity = firn_spawn(d->world, NULL, 0, NULL);
    firn_set_text(d->world, entity, firn_key(d->world), thing->name, NULL);
    firn_persist_set(d->world, entity, &(firn_persist){.mode = FIRN_PERSIST_ALL}, NULL);
    if (thing->leads || thing->holds) {
        firn_set(d->world, entity, d->open, &done, NULL);
    } else if (is(thing->name, "ghoul")) {
        firn_set(d->world, entity, d->life, &(double){2}, NULL);
        firn_machine_set(d->world, entity, "ghoul", "roams", NULL);
    }
    return entity;
}

// Makes a room from its scene file, and tells the manager which entity is which. What was done on
// an earlier visit is in variables; on the way to a save it does not count, as that has all of it.
static firn_result enter(void *user, const char *room, bool for_restore, firn_world **world,
                         firn_error *err)
{
    (void)world;
    dungeon *d = user;
    firn_entity entities[4];
    uint64_t locals[4];
    uint32_t count = 0;
    firn_saves_leave(d->saves, NULL); // all end but who is carried
    for (const struct thing *thing = things; thing < things_end; thing++) {
        bool done = !for_restore && firn_saves_variable(d->saves, thing->name) != NULL;
        if (is(thing->room, room) && (!done || thing->leads || thing->holds)) {
            entities[count] = make_thing(d, thing, done);
            locals[count++] = thing->local;
        }
    }
    *(double *)firn_get_mut(d->world, the(d, "bat"), d->rooms) += 1;
    return firn_saves_scene(d->saves, room, entities, locals, count, err);
}

// ---------------------------------------------------------------- script

// The hermit's candle burns wherever the player is.
static firn_result burn(void *user, firn_world *world, const firn_step_call *call, firn_error *err)
{
    dungeon *d = user;
    firn_value inches = *firn_saves_variable(d->saves, "candle");
    inches.as.number -= 1;
    printf("  [The candle burns down to %g inches.]\n", inches.as.number);
    firn_saves_set_variable(d->saves, "candle", &inches, NULL);
    return inches.as.number > 0 ? FIRN_OK : firn_script_end(world, call->number, err);
}

// The ghoul walks about; when it has come to the player it bites.
static firn_result roam(void *user, firn_world *world, const firn_step_call *call, firn_error *err)
{
    (void)user;
    static const char *const places[] = {"the altar", "a grave", "you"};
    int64_t place = firn_random_integer(firn_random_stream(world, "ghoul", NULL), 0, 2);
    printf("  The ghoul comes to %s.\n", places[place]);
    if (place == 2 && firn_machine_set(world, call->entity, "ghoul", "bites", err) == 0) {
        return err->code;
    }
    return FIRN_OK;
}

static firn_result bite(void *user, firn_world *world, const firn_step_call *call, firn_error *err)
{
    const dungeon *d = user;
    double *life = firn_get_mut(world, the(d, "player"), d->life);
    *life -= 1;
    printf("  It bites: you have %g lives.\n", *life);
    return firn_machine_set(world, call->entity, "ghoul", "roams", err) != 0 ? FIRN_OK : err->code;
}

// ---------------------------------------------------------------- commands

static bool has(const dungeon *d, const char *thing)
{
    firn_doc *doc = firn_doc_create(NULL, NULL, NULL);
    bool found = firn_vars_get(d->world, the(d, "player"), thing, doc, NULL) != NULL;
    firn_doc_destroy(doc);
    return found;
}

static const firn_value yes = {.kind = FIRN_VALUE_BOOL, .as.boolean = true};

static void set_done(dungeon *d, const char *thing)
{
    firn_saves_set_variable(d->saves, thing, &yes, NULL);
}

static void take(dungeon *d, const char *thing)
{
    firn_vars_set(d->world, the(d, "player"), thing, &yes, NULL);
    printf("  You have the %s.\n", thing);
    if (the(d, thing) != 0) {
        set_done(d, thing);
        firn_despawn(d->world, the(d, thing), NULL);
    }
}

static void open(dungeon *d, const char *name)
{
    const struct thing *thing = things;
    while (!is(thing->name, name)) {
        thing++;
    }
    if (thing->needs != NULL && !has(d, thing->needs)) {
        printf("  It is locked.\n");
        return;
    }
    firn_set(d->world, the(d, name), d->open, &(bool){true}, NULL);
    set_done(d, name);
    printf("  The %s is open.\n", name);
    if (thing->holds != NULL) {
        take(d, thing->holds);
    }
}

static void hit(dungeon *d, const char *name)
{
    double *life = firn_get_mut(d->world, the(d, name), d->life);
    *life -= 1;
    printf("  You hit the %s%s.\n", name, *life > 0 ? "" : ", and it dies");
    if (*life <= 0) {
        set_done(d, name);
        firn_despawn(d->world, the(d, name), NULL);
    }
}

static void talk(dungeon *d)
{
    if (has(d, "crown")) {
        printf("  \"The crown! And my candle still burns.\"\n");
        return;
    }
    firn_value inches = {.kind = FIRN_VALUE_NUMBER, .as.number = 6};
    firn_saves_set_variable(d->saves, "candle", &inches, NULL);
    firn_timer_desc timer = {.provider = "hermit", .step = "burn", .delay = 4, .period = 4};
    firn_timer_start(d->world, &timer, NULL);
    printf("  \"Bring me the crown before my candle has burnt down.\"\n");
}

static void look(const dungeon *d)
{
    const char *room = firn_saves_scene_name(d->saves);
    printf("  The %s.", room);
    for (const struct thing *thing = things; thing < things_end; thing++) {
        const bool *opened = firn_get(d->world, the(d, thing->name), d->open);
        if (is(thing->room, room) && the(d, thing->name) != 0) {
            printf(" A %s%s.", thing->name, opened == NULL ? "" : *opened ? ", open" : ", closed");
        }
    }
    printf(" The bat counts %g.\n", *(const double *)firn_get(d->world, the(d, "bat"), d->rooms));
}

static void go(dungeon *d, const char *room)
{
    for (const struct thing *thing = things; thing < things_end; thing++) {
        const bool *opened = firn_get(d->world, the(d, thing->name), d->open);
        if (is(thing->leads, room) && opened != NULL && !*opened) {
            printf("  The %s is closed.\n", thing->name);
            return;
        }
    }
    firn_saves_enter(d->saves, room, NULL);
    look(d);
}

// A command, and the tick that it takes; saves and loads are done at its end.
static void play(dungeon *d, const char *verb, const char *noun)
{
    printf("> %s %s\n", verb, noun);
    if (is(verb, "talk to")) {
        talk(d);
    } else if (is(verb, "take")) {
        take(d, noun);
    } else if (is(verb, "open")) {
        open(d, noun);
    } else if (is(verb, "hit")) {
        hit(d, noun);
    } else if (is(verb, "go to")) {
        go(d, noun);
    } else if (is(verb, "save in")) {
        firn_saves_request_save(d->saves, noun, NULL, NULL);
    } else if (is(verb, "load")) {
        firn_saves_request_load(d->saves, noun, NULL);
    }
    firn_world_set_tick(d->world, firn_world_tick(d->world) + 1, NULL);
    firn_script_run(d->world, NULL);
    firn_saves_end_tick(d->saves, 1, NULL);
    if (is(verb, "load")) {
        look(d);
    }
}

// ---------------------------------------------------------------- the game

static void add_components(dungeon *d)
{
    firn_component_desc open_desc = {.name = "Open", .kind = FIRN_BOOLEAN};
    firn_component_desc life_desc = {.name = "Life", .kind = FIRN_NUMBER};
    firn_component_desc rooms_desc = {.name = "Rooms", .kind = FIRN_NUMBER};
    d->open = firn_component_register(d->world, &open_desc, NULL);
    d->life = firn_component_register(d->world, &life_desc, NULL);
    d->rooms = firn_component_register(d->world, &rooms_desc, NULL);
    firn_persist_register(d->world, NULL);
}

static void add_script(dungeon *d)
{
    const firn_step candle[] = {{"burn", burn}};
    const firn_step ghoul[] = {{"roams", roam}, {"bites", bite}};
    firn_provider_desc hermit_desc = {
        .name = "hermit", .steps = candle, .step_count = 1, .user = d};
    firn_provider_desc ghoul_desc = {.name = "ghoul", .steps = ghoul, .step_count = 2, .user = d};
    firn_provider_add(d->world, &hermit_desc, NULL);
    firn_provider_add(d->world, &ghoul_desc, NULL);
}

// Both come along into every room. The player is saved; the bat just flies on, whatever is loaded.
static void spawn_travellers(dungeon *d)
{
    firn_component carry = firn_carry_component(d->world);
    firn_entity player = firn_spawn(d->world, (firn_component[]){carry, d->life}, 2, NULL);
    firn_set(d->world, player, d->life, &(double){5}, NULL);
    firn_set_text(d->world, player, firn_key(d->world), "player", NULL);
    firn_persist_set(d->world, player, &(firn_persist){.id = "player", .spawned = true}, NULL);
    firn_entity bat = firn_spawn(d->world, (firn_component[]){carry, d->rooms}, 2, NULL);
    firn_set_text(d->world, bat, firn_key(d->world), "bat", NULL);
}

int main(void)
{
    static const char *const story[][2] = {
        {"talk to", "hermit"}, {"open", "door"},    {"take", "key"},   {"open", "door"},
        {"go to", "crypt"},    {"wait", "a while"}, {"hit", "ghoul"},  {"hit", "ghoul"},
        {"open", "chest"},     {"save in", "camp"}, {"open", "gate"},  {"go to", "vault"},
        {"open", "coffer"},    {"load", "camp"},    {"open", "gate"},  {"go to", "vault"},
        {"open", "coffer"},    {"go to", "crypt"},  {"go to", "hall"}, {"talk to", "hermit"},
    };
    dungeon d = {.world = firn_world_create(&(firn_world_desc){.name = "dungeon"}, NULL)};
    firn_storage storage;
    firn_storage_memory(NULL, &storage, NULL); // a game: firn_storage_folder
    add_components(&d);
    add_script(&d);
    spawn_travellers(&d);
    d.saves =
        firn_saves_open(d.world,
                        &(firn_saves_desc){.game = "dungeon",
                                           .kind = FIRN_SAVES_PERSISTED,
                                           .storage = &storage,
                                           .levels = &(firn_levels){.enter = enter, .user = &d}},
                        NULL);
    go(&d, "hall");
    for (size_t i = 0; i < sizeof story / sizeof *story; i++) {
        play(&d, story[i][0], story[i][1]);
    }
    firn_saves_close(d.saves);
    firn_world_destroy(d.world);
    firn_storage_close(&storage);
    return 0;
}
//   The hall. A hermit. A key. A door, closed. The bat counts 1.
// > talk to hermit
//   "Bring me the crown before my candle has burnt down."
// > open door
//   It is locked.
// > take key
//   You have the key.
// > open door
//   The door is open.
//   [The candle burns down to 5 inches.]
// > go to crypt
//   The crypt. A ghoul. A chest, closed. A gate, closed. The bat counts 2.
//   The ghoul comes to you.
// > wait a while
//   It bites: you have 4 lives.
// > hit ghoul
//   You hit the ghoul.
//   The ghoul comes to a grave.
// > hit ghoul
//   You hit the ghoul, and it dies.
//   [The candle burns down to 4 inches.]
// > open chest
//   The chest is open.
//   You have the seal.
// > save in camp
// > open gate
//   The gate is open.
// > go to vault
//   The vault. A coffer, closed. The bat counts 3.
//   [The candle burns down to 3 inches.]
// > open coffer
//   The coffer is open.
//   You have the crown.
// > load camp
//   The crypt. A chest, open. A gate, closed. The bat counts 4.
// > open gate
//   The gate is open.
// > go to vault
//   The vault. A coffer, closed. The bat counts 5.
//   [The candle burns down to 3 inches.]
// > open coffer
//   The coffer is open.
//   You have the crown.
// > go to crypt
//   The crypt. A chest, open. A gate, open. The bat counts 6.
// > go to hall
//   The hall. A hermit. A door, open. The bat counts 7.
// > talk to hermit
//   "The crown! And my candle still burns."
//   [The candle burns down to 2 inches.]
