#!/usr/bin/env python3
"""The tool as a process: process.py CHECK FIRN SOURCE_DIR.

Each check asserts; silence is success.
"""
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import tempfile


def run(tool, *words, **options):
    return subprocess.run([tool, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def commands(tool):
    """The commands, and the options of each, as the help lists them."""
    found = {}
    for name in re.findall(r"^  (\w+) ", run(tool, "help").stdout.decode(), re.M):
        text = run(tool, "help", name).stdout.decode()
        found[name] = re.findall(r"^  (?:-\w, |    )(--[\w-]+)", text, re.M)
    assert {"help", "info", "verify"} <= found.keys() and "--json" in found["info"], found
    return found


def manual(tool, source):
    """The man page is that of this tool."""
    made = subprocess.run([sys.executable, source / "src/cli/manual.py", tool], check=True,
                          stdout=subprocess.PIPE).stdout.decode()
    page = (source / "src/cli/firn.1").read_text()
    assert page == made, "firn.1 is old: python3 src/cli/manual.py FIRN > src/cli/firn.1"
    for name, options in commands(tool).items():
        section = page.split(f'.SS "firn {name} ', 1)[1].split(".SS ", 1)[0]
        for option in options:
            assert option.replace("-", "\\-") in section, (name, option)


COMPLETE = """\
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_firn "$1"
((${#COMPREPLY[@]})) && printf '%s\\n' "${COMPREPLY[@]}"
exit 0
"""


def completion(tool, source):
    """bash completes every command, its options, and files."""
    def complete(*words):
        out = subprocess.run(["bash", "-c", COMPLETE, "bash", source / "src/cli/firn.bash", tool,
                              *words], check=True, stdout=subprocess.PIPE, cwd=source)
        return sorted(out.stdout.decode().split())

    for name, options in commands(tool).items():
        assert complete(name[:-1]) == sorted(
            other for other in commands(tool) if other.startswith(name[:-1])), name
        if name != "help":
            assert complete(name, "--") == sorted(options), name
            assert complete(name, "--json", "READ") == ["README.md"], name
    assert complete("--") == ["--help", "--version"]
    assert complete("help", "inf") == ["info"]
    assert complete("help", "") == sorted(commands(tool))
    assert complete("help", "--") == sorted(commands(tool)["help"])
    assert "verify" in complete("")


def streams(tool, source):
    """Files, pipes, the standard input; a full disk, closed pipes."""
    golden = source / "tests/golden"
    save = golden / "saves/02_kitchen.firn"
    expected = run(tool, "hash", save).stdout
    assert expected.startswith(b"56a33ca14ebfcaec  total\n"), expected
    assert run(tool, "hash", "-", input=save.read_bytes()).stdout == expected
    piped = subprocess.run(["bash", "-c", '"$1" hash <(cat "$2")', "bash", tool, save],
                           check=True, stdout=subprocess.PIPE)
    assert piped.stdout == expected
    large = run(tool, "hash", "-", "--max-size", "100K", input=bytes(200000))
    assert large.returncode == 2 and b"firn: standard input: " in large.stderr, large
    assert b"limit of 102400" in large.stderr, large
    folder = run(tool, "hash", golden)
    assert folder.returncode == 2 and folder.stderr.endswith(b": is a folder\n"), folder
    if os.path.exists("/dev/full"):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([tool, "help"], stdout=full, stderr=subprocess.PIPE)
        assert result.returncode == 2 and b"firn: writing the output: " in result.stderr, result


def files(tool, source):
    """A file that is written is there whole, and the one before beside it."""
    save = (source / "tests/golden/saves/02_kitchen.firn").resolve()
    page = run(tool, "report", "-o", "-", save).stdout
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for _ in range(2):
            assert run(tool, "report", "-o", "page.html", save, cwd=folder).stdout == b""
        assert sorted(path.name for path in folder.iterdir()) == ["page.html", "page.html.bak"]
        assert {path.read_bytes() for path in folder.iterdir()} == {page}
        save_bytes = save.read_bytes()
        own, link, other = folder / "own", folder / "link", folder / "other"
        own.write_bytes(save_bytes)
        os.link(own, other)
        link.symlink_to(own)
        for output in ("own", "./own", "link", "other", own):
            for words in (["report", "own"], ["salvage", "own"], ["migrate", link]):
                result = run(tool, *words, "-o", output, cwd=folder)
                assert result.returncode == 2, result
                assert b"firn: --output is a file that is read: " in result.stderr, result
        with open(own, "rb") as stream:
            result = run(tool, "salvage", "-", "-o", "other", cwd=folder, stdin=stream)
        assert result.returncode == 2 and b"that is read: other" in result.stderr, result
        assert own.read_bytes() == save_bytes and link.is_symlink()
        assert run(tool, "salvage", "own", "-o", "page.html", cwd=folder).returncode == 0
        nowhere = run(tool, "report", "-o", "no/page.html", save, cwd=folder)
        assert nowhere.returncode == 2, nowhere
        assert nowhere.stderr.startswith(b"firn: no/page.html: "), nowhere


def pipes(tool, source):
    """Nobody reads: no message, whether the signal is ignored or not."""
    save = str(source / "tests/golden/saves/02_kitchen.firn")
    for ignored in (False, True):
        read_end, write_end = os.pipe()
        os.close(read_end)
        action = signal.SIG_IGN if ignored else signal.SIG_DFL
        result = subprocess.run([tool, "info"] + 50 * [save], stdout=write_end,
                                stderr=subprocess.PIPE, restore_signals=False,
                                preexec_fn=lambda: signal.signal(signal.SIGPIPE, action))
        os.close(write_end)
        assert result.stderr == b"", result
        assert result.returncode == (2 if ignored else -signal.SIGPIPE), result


def on_terminal(tool, *words, **environment):
    main, side = pty.openpty()
    process = subprocess.Popen([tool, *words], stdout=side, stderr=side,
                               env={**os.environ, **environment})
    os.close(side)
    text = b""
    try:
        while piece := os.read(main, 65536):
            text += piece
    except OSError:  # how Linux tells the end
        pass
    os.close(main)
    return process.wait(), text


def terminal(tool, source):
    """Colors on a terminal, unless NO_COLOR or TERM says otherwise; no bar before a line."""
    save = source / "tests/golden/firn/03_structs.bin"
    status, text = on_terminal(tool, "verify", save, NO_COLOR="", TERM="xterm")
    assert status == 0 and b"\x1b[32m: ok\x1b[0m\r\n" in text, text
    assert b"50%" in text, text
    assert b"\r\x1b[K" + bytes(save) in text, text
    status, text = on_terminal(tool, "verify", save, NO_COLOR="", TERM="dumb")
    assert status == 0 and text == bytes(save) + b": ok\r\n", text
    status, text = on_terminal(tool, "verify", save, NO_COLOR="1", TERM="xterm")
    assert status == 0 and b"03_structs.bin: ok\r\n" in text, text
    assert b"\x1b[32m" not in run(tool, "verify", save).stdout


CHECKS = [manual, completion, streams, files, pipes, terminal]


def main():
    checks = {check.__name__: check for check in CHECKS}
    checks[sys.argv[1]](pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]))


if __name__ == "__main__":
    main()
