"""Writes the seed corpora of the fuzz targets, made from the golden files.

    seeds.py GOLDEN OUT    GOLDEN is tests/golden; OUT/<target>/ receives the seeds
"""
import pathlib
import random
import re
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
        for options, components, failing in ((0, 0, 0), (1, 0, 9), (1, 1, 0), (3, 1, 30)):
            put("load", f"{name}-{options}-{components}",
                bytes([options, components, failing]) + image)
    for name, image in images(golden):
        if name.startswith("tecs"):
            for components in range(2, 16):
                put("load", f"{name}-tecs-{components}", bytes([1, components, 0]) + image)
    for seed in range(40):
        numbers = random.Random(seed)
        put("round_trip", f"random-{seed}", numbers.randbytes(20 + 20 * seed))


if __name__ == "__main__":
    main()
