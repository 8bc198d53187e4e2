// clock_gettime
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// What the repetitions of a scene took, and what was timed beside each.
typedef struct Samples {
    double *runs, *copies, *plains; // seconds
    double *ratios, *plain_ratios;
    double *block; // all of the above
    uint32_t count;
} Samples;

static bool make_samples(Samples *samples, uint32_t count)
{
    double *block = calloc(count, 5 * sizeof(double));
    *samples = (Samples){.block = block, .count = count};
    if (block != NULL) {
        samples->runs = block;
        samples->copies = block + count;
        samples->plains = block + 2 * (size_t)count;
        samples->ratios = block + 3 * (size_t)count;
        samples->plain_ratios = block + 4 * (size_t)count;
    }
    return block != NULL;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// Never 0, for it divides.
static double seconds_since(double start)
{
    double seconds = now() - start;
    return seconds > 1e-9 ? seconds : 1e-9;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

// Sorts.
static double median(double *values, uint32_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static bool time_run(const Scene *scene, Stage *stage, double *seconds)
{
    if (scene->before != NULL ? !scene->before(stage) : !scene->run(stage)) {
        return false;
    }
    double start = now();
    bool done = scene->run(stage);
    *seconds = seconds_since(start);
    return done;
}

// Hot: the same copy was made just before.
static double time_memcpy(firn_buffer *to, firn_buffer *from, size_t bytes)
{
    memcpy(to->data, from->data, bytes);
    double start = now();
    memcpy(to->data, from->data, bytes);
    return seconds_since(start);
}

static double time_plain(const Scene *scene, Stage *stage)
{
    scene->plain(stage);
    double start = now();
    scene->plain(stage);
    return seconds_since(start);
}

static bool make_copies(Stage *stage, firn_buffer copies[2])
{
    for (int i = 0; i < 2 && stage->bytes > 0; i++) {
        if (firn_buffer_reserve(&copies[i], stage->bytes, &stage->err) != FIRN_OK) {
            return false;
        }
        memset(copies[i].data, i, stage->bytes);
    }
    return true;
}

static bool measure(const Scene *scene, Stage *stage, Samples *samples, firn_buffer copies[2])
{
    double seconds;
    if (!make_copies(stage, copies) || !time_run(scene, stage, &seconds)) { // once to warm up
        return false;
    }
    for (uint32_t i = 0; i < samples->count; i++) {
        if (!time_run(scene, stage, &samples->runs[i])) {
            return false;
        }
        if (stage->bytes > 0) {
            samples->copies[i] = time_memcpy(&copies[0], &copies[1], stage->bytes);
            samples->ratios[i] = samples->runs[i] / samples->copies[i];
        }
        if (scene->plain != NULL) {
            samples->plains[i] = time_plain(scene, stage);
            samples->plain_ratios[i] = samples->runs[i] / samples->plains[i];
        }
    }
    return true;
}

// ---------------------------------------------------------------- rows

typedef struct Row {
    const char *metric, *unit;
    double median, min;
    double ratio; // 0: none
} Row;

static void print_row(const Options *options, const Scene *scene, const Stage *stage, Row row)
{
    char ratio_text[32] = "";
    if (row.ratio > 0) {
        snprintf(ratio_text, sizeof ratio_text, "%.3f", row.ratio);
    }
    printf(options->csv ? "%s,%" PRIu32 ",%zu,%s,%s,%.4f,%.4f,%s\n"
                        : "%-25s %8" PRIu32 " %10zu  %-11s %-9s %10.4f %10.4f  %s\n",
           scene->name, stage->entities, stage->bytes, row.metric, row.unit, row.median, row.min,
           ratio_text);
}

static void report_times(const Options *options, const Scene *scene, const Stage *stage,
                         Samples *samples)
{
    uint32_t count = samples->count;
    double scale = 1e9 / stage->changes;
    double ratio = stage->bytes > 0 ? median(samples->ratios, count) : 0;
    double middle = median(samples->runs, count);
    double least = samples->runs[0];
    print_row(options, scene, stage,
              (Row){"time", "ns/entity", middle * scale, least * scale, ratio});
    if (stage->bytes > 0) {
        double bytes = (double)stage->bytes / 1e9;
        double most = samples->runs[count - 1];
        print_row(options, scene, stage, (Row){"rate", "GB/s", bytes / middle, bytes / most, 0});
        double copy = median(samples->copies, count);
        print_row(options, scene, stage,
                  (Row){"memcpy", "ns/entity", copy * scale, samples->copies[0] * scale, 0});
    }
    if (scene->plain != NULL) {
        double plain = median(samples->plains, count);
        double plain_ratio = median(samples->plain_ratios, count);
        print_row(options, scene, stage,
                  (Row){"plain", "ns/entity", plain * scale, samples->plains[0] * scale, 0});
        print_row(options, scene, stage,
                  (Row){"plain_ratio", "x", plain_ratio, samples->plain_ratios[0], 0});
    }
}

static bool perform_memory(const Options *options, const Scene *scene, Stage *stage)
{
    if (!scene->run(stage)) {
        return false;
    }
    double payload = (double)w1_payload(stage->entities);
    double beyond = ((double)stage->memory.live - payload) / stage->entities;
    stage->bytes = (size_t)stage->memory.live;
    print_row(options, scene, stage, (Row){"memory", "B/entity", beyond, beyond, 0});
    return true;
}

static bool perform_times(const Options *options, const Scene *scene, Stage *stage)
{
    firn_buffer copies[2] = {0};
    Samples samples;
    bool done = make_samples(&samples, options->repeat) && measure(scene, stage, &samples, copies);
    if (done) {
        report_times(options, scene, stage, &samples);
    }
    free(samples.block);
    firn_buffer_free(&copies[0]);
    firn_buffer_free(&copies[1]);
    return done;
}

bool perform(const Options *options, const Scene *scene)
{
    Stage stage = {
        .entities = options->entities,
        .changes = options->entities,
        .kind = scene->kind,
        .ids = calloc(options->entities, sizeof(firn_entity)),
    };
    bool done = stage.ids != NULL && (scene->setup == NULL || scene->setup(&stage)) &&
                (scene->memory ? perform_memory(options, scene, &stage)
                               : perform_times(options, scene, &stage));
    if (!done) {
        fprintf(stderr, "firn_bench: %s: %s\n", scene->name,
                stage.err.code != FIRN_OK ? stage.err.message : "there is no memory");
    }
    if (scene->end != NULL) {
        scene->end(&stage);
    }
    w1_destroy(&stage.w1);
    w1_destroy(&stage.whole);
    free(stage.ids);
    free(stage.plain);
    firn_buffer_free(&stage.image);
    firn_buffer_free(&stage.cache);
    firn_buffer_free(&stage.whole_file);
    firn_doc_destroy(stage.doc);
    memory_trim();
    return done;
}
