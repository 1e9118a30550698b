#!/usr/bin/env python3
"""Run the console blocks of Markdown files and compare what they print with what the page says.

  check_console.py [--update] FILE.md..

A block starts with ```console; a line `$ command` is run by bash in a temporary folder (one for each file, so later
blocks see what earlier ones made), with `pennon` and the `python` of .venv on the path; the lines after it are what
it must print. Times, uuids, byte counts of files the engine wrote, and the folder's name may differ. With --update the
page takes what is printed.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ.get("PENNON_PROGRAM") or ROOT / "build/release/cli/pennon")
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.S | re.M)
VOLATILE = [(re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( ?UTC|Z)?"), "TIME"),
            (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "UUID"),
            (re.compile(r"[01]{24}[0-9a-f]{26}"), "FILE"), (re.compile(r"\b[\d.,]+ (bytes|kB|MB|KiB|MiB|B)\b"), "SIZE")]


def same(text):
    for pattern, word in VOLATILE:
        text = pattern.sub(word, text)
    return "\n".join(re.sub(r" +", " ", line.rstrip()) for line in text.strip().split("\n"))


def commands(block):
    """(command, expected output) pairs; a line that starts with `> ` goes on with the command above it."""
    found = []
    for line in block.split("\n")[:-1]:
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif line.startswith("> ") and found and not found[-1][1]:
            found[-1][0] += "\n" + line[2:]
        elif found:
            found[-1][1].append(line)
    return found


def run(command, folder, tools):
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "LANCE_LOG": "error", "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    return done.stdout.replace(f"{os.path.realpath(folder)}/", "/data/").rstrip("\n")


def check(page, update):
    """Problems of one page; rewrites it with update."""
    problems = []
    with tempfile.TemporaryDirectory(prefix="pennon-page-") as name:
        tools, folder = pathlib.Path(name, "tools"), pathlib.Path(name, "data")
        tools.mkdir()
        folder.mkdir()
        (tools / "pennon").symlink_to(PROGRAM)
        (tools / "python").write_text(f'#!/bin/sh\nexec {ROOT}/.venv/bin/python "$@"\n')
        (tools / "python").chmod(0o755)

        def replay(match):
            lines = []
            for command, expected in commands(match[1]):
                got = run(command, folder, tools)
                if same(got) != same("\n".join(expected)):
                    problems.append(f"{page}: $ {command}\n  the page says:\n    " + "\n    ".join(expected)
                                    + "\n  it prints:\n    " + got.replace("\n", "\n    "))
                lines.append("$ " + command.replace("\n", "\n> ") + ("\n" + got if got else ""))
            return "```console\n" + "\n".join(lines) + "\n```"
        text = pathlib.Path(page).read_text(encoding="utf-8")
        new = BLOCK.sub(replay, text)
        if update and problems:
            pathlib.Path(page).write_text(new, encoding="utf-8")
            print(f"{page}: {len(problems)} outputs renewed")
            return []
    return problems


def main():
    update = "--update" in sys.argv
    pages = [a for a in sys.argv[1:] if a != "--update"]
    if not pages:
        sys.exit(__doc__)
    problems = [p for page in pages for p in check(page, update)]
    print("\n".join(problems) or "pages in order")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
