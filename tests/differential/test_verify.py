"""Tables that the reference engine itself lets become wrong: verify names exactly what is wrong with them."""

import random

import lance
import pyarrow as pa
import pytest
from lance.fragment import RowIdSequence
from program import BROKEN, DONE, FAILED, run
from tables import DATASETS


def rows(*keys):
    return pa.table({"id": pa.array(keys, pa.int64()), "v": pa.array([10 * key for key in keys], pa.int64())})


def verify(path, *options):
    result = run("verify", path, "--json", *options)
    return result.code, [(f["severity"], f["code"], f["fragment_id"], f["row_id"]) for f in result.json["faults"]]


def with_ids(fragment, ids):
    """A fragment that claims ids; the engine takes its word for it."""
    fragment.row_id_meta = RowIdSequence(pa.array(ids, pa.uint64())).to_inline_metadata()
    return fragment


def test_ids_handed_in_that_live_rows_hold(tmp_path):
    path = tmp_path / "table.lance"
    table = lance.write_dataset(rows(1, 2, 3), path, enable_stable_row_ids=True)
    (fragment,) = lance.fragment.write_fragments(rows(2), path)
    operation = lance.LanceOperation.Append([with_ids(fragment, [1])])
    lance.LanceDataset.commit(str(path), operation, read_version=table.version)
    code, faults = verify(path, "--deep")
    assert code == BROKEN
    assert faults == [("error", "row_id_live_twice", 1, 1)]
    code, faults = verify(path, "--version", 1)
    assert (code, faults) == (DONE, [])


def test_ids_beyond_the_counter(tmp_path):
    path = tmp_path / "table.lance"
    table = lance.write_dataset(rows(1, 2, 3), path, enable_stable_row_ids=True)
    (fragment,) = lance.fragment.write_fragments(rows(4, 5), path)
    operation = lance.LanceOperation.Append([with_ids(fragment, [100, 101])])
    lance.LanceDataset.commit(str(path), operation, read_version=table.version)
    code, faults = verify(path, "--deep")
    assert code == BROKEN
    assert faults == [("error", "next_row_id_too_low", 1, 101)]


@pytest.mark.parametrize("stable", [True, False])
def test_every_step_of_an_ordinary_life_is_clean(tmp_path, stable):
    path = tmp_path / "table.lance"
    lance.write_dataset(rows(*range(100)), path, max_rows_per_file=30, enable_stable_row_ids=stable)
    lance.dataset(path).create_scalar_index("id", "BTREE")
    lance.dataset(path).delete("id % 7 = 3")
    lance.dataset(path).update({"v": "v + 1"}, where="id % 5 = 0")
    lance.dataset(path).merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(
        rows(5, 6, 200, 201))
    lance.write_dataset(rows(*range(300, 320)), path, mode="append")
    lance.dataset(path).optimize.compact_files()
    lance.dataset(path).optimize.optimize_indices()
    lance.dataset(path).add_columns({"w": "v * 2"})
    lance.dataset(path).drop_columns(["v"])
    lance.dataset(path, version=3).restore()
    lance.dataset(path).tags.create("kept", 4)
    newest = lance.dataset(path).version
    for version in range(1, newest + 1):
        for options in ((), ("--deep",)):
            result = run("verify", path, "--json", "--version", version, *options)
            serious = [f for f in result.json["faults"] if f["severity"] != "note"]
            assert (result.code, serious) == (DONE, []), f"version {version} {options}"


def test_a_branch_and_a_shallow_clone_are_clean_and_use_the_files_of_their_parent(tmp_path):
    path = str(tmp_path / "table.lance")
    main = lance.write_dataset(rows(*range(40)), path, max_rows_per_file=15, enable_stable_row_ids=True)
    branch = main.create_branch("feature/one")
    lance.write_dataset(rows(50, 51), branch, mode="append")
    lance.dataset(path).delete("id < 5")
    lance.dataset(path).optimize.compact_files()
    clone = str(tmp_path / "clone.lance")
    lance.dataset(path, version=1).shallow_clone(clone, 1)
    for arguments in ([path], [path, "--branch", "feature/one"], [clone]):
        code, faults = verify(*arguments, "--deep")
        assert code == DONE and [f for f in faults if f[0] != "note"] == [], f"{arguments}: {faults}"
    # What only the branch uses in the main folder is in use.
    assert [f for f in verify(path, "--deep")[1] if f[1] == "data_file_unused"] == []


def test_people_read_what_is_wrong(tmp_path):
    path = tmp_path / "table.lance"
    lance.write_dataset(rows(*range(30)), path, max_rows_per_file=10, enable_stable_row_ids=True)
    result = run("verify", path)
    assert result.code == DONE and result.out.splitlines()[0] == f"{path}, version 1: nothing is broken"
    victim = sorted((path / "data").iterdir())[0]
    victim.unlink()
    result = run("verify", path, "--deep")
    assert result.code == BROKEN
    assert result.out.splitlines()[0] == f"{path}, version 1: BROKEN: 1 error"
    assert f"is not there: data/{victim.name}" in result.out and "data_file_missing" in result.out


@pytest.mark.parametrize("name", sorted(DATASETS))
def test_every_value_of_the_reference_tables_decodes(name):
    report = run("verify", DATASETS[name], "--deep", "--json").json
    assert [f for f in report["faults"] if f["code"].startswith("data_") and f["severity"] == "error"] == []
    assert report["not_checked"] == []


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_a_flipped_bit_is_named_with_column_page_and_file_or_does_no_harm(tmp_path, version):
    """Files carry no checksums: a flip may give another value. It never gives a crash, and what cannot be decoded is
    named; a scan fails then, too."""
    path = tmp_path / "table.lance"
    words = pa.array([f"word {i} of {i % 13}" for i in range(3000)])
    table = pa.table({"id": range(3000), "few": pa.array([i // 100 for i in range(3000)]), "words": words,
                      "lists": pa.array([list(range(i % 4)) for i in range(3000)])})
    lance.write_dataset(table, path, data_storage_version=version)
    (file,) = path.glob("data/*.lance")
    whole = file.read_bytes()
    chosen, found = random.Random(7), 0
    for _ in range(40):
        damaged = bytearray(whole)
        damaged[chosen.randrange(len(whole))] ^= 1 << chosen.randrange(8)
        file.write_bytes(damaged)
        result = run("verify", path, "--deep", "--json")
        assert result.code in (DONE, BROKEN), result.err
        faults = [f for f in result.json["faults"] if f["severity"] == "error"]
        for fault in faults:
            assert fault["fragment_id"] == 0 and fault["code"].startswith("data_"), fault
            if fault["code"] == "data_unreadable":
                assert file.name in fault["message"] or "do not fit their type" in fault["message"], fault
        found += bool(faults)
        scanned = run("scan", path, "--format", "arrow", "-o", tmp_path / "rows.arrows")
        assert scanned.code in (DONE, FAILED)
        if scanned.code == FAILED:
            assert faults, scanned.err
    assert found > 2
