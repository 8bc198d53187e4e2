#!/usr/bin/env python3
"""Runs firn_bench with tiny numbers: the shape of what it prints, never the times."""
import csv
import subprocess
import sys

SCENES = ["save", "load_warm", "load_cold", "spawn_one", "spawn_many", "iterate", "encode",
          "decode"]
COLUMNS = ["scene", "entities", "bytes", "metric", "unit", "median", "min", "memcpy_ratio"]
WITHOUT_BYTES = {"spawn_one", "spawn_many"}


def run(*arguments, code=0):
    done = subprocess.run([sys.argv[1], *arguments], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    assert done.returncode == code, (arguments, done)
    return done.stdout if code == 0 else done.stderr


def rows(*arguments):
    table = list(csv.reader(run("--csv", "--entities", "100", "--repeat", "3",
                                *arguments).splitlines()))
    assert table[0] == COLUMNS, table[0]
    return [dict(zip(COLUMNS, row, strict=True)) for row in table[1:]]


def check_row(row):
    assert row["entities"] == "100", row
    assert (row["metric"], row["unit"]) in [("time", "ns/entity"), ("rate", "GB/s")], row
    assert float(row["median"]) >= 0 and float(row["min"]) >= 0, row
    if row["scene"] in WITHOUT_BYTES:
        assert row["bytes"] == "0" and row["memcpy_ratio"] == "", row
    else:
        assert int(row["bytes"]) > 0 and float(row["memcpy_ratio"]) > 0, row


def main():
    assert [line.split()[0] for line in run("--list").splitlines()] == SCENES
    every = rows()
    wanted = [scene for scene in SCENES
              for _ in range(1 if scene in WITHOUT_BYTES else 2)]
    assert [row["scene"] for row in every] == wanted, every
    for row in every:
        check_row(row)
    assert [row["scene"] for row in rows("--scene", "save")] == ["save", "save"]
    assert "memcpy ratio" in run("--entities", "10", "--repeat", "1", "--scene", "iterate")

    assert '"walk"' in run("--scene", "walk", code=2)
    for number in ["0", "-1", "4194304", "1e3", "", "12x"]:
        assert f'--entities takes a number from 1 to 4194303, not "{number}"' in run(
            "--entities", number, code=2)
    assert "--repeat" in run("--repeat", "0", code=2)
    assert "--scene" in run("--scene", code=2)
    assert "usage" in run("--what", code=2)


main()
