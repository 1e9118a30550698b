#!/usr/bin/env python3
"""Row id look-ups and sequences: ours against the reference engine's own crate, on the same bytes and questions.

Both sides are small programs that read the same files: `rowids_scenarios` of ours and the cargo program in
bench/vs_reference/rowids, built with the reference's release settings (thin LTO, AVX2). Figures are CPU time of the
process, the least of several rounds; the two run by turns, and the least over the turns counts. Answers are compared
before a figure is believed. Without cargo, and with --ours-only, our figures alone are shown.

  ./dev bench rowids [--json] [--only TEXT] [--turns N] [--ours-only]
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import report

BENCH = "rowids"
OURS = report.ROOT / "build/release/bench/rowids_scenarios"
CRATE = report.ROOT / "bench/vs_reference/rowids"
REFERENCE = report.ROOT / "build/reference/release/rowids-reference"
REFERENCE_SECONDS = 1.0  # of single look-ups; it needs 50 us for some

# How many times the reference's figure ours may be; "first" and "all" are from encoded bytes to the first answer and to
# the millionth, "each" is a look-up of the million, what the index makes on the way included.
INDEX_TARGETS = {
    "range_1": {"first": 1, "each": 1}, "range_1000": {"first": 1, "each": 1}, "range_10000": {"first": 1, "each": 1},
    "deleted_1": {"first": 1 / 20, "each": 1 / 300}, "deleted_100": {"each": 0.7},
    "holes_1": {"each": 0.8}, "bitmap_10": {"each": 0.8}, "bitmap_50": {"each": 0.8}, "runs_250": {"each": 0.8},
    "sorted_5": {"each": 0.1}, "dealt_16": {"each": 0.03},
    "dealt_100": {"first": 1 / 100, "all": 1 / 5}, "shuffled_1": {"first": 1 / 100, "all": 1 / 5},
    "shuffled_10": {"first": 1 / 100, "all": 1 / 5}, "shuffled_100": {"first": 1 / 100, "all": 1 / 5},
    "updates_20": {"each": 0.05}, "updates_100": {"first": 1 / 100, "each": 1 / 100},
}
BATCH_TARGET = 0.7
MEMORY_TARGET = 0.5  # of the reference's where it keeps more than a few bytes an id
MEMORY_BYTES_PER_ID = 12
IDS = {"range_1000": 10**8, "range_10000": 10**9, "deleted_1": 10**6}
SEQUENCE_TARGETS = {
    "read": 0.5, "write": 0.1, "get": 0.01, "iterate": 0.5, "slice": 0.01, "mask": 0.5, "rechunk": 0.5,
}
SEQUENCE_CASES = {  # which figures are held to a target, by scenario; others are shown
    "seq_range": ["iterate", "mask", "rechunk"], "seq_holes": ["get", "slice", "iterate", "mask", "rechunk"],
    "seq_bitmap": ["get", "slice", "iterate", "mask", "rechunk"],
    "seq_sorted": ["read", "write", "iterate", "mask", "rechunk"],
    "seq_array": ["read", "write", "iterate", "mask", "rechunk"],
    "seq_array_u64": ["read", "write", "iterate", "mask", "rechunk"],
}
HOLES_ITERATE = 0.15
# A hundredth of what a walk over the holes takes (66 us). The crate bisects them: a hundredth of that is less than one look
# into memory takes, so it is shown and not held to.
HOLES_GET_NS = 660
SCALE_FIRST_MS = 100
SCALE_MEMORY = 1.2


def run(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(str(part) for part in command)}: exit {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def build(ours_only):
    subprocess.run(["cmake", "--preset", "release"], cwd=report.ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "--preset", "release", "--target", "rowids_scenarios"], cwd=report.ROOT,
                   check=True, stdout=sys.stderr)
    if ours_only:
        return False
    cargo = shutil.which("cargo") or shutil.which("cargo", path=pathlib.Path.home() / ".cargo/bin")
    if cargo is None:
        print("no cargo: the reference's figures are left out", file=sys.stderr)
        return False
    environment = dict(os.environ, RUSTFLAGS="-C target-cpu=haswell")
    subprocess.run([cargo, "build", "--release", "--target-dir", report.ROOT / "build/reference"], cwd=CRATE,
                   check=True, env=environment, stdout=sys.stderr)
    return True


def least(figures):
    """The least of each figure over several turns; memory does not vary."""
    return {key: min(turn[key] for turn in figures) for key in figures[0]}


def compare(name, ours, theirs):
    """Theirs may hold fewer answers: it stops when its time is up."""
    with open(ours, "rb") as left, open(theirs, "rb") as right:
        answers = right.read()
        if left.read(len(answers)) != answers or not answers:
            sys.exit(f"{name}: the answers differ")


def turns(name, job, path, folder, count, with_reference):
    ours, theirs = [], []
    for _ in range(count):
        batch = 1_000_000
        if with_reference:
            extra = [REFERENCE_SECONDS] if job == "index" else []
            theirs.append(json.loads(run([REFERENCE, job, path, folder / "theirs", *extra])))
            batch = theirs[-1].get("batch", batch)
        ours.append(json.loads(run([OURS, job, path, folder / "ours", *([batch] if job == "index" else [])])))
        if with_reference:
            compare(name, folder / "ours", folder / "theirs")
    return least(ours), least(theirs) if theirs else None


def figure(results, label, unit, ours, theirs, limit, scale=1.0):
    """One line; the target is `limit` times the reference's figure, so it moves with the machine."""
    target = None if theirs is None or limit is None else theirs * limit / scale
    results.append(report.case(label, unit, ours / scale, None if theirs is None else theirs / scale,
                               None if target is None else float(f"{target:.4g}")))


def index_results(name, ours, theirs):
    results, targets = [], INDEX_TARGETS[name]
    figure(results, f"{name}: first", "us", ours["first_ns"], theirs and theirs["first_ns"], targets.get("first"), 1e3)
    figure(results, f"{name}: each", "ns", ours["each_ns"], theirs and theirs["each_ns"], targets.get("each"))
    figure(results, f"{name}: each, warm", "ns", ours["warm_ns"], theirs and theirs["each_ns"], None)
    if "all" in targets:
        every = theirs and theirs["first_ns"] + theirs["each_ns"] * 1e6
        figure(results, f"{name}: 10^6 answers from the bytes", "ms", ours["all_ns"], every, targets["all"], 1e6)
    for order in ("sorted", "unsorted"):
        figure(results, f"{name}: batch, {order}, each", "ns", ours[f"{order}_ns"], theirs and theirs[f"{order}_ns"],
               BATCH_TARGET)
    ids = IDS.get(name, 10**7)
    keeps = theirs is not None and theirs["memory_bytes"] >= 4 * ids
    results.append(report.case(f"{name}: memory beyond the bytes, an id", "B", ours["memory_bytes"] / ids,
                               theirs and theirs["memory_bytes"] / ids,
                               min(MEMORY_BYTES_PER_ID, theirs["memory_bytes"] / ids * MEMORY_TARGET) if keeps
                               else MEMORY_BYTES_PER_ID))
    return results


def sequence_results(name, ours, theirs):
    results = []
    for verb, limit in SEQUENCE_TARGETS.items():
        if verb not in SEQUENCE_CASES[name]:
            limit = None
        elif verb == "iterate" and name == "seq_holes":
            limit = HOLES_ITERATE
        if verb == "get" and name == "seq_holes":
            results.append(report.case(f"{name}: get", "ns", ours["get_ns"], theirs and theirs["get_ns"], HOLES_GET_NS))
            continue
        figure(results, f"{name}: {verb}", "ns" if verb == "get" else "us", ours[f"{verb}_ns"],
               theirs and theirs[f"{verb}_ns"], limit, 1 if verb == "get" else 1e3)
    results.append(report.case(f"{name}: bytes, smallest form against the reference's", "B", ours["smallest_bytes"],
                               ours["encoded_bytes"], ours["encoded_bytes"]))
    return results


def lineage_results(name, ours, theirs):
    results = []
    figure(results, f"{name}: reading", "us", ours["read_ns"], theirs and theirs["read_ns"], None, 1e3)
    figure(results, f"{name}: writing", "us", ours["write_ns"], theirs and theirs["write_ns"], None, 1e3)
    figure(results, f"{name}: version_at", "ns", ours["at_ns"], theirs and theirs["at_ns"], 0.01)
    return results


def scale_results(count):
    figures = least([json.loads(run([OURS, "scale"])) for _ in range(count)])
    manifest = figures["encoded_bytes"]
    return [
        report.case("15 billion ids in 18,000 fragments: first", "ms", figures["first_ns"] / 1e6, None, SCALE_FIRST_MS),
        report.case("15 billion ids: bytes and index over bytes", "x", 1 + figures["memory_bytes"] / manifest, None,
                    SCALE_MEMORY),
        report.case("15 billion ids: the same, every fragment asked", "x", 1 + figures["touched_memory_bytes"] / manifest),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", default="", help="scenarios whose name holds this text")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--ours-only", action="store_true", help="neither build nor run the reference")
    arguments = parser.parse_args()
    with_reference = build(arguments.ours_only)
    results = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for job, describe in (("index", index_results), ("sequence", sequence_results), ("lineage", lineage_results)):
            for name in run([OURS, "names", job]).split():
                if arguments.only not in name:
                    continue
                path = folder / "scenario"
                run([OURS, "write", name, path])
                ours, theirs = turns(name, job, path, folder, arguments.turns, with_reference)
                results += describe(name, ours, theirs)
                print(f"{name} done", file=sys.stderr)
        if arguments.only in "scale":
            results += scale_results(arguments.turns)
    sys.exit(report.show(BENCH, results, arguments.json))


if __name__ == "__main__":
    main()
