"""Killed at any store call, a migration leaves the table at the old or at the new version, and says what lies around."""
import pathlib
import shutil

import check_migration
import golden
import lance
import program
import pytest

BEFORE = program.ROOT / "tests/golden/14.0.2/migration/before"
STORE_CALLS_MAX = 2000


def rows_of(path, version=None):
    dataset = lance.dataset(str(path), version=version)
    return golden.read_rows(dataset, extra=["_rowid", "_rowaddr"])


def left_behind(before, path, migrated):
    """Files that are there and belong to no version: what a crash left."""
    now = program.tree(path)
    new = {name for name in now if name not in before and now[name] is not None}
    expected = {"_versions/latest_version_hint.json"}
    if migrated:
        name = golden.manifest_files(str(path))[-1][1]
        expected |= {f"_versions/{name}",
                     "_transactions/" + golden.read_manifest(str(path), name)["transaction"]["file"]}
    return new - expected


@pytest.mark.parametrize("name", ["indices_stale", "tags_and_config", "manifest_paths_v1"])
def test_kill_at_every_store_call(tmp_path, name):
    source = BEFORE / (name + ".lance")
    old = lance.dataset(str(source)).version
    want = rows_of(source)
    states = set()
    for call in range(STORE_CALLS_MAX):
        table = tmp_path / "table.lance"
        shutil.copytree(source, table)
        before = program.tree(table)
        run = program.run("migrate", table, "--test-kill-at-store-call", call)
        if run.code == program.DONE:
            break
        assert run.code == -9, f"call {call}: exit {run.code}: {run.err}"
        migrated = check_after_crash(table, old, want, call)
        states.add(migrated)
        litter = left_behind(before, table, migrated)
        assert {k: v for k, v in program.tree(table).items() if k in before and "hint" not in k} == {
            k: v for k, v in before.items() if v is None or "hint" not in k}, f"call {call}: an old file changed"
        verify = program.run("verify", table, "--json")
        assert verify.code in (program.DONE, program.BROKEN), f"call {call}: verify: exit {verify.code}: {verify.err}"
        text = " ".join(fault["message"] for fault in verify.json["faults"])
        for path in litter:
            assert pathlib.Path(path).name in text, f"call {call}: verify does not name {path}: {text}"
        again = program.done("migrate", table, "--json")
        assert again["migrated"] == (not migrated), f"call {call}: {again}"
        assert check_after_crash(table, old, want, call)
        shutil.rmtree(table)
    else:
        raise AssertionError(f"not one run passed untouched in {STORE_CALLS_MAX}")
    assert states == {False, True}, f"{call} store calls, states seen: {states}"


def check_after_crash(table, old, want, call):
    """The table opens, at the old or the new version, with the same rows under the same ids; true if at the new one."""
    newest = lance.dataset(str(table))
    assert newest.version in (old, old + 1), f"call {call}: version {newest.version}"
    assert newest.has_stable_row_ids == (newest.version == old + 1), f"call {call}"
    newest.validate()
    assert rows_of(table).equals(want), f"call {call}: rows or ids differ"
    assert rows_of(table, old).equals(want), f"call {call}: the old version changed"
    info = program.done("info", table, "--json")
    assert (info["version"], info["has_stable_row_ids"]) == (newest.version, newest.has_stable_row_ids)
    return newest.version == old + 1


def test_after_the_last_crash_the_reference_engine_works_on(tmp_path):
    """The checker's whole list, on a table whose first migration was killed right after the manifest was put."""
    source = BEFORE / "history.lance"
    old = lance.dataset(str(source)).version
    for call in range(STORE_CALLS_MAX):
        table = tmp_path / "table.lance"
        shutil.copytree(source, table)
        run = program.run("migrate", table, "--test-kill-at-store-call", call)
        if run.code == -9 and lance.dataset(str(table)).version == old + 1:
            break
        assert run.code == -9, "no kill came after the manifest was put"
        shutil.rmtree(table)
    assert check_migration.check(str(source), str(table), versions_added=1) == []
