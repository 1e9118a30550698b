"""The pages say what the program prints: every console block is run again."""
import sys

import pytest
from program import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import check_console  # noqa: E402

PAGES = [p.relative_to(ROOT) for p in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
         if "```console" in p.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_console_blocks(page):
    problems = check_console.check(ROOT / page, update=False)
    assert not problems, "\n".join(problems) + "\ntools/check_console.py --update renews a page that is meant to change"
