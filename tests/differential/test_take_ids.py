"""`take`: rows by their ids, compact or position-true, over deletes, updates and compactions; and by where they lie."""
import csv
import json
import random

import lance
import pyarrow as pa
import pyarrow.parquet
import pytest
from program import FAILED, USAGE, done, run
from same_rows import difference

COUNT = 300
MANY = 200_000


def keyed(count):
    return pa.table({"k": pa.array(range(count), pa.int64()), "s": pa.array([None if i % 9 == 0 else f"row {i}" for i in range(count)]),
                     "st": pa.array([{"x": i * 2, "y": [i, i + 1]} for i in range(count)])})


def worn(path, is_stable):
    """A table with a past: three fragments, the first compacted after a delete, then more deletes and an update."""
    dataset = lance.write_dataset(keyed(COUNT), path, max_rows_per_file=100, enable_stable_row_ids=is_stable)
    dataset.delete("k between 10 and 19")
    dataset.optimize.compact_files(target_rows_per_fragment=90, materialize_deletions_threshold=0.05)
    dataset.delete("k between 150 and 159 or k = 299")
    dataset.update({"s": "'updated'"}, where="k % 10 = 5")
    return path


@pytest.fixture(scope="module")
def stable(tmp_path_factory):
    return worn(tmp_path_factory.mktemp("take") / "stable.lance", True)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return worn(tmp_path_factory.mktemp("take") / "plain.lance", False)


@pytest.fixture(params=["stable", "plain"])
def table(request):
    return request.getfixturevalue(request.param)


class Takes:
    """One table: what a take should give, by what the reference engine scans."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        self.all = lance.dataset(path).scanner(columns=["k", "s", "st", "_rowid", "_rowaddr"], scan_in_order=True).to_table()
        self.row_of = {row_id: row for row, row_id in enumerate(self.all["_rowid"].to_pylist())}

    def take(self, *arguments, **options):
        """(rows, standard error) of a take that goes well."""
        out = self.folder / "taken.arrow"
        result = run("take", self.path, *arguments, "--columns", "k,s,st,_rowid,_rowaddr", "-o", out, **options)
        assert result.code == 0 and result.out == "", f"{arguments}: exit {result.code}: {result.err}"
        with pa.ipc.open_file(str(out)) as file:
            return file.read_all(), result.err

    def wanted(self, ids):
        return self.all.take([self.row_of[i] for i in ids if i in self.row_of])

    def states(self, ids):
        """What locate says of ids."""
        return [row["state"] for row in done("locate", self.path, "--ids", ",".join(map(str, ids)), "--json")["rows"]]


@pytest.fixture
def takes(table, tmp_path):
    return Takes(table, tmp_path)


def mixed_ids(takes, rng, count):
    """Ids of every kind in any order, some twice."""
    live = list(takes.row_of)
    other = [12, 155, 299, 5, COUNT, 2**31, 2**32 - 1, 2**32 + 99, 2**32 + 55, 2**33 + 99, 2**40, 2**63, 2**64 - 1]
    return [rng.choice(live if rng.random() < 0.7 else other) for _ in range(count)]


def test_ids_compact(takes):
    rng = random.Random(1)
    for count in (1, 10, 200):
        ids = mixed_ids(takes, rng, count)
        got, note = takes.take("--ids", ",".join(map(str, ids)))
        assert difference(got, takes.wanted(ids)) is None
        missing = [(i, state) for i, state in zip(ids, takes.states(ids)) if state != "live"]
        assert len(ids) - len(missing) == got.num_rows
        if not missing:
            assert note == ""
            continue
        named = ", ".join(f"{i} ({state})" for i, state in missing[:5]) + (", ..." if len(missing) > 5 else "")
        assert note == f"pennon: note: {len(missing)} of {count} ids have no row: {named}\n"


@pytest.mark.parametrize("name", ["missing.txt", "missing.csv", "missing.jsonl", "missing.parquet"])
def test_missing_ids_in_a_file(takes, name, tmp_path):
    ids = mixed_ids(takes, random.Random(2), 100)
    path = tmp_path / name
    got, note = takes.take("--ids", ",".join(map(str, ids)), "--missing", path)
    assert note == "" and difference(got, takes.wanted(ids)) is None
    want = [(position, i, state) for position, (i, state) in enumerate(zip(ids, takes.states(ids))) if state != "live"]
    if name.endswith("jsonl"):
        found = [tuple(json.loads(line).values()) for line in path.read_text().splitlines()]
    elif name.endswith("parquet"):
        found = [tuple(row.values()) for row in pyarrow.parquet.read_table(path).to_pylist()]
    else:
        header, *lines = csv.reader(path.read_text().splitlines())
        assert header == ["position", "row_id", "state"]
        found = [(int(position), int(i), state) for position, i, state in lines]
    assert found == want


def test_no_missing_ids_make_an_empty_list(takes, tmp_path):
    path = tmp_path / "missing.csv"
    takes.take("--ids", str(next(iter(takes.row_of))), "--missing", path)
    assert path.read_text() == "position,row_id,state\n"


def test_ids_aligned(takes):
    rng = random.Random(3)
    for count in (0, 1, 13, 250):
        ids = mixed_ids(takes, rng, count)
        got, note = takes.take("--ids", ",".join(map(str, ids)), "--aligned")
        assert note == ""
        assert got.column_names == ["_asked_rowid", "_state", *takes.all.column_names]
        assert got["_asked_rowid"].to_pylist() == ids
        assert got["_state"].to_pylist() == (takes.states(ids) if ids else [])
        want = takes.all.take(pa.array([takes.row_of.get(i) for i in ids], pa.int64()))
        assert difference(got.drop_columns(["_asked_rowid", "_state"]), want) is None


def test_ids_with_a_filter(takes):
    ids = mixed_ids(takes, random.Random(4), 150)
    where = "k % 2 = 1 and s is not null"
    passing = set(lance.dataset(takes.path).scanner(columns=["_rowid"], filter=where).to_table()["_rowid"].to_pylist())
    got, note = takes.take("--ids", ",".join(map(str, ids)), "--where", where)
    assert difference(got, takes.wanted([i for i in ids if i in passing])) is None
    assert f"{150 - got.num_rows} of 150 ids have no row" in note
    got, _ = takes.take("--ids", ",".join(map(str, ids)), "--where", where, "--aligned")
    states = [s if s != "live" or i in passing else "filtered out" for i, s in zip(ids, takes.states(ids))]
    assert got["_state"].to_pylist() == states and "filtered out" in states
    want = takes.all.take(pa.array([takes.row_of[i] if i in passing else None for i in ids], pa.int64()))
    assert difference(got.drop_columns(["_asked_rowid", "_state"]), want) is None


def test_a_filter_over_a_name_with_backticks(tmp_path):
    """The reference engine takes no filter for such a table; ours reads names as paths say them."""
    lance.write_dataset(pa.table({"k": [1, 2, 3], "a`b": [7, 8, 9]}), tmp_path / "t.lance", enable_stable_row_ids=True)
    for verb in (["scan"], ["take", "--ids", "0,1,2"]):
        result = run(*verb[:1], tmp_path / "t.lance", *verb[1:], "--where", "`a``b` > 7 and k < 3", "--format", "csv")
        assert result.code == 0 and result.out == '"k","a`b"\n2,8\n'.replace('"', ""), result.err


def test_states_of_stable_ids(stable, tmp_path):
    """An updated row keeps its id; a deleted one is told apart from one that never was."""
    takes = Takes(stable, tmp_path)
    ids = [5, 12, 25, 155, 299, COUNT - 2, 10_000, 2**50]
    got, _ = takes.take("--ids", ",".join(map(str, ids)), "--aligned")
    states = dict(zip(ids, got["_state"].to_pylist()))
    assert [states[i] for i in (5, 25, COUNT - 2)] == ["live"] * 3
    assert states[12] == "gone" and states[155] == states[299] == "deleted"
    assert states[10_000] == states[2**50] == "never given"
    rows = dict(zip(ids, got.to_pylist()))
    assert rows[25]["k"] == 25 and rows[25]["s"] == "updated" and rows[25]["_rowid"] == 25 != rows[25]["_rowaddr"]
    assert rows[155] == {"_asked_rowid": 155, "_state": "deleted", "k": None, "s": None, "st": None, "_rowid": None, "_rowaddr": None}


def test_older_versions_have_their_rows(stable):
    got = run("take", stable, "--version", 1, "--ids", "12,155,25", "--columns", "k,s", "--format", "csv")
    assert (got.code, got.err) == (0, "") and got.out == "k,s\n12,row 12\n155,row 155\n25,row 25\n"


@pytest.mark.parametrize("separator", ["\n", " ", ",", ", ", "\r\n", "\t\n,"])
def test_where_ids_come_from(takes, separator, tmp_path):
    ids = random.Random(5).sample(list(takes.row_of), 40)
    text = separator.join(map(str, ids)) + ("\n" if separator != "," else "")
    file = tmp_path / "ids"
    file.write_text(text)
    want = takes.wanted(ids)
    assert difference(takes.take("--ids", f"@{file}")[0], want) is None
    assert difference(takes.take("--ids", "-", given=text.encode())[0], want) is None


def test_nothing_asked(takes, tmp_path):
    file = tmp_path / "ids"
    file.write_text("\n")
    for kind in ("--ids", "--addresses", "--offsets"):
        for numbers in (f"@{file}", "-"):
            got, note = takes.take(kind, numbers)
            assert got.num_rows == 0 and note == "" and got.schema.equals(takes.all.schema, check_metadata=False)


def test_addresses_and_offsets(takes, tmp_path):
    rng = random.Random(6)
    chosen = [rng.randrange(takes.all.num_rows) for _ in range(120)]
    want = takes.all.take(chosen)
    got, note = takes.take("--offsets", ",".join(map(str, chosen)))
    assert difference(got, want) is None and note == ""
    assert difference(got.select(["k", "s", "st"]), lance.dataset(takes.path).take(chosen)) is None
    addresses = want["_rowaddr"].to_pylist()
    texts = [str(a) if rng.random() < 0.5 else f"{a >> 32}:{a & 0xFFFFFFFF}" for a in addresses]
    got, note = takes.take("--addresses", "-", given="\n".join(texts).encode())
    assert difference(got, want) is None and note == ""


@pytest.mark.parametrize("arguments, words", [
    (["--offsets", "0,279"], ["279", "behind the last row"]), (["--offsets", str(2**64 - 1)], ["behind the last row"]),
    (["--addresses", "1:0,77:3"], ["fragment 77, offset 3", "no live row"]), (["--addresses", "1:99999"], ["99999", "no live row"]),
    (["--addresses", "1:55"], ["fragment 1, offset 55", "no live row"]), (["--addresses", str(2**64 - 1)], ["no live row"]),
    (["--addresses", "1:2:3"], ["not an address"]), (["--addresses", "4294967296:0"], ["not an address"]),
    (["--offsets", "-1"], ["not a number"]), (["--offsets", "0:1"], ["not a number"]), (["--ids", "12x"], ["12x"]),
    (["--ids", str(2**64)], ["not a number"]), (["--ids", "1.5"], ["1.5"]), (["--ids", "@nothing-here"], ["nothing-here"]),
    (["--ids", "1", "--columns", "nothing"], ["nothing"]), (["--ids", "1", "--where", "k > 1 1"], ["at character 7"]),
    (["--ids", "1", "--missing", "no-such-folder/x.csv"], ["no-such-folder"]),
    (["--ids", "1,25", "--where", "1000000 / (k - 25) > 1"], ["zero"]),
])
def test_refusals(stable, tmp_path, arguments, words):
    out = tmp_path / "out.csv"
    result = run("take", stable, *arguments, "-o", out)
    assert result.code == FAILED and result.out == "", (result.code, result.out)
    for word in words:
        assert word in result.error_line(), result.err
    assert list(tmp_path.iterdir()) == []
    as_json = run("take", stable, *arguments, "--json")
    assert as_json.code == FAILED and as_json.json["error"]["message"] == result.error_line()


@pytest.mark.parametrize("arguments", [
    [], ["--ids", "1", "--offsets", "1"], ["--offsets", "1", "--aligned"], ["--offsets", "1", "--where", "k = 1"],
    ["--ids", "1", "--aligned", "--missing", "x.csv"], ["--addresses", "1", "--missing", "x.csv"], ["--ids"], ["--ids", "1", "2"]])
def test_wrong_usage(stable, arguments):
    result = run("take", stable, *arguments)
    assert result.code == USAGE and result.out == "", (result.code, result.out)
    result.error_line()


@pytest.mark.parametrize("is_stable", [True, False])
def test_a_hundred_thousand_ids(is_stable, tmp_path):
    path = tmp_path / "many.lance"
    table = pa.table({"k": pa.array(range(MANY), pa.int64()), "s": [f"row {i}" for i in range(MANY)]})
    dataset = lance.write_dataset(table, path, max_rows_per_file=60_000, enable_stable_row_ids=is_stable)
    dataset.delete("k % 1000 = 7")
    want = dataset.scanner(columns=["k", "s", "_rowid"], scan_in_order=True).to_table()
    rng = random.Random(7)
    chosen = [rng.randrange(want.num_rows) for _ in range(100_000)]
    ids = tmp_path / "ids"
    ids.write_text("\n".join(map(str, want["_rowid"].take(chosen).to_pylist() + [7] * 10)))
    out = tmp_path / "out.arrow"
    result = run("take", path, "--ids", f"@{ids}", "--with-row-id", "-o", out)
    assert result.code == 0 and "10 of 100010 ids have no row" in result.err
    with pa.ipc.open_file(str(out)) as file:
        assert difference(file.read_all(), want.take(chosen)) is None
