#!/usr/bin/env python3
"""Write docs/format-map.md: which header realises which heading of the format's pages, and which test proves it.

The map is made of the `Spec:` lines of the headers. --check only says whether it is current.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAP = ROOT / "docs/format-map.md"
PAGE = re.compile(r"((?:format/[a-z-]+|design)\.md)(?:,? headings? ([^;]*?))?(?=;|\.?$|\. [A-Z])")
HEAD = """# From the format to the code

Made by `tools/make_format_map.py` from the `Spec:` line of each header; `tools/format.sh` renews it. The pages are the
project's notes of the format as release 14.0.2 of the reference engine behaves.

| page | heading | header | tests |
|---|---|---|---|
"""


def spec_of(header):
    """The text after `Spec:` in the comment that opens the header."""
    comment = []
    for line in header.read_text(encoding="utf-8").splitlines():
        if not line.startswith("///"):
            break
        comment.append(line[3:].strip())
    text = " ".join(comment)
    return text.split("Spec:", 1)[1].strip() if "Spec:" in text else ""


def tests_of(layer, stem):
    """Tests named for the header: the mirrored unit test, and property, golden and fuzz files of the same name."""
    headers = {p.stem for top in ("src", "include/pennon") for p in (ROOT / top / layer).glob("*.h")}
    found = []
    for folder in ("tests/unit", "tests/property", "fuzz"):
        for path in sorted((ROOT / folder / layer).glob(f"{stem}_*.cc")):
            subject = re.sub(r"(_property)?_(test|fuzz)$", "", path.stem)
            if subject == stem or subject not in headers:
                found.append(path.relative_to(ROOT))
    return found


def rows():
    for top in ("src", "include/pennon"):
        for header in sorted((ROOT / top).rglob("*.h")):
            layer = header.relative_to(ROOT / top).parts[0]
            for page, headings in PAGE.findall(spec_of(header)):
                number = re.search(r"\d+(\.\d+)?", headings)
                key = (page, float(number[0]) if number else 0.0, str(header))
                tests = ", ".join(f"`{t}`" for t in tests_of(layer, header.stem)) or "through the layers above"
                yield key, f"| {page.removeprefix('format/')} | {headings or 'all'} | `{header.relative_to(ROOT)}` | {tests} |"


def main():
    text = HEAD + "\n".join(line for _, line in sorted(rows())) + "\n"
    if "--check" in sys.argv:
        current = MAP.exists() and MAP.read_text(encoding="utf-8") == text
        print("format map in order" if current else "docs/format-map.md is not current: run tools/make_format_map.py")
        return not current
    MAP.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
