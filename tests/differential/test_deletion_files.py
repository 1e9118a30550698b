"""The reference engine reads the deletion files that we write, and goes on from them."""

import os
import pathlib
import random
import subprocess

import lance
import pyarrow as pa
import pytest

PROGRAM = pathlib.Path(os.environ.get("PENNON_PROGRAM", "build/release/cli/pennon")).resolve()
TOOL = PROGRAM.parent.parent / "tests" / "deletion_file_tool"
ROWS = 200_000


def ragged(rows):
    """Runs, single rows and every other row, over several containers."""
    offsets = set(range(10, 70_000)) | set(range(70_001, 140_000, 2)) | {0, 150_000, ROWS - 1}
    return {offset for offset in offsets if offset < rows}


CASES = {
    "one row": ("array", {7}),
    "a run": ("array", set(range(100, 400))),
    "scattered": ("array", set(random.Random(1).sample(range(ROWS), 4_999))),
    "ragged": ("bitmap", ragged(ROWS)),
    "one container of runs": ("bitmap", set(range(60_000))),
    "all but one": ("bitmap", set(range(ROWS)) - {131_072}),
}


@pytest.mark.parametrize("name", CASES)
def test_reads_our_deletion_file(tmp_path, name):
    form, offsets = CASES[name]
    path = tmp_path / "table.lance"
    table = pa.table({"id": pa.array(range(ROWS), pa.int64())})
    dataset = lance.write_dataset(table, path, enable_stable_row_ids=True)
    # As many rows as ours has, so that the count in the manifest holds, but other ones.
    others = sorted((offset + 1) % ROWS for offset in offsets)
    dataset.delete(predicate(others))
    (file,) = (path / "_deletions").iterdir()
    assert file.suffix == (".arrow" if form == "array" else ".bin")
    file.unlink()
    subprocess.run([TOOL, form, file], input="\n".join(map(str, offsets)), text=True, check=True)

    live = [row for row in range(ROWS) if row not in offsets]
    fresh = lance.dataset(path)
    fresh.validate()
    assert fresh.count_rows() == len(live)
    rows = fresh.to_table(with_row_id=True)
    assert rows["id"].to_pylist() == live
    assert rows["_rowid"].to_pylist() == live

    # It grows from there: what we marked stays gone.
    victim = live[len(live) // 2]
    fresh.delete(f"id = {victim}")
    assert lance.dataset(path).to_table()["id"].to_pylist() == [row for row in live if row != victim]


def predicate(offsets):
    """Ranges instead of a list: quicker for a large set."""
    parts, begin, before = [], offsets[0], offsets[0]
    for offset in [*offsets[1:], None]:
        if offset is not None and offset == before + 1:
            before = offset
            continue
        parts.append((begin, before))
        begin = before = offset
    runs = [part for part in parts if part[1] > part[0]]
    single = [str(part[0]) for part in parts if part[0] == part[1]]
    terms = [f"(id >= {a} AND id <= {b})" for a, b in runs]
    if single:
        terms.append(f"id IN ({','.join(single)})")
    return " OR ".join(terms)
