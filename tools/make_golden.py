#!/usr/bin/env python3
"""Choose the golden tables of tests/golden, and prove that they hold what the tests need.

  make_golden.py --check                 prove it for the tables that are there (needs nothing but Python)
  make_golden.py --from ../shared/reference   copy the chosen tables anew, make the one made here, then check

The tables were written by the reference engine whose version is the folder's name; its bytes are the judge.
Never copy or make them anew to turn a red test green: do so only to add a table, and say why in the commit.
"""

import argparse
import json
import pathlib
import shutil
import sys

ENGINE = "14.0.2"
BYTES_MAX = 3_000_000
HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE.parent / "tests" / "golden" / ENGINE
TABLES = """
add_columns.stable.v2_1 appends.plain.v2_1 cleanup.plain.v2_1 cleanup.stable.v2_1 commit_by_hand.stable.v2_1
commit_update_by_hand.stable.v2_1 compact_bitmap.stable.v2_1 compact_defer_remap.plain.v2_1
compact_holes.stable.v2_1 compact_unsorted.stable.v2_1 concurrent.stable.v2_1 config.plain.v2_1
config.stable.v2_1 create_simple.plain.v2_1 create_simple.stable.v2_0 create_simple.stable.v2_2
data_replacement.plain.v2_1 data_replacement.stable.v2_1 delete_all.plain.v2_1 delete_all.stable.v2_1
delete_few.plain.v2_1 delete_fragments.stable.v2_1 delete_nothing.stable.v2_1 detached.plain.v2_1
detached.stable.v2_1 drop_columns.stable.v2_1 empty_table.plain.v2_1 empty_table.stable.v2_1
index_before.plain.v2_1 manifest_paths_migrated.stable.v2_1 manifest_paths_v1.plain.v2_1
manifest_paths_v1.stable.v2_1 merge_partial_columns.stable.v2_1 merge_replace.stable.v2_1
merge_upsert.stable.v2_2 merge_with_index.stable.v2_1 metadata.stable.v2_1 mixed_file_versions.stable.v2_0
restore.stable.v2_1 restore_first.stable.v2_1 spilled_lineage.stable.v2_1 tags.plain.v2_1 tags.stable.v2_1
transaction_properties.stable.v2_1 truncate.stable.v2_1 update_once.plain.v2_1
""".split()
MADE_HERE = "id_forms.stable.v2_2"

# What must be there, each in at least one table: fact -> values of it. `facts` below says how each is found.
WANTED = {
    "segment": {"range", "range_with_holes:u16", "range_with_holes:u32", "range_with_bitmap", "sorted_array:u16",
                "sorted_array:u32", "sorted_array:u64", "array:u16", "array:u32", "array:u64"},
    "several segments": {True},
    "lineage runs": {1, 2},
    "placement": {"inline", "column"},
    "deletion file": {"array", "bitmap"},
    "manifest naming": {"v1", "v2"},
    "storage version": {"2.0", "2.1", "2.2"},
    "file version": {"2.0", "2.1", "2.2"},
    "reserved field": {-2, -3, -4, -5},
    "reader flag": {1, 2, 256, 2048},
    "writer flag": {1, 2, 8, 256, 2048},
    "tag": {True},
    "detached": {True},
    "stable": {True, False},
    "index type": {"BTree", "Bitmap", "FragmentReuse"},
    "operation": {"Append", "CreateIndex", "DataReplacement", "Delete", "Merge", "Overwrite", "Project",
                  "ReserveFragments", "Restore", "Rewrite", "Update", "UpdateConfig"},
    "migration input": {"deletions", "emptied_table", "files_v2_2", "history", "indices_stale", "manifest_paths_v1",
                        "several_data_files", "simple", "tags_and_config"},
}


def facts(expected):
    """(fact, value) pairs of one expected JSON."""
    for tag in expected["tags"]:
        yield "tag", bool(tag)
    for naming in expected["manifest_naming"]:
        yield "manifest naming", naming
    yield "storage version", expected["data_storage_version"]
    for version in expected["versions"]:
        yield "detached", version["detached"]
        yield "stable", version["has_stable_row_ids"]
        yield "operation", version["operation"]
        for word in ("reader", "writer"):
            for bit in range(20):
                if version[word + "_feature_flags"] >> bit & 1:
                    yield word + " flag", 1 << bit
        for index in version["indices"]:
            yield "index type", index["type"]
        for fragment in version["fragments"]:
            yield from fragment_facts(fragment)


def fragment_facts(fragment):
    if fragment["deletion_file"]:
        yield "deletion file", fragment["deletion_file"]["type"]
    for file in fragment["data_files"]:
        yield "file version", file["file_version"]
        for field in file["fields"]:
            if field < 0:
                yield "reserved field", field
    for key in ("row_ids", "created_at", "last_updated_at"):
        sequence = fragment.get(key)
        if not sequence:
            continue
        yield "placement", sequence["placement"]
        for segment in sequence.get("segments", []):
            yield "segment", segment["kind"] + (":" + segment["array"] if "array" in segment else "")
        if sequence.get("num_segments", 1) > 1:
            yield "several segments", True
        if "num_runs" in sequence:
            yield "lineage runs", min(2, sequence["num_runs"])


def check():
    """Problems, one line each: what a golden table must have and has not."""
    problems, found = [], {}
    names = sorted(p.stem for p in (GOLDEN / "expected").glob("*.json"))
    if names != sorted(TABLES + [MADE_HERE]):
        problems.append(f"expected/ and the list differ: {sorted(set(names) ^ set(TABLES + [MADE_HERE]))}")
    for name in names:
        expected = json.loads((GOLDEN / "expected" / (name + ".json")).read_text())
        if expected["made_with"] != f"pylance {ENGINE}":
            problems.append(f"{name}: made with {expected['made_with']}")
        for version in expected["versions"]:
            for part in (GOLDEN / "expected" / version["rows"],
                         GOLDEN / "datasets" / (name + ".lance") / "_versions" / version["manifest"]):
                if not part.is_file():
                    problems.append(f"{name}: {part.relative_to(GOLDEN)} is missing")
        for fact, value in facts(expected):
            found.setdefault(fact, {}).setdefault(value, name)
    for path in (GOLDEN / "migration" / "before").glob("*.lance"):
        found.setdefault("migration input", {})[path.stem] = path.stem
    for fact, values in WANTED.items():
        for value in sorted(values - found.get(fact, {}).keys(), key=str):
            problems.append(f"no table with {fact} = {value}")
    size_bytes = sum(p.stat().st_size for p in GOLDEN.rglob("*") if p.is_file())
    if size_bytes > BYTES_MAX:
        problems.append(f"{size_bytes} bytes in all, at most {BYTES_MAX} wanted")
    return problems


def copy(source):
    shutil.rmtree(GOLDEN, ignore_errors=True)
    for folder in ("datasets", "expected"):
        (GOLDEN / folder).mkdir(parents=True)
    for name in TABLES:
        shutil.copytree(source / "datasets" / (name + ".lance"), GOLDEN / "datasets" / (name + ".lance"))
        for path in (source / "expected").glob(name + ".*"):
            shutil.copy(path, GOLDEN / "expected")
    shutil.copytree(source / "migration" / "before", GOLDEN / "migration" / "before")


def make_id_forms():
    """A table with every wire form of a row id sequence, ids far apart among them.

    The engine keeps the ids that a commit by hand brings along, and leaves the counter where it was: validate()
    says so, and so must `pennon verify`.
    """
    import lance
    import pyarrow as pa
    sys.path.insert(0, str(HERE.parent / "tests" / "differential"))
    import golden
    assert lance.__version__ == ENGINE, lance.__version__
    path = str(GOLDEN / "datasets" / (MADE_HERE + ".lance"))
    base = 1 << 40
    forms = [[base, base + 1, base + 16], [base + 100, base + 140], [base + 200000, base + 270000],
             [base + 300005, base + 370000, base + 300001], [2 * base, 2 * base + (2 << 32)], [4 * base, 3 * base],
             [5 * base + i for i in range(100) if i != 7],
             [7 * base + i for i in range(66100) if i not in (1, 66001)], [8 * base + i for i in (5, 3, 4)]]

    def rows(k, n):
        return pa.table({"k": pa.array([k] * n, pa.int64())})
    lance.write_dataset(rows(0, 10), path, enable_stable_row_ids=True, data_storage_version="2.2")
    fragments = []
    for i, ids in enumerate(forms):
        fragment = lance.fragment.LanceFragment.create(path, rows(i + 1, len(ids)), data_storage_version="2.2")
        fragment.row_id_meta = lance.fragment.RowIdSequence(ids).to_inline_metadata()
        fragments.append(fragment)
    lance.LanceDataset.commit(path, lance.LanceOperation.Append(fragments), read_version=1)
    golden.dump(path, str(GOLDEN / "expected"), MADE_HERE, delta=False,
                purpose="Every wire form of a row id sequence, by hand; the id counter is left too low.")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("--check", action="store_true")
    choice.add_argument("--from", dest="source", type=pathlib.Path, metavar="REFERENCE")
    arguments = parser.parse_args()
    if arguments.source:
        if not (arguments.source / "datasets").is_dir():
            parser.error(f"{arguments.source}: no folder datasets in it")
        copy(arguments.source)
        make_id_forms()
    problems = check()
    print("\n".join(problems) or f"golden tables in order: {GOLDEN.relative_to(HERE.parent)}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
