#!/usr/bin/env python3
"""Runs firn_bench with tiny numbers: the shape of what it prints, never the times; and the columns
of aims.csv, whose scenes exist."""
import csv
import pathlib
import subprocess
import sys

WORLDS = ["", "_shuffled", "_named", "_named_shuffled"]
SNAPSHOTS = ["save", "load_warm", "load_cold", "hash", "check"]
STORE = ["spawn_one", "spawn_set", "spawn_many", "iterate", "add", "remove", "get", "set", "despawn"]
VALUES = [way + what for what in ["tree", "stream", "items"] for way in ["encode_", "decode_"]]
COLUMNS_SAVED = [way + what for way in ["save_", "load_"] for what in
                 ["tag", "number", "codec", "parent", "parent_moved", "parent_shuffled", "parent_w1"]]
SPAWNS = ["spawn_bare_warm", "spawn_state_warm"]
RELATIONS = ["relate_sparse", "relate_sparse_again", "unrelate_sparse", "relate_dense",
             "unrelate_dense", "cascade", "sources"]
FEW_OF_MANY = ["saves_make_100", "saves_take_100"]
SAVES = ["saves_make", "saves_take", "saves_pause", *FEW_OF_MANY, "saves_file"]
TOOL = ["tool_verify", "tool_diff"]  # in a build with the tool
MEMORY = ["memory_spawn", "memory_load", "memory_load_again"]
SCENES = {*(scene + world for scene in SNAPSHOTS for world in WORLDS), "load_new",
          "save_digest", "save_file", "load_file", *MEMORY,
          *(scene + state for scene in STORE for state in ["_warm", "_cold"]), *VALUES,
          *COLUMNS_SAVED, *SPAWNS, *RELATIONS, *SAVES, *TOOL}
WITHOUT_BYTES = {scene + state for scene in STORE if scene != "iterate"
                 for state in ["_warm", "_cold"]} | {*SPAWNS, *RELATIONS, *FEW_OF_MANY}
COLUMNS = ["scene", "entities", "bytes", "metric", "unit", "median", "min", "memcpy_ratio"]
UNITS = {"time": "ns/entity", "rate": "GB/s", "memcpy": "ns/entity", "plain": "ns/entity",
         "plain_ratio": "x", "memory": "B/entity"}


def run(*arguments, code=0):
    done = subprocess.run([sys.argv[1], *arguments], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    assert done.returncode == code, (arguments, done)
    return done.stdout if code == 0 else done.stderr


def rows(*arguments):
    table = list(csv.reader(run("--csv", "--entities", "100", *arguments).splitlines()))
    assert table[0] == COLUMNS, table[0]
    return [dict(zip(COLUMNS, row, strict=True)) for row in table[1:]]


def metrics(scene):
    if scene in MEMORY:
        return ["memory"]
    if scene in FEW_OF_MANY:
        return ["time", "plain", "plain_ratio"]
    if scene in WITHOUT_BYTES:
        return ["time"]
    if scene in ["iterate_warm", "saves_file", *TOOL]:
        return ["time", "rate", "memcpy", "plain", "plain_ratio"]
    return ["time", "rate", "memcpy"]


def check_row(row):
    assert row["entities"] == "100", row
    assert row["unit"] == UNITS[row["metric"]], row
    assert float(row["median"]) >= 0 and float(row["min"]) >= 0, row
    assert (int(row["bytes"]) > 0) == (row["scene"] not in WITHOUT_BYTES), row
    with_ratio = row["metric"] == "time" and row["scene"] not in WITHOUT_BYTES
    assert (row["memcpy_ratio"] != "") == with_ratio, row
    assert not with_ratio or float(row["memcpy_ratio"]) > 0, row


def check_aims():
    path = pathlib.Path(__file__).with_name("aims.csv")
    with path.open(newline="") as file:
        aims = list(csv.DictReader(file, strict=True))
    assert aims
    for aim in aims:
        assert None not in aim and None not in aim.values(), aim
        assert aim["scene"] in SCENES and aim["metric"] in [*metrics(aim["scene"]), "ratio"], aim
        assert int(aim["entities"]) > 0 and float(aim["aim"]) > 0, aim


def main():
    listed = [line.split()[0] for line in run("--list").splitlines()]
    scenes = SCENES if TOOL[0] in listed else SCENES - {*TOOL}
    assert set(listed) == scenes and len(listed) == len(scenes), listed
    every = rows("--repeat", "1")
    wanted = [(scene, metric) for scene in listed for metric in metrics(scene)]
    assert [(row["scene"], row["metric"]) for row in every] == wanted, every
    for row in every:
        check_row(row)
    some = rows("--repeat", "3", "--scene", "save")
    assert [row["scene"] for row in some] == ["save"] * 3, some
    for row in some:
        check_row(row)
    assert float(some[0]["min"]) <= float(some[0]["median"]), some
    assert "memcpy ratio" in run("--entities", "10", "--repeat", "1", "--scene", "iterate_warm")
    check_aims()
    # A name without a scene of its own asks for its family, `save` for itself alone.
    for family in ["spawn_one", "spawn_many", "iterate"]:
        found = list(dict.fromkeys(row["scene"] for row in rows("--repeat", "1", "--scene", family)))
        assert found == [f"{family}_warm", f"{family}_cold"], found
    for family, whole in [("encode", ["encode_tree", "encode_stream", "encode_items"]),
                          ("decode", ["decode_tree", "decode_stream", "decode_items"])]:
        found = list(dict.fromkeys(row["scene"] for row in rows("--repeat", "1", "--scene", family)))
        assert found == whole, found

    assert '"spaw"' in run("--scene", "spaw", code=2)
    assert '"walk"' in run("--scene", "walk", code=2)
    for number in ["0", "-1", "4194304", "1e3", "", "12x"]:
        assert f'--entities takes a number from 1 to 4194303, not "{number}"' in run(
            "--entities", number, code=2)
    assert "--repeat" in run("--repeat", "0", code=2)
    assert "--scene" in run("--scene", code=2)
    assert "usage" in run("--what", code=2)


main()
