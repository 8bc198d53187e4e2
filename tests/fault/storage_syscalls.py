"""storage_syscalls.py WHAT DRIVER SHIM: lets each system call of opening a storage and of WHAT (put,
get, head, list, remove) fail, once and for ever, and kills the process there. The errors take turns;
with FIRN_BYTES >= 10 each call fails with each of them.

After every run the entry is the old one or the new one, whole, as the result says, a next opening
leaves no temporary file, and the driver has seen that no descriptor is left open."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

from file_common import IO, NOT_DURABLE, OK, check, environment, skip

ERRORS = ["ENOSPC", "EIO", "EACCES", "EMFILE", "EINTR", "EDQUOT", "EROFS"]
OLDER, OLD, NEW = "older", "the old contents", "the new contents, of some length"
ENTRY, BACKUP = "s_a.firn", "s_a.firn.bak"
# Memory, signals, the end of the process, and the driver's own.
NOT_FILES = {"brk", "mmap", "munmap", "mremap", "mprotect", "madvise", "futex", "exit_group",
             "rt_sigaction", "rt_sigprocmask", "sigaltstack", "getppid", "getpid", "gettid", "writev",
             "exit", "sched_yield", "clock_gettime", "prctl", "getcwd"}
KILLED = "+++ killed by SIGKILL +++"


class Saves:
    """A folder with the entry `a` and its backup."""

    def __init__(self):
        self.holder = tempfile.TemporaryDirectory(prefix="firn-fault-")
        self.path = os.path.join(self.holder.name, "saves")
        self.log = os.path.join(self.holder.name, "log")
        self.reset()

    def reset(self):
        shutil.rmtree(self.path, ignore_errors=True)
        os.mkdir(self.path)
        for name, text in ((ENTRY, OLD), (BACKUP, OLDER)):
            with open(os.path.join(self.path, name), "w") as file:
                file.write(text)

    def text(self, name=ENTRY):
        try:
            with open(os.path.join(self.path, name)) as file:
                return file.read()
        except FileNotFoundError:
            return None

    def temporaries(self):
        return [name for name in os.listdir(self.path) if name.endswith(".firn-tmp")]


def command(what):
    text = {"put": [NEW], "get": [OLD], "head": [OLD]}.get(what, [])
    return [DRIVER, SAVES.path, what] + text


def counts(log):
    found = {}
    for name in re.findall(r"^(\w+)\(", log, re.MULTILINE):
        found[name] = found.get(name, 0) + 1
    return found


class Run:
    """One traced run of the driver on a fresh folder."""

    def __init__(self, inject=None):
        SAVES.reset()
        fault = ["-e", f"inject={inject}"] if inject else []
        done = subprocess.run(["strace", "-o", SAVES.log] + fault + command(WHAT),
                              capture_output=True, text=True, timeout=60,
                              # A fault must not meet gcov, which would lose what it has counted.
                              env=environment(GCOV_PREFIX=SAVES.holder.name))
        self.code = done.returncode
        with open(SAVES.log) as file:
            before, _, rest = file.read().partition("getppid()")
        log, _, after = rest.partition("getppid()")
        self.before, self.calls = counts(before), counts(log)
        self.what = f"{WHAT}: {inject}: exit {self.code}: {(done.stdout + done.stderr).strip()}:"
        self.hit = "(INJECTED)" in log or KILLED in log
        self.killed = KILLED in log
        self.late = "(INJECTED)" in after or KILLED in after

    def check(self):
        found, after = SAVES.text(), {"put": NEW, "remove": None}.get(WHAT, OLD)
        if self.killed:
            check(found in (OLD, after), self.what, "the entry holds", found)
        else:
            if self.code >= 100:
                check(self.late, self.what, "left a descriptor open")  # or the driver cannot count
                self.code -= 100
            check(self.code in (OK, IO, NOT_DURABLE), self.what, "is another result")
            check(found == (OLD if self.code == IO else after), self.what, "the entry holds", found)
        check(SAVES.text(BACKUP) in (OLDER, OLD, None), self.what, "spoiled the backup")
        check(WHAT == "remove" or SAVES.text(BACKUP) is not None, self.what, "lost the backup")
        if self.killed or SAVES.temporaries():
            code = subprocess.run([DRIVER, SAVES.path, "list"], env=environment(),
                                  capture_output=True).returncode
            check(code in (OK, 71), self.what, "the next opening gives", code)  # 71: it is removed
            check(not SAVES.temporaries(), self.what, "left", SAVES.temporaries())


def sweep(base, call, count):
    """Each of the `count` calls with its faults. -> runs that were hit"""
    hit = 0
    for number in range(count):
        for fault, more in take_turns(call):
            run = Run(f"{call}:{fault}:when={base.before.get(call, 0) + number + 1}{more}")
            check(run.hit, run.what, "was not hit")
            run.check()
            hit += 1
    return hit


def take_turns(call):
    """The faults of a call: an error once and for ever, and a kill."""
    yield "signal=SIGKILL", ""
    if call == "close":  # strace skips what it lets fail, but a close that fails has closed
        return
    global TURN
    TURN += 1
    errors = ERRORS if ALL else [ERRORS[TURN % len(ERRORS)]]
    for error in errors:
        yield f"error={error}", ""
        # What is interrupted is tried again for as long as that goes on.
        yield f"error={'EIO' if error == 'EINTR' else error}", "+"


def short_writes():
    SAVES.reset()
    done = subprocess.run(command("put"), capture_output=True, text=True, env=environment(SHIM))
    check(done.returncode == OK and SAVES.text() == NEW, "short writes gave", done, SAVES.text())
    check(re.search(r"short=[1-9]\d* interrupted=[1-9]", done.stderr), "the shim says", done.stderr)


WHAT, DRIVER, SHIM = sys.argv[1:]
ALL = float(os.environ.get("FIRN_BYTES", "1")) >= 10
TURN = 0
SAVES = Saves()
if WHAT == "put":
    short_writes()
if shutil.which("strace") is None:
    skip("strace is not installed")
probe = subprocess.run(["strace", "-o", os.devnull, "-e", "inject=getppid:error=EIO:when=1", "true"],
                       capture_output=True, text=True)
if probe.returncode != 0:
    skip("strace may not trace here: " + probe.stderr.strip())
BASE = Run()
check(BASE.code == OK, BASE.what, "failed without a fault")
BASE.check()
runs = sum(sweep(BASE, call, count) for call, count in sorted(BASE.calls.items())
           if call not in NOT_FILES)
check(runs > 30, "there were only", runs, "runs")
print(f"{WHAT}: {runs} runs with a fault")
