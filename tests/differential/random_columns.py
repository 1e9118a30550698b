"""Random schemas and random data for data files, from a seed: every type that a file version can hold, with the shapes
that make writers choose different encodings (sequences, runs, few values, one value, all null, empty, huge)."""
import decimal
import random
import string

import numpy as np
import pyarrow as pa

UNITS = ["s", "ms", "us", "ns"]
COMPRESSIONS = ["none", "lz4", "zstd", "fsst"]


class RandomColumns:
    """One random table. `fields` is its schema; `table(rows)` makes data for it."""

    def __init__(self, seed, version):
        self.random = random.Random(seed)
        self.numpy = np.random.default_rng(seed)
        self.version = version
        count = self.random.randint(1, 4)
        self.schema = pa.schema([self.field(f"c{i}", 3) for i in range(count)])

    # Types ------------------------------------------------------------------------------------------------------
    def field(self, name, depth):
        kind = self.type(depth)
        metadata = {}
        if self.random.random() < 0.15:
            metadata["lance-encoding:compression"] = self.random.choice(COMPRESSIONS)
        if self.random.random() < 0.1:
            metadata["lance-encoding:structural-encoding"] = self.random.choice(["miniblock", "fullzip"])
        if pa.types.is_floating(kind) and self.random.random() < 0.3:
            metadata["lance-encoding:bss"] = "on"
            metadata["lance-encoding:compression"] = "lz4"
        nullable = self.random.random() < 0.8 or pa.types.is_null(kind)
        if pa.types.is_struct(kind) and all(self.is_fixed(f.type) for f in kind) and self.random.random() < 0.3:
            metadata["lance-encoding:packed"] = "true"
            kind = pa.struct([pa.field(f.name, f.type, False) for f in kind])
        return pa.field(name, kind, nullable, metadata or None)

    @staticmethod
    def is_fixed(kind):
        return pa.types.is_integer(kind) or pa.types.is_floating(kind)

    def type(self, depth):
        nested = ["list", "list", "large_list", "struct", "struct"]
        if self.version == "2.2":
            nested.append("map")
        if depth > 0 and self.random.random() < 0.35:
            return getattr(self, "type_" + self.random.choice(nested))(depth - 1)
        return self.leaf_type()

    def child(self, name, depth):
        kind = self.type(depth)
        return pa.field(name, kind, self.random.random() < 0.8 or pa.types.is_null(kind))

    def type_list(self, depth):
        return pa.list_(self.child("item", depth))

    def type_large_list(self, depth):
        return pa.large_list(self.child("item", depth))

    def type_struct(self, depth):
        return pa.struct([self.child(f"f{i}", depth) for i in range(self.random.randint(1, 3))])

    def type_map(self, depth):
        return pa.map_(self.random.choice([pa.string(), pa.int32()]), self.type(depth))

    def leaf_type(self):
        r = self.random
        simple = [pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(),
                  pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.date32(), pa.date64(), pa.string(),
                  pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.time32(r.choice(UNITS[:2])),
                  pa.time64(r.choice(UNITS[2:])), pa.timestamp(r.choice(UNITS), r.choice([None, "UTC", "+08:00"])),
                  pa.duration(r.choice(UNITS)), pa.decimal128(r.randint(10, 38), 2), pa.decimal256(50, 3),
                  pa.binary(r.choice([1, 3, 16, 300]))]
        if r.random() < 0.12:
            item = r.choice([pa.float32(), pa.float16(), pa.int8(), pa.int64(), pa.uint8()])
            return pa.list_(item, r.choice([1, 3, 16, 100]))
        if r.random() < 0.08:
            return pa.dictionary(r.choice([pa.int16(), pa.int32(), pa.uint8()]), pa.string())
        if r.random() < 0.02:
            return pa.null()
        return r.choice(simple)

    # Data -------------------------------------------------------------------------------------------------------
    def table(self, rows):
        columns = [self.array(f.type, rows, f.nullable, f.metadata is not None and b"lance-encoding:packed" in f.metadata)
                   for f in self.schema]
        return pa.table(columns, schema=self.schema)

    def array(self, kind, rows, nullable, is_packed=False):
        shape = self.random.choice(["dense", "some", "some", "most", "all", "one"]) if nullable else "dense"
        if pa.types.is_null(kind) or shape == "all":
            return self.all_null(kind, rows)
        mask = None
        if shape in ("some", "most"):
            mask = self.numpy.random(rows) < (0.1 if shape == "some" else 0.9)
        elif shape == "one" and rows:
            mask = np.zeros(rows, bool)
            mask[self.random.randrange(rows)] = True
        if pa.types.is_struct(kind):
            children = [self.array(f.type, rows, f.nullable and not is_packed) for f in kind]
            return pa.StructArray.from_arrays(children, fields=list(kind), mask=self.mask(mask))
        if pa.types.is_map(kind):
            return self.map_array(kind, rows, mask)
        if pa.types.is_list(kind) or pa.types.is_large_list(kind):
            return self.list_array(kind, rows, mask)
        if pa.types.is_fixed_size_list(kind):
            items = self.array(kind.value_type, rows * kind.list_size, self.random.random() < 0.3)
            made = pa.FixedSizeListArray.from_arrays(items, type=kind, mask=self.mask(mask))
            return made
        values = self.values(kind, rows)
        if mask is None:
            return values
        if pa.types.is_dictionary(kind):
            return pa.DictionaryArray.from_arrays(pa.array(values.indices.to_numpy(), kind.index_type, mask=mask), values.dictionary)
        if pa.types.is_temporal(kind):  # Python has no words for far and for very exact times
            numbers = f"int{kind.bit_width}"
            return pa.array(values.view(numbers).to_numpy(), numbers, mask=mask).view(kind)
        return pa.array([None if m else v for m, v in zip(mask, values.to_pylist())], kind)

    @staticmethod
    def mask(mask):
        return None if mask is None else pa.array(mask)

    def all_null(self, kind, rows):
        return pa.nulls(rows, kind)

    def offsets(self, rows, mask, narrow):
        style = self.random.choice(["short", "short", "empty", "long", "skewed"])
        lengths = self.numpy.integers(0, {"short": 4, "empty": 1, "long": 30, "skewed": 2}[style], rows, endpoint=False)
        if style == "skewed" and rows:
            lengths[self.random.randrange(rows)] = 1500
        if mask is not None:
            lengths[mask] = 0
        return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32 if narrow else np.int64)

    def list_array(self, kind, rows, mask):
        narrow = pa.types.is_list(kind)
        offsets = self.offsets(rows, mask, narrow)
        items = self.array(kind.value_type, int(offsets[-1]), kind.value_field.nullable)
        make = pa.ListArray if narrow else pa.LargeListArray
        return make.from_arrays(pa.array(offsets), items, type=kind, mask=self.mask(mask))

    def map_array(self, kind, rows, mask):
        offsets = self.offsets(rows, mask, True)
        count = int(offsets[-1])
        keys = self.values(kind.key_type, count)
        items = self.array(kind.item_type, count, True)
        if mask is None:
            return pa.MapArray.from_arrays(pa.array(offsets), keys, items).cast(kind)
        bits = pa.array([not m for m in mask], pa.bool_()).buffers()[1]
        entries = pa.StructArray.from_arrays([keys, items], fields=[kind.key_field, kind.item_field])
        return pa.Array.from_buffers(kind, rows, [bits, pa.py_buffer(offsets.tobytes())], children=[entries])

    def values(self, kind, rows):
        """Values without nulls, in one of the shapes that writers look for."""
        shape = self.random.choice(["random", "random", "small", "sequence", "runs", "few", "constant"])
        if pa.types.is_dictionary(kind):
            words = self.texts(self.random.randint(1, 40), "random")
            keys = self.numpy.integers(0, len(words), rows)
            return pa.DictionaryArray.from_arrays(pa.array(keys, kind.index_type), pa.array(words, kind.value_type))
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            return pa.array(self.texts(rows, shape), kind)
        if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            return pa.array([t.encode() + bytes([i % 256]) * (i % 3) for i, t in enumerate(self.texts(rows, shape))], kind)
        if pa.types.is_fixed_size_binary(kind):
            width = kind.byte_width
            pool = [self.random.randbytes(width) for _ in range(1 if shape == "constant" else 7 if shape == "few" else 500)]
            return pa.array([self.random.choice(pool) for _ in range(rows)], kind)
        if pa.types.is_boolean(kind):
            return pa.array(self.numbers(rows, shape, 2).astype(bool), kind)
        if pa.types.is_decimal(kind):
            return pa.array([decimal.Decimal(int(v)) / 100 for v in self.numbers(rows, shape, 2**31)], kind)
        if pa.types.is_floating(kind):
            if shape == "random":
                numbers = self.numpy.normal(size=rows)
                if rows > 3:
                    numbers[:3] = [np.inf, -np.inf, -0.0]
            else:
                numbers = self.numbers(rows, shape, 1000) / 7
            dtype = {16: np.float16, 32: np.float32, 64: np.float64}[kind.bit_width]
            return pa.array(numbers.astype(dtype), kind)
        bits = kind.bit_width
        if pa.types.is_time(kind):
            limit = {"s": 86400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}[kind.unit]
        elif pa.types.is_date(kind):
            limit = 20_000
        else:
            limit = 2 ** min(bits - 1, 62)
        numbers = self.numbers(rows, shape, limit)
        if pa.types.is_signed_integer(kind) and shape == "random":
            numbers = numbers - limit // 2
        if pa.types.is_date64(kind):
            numbers = numbers * 86_400_000
        return pa.array(numbers.astype(np.int64).astype(f"int{bits}"), f"int{bits}").view(kind)

    def numbers(self, rows, shape, limit):
        if shape == "constant":
            return np.full(rows, self.random.randrange(min(limit, 2**60)))
        if shape == "sequence":
            return np.arange(rows, dtype=np.int64) % limit
        if shape == "runs":
            runs = self.numpy.integers(0, limit, rows // 20 + 1)
            return np.resize(np.repeat(runs, 40), rows)
        if shape == "few":
            return self.numpy.choice(self.numpy.integers(0, limit, 12), rows)
        if shape == "small":
            limit = min(limit, 1000)
        return self.numpy.integers(0, limit, rows)

    def texts(self, rows, shape):
        r = self.random
        if shape == "constant":
            return ["the same text"] * rows
        if shape == "few":
            pool = ["".join(r.choices(string.ascii_letters, k=r.randint(0, 30))) for _ in range(9)]
            return r.choices(pool, k=rows)
        if shape == "sequence":
            return [f"https://example.org/item/{i}" for i in range(rows)]
        if shape == "runs" and rows and r.random() < 0.3:  # a few values far larger than the others
            texts = ["x" * r.randint(0, 5) for _ in range(rows)]
            texts[r.randrange(rows)] = "huge " * 20_000
            return texts
        if shape == "small":
            return ["".join(r.choices("abcé ", k=r.randint(0, 4))) for _ in range(rows)]
        if r.random() < 0.3:
            return ["".join(r.choices(string.printable, k=r.randint(200, 400))) for _ in range(min(rows, 200))] + [""] * max(0, rows - 200)
        words = ["".join(r.choices(string.ascii_lowercase, k=r.randint(2, 9))) for _ in range(50)]
        return [" ".join(r.choices(words, k=r.randint(0, 8))) for _ in range(rows)]
