#!/usr/bin/env python3
"""Rows by id, end to end: real tables, both libraries, fresh processes, the time after they have started.

Tables are made once with the reference engine and kept in .cache/bench. A task is given to a new process of each side, by
turns; the answers are compared first. `first` counts opening the table.

  ./dev bench take_ids [--json] [--runs N]
"""
import argparse
import pathlib
import random
import shutil
import sys

import read
import report

BENCH = "take_ids"


def make(name, write):
    path = read.CACHE / f"{name}.lance"
    if not path.exists():
        print(f"making {path.name}", file=sys.stderr)
        read.CACHE.mkdir(parents=True, exist_ok=True)
        unfinished = read.CACHE / f"{name}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        write(str(unfinished))
        unfinished.rename(path)
    return str(path)


def write_deleted(path, rows, rows_per_file, where):
    import lance
    read.write(path, rows, "2.1", rows_per_file, stable=True)
    lance.dataset(path).delete(where)


def write_updated(path):
    import lance
    read.write(path, 5_000_000, "2.1", 5_000, stable=True)
    lance.dataset(path).update({"score": "score + 1"}, where="id % 100 = 7")


def fresh(side, tasks):
    """The answers of one new process to tasks in turn."""
    one = side()
    answers = [one.run(task) for task in tasks]
    one.close()
    return answers


def compare(results, name, tasks, targets, runs, clock):
    """Runs `tasks` (label, task) in fresh processes; the n-th has the target targets[n] or None."""
    labels = [label for label, _ in tasks]
    tasks = [task for _, task in tasks]
    asked = [{**task, "digest": True} for task in tasks]
    for label, ours, theirs in zip(labels, fresh(read.Ours, asked), fresh(read.Reference, asked)):
        read.check_answers(ours, theirs, f"{name}: {label}")
    ours, theirs = [], []
    for _ in range(runs):
        ours.append(fresh(read.Ours, tasks))
        theirs.append(fresh(read.Reference, tasks))
    for i, label in enumerate(labels):
        mine, other = (report.median([run[i][clock] for run in side]) for side in (ours, theirs))
        results.append(report.case(f"{name}: {label}", "ms", 1e3 * mine, 1e3 * other))
        results[-1]["target"] = f"{targets[i]}x" if targets[i] else None
        results[-1]["met"] = None if targets[i] is None else other / mine >= targets[i]
    return ours


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    results = []
    chosen = random.Random(3)

    table = make("deletions-10000", lambda p: write_deleted(p, 1_000_000, 100, "id % 100 = 50"))
    first = {"kind": "take_ids", "table": table, "ids": [777_701], "opens": True}
    compare(results, "10,000 fragments, a deletion each", [("first take of 1 id", first)], [20], arguments.runs, "cpu_seconds")
    counted = {**first, "count_calls": True}
    calls = fresh(read.Ours, [counted])[0]
    results.append(report.case("10,000 fragments, a deletion each: store reads", "calls", calls["calls"], None, 6))
    results.append(report.case("10,000 fragments, a deletion each: bytes read", "kB", calls["bytes"] / 1e3))

    table = make("deleted-tenth", lambda p: write_deleted(p, 1_000_000, 1_000_000, "id % 10 = 3"))
    live = [i for i in chosen.sample(range(1_000_000), 1200) if i % 10 != 3][:1000]
    task = {"kind": "take_ids", "table": table, "ids": live}
    compare(results, "1 fragment, a tenth deleted",
            [("first take of 1,000 ids", {**task, "opens": True}), ("warm", task), ("warm again", task)], [None, 10, 10],
            arguments.runs, "seconds")

    table = make("updated-scattered", write_updated)
    ids = chosen.sample(range(5_000_000), 20)
    compare(results, "5 million rows in 1,000 fragments, 1 % updated",
            [("first take of 10 ids", {"kind": "take_ids", "table": table, "ids": ids[:10], "opens": True}),
             ("second, 10 others", {"kind": "take_ids", "table": table, "ids": ids[10:]})], [10, 3], arguments.runs, "seconds")
    return report.show(BENCH, results, arguments.json)


if __name__ == "__main__":
    assert pathlib.Path(read.TASKS).exists(), f"{read.TASKS} is missing"
    sys.exit(main())
