"""file_disk.py MODE DRIVER SHIM: replaces files where the system really refuses.

short_writes  every write moves 7 bytes or is interrupted
size_limit    a process that may not write so large a file (ulimit -f)
full_disk     a small tmpfs: full, and then mounted read-only"""

import os
import resource
import shutil
import signal
import subprocess
import sys

from file_common import (IO, NAME, NEW, OK, OLD, TIMES, Folder, check, check_next_write,
                         check_old_and_clean, drive, environment, shim_counts, skip)


def short_writes():
    folder = Folder()
    run = drive(DRIVER, folder, env=environment(SHIM))
    check(run.returncode == OK, "short writes failed:", run.stdout, run.stderr)
    short, interrupted, _ = shim_counts(run)
    check(short > 10 and interrupted > 3, "short", short, "interrupted", interrupted)
    check(folder.contents() == NEW * TIMES, "short writes wrote", folder.contents())
    check(folder.contents(NAME + ".bak") == OLD, "the backup is wrong")
    check(not folder.temporaries(), "left", folder.temporaries())


def limit_files(action):
    def prepare():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (40, 40))
        signal.signal(signal.SIGXFSZ, action)
    return prepare


def size_limit():
    folder = Folder()
    refuse = dict(FIRN_TEST_NO_FALLOCATE="1")
    for shim, more, step in ((None, {}, "reserving space"), (SHIM, refuse, "writing")):
        run = drive(DRIVER, folder, env=environment(shim, **more),
                    preexec_fn=limit_files(signal.SIG_IGN))
        check(run.returncode == IO, "a file above the limit gives", run.stdout, run.stderr)
        check(f"{step}" in run.stdout and "File too large" in run.stdout, run.stdout)
        check_old_and_clean(folder, "a file above the limit")
    run = drive(DRIVER, folder, env=environment(SHIM, **refuse),
                preexec_fn=limit_files(signal.SIG_DFL))
    check(run.returncode == -signal.SIGXFSZ, "SIGXFSZ did not kill:", run.returncode, run.stderr)
    check(folder.contents() == OLD, "SIGXFSZ changed the old file")
    check(len(folder.temporaries()) == 1, "a killed writer left", folder.temporaries())
    check_next_write(DRIVER, folder, "SIGXFSZ")


def full_disk():
    """Starts itself again in a mount namespace of its own."""
    if shutil.which("unshare") is None:
        skip("unshare is not installed")
    namespace = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    place = Folder().holder
    mounting = ["mount", "-t", "tmpfs", "-o", "size=128k,mode=755", "firn", place.name]
    probe = subprocess.run(namespace + mounting, capture_output=True, text=True)
    if probe.returncode != 0:
        skip("no tmpfs can be mounted here: " + probe.stderr.strip())
    script = '"$@" && exec "$FIRN_PYTHON" "$FIRN_SCRIPT" inside "$FIRN_DRIVER" "$FIRN_SHIM"'
    variables = dict(os.environ, FIRN_PYTHON=sys.executable, FIRN_SCRIPT=os.path.abspath(__file__),
                     FIRN_DRIVER=DRIVER, FIRN_SHIM=SHIM, FIRN_PLACE=place.name)
    inside = subprocess.run(namespace + ["sh", "-c", script, "sh"] + mounting, env=variables)
    check(inside.returncode == 0, "inside the small disk: exit", inside.returncode)


def inside_small_disk():
    place = os.environ["FIRN_PLACE"]
    folder = Folder(parent=place)
    for shim, more, step in ((None, {}, "reserving space"),
                             (SHIM, dict(FIRN_TEST_NO_FALLOCATE="1"), "writing")):
        run = drive(DRIVER, folder, times=10000, env=environment(shim, **more))
        check(run.returncode == IO, "a full disk gives", run.stdout, run.stderr)
        check(step in run.stdout and "No space left on device" in run.stdout, run.stdout)
        check_old_and_clean(folder, "a full disk")
    check_next_write(DRIVER, folder, "a full disk")

    folder.reset()
    remount = subprocess.run(["mount", "-o", "remount,ro", place], capture_output=True, text=True)
    check(remount.returncode == 0, "remount:", remount.stderr)
    for name, words in ((NAME, "is read-only: Read-only file system"),
                        ("b.firn", "making a temporary file beside it: Read-only file system")):
        run = drive(DRIVER, folder, name=name, env=environment())
        check(run.returncode == IO and words in run.stdout, "read-only gives", run.stdout)
        check_old_and_clean(folder, "a read-only disk")
    remount = subprocess.run(["mount", "-o", "remount,rw", place], capture_output=True, text=True)
    check(remount.returncode == 0, "remount:", remount.stderr)


MODE, DRIVER, SHIM = sys.argv[1:]
{"short_writes": short_writes, "size_limit": size_limit, "full_disk": full_disk,
 "inside": inside_small_disk}[MODE]()
