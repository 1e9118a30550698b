#!/usr/bin/env python3
"""Lint: layers, format, links, golden tables, and clang-tidy on the files of a change. One line a check.

The base of the change is PENNON_BASE, else where the branch left main or origin/main; without one clang-tidy has
nothing to look at.
"""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TIDY_FILES_MAX = 60  # a larger change is tidied file by file while it is made


def run(command):
    """(passed, what it printed)"""
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode == 0, done.stdout


def git(*arguments):
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def changed_sources():
    head = git("rev-parse", "HEAD")
    base = os.environ.get("PENNON_BASE", "")
    for main in () if base else ("origin/main", "main"):
        fork = git("merge-base", "HEAD", main)
        if fork and fork != head:
            base = fork
            break
    if not base:
        return []
    names = git("diff", "--name-only", "--diff-filter=d", base, "--", "src/*.cc", "cli/*.cc").split("\n")
    return [n for n in names if n][:TIDY_FILES_MAX]


def tidy():
    files = changed_sources()
    if not files:
        return True, "no base, or no source file changed since"
    if not (ROOT / "build/asan/compile_commands.json").exists():
        passed, text = run(["cmake", "--preset", "asan"])
        if not passed:
            return passed, text
    subprocess.run(["cmake", "--build", "--preset", "asan", "--target", "pennon_protos"], cwd=ROOT,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    script = 'printf "%s\\n" "$@" | xargs -n 1 -P "$(nproc)" clang-tidy-14 --quiet -p build/asan'
    return run(["bash", "-c", script, "tidy", *files])


CHECKS = {
    "house": lambda: run([sys.executable, "tools/check_house.py"]),
    "format": lambda: run(["tools/format.sh", "--check"]),
    "links": lambda: run([sys.executable, "tools/check_links.py"]),
    "format map": lambda: run([sys.executable, "tools/make_format_map.py", "--check"]),
    "golden": lambda: run([sys.executable, "tools/make_golden.py", "--check"]),
    "tidy": tidy,
}


def main():
    failed = 0
    for name, check in CHECKS.items():
        passed, text = check()
        failed += not passed
        lines = text.strip().split("\n")
        print(f"lint {name}: {'ok' if passed else 'FAILED'}" + (f" ({lines[-1]})" if passed else ""))
        if not passed:
            print("\n".join(lines[-60:]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
