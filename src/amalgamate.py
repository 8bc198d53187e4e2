#!/usr/bin/env python3
"""Writes firn as two files: amalgamate.py FOLDER makes FOLDER/firn.h and FOLDER/firn.c.

firn.h holds the public headers; firn.c every private header once and then every source, room by
room. What is named after a system is compiled on that system only.
"""
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parent
INCLUDE = SOURCE.parent / "include"
ROOMS = ["base", "os", "buffer", "value", "store", "plugin", "snapshot", "builtin",
         "json", "saves"]
SYSTEMS = {"posix": "!defined(_WIN32)", "windows": "defined(_WIN32)"}

BESIDE = ["firn.h", "xxhash.h"]

HEADER_BEGINNING = """\
// firn.h: the interface of the library firn as one file, made from its headers by amalgamate.py.
"""

# What CMake says on the command line, and what comes before the first header of the C library.
BEGINNING = """\
// firn.c: the library firn as one file, made from its sources by amalgamate.py; see LICENSE there.
//
// xxhash.h lies beside it or among the headers of the system. Compile with -ffp-contract=off; for
// 32-bit x86 with -msse2 -mfpmath=sse as well, for s390x (gcc) with -fexcess-precision=fast: saves
// and hashes are then the same on every machine. Link with -pthread where there is no Windows.
#if defined(__MINGW32__) && !defined(__USE_MINGW_ANSI_STDIO)
#define __USE_MINGW_ANSI_STDIO 1
#endif
"""


def only_on(path):
    """The condition under which a file is compiled, or None: everywhere."""
    return next((SYSTEMS[word] for word in path.stem.split("_") if word in SYSTEMS), None)


class Output:
    def __init__(self, beginning, folders):
        self.text = beginning
        self.folders = folders  # where the headers lie that are put in, by their first part
        self.done = set()       # headers that are in

    def add(self, path):
        """Adds a file, its own headers before the line that first wants them."""
        condition = only_on(path)
        lines = [f"#if {condition}"] if condition else []
        depth = -1 if path.suffix == ".h" else 0  # inside its guard a header is at 0
        for line in path.read_text().splitlines():
            depth += bool(re.match(r"#\s*if", line)) - bool(re.match(r"#\s*endif", line))
            found = re.match(r'#\s*include\s+["<](.*)[">]', line)
            if found:
                line = self.include(found[1], condition is None and depth == 0)
            if line is not None:
                lines.append(line)
        if condition:
            lines.append("#endif")
        self.text += f"\n// ---- {path.relative_to(SOURCE.parent)}\n\n" + "\n".join(lines) + "\n"

    def include(self, name, everywhere):
        """The line that stands for an include, or None. What is not reached everywhere stays."""
        folder = self.folders.get(name.split("/")[0])
        if folder:
            self.add_once(folder / name)
            return None
        if name.startswith("firn/"):
            name = "firn.h"
        if name in self.done:
            return None
        if everywhere:
            self.done.add(name)
        return f'#include "{name}"' if name in BESIDE else f"#include <{name}>"

    def add_once(self, path):
        if path not in self.done:
            self.done.add(path)
            self.add(path)

    def write(self, path):
        path.write_text(re.sub(r"\n{3,}", "\n\n", self.text))


def headers(folder):
    """Those for every system first: the others may include them."""
    return sorted(folder.glob("*.h"), key=lambda path: (only_on(path) is not None, path))


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)

    public = Output(HEADER_BEGINNING, {"firn": INCLUDE})
    public.add(INCLUDE / "firn/firn.h")
    public.write(folder / "firn.h")

    whole = Output(BEGINNING, {room: SOURCE for room in ROOMS})
    whole.add_once(SOURCE / "os/posix.h")  # chooses declarations of the system
    for room in ROOMS:
        for path in headers(SOURCE / room):
            whole.add_once(path)
    for room in ROOMS:
        for path in sorted((SOURCE / room).glob("*.c")):
            whole.add(path)
    whole.write(folder / "firn.c")


if __name__ == "__main__":
    main()
