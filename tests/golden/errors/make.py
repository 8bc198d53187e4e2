#!/usr/bin/env python3
"""Writes the bad images of this folder: <result of a load>/<fault>.bin. `firn_errors` says what
each comes to. Every image but the first few is a small right one with one fault."""
import os
import struct

HERE = os.path.dirname(os.path.abspath(__file__))


def number(value):
    return b"\x07" + struct.pack("<d", value)


def count(n):
    if n < 0xE0:
        return bytes([n])
    if n < 0x1FE0:
        return bytes([0xE0 | (n - 0xE0) >> 8, (n - 0xE0) & 0xFF])
    return b"\xff" + struct.pack("<I", n)


def string(text):
    text = text if isinstance(text, bytes) else text.encode()
    return count(len(text) + 0x20) + text


def array(*items):
    return b"\x0c" + count(len(items) + 1) + b"".join(items)


def table(**items):
    pairs = (string(key) + item for key, item in sorted(items.items()))
    return b"\x09" + count(len(items)) + b"".join(pairs)


def identity(slot, generation=0):
    return float(slot + (generation << 22))


def piece(*ids):
    return string(b"".join(struct.pack("<Q", int(id)) for id in ids))


def entry(key, value):
    return b"\x02" + string(key) + value


POINT = "x:float,y:float|8"
POINTS = struct.pack("<4f", 1, 2, 3, 4)
WORLD = entry("__firn.world", table(tick=number(0)))
FALSE, TRUE = b"\x01", b"\x02"


def frame(columns=(1,), rows=2, ids=(1, 2), payload=POINTS, mode=number(0), column_count=None):
    """columns: indices; ids: doubles, or bytes as they are."""
    head = number(len(columns) if column_count is None else column_count) + number(rows)
    head += b"".join(number(column) for column in columns) + mode
    if not isinstance(ids, bytes):
        ids = b"".join(struct.pack("<d", id) for id in ids)
    return head + ids + payload


def image(version=number(1), next_slot=3, entities=2, frames=None, names=(("Position", POINT),),
          data=WORLD, end=FALSE, frame_count=None, name_count=None):
    frames = [frame()] if frames is None else frames
    frame_count = len(frames) if frame_count is None else frame_count
    name_count = len(names) if name_count is None else name_count
    bytes_ = version + number(next_slot) + number(entities) + number(frame_count)
    bytes_ += number(name_count)
    for name, fingerprint in names:
        bytes_ += name if isinstance(name, bytes) else string(name)
        bytes_ += fingerprint if isinstance(fingerprint, bytes) else string(fingerprint)
    return bytes_ + b"".join(frames) + data + end


def column(name, payload, fingerprint="", rows=1, **more):
    """An image with one column of `rows` rows."""
    ids = range(1, rows + 1)
    return image(names=((name, fingerprint),), next_slot=rows + 1, entities=rows,
                 frames=[frame((1,), rows, ids, payload)], **more)


def with_data(*entries):
    return image(data=b"".join(entries))


BOMB_ARRAY = bytes.fromhex("0affffffff07")
BOMB_PAIRS = bytes.fromhex("09ff00000004")
BOMB_NESTED = bytes.fromhex("0aff00000004" * 5 + "07")
BOMBS = {"array": BOMB_ARRAY, "pairs": BOMB_PAIRS, "nested": BOMB_NESTED}


def free_list(value):
    """Slot 2 of three is dead."""
    return image(next_slot=4, entities=2, frames=[frame(ids=(1, 3))],
                 data=entry("__firn.free", value) + WORLD)


def mapping(*pairs):
    """A table with any keys."""
    return b"\x09" + count(len(pairs)) + b"".join(key + item for key, item in pairs)


def game(key, value):
    """One entry of what every game has."""
    return with_data(WORLD, entry(key, value))


def stack(*items):
    return game("__tecs.stateStack", array(*items))


NAN = number(float("nan"))
PIPELINE = {"disabledPhases": table(), "fixedAccumulator": number(0), "phaseStates": array()}
RANDOM = {"seed": number(1), "streams": table()}
WORDS = array(number(1), number(2), number(3), number(4))


def pipeline(*without, **items):
    items = {**PIPELINE, **items}
    return game("__tecs.pipeline", table(**{k: v for k, v in items.items() if k not in without}))


def random(*without, **items):
    items = {**RANDOM, **items}
    return game("tecs.random", table(**{k: v for k, v in items.items() if k not in without}))


def edge(target, **fields):
    return table(target=number(target), **fields)


def children(value, *more):
    """3 and 2 are children of 1, in this order, whatever the order of rows."""
    rows = edge(1) * 2
    return image(next_slot=4, entities=3, names=(("Position", POINT), ("ChildOf", "")),
                 frames=[frame((1,), 1, (1,), POINTS[:8]), frame((2,), 2, (2, 3), rows)],
                 data=entry("__firn.order", value) + b"".join(more) + WORLD)


def ids(*some):
    return image(next_slot=4, frames=[frame(ids=some)])


def row(id, mask, *values):
    """A row of a frame that lies row by row."""
    id, mask = (number(x) if not isinstance(x, bytes) else x for x in (id, mask))
    return id + mask + b"".join(values)


def by_row(*rows, names=(("Position", POINT),), **more):
    columns = range(1, len(names) + 1)
    return image(names=names, next_slot=len(rows) + 1, entities=len(rows),
                 frames=[frame(columns, len(rows), b"", b"".join(rows), number(1))], **more)


ROW = row(1, 1, POINTS[:8])
TWO = (("Position", POINT), ("Score", ""))

IMAGES = {
    "not_ours/text": b"{\"version\": 1}\n",
    "not_ours/string": string("firn") + image(),
    "truncated/empty": b"",
    "truncated/version": image()[:5],
    "truncated/entities_beyond_the_bytes": image(next_slot=4000000, entities=3999999),
    "truncated/frames_beyond_the_bytes": image(frame_count=200000),
    "truncated/components_beyond_the_bytes": image(name_count=200000),
    "truncated/name": image(next_slot=1, entities=0, frames=[])[:50],
    "truncated/ids": image()[:image().index(b"|8") + 2 + 4 * 9 + 12],
    "truncated/raw_column": image()[:image().index(POINTS) + 12],
    "truncated/encoded_column": column("Score", number(5))[:-len(WORLD + FALSE) - 3],
    "truncated/string_column": column("Title", b"\x3fab", data=b"", end=b""),
    "truncated/no_end": image(end=b""),
    "truncated/data_value": image(data=entry("weather", b"\x07\x00"), end=b""),
    "truncated/row_id": by_row(ROW, number(2)[:5], data=b"", end=b""),
    "truncated/row_mask": by_row(ROW, number(2) + b"\x06\0", data=b"", end=b""),
    "truncated/row_boolean_mask": by_row(ROW, number(2) + b"\x0c\x02", data=b"", end=b""),
    "truncated/row_raw": by_row(ROW, row(2, 1, POINTS[:7]), data=b"", end=b""),
    "truncated/row_encoded": by_row(
        row(1, 3, POINTS[:8], number(1)), row(2, 3, POINTS[:8], b"\x07\0"), names=TWO,
        data=b"", end=b""),
    "corrupt/next_slot_0": image(next_slot=0, entities=0, frames=[]),
    "corrupt/next_slot_above_all": image(next_slot=4194305),
    "corrupt/entity_count_fraction": image(entities=1.5),
    "corrupt/entity_count_negative": image(entities=-1),
    "corrupt/entity_count_is_a_string":
        number(1) + number(3) + string("2") + image()[3 * 9:],
    "corrupt/more_entities_than_slots": image(next_slot=3, entities=3),
    "corrupt/frames_hold_fewer": image(next_slot=4, entities=3),
    "corrupt/frames_hold_more": image(next_slot=3, entities=1),
    "corrupt/frame_count_nan": image(frame_count=float("nan")),
    "corrupt/id_twice": ids(1, 1),
    "corrupt/slot_twice": ids(1, identity(1, 1)),
    "corrupt/id_fraction": ids(1, 1.5),
    "corrupt/id_0": ids(0, 1),
    "corrupt/id_negative": ids(-1, 1),
    "corrupt/id_nan": ids(1, float("nan")),
    "corrupt/id_infinite": ids(1, float("inf")),
    "corrupt/slot_out_of_range": ids(1, 4),
    "corrupt/slot_0_of_generation_1": ids(1, identity(0, 1)),
    "corrupt/generation_too_large": ids(1, identity(2, 1 << 31)),
    "corrupt/column_index_0": image(frames=[frame((0,))]),
    "corrupt/column_index_out_of_range": image(frames=[frame((2,))]),
    "corrupt/column_twice": image(
        names=(("Position", POINT), ("Boss", "")),
        frames=[frame((1, 1), payload=POINTS * 2)]),
    "corrupt/more_columns_than_components": image(frames=[frame(column_count=2)]),
    "corrupt/mode_2": image(frames=[frame(mode=number(2))]),
    "corrupt/mode_is_true": image(frames=[frame(mode=b"\x02")]),
    "corrupt/row_id_twice": by_row(ROW, ROW),
    "corrupt/row_id_fraction": by_row(ROW, row(1.5, 1, POINTS[:8])),
    "corrupt/row_id_is_a_string": by_row(ROW, row(string("2"), 1, POINTS[:8])),
    "corrupt/row_mask_too_large": by_row(ROW, row(2, 2, POINTS[:8])),
    "corrupt/row_mask_negative": by_row(ROW, row(2, -1, POINTS[:8])),
    "corrupt/row_mask_fraction": by_row(ROW, row(2, 0.5, POINTS[:8])),
    "corrupt/row_mask_nan": by_row(ROW, row(2, float("nan"), POINTS[:8])),
    "corrupt/row_mask_of_too_few_booleans": by_row(ROW, row(2, array(), POINTS[:8])),
    "corrupt/row_mask_of_too_many_booleans": by_row(
        ROW, row(2, array(b"\2", b"\2"), POINTS[:8])),
    "corrupt/row_mask_of_numbers": by_row(ROW, row(2, array(number(1)), POINTS[:8])),
    "corrupt/row_mask_with_names": by_row(ROW, row(2, table(a=b"\2"), POINTS[:8])),
    "corrupt/row_bool_byte_2": by_row(
        row(1, 1, b"\1"), row(2, 1, b"\2"), names=(("Types", "b:bool|1"),)),
    "corrupt/row_pointer": by_row(row(1, 1, b"\x04\0\0\0\0"), names=(("Bag", ""),)),
    "corrupt/row_columns": by_row(
        row(1, 0), names=[("c%02d" % i, b"\0") for i in range(53)]),
    "corrupt/component_twice": image(names=(("Position", POINT), ("Position", POINT))),
    "corrupt/name_not_utf8": image(names=((b"Posi\xfftion", POINT),)).replace(
        b"Posi\xfftion", string(b"Posi\xfftion")),
    "corrupt/name_empty": image(names=(("", POINT),)),
    "corrupt/name_control": image(names=(("Posi\ntion", POINT),)),
    "corrupt/name_is_a_number": image(names=((number(1), POINT),)),
    "corrupt/fingerprint_is_a_number": image(names=(("Position", number(8)),)),
    "corrupt/fingerprint_size": image(
        names=(("Position", "x:float,y:float|9"),), frames=[frame(payload=POINTS + b"\0\0")]),
    "corrupt/fingerprint_type": image(names=(("Position", "x:vec2|8"),)),
    "corrupt/fingerprint_field_twice": image(names=(("Position", "x:float,x:float|8"),)),
    "corrupt/bool_byte_2": column(
        "Types", b"\0\1\2\1", "b:bool|1", rows=4),
    "corrupt/bool_byte_255_in_an_array": column(
        "Types", b"\1\0\0\1\1\xff", "b:bool[3]|3", rows=2),
    "corrupt/pointer_null": column("Bag", b"\x03"),
    "corrupt/pointer_32": column("Bag", b"\x04\0\0\0\0"),
    "corrupt/pointer_64": column("Bag", b"\x05" + b"\0" * 8),
    "corrupt/metatable": column("Bag", b"\x0e\x01"),
    "corrupt/dictionary": column("Bag", b"\x0f\x01"),
    "corrupt/no_such_tag": column("Bag", b"\x1f"),
    "corrupt/key_nan": column("Bag", b"\x09\x01" + number(float("nan")) + b"\x02"),
    "corrupt/key_nil": column("Bag", b"\x09\x01\x00\x02"),
    "corrupt/key_table": column("Bag", b"\x09\x01\x08\x02"),
    "corrupt/key_twice": column("Bag", b"\x09\x02" + (string("a") + b"\x02") * 2),
    "corrupt/codec_value": column("Handle", string("hand 7")),
    "corrupt/data_marker": image(data=WORLD, end=b"\x00"),
    "corrupt/data_key_is_a_number": with_data(WORLD, b"\x02" + number(1) + b"\x02"),
    "corrupt/data_pointer": with_data(WORLD, entry("weather", b"\x05" + b"\0" * 8)),
    "corrupt/trailing_bytes": image(end=FALSE + b"\0"),
    "corrupt/image_twice": image() * 2,
    "corrupt/free_slot_alive": free_list(array(piece(identity(1, 1)))),
    "corrupt/free_slot_twice": free_list(array(piece(identity(2, 1), identity(2, 2)))),
    "corrupt/free_slot_0": free_list(array(piece(identity(0, 1)))),
    "corrupt/free_slot_out_of_range": free_list(array(piece(identity(4, 1)))),
    "corrupt/free_generation": free_list(array(piece(identity(2, 1 << 31)))),
    "corrupt/free_odd_length": free_list(array(piece(identity(2, 1))[:-1].replace(b"(", b"'"))),
    "corrupt/free_string": free_list(piece(identity(2, 1))),
    "corrupt/free_number": free_list(array(number(2))),
    "corrupt/free_map": free_list(table(a=piece(identity(2, 1)))),
    "corrupt/free_from_0": free_list(b"\x0a\x01" + piece(identity(2, 1))),
    "corrupt/free_twice": image(data=entry("__firn.free", array()) * 2 + WORLD),
    "corrupt/world_twice": with_data(WORLD, WORLD),
    "corrupt/world_is_a_number": with_data(entry("__firn.world", number(1))),
    "corrupt/world_is_an_array": with_data(entry("__firn.world", array(number(1)))),
    "corrupt/world_name_is_a_number": with_data(
        entry("__firn.world", table(name=number(1), tick=number(0)))),
    "corrupt/world_name_control": with_data(
        entry("__firn.world", table(name=string("a\0b"), tick=number(0)))),
    "corrupt/world_name_not_utf8": with_data(
        entry("__firn.world", table(name=string(b"\xff"), tick=number(0)))),
    "corrupt/world_name_too_long": with_data(
        entry("__firn.world", table(name=string("n" * 256), tick=number(0)))),
    "corrupt/world_tick_negative": with_data(entry("__firn.world", table(tick=number(-1)))),
    "corrupt/world_tick_fraction": with_data(entry("__firn.world", table(tick=number(0.5)))),
    "corrupt/world_tick_nan": with_data(
        entry("__firn.world", table(tick=number(float("nan"))))),
    "corrupt/world_tick_above_2_53": with_data(
        entry("__firn.world", table(tick=number(2.0 ** 54)))),
    "corrupt/world_tick_is_a_string": with_data(entry("__firn.world", table(tick=string("1")))),
    "corrupt/states_are_a_number": game("__tecs.stateStack", number(1)),
    "corrupt/states_are_a_map": game("__tecs.stateStack", table(day=TRUE)),
    "corrupt/state_is_a_number": stack(string("day"), number(1)),
    "corrupt/state_is_nil": stack(string("day"), b"\x00", string("day")),
    "unknown/state": stack(string("day"), string("dusk")),
    "limit/states": stack(*[string("day")] * 1025),
    "limit/states_in_a_tree": stack(*[string("day")] * 2049),
    "corrupt/pipeline_is_a_string": game("__tecs.pipeline", string("Update")),
    "corrupt/accumulator_is_missing": pipeline("fixedAccumulator"),
    "corrupt/accumulator_is_a_string": pipeline(fixedAccumulator=string("0")),
    "corrupt/accumulator_negative": pipeline(fixedAccumulator=number(-0.25)),
    "corrupt/accumulator_nan": pipeline(fixedAccumulator=NAN),
    "corrupt/accumulator_infinite": pipeline(fixedAccumulator=number(float("inf"))),
    "corrupt/phases_are_missing": pipeline("disabledPhases", "phaseStates"),
    "corrupt/phases_are_a_map": pipeline(phaseStates=table(Update=TRUE)),
    "corrupt/phases_are_a_number": pipeline(phaseStates=number(21)),
    "corrupt/phases_of_no_version": pipeline("disabledPhases", phaseStates=array(*[TRUE] * 20)),
    "corrupt/phase_is_a_number": pipeline(
        "disabledPhases", phaseStates=array(*[TRUE] * 20, number(1))),
    "corrupt/named_phase_is_a_number": pipeline(phaseStates=array(TRUE, number(1))),
    "corrupt/disabled_phases_are_a_string": pipeline(disabledPhases=string("Update")),
    "corrupt/disabled_phase_is_a_place": pipeline(disabledPhases=array(TRUE)),
    "corrupt/disabled_phase_is_a_number": pipeline(disabledPhases=table(Update=number(1))),
    "corrupt/disabled_phase_twice": pipeline(
        disabledPhases=mapping(*[(string("Update"), TRUE)] * 2)),
    "corrupt/disabled_phase_without_a_name": pipeline(disabledPhases=mapping((string(""), TRUE))),
    "corrupt/disabled_phase_not_utf8": pipeline(
        disabledPhases=mapping((string(b"\xff"), TRUE))),
    "limit/phases": pipeline(
        disabledPhases=table(**{"p%04d" % i: TRUE for i in range(1024)})),
    "corrupt/random_is_a_number": game("tecs.random", number(1)),
    "corrupt/seed_is_missing": random("seed"),
    "corrupt/seed_is_a_string": random(seed=string("1")),
    "corrupt/seed_fraction": random(seed=number(0.5)),
    "corrupt/seed_nan": random(seed=NAN),
    "corrupt/seed_above_32_bits": random(seed=number(2.0 ** 32)),
    "corrupt/seed_below_32_bits": random(seed=number(-2.0 ** 31 - 1)),
    "corrupt/streams_are_missing": random("streams"),
    "corrupt/streams_are_a_number": random(streams=number(1)),
    "corrupt/streams_are_a_list": random(streams=array(WORDS)),
    "corrupt/stream_name_is_a_boolean": random(streams=mapping((TRUE, WORDS))),
    "corrupt/stream_twice": random(streams=mapping(*[(string("loot"), WORDS)] * 2)),
    "corrupt/stream_is_a_number": random(streams=table(loot=number(1))),
    "corrupt/stream_of_3_words": random(
        streams=table(loot=array(number(1), number(2), number(3)))),
    "corrupt/stream_of_5_words": random(
        streams=table(loot=array(*[number(1)] * 5))),
    "corrupt/stream_with_names": random(
        streams=table(loot=b"\x0d\x05\x01" + number(1) * 4 + string("a") + TRUE)),
    "corrupt/stream_word_is_a_string": random(
        streams=table(loot=array(*[number(1)] * 3, string("4")))),
    "corrupt/stream_word_fraction": random(
        streams=table(loot=array(*[number(1)] * 3, number(4.5)))),
    "corrupt/stream_word_above_32_bits": random(
        streams=table(loot=array(*[number(1)] * 3, number(2.0 ** 32)))),
    "limit/stream_name_of_256_bytes": random(streams=mapping((string("n" * 256), WORDS))),
    "corrupt/key_of_two_entities": column("Key", string("door") * 2, rows=2),
    "corrupt/key_of_two_frames": image(
        names=(("Key", ""), ("Boss", "")),
        frames=[frame((1,), 1, (1,), string("door")),
                frame((1, 2), 1, (2,), string("door") + TRUE)]),
    "corrupt/key_of_far_frames": image(
        names=(("Key", ""), ("Boss", ""), ("Score", "")), next_slot=6, entities=5,
        frames=[frame((2,), 1, (1,), TRUE), frame((1,), 2, (2, 3), string("hall") + string("door")),
                frame((1, 2), 1, (4,), string("gate") + TRUE),
                frame((1, 3), 1, (5,), string("gate") + number(1))]),
    "corrupt/order_is_a_number": children(number(1)),
    "corrupt/order_is_a_map": children(table(ChildOf=number(1))),
    "corrupt/order_twice": children(array(), entry("__firn.order", array())),
    "corrupt/order_list_is_a_string": children(array(string("ChildOf"))),
    "corrupt/order_list_is_a_map": children(array(table(ChildOf=number(1)))),
    "corrupt/order_list_without_a_target": children(array(array(string("ChildOf")))),
    "corrupt/order_relation_is_a_number": children(array(array(number(1), number(1), piece(3, 2)))),
    "corrupt/order_target_is_a_string": children(
        array(array(string("ChildOf"), string("1"), piece(3, 2)))),
    "corrupt/order_target_fraction": children(
        array(array(string("ChildOf"), number(1.5), piece(3, 2)))),
    "corrupt/order_target_0": children(array(array(string("ChildOf"), number(0), piece(3, 2)))),
    "corrupt/order_target_without_sources": children(
        array(array(string("ChildOf"), number(2), piece(3, 2)))),
    "corrupt/order_piece_is_a_number": children(
        array(array(string("ChildOf"), number(1), number(3)))),
    "corrupt/order_piece_of_15_bytes": children(
        array(array(string("ChildOf"), number(1), string(piece(3, 2)[1:-1])))),
    "corrupt/order_of_too_few": children(array(array(string("ChildOf"), number(1), piece(3)))),
    "corrupt/order_of_too_many": children(
        array(array(string("ChildOf"), number(1), piece(3, 2, 3)))),
    "corrupt/order_of_others": children(array(array(string("ChildOf"), number(1), piece(3, 1)))),
    "corrupt/order_source_twice": children(
        array(array(string("ChildOf"), number(1), piece(3, 3)))),
    "corrupt/outer_twice": with_data(WORLD, entry("__firn.outer", array()) * 2),
    "corrupt/relation_is_a_number": column("Trusts", number(1)),
    "corrupt/relation_without_a_target": column("Trusts", table(amount=number(1))),
    "corrupt/relation_target_is_a_string": column("Trusts", table(target=string("1"))),
    "corrupt/relation_target_fraction": column("Trusts", edge(1.5)),
    "corrupt/relation_target_0": column("Trusts", edge(0)),
    "corrupt/relation_to_another_target": column("Likes->1", edge(2) * 2, rows=2),
    "corrupt/relation_of_the_target_0": column("Likes->0", edge(0)),
    "corrupt/relation_target_twice": column("Knows", table(edges=array(edge(1), edge(1)))),
    "corrupt/relation_target_twice_among_many": image(
        names=(("Knows", ""),), next_slot=41, entities=40,
        frames=[frame((1,), 40, range(1, 41), (
            table(edges=array(*[edge(i) for i in range(1, 41)], edge(40))) * 40))]),
    "corrupt/relation_target_twice_behind_others": column(
        "Knows", b"\x0d\x02\x02" + TRUE + number(7) + TRUE + string("edges")
        + array(edge(1), b"\x00", edge(1))),
    "corrupt/edges_are_a_number": column("Knows", table(edges=number(1))),
    "invalid/relation_field_is_a_string": column("Trusts", edge(1, amount=string("2"))),
    "invalid/relation_is_raw": column("Trusts", POINTS[:8], POINT),
    "invalid/component_is_a_relation": column("Score->1", edge(1)),
    "version/version_0": image(version=number(0)),
    "version/version_3": image(version=number(3)),
    "version/version_3_as_int32": image(version=b"\x06\x03\0\0\0"),
    "version/version_1_5": image(version=number(1.5)),
    "version/version_nan": image(version=number(float("nan"))),
    "limit/name_of_256_bytes": image(names=(("n" * 256, POINT),)),
    "limit/frames": image(frame_count=262145),
    "limit/columns": image(
        names=[("c%03d" % i, b"\0") for i in range(513)],
        frames=[frame(range(1, 514), payload=b"\x02" * 513 * 2)]),
    "limit/own_entries": with_data(
        *[entry("__firn.%d" % i, b"\0") for i in range(65)]),
    "limit/data_keys": with_data(WORLD, entry("k", b"\0") * 4097),
    "limit/depth_101_in_a_column": column("Bag", b"\x0c\x02" * 100 + b"\x08"),
    "limit/depth_101_in_data": with_data(WORLD, entry("deep", b"\x0c\x02" * 100 + b"\x08")),
    "unknown/component": image(names=(("Positron", POINT),)),
    "unknown/components": image(
        names=(("Position", POINT), ("Lost", ""), ("Found", ""))),
    "unknown/two_readings": image(
        names=(("A", "a:int8_t|1"), ("B", "b:int16_t|2")), next_slot=2, entities=1, data=b"",
        frames=[frame((1, 2), 1, (1,), b"\x22\x23\x21\x03\x21")]),
    "refused/by_a_codec": column("Handle", string("handle 13")),
    "invalid/number_is_a_string": column("Score", string("5")),
    "invalid/number_is_an_int64": column("Score", b"\x10" + b"\0" * 8),
    "invalid/row_number_is_a_string": by_row(
        row(1, 3, POINTS[:8], number(1)), row(2, 1, POINTS[:8]),
        row(3, 3, POINTS[:8], string("5")), names=TWO),
    "invalid/bool_is_a_number": column("Alive", number(1)),
    "invalid/string_is_a_bool": column("Title", b"\x02"),
    "invalid/string_is_a_bool_in_the_long_form": column("Title", b"\xff\x02\0\0\0"),
    "invalid/wrapped_bool_is_nil": column(
        "Alive", table(value=b"\0"), version=number(2)),
    "invalid/tag_is_a_struct": image(names=(("Boss", POINT),)),
    "invalid/struct_field_is_a_string": column("Position", table(x=string("1"))),
    "invalid/struct_is_a_number": column("Position", number(1)),
}
for name_, bomb in BOMBS.items():
    IMAGES["truncated/bomb_%s_in_a_column" % name_] = column("Bag", bomb, data=b"", end=b"")
    IMAGES["truncated/bomb_%s_in_data" % name_] = image(
        data=WORLD + entry("bomb", bomb), end=b"")

for name_, bytes_ in IMAGES.items():
    path = os.path.join(HERE, name_ + ".bin")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(bytes_)
print(len(IMAGES), "images")
