#include "cli/tally.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// In this order they are printed.
typedef enum tally_group {
    TALLY_AROUND, ///< the save file around the snapshot
    TALLY_WHOLE,  ///< header, fields, order
    TALLY_ENTITIES,
    TALLY_COMPONENTS,
    TALLY_DATA
} tally_group;

typedef struct tally_count {
    tally_group group;
    uint64_t count;
    char label[256 + 16];
} tally_count;

void fr_cli_tally_begin(const fr_cli *cli, fr_cli_tally *tally)
{
    *tally = (fr_cli_tally){.total = 0};
    firn_buffer_init(&tally->counts, cli->host->allocator);
}

void fr_cli_tally_end(fr_cli_tally *tally)
{
    firn_buffer_free(&tally->counts);
}

// ---- what a difference counts as

static void set_label(tally_count *count, tally_group group, const char *label)
{
    count->group = group;
    (void)snprintf(count->label, sizeof count->label, "%s", label);
}

// A relation stands for all its targets.
static void label_component(tally_count *count, const char *component)
{
    set_label(count, TALLY_COMPONENTS, component);
    char *arrow = strstr(count->label, "->");
    if (arrow != NULL && arrow[2] != 0 && strspn(arrow + 2, "0123456789") == strlen(arrow + 2)) {
        *arrow = 0;
    }
}

static void label_data(tally_count *count, const char *key)
{
    static const char *const names[][2] = {
        {"__tecs.stateStack", "states"}, {"__tecs.pipeline", "phases"}, {"tecs.random", "random"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(key, names[i][0]) == 0) {
            set_label(count, TALLY_DATA, names[i][1]);
            return;
        }
    }
    count->group = TALLY_DATA;
    (void)snprintf(count->label, sizeof count->label, "data \"%s\"", key);
}

static void label_difference(tally_count *count, const firn_difference *difference, bool around)
{
    switch (difference->kind) {
    case FIRN_DIFFERENCE_HEADER:
        set_label(count, around ? TALLY_AROUND : TALLY_WHOLE, around ? "save header" : "header");
        break;
    case FIRN_DIFFERENCE_SCHEMA:
        set_label(count, TALLY_WHOLE, "fields");
        break;
    case FIRN_DIFFERENCE_ORDER:
        set_label(count, TALLY_WHOLE, "order");
        break;
    case FIRN_DIFFERENCE_ENTITY:
        set_label(count, TALLY_ENTITIES,
                  difference->in_left ? "entities only left" : "entities only right");
        break;
    case FIRN_DIFFERENCE_COMPONENT:
    case FIRN_DIFFERENCE_FIELD:
        label_component(count, difference->component);
        break;
    case FIRN_DIFFERENCE_DATA:
        if (around) {
            count->group = TALLY_AROUND;
            (void)snprintf(count->label, sizeof count->label, "save data \"%s\"",
                           difference->component);
        } else {
            label_data(count, difference->component);
        }
        break;
    }
}

// ---- counting

static tally_count *tally_counts(const fr_cli_tally *tally)
{
    return (tally_count *)(void *)tally->counts.data;
}

static size_t tally_size(const fr_cli_tally *tally)
{
    return tally->counts.size / sizeof(tally_count);
}

static int compare_labels(const tally_count *a, const tally_count *b)
{
    return a->group != b->group ? (int)a->group - (int)b->group : strcmp(a->label, b->label);
}

// The first that does not stand before `wanted`.
static size_t place_of_count(const fr_cli_tally *tally, const tally_count *wanted)
{
    size_t low = 0, high = tally_size(tally);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_labels(&tally_counts(tally)[middle], wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

firn_result fr_cli_tally_add(fr_cli_tally *tally, const firn_difference *difference, bool around,
                             firn_error *err)
{
    tally_count wanted = {.count = 0};
    label_difference(&wanted, difference, around);
    size_t place = place_of_count(tally, &wanted);
    if (place == tally_size(tally) || compare_labels(&tally_counts(tally)[place], &wanted) != 0) {
        firn_result result = firn_buffer_append(&tally->counts, &wanted, sizeof wanted, err);
        if (result != FIRN_OK) {
            return result;
        }
        tally_count *counts = tally_counts(tally);
        memmove(&counts[place + 1], &counts[place],
                (tally_size(tally) - place - 1) * sizeof *counts);
        counts[place] = wanted;
    }
    tally_counts(tally)[place].count++;
    tally->total++;
    bool is_last = difference->entity == tally->last &&
                   strncmp(difference->key, tally->last_key, sizeof tally->last_key - 1) == 0;
    if (wanted.group == TALLY_COMPONENTS && (tally->entities == 0 || !is_last)) {
        tally->last = difference->entity;
        (void)snprintf(tally->last_key, sizeof tally->last_key, "%s", difference->key);
        tally->entities++;
    }
    return FIRN_OK;
}

// ---- telling

static int by_number(const void *a, const void *b)
{
    const tally_count *left = a, *right = b;
    if (left->group == right->group && left->count != right->count) {
        return left->count > right->count ? -1 : 1;
    }
    return compare_labels(left, right);
}

static int digits_of(uint64_t number)
{
    return snprintf(NULL, 0, "%" PRIu64, number);
}

void fr_cli_tally_print(fr_cli *cli, fr_cli_tally *tally)
{
    tally_count *counts = tally_counts(tally);
    int width = digits_of(tally->total);
    fr_cli_style_set(cli, FR_CLI_BOLD);
    fr_cli_print(cli, "%" PRIu64 " differences", tally->total);
    fr_cli_style_set(cli, FR_CLI_PLAIN);
    fr_cli_print(cli, ", %" PRIu64 " entities changed\n", tally->entities);
    qsort(counts, tally_size(tally), sizeof *counts, by_number);
    for (size_t i = 0; i < tally_size(tally); i++) {
        fr_cli_print(cli, "  %*" PRIu64 "  ", width, counts[i].count);
        fr_cli_json_text(cli, counts[i].label, strlen(counts[i].label));
        fr_cli_write(cli, "\n", 1);
    }
}

void fr_cli_tally_tree(const fr_cli_tally *tally, fr_cli_tree *tree, firn_value *table)
{
    for (size_t i = 0; i < tally_size(tally); i++) {
        const tally_count *count = &tally_counts(tally)[i];
        fr_cli_tree_number(tree, table, count->label, (double)count->count);
    }
}
