#!/usr/bin/env python3
"""Runs what docs/tool.md and README.md show: docs.py FIRN SOURCE_DIR [--write].

Blocks whose first line begins with `$ ` are commands and what they print, on both streams. They run
one after the other in a copy of tests/golden, those of README.md in its folder tool, with the tool in
the PATH; `$?` is the exit status of the command before. A line `...` stands for any lines. --write
puts what is printed into blocks that have no such line.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```[a-z]*\n(\$ .*?)^```$", re.M | re.S)


def commands(block):
    """(command, expected output) of a block."""
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, _, expected = part.partition("\n")
        yield command, expected


class Shell:
    def __init__(self, tool, folder):
        self.folder = folder
        self.status = 0
        self.environment = {**os.environ, "PATH": f"{tool.parent}:{os.environ['PATH']}"}

    def run(self, command):
        result = subprocess.run(["bash", "-c", f"(exit {self.status})\n{command}"],
                                cwd=self.folder, env=self.environment, text=True,
                                encoding="utf-8", stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT)
        self.status = result.returncode
        return result.stdout


def matches(expected, output):
    pattern = re.escape(expected).replace(re.escape("...\n"), "(?:.*\n)*")
    return re.fullmatch(pattern, output) is not None


def check(page, shell):
    """The text of a page with what is printed now; complains of what differs."""
    wrong = 0

    def renew(found):
        nonlocal wrong
        block = ""
        for command, expected in commands(found[1]):
            output = shell.run(command)
            if not matches(expected, output):
                wrong += 1
                print(f"$ {command}\n{output}---- where {page.name} has\n{expected}")
            block += f"$ {command}\n" + (expected if "...\n" in expected else output)
        return found[0].replace(found[1], block)

    return BLOCK.sub(renew, page.read_text()), wrong


def main():
    tool, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    pages = {source / "docs/tool.md": ".", source / "README.md": "tool"}
    wrong = 0
    for page, place in pages.items():
        with tempfile.TemporaryDirectory() as folder:
            golden = pathlib.Path(folder, "golden")
            shutil.copytree(source / "tests/golden", golden)
            text, differences = check(page, Shell(tool, golden / place))
            wrong += differences
        if sys.argv[3:] == ["--write"]:
            page.write_text(text)
    shown = {command.split()[1] for found in BLOCK.finditer((source / "docs/tool.md").read_text())
             for command, _ in commands(found[1]) if command.startswith("firn ")}
    listed = subprocess.run([tool, "help"], check=True, text=True, stdout=subprocess.PIPE).stdout
    for name in re.findall(r"^  (\w+) ", listed, re.M):
        if name not in shown:
            print(f"docs/tool.md does not show firn {name}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
