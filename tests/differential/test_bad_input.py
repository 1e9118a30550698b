"""Bad input gives one clear line and the right exit code; nothing is written, nothing crashes, memory stays small."""
import os
import pathlib
import random
import shutil
import struct

import golden
import lance
import manifest_bytes
import pyarrow as pa
import pytest
import tables
from program import BROKEN, DONE, FAILED, USAGE, done, run, tree

SMALL = "create_simple.plain.v2_1"
COMMANDS = ["info", "versions", "transactions", "fragments", "rowids", "verify", "migrate"]
MEMORY_BYTES_MAX = 150_000_000
BOUNDED = ("prlimit", f"--data={MEMORY_BYTES_MAX}")  # an allocation beyond it fails, and the program with it


def bounded(*arguments):
    return run(*arguments, prefix=BOUNDED)


def refused(command, path, *words, options=()):
    """The command fails with one line that holds the words, as text and as JSON, and changes nothing."""
    before = tree(path)
    result = bounded(command, path, *options)
    assert result.code == FAILED, f"{command}: exit {result.code}: {result.err}"
    line = result.error_line()
    for word in words:
        assert str(word).lower() in line.lower(), f"{command}: {line!r} does not say {word!r}"
    assert result.out == "", f"{command}: {result.out!r}"
    as_json = run(command, path, *options, "--json")
    assert as_json.code == result.code
    assert as_json.json["error"]["message"] and as_json.json["error"]["kind"]
    assert tree(path) == before, f"{command} changed something"
    return line


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_no_table(tmp_path, command):
    missing = tmp_path / "nothing.lance"
    refused(command, missing, "nothing.lance")
    assert not missing.exists()
    empty = tmp_path / "empty.lance"
    empty.mkdir()
    refused(command, empty, "empty.lance")
    (empty / "_versions").mkdir()
    refused(command, empty, "empty.lance")
    file = tmp_path / "file.parquet"
    file.write_bytes(b"PAR1" * 100)
    refused(command, file, "file.parquet")
    other = tmp_path / "other"
    (other / "data").mkdir(parents=True)
    (other / "data" / "part.csv").write_text("a,b\n1,2\n")
    refused(command, other, "other")


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["info"], ["info", "x", "--nonsense"], ["migrate"],
                                       ["migrate", "x", "--ids", "nonsense"], ["migrate", "x", "--lineage", "nonsense"],
                                       ["locate"]])
def test_wrong_usage(arguments):
    result = run(*arguments)
    assert result.code == USAGE and result.err.strip(), (result.code, result.err)


@pytest.mark.parametrize("command", COMMANDS)
def test_versions_tags_and_branches_that_are_not_there(command):
    path = tables.DATASETS["tags.plain.v2_1"]
    if command not in ("versions", "transactions", "migrate"):
        refused(command, path, "99", options=["--version", "99"])
        refused(command, path, "no-such-tag", options=["--version", "no-such-tag"])
    refused(command, path, "no-such-branch", options=["--branch", "no-such-branch"])


def with_manifest(path, raw, version=2):
    """Puts bytes as the newest version."""
    (path / "_versions" / manifest_bytes.manifest_name(version)).write_bytes(raw)
    return path


def manifest_of(name):
    return pathlib.Path(manifest_bytes.newest(tables.DATASETS[name])).read_bytes()


def test_a_manifest_cut_at_every_length(copy):
    path = copy(tables.DATASETS[SMALL])
    raw = manifest_of(SMALL)
    raw = manifest_bytes.rewrite(raw, {3: manifest_bytes.field(3, 2)})
    assert done("info", with_manifest(path, raw), "--json")["version"] == 2
    name = manifest_bytes.manifest_name(2)
    for length in range(len(raw)):
        with_manifest(path, raw[:length])
        result = bounded("info", path)
        assert result.code == FAILED, f"cut at {length} of {len(raw)}: exit {result.code}"
        assert name in result.error_line()
    with_manifest(path, raw[:len(raw) // 2])
    for command in COMMANDS:
        if command != "verify":
            refused(command, path, name)
    result = bounded("verify", path, "--json")
    assert result.code == BROKEN and [f["severity"] for f in result.json["faults"]] == ["error"]
    assert name in f'{result.json["faults"][0]["file"]} {result.json["faults"][0]["message"]}'


@pytest.mark.parametrize("name", [SMALL, "commit_by_hand.stable.v2_1", "tags.plain.v2_1"])
def test_flipped_bits_never_crash(copy, name):
    path = copy(tables.DATASETS[name])
    version = tables.expected(name)["latest_version"]
    raw = manifest_of(name)
    rng = random.Random(name)
    for trial in range(150):
        broken = bytearray(raw)
        for _ in range(rng.choice([1, 1, 3])):
            broken[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
        with_manifest(path, bytes(broken), version)
        for command in ("info", "rowids", "verify"):
            result = bounded(command, path, "--json")
            assert result.code in (DONE, FAILED, BROKEN), f"trial {trial}: {command}: exit {result.code}: {result.err}"
            if result.code == FAILED:
                result.error_line()


def test_garbage_and_foreign_manifests(copy):
    path = copy(tables.DATASETS[SMALL])
    raw = manifest_of(SMALL)
    name = manifest_bytes.manifest_name(2)
    rng = random.Random(1)
    trailer = struct.pack("<qHH", 0, 0, 2) + b"LANC"
    cases = {
        "empty": b"", "zeros": bytes(5000), "random": rng.randbytes(5000), "magic alone": b"LANC",
        "random with trailer": rng.randbytes(300) + trailer,
        "length far too large": struct.pack("<I", 0xFFFFFFF0) + bytes(100) + trailer,
        "position beyond the end": raw[:-16] + struct.pack("<qHH", 1 << 40, 0, 2) + b"LANC",
        "position negative": raw[:-16] + struct.pack("<qHH", -8, 0, 2) + b"LANC",
        "bytes after the manifest": raw[:-16] + b"xx" + raw[-16:],
        "another version's": raw,  # says version 1 in the file of version 2
        "a data file": next((tables.DATASETS[SMALL] / "data").iterdir()).read_bytes(),
        "JSON": b'{"format-version": 2, "location": "s3://bucket/table"}',
    }
    for what, data in cases.items():
        with_manifest(path, data)
        result = bounded("info", path)
        assert result.code == FAILED, f"{what}: exit {result.code}"
        assert name in result.error_line(), what
        before = tree(path)
        assert run("migrate", path).code == FAILED, what
        assert tree(path) == before, what
        # The version before is still there to be read.
        assert done("info", path, "--version", 1, "--json")["version"] == 1, what


REFUSED_BITS = {12: "fragment-tree", 13: "covering", 16: "seeds", 18: "18", 40: "40"}


@pytest.mark.parametrize("bit", REFUSED_BITS)
def test_features_we_do_not_have_are_refused_by_name(copy, bit):
    raw = manifest_of(SMALL)
    flags = {3: manifest_bytes.field(3, 2), 9: manifest_bytes.field(9, 1 << bit), 10: manifest_bytes.field(10, 1 << bit)}
    path = with_manifest(copy(tables.DATASETS[SMALL]), manifest_bytes.rewrite(raw, flags))
    with pytest.raises(Exception):
        lance.dataset(str(path))
    for command in ("info", "migrate"):
        refused(command, path, REFUSED_BITS[bit])


def test_features_of_writers_stop_a_migration_not_a_reader(copy):
    raw = manifest_of(SMALL)
    for bit in (17, 30):
        flags = {3: manifest_bytes.field(3, 2), 10: manifest_bytes.field(10, 1 << bit)}
        path = with_manifest(copy(tables.DATASETS[SMALL], f"bit{bit}.lance"), manifest_bytes.rewrite(raw, flags))
        assert done("info", path, "--json")["version"] == 2
        refused("migrate", path, str(bit) if bit == 30 else "")


@pytest.mark.parametrize("bit", [8, 10, 14])
def test_one_sided_paired_flags_are_corrupt(copy, bit):
    raw = manifest_of(SMALL)
    for number in (9, 10):
        flags = {3: manifest_bytes.field(3, 2), number: manifest_bytes.field(number, 1 << bit)}
        path = with_manifest(copy(tables.DATASETS[SMALL], f"one{number}.lance"), manifest_bytes.rewrite(raw, flags))
        refused("info", path, manifest_bytes.manifest_name(2))


def test_storage_version_and_deletion_type_unknown(copy):
    raw = manifest_of(SMALL)
    field = manifest_bytes.field
    path = with_manifest(copy(tables.DATASETS[SMALL]), manifest_bytes.rewrite(
        raw, {3: field(3, 2), 15: field(15, field(1, "lance") + field(2, "9.7"))}))
    refused("info", path, "9.7")
    fragment = next(v for n, v, _ in manifest_bytes.fields_of(manifest_bytes.parse(raw)[0]) if n == 2)
    odd = field(2, fragment + field(3, field(1, 7) + field(2, 1) + field(3, 5) + field(4, 1)))
    refused("info", with_manifest(path, manifest_bytes.rewrite(raw, {3: field(3, 2), 2: odd})), "deletion")


def test_stable_flag_without_ids_is_refused_and_ids_without_flag_are_not(copy):
    raw = manifest_of(SMALL)
    field = manifest_bytes.field
    path = with_manifest(copy(tables.DATASETS[SMALL]), manifest_bytes.rewrite(
        raw, {3: field(3, 2), 9: field(9, 2), 10: field(10, 2)}))
    with pytest.raises(Exception):
        lance.dataset(str(path))
    refused("info", path, "row id")


def test_two_naming_schemes_in_one_folder(copy):
    path = copy(tables.DATASETS[SMALL])
    shutil.copy(manifest_bytes.newest(path), path / "_versions/2.manifest")
    with pytest.raises(Exception):
        lance.dataset(str(path))
    refused("info", path, SMALL)


def test_claims_larger_than_the_file_cost_nothing(copy):
    """A fragment of 2^40 rows, an id sequence of 2^60 ids, a run as long: refused or told, never allocated."""
    field = manifest_bytes.field
    raw = manifest_of("create_simple.stable.v2_2")
    manifest = manifest_bytes.parse(raw)[0]
    fragment = {n: r for n, _, r in manifest_bytes.fields_of(next(
        v for n, v, _ in manifest_bytes.fields_of(manifest) if n == 2))}
    span = manifest_bytes.range_sequence(0, 1 << 60)
    run_of = field(1, field(1, field(1, field(2, 1 << 60))) + field(2, 1))
    for what, change in {"rows": {4: field(4, 1 << 40)}, "ids": {5: field(5, span)}, "runs": {9: field(9, run_of)},
                         "bitmap": {5: field(5, field(1, field(3, field(2, 1 << 50) + field(3, b"\1"))))}}.items():
        odd = field(2, b"".join({**fragment, **change}.values()))
        path = with_manifest(copy(tables.DATASETS["create_simple.stable.v2_2"], what + ".lance"),
                             manifest_bytes.rewrite(raw, {3: field(3, 2), 2: odd}))
        for command in ("info", "fragments", "rowids", "verify", "migrate"):
            result = bounded(command, path, "--json")
            assert result.code in (DONE, FAILED, BROKEN), f"{what}: {command}: exit {result.code}: {result.err}"
        assert run("verify", path).code != DONE, what


@pytest.mark.parametrize("kind, folder", [("data", "data"), ("deletion", "_deletions")])
def test_missing_files_are_named_by_verify(copy, kind, folder):
    path = copy(tables.DATASETS["delete_few.plain.v2_1"])
    newest = golden.read_manifest(str(path), os.path.basename(manifest_bytes.newest(path)))
    fragment = next(f for f in newest["fragments"] if f["deletion_file"])
    name = fragment["data_files"][0]["path"] if kind == "data" else os.path.basename(fragment["deletion_file"]["path"])
    (path / folder / name).unlink()
    assert done("info", path, "--json")["row_count"] == sum(f["num_rows"] for f in newest["fragments"])
    result = run("verify", path, "--deep", "--json")
    assert result.code == BROKEN
    faults = [f for f in result.json["faults"] if name in (f["file"] or "")]
    assert [f["fragment_id"] for f in faults] == [fragment["id"]], result.json["faults"]


def test_a_truncated_deletion_file_is_named(copy):
    path = copy(tables.DATASETS["concurrent.stable.v2_1"])
    for file in (path / "_deletions").iterdir():
        raw = file.read_bytes()
        file.write_bytes(raw[:len(raw) // 2])
    result = run("verify", path, "--deep", "--json")
    assert result.code == BROKEN and all(f["message"] for f in result.json["faults"])
    assert any("_deletions" in (f["file"] or "") for f in result.json["faults"])


# Root reads everything unless it gives up that power.
PLAIN_USER = ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if os.geteuid() == 0 else ()


def test_no_permission(copy):
    path = copy(tables.DATASETS[SMALL])
    versions = path / "_versions"
    before = tree(path)
    for closed, mode in ((path, 0o000), (versions, 0o000), (pathlib.Path(manifest_bytes.newest(path)), 0o000)):
        old = closed.stat().st_mode
        closed.chmod(mode)
        try:
            for command in ("info", "migrate"):
                result = run(command, path, prefix=PLAIN_USER)
                assert result.code == FAILED, f"{command}: exit {result.code}: {result.err}"
                assert "permission" in result.error_line().lower(), result.err
        finally:
            closed.chmod(old)
    versions.chmod(0o500)
    try:
        assert run("info", path, prefix=PLAIN_USER).code == DONE
        result = run("migrate", path, prefix=PLAIN_USER)
        assert result.code == FAILED and "permission" in result.error_line().lower(), result.err
    finally:
        versions.chmod(0o700)
    left = {n: v for n, v in tree(path).items() if n not in before and v is not None}
    assert all(n.startswith("_transactions/") for n in left), left
    assert {n: v for n, v in tree(path).items() if n in before} == before


def test_a_closed_pipe_is_no_error():
    import subprocess
    from program import PROGRAM
    script = f'"{PROGRAM}" fragments "{tables.DATASETS[SMALL]}" | true; exit "${{PIPESTATUS[0]}}"'
    done_ = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
    assert done_.returncode in (0, 141) and "error" not in done_.stderr, (done_.returncode, done_.stderr)


def test_odd_names_of_tables(tmp_path):
    for name in ("with space.lance", "ümlaut.lance", "percent%20.lance", "hash#1.lance", "quote'.lance"):
        path = tmp_path / name
        lance.write_dataset(pa.table({"k": pa.array([1, 2], pa.int64())}), str(path))
        assert done("info", path, "--json")["row_count"] == 2
        assert done("migrate", path, "--json")["migrated"]
        assert lance.dataset(str(path)).has_stable_row_ids
