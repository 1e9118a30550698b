"""Faults that users of the format really met, each as the exact test of the case sheet (numbers are the sheet's)."""
import golden
import lance
import pyarrow as pa
import pytest
from program import FAILED, done, run, tree


def rows(*keys):
    return pa.table({"id": pa.array(keys, pa.int64()), "v": pa.array([10 * k for k in keys], pa.int64())})


def create(path, keys, per_file):
    lance.write_dataset(rows(*keys), str(path), max_rows_per_file=per_file)
    return str(path)


def ids(path, version=None):
    table = lance.dataset(path, version=version).to_table(with_row_id=True)
    return dict(sorted(zip(table.column("id").to_pylist(), table.column("_rowid").to_pylist())))


def counter(path):
    return golden.read_manifest(path, golden.manifest_files(path)[-1][1])["next_row_id"]


def address(fragment, offset):
    return fragment << 32 | offset


def test_case_1_the_counter_is_raised(tmp_path):
    path = create(tmp_path / "t.lance", range(6), 3)
    files = golden.file_hashes(path)
    done("migrate", path, "--ids", "consecutive")
    assert counter(path) == 6
    lance.write_dataset(rows(100, 101), path, mode="append")
    assert ids(path) == {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 100: 6, 101: 7}
    assert counter(path) == 8
    assert {k: v for k, v in golden.file_hashes(path).items() if k in files} == files


def test_case_1_with_addresses(tmp_path):
    path = create(tmp_path / "t.lance", range(6), 3)
    files = golden.file_hashes(path)
    done("migrate", path)
    assert counter(path) == address(2, 0) and golden.file_hashes(path) == files
    lance.write_dataset(rows(100, 101), path, mode="append")
    assert ids(path) == {**{k: address(k // 3, k % 3) for k in range(6)}, 100: address(2, 0), 101: address(2, 1)}
    assert counter(path) == address(2, 2)


def test_case_6_an_index_in_place(tmp_path):
    path = create(tmp_path / "t.lance", range(6), 3)
    lance.dataset(path).create_scalar_index("id", "BTREE", name="id_idx")
    before = tree(path)
    refusal = run("migrate", path, "--ids", "consecutive")
    assert refusal.code == FAILED and "id_idx" in refusal.error_line() and tree(path) == before
    done("migrate", path)
    dataset = lance.dataset(path)
    assert "ScalarIndexQuery" in dataset.scanner(filter="id = 4").explain_plan()
    assert [dataset.to_table(filter=f"id = {k}").column("id").to_pylist() for k in range(6)] == [[k] for k in range(6)]


def test_case_7_asking_for_stable_ids_by_an_append_changes_nothing_and_is_seen(tmp_path):
    """The engine takes the option in silence; the program shows that the table has no stable ids, and how to get them."""
    path = create(tmp_path / "t.lance", (1, 2), 10)
    lance.write_dataset(rows(3), path, mode="append", enable_stable_row_ids=True)
    assert not done("info", path, "--json")["has_stable_row_ids"]
    assert "migrate" in done("info", path)
    done("migrate", path)
    assert done("info", path, "--json")["has_stable_row_ids"] and len(ids(path)) == 3


def test_case_31_an_address_from_before_a_compaction(tmp_path):
    path = create(tmp_path / "t.lance", range(6), 2)
    of_five = ids(path)[5]
    lance.dataset(path).delete("id = 0")
    lance.dataset(path).optimize.compact_files()
    (row,) = done("locate", path, "--ids", of_five, "--json")["rows"]
    assert row["row_id"] == of_five and row["state"] != "live"
    (row,) = done("locate", path, "--addresses", of_five, "--json")["rows"]
    assert row["state"] != "live"
    assert str(of_five) in done("locate", path, "--ids", of_five)


def test_case_31_after_a_migration_the_id_holds_over_the_compaction(tmp_path):
    path = create(tmp_path / "t.lance", range(6), 2)
    of_five = ids(path)[5]
    done("migrate", path)
    lance.dataset(path).delete("id = 0")
    lance.dataset(path).optimize.compact_files()
    (row,) = done("locate", path, "--ids", of_five, "--json")["rows"]
    scan = lance.dataset(path).to_table(columns=["id"], with_row_address=True)
    now = dict(zip(scan.column("id").to_pylist(), scan.column("_rowaddr").to_pylist()))[5]
    assert (row["row_id"], row["address"], row["state"]) == (of_five, now, "live") and now != of_five
    assert lance.dataset(path)._take_rows([of_five]).column("id").to_pylist() == [5]


def test_case_32_look_ups_beyond_the_first_fragment(tmp_path):
    path = create(tmp_path / "t.lance", range(6), 2)
    wanted = [ids(path)[k] for k in (5, 0, 3)]
    found = done("locate", path, "--ids", ",".join(map(str, wanted)), "--json")["rows"]
    assert [(r["fragment_id"], r["row_offset"], r["state"]) for r in found] == [
        (2, 1, "live"), (0, 0, "live"), (1, 1, "live")]


def test_case_32_the_counter_is_not_the_number_of_rows(tmp_path):
    path = str(tmp_path / "s.lance")
    lance.write_dataset(rows(*range(9)), path, max_rows_per_file=3, enable_stable_row_ids=True)
    lance.dataset(path).delete("id < 6")
    assert counter(path) == 9 and lance.dataset(path).count_rows() == 3
    found = done("locate", path, "--ids", "8,0,9", "--json")["rows"]
    assert [r["state"] == "live" for r in found] == [True, False, False]
    assert found[0]["address"] == address(2, 2)
    assert found[1]["state"] != found[2]["state"], "deleted and never given are told apart"


def test_case_53_stamps_of_migrated_rows(tmp_path):
    path = create(tmp_path / "t.lance", (0, 1, 2), 10)
    lance.write_dataset(rows(3, 4, 5), path, mode="append")
    lance.dataset(path).delete("id IN (1, 4)")
    for options, stamps in ((["--lineage", "none"], {0: 1, 2: 1, 3: 1, 5: 1}), ([], {0: 1, 2: 1, 3: 2, 5: 2})):
        copy = str(tmp_path / ("copy" + "".join(options) + ".lance"))
        import shutil
        shutil.copytree(path, copy)
        done("migrate", copy, "--ids", "consecutive", *options)
        assert ids(copy) == {0: 0, 2: 2, 3: 3, 5: 5}, "dead rows keep their numbers"
        table = lance.dataset(copy).to_table(columns=["id", "_row_created_at_version", "_row_last_updated_at_version"])
        assert {r["id"]: r["_row_created_at_version"] for r in table.to_pylist()} == stamps
        assert {r["id"]: r["_row_last_updated_at_version"] for r in table.to_pylist()} == stamps
        for version in (1, 2, 3):
            old = lance.dataset(copy, version=version)
            assert not old.has_stable_row_ids
            scan = old.to_table(columns=[], with_row_id=True, with_row_address=True)
            assert scan.column("_rowid").to_pylist() == scan.column("_rowaddr").to_pylist()
            assert not done("info", copy, "--version", version, "--json")["has_stable_row_ids"]
        lance.dataset(copy).update({"v": "7"}, where="id = 3")
        delta = golden.delta_of(copy, 4, 5)
        assert (delta["inserted_row_ids"], delta["updated_row_ids"], delta["deleted_row_ids"]) == ([], [3], [])
        with pytest.raises(Exception, match="stable row ids"):
            lance.dataset(copy, version=4).delta(compared_against=1).get_deleted_row_ids().read_all()
