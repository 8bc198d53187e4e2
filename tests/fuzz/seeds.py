"""Writes the seed corpora of the fuzz targets, made from the golden files.

    seeds.py GOLDEN OUT    GOLDEN is tests/golden; OUT/<target>/ receives the seeds
"""
import json
import pathlib
import random
import re
import struct
import sys


def vectors(golden):
    """The encodings in the vector files: names and bytes."""
    for path in sorted(golden.glob("stringbuffer/*.txt")):
        for line in path.read_text().splitlines():
            fields = line.split("\t")
            if fields[0] not in ("E", "O", "D", "B") or len(fields) < 4:
                continue
            text = fields[3] if fields[0] in "EO" else fields[2]
            text = re.sub(r"([0-9a-f]{2})\*(\d+)", lambda m: m[1] * int(m[2]), text)
            if not re.fullmatch(r"[0-9a-f ]+", text):
                continue  # needs a dictionary, or is empty
            yield f"{path.stem}-{fields[1]}", bytes.fromhex(text)


def images(golden):
    """The images: names and bytes."""
    for folder in ("firn", "tecs", "errors"):
        for path in sorted((golden / folder).rglob("*.bin")):
            name = "-".join(path.relative_to(golden).with_suffix("").parts)
            yield name, path.read_bytes()


def saves(golden):
    """The save files: names and bytes."""
    for path in sorted((golden / "saves").glob("*.firn")):
        yield path.stem, path.read_bytes()


VALUES = ["[1,-0.0,1e300,null,true,\"\\u00e9\\n\"]", "{\"a\":{\"b\":[{}]}}",
          "{\"$table\":[[1,2],[true,{\"$number\":\"7ff8000000000001\"}]]}",
          "[{\"$int64\":\"-5\"},{\"$uint64\":\"5\"},{\"$complex\":[1,2]},{\"$bytes\":\"/w==\"}]"]
SAVE = """\
{"firn":"save","format":1,"header":{"engineVersion":"a","game":"b","gameVersion":1,"kind":"world",\
"level":"","meta":{},"parent":"","playTime":0,"revision":1,"saveFormatVersion":1,"tick":0,\
"timestamp":0},"sections":["snapshot","custom","mine","thumbnail"]}
{"section":"custom","value":{"a":1}}
{"section":"mine","bytes":"AAE="}
{"section":"thumbnail","bytes":""}
{"firn":"snapshot","format":1,"version":1,"nextEntityId":1,"entities":0,"data":0,"components":[],\
"frames":[]}
"""


def lines(golden):
    """Texts for the JSON target: names, what they are, and bytes."""
    for number, text in enumerate(VALUES):
        yield f"value-{number}", 0, text.encode()
    for path in sorted((golden / "json").glob("*.jsonl")):
        yield path.stem, 1, path.read_bytes()
    yield "save", 2, SAVE.encode()
    for name, image in images(golden):
        if len(image) < 1000:
            yield name, 3, image


def golden_file_count(golden):
    """How many sets of components tecs_components.c has."""
    source = (golden / "tecs_components.c").read_text()
    listed = re.search(r"golden_files\[\] = \{(.*?)\n\};", source, re.S)[1]
    return len(re.findall(r"^ *GOLDEN", listed, re.M))


def encoded(value):
    """JSON as LuaJIT would encode it; keys in the order of the JSON."""
    def count(n):
        return bytes([n]) if n < 0xe0 else b"\xff" + struct.pack("<I", n)

    if isinstance(value, bool):
        return b"\x02" if value else b"\x01"
    if isinstance(value, (int, float)):
        return b"\x07" + struct.pack("<d", value)
    if isinstance(value, str):
        bytes_ = value.encode("latin-1")
        return count(len(bytes_) + 0x20) + bytes_
    if isinstance(value, list):
        return b"\x0c" + count(len(value) + 1) + b"".join(map(encoded, value))
    pairs = b"".join(encoded(float(key[12:]) if key.startswith("$key:number:") else key) +
                     encoded(item) for key, item in value.items())
    return b"\x09" + count(len(value)) + pairs if value else b"\x08"


# The record form, holes, ids as text; components of the golden worlds.
TABLES = {
    "records": {"version": 1, "states": [], "archetypes": [
        {"components": ["Score", "Boss"], "entities": [
            {"id": "7", "values": {"Score": 5}}, {"id": 2, "values": {"Title": "a", "Boss": True}}]}]},
    "holes": {"version": 2, "nextEntityId": 9, "entityCount": 3,
              "componentTable": [{"name": "Boss"}, {"name": "Score"}, {"name": "Owned"}],
              "archetypes": [{"columnIndices": [1, 2, 3], "entities": [
                  [1, True, {"value": 4}, "owned"],
                  {"$key:number:1": 2, "$key:number:4": "b"}, [3, True]]}],
              "data": [{"key": "a", "value": {"b": [1]}}, {"key": "b"}]},
}


def tables(golden):
    """Saves in table form: names and encoded values."""
    for path in sorted(golden.glob("tecs/*.table.json")):
        yield path.name.split(".")[0], encoded(json.loads(path.read_text()))
    for name, table in TABLES.items():
        yield name, encoded(table)


def main():
    golden, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])

    def put(target, name, seed):
        folder = out / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / re.sub(r"[^\w.-]", "_", name)).write_bytes(seed)

    for name, value in vectors(golden):
        for limits in (0, 2):
            put("values", f"{name}-{limits}", bytes([limits]) + value)
    for name, image in images(golden):
        for limits, failing in ((0, 0), (1, 3), (2, 0)):
            put("image", f"{name}-{limits}", bytes([limits, failing]) + image)
        # Options, the set of registrations, the failing call: see load.c.
        for options, components, failing in ((0, 0, 0), (1, 0, 9), (1, 1, 0), (3, 1, 30),
                                             (16, 1, 0), (16, 2, 40), (33, 0, 0), (33, 1, 50),
                                             (48, 0, 0), (48, 1, 60)):
            put("load", f"{name}-{options}-{components}",
                bytes([options, components, failing]) + image)
    for name, image in images(golden):
        if name.startswith("tecs"):
            # Loaded, or merged and kept, with the components of every file.
            for components in range(2, 2 + golden_file_count(golden)):
                put("load", f"{name}-tecs-{components}",
                    bytes([1 if components % 2 else 48, components, 0]) + image)
    for name, save in saves(golden):
        for limits, failing, seal in ((0, 0, 0), (0, 0, 1), (1, 4, 1), (2, 0, 1), (0, 12, 1)):
            put("save", f"{name}-{limits}-{failing}-{seal}",
                bytes([limits, failing, seal]) + save)
    for name, kind, text in lines(golden):
        for limits in (0, 2):
            put("json", f"{name}-{limits}", bytes([limits, kind]) + text)
    for name, table in tables(golden):
        for limits in (0, 1, 2):
            for options in (0, 1, 3):
                put("table", f"{name}-{limits}-{options}", bytes([limits, options]) + table)
    files = [*images(golden), *saves(golden), *((name, text) for name, _, text in lines(golden))]
    for number, (name, file) in enumerate(files):
        # The command, the failing call, hashes made right: see tool.c.
        for failing, seal in ((0, 0), (0, 1), (number % 40, 1)):
            put("tool", f"{name}-{failing}-{seal}", bytes([number % 256, failing, seal]) + file)
    for seed in range(40):
        numbers = random.Random(seed)
        put("round_trip", f"random-{seed}", numbers.randbytes(20 + 20 * seed))


if __name__ == "__main__":
    main()
