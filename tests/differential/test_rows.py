"""Rows that the program reads, judged by the reference engine: whole tables, parts of them, single rows by where they lie
and by their ids."""
import os
import random

import golden
import lance
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import tables
from filter_language import make_table
from program import done, run
from random_columns import RandomColumns
from same_rows import difference, schema_difference

SEEDS = int(os.environ.get("PENNON_ROWS_SEEDS", "25"))
FIRST_SEED = int(os.environ.get("PENNON_ROWS_FIRST_SEED", "1"))
ALL_VERSIONS = [name for name in tables.DATASETS if name.split(".")[0] in (
    "add_columns", "compact_unsorted", "nested_evolution", "restore", "types_nulls", "update_twice", "versions_mixed")]


@pytest.fixture
def rows(tmp_path):
    """rows(verb, path, ...): what the program writes, as a table."""
    out = tmp_path / "rows.arrow"

    def read(*arguments, **options):
        result = run(*arguments, "--format", "arrow-file", "-o", out, **options)
        assert result.code == 0 and result.out == "", f"{arguments}: exit {result.code}: {result.err} {result.out}"
        with pa.ipc.open_file(out) as file:
            return file.read_all()
    return read


def system_options(dataset):
    return ["--with-row-id", "--with-row-address"] + (["--with-row-versions"] if dataset.has_stable_row_ids else [])


def system_columns(dataset):
    return golden.STABLE_COLS if dataset.has_stable_row_ids else golden.PLAIN_COLS


def reference(dataset, **options):
    """Every column and the system columns, as the reference engine reads them."""
    names = [f.name for f in dataset.schema] + system_columns(dataset)
    columns = [golden.quote(f.name) for f in dataset.schema] + system_columns(dataset)
    table = dataset.scanner(columns=columns, scan_in_order=True, **options).to_table()
    return table.rename_columns(names).replace_schema_metadata(table.schema.metadata)


def written(numbers, tmp_path):
    """A file of numbers, as an argument."""
    path = tmp_path / "numbers.txt"
    path.write_text("\n".join(map(str, numbers)))
    return f"@{path}"


# Whole tables ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", tables.DATASETS)
def test_newest_version(name, rows):
    path = tables.DATASETS[name]
    dataset = lance.dataset(str(path))
    want = reference(dataset)
    got = rows("scan", path, *system_options(dataset))
    assert difference(got, want) is None
    assert schema_difference(got.schema, want.schema) is None
    assert int(done("count", path)) == dataset.count_rows() == got.num_rows
    first = rows("head", path, "-n", 3, "--with-row-id")
    assert difference(first, want.select(first.column_names).slice(0, 3)) is None


@pytest.mark.parametrize("name", ALL_VERSIONS)
def test_every_version(name, rows):
    path = tables.DATASETS[name]
    for number in [version["version"] for version in lance.dataset(str(path)).versions()]:
        dataset = lance.dataset(str(path), version=number)
        want = reference(dataset)
        got = rows("scan", path, "--version", number, *system_options(dataset))
        assert difference(got, want) is None, f"version {number}: {difference(got, want)}"
        assert schema_difference(got.schema, want.schema) is None, f"version {number}"
        assert int(done("count", path, "--version", number)) == got.num_rows


def test_tags_and_branches(rows, tmp_path):
    path = tmp_path / "t.lance"
    dataset = lance.write_dataset(pa.table({"k": [1, 2, 3]}), path)
    dataset.tags.create("first", 1)
    dataset.create_branch("side")
    lance.write_dataset(pa.table({"k": [4]}), dataset.checkout_version(("side", None)), mode="append")
    dataset.delete("k = 2")
    assert rows("scan", path)["k"].to_pylist() == [1, 3]
    assert rows("scan", path, "--version", "first")["k"].to_pylist() == [1, 2, 3]
    assert rows("scan", path, "--branch", "side")["k"].to_pylist() == [1, 2, 3, 4]
    assert done("count", path, "--branch", "side", "--json") == {"version": 2, "count": 4}


@pytest.mark.parametrize("name", [name for name in tables.DATASETS if "blob" in name])
def test_blobs(name, rows):
    """As descriptors unless their bytes are wanted."""
    path = tables.DATASETS[name]
    dataset = lance.dataset(str(path))
    want = dataset.scanner(columns=["k", "b"], scan_in_order=True, blob_handling="all_descriptions").to_table()
    got = rows("scan", path, "--columns", "k,b")
    assert difference(got, want) is None
    assert schema_difference(got.schema, want.schema) is None
    want = dataset.scanner(columns=["k", "b"], scan_in_order=True, blob_handling="all_binary").to_table()
    got = rows("scan", path, "--columns", "k,b", "--blob-bytes")
    assert difference(got, want) is None
    some = [want.num_rows - 1, 0, 1, 1]
    got = rows("take", path, "--offsets", ",".join(map(str, some)), "--columns", "k,b", "--blob-bytes")
    assert difference(got, want.take(some)) is None


# Parts of a table -----------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def many_types(tmp_path_factory):
    """Every type that filters know, in five fragments with deleted and updated rows, with stable row ids."""
    path = tmp_path_factory.mktemp("rows") / "types.lance"
    dataset = lance.write_dataset(make_table(3), path, max_rows_per_file=50, enable_stable_row_ids=True)
    dataset.delete("id % 7 = 3 or id between 60 and 64")
    dataset.update({"i32": "5"}, where="id % 11 = 1")
    return path


PROJECTIONS = ["id", "s,id", "st.a", "st.b.c,st", "st.b,st.a,id", "_rowid", "v,_rowaddr,k", "_row_created_at_version,l",
               "`Odd name`,order", "st,st.b.c", "n,tz,w"]


@pytest.mark.parametrize("columns", PROJECTIONS)
def test_projections(columns, many_types, rows):
    want = lance.dataset(many_types).scanner(columns=columns.split(","), scan_in_order=True).to_table()
    got = rows("scan", many_types, "--columns", columns)
    assert difference(got, want) is None
    assert schema_difference(got.schema, want.schema) is None
    # Named and asked for by an option: once, where it is named.
    both = rows("scan", many_types, "--columns", columns, "--with-row-id")
    assert both.column_names == want.column_names + ([] if "_rowid" in want.column_names else ["_rowid"])


def test_options_before_and_after_the_table(many_types, rows):
    want = rows("scan", many_types, "--columns", "id,s")
    assert difference(rows("scan", "--columns", "id,s", many_types), want) is None
    assert difference(rows("scan", "--columns", "id", "--columns", "s", many_types), want) is None
    want = rows("scan", many_types, "--fragments", "1,0")
    assert difference(rows("scan", "--fragments", "1,0", many_types), want) is None
    assert difference(rows("scan", "--fragments", "1", "--fragments", "0", many_types), want) is None
    assert int(done("count", "--fragments", "1,0", many_types)) == want.num_rows


@pytest.mark.parametrize("name", [name for name in tables.DATASETS if name.startswith(("nested", "packed"))])
def test_nested_paths_of_reference_tables(name, rows):
    path = tables.DATASETS[name]
    dataset = lance.dataset(str(path))
    paths = []

    def collect(field, prefix):
        paths.append(prefix + field.name)
        if pa.types.is_struct(field.type):
            for child in field.type:
                collect(child, prefix + field.name + ".")
    for field in dataset.schema:
        collect(field, "")
    whole = dataset.scanner(columns=dataset.schema.names, scan_in_order=True).to_table()
    for chosen in [paths, paths[::-1]] + [[path] for path in paths]:
        # Not by its projection: the engine 14.0.2 gives wrong values for parts of packed structs.
        parts = [[whole[p.split(".")[0]], *p.split(".")[1:]] for p in chosen]
        want = pa.table([pc.struct_field(root, names) if names else root for root, *names in parts], names=chosen)
        got = rows("scan", path, "--columns", ",".join(chosen))
        assert difference(got, want) is None, f"{chosen}: {difference(got, want)}"
    if name.startswith("packed"):
        got = rows("scan", path, "--columns", "k,p.b", "--where", "p.a > 100 and p.b < 90")
        keep = pc.and_(pc.greater(pc.struct_field(whole["p"], "a"), 100), pc.less(pc.struct_field(whole["p"], "b"), 90))
        assert got["k"].to_pylist() == whole.filter(keep)["k"].to_pylist()


FILTERS = ["id < 10", "id >= 100 and s is not null", "st.b.c = 'x'", "i32 = 5", "s like 'a%' or t = 'abc'", "k = 'abc'",
           "_rowid < 20 or _rowid in (100, 101, 225)", "_rowaddr >= 8589934592 and b", "f64 > 1 and l is not null", "id < 0",
           "not (tz > timestamp '2000-01-01T00:00:00Z')", "`Odd name` = 1", "_row_last_updated_at_version > 1"]
WINDOWS = [(None, 0), (0, 0), (1, 0), (7, 0), (7, 5), (1000, 0), (None, 20), (5, 1000), (100, 35)]


@pytest.mark.parametrize("where", FILTERS)
def test_filters_with_limit_and_offset(where, many_types, rows):
    columns = ["id", "s", "st", "v", "_rowid", "_rowaddr"]
    want = lance.dataset(many_types).scanner(columns=columns, filter=where, scan_in_order=True).to_table()
    chosen = ["--columns", ",".join(columns), "--where", where]
    got = rows("scan", many_types, *chosen)
    assert difference(got, want) is None
    assert done("count", many_types, "--where", where, "--json")["count"] == want.num_rows
    rng = random.Random(where)
    for limit, offset in rng.sample(WINDOWS, 3):
        options = ["--offset", offset] + ([] if limit is None else ["--limit", limit])
        part = rows("scan", many_types, *chosen, *options, "--batch-rows", rng.choice([1, 7, 1000]))
        assert difference(part, want.slice(offset, limit)) is None, f"{limit}, {offset}: {difference(part, want.slice(offset, limit))}"


@pytest.mark.parametrize("name", tables.there("delete_few.plain.v2_1", "delete_bitmap.stable.v2_1", "tiny_fragments_200.stable.v2_1",
                                              "compact_holes.stable.v2_1", "delete_all.plain.v2_1"))
def test_a_limit_counts_rows_that_are_there(name, rows):
    path = tables.DATASETS[name]
    want = reference(lance.dataset(str(path)))
    keys = want.select(["k", "_rowid"])
    rng = random.Random(name)
    windows = [(0, 0), (1, 0), (5, 0), (want.num_rows, 0), (want.num_rows + 10, 3)]
    windows += [(rng.randint(1, 80), rng.randint(0, max(0, want.num_rows - 1))) for _ in range(6)]
    for limit, offset in windows:
        got = rows("scan", path, "--columns", "k,_rowid", "--limit", limit, "--offset", offset)
        assert difference(got, keys.slice(offset, limit)) is None, f"limit {limit}, offset {offset}"
    for limit in (0, 1, 12):
        assert difference(rows("head", path, "-n", limit, "--columns", "k,_rowid"), keys.slice(0, limit)) is None
    assert rows("head", path).num_rows == min(10, want.num_rows)


def test_fragments(many_types, rows):
    dataset = lance.dataset(many_types)
    fragments = {f.fragment_id: f.scanner(columns=["id", "s"]).to_table() for f in dataset.get_fragments()}
    numbers = sorted(fragments)
    for chosen in ([numbers[0]], [numbers[-1]], [numbers[2], numbers[0]], numbers[::-1], numbers):
        got = rows("scan", many_types, "--columns", "id,s", "--fragments", ",".join(map(str, chosen)))
        want = pa.concat_tables([fragments[number] for number in chosen])
        assert difference(got, want) is None, chosen
        assert done("count", many_types, "--fragments", ",".join(map(str, chosen)), "--json")["count"] == want.num_rows
    for where in ("id % 2 = 0", "_rowid > 3"):
        parts = [f.scanner(columns=["id"], filter=where).to_table() for f in dataset.get_fragments() if f.fragment_id in (1, 3)]
        got = rows("scan", many_types, "--columns", "id", "--fragments", "1,3", "--where", where)
        assert difference(got, pa.concat_tables(parts)) is None
        assert int(done("count", many_types, "--fragments", "1,3", "--where", where)) == got.num_rows


def test_batches_and_unordered_rows(many_types, tmp_path):
    want = reference(lance.dataset(many_types))
    out = tmp_path / "batches.arrow"
    for batch in (1, 13, 1000, 2**40):
        done("scan", many_types, *system_options(lance.dataset(many_types)), "--batch-rows", batch, "-o", out)
        with pa.ipc.open_file(out) as file:
            assert max(file.get_batch(i).num_rows for i in range(file.num_record_batches)) <= batch
            assert difference(file.read_all(), want) is None
    for more in ([], ["--batch-rows", 7], ["--where", "id % 3 = 1"]):
        done("scan", many_types, *system_options(lance.dataset(many_types)), "--unordered", *more, "-o", out)
        with pa.ipc.open_file(out) as file:
            got = file.read_all()
        wanted = want if "--where" not in more else reference(lance.dataset(many_types), filter="id % 3 = 1")
        order = pc.sort_indices(got["_rowaddr"])
        by_address = wanted.take(pc.sort_indices(wanted["_rowaddr"]))
        assert difference(got.take(order), by_address) is None
    for limit in (1, 9, 500):  # any rows, but no more and each once
        done("scan", many_types, "--columns", "_rowid", "--unordered", "--limit", limit, "-o", out)
        with pa.ipc.open_file(out) as file:
            ids = file.read_all()["_rowid"].to_pylist()
        assert len(ids) == len(set(ids)) == min(limit, want.num_rows) and set(ids) <= set(want["_rowid"].to_pylist())


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_fragments_with_other_dictionaries(version, rows, tmp_path):
    """Each fragment has a dictionary of its own, the first none at all; files of Arrow have one for the whole column."""
    path = tmp_path / "t.lance"
    kind = pa.dictionary(pa.int8(), pa.string())
    for words in ([None, None], ["red", None], ["blue", "red"], ["", "green"], ["blue", None]):
        column = pa.array(words, pa.string()).dictionary_encode().cast(kind)
        part = pa.table({"w": column, "s": pa.StructArray.from_arrays([column], names=["w"])})
        dataset = lance.write_dataset(part, path, mode="append" if path.exists() else "create", data_storage_version=version)
    want = [None, None, "red", None, "blue", "red", "", "green", "blue", None]
    assert dataset.to_table()["w"].to_pylist() == want
    for batch in (1, 100):
        got = rows("scan", path, "--batch-rows", batch)
        assert got.schema.field("w").type == kind
        assert got["w"].to_pylist() == want and [row["w"] for row in got["s"].to_pylist()] == want
    assert rows("scan", path, "--where", "w = 'blue' or w = 'red'")["w"].to_pylist() == ["red", "blue", "red", "blue"]
    got = rows("take", path, "--offsets", "9,8,7,2,1,2,0,4")
    assert got["w"].to_pylist() == [want[i] for i in (9, 8, 7, 2, 1, 2, 0, 4)]
    printed = run("scan", path, "--format", "arrow", as_bytes=True).out
    assert pa.ipc.open_stream(printed).read_all()["w"].to_pylist() == want


ODD_NAMES = ["a,b", "with space", "[x]", "line\nfeed", "select", "1st", "-dash", "日本", "it's", 'quo"te', "UPPER", "_state"]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_of_columns(name, rows, tmp_path):
    path = tmp_path / "t.lance"
    dataset = lance.write_dataset(pa.table({name: [1, 2, 3], "st": [{name: i} for i in (4, 5, 6)]}), path, enable_stable_row_ids=True)
    quoted = f"`{name}`"
    for columns in ([quoted], [f"st.{quoted}"], [f"st.{quoted}", quoted]):
        want = dataset.scanner(columns=columns).to_table()
        assert difference(rows("scan", path, "--columns", ",".join(columns)), want) is None
    where = f"{quoted} >= 2 and st.{quoted} < 6"
    assert rows("scan", path, "--where", where)[name].to_pylist() == [2]
    assert rows("take", path, "--ids", "0,2,1", "--where", where)[name].to_pylist() == [2]
    assert rows("scan", path).column_names == [name, "st"]


# Random tables --------------------------------------------------------------------------------------------------------
CHANGES = [lambda d: d.delete("k % 7 = 3"), lambda d: d.delete("k < 5"), lambda d: d.update({"k": "k + 100000"}, where="k % 5 = 1"),
           lambda d: d.optimize.compact_files(), lambda d: d.add_columns({"added": "k * 2"}),
           lambda d: d.delete("k >= 400 and k < 1000"), lambda d: d.update({"k": "k + 1000000"}, where="k % 3 = 0")]


def random_table(seed, version, path):
    """Writes a table of random columns and a key `k` in several appends, some of slices of a larger table, then deletes,
    updates and compacts. The handle, or None if the engine refuses the data."""
    choice = random.Random(f"{seed} {version}")
    columns = RandomColumns(seed, version)
    count = choice.choice([0, 1, 7, 100, 1023, 1025, 2500])
    table = columns.table(count).append_column("k", pa.array(range(count), pa.int64()))
    table = table.replace_schema_metadata({"made by": f"seed {seed}"} if choice.random() < 0.3 else None)
    # The writer of 14.0.2 fails on slices of nested nulls: those are copied.
    is_sliced = not any(pa.types.is_nested(f.type) for f in table.schema)
    cuts = sorted({0, count, *(choice.randint(0, count) for _ in range(choice.randint(0, 3)))})
    per_file = choice.choice([max(1, count // 3), max(1, count // 40), 700, 1 << 20])
    try:
        for begin, end in zip(cuts, cuts[1:]) if count else [(0, 0)]:
            part = table.slice(begin, end - begin)
            dataset = lance.write_dataset(part if is_sliced else part.take(pa.array(range(len(part)), pa.int64())), path, data_storage_version=version,
                                          mode="append" if begin else "create", max_rows_per_file=per_file,
                                          enable_stable_row_ids=seed % 2 == 0)
    except BaseException:  # its panics are no Exceptions
        return None
    for change in choice.sample(CHANGES, choice.choice([0, 1, 2, 3])):
        try:
            change(dataset)
        except BaseException:
            pass
    return lance.dataset(path)


def answered(ask):
    """What the reference engine answers; None if it fails, as it does on some of its own files."""
    try:
        return ask()
    except BaseException:
        return None


def check_scans(path, dataset, want, choice, rows):
    got = rows("scan", path, *system_options(dataset), "--batch-rows", choice.choice([1 if len(want) < 50 else 40, 1024, 100_000]))
    assert difference(got, want) is None, f"scan: {difference(got, want)}"
    assert schema_difference(got.schema, want.schema) is None, f"scan: {schema_difference(got.schema, want.schema)}"
    columns = choice.sample(want.column_names, choice.randint(1, want.num_columns))
    for field in dataset.schema:
        if pa.types.is_struct(field.type) and b"lance-encoding:packed" not in (field.metadata or {}) and choice.random() < 0.5:
            columns.append(f"{field.name}.{choice.choice(list(field.type)).name}")
    nulls = [f"{name} is {word}null" for name in dataset.schema.names for word in ("", "not ")]
    where = choice.choice(["k % 2 = 0", "k > 300", "k in (0, 3, 6, 9, 900)", "_rowid % 3 = 1", "k < 100 or k % 13 = 5", *nulls])
    wanted = answered(lambda: dataset.scanner(columns=columns, filter=where, scan_in_order=True).to_table())
    if wanted is not None:
        limit, offset = choice.choice([1, 50, 10_000]), choice.choice([0, 0, 3, 200])
        got = rows("scan", path, "--columns", ",".join(columns), "--where", where, "--limit", limit, "--offset", offset)
        wanted = wanted.slice(offset, limit)
        assert difference(got, wanted) is None, f"{columns} where {where}: {difference(got, wanted)}"


def check_takes(path, dataset, want, choice, rows, tmp_path):
    if want.num_rows == 0:
        return
    chosen = [choice.randrange(want.num_rows) for _ in range(choice.choice([1, 3, 50, 400]))]
    names = choice.sample(want.column_names, choice.randint(1, want.num_columns))
    wanted = want.select(names).take(chosen)
    for kind, numbers in (("--offsets", chosen), ("--addresses", want["_rowaddr"].take(chosen).to_pylist()),
                          ("--ids", want["_rowid"].take(chosen).to_pylist())):
        got = rows("take", path, kind, written(numbers, tmp_path), "--columns", ",".join(names))
        assert difference(got, wanted) is None, f"take {kind}: {difference(got, wanted)}"
        assert schema_difference(got.schema, wanted.schema) is None
    plain = [name for name in names if name not in golden.STABLE_COLS]
    if plain:
        alone = rows("take", path, "--addresses", written(want["_rowaddr"].take(chosen).to_pylist(), tmp_path), "--columns", ",".join(plain))
        assert difference(alone, wanted.select(plain)) is None, f"take, no system column: {difference(alone, wanted.select(plain))}"
        # The engine's own takes.
        for ask in (lambda: dataset.take(chosen, columns=plain), lambda: dataset._take_rows(numbers, columns=plain)):
            theirs = answered(ask)
            if theirs is not None and theirs.num_rows == len(chosen) and theirs.column_names == plain:
                assert difference(got.select(plain), theirs) is None, f"the engine's take: {difference(got.select(plain), theirs)}"
    asked, expected = [], []
    dead = [2**63, 2**40 + 7, max(want["_rowid"].to_pylist()) + 1]
    for number, row in zip(numbers, chosen):
        asked.append(number)
        expected.append(row)
        if choice.random() < 0.3:
            asked.append(choice.choice(dead))
            expected.append(None)
    got = rows("take", path, "--ids", written(asked, tmp_path), "--aligned", "--columns", ",".join(names))
    assert got["_asked_rowid"].to_pylist() == asked
    assert [state == "live" for state in got["_state"].to_pylist()] == [row is not None for row in expected]
    aligned = want.select(names).take(pa.array(expected, pa.int64()))
    aligned = pa.table(aligned.columns, schema=pa.schema([f.with_nullable(True) for f in aligned.schema]))
    assert difference(got.drop_columns(["_asked_rowid", "_state"]), aligned) is None, "aligned"


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_random_tables(version, rows, tmp_path):
    read = 0
    for seed in range(FIRST_SEED, FIRST_SEED + SEEDS):
        path = tmp_path / f"{seed}.lance"
        dataset = random_table(seed, version, path)
        want = None if dataset is None else answered(lambda: golden.tidy(reference(dataset)))
        if want is None:
            continue
        choice = random.Random(seed)
        try:
            check_scans(path, dataset, want, choice, rows)
            check_takes(path, dataset, want, choice, rows, tmp_path)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, version {version}, {dataset.schema.remove_metadata()}: {error}") from None
        read += 1
    assert read >= SEEDS // 2, "the reference engine refused nearly everything"
