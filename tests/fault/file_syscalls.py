"""file_syscalls.py MODE DRIVER SHIM: lets system calls of a file replacement fail, or kills it there.

once      the Nth call of a kind fails, N = 1.. until a run injects nothing; the results are known
for_ever  the Nth call and all after it fail
any       the same as once for every kind of call that a replacement makes, with EIO
kill      SIGKILL before the Nth call, for every kind of call
short     once and kill at each write, where a write moves 7 bytes

After every run the file is the old one or the new one, whole, as the result says."""

import os
import re
import shutil
import subprocess
import sys

from file_common import (IO, NAME, NEW, NOT_DURABLE, OK, OLD, OLDER, TIMES, Folder, check,
                         check_next_write, environment, skip)

# (call, error, the results of letting the 1st, 2nd, ... call fail)
FAULTS = [
    ("write", "ENOSPC", [IO]),
    ("write", "EDQUOT", [IO]),
    ("write", "EIO", [IO]),
    ("write", "EINTR", [OK]),
    ("fsync", "EIO", [IO, NOT_DURABLE]),
    ("fsync", "EINTR", [IO, NOT_DURABLE]),
    ("fallocate", "ENOSPC", [IO]),
    ("fallocate", "EFBIG", [IO]),
    ("fallocate", "EOPNOTSUPP", [OK]),
    ("fallocate", "EINTR", [OK]),
    # the file, the backup
    ("renameat", "EIO", [IO, OK]),
    ("renameat", "EACCES", [IO, OK]),
    ("linkat", "EPERM", [OK]),
    ("linkat", "EMLINK", [OK]),
    ("linkat", "ENOSPC", [IO]),
    ("linkat", "EIO", [IO]),
    # the folder, the search for what is stale, the temporary file
    ("openat", "EACCES", [IO, OK, IO]),
    ("openat", "EMFILE", [IO, OK, IO]),
    ("openat", "EINTR", [OK, OK, OK]),
    ("openat", "EEXIST", [IO, OK, OK]),
    # the search for what is stale, the temporary file, its lock, the folder
    ("close", "EIO", [OK, IO, OK, OK]),
    ("close", "EINTR", [OK, OK, OK, OK]),
    ("flock", "EAGAIN", [OK]),
    ("flock", "ENOLCK", [OK]),
    ("fchmod", "EPERM", [OK]),
    ("utimensat", "EPERM", [OK]),
    # the names of the temporary file and of the backup link
    ("getrandom", "ENOSYS", [OK, OK]),
    ("unlinkat", "EIO", [OK]),
]

# Memory, signals, the end of the process, and the driver's own.
NOT_FILES = {"brk", "mmap", "munmap", "mremap", "mprotect", "madvise", "futex", "exit_group",
             "rt_sigaction", "rt_sigprocmask", "sigaltstack", "getppid", "getpid", "gettid", "writev",
             "exit", "sched_yield", "clock_gettime", "prctl"}

KILLED = "+++ killed by SIGKILL +++"
RENAMED = re.compile(rf'^renameat2?\(.*"{re.escape(NAME)}"(, 0)?\) += 0$', re.MULTILINE)


class Run:
    """One traced run of the driver on a fresh folder."""

    def __init__(self, inject=None):
        FOLDER.reset()
        log_path = os.path.join(FOLDER.holder.name, "log")
        command = ["strace", "-o", log_path]
        if inject:
            command += ["-e", f"inject={inject}"]
        if USED_SHIM:
            command += ["-E", f"LD_PRELOAD={USED_SHIM}"]
        command += [DRIVER, FOLDER.target, NEW.decode(), str(TIMES)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment())
        self.code, self.output = done.returncode, done.stdout + done.stderr
        with open(log_path) as file:
            before, _, rest = file.read().partition("getppid()")
        self.log, _, after = rest.partition("getppid()")
        self.before, self.calls = call_counts(before), call_counts(self.log)
        self.what = f"{inject}: exit {self.code}: {self.output.strip()}:"
        check("(INJECTED)" not in before, self.what, "injected too early")
        self.failed = self.log.count("(INJECTED)")
        self.killed = KILLED in self.log
        self.killed_late = KILLED in after
        self.renamed = RENAMED.search(self.log) is not None

    def check_file(self):
        contents = FOLDER.contents()
        check(contents in (OLD, NEW * TIMES), self.what, "the file holds", contents)
        if not self.killed:
            check(self.code in (OK, IO, NOT_DURABLE), self.what, "is no result of a file operation")
            check((self.code != IO) == self.renamed, self.what, "does not fit the calls")
            check(not FOLDER.temporaries(), self.what, "left", FOLDER.temporaries())
        check((contents != OLD) == self.renamed, self.what, "the file holds", contents)
        backup = FOLDER.contents(NAME + ".bak")
        check(backup in (OLDER, OLD), self.what, "the backup holds", backup)
        failed_fsync = re.search(r"^fsync.*\(INJECTED\)", self.log, re.MULTILINE)
        if failed_fsync:
            later = self.log[failed_fsync.end():]
            check("fsync(" not in later, self.what, "repeated an fsync that failed")
            check(self.code != OK, self.what, "hid an fsync that failed")


def call_counts(log):
    counts = {}
    for name in re.findall(r"^(\w+)\(", log, re.MULTILINE):
        counts[name] = counts.get(name, 0) + 1
    return counts


def sweep(base, call, fault, more=""):
    """Runs with `fault` at the 1st, 2nd, ... `call` until a run injects nothing. -> runs"""
    runs = []
    while True:
        number = base.before.get(call, 0) + len(runs) + 1
        run = Run(f"{call}:{fault}:when={number}{more}")
        if not run.failed and not run.killed:
            check(run.code == OK or run.killed_late, run.what, "failed without a fault")
            return runs
        run.check_file()
        if run.killed:
            check_next_write(DRIVER, FOLDER, run.what)
        runs.append(run)


def sweep_once(base, call, error, expected):
    runs = sweep(base, call, f"error={error}")
    codes = [run.code for run in runs]
    check(codes == expected, f"{call} {error} gives", codes, "not", expected)
    return len(runs)


def sweep_every_kind(base, fault):
    total = 0
    for call, count in sorted(base.calls.items()):
        if call not in NOT_FILES:
            runs = sweep(base, call, fault)
            check(len(runs) >= count, call, "was hit", len(runs), "times of", count)
            total += len(runs)
    return total


def run_mode(mode):
    base = Run()
    check(base.code == OK and base.renamed, base.what, "failed without a fault")
    base.check_file()
    check(FOLDER.contents(NAME + ".bak") == OLD, base.what, "kept no backup")
    if mode == "once":
        return sum(sweep_once(base, *fault) for fault in FAULTS)
    if mode == "for_ever":
        total = 0
        for call, error, expected in FAULTS:
            if error != "EINTR":  # which is tried again for as long as it comes
                runs = sweep(base, call, f"error={error}", "+")
                check(len(runs) == len(expected), call, error, "was hit", len(runs), "times")
                total += len(runs)
        return total
    if mode == "any":
        return sweep_every_kind(base, "error=EIO")
    if mode == "kill":
        return sweep_every_kind(base, "signal=SIGKILL")
    check(mode == "short" and base.calls["write"] > 10, "mode", mode, base.calls)
    killed = sweep(base, "write", "signal=SIGKILL")
    check(all(run.killed for run in killed), "a run survived SIGKILL")
    count = base.calls["write"]
    check(len(killed) == count, "killed at", len(killed), "writes of", count)
    return len(killed) + sweep_once(base, "write", "ENOSPC", [IO] * count)


MODE, DRIVER, SHIM = sys.argv[1:]
USED_SHIM = SHIM if MODE == "short" else None
if shutil.which("strace") is None:
    skip("strace is not installed")
probe = subprocess.run(["strace", "-o", os.devnull, "-e", "inject=getppid:error=EIO:when=1", "true"],
                       capture_output=True, text=True)
if probe.returncode != 0:
    skip("strace may not trace here: " + probe.stderr.strip())
FOLDER = Folder()
hits = run_mode(MODE)
check(hits > 0, "nothing was injected")
print(f"{MODE}: {hits} runs with a fault")
