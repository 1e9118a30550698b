#!/usr/bin/env python3
"""Run every test and count them: what ./dev test does once the tools are installed.

After the release build, two lanes share the cores:
  C++      unit, property, golden, fault tests and the replay of the fuzz corpora, in release
  judges   the reference engine against the program: differential, races, crash (pytest)
With --sanitizers a third follows: the C++ tests under address+undefined, each fuzz target for a while, and what many
threads touch under thread. Each of the two is a build of its own; `--sanitizers address` or `thread` asks for one of them.
Logs lie in build/logs. The last line is `N passed, N failed`.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree

import lint

ROOT = pathlib.Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "logs"
CORES = os.cpu_count() or 2
# Neither needs the program, which is slow to compile: its output is tested in release.
ASAN_TARGETS = r"unit_(?!cli).*|property_.*|golden|fault|(?!cmake_)\w+_fuzz"
# Golden tests read Arrow files: what Arrow synchronises inside is invisible to the sanitizer.
TSAN_TARGETS = r"unit_(base|io|rowids|table|dataset)|property_rowids|fault"
STEP_S_MAX = 1500
STEP_NAMES = {"fuzz": "address+undefined", "tsan": "thread"}
FAILURE_LINES = 80

print_lock = threading.Lock()
results = []  # (step, passed, failed)


def report(step, passed, failed, seconds, log=None):
    results.append((step, passed, failed))
    with print_lock:
        print(f"{step:<34} {passed:>6} ok {failed:>4} bad {seconds:8.1f} s", flush=True)
        if failed and log is not None and log.exists():
            lines = log.read_text(errors="replace").splitlines()
            print(f"--- the end of {log.relative_to(ROOT)}:")
            print("\n".join("  " + line for line in lines[-FAILURE_LINES:]), flush=True)


def run(log, command, **environment):
    """Runs to the log; True if it ended with 0 in time."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "a", encoding="utf-8") as out:
        out.write("$ " + " ".join(command) + "\n")
        out.flush()
        try:
            done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                  env={**os.environ, **environment}, timeout=STEP_S_MAX)
        except subprocess.TimeoutExpired:
            out.write(f"not done after {STEP_S_MAX} s\n")
            return False
    return done.returncode == 0


def fresh_log(name):
    log = LOGS / (name + ".log")
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("")
    return log


def build(preset, targets=()):
    """Builds; a build that fails counts as one failed test."""
    begin, log = time.monotonic(), fresh_log("build-" + preset)
    passed = True
    if not (ROOT / "build" / preset / "build.ninja").exists():
        passed = run(log, ["cmake", "--preset", preset])
    if passed:
        passed = run(log, ["cmake", "--build", "--preset", preset] + (["--target", *targets] if targets else []))
    if not passed:
        report(f"{preset}: build", 0, 1, time.monotonic() - begin, log)
    else:
        with print_lock:
            print(f"{preset + ': built':<34} {'':>18} {time.monotonic() - begin:8.1f} s", flush=True)
    return passed


def count_gtest(path):
    """(passed, failed) of one GoogleTest result file."""
    suite = ElementTree.parse(path).getroot()
    total, failed = (int(suite.get(key, 0)) for key in ("tests", "failures"))
    return total - failed, failed


def ctest(preset, jobs, only=None, **environment):
    """Runs the preset's C++ tests; counts the cases inside each GoogleTest binary, and 1 for a replay."""
    begin, log = time.monotonic(), fresh_log("ctest-" + preset)
    cases = LOGS / ("cases-" + preset)
    cases.mkdir(parents=True, exist_ok=True)
    for old in cases.glob("*.xml"):
        old.unlink()
    junit = LOGS / f"ctest-{preset}.xml"
    junit.unlink(missing_ok=True)
    command = ["ctest", "--test-dir", f"build/{preset}", "-j", str(jobs), "--timeout", "600", "--output-on-failure",
               "--output-junit", str(junit)]
    if only:
        command += ["-R", "^(" + "|".join(only) + ")$"]
    done = run(log, command, GTEST_OUTPUT=f"xml:{cases}/", **environment)
    passed = failed = 0
    if junit.exists():
        for case in ElementTree.parse(junit).getroot().iter("testcase"):
            good = case.get("status") == "run"
            inner = cases / (case.get("name") + ".xml")
            if inner.exists():
                ok, bad = count_gtest(inner)
                passed, failed = passed + ok, failed + max(bad, 0 if good else 1)
            else:
                passed, failed = passed + good, failed + (not good)
    if not done and not failed:
        failed = 1
    report(f"{STEP_NAMES.get(preset, preset)}: C++ tests", passed, failed, time.monotonic() - begin, log)


def pytest(name, folders, **environment):
    begin, log = time.monotonic(), fresh_log("pytest-" + name)
    junit = LOGS / f"pytest-{name}.xml"
    junit.unlink(missing_ok=True)
    done = run(log, [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--durations=8",
                     f"--junit-xml={junit}", *folders], **environment)
    passed = failed = 0
    if junit.exists():
        for suite in ElementTree.parse(junit).getroot().iter("testsuite"):
            total, bad = int(suite.get("tests")), int(suite.get("failures")) + int(suite.get("errors"))
            passed, failed = passed + total - bad - int(suite.get("skipped")), failed + bad
    if not done and not failed:
        failed = 1
    report(f"pytest: {name}", passed, failed, time.monotonic() - begin, log)


def fuzz(seconds):
    """Each target for some seconds from its corpus; a finding or a slow input is one failed test."""
    targets = sorted(p for p in (ROOT / "build/fuzz/fuzz").glob("*_fuzz") if os.access(p, os.X_OK))

    def one(target):
        begin, log = time.monotonic(), fresh_log("fuzz-" + target.name)
        found = ROOT / "build" / "fuzz-found" / target.name
        found.mkdir(parents=True, exist_ok=True)
        folders = [str(p) for p in (ROOT / "fuzz/corpus" / target.name, ROOT / "fuzz/regressions" / target.name)
                   if p.is_dir()]
        scratch = ROOT / "build" / "fuzz-corpus" / target.name
        scratch.mkdir(parents=True, exist_ok=True)
        good = run(log, [str(target), f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048",
                         f"-artifact_prefix={found}/", "-print_final_stats=1", str(scratch), *folders],
                   **ASAN)
        report(f"fuzz: {target.name}", int(good), int(not good), time.monotonic() - begin, log)

    if not targets:
        report("fuzz: no target was built", 0, 1, 0.0)
    with concurrent.futures.ThreadPoolExecutor(max(1, CORES)) as pool:
        list(pool.map(one, targets))


# Arrow's library is not instrumented: containers it fills look overflown to the address sanitizer.
ASAN = {"ASAN_OPTIONS": "detect_container_overflow=0:detect_leaks=1:allocator_may_return_null=0",
        "LSAN_OPTIONS": f"suppressions={ROOT}/tests/support/lsan.supp",
        "UBSAN_OPTIONS": "print_stacktrace=1"}
TSAN = {"TSAN_OPTIONS": f"suppressions={ROOT}/tests/support/tsan.supp:halt_on_error=1"}


def targets_of(preset, wanted):
    """The names of executables that `wanted` matches whole; configures a preset that is not yet."""
    if not (ROOT / "build" / preset / "build.ninja").exists():
        if not run(fresh_log("build-" + preset), ["cmake", "--preset", preset]):
            return []
    listed = subprocess.run(["ninja", "-C", f"build/{preset}", "-t", "targets", "all"], cwd=ROOT, capture_output=True,
                            text=True).stdout
    return sorted({name for name, _, rule in (line.partition(": ") for line in listed.splitlines())
                   if rule == "phony" and re.fullmatch(wanted, name)})


def judges(program):
    environment = {"PENNON_PROGRAM": str(program)}
    pytest("differential", ["tests/differential"], **environment)
    pytest("races and crash", ["tests/stress"], **environment)


def sanitizer(preset, wanted, **environment):
    """Builds and runs the tests that `wanted` names; False if there was nothing to run."""
    targets = targets_of(preset, wanted)
    if not targets:
        report(f"{preset}: nothing to build", 0, 1, 0.0, LOGS / f"build-{preset}.log")
    elif build(preset, targets):
        ctest(preset, CORES, only=targets, **environment)
        return True
    return False


def address_sanitizer(fuzz_seconds):
    # One build for both: the fuzz preset has the same sanitizers as asan, and every test besides the targets.
    if sanitizer("fuzz", ASAN_TARGETS, **ASAN):
        fuzz(fuzz_seconds)


def thread_sanitizer():
    sanitizer("tsan", TSAN_TARGETS, **TSAN)


def main():
    parser = argparse.ArgumentParser(prog="./dev test")
    parser.add_argument("--lint", action="store_true", help="lint first")
    parser.add_argument("--fuzz-seconds", type=int, default=20, help="for each fuzz target (default 20)")
    parser.add_argument("--sanitizers", nargs="?", const="both", choices=["address", "thread", "both"],
                        help="the sanitizers too, and with address live fuzzing")
    arguments = parser.parse_args()
    begin = time.monotonic()
    if arguments.lint:
        for name, check in lint.CHECKS.items():
            start = time.monotonic()
            good, text = check()
            log = fresh_log("lint-" + name)
            log.write_text(text)
            report(f"lint: {name}", int(good), int(not good), time.monotonic() - start, log)
    if build("release"):
        lanes = [lambda: ctest("release", CORES), lambda: judges(ROOT / "build/release/cli/pennon")]
        with concurrent.futures.ThreadPoolExecutor(len(lanes)) as pool:
            for lane in [pool.submit(lane) for lane in lanes]:
                lane.result()
        if arguments.sanitizers in ("address", "both"):
            address_sanitizer(arguments.fuzz_seconds)
        if arguments.sanitizers in ("thread", "both"):
            thread_sanitizer()
    passed = sum(p for _, p, _ in results)
    failed = sum(f for _, _, f in results)
    if failed:
        print("failed: " + ", ".join(step for step, _, bad in results if bad))
    print(f"took {time.monotonic() - begin:.0f} s")
    print(f"{passed} passed, {failed} failed", flush=True)
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
