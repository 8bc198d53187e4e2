#!/usr/bin/env python3
"""Prints store_convert_cases.inc from tests/golden/tecs/migration_matrix.json.

The matrix was recorded from real LuaJIT on x86-64 and arm64. Where both agree ("portable") that is
what firn must give; elsewhere the definition in docs/format.md ("numeric conversion") counts. It is
written here a second time, with exact integers and fractions, so that C is not tested against
itself. The script fails when the definition disagrees with a portable case.

    python3 store_convert_cases.py ../golden/tecs/migration_matrix.json > store_convert_cases.inc

With the name of that file as a second argument it compares instead of printing.
"""
import json
import math
import struct
import sys
from fractions import Fraction

TYPES = {  # C name: firn name, bytes, signed; None for what is no integer
    "bool": ("BOOL", 1, None), "int8_t": ("I8", 1, True), "uint8_t": ("U8", 1, False),
    "int16_t": ("I16", 2, True), "uint16_t": ("U16", 2, False), "int32_t": ("I32", 4, True),
    "uint32_t": ("U32", 4, False), "int64_t": ("I64", 8, True), "uint64_t": ("U64", 8, False),
    "float": ("F32", 4, None), "double": ("F64", 8, None),
}


def parse(value):
    """A number of the matrix: int, bool or float."""
    if isinstance(value, str):
        special = {"$NaN": math.nan, "$Inf": math.inf, "$-Inf": -math.inf}
        return special[value] if value in special else int(value.removeprefix("$i64:"))
    return value


def nearest_float(value):
    """The float nearest to an exact number, ties to even."""
    if isinstance(value, float) and not math.isfinite(value):
        return value
    try:
        middle = struct.unpack("<f", struct.pack("<f", float(value)))[0]
    except OverflowError:
        return math.copysign(math.inf, value)
    bits = struct.unpack("<i", struct.pack("<f", abs(middle)))[0]
    around = [b for b in (bits - 1, bits, bits + 1) if 0 <= b < 0x7F800000]
    exact = Fraction(value)
    sign = -1.0 if math.copysign(1.0, value) < 0 else 1.0

    def distance(b):
        return abs(Fraction(sign * struct.unpack("<f", struct.pack("<i", b))[0]) - exact), b & 1

    return sign * struct.unpack("<f", struct.pack("<i", min(around, key=distance)))[0]


def clamp(value, low, high):
    return max(low, min(high, value))


def whole(value, low, high):
    """Toward zero, NaN is 0, clamped."""
    if isinstance(value, float) and math.isnan(value):
        return 0
    if isinstance(value, float) and math.isinf(value):
        return high if value > 0 else low
    return clamp(math.trunc(value), low, high)


def definition(source, value, target):
    """The converted value by docs/format.md."""
    _, size, signed = TYPES[target]
    if target == "bool":
        return value != 0
    if target == "double":
        return float(value)
    if target == "float":
        return nearest_float(value)
    if source in ("int64_t", "uint64_t"):
        number = value
    elif target in ("uint32_t", "int64_t"):
        number = whole(value, -2**63, 2**63 - 1)
    elif target == "uint64_t":
        negative = whole(value, -2**63, 2**64 - 1) < 0
        number = whole(value, -2**63, 2**63 - 1) if negative else whole(value, 0, 2**64 - 1)
    else:
        number = whole(value, -2**31, 2**31 - 1)
    number &= 2**(8 * size) - 1
    return number - 2**(8 * size) if signed and number >> (8 * size - 1) else number


def has_changed(value, after, target):
    """By more than rounding."""
    if isinstance(value, float) and math.isnan(value):
        return target not in ("float", "double")
    if target in ("float", "double"):
        return math.isinf(after) and not (isinstance(value, float) and math.isinf(value))
    return value != after


def bits(value, name):
    """The value's bytes as one little-endian number."""
    _, size, _ = TYPES[name]
    if name in ("float", "double"):
        if math.isnan(value):
            return 0x7FC00000 if name == "float" else 0x7FF8000000000000
        return int.from_bytes(struct.pack("<f" if name == "float" else "<d", value), "little")
    return int(value) & (2**(8 * size) - 1)


def convert_case(case):
    """A line of the table."""
    source, target = case["from"], case["to"]
    value = parse(case["value"])
    if source == "float":
        value = nearest_float(value)
    if source == "double":
        value = float(value)
    after = definition(source, value, target)
    if case["portable"]:
        for recorded in case["x86_64"], case["arm64"]:
            assert bits(parse(recorded), target) == bits(after, target), case
    return "{FIRN_%s, UINT64_C(0x%x), FIRN_%s, UINT64_C(0x%x), %s, %s},\n" % (
        TYPES[source][0], bits(value, source), TYPES[target][0], bits(after, target),
        str(has_changed(value, after, target)).lower(), str(case["portable"]).lower())


def main():
    with open(sys.argv[1], encoding="utf-8") as matrix:
        table = "".join(convert_case(case) for case in json.load(matrix))
    if len(sys.argv) == 2:
        sys.stdout.write(table)
        return
    with open(sys.argv[2], encoding="utf-8") as inc:
        if inc.read() != table:
            sys.exit("%s is not what %s gives" % (sys.argv[2], sys.argv[0]))


main()
