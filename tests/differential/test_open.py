"""Every version of every table of the reference engine opens and gives the facts that the engine saw."""
import pyarrow as pa
import pytest
import tables
from golden import read_arrow
from program import done, run

FRAGMENT_KEYS = ("id", "physical_rows", "num_deletions", "num_rows", "data_files")
INFO_KEYS = ("version", "timestamp", "row_count", "deleted_rows", "has_stable_row_ids", "next_row_id", "max_fragment_id",
             "reader_feature_flags", "writer_feature_flags", "config", "table_metadata", "schema_metadata")
INDEX_KEYS = ("name", "type", "fields", "fragment_ids", "uuid")
LISTED_MAX = 64  # the expected facts list that many segments or runs of a sequence
LOCATED_MAX = 400


def only(mapping, keys):
    return {key: mapping.get(key) for key in keys}


def sequence_view(sequence, lists):
    """What the expected facts say of a sequence, its lists cut at the same length."""
    if sequence is None:
        return None
    view = {k: v for k, v in sequence.items() if k in ("placement", "encoded_bytes", "num_segments", "num_runs")}
    if lists in sequence:
        view[lists] = sequence[lists][:LISTED_MAX]
    return view


def segment_view(segment):
    return only(segment, ("kind", "len", "start", "end", "array"))


def fragment_view(fragment):
    view = only(fragment, FRAGMENT_KEYS)
    deletion = fragment["deletion_file"]
    view["deletion_file"] = only(deletion, ("type", "num_deleted_rows", "read_version", "path")) if deletion else None
    return view | rowids_view(fragment)


def rowids_view(fragment):
    view = {"id": fragment["id"]}
    row_ids = sequence_view(fragment.get("row_ids"), "segments")
    if row_ids and "segments" in row_ids:
        row_ids["segments"] = [segment_view(s) for s in row_ids["segments"]]
    view["row_ids"] = row_ids
    for key in ("created_at", "last_updated_at"):
        view[key] = sequence_view(fragment.get(key), "runs")
    return view


def indices_view(indices):
    """Where a fragment reuse index is there, the engine shows the fragments of the others as it translates them, and we
    as they are stored."""
    translated = any(i["name"] == "__lance_frag_reuse" for i in indices)
    keys = [k for k in INDEX_KEYS if not (translated and k == "fragment_ids")]
    return sorted((only(i, keys) for i in indices), key=lambda i: (i["name"], i["uuid"]))


@pytest.mark.parametrize("name", tables.EXPECTED)
def test_facts_of_every_version(name):
    expected, path = tables.expected(name), tables.DATASETS[name]
    for version in expected["versions"]:
        where = ["--version", version["version"], "--json"]
        info = done("info", path, *where)
        assert only(info, INFO_KEYS) == only(version, INFO_KEYS)
        assert info["data_storage_version"] == version["data_format"]["version"]
        assert info["num_fragments"] == len(version["fragments"])
        assert indices_view(info["indices"]) == indices_view(version["indices"])
        fragments = done("fragments", path, *where)["fragments"]
        assert [fragment_view(f) for f in fragments] == [fragment_view(f) for f in version["fragments"]]
        rowids = done("rowids", path, *where)["fragments"]
        assert [rowids_view(f) for f in rowids] == [rowids_view(f) for f in version["fragments"]]


@pytest.mark.parametrize("name", tables.EXPECTED)
def test_facts_of_the_table(name):
    expected, path = tables.expected(name), tables.DATASETS[name]
    info = done("info", path, "--json")
    assert info["version"] == expected["latest_version"]
    assert [info["manifest_naming"]] == expected["manifest_naming"]
    assert {k: only(t, ("version", "branch")) for k, t in info["tags"].items()} == {
        k: only(t, ("version", "branch")) for k, t in expected["tags"].items()}
    assert {k: only(b, ("parent_branch", "parent_version")) for k, b in info["branches"].items()} == expected["branches"]
    for tag, target in expected["tags"].items():
        assert done("info", path, "--version", tag, "--json")["version"] == target["version"]
    attached = [v for v in expected["versions"] if not v["detached"]]
    versions = sorted(done("versions", path, "--json")["versions"], key=lambda v: v["version"])
    assert [only(v, ("version", "timestamp", "operation", "row_count")) for v in versions] == [
        only(v, ("version", "timestamp", "operation", "row_count")) for v in attached]
    transactions = done("transactions", path, "--json")["transactions"]
    assert [(t["version"], *only(t, ("operation", "read_version", "uuid", "properties")).values())
            for t in sorted(transactions, key=lambda t: t["version"])] == [
        (v["version"], *only(v["transaction"], ("operation", "read_version", "uuid", "properties")).values())
        for v in attached]


@pytest.mark.parametrize("name", tables.EXPECTED)
def test_locate_answers_both_ways_at_every_version(name):
    """Ids to addresses and back, as the engine's own scan pairs them."""
    expected, path = tables.expected(name), tables.DATASETS[name]
    for version in expected["versions"]:
        rows = read_arrow(tables.EXPECTED[name].parent / version["rows"])
        step = max(1, rows.num_rows // LOCATED_MAX)
        rows = rows.take(pa.array(range(0, rows.num_rows, step), pa.int64()))
        ids, addresses = (rows.column(c).to_pylist() for c in ("_rowid", "_rowaddr"))
        if not ids:
            continue
        where = ["--version", version["version"], "--json"]
        found = done("locate", path, "--ids", ",".join(map(str, ids)), *where)["rows"]
        assert [(r["row_id"], r["address"], r["state"]) for r in found] == [
            (i, a, "live") for i, a in zip(ids, addresses)]
        found = done("locate", path, "--addresses", ",".join(map(str, addresses)), *where)["rows"]
        assert [(r["row_id"], r["address"], r["fragment_id"], r["row_offset"]) for r in found] == [
            (i, a, a >> 32, a & 0xFFFFFFFF) for i, a in zip(ids, addresses)]


@pytest.mark.parametrize("name", tables.EXPECTED)
def test_verify_finds_nothing_where_the_engine_finds_nothing(name):
    """And the reverse: what the engine's validate() refuses, verify names."""
    expected, path = tables.expected(name), tables.DATASETS[name]
    for version in expected["versions"]:
        result = run("verify", path, "--version", version["version"], "--json")
        errors = [f for f in result.json["faults"] if f["severity"] == "error"]
        broken = "validate_error" in version
        assert (result.code == 4) == bool(errors) == broken, f"version {version['version']}: {errors}"


def test_branches_have_versions_of_their_own(tmp_path):
    """A branch, made here because its manifests hold the absolute path of the table."""
    import golden
    import lance
    path = str(tmp_path / "branched.lance")
    rows = pa.table({"k": pa.array(range(40), pa.int64())})
    main = lance.write_dataset(rows, path, max_rows_per_file=15, enable_stable_row_ids=True)
    branch = main.create_branch("feature/one")
    branch = lance.write_dataset(pa.table({"k": pa.array(range(40, 50), pa.int64())}), branch, mode="append")
    branch.delete("k = 2")
    lance.write_dataset(pa.table({"k": pa.array([100], pa.int64())}), path, mode="append")
    lance.dataset(path).tags.create("on-branch", ("feature/one", 2))
    info = done("info", path, "--json")
    assert (info["version"], info["row_count"], info["branch"]) == (2, 41, None)
    assert info["branches"] == {"feature/one": {"parent_branch": None, "parent_version": 1}}
    assert info["tags"] == {"on-branch": {"version": 2, "branch": "feature/one"}}
    on_branch = done("info", path, "--branch", "feature/one", "--json")
    assert (on_branch["version"], on_branch["row_count"], on_branch["branch"]) == (3, 49, "feature/one")
    assert done("info", path, "--version", "on-branch", "--json")["row_count"] == 50
    root = str(tmp_path / "branched.lance" / "tree" / "feature" / "one")
    want = golden.read_manifest(root, golden.manifest_files(root)[-1][1])["fragments"]
    got = done("fragments", path, "--branch", "feature/one", "--json")["fragments"]
    assert [fragment_view(f) for f in got] == [fragment_view(f) for f in want]
    assert [f["data_files"][0]["base_id"] for f in got] == [0, 0, 0, None]
    missing = run("info", path, "--branch", "nope")
    assert missing.code == 1 and "nope" in missing.error_line()


def test_file_uri_and_trailing_slash():
    path = tables.DATASETS["delete_few.plain.v2_1"].resolve()
    plain = done("info", path, "--json")
    for uri in (path.as_uri(), f"{path}/", f"{path.parent}/./{path.name}"):
        assert done("info", uri, "--json") == plain


def test_the_version_hint_is_only_a_lower_bound(copy):
    for hint in ('{"version":1}', '{"version":999}', '{"version":-3}', "garbage", ""):
        path = copy(tables.DATASETS["delete_few.plain.v2_1"], f"hint{abs(hash(hint))}.lance")
        newest = done("info", path, "--json")["version"]
        (path / "_versions/latest_version_hint.json").write_text(hint)
        assert done("info", path, "--json")["version"] == newest, hint
