#!/usr/bin/env python3
"""Writes the man page from what the tool says of itself: manual.py FIRN > firn.1

A test compares src/cli/firn.1 with it.
"""
import re
import subprocess
import sys

HEAD = """\
.\\" Made by src/cli/manual.py from what firn help says.
.TH FIRN 1 "" "firn" "User Commands"
.SH NAME
firn \\- look into what the library firn saves
.SH SYNOPSIS
.B firn
.I COMMAND
.RI [ OPTION "]... [" FILE ]...
.br
.B firn \\-\\-version
.SH DESCRIPTION
"""

TAIL = """\
.SH EXIT STATUS
.TP
.B 0
All is well: no differences, no damage.
.TP
.B 1
There are differences
.RB ( diff ),
a file is damaged
.RB ( verify ),
or something of it is lost
.RB ( salvage ).
.TP
.B 2
Trouble: wrong arguments; a file that cannot be read or, but for
.B verify
and
.BR salvage ,
is damaged, or of which nothing can be saved; an output that cannot be written.
.PP
An output that nobody reads any more ends the run without a message.
.SH ENVIRONMENT
.TP
.B NO_COLOR
When it is set and not empty there are no colors. There are none in any case where the output is no
terminal.
.TP
.B TERM
When it is
.B dumb
there are no colors and no progress bar.
.SH NOTES
Text from files never drives the terminal: control characters and marks of writing direction are
printed as
.BR \\eu{1b} ,
bytes that are no UTF\\-8 as
.BR \\exff .
"""

OPTION = re.compile(r"  (?:(-\w), |    )(--[\w-]+)(?: (\S+))?  +(\S.*)")


def said(tool, *words):
    return subprocess.run([tool, *words], check=True, text=True, encoding="utf-8",
                          stdout=subprocess.PIPE).stdout


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def paragraphs(text):
    """Paragraphs are filled; lines that are indented stay as they are."""
    for number, block in enumerate(text.strip("\n").split("\n\n")):
        if number > 0:
            yield ".PP"
        indented = block.startswith(" ")
        if indented:
            yield ".RS"
            yield ".nf"
        yield from (roff(line.strip() if not indented else line) for line in block.split("\n"))
        if indented:
            yield ".fi"
            yield ".RE"


def option(line):
    letter, name, value, text = OPTION.fullmatch(line).groups()
    names = ", ".join(roff(word) for word in (letter, name) if word)
    yield ".TP"
    yield f".BI \"{names}\" \" {roff(value)}\"" if value else f".B {names}"
    yield roff(text)


def command(tool, name, summary):
    usage, rest = said(tool, "help", name).split("\n\n", 1)
    lines = rest.rstrip("\n").split("\n")
    options = [line for line in lines if OPTION.fullmatch(line)]
    text = "\n".join(line for line in lines if line not in options)
    yield f'.SS "{roff(usage.removeprefix("usage: "))}"'
    yield roff(summary[0].upper() + summary[1:] + ".")
    yield ".PP"
    yield from paragraphs(text)
    for line in options:
        yield from option(line)


def main():
    tool = sys.argv[1]
    blocks = said(tool, "help").split("\n\n")
    intro, table = blocks[1], blocks[2]
    sys.stdout.write(HEAD)
    print("\n".join(paragraphs(intro)))
    print(".SH COMMANDS")
    for line in table.split("\n"):
        name, summary = line.split(None, 1)
        print("\n".join(command(tool, name, summary)))
    sys.stdout.write(TAIL)


if __name__ == "__main__":
    main()
