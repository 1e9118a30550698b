#!/usr/bin/env python3
"""Reading: scans, filters, counts and takes, library against library, at file versions 2.2 and 2.0.

Tables are made once with the reference and kept in .cache/bench. Ours runs in one process that stays, the reference
in another; the answers are compared first. They take turns, the page cache warm: in a turn a side runs the task for a tenth of
a second, at least twice, and the median of all runs but the first counts, for that one finds the processor's caches full of
the other engine's data. Each figure is the median over the turns; for tasks of a few milliseconds the first runs are shown as
well ("first in its turn").
"""
import argparse
import json
import multiprocessing
import pathlib
import random
import shutil
import subprocess
import sys
import time

import report

BENCH = "read"
CACHE = report.ROOT / ".cache/bench"
TASKS = report.ROOT / "build/release/bench/read_tasks"
ROWS = 10_000_000
VERSIONS = ("2.2", "2.0")
TURN_SECONDS = 0.1


# ------------------------------------------------------------------ tables
def batches(rows, seed=7, step=250_000):
    import numpy as np
    import pyarrow as pa
    random_numbers = np.random.default_rng(seed)
    for begin in range(0, rows, step):
        count = min(step, rows - begin)
        ids = np.arange(begin, begin + count, dtype=np.int64)
        stamps = 1_700_000_000_000_000 + ids * 1_000_000 + random_numbers.integers(0, 1_000_000, count)
        words = random_numbers.integers(0, 2**40, count)
        lengths = random_numbers.integers(8, 25, count)
        names = [f"user-{word:012d}-{word:09d}"[:length] for word, length in zip(words, lengths)]
        vectors = random_numbers.normal(size=count * 16).astype(np.float32)
        yield pa.RecordBatch.from_arrays(
            [pa.array(ids), pa.array(stamps, pa.timestamp("us")), pa.array(names), pa.array(random_numbers.normal(size=count)),
             pa.FixedSizeListArray.from_arrays(pa.array(vectors), 16)],
            ["id", "stamp", "name", "score", "vector"])


def write(path, rows, version, rows_per_file, stable=False):
    import lance
    import pyarrow as pa
    made = batches(rows)
    first = next(made)

    def all_batches():
        yield first
        yield from made

    reader = pa.RecordBatchReader.from_batches(first.schema, all_batches())
    lance.write_dataset(reader, path, data_storage_version=version, max_rows_per_file=rows_per_file,
                        enable_stable_row_ids=stable)


def scatter(path):
    """Updates rows all over the table, ten times, so that ids lie in many pieces."""
    import lance
    dataset = lance.dataset(path)
    for i in range(10):
        dataset.update({"score": "score + 1"}, where=f"id % 97 = {i}")


def make_tables():
    """{name: path}; makes what is not in the cache yet."""
    tables = {}
    for version in VERSIONS:
        for name, make in {
                f"big-{version}": lambda p, v=version: write(p, ROWS, v, ROWS // 4),
                f"million-{version}": lambda p, v=version: write(p, 1_000_000, v, 1_000_000),
                f"small-{version}": lambda p, v=version: write(p, 100_000, v, 100),
        }.items():
            tables[name] = make
    tables["ids-clean"] = lambda p: write(p, 2_000_000, "2.2", 500_000, stable=True)

    def scattered(path):
        write(path, 2_000_000, "2.2", 500_000, stable=True)
        scatter(path)

    tables["ids-scattered"] = scattered
    CACHE.mkdir(parents=True, exist_ok=True)
    paths = {}
    for name, make in tables.items():
        path = CACHE / f"{name}.lance"
        if not path.exists():
            print(f"making {path.name}", file=sys.stderr)
            unfinished = CACHE / f"{name}.unfinished"
            shutil.rmtree(unfinished, ignore_errors=True)
            make(str(unfinished))
            unfinished.rename(path)
        paths[name] = str(path)
    return paths


# ------------------------------------------------------------------ the two sides
class Ours:
    def __init__(self):
        self.process = subprocess.Popen([str(TASKS)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, task):
        self.process.stdin.write(json.dumps(task) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            sys.exit(f"{task['kind']} on {task.get('table')}: {answer['error']}")
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def sums_of(batches):
    import numpy as np
    import pyarrow as pa
    sums = {}
    for batch in batches:
        for name, column in zip(batch.schema.names, batch.columns):
            if pa.types.is_integer(column.type) or pa.types.is_timestamp(column.type):
                values = column.cast(pa.int64()).to_numpy(zero_copy_only=False)
                total = float(np.sum(values % 1000003))
            elif pa.types.is_floating(column.type):
                total = float(np.sum(column.to_numpy(zero_copy_only=False)))
            elif pa.types.is_string(column.type):
                total = float(pa.compute.sum(pa.compute.binary_length(column)).as_py() or 0)
            else:
                total = float(np.sum(column.flatten().to_numpy(zero_copy_only=False).astype(np.float64)))
            sums[name] = sums.get(name, 0.0) + total
    return sums


def reference_task(task, datasets):
    import lance
    import pyarrow.compute  # noqa: F401
    table = task["table"]
    kept = []
    opens = task.get("opens")  # opening belongs to the task
    if not opens and table not in datasets:
        datasets[table] = lance.dataset(table)
    begin = time.perf_counter()
    cpu = time.process_time()
    if opens:
        datasets[table] = lance.dataset(table)
    dataset = datasets[table]
    if task["kind"] == "scan":
        options = {}
        if "columns" in task:
            options["columns"] = task["columns"]
        if task.get("with_row_id"):
            options["with_row_id"] = True
        if "where" in task:
            options["filter"] = task["where"]
        if "batch_rows" in task:
            options["batch_size"] = task["batch_rows"]
        rows = 0
        for batch in dataset.scanner(**options).to_batches():
            rows += batch.num_rows
            if task.get("digest"):
                kept.append(batch)
    elif task["kind"] == "count":
        rows = dataset.count_rows(task["where"])
    else:
        taken = dataset._take_rows(task["addresses"] if task["kind"] == "take" else task["ids"])
        rows = taken.num_rows
        if task.get("digest"):
            kept = taken.to_batches()
    answer = {"rows": rows, "seconds": time.perf_counter() - begin, "cpu_seconds": time.process_time() - cpu}
    if task.get("count_calls"):
        dataset.io_stats_incremental()
        if task["kind"] == "take":
            dataset._take_rows(task["addresses"])
        stats = dataset.io_stats_incremental()
        answer["calls"], answer["bytes"] = stats.read_iops, stats.read_bytes
    if task.get("digest"):
        answer["sums"] = sums_of(kept)
    return answer


def reference_loop(pipe):
    datasets = {}
    while (task := pipe.recv()) is not None:
        try:
            pipe.send(reference_task(task, datasets))
        except Exception as error:  # noqa: BLE001  the other side ends the benchmark
            pipe.send({"error": str(error)})


class Reference:
    def __init__(self):
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=reference_loop, args=(other,))
        self.process.start()

    def run(self, task):
        self.pipe.send(task)
        answer = self.pipe.recv()
        if "error" in answer:
            sys.exit(f"reference, {task['kind']} on {task.get('table')}: {answer['error']}")
        return answer

    def close(self):
        self.pipe.send(None)
        self.process.join()


# ------------------------------------------------------------------ measuring
def check_answers(ours, theirs, label):
    if ours["rows"] != theirs["rows"]:
        sys.exit(f"{label}: {ours['rows']} rows, the reference has {theirs['rows']}")
    for name, total in theirs.get("sums", {}).items():
        if abs(ours.get("sums", {}).get(name, 0.0) - total) > 1e-6 * max(1.0, abs(total)):
            sys.exit(f"{label}: column {name} sums to {ours['sums'].get(name)}, the reference has {total}")


def turn(side, task):
    """Runs a task for TURN_SECONDS: the first run's time, and the medians of the others."""
    end = time.perf_counter() + TURN_SECONDS
    runs = [side.run(task), side.run(task)]
    while time.perf_counter() < end:
        runs.append(side.run(task))
    return {"first_seconds": runs[0]["seconds"],
            **{figure: report.median([run[figure] for run in runs[1:]]) for figure in ("seconds", "cpu_seconds")}}


class Bench:
    def __init__(self, runs):
        self.runs = runs
        self.ours = Ours()
        self.reference = Reference()
        self.results = []

    def compare(self, label, task, target=None, runs=None, per_second=None, batch_choices=(None,), first_too=False):
        """Times a task on both sides. The reference gets the batch size that suits it best."""
        runs = runs or self.runs
        check_answers(self.ours.run({**task, "digest": True}), self.reference.run({**task, "digest": True}), label)
        choices = [task if rows is None else {**task, "batch_rows": rows} for rows in batch_choices]
        self.ours.run(task)
        best = min(choices, key=lambda choice: min(self.reference.run(choice)["seconds"] for _ in range(2)))
        turns = [(turn(self.ours, task), turn(self.reference, best)) for _ in range(runs)]
        ours, theirs = [mine for mine, _ in turns], [other for _, other in turns]

        def add(label, figure, target=None):
            mine = report.median([runs[figure] for runs in ours])
            other = report.median([runs[figure] for runs in theirs])
            if per_second:
                self.results.append(report.case(label, per_second[0], per_second[1] / mine, per_second[1] / other,
                                                None, less_is_better=False))
            else:
                self.results.append(report.case(label, "ms", 1e3 * mine, 1e3 * other))
            self.results[-1]["target"] = f"{target}x" if target else None
            self.results[-1]["met"] = None if target is None else other / mine >= target
            return mine

        mine = add(label, "seconds", target)
        if first_too:
            add(f"{label}, first in its turn", "first_seconds")
        self.results.append(report.case(f"{label}, CPU", "ms", 1e3 * report.median([run["cpu_seconds"] for run in ours]),
                                        1e3 * report.median([run["cpu_seconds"] for run in theirs])))
        spread = max(run["seconds"] for run in ours) / min(run["seconds"] for run in ours)
        self.results[-1]["spread"] = round(spread, 2)
        return mine

    def close(self):
        self.ours.close()
        self.reference.close()


def peak_of_scan(table):
    ours = Ours()
    answer = ours.run({"kind": "scan", "table": table})
    ours.close()
    return answer["peak_bytes"] / 1e6


def main():
    parser = argparse.ArgumentParser(prog="./dev bench read")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--only", default="", help="only cases whose name contains this")
    arguments = parser.parse_args()
    paths = make_tables()
    bench = Bench(arguments.runs)
    wanted = lambda label: arguments.only in label  # noqa: E731
    sizes = (None, 65536)
    for version in VERSIONS:
        big = paths[f"big-{version}"]
        if wanted(label := f"scan, all columns, {version}"):
            bench.compare(label, {"kind": "scan", "table": big}, 2, per_second=("Mrows/s", ROWS / 1e6), batch_choices=sizes)
        if wanted(label := f"scan, one int64 column, {version}"):
            seconds = bench.compare(label, {"kind": "scan", "table": big, "columns": ["id"]}, 4,
                                    per_second=("Mrows/s", ROWS / 1e6), batch_choices=sizes, first_too=True)
            copies = [bench.ours.run({"kind": "copy", "bytes": 8 * ROWS})["seconds"] for _ in range(7)]
            bench.results.append(report.case(f"{label}, against a plain copy", "times as long",
                                             seconds / report.median(copies)))
        where = "score > 2.326"
        if wanted(label := f"filter, 1 % of rows, all columns, {version}"):
            bench.compare(label, {"kind": "scan", "table": big, "where": where}, 2, batch_choices=sizes)
        if wanted(label := f"count with a filter, {version}"):
            bench.compare(label, {"kind": "count", "table": big, "where": where}, 3)
        chosen = random.Random(5).sample(range(1_000_000), 1000)
        if wanted(label := f"take 1,000 rows of a million, {version}"):
            million = paths[f"million-{version}"]
            bench.compare(label, {"kind": "take", "table": million, "addresses": chosen}, 5, runs=15)
            task = {"kind": "take", "table": million, "addresses": chosen, "count_calls": True}
            bench.ours.run(task)
            mine, other = bench.ours.run(task), bench.reference.run(task)
            bench.results.append(report.case(f"{label}, store calls", "calls", mine["calls"], other["calls"]))
            bench.results[-1]["met"] = mine["calls"] <= other["calls"]
            bench.results.append(report.case(f"{label}, bytes read", "MB", mine["bytes"] / 1e6, other["bytes"] / 1e6))
            bench.results[-1]["met"] = mine["bytes"] <= other["bytes"]
        if wanted(label := f"take a row of each of 1,000 fragments, {version}"):
            addresses = [(i << 32) + i % 100 for i in range(1000)]
            bench.compare(label, {"kind": "take", "table": paths[f"small-{version}"], "addresses": addresses}, 10, runs=15)
        if wanted(label := f"scan, peak memory, {version}"):
            bench.results.append(report.case(label, "MB", peak_of_scan(big), None, 300))
    for name, target in (("clean", 2), ("scattered", 10)):
        if wanted(label := f"_rowid alone, {name}"):
            bench.compare(label, {"kind": "scan", "table": paths[f"ids-{name}"], "columns": [], "with_row_id": True},
                          target, batch_choices=sizes, first_too=True)
    bench.close()
    return report.show(BENCH, bench.results, arguments.json)


if __name__ == "__main__":
    sys.exit(main())
