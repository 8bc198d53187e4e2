#!/usr/bin/env python3
"""unreached.py GCOVR_JSON REASONS: each function with a line that no test reaches stands in REASONS,
as `file function: reason`, and none that its file does not have.

Prints what is wrong and exits 1. A function that is listed and reached here is said, and no fault:
some machines reach what others do not.
"""
import json
import pathlib
import re
import sys

FUNCTION = re.compile(r"^[A-Za-z_][^=;]*?\b(\w+)\(")


def function_at(lines, number):
    """The function around a line: the last one that begins in the first column before it."""
    for at in range(number - 1, -1, -1):
        found = FUNCTION.match(lines[at])
        if found and not lines[at].endswith(";"):
            return found[1]
    return "?"


def read_reasons(path):
    reasons = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        found = re.fullmatch(r"(src/\S+) (\w+): (.+)", line)
        if not found:
            sys.exit(f"{path}:{number}: not `file function: reason`")
        reasons[found[1], found[2]] = found[3]
    return reasons


def read_unreached(path):
    """(file, function) -> its unreached lines, with the files' lines."""
    unreached, sources = {}, {}
    for file in json.loads(path.read_text())["files"]:
        name = file["file"]
        sources[name] = pathlib.Path(name).read_text().splitlines()
        for line in file["lines"]:
            if line["count"] == 0 and not line["gcovr/noncode"]:
                number = line["line_number"]
                key = name, function_at(sources[name], number)
                unreached.setdefault(key, set()).add(number)
    return unreached, sources


def main():
    reasons = read_reasons(pathlib.Path(sys.argv[2]))
    unreached, sources = read_unreached(pathlib.Path(sys.argv[1]))
    faults = []
    for (file, function), numbers in sorted(unreached.items()):
        if (file, function) not in reasons:
            faults += [f"{file}:{number}: {function}: {sources[file][number - 1].strip()}"
                       for number in sorted(numbers)]
    for file, function in reasons:
        text = "\n".join(sources.get(file, []))
        if not re.search(rf"^\w[^=;\n]*\b{function}\(", text, re.M):
            faults.append(f"{sys.argv[2]} names {function}, which is not in {file}")
    reached = [f"{file} {function}" for file, function in reasons if (file, function) not in unreached]
    if reached:
        print("listed, and reached here:", ", ".join(reached))
    if faults:
        print(f"no test reaches, and {sys.argv[2]} gives no reason:", *faults, sep="\n")
        sys.exit(1)


main()
