"""What `scan` and `head` print: every format reads back to the same values; output that cannot be written, and tables that
cannot be read, end in one line."""
import base64
import csv
import datetime
import decimal
import fcntl
import io
import json
import math
import os
import pty
import random
import re
import signal
import struct
import subprocess
import termios
import zoneinfo

import lance
import pyarrow as pa
import pyarrow.parquet
import pytest
import tables
from filter_language import make_table
from program import DONE, FAILED, PROGRAM, USAGE, done, run
from random_columns import RandomColumns
from same_rows import difference

csv.field_size_limit(1 << 30)
FORMATS = ["table", "json", "csv", "arrow", "arrow-file", "parquet"]
MEMORY = ("prlimit", "--data=1000000000")  # what a damaged file may claim stays below
FLIPS = int(os.environ.get("PENNON_ROWS_FLIPS", "60"))


# What values look like as text, by docs/output-formats.md ---------------------------------------------------------------
UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def fraction(nanos):
    for digits in (3, 6, 9):
        if nanos % 10 ** (9 - digits) == 0:
            return f".{nanos // 10 ** (9 - digits):0{digits}}" if nanos else ""


def time_text(value, unit):
    seconds, rest = divmod(value, UNITS[unit])
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{fraction(rest * (10**9 // UNITS[unit]))}"


def date_text(days):
    """In the proleptic Gregorian calendar, also for years that Python's dates do not know."""
    if abs(days) > 11_248_737:
        return f"1970-01-01{days:+}d"
    era, rest = divmod(days + 719_468, 146_097)  # 400 years from March 1st, 0000
    year = next(y for y in range(399, -1, -1) if y * 365 + y // 4 - y // 100 <= rest)
    rest -= year * 365 + year // 4 - year // 100
    month = (5 * rest + 2) // 153
    day = rest - (153 * month + 2) // 5 + 1
    month, year = (month + 3, year + era * 400) if month < 10 else (month - 9, year + era * 400 + 1)
    return f"{year:04}-{month:02}-{day:02}" if year >= 0 else f"-{-year:03}-{month:02}-{day:02}"


def timestamp_text(value, kind):
    per_second = UNITS[kind.unit]
    offset = 0
    if kind.tz and kind.tz != "UTC":
        if re.fullmatch(r"[+-]\d\d:\d\d", kind.tz):
            offset = int(kind.tz[:3]) * 3600 + int(kind.tz[0] + kind.tz[4:]) * 60
        else:
            moment = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(seconds=value // per_second)
            offset = int(moment.astimezone(zoneinfo.ZoneInfo(kind.tz)).utcoffset().total_seconds())
    days, rest = divmod(value + offset * per_second, 86400 * per_second)
    zone = "" if not kind.tz else "Z" if offset == 0 else f"{offset // 3600:+03}:{offset % 3600 // 60:02}"
    return f"{date_text(days)}T{time_text(rest, kind.unit)}{zone}"


def number_text(value):
    return "NaN" if math.isnan(value) else "-Infinity" if value == -math.inf else "Infinity"


def json_values(array):
    """What json.loads gives for each value of an array."""
    kind, nulls = array.type, array.is_null().to_pylist()

    def each(values, make):
        return [None if null else make(value) for null, value in zip(nulls, values)]
    if isinstance(kind, pa.BaseExtensionType):
        return json_values(array.storage)
    if pa.types.is_dictionary(kind):
        return json_values(array.dictionary_decode())
    if pa.types.is_struct(kind):
        children = [json_values(child) for child in array.flatten()]
        return each(zip(*children) if children else [()] * len(array), lambda row: dict(zip([f.name for f in kind], row)))
    if pa.types.is_map(kind):
        pairs = json_values(array.cast(pa.list_(pa.struct([kind.key_field, kind.item_field]))))
        make = dict if pa.types.is_string(kind.key_type) else lambda rows: [list(row) for row in rows]
        return each(pairs, lambda rows: make([tuple(row.values()) for row in rows]))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return [None if null else json_values(array[i].values) for i, null in enumerate(nulls)]
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return each(array.to_pylist(), lambda value: base64.b64encode(value).decode())
    if pa.types.is_decimal(kind):
        return each(array.to_pylist(), lambda value: f"{value:f}")
    if pa.types.is_floating(kind):
        return each(array.to_pylist(), lambda value: value if math.isfinite(value) else number_text(value))
    if not pa.types.is_temporal(kind):
        return array.to_pylist()
    numbers = array.view(f"int{kind.bit_width}").to_pylist()
    if pa.types.is_timestamp(kind):
        return each(numbers, lambda value: timestamp_text(value, kind))
    if pa.types.is_duration(kind):
        per_second = UNITS[kind.unit]
        return each(numbers, lambda value: f"{'-' if value < 0 else ''}PT{abs(value) // per_second}"
                    f"{fraction(abs(value) % per_second * (10**9 // per_second))}S")
    if pa.types.is_date(kind):
        return each(numbers, lambda value: date_text(value if kind.bit_width == 32 else value // 86_400_000))
    return each(numbers, lambda value: time_text(value, kind.unit))


def json_rows(table):
    columns = [sum((json_values(chunk) for chunk in column.chunks), []) for column in table.columns]
    return [dict(zip(table.column_names, row)) for row in zip(*columns)]


def narrowed(value):
    """Floats as those of 32 bits, where they are narrow: what was printed is short, not exact."""
    if isinstance(value, float):
        return struct.unpack("f", struct.pack("f", value))[0]
    if isinstance(value, dict):
        return {name: narrowed(part) for name, part in value.items()}
    return [narrowed(part) for part in value] if isinstance(value, list) else value


def specimen():
    """Values at the edges of their types."""
    utc = datetime.timezone.utc
    floats = [0.0, -0.0, 0.1, 1e300, 5e-324, math.inf, -math.inf, math.nan, 1.0, 123456789.0, None]
    count = len(floats)

    def column(values, kind):
        return pa.array((values * count)[:count - 1] + [None], kind)
    big = [2**63 - 1, -2**63, 2**53 + 1, 0, -1]
    texts = ["", "plain", 'quo"te', "comma, semicolon;", "line\nfeed", "return\r\nfeed", "tab\tand \\ slash", "ünï 日本 😀", "null", "\x00\x01\x7f", " "]
    moments = [datetime.datetime(2020, 1, 31, 12, 30, 45, 123456), datetime.datetime(1969, 12, 31, 23, 59, 59, 999000),
               datetime.datetime(2021, 7, 1), datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31, 23, 59, 59)]
    summer = [m.replace(tzinfo=utc) for m in moments[:3]]
    far = pa.array([2**62, -2**62, 0, 1, -1, 10**15, None, 7, 8, 9, 10], pa.int64())
    return pa.table({
        "f64": pa.array(floats, pa.float64()), "f32": pa.array(floats, pa.float64()).cast(pa.float32()),
        "f16": column([1.5, -2.25, 65504.0, math.inf, math.nan], pa.float16()),
        "i64": column(big, pa.int64()), "u64": column([2**64 - 1, 0, 2**53 + 1], pa.uint64()), "i8": column([-128, 127], pa.int8()),
        "b": column([True, False], pa.bool_()), "s": pa.array(texts, pa.string()), "t": column(texts[::-1], pa.large_string()),
        "x": column([b"", b"\x00\xff", b"AB", b"abc,\"\n"], pa.binary()), "fx": column([b"abc", b"\x00\x01\x02"], pa.binary(3)),
        "n": column([decimal.Decimal("1.10"), decimal.Decimal("-99999999.99"), decimal.Decimal("0.00")], pa.decimal128(10, 2)),
        "n50": column([decimal.Decimal("-12345678901234567890123456789012345678901234567.123")], pa.decimal256(50, 3)),
        "d": column([m.date() for m in moments], pa.date32()), "d64": column([m.date() for m in moments], pa.date64()),
        "us": column(moments, pa.timestamp("us")), "ms": column(moments[1:], pa.timestamp("ms")), "sec": column(moments[2:], pa.timestamp("s")),
        "ns": column([1, 1_000, 1_000_000, -1, 10**18 + 1], pa.int64()).view(pa.timestamp("ns")), "far": far.view(pa.timestamp("s")),
        "utc": column(summer, pa.timestamp("us", "UTC")), "bern": column(summer, pa.timestamp("ms", "Europe/Zurich")),
        "east": column(summer, pa.timestamp("ns", "+05:30")), "west": column(summer, pa.timestamp("s", "-08:00")),
        "time": column([datetime.time(12, 30, 45, 500000), datetime.time(0)], pa.time64("us")), "t32": column([86399], pa.int32()).view(pa.time32("s")),
        "span": column([1500, -1500, 0, 60_000, -2**63], pa.int64()).view(pa.duration("ms")),
        "l": column([[1, None, 3], [], None], pa.list_(pa.int64())), "ls": column([["a,b", 'c"d', None], ["\n"]], pa.large_list(pa.string())),
        "v": column([[1.5, math.nan], [0.0, -0.0]], pa.list_(pa.float32(), 2)),
        "st": column([{"a": 1, "b": {"c": "x\ty"}}, {"a": None, "b": None}, None], pa.struct([("a", pa.int32()), ("b", pa.struct([("c", pa.string())]))])),
        "m": column([[("k", 1), ("é", None)], [], None], pa.map_(pa.string(), pa.int32())),
        "mi": column([[(1, "one"), (2, None)]], pa.map_(pa.int32(), pa.string())),
        "k": column(["red", "green", None], pa.string()).dictionary_encode(), "nothing": pa.nulls(count),
        "odd \"name\", 日本\n": column([1], pa.int8()),
    })


@pytest.fixture(scope="module")
def edges(tmp_path_factory):
    path = tmp_path_factory.mktemp("output") / "edges.lance"
    return path, lance.write_dataset(specimen(), path, max_rows_per_file=4, data_storage_version="2.2")


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    path = tmp_path_factory.mktemp("output") / "large.lance"
    table = pa.table({"k": pa.array(range(200_000), pa.int64()), "s": [f"row {i} of many" for i in range(200_000)]})
    lance.write_dataset(table, path, max_rows_per_file=50_000)
    return path


# Formats --------------------------------------------------------------------------------------------------------------
def json_printed(path, *options):
    lines = done("scan", path, "--format", "json", *options).split("\n")
    assert lines.pop() == ""
    return [json.loads(line, parse_constant=lambda word: pytest.fail(f"{word} is no JSON")) for line in lines]


def csv_printed(path, *options):
    header, *lines = csv.reader(io.StringIO(done("scan", path, "--format", "csv", *options), newline=""), strict=True)
    # A row of one column that is null is an empty line.
    return [dict(zip(header, line or [""], strict=True)) for line in lines]


def assert_same_rows(printed, wanted, schema):
    assert len(printed) == len(wanted)
    narrow = {f.name for f in schema if re.search(r"\b(halffloat|float)\b", str(f.type))}
    for number, (ours, theirs) in enumerate(zip(printed, wanted)):
        assert list(ours) == list(theirs)
        for name in ours:
            x, y = (narrowed(value) if name in narrow else value for value in (ours[name], theirs[name]))
            assert repr(x) == repr(y), f"row {number}, {name}: {x!r}, not {y!r}"


def csv_value(text, kind, wanted):
    """A cell, read as what JSON would have told."""
    if text == "" and (wanted is None or wanted in ("", [])):
        return wanted  # the csv module does not tell nothing from ""
    if pa.types.is_nested(kind) or pa.types.is_boolean(kind) or pa.types.is_integer(kind):
        return json.loads(text)
    if pa.types.is_floating(kind):
        return text if text in ("NaN", "Infinity", "-Infinity") else float(text)
    return text


def test_json_lines(edges):
    path, dataset = edges
    assert_same_rows(json_printed(path), json_rows(dataset.to_table()), dataset.schema)
    assert run("scan", path, "--json").out == done("scan", path, "--format", "json")


def test_csv(edges):
    path, dataset = edges
    table = dataset.to_table()
    wanted = json_rows(table)
    printed = [{name: csv_value(text, table.schema.field(name).type, want[name]) for name, text in row.items()}
               for row, want in zip(csv_printed(path), wanted, strict=True)]
    assert_same_rows(printed, wanted, table.schema)
    # Null and empty text are told apart.
    lines = done("scan", path, "--columns", "i8,s", "--where", "s = '' or i8 is null", "--format", "csv").split("\n")
    assert lines == ["i8,s", '-128,""', ", ", ""]


def test_random_values_as_text(tmp_path):
    for seed in range(30):
        columns = RandomColumns(seed, "2.2")
        path = tmp_path / f"{seed}.lance"
        try:
            want = lance.write_dataset(columns.table(20), path, data_storage_version="2.2").to_table()
        except BaseException:  # the engine refuses some schemas
            continue
        wanted = json_rows(want)
        assert_same_rows(json_printed(path), wanted, want.schema)
        printed = [{name: csv_value(text, want.schema.field(name).type, row[name]) for name, text in line.items()}
                   for line, row in zip(csv_printed(path), wanted, strict=True)]
        assert_same_rows(printed, wanted, want.schema)


@pytest.mark.parametrize("name", tables.there(
    "types_nulls.stable.v2_2", "types_no_nulls.plain.v2_1", "unicode_names.plain.v2_1", "empty_table.plain.v2_1", "packed_struct.stable.v2_1",
    "long_strings.stable.v2_2"))
def test_reference_tables_as_text(name):
    path = tables.DATASETS[name]
    want = lance.dataset(str(path)).to_table()
    wanted = json_rows(want)
    assert_same_rows(json_printed(path), wanted, want.schema)
    assert len(csv_printed(path)) == len(wanted)


IN_PARQUET = {pa.date64(): pa.date32(), pa.time32("s"): pa.time32("ms"), pa.timestamp("s"): pa.timestamp("ms"),
              pa.timestamp("s", "-08:00"): pa.timestamp("ms", "-08:00")}  # it has one type of dates, and no seconds


def read_back(format_name, data):
    if format_name == "arrow":
        return pa.ipc.open_stream(data).read_all()
    if format_name == "arrow-file":
        return pa.ipc.open_file(data).read_all()
    return pyarrow.parquet.read_table(io.BytesIO(data))


@pytest.mark.parametrize("format_name", ["arrow", "arrow-file", "parquet"])
@pytest.mark.parametrize("name", ["edges", *tables.there("types_nulls.stable.v2_1", "metadata.stable.v2_1", "empty_table.stable.v2_1",
                                                         "delete_all.stable.v2_1", "tiny_fragments_200.plain.v2_1")])
def test_binary_formats(name, format_name, edges, tmp_path):
    """From standard output and from a file; types and metadata stay."""
    path = edges[0] if name == "edges" else tables.DATASETS[name]
    want = lance.dataset(str(path)).to_table()
    options = []
    if name == "edges" and format_name == "parquet":  # times that far do not fit, see docs/output-formats.md
        want = want.select([c for c in want.column_names if c.isidentifier() and c != "far"])
        options = ["--columns", ",".join(want.column_names)]
    result = run("scan", path, *options, "--format", format_name, as_bytes=True)
    assert result.code == DONE and result.err == "", result.err
    got = read_back(format_name, result.out)
    if format_name == "parquet":
        want = want.cast(pa.schema([f.with_type(IN_PARQUET.get(f.type, f.type)) for f in want.schema]))
    assert difference(got, want) is None
    assert got.schema.metadata == want.schema.metadata or format_name == "parquet"
    suffix = {"arrow": "arrows", "arrow-file": "arrow", "parquet": "parquet"}[format_name]
    out = tmp_path / f"rows.{suffix}"
    assert done("scan", path, *options, "-o", out) == ""
    assert difference(read_back(format_name, out.read_bytes()), want) is None
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("name, format_name", [("a.json", "json"), ("a.jsonl", "json"), ("a.ndjson", "json"), ("a.csv", "csv"), ("a.txt", "table"),
                                               ("plain", "table"), ("a.feather", "arrow-file")])
def test_the_name_of_a_file_gives_the_format(name, format_name, edges, tmp_path):
    out = tmp_path / name
    done("scan", edges[0], "-o", out)
    printed = run("scan", edges[0], "--format", format_name, as_bytes=True)
    assert out.read_bytes() == printed.out
    done("scan", edges[0], "-o", out, "--format", "csv")  # --format wins
    assert out.read_bytes() == run("scan", edges[0], "--format", "csv", as_bytes=True).out


def test_a_dash_is_standard_output(edges, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert done("head", edges[0], "-o", "-", "--format", "json") == done("head", edges[0], "--format", "json")
    assert list(tmp_path.iterdir()) == []


# A table for people ---------------------------------------------------------------------------------------------------
def on_a_terminal(width, *arguments):
    """What the program prints to a terminal so many columns wide."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    process = subprocess.Popen([str(PROGRAM), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=its, stderr=subprocess.PIPE)
    os.close(its)
    printed = b""
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:  # the other end is closed
            part = b""
        if not part:
            break
        printed += part
    os.close(ours)
    assert process.wait(timeout=30) == DONE and process.stderr.read() == b""
    return printed.decode().replace("\r\n", "\n")


def display_width(text):
    import unicodedata
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


@pytest.mark.parametrize("width", [20, 40, 80, 133, 400])
def test_a_table_fits_the_terminal(width, tmp_path):
    for number, table in enumerate((make_table(5), specimen().drop_columns(["mi", "m"]))):
        path = tmp_path / f"{number}.lance"
        lance.write_dataset(table, path)
        *lines, blank, count = on_a_terminal(width, "head", path, "--with-row-id").rstrip("\n").split("\n")
        assert blank == "" and max(map(display_width, lines)) <= width
        assert len(lines) == 1 + 10
        hidden = re.fullmatch(r"10 rows(?:, (\d+) columns? not shown: (.*))?", count)
        assert hidden, count
        shown = [c for c in re.split(r"  +", lines[0].strip())]
        if hidden[1]:
            assert hidden[2].endswith("_rowid") and len(shown) + int(hidden[1]) == table.num_columns + 1


def test_a_table(tmp_path):
    path = tmp_path / "t.lance"
    lance.write_dataset(pa.table({"id": pa.array([1, 20, None], pa.int32()), "name": ["Ada", None, "a\nb"], "score": [1.0, -0.5, math.nan],
                                  "tags": [["x", "y"], [], None], "raw": [b"AB", b"", None]}), path)
    assert done("scan", path) == ("  id  name  score  tags    raw\n"
                                  "   1  Ada     1.0  [x, y]  0x4142\n"
                                  "  20  null   -0.5  []      0x\n"
                                  "null  a\\nb    NaN  null    null\n\n3 rows\n")
    assert done("head", path, "-n", "0") == "id  name  score  tags  raw\n\n0 rows\n"
    assert done("scan", path, "--limit", "1", "--columns", "name") == "name\nAda\n\n1 row\n"


def test_texts_never_steer_the_terminal(tmp_path):
    path = tmp_path / "t.lance"
    lance.write_dataset(pa.table({"s": ["\x1b[31mred\x1b[0m", "bell\x07", "\x9b31m"], "\x1bname": ["a", "b", "c"]}), path)
    printed = done("scan", path)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\x80-\x9f]", printed), repr(printed)


# Output that fails ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("arguments, words", [
    (["--format", "xml"], ["xml", "table, json, csv, arrow, arrow-file, parquet"]), (["-o", "no/such/folder/x.csv"], ["no/such/folder/x.csv", "No such file"]),
    (["-o", "/"], ["/"]), (["--columns", "nothing"], ["nothing"]), (["--columns", "k,k"], ["twice", "k"]), (["--columns", "k.x"], ["k.x"]),
    (["--columns", ""], ["empty name"]), (["--where", "k >"], ["at the end of the filter"]), (["--where", "k > 1 )"], ["at character 7"]), (["--where", "nothing = 1"], ["nothing", "character 1"]),
    (["--where", "k = 1 and nothing = 'x'"], ["nothing", "character 11"]), (["--where", "k"], ["bool"]), (["--where", "s = 5 + +"], ["end of the filter"]),
    (["--fragments", "77"], ["77"]), (["--fragments", "0,0"], ["twice", "0"]), (["--version", "99"], ["99"]), (["--version", "no-such-tag"], ["no-such-tag"]),
])
def test_refusals(arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tables.DATASETS["delete_few.plain.v2_1"]
    result = run("scan", path, *arguments)
    assert result.code in (FAILED, USAGE) and result.out == "", (result.code, result.out)
    for word in words:
        assert word.lower() in result.error_line().lower(), result.err
    as_json = run("scan", path, *arguments, "--json")
    assert as_json.code == result.code and as_json.json["error"]["message"] == result.error_line()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [
    ["scan", "--limit", "x"], ["scan", "--limit", "-1"], ["scan", "--limit", "1.5"], ["scan", "--offset", "-3"], ["scan", "--batch-rows", "many"],
    ["scan", "--fragments", "a"], ["scan", "--fragments", "-1"], ["scan", "--limit"], ["scan", "--limit", str(2**64)], ["head", "-n", "few"],
    ["count", "--limit", "1"], ["scan", "--nonsense"], ["count", "--columns", "k"]])
def test_wrong_usage(arguments):
    result = run(arguments[0], tables.DATASETS["delete_few.plain.v2_1"], *arguments[1:])
    assert result.code == USAGE and result.out == "", (result.code, result.out)
    result.error_line()


@pytest.mark.parametrize("verb", ["scan", "head", "count", "take"])
def test_what_is_no_table(verb, tmp_path):
    more = ["--ids", "1"] if verb == "take" else []
    for path in (tmp_path / "nothing.lance", tmp_path):
        result = run(verb, path, *more)
        assert result.code == FAILED and result.out == "" and str(path) in result.error_line()


@pytest.mark.parametrize("format_name", FORMATS)
def test_a_closed_pipe_ends_quietly(format_name, large):
    for command in ("head -c 100", "true"):
        script = f'"{PROGRAM}" scan "{large}" --format {format_name} | {command} > /dev/null; exit "${{PIPESTATUS[0]}}"'
        finished = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60)
        assert (finished.returncode, finished.stderr) == (DONE, ""), (command, finished.stderr)


def test_a_full_disk_is_told(large):
    for format_name in FORMATS:
        result = run("scan", large, "--format", format_name, "-o", "/dev/full")
        assert result.code == FAILED and "No space left" in result.error_line(), (format_name, result.err)


def test_an_old_file_stays_until_the_new_one_is_complete(large, tmp_path, copy):
    out = tmp_path / "out.csv"
    out.write_text("old")
    assert run("scan", large, "--where", "1 / (k - 150000) > 2", "-o", out).code == FAILED
    assert out.read_text() == "old" and list(tmp_path.iterdir()) == [out]
    done("scan", large, "--limit", 1, "-o", out)
    assert out.read_text() == "k,s\n0,row 0 of many\n" and list(tmp_path.iterdir()) == [out]


def scan_with_a_signal(number, disposition, large, out):
    """The exit code of a scan to a file that gets a signal while it writes. `disposition` is default or ignore, whatever
    this process has inherited."""
    with subprocess.Popen(["env", f"--{disposition}-signal={number.name[3:]}", PROGRAM, "scan", large, "-o", out]) as process:
        while process.poll() is None and len(list(out.parent.iterdir())) == 1:
            pass
        process.send_signal(number)
    return process.returncode


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_leaves_nothing_behind(number, large, tmp_path):
    out = tmp_path / "out.json"
    out.write_text("old")
    for _ in range(20):
        code = scan_with_a_signal(number, "default", large, out)
        if code != 0:  # or else it was done before the signal came
            break
    assert code == -number, "the process ends by the signal, as a shell expects"
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]
    assert scan_with_a_signal(number, "ignore", large, out) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"] and out.read_text().startswith('{"k":')


# Damaged tables -------------------------------------------------------------------------------------------------------
DAMAGED = tables.there("types_nulls.stable.v2_0", "types_nulls.stable.v2_1", "types_nulls.stable.v2_2", "encodings_5000.stable.v2_0",
                       "encodings_5000.stable.v2_1", "encodings_5000.stable.v2_2", "packed_struct.stable.v2_1", "create_simple.stable.v2_0",
                       "create_simple.stable.v2_2", "delete_few.plain.v2_1")


def scan_damaged(path, out, file):
    """A scan of a table whose file is damaged: it goes well or fails in one line that names the file; nothing is half
    written. Whether it failed, and the line."""
    result = run("scan", path, "--with-row-id", "-o", out, prefix=MEMORY)
    assert result.code in (DONE, FAILED) and result.out == "", f"exit {result.code}: {result.err}"
    left = sorted(p.name for p in out.parent.iterdir() if p.name.startswith(out.name))
    assert left == ([out.name] if result.code == DONE else []), left
    if result.code == DONE:
        out.unlink()
        return None
    assert file.name in result.error_line(), result.err
    return result.error_line()


@pytest.mark.parametrize("name", DAMAGED)
def test_truncated_data_files(name, copy, tmp_path):
    path = copy(tables.DATASETS[name])
    file = path / "data" / lance.dataset(path).get_fragments()[0].data_files()[0].path
    raw = file.read_bytes()
    rng = random.Random(name)
    for length in (0, 1, 39, len(raw) // 2, len(raw) - 1, *(rng.randrange(len(raw)) for _ in range(3))):
        file.write_bytes(raw[:length])
        assert scan_damaged(path, tmp_path / "out.arrow", file), f"cut at {length} of {len(raw)}"
    file.unlink()
    assert "no such file" in scan_damaged(path, tmp_path / "out.arrow", file).lower()
    file.write_bytes(raw)
    assert scan_damaged(path, tmp_path / "out.arrow", file) is None


def test_flipped_bytes_in_data_files(copy, tmp_path):
    """Pages have no checksums: values may be wrong, but never a crash; most lines name the column and the page."""
    placed = failed = 0
    for name in DAMAGED:
        path = copy(tables.DATASETS[name])
        files = [path / "data" / f.path for fragment in lance.dataset(path).get_fragments() for f in fragment.data_files()]
        file = max(files, key=lambda p: p.stat().st_size)
        raw = file.read_bytes()
        rng = random.Random(name)
        for trial in range(FLIPS // len(DAMAGED) + 1):
            broken = bytearray(raw)
            begin = rng.randrange(len(raw))
            for at in range(begin, min(len(raw), begin + rng.choice([1, 1, 8, 200]))):
                broken[at] = rng.choice([0, 255, broken[at] ^ 1 << rng.randrange(8)])
            file.write_bytes(bytes(broken))
            line = scan_damaged(path, tmp_path / "out.arrow", file)
            failed += line is not None
            placed += line is not None and "column" in line and "page" in line
    assert placed > 0, f"none of {failed} lines names a page"


def test_damage_in_the_last_fragment_leaves_nothing_behind(copy, tmp_path, large):
    path = copy(large)
    file = path / "data" / lance.dataset(path).get_fragments()[-1].data_files()[0].path
    file.write_bytes(file.read_bytes()[:1000])
    for format_name in FORMATS:
        out = tmp_path / f"out.{format_name}"
        result = run("scan", path, "-o", out, "--format", format_name)
        assert result.code == FAILED and file.name in result.error_line() and not list(tmp_path.glob("out.*"))
    # What lies elsewhere can still be read.
    assert done("scan", path, "--fragments", "0", "--limit", 2, "--format", "csv") == "k,s\n0,row 0 of many\n1,row 1 of many\n"
    assert done("head", path, "--format", "csv", "-n", 1) == "k,s\n0,row 0 of many\n"
    result = run("scan", path, "--json")
    assert result.code == FAILED and file.name in result.error_line()
    *printed, last = [json.loads(line) for line in result.out.splitlines()]  # rows, then the error
    assert all("k" in row for row in printed) and file.name in last["error"]["message"]
