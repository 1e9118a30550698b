#!/usr/bin/env python3
"""Collect the row id and lineage sequences that the reference engine wrote, each once, with what it says of them.

  make_golden_row_ids.py REFERENCE OUT.txt     REFERENCE holds datasets/ and expected/

One line a sequence: `ids HEX kind,start,end,len[,array] ...` or `versions HEX rows,version ...`, sorted. Only short
sequences are kept: the forms matter, not the mass. The bytes come from the manifests, the words from the JSON.
"""

import json
import pathlib
import struct
import sys

BYTES_MAX = 400


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """The fields of one protobuf message as (number, value) pairs."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            size = {1: 8, 5: 4}[tag & 7]
            value, at = data[at:at + size], at + size
        yield tag >> 3, value


def manifest_fragments(path):
    data = path.read_bytes()
    position = struct.unpack("<Q", data[-16:-8])[0]
    size = struct.unpack("<I", data[position:position + 4])[0]
    message = data[position + 4:position + 4 + size]
    for number, value in fields(message):
        if number == 2:
            fragment = dict(fields(value))
            yield fragment.get(1, 0), fragment


def words_of_segment(segment):
    parts = [segment["kind"], segment.get("start", ""), segment.get("end", ""), segment["len"], segment.get("array", "")]
    return ",".join(str(part) for part in parts)


def main():
    reference, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    lines = set()
    for description in sorted((reference / "expected").glob("*.json")):
        table = json.loads(description.read_text())
        versions = reference / "datasets" / f"{description.stem}.lance" / "_versions"
        for version in table["versions"]:
            path = versions / version["manifest"]
            if not path.exists():
                continue
            told = {fragment["id"]: fragment for fragment in version["fragments"]}
            for number, fragment in manifest_fragments(path):
                ids = told[number].get("row_ids") or {}
                if 5 in fragment and len(fragment[5]) <= BYTES_MAX and len(ids["segments"]) == ids["num_segments"]:
                    words = " ".join(words_of_segment(segment) for segment in ids["segments"])
                    lines.add(f"ids {fragment[5].hex()} {words}")
                for field, key in ((7, "last_updated_at"), (9, "created_at")):
                    runs = told[number].get(key) or {}
                    if field in fragment and len(fragment[field]) <= BYTES_MAX and len(runs["runs"]) == runs["num_runs"]:
                        words = " ".join(f"{rows},{created}" for rows, created in runs["runs"])
                        lines.add(f"versions {fragment[field].hex()} {words}")
    out.write_text("\n".join(sorted(lines)) + "\n")
    print(f"{len(lines)} sequences, {out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
