"""Writes manifests byte by byte, for tables that no engine would write or that would take too long to write.

Field numbers are those of the format's manifest, fragment and transaction messages.
"""
import hashlib
import os
import pathlib
import struct
import time
import uuid

import golden

STABLE_ROW_IDS = 2


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, value):
    """One protobuf field; an int 0 is left out, as proto3 does."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value) if value else b""
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def present(number, value):
    """An optional integer that is written even when it is 0."""
    return varint(number << 3) + varint(value)


def fields_of(message):
    """(number, value, raw bytes) of each field in order."""
    at = 0
    while at < len(message):
        begin = at
        tag, at = golden._varint(message, at)
        if tag & 7 == 0:
            value, at = golden._varint(message, at)
        elif tag & 7 == 2:
            size, at = golden._varint(message, at)
            value, at = message[at:at + size], at + size
        else:
            size = 8 if tag & 7 == 1 else 4
            value, at = message[at:at + size], at + size
        yield tag >> 3, value, message[begin:at]


def range_sequence(begin, end):
    """A row id sequence of one range."""
    return field(1, field(1, field(1, begin) + field(2, end)))


def frame(manifest, transaction=None, index_section=None):
    """A manifest file. `manifest` is the message without its section offsets (6, 23)."""
    body = b""
    for number, section in ((6, index_section), (23, transaction)):
        if section is not None:
            manifest += present(number, len(body))
            body += struct.pack("<I", len(section)) + section
    position = len(body)
    return body + struct.pack("<I", len(manifest)) + manifest + struct.pack("<qHH", position, 0, 2) + b"LANC"


def parse(raw):
    """(manifest message, transaction or None, index section or None) of a manifest file's bytes."""
    manifest = golden._message_at(raw, struct.unpack("<q", raw[-16:-8])[0])
    known = golden.pb(manifest)
    sections = [golden._message_at(raw, known[n][-1]) if n in known else None for n in (23, 6)]
    return manifest, *sections


def rewrite(raw, replace):
    """The manifest file with some fields replaced: `replace` maps a number to the bytes that take its place (b"" drops
    it); fields that were not there are added."""
    manifest, transaction, index_section = parse(raw)
    kept = b"".join(raw_field for number, _, raw_field in fields_of(manifest)
                    if number not in replace and number not in (6, 21, 23))
    return frame(kept + b"".join(replace.values()), transaction, index_section)


def manifest_name(version):
    return f"{2**64 - 1 - version:020d}.manifest"


def data_file_name(i):
    return f"{i & 0xFFFFFF:024b}{hashlib.md5(str(i).encode()).hexdigest()[:26]}.lance"


def make_wide_table(root, num_fragments, rows_per_fragment=1000):
    """A table of many fragments with one int64 column `k`: metadata only, its data files do not exist."""
    root = pathlib.Path(root)
    (root / "_versions").mkdir(parents=True)
    (root / "_transactions").mkdir()
    schema = field(1, field(2, "k") + field(4, 2**64 - 1) + field(5, "int64") + field(6, 1) + field(7, 1))
    file_rest = field(2, b"\0") + field(3, b"\0") + field(4, 2) + field(5, 1) + field(6, 4096)
    fragments = bytearray()
    for i in range(num_fragments):
        fragments += field(2, field(1, i) + field(2, field(1, data_file_name(i)) + file_rest)
                           + field(4, rows_per_fragment))
    name = str(uuid.UUID(int=7, version=4))
    transaction = field(2, name) + field(102, schema)
    now = time.time_ns()
    manifest = (schema + bytes(fragments) + field(3, 1) + field(7, field(1, now // 10**9) + field(2, now % 10**9))
                + present(11, num_fragments - 1) + field(12, f"0-{name}.txn")
                + field(13, field(1, "lance") + field(2, golden.lance.__version__))
                + field(15, field(1, "lance") + field(2, "2.1")))
    (root / "_transactions" / f"0-{name}.txn").write_bytes(transaction)
    (root / "_versions" / manifest_name(1)).write_bytes(frame(manifest, transaction))
    (root / "_versions" / "latest_version_hint.json").write_text('{"version":1}')


def newest(root):
    """Path of the newest manifest of a table."""
    name = [f for v, f, kind in golden.manifest_files(str(root)) if kind != "detached"][-1]
    return os.path.join(str(root), "_versions", name)
