// clock_gettime
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// What the repetitions of a scene took, and the memcpy beside each.
typedef struct Samples {
    double *seconds;
    double *ratios;
    uint32_t count;
} Samples;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
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

// Hot: the same copy was made just before.
static double time_memcpy(firn_buffer *to, firn_buffer *from, size_t bytes)
{
    memcpy(to->data, from->data, bytes);
    double start = now();
    memcpy(to->data, from->data, bytes);
    double seconds = now() - start;
    return seconds > 1e-9 ? seconds : 1e-9;
}

static bool measure_once(const Scene *scene, Stage *stage, double *seconds)
{
    if (scene->before != NULL && !scene->before(stage)) {
        return false;
    }
    double start = now();
    bool done = scene->run(stage);
    *seconds = now() - start;
    return done;
}

static bool measure(const Scene *scene, Stage *stage, Samples *samples, firn_buffer copies[2])
{
    if (scene->setup != NULL && !scene->setup(stage)) {
        return false;
    }
    for (int i = 0; i < 2 && stage->bytes > 0; i++) {
        if (firn_buffer_reserve(&copies[i], stage->bytes, &stage->err) != FIRN_OK) {
            return false;
        }
        memset(copies[i].data, i, stage->bytes);
    }
    double seconds;
    if (!measure_once(scene, stage, &seconds)) { // once to warm up
        return false;
    }
    for (uint32_t i = 0; i < samples->count; i++) {
        if (!measure_once(scene, stage, &samples->seconds[i])) {
            return false;
        }
        if (stage->bytes > 0) {
            samples->ratios[i] =
                samples->seconds[i] / time_memcpy(&copies[0], &copies[1], stage->bytes);
        }
    }
    return true;
}

static void print_head(bool csv)
{
    if (csv) {
        printf("scene,entities,bytes,metric,unit,median,min,memcpy_ratio\n");
    } else {
        printf("%-10s %8s %10s  %-5s %-9s %10s %10s  %s\n", "scene", "entities", "bytes", "metric",
               "unit", "median", "min", "memcpy ratio");
    }
}

static void print_row(const Options *options, const char *name, const Stage *stage,
                      const char *metric, const char *unit, const double values[2], double ratio)
{
    char ratio_text[32] = "";
    if (stage->bytes > 0) {
        snprintf(ratio_text, sizeof ratio_text, "%.3f", ratio);
    }
    printf(options->csv ? "%s,%" PRIu32 ",%zu,%s,%s,%.4f,%.4f,%s\n"
                        : "%-10s %8" PRIu32 " %10zu  %-5s %-9s %10.4f %10.4f  %s\n",
           name, stage->entities, stage->bytes, metric, unit, values[0], values[1], ratio_text);
}

static void report(const Options *options, const Scene *scene, const Stage *stage, Samples *samples)
{
    double ratio = stage->bytes > 0 ? median(samples->ratios, samples->count) : 0;
    double middle = median(samples->seconds, samples->count);
    double least = samples->seconds[0];
    double most = samples->seconds[samples->count - 1];
    double per_entity[2] = {middle * 1e9 / stage->entities, least * 1e9 / stage->entities};
    print_row(options, scene->name, stage, "time", "ns/entity", per_entity, ratio);
    if (stage->bytes > 0) {
        double bytes = (double)stage->bytes;
        double rate[2] = {bytes / middle / 1e9, bytes / most / 1e9};
        print_row(options, scene->name, stage, "rate", "GB/s", rate, ratio);
    }
}

static bool perform(const Options *options, const Scene *scene)
{
    Stage stage = {.entities = options->entities};
    firn_buffer copies[2] = {0};
    Samples samples = {.seconds = calloc(options->repeat, sizeof(double)),
                       .ratios = calloc(options->repeat, sizeof(double)),
                       .count = options->repeat};
    bool done = samples.seconds != NULL && samples.ratios != NULL &&
                measure(scene, &stage, &samples, copies);
    if (done) {
        report(options, scene, &stage, &samples);
    } else {
        fprintf(stderr, "firn_bench: %s: %s\n", scene->name, stage.err.message);
    }
    free(samples.seconds);
    free(samples.ratios);
    firn_buffer_free(&copies[0]);
    firn_buffer_free(&copies[1]);
    firn_buffer_free(&stage.image);
    firn_doc_destroy(stage.doc);
    w1_destroy(&stage.w1);
    return done;
}

int main(int argc, char **argv)
{
    Options options;
    if (!options_parse(argc, argv, &options)) {
        return 2;
    }
    if (options.list) {
        for (uint32_t i = 0; i < scene_count; i++) {
            printf("%-10s %s\n", scenes[i].name, scenes[i].about);
        }
        return 0;
    }
    print_head(options.csv);
    for (uint32_t i = 0; i < scene_count; i++) {
        bool wanted = options.scene == NULL || strcmp(options.scene, scenes[i].name) == 0;
        if (wanted && !perform(&options, &scenes[i])) {
            return 1;
        }
    }
    return 0;
}
