"""Killed at any store call, a migration leaves the table at the old or at the new version, and says what lies around."""
import random
import shutil
import subprocess
import time

import check_migration
import golden
import lance
import program
import pytest

BEFORE = program.ROOT / "tests/golden/14.0.2/migration/before"
STORE_CALLS_MAX = 2000
FIRST_KILL = 2  # 2k: before store call k; 2k + 1: behind it


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
    for call in range(FIRST_KILL, STORE_CALLS_MAX):
        table = tmp_path / "table.lance"
        shutil.copytree(source, table)
        before = program.tree(table)
        run = program.run("migrate", table, "--test-kill-at-store-call", call)
        if run.code == program.DONE:
            break
        assert run.code == -9, f"call {call}: exit {run.code}: {run.err}"
        states.add(check_and_go_on(table, before, old, want, f"call {call}"))
        shutil.rmtree(table)
    else:
        raise AssertionError(f"not one run passed untouched in {STORE_CALLS_MAX}")
    assert states == {False, True}, f"{call} store calls, states seen: {states}"


def check_and_go_on(table, before, old, want, when):
    """Everything that must hold after a crash, and that the next migration succeeds; true if the crash came after the
    new version was there."""
    migrated = check_after_crash(table, old, want, when)
    now = program.tree(table)
    assert {k: now.get(k) for k in before if "hint" not in k} == {k: v for k, v in before.items() if "hint" not in k}, (
        f"{when}: an old file changed")
    verify = program.run("verify", table, "--deep", "--json")
    assert verify.code in (program.DONE, program.BROKEN), f"{when}: verify: exit {verify.code}: {verify.err}"
    named = {fault["file"] for fault in verify.json["faults"]}
    litter = left_behind(before, table, migrated)
    assert litter <= named, f"{when}: verify names {named}, not {litter - named}"
    again = program.done("migrate", table, "--json")
    assert again["migrated"] == (not migrated), f"{when}: {again}"
    assert check_after_crash(table, old, want, when)
    return migrated


def test_kill_at_random_moments(tmp_path):
    """Also inside a store call, where a staging file may be left."""
    source = BEFORE / "history.lance"
    old, want, rng = lance.dataset(str(source)).version, rows_of(source), random.Random(4)
    begin = time.perf_counter()
    program.done("migrate", shutil.copytree(source, tmp_path / "timed.lance"))
    takes = time.perf_counter() - begin
    for trial in range(60):
        table = tmp_path / "table.lance"
        shutil.copytree(source, table)
        before = program.tree(table)
        process = subprocess.Popen([str(program.PROGRAM), "migrate", str(table)], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(rng.random() * 1.2 * takes)
        process.kill()
        process.wait()
        check_and_go_on(table, before, old, want, f"trial {trial}")
        shutil.rmtree(table)


def check_after_crash(table, old, want, when):
    """The table opens, at the old or the new version, with the same rows under the same ids; true if at the new one."""
    newest = lance.dataset(str(table))
    assert newest.version in (old, old + 1), f"{when}: version {newest.version}"
    assert newest.has_stable_row_ids == (newest.version == old + 1), when
    newest.validate()
    assert rows_of(table).equals(want), f"{when}: rows or ids differ"
    assert rows_of(table, old).equals(want), f"{when}: the old version changed"
    info = program.done("info", table, "--json")
    assert (info["version"], info["has_stable_row_ids"]) == (newest.version, newest.has_stable_row_ids)
    return newest.version == old + 1


def test_after_the_last_crash_the_reference_engine_works_on(tmp_path):
    """The checker's whole list, on a table whose first migration was killed right after the manifest was put."""
    source = BEFORE / "history.lance"
    old = lance.dataset(str(source)).version
    for call in range(FIRST_KILL, STORE_CALLS_MAX):
        table = tmp_path / "table.lance"
        shutil.copytree(source, table)
        run = program.run("migrate", table, "--test-kill-at-store-call", call)
        if run.code == -9 and lance.dataset(str(table)).version == old + 1:
            break
        assert run.code == -9, "no kill came after the manifest was put"
        shutil.rmtree(table)
    assert check_migration.check(str(source), str(table), versions_added=1) == []
