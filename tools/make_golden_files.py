#!/usr/bin/env python3
"""Make the small golden data files and the fuzz corpora that come from them, with the reference engine.

  make_golden_files.py [TREE]     TREE: the root of this project, by default the one around this script

tests/golden/14.0.2/data_files/NAME.VERSION.lance with NAME.VERSION.arrow, what the reference engine reads from it; one
case for each layout and encoding of the sheet. fuzz/corpus: the smallest of the files, their footers, column metadata and
pages. Files of the reference engine differ from run to run (symbol tables are sampled at random): do not make them anew to
make a test pass.
"""
import decimal
import pathlib
import random
import struct
import sys

import lance
import numpy as np
import pyarrow as pa
from lance.file import LanceFileReader, LanceFileWriter

ENGINE = "14.0.2"
VERSIONS = ["2.0", "2.1", "2.2"]
FILE_BYTES_MAX = 60_000  # what is kept in the tree is small; larger files are made by the differential tests
CORPUS_FILE_BYTES_MAX = 2500
CORPUS_PAGE_BYTES_MAX = 1500


def cases():
    """name -> (array, field metadata)."""
    rng = np.random.default_rng(1)
    chooser = random.Random(1)
    n = 130
    mask = rng.random(n) < 0.2

    def nulls(values, kind=None):
        return pa.array([None if m else v for m, v in zip(mask, values)], kind)

    words = ["alpha", "beta", "gamma", "a longer word than the others", ""]
    texts = [" ".join(chooser.choices(words, k=4)) for _ in range(700)]
    lists = [None if i % 7 == 3 else [int(v) for v in rng.integers(0, 50, i % 5)] for i in range(n)]
    pair = pa.struct([pa.field("x", pa.int32()), pa.field("y", pa.string())])
    cases = {
        "null": pa.nulls(20),
        "bool": pa.array(rng.random(n) < 0.5),
        "bool_nulls": nulls(rng.random(n) < 0.5),
        "int8": pa.array(rng.integers(-100, 100, n), pa.int8()),
        "int32_bitpacked": pa.array(rng.integers(0, 1000, n), pa.int32()),
        "int64_negative": pa.array(rng.integers(-1000, 1000, n)),
        "int64_nulls": nulls(rng.integers(0, 1 << 40, n).tolist(), pa.int64()),
        "int32_runs": pa.array(np.repeat(rng.integers(0, 1 << 30, 10), 300), pa.int32()),
        "uint16_sequence": pa.array(np.arange(1100), pa.uint16()),
        "float64": pa.array(rng.normal(size=n)),
        "float32_split_lz4": (pa.array((np.arange(600) // 7).astype(np.float32)),
                              {"lance-encoding:compression": "lz4", "lance-encoding:bss": "on"}),
        "int64_zstd": (pa.array(np.arange(900) * 1000), {"lance-encoding:compression": "zstd"}),
        "decimal128": pa.array([decimal.Decimal(int(v)) / 100 for v in rng.integers(0, 10**6, n)], pa.decimal128(20, 2)),
        "decimal128_few": pa.array([decimal.Decimal(int(v)) for v in rng.integers(0, 5, 300)], pa.decimal128(20, 2)),
        "timestamp": pa.array(1_700_000_000_000_000 + np.arange(n) * 977).cast(pa.timestamp("us", "UTC")),
        "binary16": pa.array([bytes(rng.bytes(16)) for _ in range(40)], pa.binary(16)),
        "string_short": pa.array([w[:3] for w in chooser.choices(words, k=n)] + [str(i) for i in range(60)]),
        "string_fsst": pa.array([f"{t} {i}" for i, t in enumerate(texts)] * 3),
        "string_few": pa.array(chooser.choices(words, k=300)),
        "string_few_nulls": nulls(chooser.choices(words, k=n)),
        "string_constant": pa.array(["the same everywhere"] * 200),
        "string_constant_nulls": nulls(["the same everywhere"] * n),
        "string_wide": pa.array([t * 12 for t in texts[:12]]),
        "string_wide_nulls": pa.array([None if i % 4 == 1 else t * 12 for i, t in enumerate(texts[:12])]),
        "string_huge_zstd": pa.array(["many words " * 4000, "x", "other words " * 3000, ""]),
        "large_string": pa.array(texts[:60], pa.large_string()),
        "int_constant": pa.array([7] * n, pa.int32()),
        "int_constant_nulls": nulls([7] * n, pa.int32()),
        "all_null": pa.nulls(n, pa.int32()),
        "vector": pa.FixedSizeListArray.from_arrays(pa.array(rng.random(40 * 4).astype(np.float32)), 4),
        "vector_item_nulls": pa.array([[None if (i + j) % 3 == 0 else float(i + j) for j in range(3)] for i in range(30)],
                                      pa.list_(pa.float32(), 3)),
        "vector_wide": pa.FixedSizeListArray.from_arrays(pa.array(rng.random(6 * 80).astype(np.float32)), 80),
        "vector_wide_nulls": pa.array([None if i % 3 == 1 else [float(j) for j in range(80)] for i in range(6)],
                                      pa.list_(pa.float32(), 80)),
        "list": pa.array(lists, pa.list_(pa.int32())),
        "list_item_nulls": pa.array([None if v is None else [None if x % 5 == 0 else x for x in v] for v in lists], pa.list_(pa.int64())),
        "list_string": pa.array([None if v is None else [words[x % 5] for x in v] for v in lists], pa.large_list(pa.string())),
        "list_list": pa.array([None if v is None else [list(range(x % 4)) for x in v] for v in lists], pa.list_(pa.list_(pa.int32()))),
        "list_empty": pa.array([[] if i % 2 else None for i in range(60)], pa.list_(pa.int32())),
        "list_wide": pa.array([None if i % 3 == 1 else [t * 12 for t in texts[i:i + i % 4]] for i in range(8)]),
        "struct": pa.array([{"x": i, "y": words[i % 5]} for i in range(n)], pair),
        "struct_nulls": pa.array([None if i % 6 == 2 else {"x": None if i % 4 == 0 else i, "y": words[i % 5]} for i in range(n)], pair),
        "list_struct": pa.array([None if v is None else [{"x": x, "y": words[x % 5]} for x in v] for v in lists], pa.list_(pair)),
        "dictionary": pa.array(chooser.choices(words, k=n)).dictionary_encode(),
        "packed": (pa.array([{"a": i, "b": i / 2} for i in range(60)],
                            pa.struct([pa.field("a", pa.int32(), False), pa.field("b", pa.float64(), False)])),
                   {"lance-encoding:packed": "true"}),
        "packed_string": (pa.array([{"a": i, "b": words[i % 5]} for i in range(60)],
                                   pa.struct([pa.field("a", pa.int32(), False), pa.field("b", pa.string(), False)])),
                          {"lance-encoding:packed": "true"}),
        "map": pa.array([None if i % 5 == 4 else [(w, i) for w in words[:i % 4]] for i in range(60)], pa.map_(pa.string(), pa.int32())),
        "list_of_structs_fixed": pa.array([None if i % 4 == 2 else [{"a": i}, {"a": i + 1}] for i in range(30)],
                                          pa.list_(pa.struct([pa.field("a", pa.int32())]), 2)),
        "blob": (pa.array([b"x" * 3000, None, b"", b"second"], pa.large_binary()), {"lance-encoding:blob": "true"}),
    }
    return {name: case if isinstance(case, tuple) else (case, None) for name, case in cases.items()}


def write(path, array, metadata, version):
    schema = pa.schema([pa.field("c", array.type, metadata=metadata)])
    with LanceFileWriter(str(path), schema, version=version) as writer:
        writer.write_batch(pa.table([array], schema=schema))


def make_file(folder, name, version, array, metadata):
    """Returns the file made, or None where the engine refuses the type at this version."""
    path = folder / f"{name}.{version}.lance"
    try:
        write(path, array, metadata, version)
        read = LanceFileReader(str(path)).read_all(batch_size=1 << 16).to_table()
    except BaseException as refusal:
        print(f"no {path.name}: {str(refusal).splitlines()[0][:100]}")
        path.unlink(missing_ok=True)
        return None
    if path.stat().st_size > FILE_BYTES_MAX:
        print(f"no {path.name}: {path.stat().st_size} bytes")
        path.unlink()
        return None
    if read.num_rows != len(array):
        raise SystemExit(f"{path.name}: the engine reads {read.num_rows} of {len(array)} rows")
    with pa.ipc.new_file(str(path.with_suffix(".arrow")), read.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as out:
        out.write_table(read.combine_chunks())
    return path


# The corpora ------------------------------------------------------------------------------------------------------
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
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        else:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        yield tag >> 3, value


def integers(data):
    at, out = 0, []
    while at < len(data):
        value, at = varint(data, at)
        out.append(value)
    return out


def columns(data):
    """Metadata of each column, and its pages: (rows, layout, buffers)."""
    table, _, _, count = struct.unpack("<QQII", data[-32:-8])
    for i in range(count):
        begin, size = struct.unpack_from("<QQ", data, table + 16 * i)
        metadata = data[begin:begin + size]
        pages = []
        for number, page in fields(metadata):
            if number != 2:
                continue
            parts = dict(fields(page))
            any_message = dict(fields(dict(fields(dict(fields(parts[4]))[2]))[1]))
            buffers = [data[p:p + s] for p, s in zip(integers(parts.get(1, b"")), integers(parts.get(2, b"")))]
            pages.append((parts.get(3, 0), any_message.get(2, b""), buffers))
        yield metadata, pages


# Types of fuzz/encoding/layered_page_fuzz.cc, by case.
PAGE_TYPES = {"int32_bitpacked": 0, "int32_runs": 0, "int_constant": 0, "int_constant_nulls": 0, "all_null": 0, "int64_negative": 1,
              "int64_nulls": 1, "int64_zstd": 1, "bool": 4, "bool_nulls": 4, "string_short": 5, "string_few": 5,
              "string_few_nulls": 5, "string_constant": 5, "string_constant_nulls": 5, "string_huge_zstd": 5, "string_wide_nulls": 5,
              "decimal128_few": 7, "vector": 8, "dictionary": 9, "list": 10, "list_empty": 10, "list_list": 12, "struct_nulls": 13,
              "packed_string": 15, "blob": 16, "list_of_structs_fixed": 18, "null": 19}


def short(number):
    return struct.pack("<H", number)


def add_to_corpora(corpus, path):
    data = path.read_bytes()
    if len(data) <= CORPUS_FILE_BYTES_MAX:
        (corpus / "data_file_fuzz" / path.name).write_bytes(data)
    name, version = path.stem.rsplit(".", 2)[0], ".".join(path.stem.rsplit(".", 2)[1:])
    if name in ("int32_bitpacked", "list_struct"):
        (corpus / "footer_fuzz" / path.name).write_bytes(data[-200:])
    for i, (metadata, pages) in enumerate(columns(data)):
        if i == 0 and len(metadata) < 600:
            (corpus / "column_metadata_fuzz" / path.name).write_bytes((b"\0" if version == "2.0" else b"\1") + metadata)
        if i != 0 or version == "2.0" or name not in PAGE_TYPES or len(pages) != 1:
            continue
        rows, layout, buffers = pages[0]
        page = bytes([PAGE_TYPES[name], 0, len(buffers)]) + short(rows) + short(len(layout)) + layout + bytes([len(buffers)])
        page += b"".join(short(len(b)) + b for b in buffers)
        if len(page) <= CORPUS_PAGE_BYTES_MAX:
            (corpus / "layered_page_fuzz" / path.name).write_bytes(page)


def main():
    if lance.__version__ != ENGINE:
        raise SystemExit(f"made for pylance {ENGINE}, this is {lance.__version__}")
    tree = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    folder = tree / "tests/golden" / ENGINE / "data_files"
    corpus = tree / "fuzz/corpus"
    for path in [folder, *(corpus / f"{name}_fuzz" for name in ("data_file", "footer", "column_metadata", "layered_page"))]:
        path.mkdir(parents=True, exist_ok=True)
    for name, (array, metadata) in cases().items():
        for version in VERSIONS:
            path = make_file(folder, name, version, array, metadata)
            if path is not None:
                add_to_corpora(corpus, path)


if __name__ == "__main__":
    main()
