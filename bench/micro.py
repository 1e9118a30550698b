#!/usr/bin/env python3
"""Run one google-benchmark binary and print its results as every benchmark does: micro.py NAME BINARY [--json]."""
import json
import subprocess
import sys

import report


def main():
    name, binary, *options = sys.argv[1:]
    arguments = [o for o in options if o != "--json"]
    done = subprocess.run([binary, "--benchmark_format=json", *arguments], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        return done.returncode
    results = []
    for run in json.loads(done.stdout)["benchmarks"]:
        if run.get("run_type") == "aggregate" and run.get("aggregate_name") != "median":
            continue
        results.append(report.case(run["name"], run["time_unit"], run["cpu_time"]))
        for counter in ("items_per_second", "bytes_per_second"):
            if counter in run:
                results.append(report.case(run["name"], counter.replace("_per_second", "/s"), run[counter],
                                           less_is_better=False))
    return report.show(name, results, "--json" in options)


if __name__ == "__main__":
    sys.exit(main())
