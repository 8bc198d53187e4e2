#!/usr/bin/env python3
"""Uses firn as two files: amalgamation.py XXHASH_DIR CMOCKA_DIR CMOCKA_LIBRARY.

gcc and clang, those that are there, compile firn.c and firn.h without warnings, the header as C++17
as well, and a program and the golden tests of firn link the result and run.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
COMPILERS = {"gcc": "g++", "clang": "clang++"}
GOLDEN = {"firn_images": ["firn_worlds"], "firn_errors": ["firn_worlds", "bad_images"],
          "firn_loads": ["firn_worlds", "firn_build"]}

# Saves a world, loads it into another one, and compares their hashes.
PROGRAM = """\
#include "firn.h"
#include <stdio.h>
#include <string.h>

static firn_world *make_world(firn_component *score)
{
    firn_world *world = firn_world_create(NULL, NULL);
    firn_component_desc desc = {.name = "Score", .kind = FIRN_NUMBER};
    *score = firn_component_register(world, &desc, NULL);
    return world;
}

int main(void)
{
    firn_component score, other;
    firn_error err = {0};
    firn_world *saved = make_world(&score), *loaded = make_world(&other);
    for (int i = 0; i < 100; i++) {
        double value = i;
        (void)firn_set(saved, firn_spawn(saved, &score, 1, &err), score, &value, &err);
    }
    firn_buffer image;
    firn_buffer_init(&image, NULL);
    firn_hash one = {0}, two = {1, 1, 1, 1};
    bool good = firn_snapshot_save(saved, NULL, &image, &err) == FIRN_OK &&
                firn_snapshot_load(loaded, image.data, image.size, NULL, NULL, &err) == FIRN_OK &&
                firn_world_hash(saved, &one, NULL, NULL, &err) == FIRN_OK &&
                firn_world_hash(loaded, &two, NULL, NULL, &err) == FIRN_OK &&
                memcmp(&one, &two, sizeof one) == 0 && firn_entity_count(loaded) == 100;
    printf("%s%s", good ? "equal" : "different: ", err.message);
    firn_buffer_free(&image);
    firn_world_destroy(saved);
    firn_world_destroy(loaded);
    return 0;
}
"""


def run(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


def check(folder, compiler, cxx, cmocka_include, cmocka):
    built = folder / compiler
    built.mkdir()
    cc = [compiler, "-std=c11", "-O1", "-ffp-contract=off", "-pthread", *WARNINGS,
          f"-I{folder}"]
    run(*cc, "-c", folder / "firn.c", "-o", built / "firn.o")
    if shutil.which(cxx):
        run(cxx, "-std=c++17", "-fsyntax-only", *WARNINGS, "-Wpedantic", "-x", "c++",
            folder / "firn.h")

    run(*cc, folder / "program.c", built / "firn.o", "-o", built / "program")
    output = run(built / "program")
    assert output == "equal", output

    tests = [*cc, f"-I{folder}/as_rooms", f"-I{ROOT}/tests", "-isystem", cmocka_include,
             f'-DFIRN_TEST_DATA="{ROOT}/tests/golden"']
    shared = [*(ROOT / "tests/support").glob("*.c"), built / "firn.o", cmocka]
    for name, others in GOLDEN.items():
        sources = [ROOT / f"tests/golden/{source}.c" for source in [name, *others]]
        run(*tests, *sources, *shared, "-o", built / name)
        run(built / name)


def main():
    xxhash, cmocka_include, cmocka = sys.argv[1:]
    compilers = {cc: cxx for cc, cxx in COMPILERS.items() if shutil.which(cc)}
    assert compilers, "neither gcc nor clang is there"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run(sys.executable, ROOT / "src/amalgamate.py", folder)
        shutil.copy(pathlib.Path(xxhash, "xxhash.h"), folder)
        (folder / "program.c").write_text(PROGRAM)
        # The tests know the headers one by one: all of them are firn.h here.
        as_rooms = folder / "as_rooms/firn"
        as_rooms.mkdir(parents=True)
        for header in (ROOT / "include/firn").glob("*.h"):
            (as_rooms / header.name).write_text('#include "../../firn.h"\n')
        for compiler, cxx in compilers.items():
            check(folder, compiler, cxx, cmocka_include, cmocka)


if __name__ == "__main__":
    main()
