"""Random filters over a table of many types, for the comparison with the reference engine."""
import datetime
import decimal
import random

import pyarrow as pa

ROWS = 240
TEXTS = ["", "a", "abc", "Abc", "ABC", "a%c", "a_c", "ünï", "ÜNÏ", "straße", " x ", "5", "-7", "1.5", "2020-01-01", "日本", "x\ny", "it's"]
DATES = [datetime.date(2020, 1, 1), datetime.date(2021, 6, 15), datetime.date(1969, 12, 31), datetime.date(2000, 2, 29),
         datetime.date(1970, 1, 1), datetime.date(2100, 12, 31)]
TIMES = [datetime.datetime(2020, 1, 1), datetime.datetime(2021, 6, 15, 12, 30, 45, 123456), datetime.datetime(1969, 12, 31, 23, 59, 59),
         datetime.datetime(2000, 2, 29, 23, 0, 1), datetime.datetime(1970, 1, 1), datetime.datetime(2100, 12, 31, 1, 2, 3, 4)]
FLOATS = [0.0, -0.0, 0.1, -1.5, 2.5, 3.0, 1e16, 1e30, float("inf"), float("-inf"), float("nan"), 5e-324]


def make_table(seed):
    """ROWS rows, every column with nulls, small domains so that predicates hit."""
    rng = random.Random(seed)

    def column(values, arrow_type):
        return pa.array([None if rng.random() < 0.15 else rng.choice(values) for _ in range(ROWS)], arrow_type)

    def lists(values):
        return [[rng.choice([*values, None]) for _ in range(rng.randrange(4))] for _ in range(12)]

    structs = [{"a": rng.choice([None, 1, 2, 3]), "b": rng.choice([None, {"c": "x"}, {"c": "y"}, {"c": None}])} for _ in range(12)]
    return pa.table({
        "id": pa.array(range(ROWS), pa.int64()),
        "i8": column([-128, -3, 0, 1, 2, 7, 127], pa.int8()),
        "i16": column([-32768, -3, 0, 1, 2, 7, 300], pa.int16()),
        "i32": column([-2**31, -3, 0, 1, 2, 7, 2**31 - 1], pa.int32()),
        "i64": column([-2**63, -3, 0, 1, 2, 7, 2**63 - 1], pa.int64()),
        "u8": column([0, 1, 2, 7, 255], pa.uint8()),
        "u32": column([0, 1, 2, 7, 2**32 - 1], pa.uint32()),
        "u64": column([0, 1, 2, 7, 2**64 - 1], pa.uint64()),
        "f32": column([0.0, -0.0, 0.1, -1.5, 2.5, 3.0, 1e30, float("inf"), float("nan")], pa.float32()),
        "f64": column(FLOATS, pa.float64()),
        "b": column([True, False], pa.bool_()),
        "s": column(TEXTS, pa.string()),
        "t": column(TEXTS, pa.large_string()),
        "x": column([b"", b"a", b"abc", b"\x00\x01", b"b"], pa.binary()),
        "d": column(DATES, pa.date32()),
        "us": column(TIMES, pa.timestamp("us")),
        "ns": column(TIMES, pa.timestamp("ns")),
        "tz": column(TIMES, pa.timestamp("us", "UTC")),
        "n": column([decimal.Decimal(v) for v in ("0.00", "1.10", "-2.50", "99999.99", "3.00")], pa.decimal128(10, 2)),
        "l": column(lists([0, 1, 2, 7]), pa.list_(pa.int64())),
        "w": column(lists(["a", "abc", ""]), pa.list_(pa.string())),
        "v": column([[0.0, 1.0], [2.5, -1.0]], pa.list_(pa.float32(), 2)),
        "st": column(structs, pa.struct([("a", pa.int32()), ("b", pa.struct([("c", pa.string())]))])),
        "k": column(["a", "abc", "z"], pa.string()).dictionary_encode(),
        "Odd name": column([0, 1, 2], pa.int32()),
        "order": column([0, 1, 2], pa.int32()),
    })


class Node:
    """Text with its boolean parts, so that a failing filter can be cut down."""

    def __init__(self, template, *children):
        self.template, self.children = template, children

    def __str__(self):
        return self.template.format(*self.children)

    def booleans(self):
        for child in self.children:
            if isinstance(child, Node):
                if isinstance(child, Boolean):
                    yield child
                yield from child.booleans()


class Boolean(Node):
    pass


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


class Generator:
    INTEGERS = ["i8", "i16", "i32", "i64", "u8", "u32", "u64", "st.a", "`Odd name`", "order", "_rowid"]
    REALS = ["f32", "f64"]
    TEXT = ["s", "t", "st.b.c", "k"]
    TIME = ["us", "ns", "tz"]

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def pick(self, *options):
        return self.rng.choice(options)

    def boolean(self, depth=3):
        options = [self.comparison, self.comparison, self.membership, self.null_test, self.column_test]
        if depth > 0:
            options += [self.logic, self.logic, self.negation, self.truth_test, self.distinct, self.text_test, self.list_test, self.choice]
        return self.pick(*options)(depth - 1)

    def logic(self, depth):
        return Boolean(self.pick("({} and {})", "({} or {})"), self.boolean(depth), self.boolean(depth))

    def negation(self, depth):
        return Boolean("(not {})", self.boolean(depth))

    def truth_test(self, depth):
        return Boolean("({} is " + self.pick("true", "not true", "false", "not false") + ")", self.boolean(depth))

    def null_test(self, depth):
        operand = self.pick(self.integer, self.real, self.text, self.date, self.time, self.decimal)(min(depth, 1))
        return Boolean("({} is " + self.pick("null", "not null") + ")", operand)

    def column_test(self, _):
        return Boolean(self.pick("b", "b = true", "b <> false", "(l = l)", "(st is not null)", "(st.b is null)", "(b or null)", "(v is null)"))

    def comparison(self, depth):
        operator = self.pick("=", "<>", "<", "<=", ">", ">=", "!=", "==")
        kind = self.pick(self.integer, self.integer, self.real, self.text, self.date, self.time, self.decimal)
        left = kind(depth)
        right = kind(0) if self.rng.random() < 0.8 else self.pick(self.integer, self.real, self.decimal)(0)
        if self.rng.random() < 0.2:
            left, right = right, left
        if self.rng.random() < 0.15:
            return Boolean("({} " + self.pick("between", "not between") + " {} and {})", left, right, kind(0))
        return Boolean("({} " + operator + " {})", left, right)

    def distinct(self, depth):
        kind = self.pick(self.integer, self.text, self.date, self.decimal, self.real)
        # The reference engine drops try_cast in front of a null: not a question to ask.
        right = kind(0) if kind == self.integer else self.pick(kind(0), Node("null"))
        return Boolean("({} is " + self.pick("", "not ") + "distinct from {})", kind(depth), right)

    def membership(self, depth):
        kind, literal = self.pick((self.integer, self.integer_literal), (self.real, self.real_literal), (self.text, self.text_literal),
                                  (self.date, self.date_literal), (self.time, self.time_literal), (self.decimal, self.integer_literal))
        items = [literal() for _ in range(self.rng.randrange(1, 4))]
        if self.rng.random() < 0.2:
            items.append(Node("null"))
        if self.rng.random() < 0.1:
            items.append(kind(0))
        return Boolean("({} " + self.pick("in", "not in") + " (" + ", ".join(["{}"] * len(items)) + "))", kind(depth), *items)

    def text_test(self, depth):
        pattern = self.pick("'a%'", "'%c'", "'%b%'", "'_'", "'___'", "'a\\%c'", "'A%'", "'%ü%'", "'%N%'", "''", "'%'", "'a_c'")
        regex = self.pick("'a.c'", "'^a'", "'c$'", "'[a-c]+'", "'\\d'", "'^\\w+$'", "'\\s'", "'a|ü'", "''")
        part = self.pick("'a'", "'b'", "''", "'ü'", "'%'", "s")
        return self.pick(
            Boolean("({} " + self.pick("like", "not like", "ilike", "not ilike") + f" {pattern})", self.text(depth)),
            Boolean(f"regexp_like({{}}, {regex})", self.text(depth)),
            Boolean(f"(regexp_match({{}}, {regex}) is not null)", self.text(depth)),
            Boolean(self.pick("starts_with", "ends_with", "contains") + f"({{}}, {part})", self.text(depth)))

    def list_test(self, depth):
        return self.pick(
            Boolean("array_has(l, {})", self.integer_literal()), Boolean("array_has(l, {})", self.integer(0)),
            Boolean("array_has(w, {})", self.text_literal()), Boolean("array_has_any(l, [1, 7])"),
            Boolean("array_has_all(l, [1])"), Boolean("array_has_any(w, ['a', ''])"),
            Boolean("(cardinality(l) > {})", self.integer_literal()), Boolean("(l[1] = {})", self.integer_literal()),
            Boolean("(l[-1] > 0)"), Boolean("(array_length(w) = 2)"), Boolean("(l = [1, 2])"), Boolean("array_has(v, 2.5)"),
            Boolean("(v[1] > {})", self.real_literal()), Boolean("(array_max(l) > 1)"), Boolean("empty(l)"))

    def choice(self, depth):
        """Functions are where the reference engine takes case, casts and operators that it else refuses."""
        return self.pick(
            Boolean("(coalesce(case when {} then {} else {} end, 0) > 1)", self.boolean(0), self.integer(0), self.integer(0)),
            Boolean("coalesce({}, false)", self.boolean(depth)),
            Boolean("(nullif({}, {}) is null)", self.integer(0), self.integer_literal()),
            Boolean("(coalesce(case {} when 1 then 'a' when 2 then 'b' end, 'c') = 'a')", self.integer(0)))

    # Values. depth 0: a column or a literal.
    def integer(self, depth):
        if depth <= 0 or self.rng.random() < 0.4:
            return self.pick(Node(self.pick(*self.INTEGERS)), Node(self.pick(*self.INTEGERS)), self.integer_literal())
        inner = self.integer(depth - 1)
        return self.pick(
            Node("({} " + self.pick("+", "-", "*") + " {})", inner, self.integer(0)), Node("({} % 3)", inner), Node("({} / 2)", inner),
            Node("coalesce({}, {})", inner, self.integer_literal()), Node("length({})", self.text(0)), Node("octet_length({})", self.text(0)),
            # The reference engine compares years of nanoseconds with years that nanoseconds do not reach, and errs.
            Node("date_part('year', " + self.pick("us", "tz", "d") + ")"), Node("date_part('" + self.pick("month", "day", "dow", "doy", "week", "quarter", "hour", "second") + "', {})", self.time(0)),
            Node("date_part('" + self.pick("year", "month", "isodow") + "', d)"), Node("strpos({}, 'a')", self.text(0)), Node("ascii({})", self.text(0)),
            Node("cast({} as bigint)", self.pick(Node("b"), Node("n"), Node("d"), Node("i8"))), Node("try_cast({} as int)", self.text(0)),
            Node("(i32 << 1)"), Node("greatest({}, 1)", Node("i16")), Node("least(i16, {})", self.integer_literal()), Node("regexp_count(s, 'a')"))

    def integer_literal(self):
        return Node(str(self.pick(0, 1, 2, 3, 7, -3, 127, 300, -1)))

    def real(self, depth):
        if depth <= 0 or self.rng.random() < 0.4:
            return self.pick(Node(self.pick(*self.REALS)), Node(self.pick(*self.REALS)), self.real_literal())
        inner = self.real(depth - 1)
        return self.pick(
            Node("({} " + self.pick("+", "-", "*", "/") + " {})", inner, self.real(0)), Node("abs({})", inner), Node("round({})", inner),
            Node("round({}, 1)", inner), Node("sqrt(abs({}))", inner), Node("coalesce({}, {})", inner, self.real_literal()), Node("(-{})", Node("f64")),
            Node("cast({} as double)", self.pick(Node("i32"), Node("n"), Node("f32"))), Node("cast({} as float)", Node("f64")), Node("power(f64, 2)"),
            Node("nanvl({}, 0.0)", Node("f64")), Node("trunc(f64)"), Node("coalesce(floor(f64), 0)"))

    def real_literal(self):
        return Node(str(self.pick(0, 0.0, 1, 2.5, 0.1, -1.5, 3.0, 1e16, 1e30)))

    def decimal(self, depth):
        if depth <= 0 or self.rng.random() < 0.5:
            return self.pick(Node("n"), Node("n"), self.integer_literal(), Node("1.1"), Node("-2.5"))
        return self.pick(Node("(n + {})", self.integer_literal()), Node("(n - 1)"), Node("(n * 2)"), Node("(n / 2)"), Node("abs(n)"), Node("round(n, 1)"),
                         Node("cast({} as decimal(12, 3))", self.pick(Node("n"), Node("i16"), Node("f32"))), Node("cast(n as decimal(10, 1))"))

    def text(self, depth):
        if depth <= 0 or self.rng.random() < 0.5:
            return self.pick(Node(self.pick(*self.TEXT)), Node(self.pick(*self.TEXT)), self.text_literal())
        inner = self.text(depth - 1)
        return self.pick(
            Node("lower({})", inner), Node("upper({})", inner), Node("({} || 'x')", inner), Node("concat({}, {})", inner, self.text(0)), Node("btrim({})", inner),
            Node("replace({}, 'a', 'xy')", inner), Node("reverse({})", inner), Node("left({}, 2)", inner), Node("right({}, -1)", inner), Node("lpad({}, 4, '*')", inner),
            Node("coalesce(substr({}, 2, 2), 'q')", inner), Node("split_part({}, 'b', 1)", inner), Node("cast({} as string)", self.pick(*map(Node, ("i32", "b", "d", "n", "us", "f64", "f32", "u64")))),
            Node("coalesce({}, 'q')", inner), Node("initcap({})", inner) if False else Node("translate({}, 'ab', 'ba')", inner), Node("array_to_string(l, '-')"),
            Node("regexp_replace({}, 'a', 'Z')", inner), Node("concat_ws('-', {}, {})", inner, self.text(0)))

    def text_literal(self):
        return Node("{}", quoted(self.pick(*[t for t in TEXTS if "\n" not in t])))

    def date(self, depth):
        if depth <= 0 or self.rng.random() < 0.6:
            return self.pick(Node("d"), Node("d"), self.date_literal())
        return self.pick(Node("cast({} as date)", self.time(0)), Node("cast(d as date)"), Node("coalesce(d, {})", self.date_literal()))

    def date_literal(self):
        return Node("date '{}'", self.pick(*DATES))

    def time(self, depth):
        if depth <= 0 or self.rng.random() < 0.6:
            return self.pick(Node(self.pick(*self.TIME)), Node(self.pick(*self.TIME)), self.time_literal())
        return self.pick(Node("date_trunc('" + self.pick("year", "quarter", "month", "week", "day", "hour", "minute", "second") + "', {})", Node(self.pick(*self.TIME))),
                         Node("cast(d as timestamp)"), Node("cast(us as timestamp({}))", self.pick(0, 3, 6, 9)), Node("coalesce(us + interval '1 month', us)"))

    def time_literal(self):
        return Node("timestamp '{}'", self.pick(*TIMES))


def shrink(node, fails):
    """The smallest boolean part that still fails."""
    smaller = True
    while smaller:
        smaller = False
        for part in sorted(node.booleans(), key=lambda p: len(str(p))):
            if fails(str(part)):
                node, smaller = part, True
                break
    return str(node)
