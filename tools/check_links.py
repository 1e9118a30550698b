#!/usr/bin/env python3
"""Check that every relative link in the Markdown files of the repository leads to a file, and its #heading to a heading."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def headings(path):
    """The anchors of a Markdown file, as the usual viewers make them."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            text = re.sub(r"[`*]", "", line.lstrip("#").strip().lower())
            yield re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def main():
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "*.md"],
                            check=True, capture_output=True, text=True).stdout.split("\n")
    problems = []
    for name in filter(None, listed):
        page = ROOT / name
        if not page.exists():
            continue
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
        for target in LINK.findall(text):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            to = (page.parent / file).resolve() if file else page
            if not to.exists():
                problems.append(f"{name}: link to {target}: no such file")
            elif anchor and to.suffix == ".md" and anchor not in headings(to):
                problems.append(f"{name}: link to {target}: no such heading")
    print("\n".join(problems) or "links in order")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
