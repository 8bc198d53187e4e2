#!/usr/bin/env python3
"""Proves the layers: layers.py CHECK SOURCE_DIR [ROOM=OBJECT,OBJECT...]... [--option value]...

Each check prints what breaks its rule, one line each, and exits 1; silence is success.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

ROOMS = ["base", "os", "buffer", "value", "store", "plugin", "snapshot", "builtin", "json", "saves",
         "lua", "cli"]
STRANGERS = ["cli"]  # what stands on public headers alone
FILE_LINES = 600
FUNCTION_LINES = 80
COLUMNS = 100
# Symbols that sanitizers and the compiler add.
FOREIGN = re.compile(r"^(__asan|__odr_asan|__ubsan|asan\.|\.|_GLOBAL__|__x86|DW\.ref)")
SYMBOL = re.compile(r"(?:(?:firn|fr)_[a-z0-9_]+|luaopen_firn_core)\Z")


def c_files(root, *folders):
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".c", ".h"):
                yield path


def includes(args):
    """A room includes headers of itself, of rooms to its left, and the public ones; a stranger only
    the public ones and its own."""
    for path in c_files(args.root, "src"):
        room = path.relative_to(args.root / "src").parts[0]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not found:
                continue
            target = found[1].split("/")[0] if "/" in found[1] else ""
            if target == "firn":
                continue
            if target not in ROOMS:
                yield f'{path}:{number}: "{found[1]}" does not begin with a room'
            elif ROOMS.index(target) > ROOMS.index(room):
                yield f"{path}:{number}: {room} includes {target}, which lies to its right"
            elif room in STRANGERS and target != room:
                yield f"{path}:{number}: {room} includes {target}, which is not public"
    for path in c_files(args.root, "include"):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if re.match(r'\s*#\s*include\s+"(?!firn/)', line):
                yield f"{path}:{number}: a public header includes a private one"


Symbol = collections.namedtuple("Symbol", "name kind section")


def symbols(objects):
    """The symbols of object files or archives, without those that sanitizers add."""
    out = subprocess.run(["nm", "--format=sysv", *objects], check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    for line in out.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 7 and cells[0] != "Name" and not FOREIGN.match(cells[0]):
            yield Symbol(cells[0], cells[2], cells[6])


def calls(args):
    """What a room leaves undefined is defined in a room to its left, or in no room; a stranger
    calls what is public."""
    home = {}
    for room, objects in args.rooms.items():
        for symbol in symbols(objects):
            if symbol.kind.isupper() and symbol.kind != "U":
                home[symbol.name] = room
    if not home:
        yield "the objects define no symbols"
    for room, objects in args.rooms.items():
        for symbol in symbols(objects):
            target = home.get(symbol.name)
            if symbol.kind == "U" and target and ROOMS.index(target) > ROOMS.index(room):
                yield f"{room} calls {symbol.name} of {target}, which lies to its right"
            elif room in STRANGERS and target not in (None, room) and symbol.kind == "U" \
                    and not symbol.name.startswith("firn_"):
                yield f"{room} calls {symbol.name} of {target}, which is not public"


def names(args):
    """Only firn_* and fr_*, and what Lua looks for, leave an object file, and each has one home."""
    home = {}
    for room, objects in args.rooms.items():
        for path in objects:
            for symbol in symbols([path]):
                if symbol.kind == "U" or not symbol.kind.isupper():
                    continue
                if not SYMBOL.match(symbol.name):
                    yield f"{path}: {symbol.name} is neither firn_* nor fr_*"
                if symbol.name in home:
                    yield f"{path}: {symbol.name} is defined in {home[symbol.name]} too"
                home[symbol.name] = path


def constants(args):
    """No object file has data that can change."""
    for room, objects in args.rooms.items():
        for path in objects:
            for symbol in symbols([path]):
                if re.match(r"\.(data(?!\.rel\.ro)|bss|tdata|tbss)|\*COM\*", symbol.section):
                    yield f"{path}: {symbol.name} can change (section {symbol.section})"


def functions(lines):
    """(first line, last line, name) of each function; relies on the braces of .clang-format."""
    for opening, line in enumerate(lines):
        if line != "{":
            continue
        first = opening
        while first > 0 and lines[first - 1] and not re.match(r"[}#/]|.*;$", lines[first - 1]):
            first -= 1
        closing = next((i for i in range(opening, len(lines)) if lines[i].startswith("}")),
                       len(lines))
        found = re.search(r"(\w+)\(", " ".join(lines[first:opening]))
        if found:
            yield first + 1, closing + 1, found[1]


def sizes(args):
    """Files, functions and lines stay short, but for lines that an example prints."""
    for path in c_files(args.root, "include", "src", "tests", "bench", "examples"):
        lines = path.read_text().splitlines()
        if len(lines) >= FILE_LINES:
            yield f"{path}: {len(lines)} lines, not under {FILE_LINES}"
        prints = "examples" in path.relative_to(args.root).parts
        for number, line in enumerate(lines, 1):
            if len(line) > COLUMNS and not (prints and line.startswith("// ")):
                yield f"{path}:{number}: {len(line)} columns"
        for first, last, name in functions(lines):
            if last - first + 1 >= FUNCTION_LINES:
                yield f"{path}:{first}: {name} has {last - first + 1} lines"


def statics(args):
    """A static name has one home, and the prefix fr_ only where a header gives it to others."""
    home = {}
    for path in c_files(args.root, "src"):
        text = path.read_text()
        own = {found[1] for found in re.finditer(r"^static\b[^;={(]*?(\w+)\s*[(\[=;]", text, re.M)}
        for name in sorted(own):
            if name.startswith(("firn_", "fr_")) != (path.suffix == ".h"):
                yield f"{path}: fr_ is the prefix of what others call, see {name}"
            if name in home:
                yield f"{path}: {home[name]} has a static {name} too"
            home[name] = path


def one_file(args):
    """All sources compile as one file. Those of os come first: they choose system declarations."""
    sources = [f"src/{room}/{source}" for room, list_ in args.rooms.items() for source in list_]
    sources.sort(key=lambda source: not source.startswith("src/os/"))
    with tempfile.TemporaryDirectory() as folder:
        whole = pathlib.Path(folder, "whole.c")
        whole.write_text("".join(f'#include "{source}"\n' for source in sources))
        include = [f"-I{args.root}", f"-I{args.root}/include", f"-I{args.root}/src"]
        result = subprocess.run(
            [args.cc, "-std=c11", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic",
             "-Wconversion", "-Wshadow", "-Wstrict-prototypes", "-Werror", *include, whole])
    if result.returncode != 0:
        yield "the library does not compile as one file"


def public(args):
    """Every function of a public header is defined, and every firn_* symbol is declared there."""
    declared = set()
    for path in c_files(args.root, "include"):
        code = re.sub(r"//.*", "", path.read_text())
        for found in re.finditer(r"^(?:FIRN_CALLS_BACK )?FIRN_API\b[^;]*?(\w+)\(", code, re.M):
            declared.add(found[1])
    objects = [path for list_ in args.rooms.values() for path in list_]
    defined = {s.name for s in symbols(objects) if s.kind == "T" and s.name.startswith("firn_")}
    for name in sorted(declared - defined):
        yield f"{name} is declared in a public header and defined nowhere"
    for name in sorted(defined - declared):
        yield f"{name} is defined, but no public header declares it"


def exports(args):
    """The shared library exports firn_* and nothing else, and is asked for by its soname."""
    out = subprocess.run(["nm", "-D", "--defined-only", "--format=posix", args.library],
                         check=True, text=True, stdout=subprocess.PIPE).stdout
    exported = [line.split()[0] for line in out.splitlines()]
    if "firn_version" not in exported:
        yield f"{args.library} does not export firn_version"
    for name in exported:
        if not name.startswith("firn_"):
            yield f"{args.library} exports {name}"
    dynamic = subprocess.run(["readelf", "-d", args.library], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
    found = re.search(r"\(SONAME\).*\[(.*)\]", dynamic)
    if not found or found[1] != args.soname:
        yield f"the soname of {args.library} is {found and found[1]}, not {args.soname}"


def readme(args):
    """The first block of C in README.md compiles, links and runs as printed."""
    found = re.search(r"^```c\n(.*?)^```", (args.root / "README.md").read_text(), re.M | re.S)
    if not found:
        yield "README.md has no block of C"
        return
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "readme.c")
        source.write_text(found[1])
        program = pathlib.Path(folder, "readme")
        command = [args.cc, "-std=c11", "-Wall", "-Wextra", "-Werror", *args.flags.split(),
                   f"-I{args.root}/include", source, args.library, "-o", program]
        if subprocess.run(command).returncode != 0:
            yield "the C of README.md does not build"
        elif (code := subprocess.run([program], cwd=folder).returncode) != 0:
            yield f"the program of README.md ends with {code}"


CHECKS = [includes, calls, names, constants, sizes, statics, one_file, public, exports, readme]


def main():
    checks = {check.__name__: check for check in CHECKS}
    parser = argparse.ArgumentParser()
    parser.add_argument("check", choices=checks)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("rooms", nargs="*")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--flags", default="")
    parser.add_argument("--library")
    parser.add_argument("--soname")
    args = parser.parse_args()
    args.rooms = {room: [path for path in paths.split(",") if path]
                  for room, paths in (word.split("=", 1) for word in args.rooms)}
    wrong = list(checks[args.check](args))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
