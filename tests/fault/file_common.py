"""What the tests of interrupted file replacements share: a folder with an old file, its backup, and
the driver that replaces it."""

import os
import re
import subprocess
import sys
import tempfile

OK, IO, NOT_DURABLE = 0, 2, 3
NAME = "a.firn"
OLDER, OLD, NEW = b"older", b"the old contents", b"the new contents, of some length;"
TIMES = 3  # the driver writes NEW so often
SKIPPED = 77


def skip(reason):
    print(f"SKIP: {reason}")
    sys.exit(SKIPPED)


def check(condition, *words):
    if not condition:
        print("FAILED:", *words)
        sys.exit(1)


class Folder:
    """A folder that holds a.firn with OLD and a.firn.bak with OLDER."""

    def __init__(self, parent=None):
        self.holder = tempfile.TemporaryDirectory(prefix="firn-fault-", dir=parent)
        self.path = os.path.join(self.holder.name, "saves")
        self.target = os.path.join(self.path, NAME)
        os.mkdir(self.path)
        self.reset()

    def reset(self):
        for entry in os.listdir(self.path):
            os.unlink(os.path.join(self.path, entry))
        for name, contents in ((NAME, OLD), (NAME + ".bak", OLDER)):
            with open(os.path.join(self.path, name), "wb") as file:
                file.write(contents)

    def contents(self, name=NAME):
        with open(os.path.join(self.path, name), "rb") as file:
            return file.read()

    def temporaries(self):
        return [name for name in os.listdir(self.path) if name.endswith(".firn-tmp")]


def environment(shim=None, **more):
    variables = dict(os.environ, LC_ALL="C", **more)
    # Leaks cannot be searched under ptrace, and a shim comes before the sanitizer.
    variables["ASAN_OPTIONS"] = "detect_leaks=0:verify_asan_link_order=0"
    if shim:
        variables["LD_PRELOAD"] = shim
    return variables


def drive(driver, folder, text=NEW, times=TIMES, name=NAME, **options):
    """Runs the driver by itself. -> CompletedProcess with text output"""
    command = [driver, os.path.join(folder.path, name), text.decode(), str(times)]
    return subprocess.run(command, capture_output=True, text=True, **options)


def check_old_and_clean(folder, what):
    check(folder.contents() == OLD, what, "changed the old file to", folder.contents())
    check(not folder.temporaries(), what, "left", folder.temporaries())


def check_next_write(driver, folder, what):
    """A clean write after the accident succeeds and removes what it left."""
    before = folder.contents()
    run = drive(driver, folder, b"next", 1, env=environment())
    check(run.returncode == OK, what, "spoiled the next write:", run.stdout, run.stderr)
    check(folder.contents() == b"next", what, "spoiled the next contents")
    check(folder.contents(NAME + ".bak") == before, what, "spoiled the next backup")
    check(not folder.temporaries(), what, "left for ever", folder.temporaries())


def shim_counts(run):
    found = re.search(r"short=(\d+) interrupted=(\d+) refused=(\d+)", run.stderr)
    check(found, "the shim did not report:", run.stderr)
    return tuple(int(count) for count in found.groups())
