"""Tables that the reference engine itself lets become wrong: verify names exactly what is wrong with them."""

import lance
import pyarrow as pa
import pytest
from lance.fragment import RowIdSequence
from program import BROKEN, DONE, run


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
