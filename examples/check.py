#!/usr/bin/env python3
"""Runs the examples as tests: check.py WHAT ARGUMENT...; each WHAT is a function below."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time


def run(*command, code=0):
    """Runs a program, wants its exit code, and returns its output, standard error behind it."""
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output = done.stdout + done.stderr
    if done.returncode != code:
        sys.exit(f"{command}: ended with {done.returncode}, not {code}:\n{output}")
    return output


def same(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}:\n{got}\ninstead of:\n{wanted}")


def last_comment(source):
    """The lines of the comment that a file ends in."""
    lines = pathlib.Path(source).read_text().splitlines()
    comment = []
    while lines and lines[-1].startswith("//"):
        comment.insert(0, lines.pop()[3:])
    if not comment:
        sys.exit(f"{source} does not end in a comment")
    return comment


def output(source, program):
    """The last comment of the source is what the program prints."""
    same(program, run(program), "\n".join(last_comment(source)) + "\n")


def story(source, script, luajit, *settings):
    """A script of Lua prints what the program in C does. Settings: variables of the environment."""
    environment = dict(os.environ, **dict(setting.split("=", 1) for setting in settings))
    printed = subprocess.run([luajit, script], env=environment, text=True, check=True,
                             stdout=subprocess.PIPE).stdout
    same(script, printed, "\n".join(last_comment(source)) + "\n")


def errors(header, path, *sources):
    """The document has every result with its number, and quotes what the sources print."""
    text = pathlib.Path(path).read_text()
    results = re.findall(r"^    X\((\w+), (\d+),", pathlib.Path(header).read_text(), re.M)
    described = re.findall(r"^\*\*`FIRN_(\w+)`\*\* \((\d+)\)\.", text, re.M)
    same(path, described, results)
    printed = {line for source in sources for line in last_comment(source)
               if line.startswith("FIRN_")} - {"FIRN_OK"}
    same(path, sorted(re.findall(r"^    (FIRN_.*)$", text, re.M)), sorted(printed))


def unknown(program, file):
    """Components that are not registered are counted, and their entities are there."""
    lines = run(program, file).splitlines()
    same("first line", lines[0], "version 2, 4 entities, 5 unknown components")
    same("entities", [line.split()[0] for line in lines[1:]], ["3", "1", "2", "4"])


def missing(program):
    """A file that is not there is named."""
    same(program, "nowhere.bin" in run(program, "nowhere.bin", code=1), True)


def last_hash(text):
    return text.split()[-1]


def village(program):
    """A run that is saved and resumed ends like one that was not."""
    with tempfile.TemporaryDirectory() as folder:
        save = f"{folder}/village.firn"
        first = run(program, "run", "70", "--save", save)
        resumed = run(program, "resume", save, "70", "--save", save)
        direct = run(program, "run", "140", "--save", f"{folder}/direct.firn")
        again = run(program, "resume", save, "0")
        same("hash", last_hash(resumed), last_hash(direct))
        same("hash after another load", last_hash(again), last_hash(direct))
        same("steps change it", last_hash(first) != last_hash(direct), True)
        direct_bytes = pathlib.Path(folder, "direct.firn").read_bytes()
        same("bytes", pathlib.Path(save).read_bytes() == direct_bytes, True)


class Adventure:
    """A running adventure, in a folder."""

    STATUS = re.compile(r"\[(\w+), (\d+) points, move (\d+)\] > ")

    def __init__(self, command, environment, folder):
        self.process = subprocess.Popen([*command, folder], env=environment, bufsize=0,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.output = ""

    def read(self):
        """Reads up to the next prompt; returns (room, score, move), or None at the end."""
        begin = len(self.output)
        while not self.output.endswith("] > "):
            byte = self.process.stdout.read(1)
            if not byte:
                return None
            self.output += byte.decode()
        found = self.STATUS.search(self.output, begin)
        self.said = self.output[begin:found.start()]
        self.output += "\n"
        return found[1], int(found[2]), int(found[3])

    def send(self, *commands):
        self.process.stdin.write("".join(line + "\n" for line in commands).encode())

    def play(self, *commands):
        """The status after each of the commands, one after the other."""
        states = []
        for command in commands:
            self.send(command)
            states.append(self.read())
        return states

    def kill(self):
        """Ends it in the middle; returns the status of its last prompt that is whole, if any."""
        self.process.kill()
        self.output += self.process.stdout.read().decode()
        self.process.communicate()
        found = self.STATUS.findall(self.output)
        return (found[-1][0], int(found[-1][1]), int(found[-1][2])) if found else None


def adventure(script, luajit, *settings):
    """Is played, saved, killed and continued: where the last save was, also when it was killed while
    it saved. Settings: variables of the environment, NAME=VALUE."""
    environment = dict(os.environ, **dict(setting.split("=", 1) for setting in settings))
    path = ["go up", "take lamp", "save", "go down", "go north", "take key", "go south", "go down"]
    with tempfile.TemporaryDirectory() as folder:
        def start():
            game = Adventure([luajit, script], environment, folder)
            return game, game.read()

        game, state = start()
        same("a new game", state, ("hall", 0, 0))
        states = game.play(*path)
        same("a game", states[-1], ("cellar", 20, len(path)))
        game.kill()
        game, state = start()
        same("after a kill", (state, "You wake up" in game.said), (states[-1], True))
        same("a load", game.play("load", "look"), [("attic", 10, 3), ("attic", 10, 4)])
        same("the lamp", "You have the lamp" in game.said, True)
        game.kill()

        # Walks up and down; each command changes the room and the number of moves.
        for delay in range(12):
            game, state = start()
            same(f"room {state}", state[0], "attic" if state[2] % 2 == 0 else "hall")
            game.send(*(["go down", "go up"] if state[2] % 2 == 0 else ["go up", "go down"]) * 200)
            for _ in range(delay % 3 + 1):
                game.read()
            time.sleep(delay / 2000)
            last = game.kill()
            game, state = start()
            same(f"{last} was the last prompt, then {state}", state[2] - last[2] in (0, 1), True)
            same("room and move", state[:2], ("attic" if state[2] % 2 == 0 else "hall", 10))
            game.kill()

        game, state = start()
        game.play(*["go down"] * (state[0] == "attic"))
        states = game.play("go north", "take key", "go south", "go down", "open chest")
        same("the end", (states[-1][:2], "Gold!" in game.said), (("cellar", 70), True))
        game.send("quit")
        game.process.communicate()
        same("exit code", game.process.returncode, 0)
        names = sorted(path.name for path in pathlib.Path(folder).iterdir())
        same("files", [name for name in names if "tmp" in name], [])


def usage(program):
    """A wrong command line is exit code 2 and says how it goes."""
    for arguments in ([], ["run"], ["run", "x"], ["run", "-1"], ["resume", "f"], ["walk", "1"],
                      ["run", "1", "--save"], ["run", "1", "--save-every", "5"]):
        same(arguments, "usage: village run" in run(program, *arguments, code=2), True)
    same("file", "nowhere" in run(program, "resume", "nowhere", "1", code=1), True)


def document(path, cc, library, libraries="", flags=""):
    """The blocks of C are one program, and the last block of text is what it prints."""
    text = pathlib.Path(path).read_text()
    code = "".join(re.findall(r"^```c\n(.*?)^```$", text, re.M | re.S))
    printed = re.findall(r"^```text\n(.*?)^```$", text, re.M | re.S)[-1]
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "document.c")
        program = pathlib.Path(folder, "document")
        source.write_text(code)
        run(cc, "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *flags.split(),
            "-Iinclude", source, library, *libraries.split(), "-o", program)
        done = subprocess.run([program], cwd=folder, text=True, stdout=subprocess.PIPE)
        same("exit code", done.returncode, 0)
        same(path, done.stdout, printed)


def links(*paths):
    """What the documents link to is there."""
    for path in map(pathlib.Path, paths):
        for target in re.findall(r"\]\(([^):#]+)\)", path.read_text()):
            same(f"{path} links to {target}", (path.parent / target).exists(), True)


CHECKS = [output, story, errors, links, unknown, missing, village, adventure, usage,
          document]

if __name__ == "__main__":
    {check.__name__: check for check in CHECKS}[sys.argv[1]](*sys.argv[2:])
