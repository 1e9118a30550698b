"""The same filter selects the same rows in the reference engine and in ours; what it refuses and we answer is on a list."""
import os
import pathlib
import random
import re
import subprocess

import lance
import pyarrow as pa
import pyarrow.ipc
import pytest
from filter_language import Generator, make_table, shrink

PROGRAM = pathlib.Path(os.environ.get("PENNON_PROGRAM", "build/release/cli/pennon")).resolve()
TOOL = PROGRAM.parent.parent / "tests" / "filter_rows"
SEEDS = range(12)
FILTERS_PER_SEED = 120

# Refusals of the reference engine that ours does not share: docs/filters.md, "Where Pennon answers".
KNOWN_REFUSALS = re.compile("|".join([
    "is not supported SQL in lance",
    "could not convert to literal",
    "exceeds the representable i64 range", "overflow converting", "Overflow happened on",  # The detour by nanoseconds.
    "Divide by zero",  # Rows that another term has ruled out.
    "Cannot cast string", "Can't cast value", "Cannot cast to", "is too large to store", "Cast error",  # The same.
    "overflow on abs", "Overflow", "overflow",
    r"List\(Int64\), UInt64",  # array_has with a number of another width.
]))


class Ours:
    """The filter program on one table, batches of an odd size."""

    def __init__(self, table, folder):
        path = folder / "table.arrow"
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
        self.process = subprocess.Popen([TOOL, path, "37"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def rows(self, sql):
        """Row numbers, or the message of an error."""
        self.process.stdin.write(sql + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, f"the program ended on: {sql}"
        kind, _, rest = answer.rstrip("\n").partition(" ")
        return [int(row) for row in rest.split()] if kind == "rows" else rest


class Reference:
    def __init__(self, table, folder):
        self.dataset = lance.write_dataset(table, folder / "table.lance", enable_stable_row_ids=True)

    def rows(self, sql):
        try:
            return self.dataset.scanner(columns=["id"], filter=sql).to_table()["id"].to_pylist()
        except BaseException as error:  # A panic of the engine is no Exception.
            if isinstance(error, KeyboardInterrupt):
                raise
            return str(error).replace("\n", " ")


@pytest.fixture(scope="module")
def engines(tmp_path_factory):
    folder = tmp_path_factory.mktemp("filter")
    table = make_table(7)
    numbers = pa.array(range(table.num_rows), pa.uint64())
    ours = Ours(table.append_column("_rowid", numbers), folder)
    yield ours, Reference(table, folder)
    ours.process.stdin.close()
    assert ours.process.wait(timeout=10) == 0


def disagreement(engines, sql):
    """Why the engines do not agree, or nothing."""
    ours, reference = engines[0].rows(sql), engines[1].rows(sql)
    if isinstance(reference, str):
        if isinstance(ours, str) or KNOWN_REFUSALS.search(reference):
            return None
        return f"ours answers, the reference refuses: {reference}"
    if isinstance(ours, str):
        return f"ours refuses, the reference answers with {len(reference)} rows: {ours}"
    if ours != reference:
        return f"only ours: {sorted(set(ours) - set(reference))[:10]}, only the reference: {sorted(set(reference) - set(ours))[:10]}"
    return None


@pytest.mark.parametrize("seed", SEEDS)
def test_random_filters(engines, seed):
    generator = Generator(seed)
    answered = 0
    for number in range(FILTERS_PER_SEED):
        node = generator.boolean()
        reason = disagreement(engines, str(node))
        if reason is not None:
            smallest = shrink(node, lambda sql: disagreement(engines, sql) is not None)
            pytest.fail(f"seed {seed}, filter {number}: {smallest}\n{disagreement(engines, smallest)}\nof: {node}", pytrace=False)
        answered += not isinstance(engines[0].rows(str(node)), str)
    assert answered > FILTERS_PER_SEED // 2, "the generator makes too many filters that are refused"


MISTAKES = [
    "", "i32 >", "foo = 1", "i32 = 'x' = ", "uper(s) = 'a'", "i32", "null", "s + 1 = 2", "b = 1", "b and i32", "l = 1",
    "st.zz = 1", "count(*) > 1", "i32 in ()", "i32 = (select 1)", "array_has(i32, 1)", "regexp_like(s, '(')",
    "date '2020-13-01' = d", "us > timestamp 'soon'", "-u8 = 1", "cast(l as int) = 1", "i32 between 1", "upper(i32, 1) = 'a'",
    "case when b then 1 end", "lower(f64) = 'a'", "d > 'x' and not (d > 'x')", "x like 'a%' and x = 5",
]


@pytest.mark.parametrize("sql", MISTAKES)
def test_mistakes_are_errors_in_both(engines, sql):
    ours, reference = engines[0].rows(sql), engines[1].rows(sql)
    assert isinstance(ours, str), f"ours answers with {len(ours)} rows"
    assert ours.startswith("invalid_argument: ")
    assert isinstance(reference, str) or sql == "", f"the reference answers with {len(reference)} rows"


@pytest.mark.parametrize("seed", range(4))
def test_mangled_text_never_kills(engines, seed):
    """Filters with characters taken out, doubled and exchanged: an answer or an error, from a program that lives on."""
    rng = random.Random(seed)
    generator = Generator(seed)
    for _ in range(300):
        text = list(str(generator.boolean()))
        for _ in range(rng.randrange(1, 5)):
            at = rng.randrange(len(text))
            text[at] = rng.choice(["", text[at] * 2, rng.choice("()[]'\"`.,;:+-*/%<>=|&^!~@#$\\ 09azAZ_ü")])
        answer = engines[0].rows("".join(text).replace("\n", " "))
        assert not (isinstance(answer, str) and answer.startswith("internal")), f"{''.join(text)}: {answer}"
