#!/usr/bin/env python3
"""report.py RESULTS AIMS FLAGS OUT: what firn_bench measured, as a document."""
import csv
import os
import platform
import re
import subprocess
import sys

SIZES = [10_000, 100_000, 1_000_000, 4_000_000]

ABOUT = """
## What is measured

Written by `sh bench/report.sh`, which builds with the flags above, runs every scene of `firn_bench`
at every size, one thread, and draws the plots; every number here is of one run of it. Numbers of
your machine: the same command, or `firn_bench --scene save --entities 100000`. `firn_bench --list`
says what each scene does.

- **W1** has Position and Velocity of two floats, Health of two int32; half of the entities have a
  tag, a tenth a Key of one uint64: three archetypes. Rows stand in the order of their ids;
  *shuffled*: in a random order. **W1n** (*named*): a tenth has a name, 10 to 15 bytes long.
- **Ratios** are to a memcpy of as many bytes, that of iterate to the same loop over plain arrays.
  Both alternate with the scene in every repetition, and were run once right before they are timed:
  they are hot. The buffers are the same all the time.
- **Warm**: done before in that world. **Cold**: a spawn and a load go into a new world, whose memory
  comes from the system page by page; the others find caches that another 64 MiB went through, and
  add, remove and despawn a new world as well. `load_new` goes into a new world too, in memory that
  the process used before.
- **Spawned rows** are at their defaults; `spawn_set` sets three of each entity after it. Times of
  add and remove are per entity changed, those of `encode` and `decode` per row {hp, x, y}.
- **tag**, **number**, **codec**, **parent**: entities that have only one such component, `codec` a
  struct that a row codec writes as {hp, x, y}, key by key. The parent is ChildOf (sparse, exclusive,
  cascades), in trees of 16 roots and 8 children each; *moved*: listed in another order than their
  rows. `_w1`, `relate`, `unrelate`, `cascade` and `sources`: W1 with such parents, all that have one
  one by one; `dense`: W1 and 16 targets that make archetypes of their own. `sources` walks from each
  entity to its children.
- **Memory** is what the world's allocator has given, without the bytes of the rows: ids, index,
  columns' spare room, and the world itself.
"""


def read_results(path):
    with open(path, newline="") as file:
        return {(row["scene"], int(row["entities"]), row["metric"]): row
                for row in csv.DictReader(file)}


def first_line(*command):
    return subprocess.run(command, check=True, text=True,
                          stdout=subprocess.PIPE).stdout.splitlines()[0]


def machine(flags):
    """What the numbers depend on, as (name, value)."""
    text = subprocess.run(["lscpu"], check=True, text=True, stdout=subprocess.PIPE,
                          env={**os.environ, "LC_ALL": "C"}).stdout
    cpu = dict(re.split(r":\s*", line, maxsplit=1) for line in text.splitlines() if ":" in line)
    caches = ", ".join(f"{level} {cpu[level + ' cache']}" for level in ["L1d", "L2", "L3"]
                       if level + " cache" in cpu)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    header = open("include/firn/base.h").read()
    version = ".".join(re.findall(r"FIRN_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))
    return [
        ("CPU", f"{cpu['Model name']}, family {cpu.get('CPU family', '?')}, model "
                f"{cpu.get('Model', '?')}" +
                (f", in a virtual machine ({cpu['Hypervisor vendor']})"
                 if "Hypervisor vendor" in cpu else "")),
        ("cores", cpu["CPU(s)"]),
        ("caches", caches),
        ("memory", f"{memory:.0f} GiB"),
        ("kernel", f"{platform.system()} {platform.release()}, {platform.machine()}"),
        ("C library", " ".join(platform.libc_ver())),
        ("compiler", f"{first_line('gcc', '--version')}, {flags}"),
        ("firn", f"{version}, commit {commit()}"),
        ("load average at the end", ", ".join(f"{load:.1f}" for load in os.getloadavg())),
    ]


def commit():
    """The commit that was measured, and whether the sources were it."""
    changes = subprocess.run(["git", "status", "--porcelain", "src", "include", "bench"],
                             check=True, text=True, stdout=subprocess.PIPE).stdout
    name = first_line("git", "rev-parse", "--short", "HEAD")
    return name + (" with changes" if changes else "")


def digits(number, most=2):
    """So many behind the point, fewer of larger numbers."""
    return f"{number:.{most if number < 10 else most - 1 if number < 100 else 0}f}"


def value(results, aim):
    """(median, min) of what an aim is about."""
    scene, entities, metric = aim["scene"], int(aim["entities"]), aim["metric"]
    if metric == "ratio":
        time, copy = (results[scene, entities, name] for name in ["time", "memcpy"])
        return float(time["memcpy_ratio"]), float(time["min"]) / float(copy["min"])
    row = results[scene, entities, metric]
    if metric == "plain_ratio":
        time, plain = (results[scene, entities, name] for name in ["time", "plain"])
        return float(row["median"]), float(time["min"]) / float(plain["min"])
    return float(row["median"]), float(row["min"])


def aims_table(results, aims):
    yield "| what | entities | aim | median | min | reached | elsewhere |"
    yield "|---|---:|---:|---:|---:|---|---|"
    for aim in aims:
        median, least = value(results, aim)
        reached = "yes" if median <= float(aim["aim"]) else "no"
        yield (f"| {aim['what']} | {int(aim['entities']):,} | {aim['aim']} | {digits(median, 3)} | "
               f"{digits(least, 3)} | {reached} | {aim['elsewhere']} |")


def cell(results, scene, entities):
    time = results.get((scene, entities, "time"))
    if time is not None:
        ratio = time["memcpy_ratio"]
        return digits(float(time["median"])) + (f" ({digits(float(ratio))})" if ratio else "")
    memory = results.get((scene, entities, "memory"))
    return digits(float(memory["median"])) + " B" if memory is not None else ""


def scenes_table(results):
    yield "| scene | " + " | ".join(f"{entities:,}" for entities in SIZES) + " |"
    yield "|---|" + "---:|" * len(SIZES)
    for scene in dict.fromkeys(scene for scene, _, _ in results):
        cells = " | ".join(cell(results, scene, entities) for entities in SIZES)
        yield f"| {scene} | {cells} |"


def main():
    _, results_path, aims_path, flags, out_path = sys.argv
    results = read_results(results_path)
    with open(aims_path, newline="") as file:
        aims = list(csv.DictReader(file))
    lines = ["# Performance", "", "| machine | |", "|---|---|"]
    lines += [f"| {name} | {text} |" for name, text in machine(flags)]
    lines += [*ABOUT.splitlines(), "", "## Aims", "",
              "`min` of a ratio is that of the least times.", "", *aims_table(results, aims)]
    lines += ["", "## Every scene", "",
              "Median of ns an entity, and in brackets the median ratio to memcpy.", "",
              *scenes_table(results)]
    lines += ["", "## From 10,000 to 4,000,000 entities", ""]
    lines += [f"![{plot}](performance/{plot}.svg)" for plot in ["save", "load", "spawn", "iterate"]]
    with open(out_path, "w") as file:
        file.write("\n".join(lines) + "\n")


main()
