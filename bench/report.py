"""What every benchmark prints: one JSON object for machines, or a table for people. And what they all measure with."""
import json
import multiprocessing
import os
import pathlib
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ.get("PENNON_PROGRAM", ROOT / "build/release/cli/pennon"))


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8")
                  if line.startswith("model name")), platform.machine())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{model}, {os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} {platform.release()}"


def case(name, unit, ours, reference=None, target=None, less_is_better=True):
    """One line of a result. `ratio` says how many times better than the reference; `met`, whether ours reaches the
    target (None without one)."""
    ratio = None
    if reference is not None and ours:
        ratio = reference / ours if less_is_better else ours / reference
    met = None
    if target is not None:
        met = ours <= target if less_is_better else ours >= target
    return {"case": name, "unit": unit, "ours": _round(ours), "reference": _round(reference),
            "ratio": _round(ratio), "target": target, "met": met}


def _round(value):
    return value if value is None or isinstance(value, int) else float(f"{value:.4g}")


def show(bench, results, as_json):
    """Prints the results; returns the exit status: 0 unless a target was missed."""
    if as_json:
        print(json.dumps({"bench": bench, "machine": machine(), "results": results}))
    else:
        print(f"{bench} on {machine()}")
        heads = ["case", "unit", "ours", "reference", "ratio", "target", "met"]
        rows = [[_text(r[h]) for h in heads] for r in results]
        widths = [max(len(h), *(len(row[i]) for row in rows)) for i, h in enumerate(heads)]
        for row in [heads] + rows:
            print("  ".join(cell.ljust(w) if i < 2 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths))))
    return 1 if any(r["met"] is False for r in results) else 0


def _text(value):
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "NO"
    return str(value)


# The peak that wait4 tells of a child counts what its parent held when it was started: so a small parent starts it.
LAUNCHER = """
import os, sys, time
begin = time.perf_counter()
child = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(child, 0)
with open(sys.argv[1], "w") as out:
    print(time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024,
          os.waitstatus_to_exitcode(status), file=out)
"""


@dataclass
class Cost:
    """What one run of the program as a process of its own cost, and what it printed."""
    seconds: float
    cpu_seconds: float
    peak_bytes: int
    out: str


def run_program(arguments, fsync=True):
    environment = dict(os.environ)
    if not fsync:
        environment["PENNON_FSYNC"] = "0"
    with tempfile.NamedTemporaryFile("r") as figures:
        done = subprocess.run([sys.executable, "-S", "-c", LAUNCHER, figures.name, str(PROGRAM), *arguments],
                              env=environment, capture_output=True, text=True)
        seconds, cpu_seconds, peak, code = figures.read().split()
    if code != "0":
        sys.exit(f"{' '.join(arguments)}: exit {code}: {done.stderr.strip()}")
    return Cost(float(seconds), float(cpu_seconds), int(peak), done.stdout)


def _child(pipe, function, arguments):
    import lance  # noqa: F401  so that the peak before the function holds what the import costs
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = function(*arguments)
    pipe.send((result, 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)))


def in_child(function, *arguments):
    """(result, growth of peak resident bytes) of a function that uses the reference, in a process of its own."""
    context = multiprocessing.get_context("spawn")
    receive, send = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(send, function, arguments))
    process.start()
    send.close()
    try:
        return receive.recv()
    except EOFError:
        sys.exit(f"{function.__name__} failed")
    finally:
        process.join()


def median(values):
    return statistics.median(values)
