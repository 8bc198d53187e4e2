/// driver.c: runs a fuzz target over files and over the files of folders, without libFuzzer.
///
///   fuzz_values FILE-OR-FOLDER...
///
/// A finding aborts; the file is the last one printed with -v. A path that is not there is skipped.
#define _POSIX_C_SOURCE 200809L
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct replay {
    bool verbose;
    uint64_t inputs;
} replay;

static bool run_file(replay *state, const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    // As large as the input, so that a sanitizer sees a read behind its end.
    uint8_t *bytes = malloc(size > 0 ? size : 1);
    bool ok = file != NULL && bytes != NULL && fread(bytes, 1, size, file) == size;
    if (ok) {
        if (state->verbose) {
            fprintf(stderr, "%s\n", path);
        }
        LLVMFuzzerTestOneInput(bytes, size);
        state->inputs++;
    } else {
        fprintf(stderr, "%s cannot be read\n", path);
    }
    free(bytes);
    if (file != NULL) {
        fclose(file);
    }
    return ok;
}

static bool run_path(replay *state, const char *path);

static bool run_folder(replay *state, const char *path)
{
    DIR *folder = opendir(path);
    if (folder == NULL) {
        fprintf(stderr, "%s cannot be opened\n", path);
        return false;
    }
    bool ok = true;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char inner[4096];
        int length = snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        struct stat facts;
        if (entry->d_name[0] == '.' || length < 0 || (size_t)length >= sizeof inner) {
            continue;
        }
        // Folders in folders are not looked into.
        if (stat(inner, &facts) != 0 || S_ISREG(facts.st_mode)) {
            ok = run_path(state, inner) && ok;
        }
    }
    closedir(folder);
    return ok;
}

static bool run_path(replay *state, const char *path)
{
    struct stat facts;
    if (stat(path, &facts) != 0) {
        return true;
    }
    return S_ISDIR(facts.st_mode) ? run_folder(state, path)
                                  : run_file(state, path, (size_t)facts.st_size);
}

int main(int argc, char **argv)
{
    replay state = {0};
    bool ok = true;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-v") == 0) {
            state.verbose = true;
        } else {
            ok = run_path(&state, argv[i]) && ok;
        }
    }
    printf("replayed %llu inputs\n", (unsigned long long)state.inputs);
    return ok && state.inputs > 0 ? 0 : 1;
}
