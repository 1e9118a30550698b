"""Data files that the reference engine writes, of random schemas and data, read by us: whole, in batches, by range and by
offset. The reference engine's own answer is the judge; where it cannot read its own file, the data written is."""
import os
import pathlib
import random
import subprocess

import numpy as np
import pyarrow as pa
import pytest
from lance.file import LanceFileReader, LanceFileWriter
from program import PROGRAM, ROOT
from random_columns import RandomColumns
from tables import DATASETS

TOOL = pathlib.Path(os.environ.get("PENNON_DUMP_DATA_FILE") or PROGRAM.parent.parent / "tests/dump_data_file")
SEEDS = int(os.environ.get("PENNON_DATA_FILE_SEEDS", "25"))
FIRST_SEED = int(os.environ.get("PENNON_DATA_FILE_FIRST_SEED", "1"))


class Dump:
    """The dumping program, one process for all files."""

    def __init__(self):
        assert TOOL.is_file(), f"{TOOL} is missing: build it, or set PENNON_DUMP_DATA_FILE"
        self.process = subprocess.Popen([str(TOOL)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, path, out, *words):
        self.process.stdin.write("\t".join([str(path), str(out), *words]) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        assert answer == "ok", f"{path} {words}: {answer or 'the dumping program died'}"
        return pa.ipc.open_stream(str(out)).read_all()  # no file: dictionaries differ from batch to batch


@pytest.fixture(scope="module")
def dump():
    tool = Dump()
    yield tool
    tool.process.stdin.close()
    tool.process.wait()


def difference(got, want):
    """What differs, in one line, or None. Values are compared as Python shows them: dictionaries by their values,
    infinities and not-a-numbers as such."""
    if got.num_rows != want.num_rows:
        return f"{got.num_rows} rows, not {want.num_rows}"
    for name in want.column_names:
        ours, theirs = got.column(name), want.column(name)
        if str(ours.type) != str(theirs.type):
            return f"{name}: type {ours.type}, not {theirs.type}"
        if ours.equals(theirs):
            continue
        for i, (x, y) in enumerate(zip(ours.to_pylist(), theirs.to_pylist())):
            if repr(x) != repr(y):
                return f"{name}[{i}]: {repr(x)[:200]}, not {repr(y)[:200]}"
    return None


def has_nested_nulls(kind):
    return pa.types.is_nested(kind)


def write(path, columns, version, rows, choice):
    """Writes in several batches, some of them slices of a larger table; returns the data, or None if it is refused."""
    table = columns.table(rows)
    sliced = choice.random() < 0.5 and not any(has_nested_nulls(f.type) for f in columns.schema)
    try:
        with LanceFileWriter(str(path), columns.schema, version=version,
                             data_cache_bytes=choice.choice([None, 1024, 50_000])) as writer:
            step = choice.choice([rows, max(1, rows // 3), 700]) or 1
            for begin in range(0, rows, step):
                part = table.slice(begin, step)
                # The writer of 14.0.2 fails on slices of nested nulls: those are copied.
                batch = part if sliced else pa.Table.from_pylist(part.to_pylist(), columns.schema)
                writer.write_batch(batch)
    except BaseException as refusal:  # its panics are no Exceptions
        return None, str(refusal)
    return table, None


def read_reference(path):
    try:
        return LanceFileReader(str(path)).read_all(batch_size=1 << 20).to_table()
    except BaseException:
        return None


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_random_files_read_the_same(version, dump, tmp_path):
    read = 0
    for seed in range(FIRST_SEED, FIRST_SEED + SEEDS):
        choice = random.Random(seed)
        columns = RandomColumns(seed, version)
        rows = choice.choice([0, 1, 2, 7, 100, 1023, 1024, 1025, 3000, 5000])
        path = tmp_path / f"{seed}.lance"
        table, _ = write(path, columns, version, rows, choice)
        if table is None:
            continue
        want = read_reference(path)
        if want is None or want.num_rows != rows:
            want = table
        where = f"seed {seed}, version {version}, {columns.schema.remove_metadata()}"
        got = dump(path, tmp_path / "whole.arrow")
        assert difference(got, want) is None, f"{where}: {difference(got, want)}"
        read += 1
        if rows == 0:
            continue
        for words, part in parts(choice, rows):
            got = dump(path, tmp_path / "part.arrow", *words)
            wanted = want.take(part)
            assert difference(got, wanted) is None, f"{where}, {words}: {difference(got, wanted)}"
        path.unlink()
    assert read >= SEEDS // 3, "the reference engine refused nearly everything"


def parts(choice, rows):
    """Ways to read a part of a file: the words for the tool and the offsets that are wanted."""
    everything = np.arange(rows)
    yield [f"batch={choice.choice([1 if rows < 200 else 64, 1000, choice.randint(1, rows)])}"], everything
    begin = choice.randrange(rows)
    end = choice.randint(begin + 1, min(rows, begin + choice.choice([1, 5, rows])))
    yield [f"range={begin}:{end}"], everything[begin:end]
    for count in {1, min(5, rows), max(1, rows // 3)}:
        offsets = sorted(choice.sample(range(rows), count))
        words = ["take=" + ",".join(map(str, offsets))]
        if choice.random() < 0.5:
            words.append(f"batch={choice.randint(1, 100)}")
        yield words, np.array(offsets)


@pytest.mark.parametrize("version", ["2.1", "2.2"])
def test_a_million_rows_over_many_pages(version, dump, tmp_path):
    """Pages of different columns end at different rows."""
    rng = np.random.default_rng(5)
    rows = 300_000
    table = pa.table({"a": pa.array(np.arange(rows)), "b": pa.array(rng.random(rows)),
                      "c": pa.array([f"row {i} {i % 97}" for i in range(rows)]),
                      "d": pa.array(rng.integers(0, 1 << 40, rows), mask=rng.random(rows) < 0.2),
                      "e": pa.FixedSizeListArray.from_arrays(pa.array(rng.random(rows * 16).astype(np.float32)), 16)})
    path = tmp_path / "many.lance"
    with LanceFileWriter(str(path), table.schema, version=version) as writer:
        for begin in range(0, rows, 10_000):
            writer.write_batch(table.slice(begin, 10_000))
    assert difference(dump(path, tmp_path / "whole.arrow", "batch=8192"), table) is None
    offsets = sorted(rng.choice(rows, 1000, replace=False).tolist())
    got = dump(path, tmp_path / "taken.arrow", "take=" + ",".join(map(str, offsets)))
    assert difference(got, table.take(offsets)) is None


def test_tools_are_those_of_this_tree():
    assert ROOT in TOOL.resolve().parents or "PENNON_DUMP_DATA_FILE" in os.environ


REFERENCE_FILES = sorted(file for path in DATASETS.values() for file in path.glob("data/*.lance"))


def test_reference_files_read_the_same(dump, tmp_path):
    """Every data file of the reference tables, by its own schema."""
    assert REFERENCE_FILES
    read = 0
    for path in REFERENCE_FILES:
        want = read_reference(path)
        if want is None:
            continue  # blob v2: the engine does not read such a file on its own
        words = ["blobs=bytes"] if any(pa.types.is_large_binary(f.type) for f in want.schema) else []
        got = dump(path, tmp_path / "whole.arrow", *words)
        assert difference(got, want) is None, f"{path}: {difference(got, want)}"
        read += 1
    assert read >= len(REFERENCE_FILES) * 9 // 10
