#!/usr/bin/env python3
"""Cost of metadata: opening and migrating tables of many fragments, and the program's own start and size.

Each figure is that of a whole process, start included. The reference is what pylance needs for the same facts inside
a process that has already imported it; it has no migration to call from Python.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import report

sys.path.insert(0, str(report.ROOT / "tests/differential"))
import manifest_bytes  # noqa: E402

BENCH = "metadata"


def open_with_reference(path, num_fragments):
    import lance
    begin = time.perf_counter()
    dataset = lance.dataset(path)
    facts = (dataset.version, dataset.count_rows(), len(dataset.get_fragments()), dataset.has_stable_row_ids)
    seconds = time.perf_counter() - begin
    assert facts == (1, 1000 * num_fragments, num_fragments, False), facts
    return seconds


def check_info(text, num_fragments):
    info = json.loads(text)
    facts = (info["row_count"], info["num_fragments"])
    assert facts == (1000 * num_fragments, num_fragments), facts


def check_migrated(path, num_fragments):
    """The migrated table, read by the reference."""
    import lance
    dataset = lance.dataset(path)
    assert dataset.version == 2 and dataset.has_stable_row_ids and len(dataset.get_fragments()) == num_fragments


def measure(folder, num_fragments, runs, targets):
    results = []
    table = str(folder / f"wide{num_fragments}.lance")
    manifest_bytes.make_wide_table(table, num_fragments)
    theirs = [report.in_child(open_with_reference, table, num_fragments) for _ in range(runs)]
    infos = [report.run_program(["info", table, "--json"]) for _ in range(runs)]
    check_info(infos[0].out, num_fragments)
    migrations = []
    for i in range(runs):
        copy = f"{table}.copy{i}"
        shutil.copytree(table, copy)
        migrations.append(report.run_program(["migrate", copy, "--json"], fsync=False))
        if i == 0:
            check_migrated(copy, num_fragments)
        shutil.rmtree(copy)
    label = f"{num_fragments:,} fragments"
    for verb, ours in (("info", infos), ("migrate without fsync", migrations)):
        base = theirs if verb == "info" else []
        results.append(report.case(f"{verb}, {label}", "ms", 1e3 * report.median([o.seconds for o in ours]),
                                   1e3 * report.median([t[0] for t in base]) if base else None,
                                   targets[verb][0]))
        results.append(report.case(f"{verb}, {label}, CPU", "ms", 1e3 * report.median([o.cpu_seconds for o in ours])))
        results.append(report.case(f"{verb}, {label}, peak memory", "MB", max(o.peak_bytes for o in ours) / 1e6,
                                   max(t[1] for t in base) / 1e6 if base else None, targets[verb][1]))
    return results


def small_table(folder, runs):
    golden = report.ROOT / "tests/golden/14.0.2/datasets/delete_few.plain.v2_1.lance"
    table = folder / "small.lance"
    shutil.copytree(golden, table)
    report.run_program(["info", str(table)])
    costs = [report.run_program(["info", str(table), "--json"]) for _ in range(runs)]
    return [report.case("info, small table", "ms", 1e3 * report.median([c.seconds for c in costs]), target=15),
            report.case("info, small table, CPU", "ms", 1e3 * report.median([c.cpu_seconds for c in costs]))]


def program_size(folder):
    stripped = folder / "stripped"
    subprocess.run(["strip", "-o", str(stripped), str(report.PROGRAM)], check=True)
    return [report.case("program, stripped, without Arrow", "MB", stripped.stat().st_size / 1e6, target=20)]


def main():
    parser = argparse.ArgumentParser(prog="./dev bench metadata")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pennon-bench-") as name:
        folder = pathlib.Path(name)
        results = small_table(folder, 21) + program_size(folder)
        results += measure(folder, 1000, 9, {"info": (None, None), "migrate without fsync": (30, None)})
        results += measure(folder, 100_000, 5, {"info": (1500, 400), "migrate without fsync": (1500, 400)})
    return report.show(BENCH, results, arguments.json)


if __name__ == "__main__":
    sys.exit(main())
