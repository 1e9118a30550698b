#!/usr/bin/env python3
"""Stable ids for a table of ten million rows: `pennon migrate` against rewriting the table with the reference engine.

Both start from the same table, made once with pylance and kept in .cache/bench (or where PENNON_BENCH_CACHE says). The
rewrite reads it and writes it with enable_stable_row_ids=True, which gives every row a new id; the migration keeps
every `_rowid`. Both include fsync. What each wrote is counted in the folder afterwards, and the answers are compared.
"""
import argparse
import os
import pathlib
import shutil
import sys
import tempfile
import time

import report

BENCH = "migrate"
ROWS = 10_000_000
FRAGMENTS = 40


def cached_table(rows):
    import lance
    import numpy
    import pyarrow
    folder = pathlib.Path(os.environ.get("PENNON_BENCH_CACHE", report.ROOT / ".cache/bench"))
    path = folder / f"events-{rows}.lance"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    per_batch = rows // FRAGMENTS
    schema = pyarrow.schema([("id", pyarrow.int64()), ("time", pyarrow.timestamp("us")), ("name", pyarrow.utf8()),
                             ("score", pyarrow.float64()), ("vector", pyarrow.list_(pyarrow.float32(), 16))])

    def batches():
        rng = numpy.random.default_rng(1)
        for start in range(0, rows, per_batch):
            ids = numpy.arange(start, start + per_batch)
            vector = pyarrow.FixedSizeListArray.from_arrays(
                pyarrow.array(rng.random(16 * per_batch, dtype=numpy.float32)), 16)
            yield pyarrow.record_batch([
                pyarrow.array(ids), pyarrow.array(1_700_000_000_000_000 + 1000 * ids).cast(schema.field("time").type),
                pyarrow.array([f"name-{v:011d}" for v in rng.integers(0, 10**11, per_batch)]),
                pyarrow.array(rng.random(per_batch)), vector], schema=schema)
    part = path.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    dataset = lance.write_dataset(pyarrow.RecordBatchReader.from_batches(schema, batches()), str(part), schema=schema,
                                  max_rows_per_file=per_batch, data_storage_version="2.1")
    dataset.delete("id % 1000 = 7")
    part.rename(path)
    return path


def files(root):
    return {p.relative_to(root): (p.stat().st_size, p.stat().st_mtime_ns) for p in root.rglob("*") if p.is_file()}


def written_bytes(before, after):
    return sum(size for name, (size, mtime) in after.items() if before.get(name) != (size, mtime))


def linked_copy(source, target):
    """A copy whose files are hard links: the migration never touches a file that is there."""
    shutil.copytree(source, target, copy_function=os.link)
    hint = target / "_versions/latest_version_hint.json"
    text = hint.read_text()
    hint.unlink()
    hint.write_text(text)


def rewrite(source, target):
    """Seconds that the rewrite takes in a process that has already imported the engine."""
    import lance
    begin = time.perf_counter()
    dataset = lance.dataset(str(source))
    lance.write_dataset(dataset.scanner(batch_size=65536).to_reader(), str(target), schema=dataset.schema,
                        enable_stable_row_ids=True, max_rows_per_file=ROWS // FRAGMENTS, data_storage_version="2.1")
    os.sync()
    return time.perf_counter() - begin


def compare(source, migrated, rewritten):
    """Same rows in all three; the migration kept every `_rowid`."""
    import lance
    old, ours, theirs = (lance.dataset(str(p)) for p in (source, migrated, rewritten))
    assert ours.has_stable_row_ids and theirs.has_stable_row_ids
    assert old.count_rows() == ours.count_rows() == theirs.count_rows()
    tables = [d.to_table(columns=["id"], with_row_id=True) for d in (old, ours, theirs)]
    assert tables[0].equals(tables[1]), "the migration changed an id"
    assert tables[0].column("id").equals(tables[2].column("id"))


def main():
    parser = argparse.ArgumentParser(prog="./dev bench migrate")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rows", type=int, default=ROWS)
    arguments = parser.parse_args()
    source = cached_table(arguments.rows)
    with tempfile.TemporaryDirectory(prefix="run-", dir=source.parent) as name:
        folder = pathlib.Path(name)
        ours, memory, wrote = [], [], []
        for i in range(7):
            copy = folder / f"migrated{i}.lance"
            linked_copy(source, copy)
            before = files(copy)
            cost = report.run_program(["migrate", str(copy)])
            ours.append(cost.seconds)
            memory.append(cost.peak_bytes)
            wrote.append(written_bytes(before, files(copy)))
        rewritten = folder / "rewritten.lance"
        theirs, their_peak = report.in_child(rewrite, source, rewritten)
        their_bytes = written_bytes({}, files(rewritten))
        report.in_child(compare, source, folder / "migrated0.lance", rewritten)
    label = f"{arguments.rows:,} rows in {FRAGMENTS} fragments"
    results = [report.case(f"{label}: whole process, fsync on", "s", report.median(ours), theirs),
               report.case(f"{label}: bytes written", "bytes", int(report.median(wrote)), their_bytes),
               report.case(f"{label}: peak memory", "MB", max(memory) / 1e6, their_peak / 1e6)]
    return report.show(BENCH, results, arguments.json)


if __name__ == "__main__":
    sys.exit(main())
