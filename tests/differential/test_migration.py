"""The reference engine judges the migration: before it, at it, and through everything it does afterwards."""
import itertools

import check_migration
import golden
import lance
import pyarrow as pa
import pytest
import tables
from program import FAILED, done, run, tree

# The newest version has a fragment reuse index, and an index whose entries it would have to translate.
WITH_REUSE_INDEX = {"compact_defer_remap.plain.v2_1"}
SOURCES = {**{f"before/{name}": path for name, path in tables.MIGRATION_INPUTS.items()},
           **{name: path for name, path in tables.PLAIN.items() if name not in WITH_REUSE_INDEX}}


def index_names(path):
    return {i["name"] for i in golden.indices_of(lance.dataset(str(path)))}


@pytest.mark.parametrize("ids, lineage", list(itertools.product(["addresses", "consecutive"], ["history", "none"])))
@pytest.mark.parametrize("name", SOURCES)
def test_judged_by_the_reference_engine(copy, name, ids, lineage):
    source = SOURCES[name]
    path = copy(source)
    old = lance.dataset(str(source)).version
    options = ["--ids", ids, "--lineage", lineage]
    if ids == "consecutive" and index_names(source):
        before = tree(path)
        refusal = run("migrate", path, *options)
        assert refusal.code == FAILED
        assert any(index in refusal.error_line() for index in index_names(source))
        plan = run("migrate", path, *options, "--dry-run")
        assert plan.code == FAILED and all(index in plan.out for index in index_names(source))
        assert tree(path) == before
        options.append("--drop-broken-indexes")
    report = done("migrate", path, *options, "--json")
    assert (report["migrated"], report["from_version"], report["to_version"]) == (True, old, old + 1)
    assert check_migration.check(str(source), str(path), key=tables.key_of(source), versions_added=1,
                                 may_drop_indices="--drop-broken-indexes" in options,
                                 ids_are_addresses=ids == "addresses", lineage_unset=lineage == "none") == []
    check_numbers(path, old + 1, report, ids)
    check_sequences(path, old + 1, lineage)
    assert index_names(path) == (set() if "--drop-broken-indexes" in options else index_names(source))


def newest_manifest(path):
    version, name, _ = [m for m in golden.manifest_files(str(path)) if m[2] != "detached"][-1]
    return version, golden.read_manifest(str(path), name)


def check_numbers(path, version, report, ids):
    newest, manifest = newest_manifest(path)
    assert newest == version
    fragments = manifest["fragments"]
    physical = sum(f["physical_rows"] for f in fragments)
    highest = max([manifest["max_fragment_id"] or 0] + [f["id"] for f in fragments])
    want = (highest + 1) << 32 if ids == "addresses" else physical
    if ids == "addresses" and manifest["max_fragment_id"] is None and not fragments:
        want = manifest["next_row_id"]  # no fragment ever: any counter is above every address
    assert manifest["next_row_id"] == want == report["next_row_id"]
    assert report["num_fragments"] == len(fragments) and report["num_rows"] == physical
    start = 0
    for fragment in fragments:
        begin = fragment["id"] << 32 if ids == "addresses" else start
        start += fragment["physical_rows"]
        assert [(s["kind"], s["start"], s["end"]) for s in fragment["row_ids"]["segments"]] == [
            ("range", begin, begin + fragment["physical_rows"])]
    transaction = manifest["transaction"]
    assert (transaction["operation"], transaction["read_version"], transaction["in_manifest"]) == (
        "Rewrite", version - 1, True)


def check_sequences(path, version, lineage):
    """Lineage is there for every fragment or for none, never of the future, never out of order."""
    _, manifest = newest_manifest(path)
    for fragment in manifest["fragments"]:
        assert ("created_at" in fragment) == ("last_updated_at" in fragment) == (lineage == "history")
        for key in ("created_at", "last_updated_at") if lineage == "history" else ():
            runs = fragment[key]["runs"]
            assert sum(rows for rows, _ in runs) == fragment["physical_rows"]
            assert all(1 <= stamp < version for _, stamp in runs), runs


@pytest.mark.parametrize("name", SOURCES)
def test_dry_run_says_what_then_happens_and_writes_nothing(copy, name):
    path = copy(SOURCES[name])
    before = tree(path)
    plan = done("migrate", path, "--dry-run", "--json")
    text = done("migrate", path, "--dry-run")
    assert tree(path) == before
    assert plan["dry_run"] and not plan["migrated"] and text.strip()
    report = done("migrate", path, "--json")
    same = ("from_version", "to_version", "num_fragments", "num_rows", "next_row_id", "ids", "lineage", "indices")
    assert {k: report[k] for k in same} == {k: plan[k] for k in same}
    new = {n: v[0] for n, v in tree(path).items() if n not in before}
    assert set(new) - {"_versions/latest_version_hint.json"} == {
        n for n in new if n.startswith(("_versions/", "_transactions/"))} and len(new) in (2, 3), new
    written = sum(size for n, size in new.items() if not n.endswith(".json"))
    planned = plan["metadata_bytes"]["manifest_after"] + plan["metadata_bytes"]["transaction"]
    assert abs(written - planned) <= 64, (written, plan)


@pytest.mark.parametrize("name", ["before/indices_stale", "before/emptied_table", "before/manifest_paths_v1"])
def test_a_second_migration_does_nothing(copy, name):
    path = copy(SOURCES[name])
    first = done("migrate", path, "--json")
    before = tree(path)
    second = done("migrate", path, "--json")
    assert not second["migrated"] and second["from_version"] == second["to_version"] == first["to_version"]
    for options in (["--dry-run"], ["--ids", "consecutive"], ["--all-branches"], ["--lineage", "none"]):
        assert run("migrate", path, *options).code == 0
    assert "nothing to do" in done("migrate", path).lower()
    assert tree(path) == before


@pytest.mark.parametrize("name", [n for n in tables.DATASETS if ".stable." in n][:12])
def test_a_stable_table_is_left_alone(copy, name):
    path = copy(tables.DATASETS[name])
    before = tree(path)
    assert not done("migrate", path, "--json")["migrated"]
    assert tree(path) == before


def rows(keys):
    return pa.table({"k": pa.array(keys, pa.int64()), "g": pa.array([k % 10 for k in keys], pa.int32())})


def make_branched(path):
    main = lance.write_dataset(rows(range(40)), path, max_rows_per_file=15)
    branch = main.create_branch("feature/one")
    branch = lance.write_dataset(rows(range(40, 50)), branch, mode="append")
    branch.delete("k = 2")
    lance.dataset(path).create_branch("second")
    lance.write_dataset(rows(range(100, 105)), path, mode="append")
    return path


def open_branch(path, name):
    return lance.dataset(path) if name is None else lance.dataset(path).checkout_version((name, None))


def ids_of(dataset):
    table = dataset.to_table(columns=["k"], with_row_id=True)
    return dict(zip(table.column("k").to_pylist(), table.column("_rowid").to_pylist()))


@pytest.mark.parametrize("all_branches", [False, True])
def test_branches(tmp_path, all_branches):
    path = make_branched(str(tmp_path / "branched.lance"))
    names = [None, "feature/one", "second"]
    before = {name: ids_of(open_branch(path, name)) for name in names}
    done("migrate", path, *(["--all-branches"] if all_branches else []), "--json")
    for name in names:
        dataset = open_branch(path, name)
        assert dataset.has_stable_row_ids == (all_branches or name is None), name
        assert ids_of(dataset) == before[name], name
        assert ids_of(open_branch(path, name)) == before[name]
        if dataset.has_stable_row_ids:
            dataset.validate()
            written = lance.write_dataset(rows([900]), dataset, mode="append")
            now = ids_of(open_branch(path, name))
            assert {k: now[k] for k in before[name]} == before[name]
            assert now[900] > max(before[name].values())
            written.update({"g": "3"}, where="k = 5")
            assert ids_of(open_branch(path, name))[5] == before[name][5]


def test_one_branch_alone(tmp_path):
    path = make_branched(str(tmp_path / "branched.lance"))
    before = ids_of(open_branch(path, "feature/one"))
    done("migrate", path, "--branch", "feature/one", "--json")
    assert not lance.dataset(path).has_stable_row_ids and not open_branch(path, "second").has_stable_row_ids
    dataset = open_branch(path, "feature/one")
    assert dataset.has_stable_row_ids and ids_of(dataset) == before
    dataset.validate()


def make_with_reuse_index(path, indexed_before):
    """A table with a fragment reuse index; with an index whose entries need it, or without any."""
    lance.write_dataset(rows(range(60)), path, max_rows_per_file=10)
    lance.dataset(path).create_scalar_index("k", "BTREE", name="k_idx")
    lance.dataset(path).delete("k IN (3, 33)")
    lance.dataset(path).optimize.compact_files(target_rows_per_fragment=30, defer_index_remap=True)
    if not indexed_before:
        lance.dataset(path).drop_index("k_idx")
    return path


def test_an_index_that_needs_the_reuse_index_is_in_the_way(tmp_path):
    path = make_with_reuse_index(str(tmp_path / "reuse.lance"), True)
    assert "__lance_frag_reuse" in index_names(path)
    before = tree(path)
    refusal = run("migrate", path)
    assert refusal.code == FAILED and "k_idx" in refusal.error_line()
    assert "--drop-broken-indexes" in refusal.err
    plan = run("migrate", path, "--dry-run")
    assert "k_idx" in plan.out + plan.err
    assert tree(path) == before
    assert done("migrate", path, "--drop-broken-indexes", "--json")["migrated"]
    assert index_names(path) == set()
    go_on(path)


def test_a_reuse_index_alone_is_dropped(tmp_path):
    """Case 6: bookkeeping that nobody made must not be in the way, and must not survive."""
    path = make_with_reuse_index(str(tmp_path / "reuse.lance"), False)
    assert done("migrate", path, "--json")["migrated"]
    assert "__lance_frag_reuse" not in index_names(path)
    go_on(path)


def test_an_index_made_after_the_compaction_survives_the_reuse_index(tmp_path):
    path = make_with_reuse_index(str(tmp_path / "reuse.lance"), True)
    lance.dataset(path).create_scalar_index("g", "BITMAP", name="g_idx")
    lance.dataset(path).drop_index("k_idx")
    assert done("migrate", path, "--json")["migrated"]
    assert index_names(path) == {"g_idx"}
    for g in range(10):
        assert_filter(path, f"g = {g}")
    go_on(path)


def assert_filter(path, text):
    dataset = lance.dataset(path)
    with_index, without = (sorted(dataset.scanner(columns=["k"], filter=text, use_scalar_index=use).to_table()
                                  .column("k").to_pylist()) for use in (True, False))
    assert with_index == without, text


def go_on(path):
    """The reference engine writes on, and every old row keeps its id."""
    before = ids_of(lance.dataset(path))
    lance.write_dataset(rows([1000, 1001]), path, mode="append")
    lance.dataset(path).update({"g": "5"}, where="k < 5")
    lance.dataset(path).optimize.compact_files()
    dataset = lance.dataset(path)
    dataset.validate()
    after = ids_of(dataset)
    assert {k: after[k] for k in before} == before and min(after[1000], after[1001]) > max(before.values())
    for k in after:
        assert_filter(path, f"k = {k}")


INDEX_KINDS = [("k", "BTREE"), ("g", "BITMAP"), ("tags", "LABEL_LIST"), ("words", "INVERTED"), ("words", "NGRAM"),
               ("k", "ZONEMAP"), ("k", "BLOOMFILTER")]
QUERIES = {"k": ["k = {0}", "k >= {0} AND k < {1}"], "g": ["g = 3", "g IN (1, 7)"],
           "tags": ["array_has_any(tags, ['t1'])", "array_has_all(tags, ['t2', 't0'])"],
           "words": ["contains(words, 'alpha1')", "contains(words, 'beta')"]}


@pytest.mark.parametrize("column, kind", INDEX_KINDS)
def test_every_kind_of_index_answers_as_before(tmp_path, column, kind):
    """An index from before holds addresses; with ids = addresses it stays right, through everything that follows."""
    path = str(tmp_path / "indexed.lance")
    names = ["alpha", "beta", "gamma"]

    def wide(keys):
        return rows(keys).append_column("tags", pa.array([[f"t{k % 3}", f"t{k % 5}"] for k in keys])).append_column(
            "words", pa.array([f"{names[k % 3]}{k % 7} word{k}" for k in keys]))
    lance.write_dataset(wide(range(90)), path, max_rows_per_file=20)
    lance.dataset(path).delete("k IN (4, 44)")
    lance.dataset(path).create_scalar_index(column, kind, name="old")
    assert done("migrate", path, "--json")["migrated"]

    def check(when):
        dataset = lance.dataset(path)
        for text in QUERIES[column]:
            for low in (0, 25, 61, 88):
                text_now = text.format(low, low + 20)
                answers = [sorted(dataset.scanner(columns=["_rowid", "k"], filter=text_now, use_scalar_index=use)
                                  .to_table().to_pylist(), key=str) for use in (True, False)]
                assert answers[0] == answers[1], (when, text_now)
    check("right after")
    lance.dataset(path).delete("k = 61")
    check("after a delete")
    lance.write_dataset(wide(range(200, 215)), path, mode="append")
    lance.dataset(path).update({"g": "3"}, where="k % 9 = 0")
    check("after an append and an update")
    lance.dataset(path).optimize.optimize_indices()
    check("after optimize_indices")
    lance.dataset(path).optimize.compact_files()
    check("after a compaction")
    lance.dataset(path).optimize.optimize_indices()
    check("after both")
    lance.dataset(path).validate()


def test_a_handle_from_before_may_not_commit_a_stale_index(tmp_path):
    """After the engine's own migration an index built by a handle from before commits and finds 5 of 15 rows."""
    path = str(tmp_path / "stale.lance")
    lance.write_dataset(rows(range(15)), path, max_rows_per_file=5)
    handle = lance.dataset(path)
    assert done("migrate", path, "--ids", "consecutive", "--json")["migrated"]
    with pytest.raises(Exception, match="(?i)retry|conflict"):
        handle.create_scalar_index("k", "BTREE", name="stale")
    assert index_names(path) == set()
    lance.dataset(path).create_scalar_index("k", "BTREE", name="fresh")
    for k in range(15):
        assert_filter(path, f"k = {k}")
        assert lance.dataset(path).count_rows(f"k = {k}") == 1


def test_a_table_that_was_stable_once(tmp_path):
    """Its counter is above 0, so addresses might be ids that were handed out: refused, with the way out."""
    import manifest_bytes
    path = tmp_path / "once.lance"
    lance.write_dataset(rows(range(10)), str(path), max_rows_per_file=5)
    file = manifest_bytes.newest(path)
    raw = open(file, "rb").read()
    open(file, "wb").write(manifest_bytes.rewrite(raw, {14: manifest_bytes.field(14, 77)}))
    before = tree(path)
    refusal = run("migrate", path)
    assert refusal.code == FAILED and "consecutive" in refusal.error_line()
    assert tree(path) == before
    report = done("migrate", path, "--ids", "consecutive", "--json")
    assert report["next_row_id"] == 87
    assert list(ids_of(lance.dataset(str(path))).values()) == list(range(77, 87))
    go_on(str(path))


def test_every_commit_is_its_own_and_leaves_no_staging_file(copy):
    path = copy(SOURCES["before/history"])
    done("migrate", path)
    assert [n for n in tree(path) if "#" in n or "tmp" in n] == []
    done("verify", path)
