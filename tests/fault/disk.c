#include "fault/disk.h"

#include "base/hash.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

static disk *the_disk;

static void *must_alloc(size_t size)
{
    void *block = malloc(size);
    assert_non_null(block);
    return block;
}

void disk_format(disk *d)
{
    memset(d, 0, sizeof *d);
    for (int i = 0; i < DISK_NODES; i++) {
        d->nodes[i].locked = -1;
        for (int j = 0; j < DISK_NAMES; j++) {
            d->nodes[i].names[j].node = d->nodes[i].stored[j].node = DISK_NO_NODE;
        }
    }
    for (int i = 0; i < DISK_OPEN; i++) {
        d->descriptors[i] = -1;
    }
    d->nodes[0].used = d->nodes[0].folder = true;
    d->nodes[0].mode = 0755;
    d->ticks = 1;
}

void disk_use(disk *d)
{
    the_disk = d;
}

disk *disk_in_use(void)
{
    return the_disk;
}

void disk_end_processes(disk *d)
{
    memset(d->descriptions, 0, sizeof d->descriptions);
    memset(d->streams, 0, sizeof d->streams);
    for (int i = 0; i < DISK_OPEN; i++) {
        d->descriptors[i] = -1;
    }
    for (int i = 0; i < DISK_NODES; i++) {
        d->nodes[i].locked = -1;
    }
}

int disk_open_descriptors(const disk *d)
{
    int count = 0;
    for (int i = 0; i < DISK_OPEN; i++) {
        count += d->descriptors[i] >= 0;
    }
    return count;
}

static int find_in(const disk_node *folder, const char *name, size_t size)
{
    for (int i = 0; i < DISK_NAMES; i++) {
        const disk_name *at = &folder->names[i];
        if (at->node != DISK_NO_NODE && strlen(at->name) == size &&
            memcmp(at->name, name, size) == 0) {
            return at->node;
        }
    }
    return DISK_NO_NODE;
}

int disk_find(const disk *d, const char *path)
{
    const char *at = path + strlen(DISK_ROOT);
    int node = 0;
    while (node != DISK_NO_NODE && *at != 0) {
        size_t size = strcspn(at, "/");
        if (size > 0 && !(size == 1 && at[0] == '.')) {
            node = d->nodes[node].folder ? find_in(&d->nodes[node], at, size) : DISK_NO_NODE;
        }
        at += size + (at[size] == '/');
    }
    return node;
}

const disk_version *disk_contents(const disk *d, int node)
{
    return &d->nodes[node].versions[d->nodes[node].version_count - 1];
}

int disk_count_names(const disk *d, const char *folder, const char *ending)
{
    int node = disk_find(d, folder), count = 0;
    for (int i = 0; node != DISK_NO_NODE && i < DISK_NAMES; i++) {
        const disk_name *at = &d->nodes[node].names[i];
        size_t size = strlen(at->name), end = strlen(ending);
        count +=
            at->node != DISK_NO_NODE && size >= end && strcmp(at->name + size - end, ending) == 0;
    }
    return count;
}

// ---- names

static void set_name(disk_node *folder, const char *name, int node)
{
    disk_name *place = NULL;
    for (int i = DISK_NAMES - 1; i >= 0; i--) {
        disk_name *at = &folder->names[i];
        if (at->node != DISK_NO_NODE && strcmp(at->name, name) == 0) {
            place = at;
            break;
        }
        if (at->node == DISK_NO_NODE) {
            place = at;
        }
    }
    assert_non_null(place);
    strcpy(place->name, name);
    place->node = node;
}

void disk_change_names(disk_node *folder, const disk_change *change)
{
    for (int i = 0; i < change->count; i++) {
        set_name(folder, change->names[i].name, change->names[i].node);
    }
    assert_true(folder->change_count < DISK_CHANGES);
    folder->changes[folder->change_count++] = *change;
}

void disk_change_name(disk_node *folder, const char *name, int node)
{
    disk_change change = {.count = 1};
    strcpy(change.names[0].name, name);
    change.names[0].node = node;
    disk_change_names(folder, &change);
}

static bool names_hold(const disk_name *names, int count, int node)
{
    for (int i = 0; i < count; i++) {
        if (names[i].node == node) {
            return true;
        }
    }
    return false;
}

// Whether anything may still come back to the node.
static bool is_held(const disk *d, int node)
{
    for (int i = 0; i < DISK_OPEN; i++) {
        if (d->descriptions[i].uses > 0 && d->descriptions[i].node == node) {
            return true;
        }
    }
    for (int i = 0; i < DISK_NODES; i++) {
        const disk_node *at = &d->nodes[i];
        if (!at->used || !at->folder) {
            continue;
        }
        if (names_hold(at->names, DISK_NAMES, node) || names_hold(at->stored, DISK_NAMES, node)) {
            return true;
        }
        for (int j = 0; j < at->change_count; j++) {
            if (names_hold(at->changes[j].names, at->changes[j].count, node)) {
                return true;
            }
        }
    }
    return false;
}

int disk_make_node(disk *d, bool folder, mode_t mode)
{
    for (int i = 1; i < DISK_NODES; i++) {
        disk_node *node = &d->nodes[i];
        if (!node->used || !is_held(d, i)) {
            memset(node, 0, sizeof *node);
            *node = (disk_node){.used = true, .folder = folder, .mode = mode, .locked = -1};
            node->version_count = 1;
            node->time.tv_sec = (time_t)(1800000000 + d->ticks++);
            for (int j = 0; j < DISK_NAMES; j++) {
                node->names[j].node = node->stored[j].node = DISK_NO_NODE;
            }
            return i;
        }
    }
    fail_msg("%s", "too many files");
    return DISK_NO_NODE;
}

// ---- what a power loss leaves

// The names of a folder, numbered: their nodes in some state of it.
typedef struct name_table {
    int8_t nodes[DISK_NAMES];
} name_table;

typedef struct name_states {
    char names[DISK_NAMES][DISK_NAME_SIZE];
    int name_count;
    struct {
        uint32_t applied; // a bit for each change
        name_table table;
    } reached[4096]; // by some changes in some order
    int reached_count;
    name_table tables[512]; // those of them that differ
    int table_count;
} name_states;

static int name_number(name_states *s, const char *name)
{
    for (int i = 0; i < s->name_count; i++) {
        if (strcmp(s->names[i], name) == 0) {
            return i;
        }
    }
    assert_true(s->name_count < DISK_NAMES);
    strcpy(s->names[s->name_count], name);
    return s->name_count++;
}

static void reach(name_states *s, uint32_t applied, const name_table *table)
{
    for (int i = 0; i < s->reached_count; i++) {
        if (s->reached[i].applied == applied &&
            memcmp(&s->reached[i].table, table, sizeof *table) == 0) {
            return;
        }
    }
    assert_true(s->reached_count < 4096);
    s->reached[s->reached_count].applied = applied;
    s->reached[s->reached_count++].table = *table;
    for (int i = 0; i < s->table_count; i++) {
        if (memcmp(&s->tables[i], table, sizeof *table) == 0) {
            return;
        }
    }
    assert_true(s->table_count < 512);
    s->tables[s->table_count++] = *table;
}

// Every subset of the changes in every order.
static void find_states(const disk_node *folder, name_states *s)
{
    name_table table;
    s->name_count = s->reached_count = s->table_count = 0;
    memset(&table, DISK_NO_NODE, sizeof table);
    for (int i = 0; i < DISK_NAMES; i++) {
        if (folder->stored[i].node != DISK_NO_NODE) {
            table.nodes[name_number(s, folder->stored[i].name)] = (int8_t)folder->stored[i].node;
        }
    }
    reach(s, 0, &table);
    for (int at = 0; at < s->reached_count; at++) {
        for (int i = 0; i < folder->change_count; i++) {
            uint32_t applied = s->reached[at].applied;
            if ((applied >> i & 1) == 0) {
                const disk_change *change = &folder->changes[i];
                table = s->reached[at].table;
                for (int j = 0; j < change->count; j++) {
                    table.nodes[name_number(s, change->names[j].name)] =
                        (int8_t)change->names[j].node;
                }
                reach(s, applied | UINT32_C(1) << i, &table);
            }
        }
    }
}

typedef struct power_loss {
    const disk *d;
    bool (*each)(void *user, disk *left);
    void *user;
    disk *left;
    bool stopped;
} power_loss;

static void lose_data(power_loss *loss, int node);

// Whether an earlier version has the same bytes in the block.
static bool same_block_before(const disk_node *node, int version, size_t from)
{
    for (int i = 0; i < version; i++) {
        if (memcmp(node->versions[i].bytes + from, node->versions[version].bytes + from,
                   DISK_BLOCK) == 0) {
            return true;
        }
    }
    return false;
}

static bool same_size_before(const disk_node *node, int version)
{
    for (int i = 0; i < version; i++) {
        if (node->versions[i].size == node->versions[version].size) {
            return true;
        }
    }
    return false;
}

// Any version of each block from `from` on, and any size.
static void lose_blocks(power_loss *loss, int number, size_t from)
{
    const disk_node *node = &loss->d->nodes[number];
    disk_version *left = &loss->left->nodes[number].versions[0];
    for (int i = 0; i < node->version_count && !loss->stopped; i++) {
        if (from == DISK_FILE_MOST && !same_size_before(node, i)) {
            uint8_t kept[DISK_FILE_MOST];
            memcpy(kept, left->bytes, sizeof kept);
            left->size = node->versions[i].size;
            memset(left->bytes + left->size, 0, DISK_FILE_MOST - left->size);
            lose_data(loss, number + 1);
            memcpy(left->bytes, kept, sizeof kept);
        } else if (from < DISK_FILE_MOST && !same_block_before(node, i, from)) {
            memcpy(left->bytes + from, node->versions[i].bytes + from, DISK_BLOCK);
            lose_blocks(loss, number, from + DISK_BLOCK);
        }
    }
}

static bool has_name(const disk *d, int node)
{
    for (int i = 0; i < DISK_NODES; i++) {
        for (int j = 0; j < DISK_NAMES; j++) {
            if (d->nodes[i].used && d->nodes[i].names[j].node == node) {
                return true;
            }
        }
    }
    return false;
}

// The files from `number` on that have a name in what is left.
static void lose_data(power_loss *loss, int number)
{
    while (number < DISK_NODES && (!loss->d->nodes[number].used || loss->d->nodes[number].folder ||
                                   !has_name(loss->left, number))) {
        number++;
    }
    if (number == DISK_NODES) {
        loss->stopped = !loss->each(loss->user, loss->left);
        return;
    }
    disk_node *left = &loss->left->nodes[number];
    left->used = true;
    left->mode = loss->d->nodes[number].mode;
    left->time = loss->d->nodes[number].time;
    left->version_count = 1;
    lose_blocks(loss, number, 0);
    left->used = false;
}

// The folders from `number` on that have a name, the root first: a folder's number is larger than
// that of the one it is in.
static void lose_names(power_loss *loss, int number)
{
    while (number < DISK_NODES && (!loss->d->nodes[number].used || !loss->d->nodes[number].folder ||
                                   (number > 0 && !has_name(loss->left, number)))) {
        number++;
    }
    if (number == DISK_NODES) {
        lose_data(loss, 0);
        return;
    }
    name_states *s = must_alloc(sizeof *s);
    find_states(&loss->d->nodes[number], s);
    disk_node *left = &loss->left->nodes[number];
    left->used = left->folder = true;
    left->mode = loss->d->nodes[number].mode;
    for (int i = 0; i < s->table_count && !loss->stopped; i++) {
        for (int j = 0; j < s->name_count; j++) {
            strcpy(left->names[j].name, s->names[j]);
            left->names[j].node = s->tables[i].nodes[j];
        }
        memcpy(left->stored, left->names, sizeof left->stored);
        lose_names(loss, number + 1);
    }
    left->used = number == 0;
    for (int j = 0; j < DISK_NAMES; j++) {
        left->names[j].node = left->stored[j].node = DISK_NO_NODE;
    }
    free(s);
}

void disk_lose_power(const disk *d, bool (*each)(void *user, disk *left), void *user)
{
    power_loss loss = {.d = d, .each = each, .user = user, .left = must_alloc(sizeof(disk))};
    disk_format(loss.left);
    loss.left->ticks = d->ticks + 1000;
    lose_names(&loss, 0);
    free(loss.left);
}

static uint64_t hash_node(const disk *d, int number)
{
    const disk_node *node = &d->nodes[number];
    uint64_t sum = (uint64_t)number;
    if (!node->folder) {
        const disk_version *contents = disk_contents(d, number);
        return fr_hash_seeded(contents->bytes, contents->size, sum);
    }
    for (int i = 0; i < DISK_NAMES; i++) {
        const disk_name *at = &node->names[i];
        if (at->node != DISK_NO_NODE) {
            sum += fr_hash_seeded(at->name, strlen(at->name), hash_node(d, at->node));
        }
    }
    return fr_hash(&sum, sizeof sum);
}

uint64_t disk_hash(const disk *d)
{
    return hash_node(d, 0);
}
