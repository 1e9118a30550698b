"""One writer process of the race test: a pylance user with a handle of its own, who logs what it committed.

Reads commands as JSON lines on stdin, answers one JSON line each:
  {"open": path, "seed": n, "slot": i, "slots": n}   opens the table and keeps the handle
  {"go": operations, "pause_ms": p}                  commits that many operations, the first ones on the kept handle
The log: {"operations": [[kind, version or null, message or null, on the first handle], ..], "rows": {key: value}, "gone": [keys],
"new": [keys]}. A version of null means refused, and nothing changed. Every writer owns the keys with
key % slots == slot, so the writers' effects commute and the logs can be replayed in any order.
"""
import json
import os
import random
import sys
import time

os.environ.setdefault("LANCE_CPU_THREADS", "1")
os.environ.setdefault("LANCE_IO_THREADS", "2")
os.environ.setdefault("TOKIO_WORKER_THREADS", "2")

import lance  # noqa: E402
import pyarrow as pa  # noqa: E402

STALE_OPERATIONS = 2  # this many are tried on the handle from before
TRIES_MAX = 4


def rows(keys, value):
    return pa.table({"k": pa.array(keys, pa.int64()), "g": pa.array([k % 10 for k in keys], pa.int32()),
                     "v": pa.array([value] * len(keys), pa.int64())})


class Writer:
    def __init__(self, kind):
        self.kind = kind

    def open(self, path, seed, slot, slots):
        self.path, self.slot, self.slots = path, slot, slots
        self.random = random.Random(seed)
        self.dataset = lance.dataset(path)
        table = self.dataset.to_table(columns=["k", "v"])
        self.rows = {k: v for k, v in zip(*(table.column(c).to_pylist() for c in ("k", "v"))) if k % slots == slot}
        self.gone, self.new = [], []
        self.next_key = 1_000_000 + slot
        self.serial = 0

    def fresh_keys(self, count):
        keys = [self.next_key + i * self.slots for i in range(count)]
        self.next_key += count * self.slots
        return keys

    def value(self):
        self.serial += 1
        return self.slot * 1_000_000 + self.serial

    def some(self, count):
        keys = sorted(self.rows)
        return self.random.sample(keys, min(count, len(keys)))

    # Each operation returns the version it made and what to do with the model once it is known to be committed.
    def append(self):
        keys, value = self.fresh_keys(self.random.randint(1, 5)), self.value()
        made = lance.write_dataset(rows(keys, value), self.dataset, mode="append")
        self.dataset = made
        return made.version, lambda: self.put(keys, value)

    def delete(self):
        keys = self.some(2)
        self.dataset.delete(f"k IN ({', '.join(map(str, keys))})")
        return self.dataset.version, lambda: self.drop(keys)

    def update(self):
        keys, value = self.some(3), self.value()
        self.dataset.update({"v": str(value)}, where=f"k IN ({', '.join(map(str, keys))})")
        return self.dataset.version, lambda: self.put(keys, value)

    def merge_insert(self):
        keys, value = self.some(2) + self.fresh_keys(self.random.randint(0, 2)), self.value()
        names = [n for n in self.dataset.schema.names if n not in ("k", "g", "v")]
        source = rows(keys, value)
        for name in names:
            source = source.append_column(name, pa.array([2 * k for k in keys], pa.int64()))
        (self.dataset.merge_insert("k").when_matched_update_all().when_not_matched_insert_all().execute(source))
        return self.dataset.version, lambda: self.put(keys, value)

    def compact(self):
        before = self.dataset.version
        self.dataset.optimize.compact_files(target_rows_per_fragment=self.random.choice([20, 1000]))
        return (self.dataset.version if self.dataset.version != before else None), lambda: None

    def create_index(self):
        column, kind = self.random.choice([("k", "BTREE"), ("g", "BITMAP")])
        self.dataset.create_scalar_index(column, kind, name=f"{column}_{self.random.randint(0, 1)}", replace=True)
        return self.dataset.version, lambda: None

    def optimize_indices(self):
        before = self.dataset.version
        self.dataset.optimize.optimize_indices()
        return (self.dataset.version if self.dataset.version != before else None), lambda: None

    def add_columns(self):
        self.serial += 1
        self.dataset.add_columns({f"c{self.slot}_{self.serial}": "k * 2"})
        return self.dataset.version, lambda: None

    def put(self, keys, value):
        for k in keys:
            if k not in self.rows:
                self.new.append(k)
            self.rows[k] = value

    def drop(self, keys):
        for k in keys:
            del self.rows[k]
        self.gone += keys

    def go(self, operations, pause_ms):
        log = []
        for i in range(operations):
            kind = self.random.choice(["create_index", "optimize_indices"]) if self.kind == "index" else self.kind
            for attempt in range(TRIES_MAX):
                if i >= STALE_OPERATIONS or attempt:
                    self.dataset = lance.dataset(self.path)
                time.sleep(self.random.random() * pause_ms / 1000)
                try:
                    version, learn = getattr(self, kind)()
                except BaseException as error:  # noqa: BLE001  a panic of the engine is no Exception
                    if isinstance(error, (KeyboardInterrupt, SystemExit)):
                        raise
                    log.append([kind, None, f"{type(error).__name__}: {error}"[:300], i + attempt == 0])
                    continue
                learn()
                log.append([kind, version, None, i + attempt == 0])
                break
        return {"operations": log, "rows": {str(k): v for k, v in self.rows.items()}, "gone": self.gone, "new": self.new}


def main():
    writer = Writer(sys.argv[1])
    for line in sys.stdin:
        command = json.loads(line)
        if "open" in command:
            writer.open(command["open"], command["seed"], command["slot"], command["slots"])
            answer = {"version": writer.dataset.version}
        else:
            answer = writer.go(command["go"], command["pause_ms"])
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
