"""The pages as files: links lead somewhere, pages are in the index. (`make docs` runs the examples in them.)"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "benchmarks" / "README.md"])
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")


def links(page: Path) -> list[str]:
    """Targets of links and pictures that are files of the project."""
    return [target for target in LINK.findall(page.read_text("utf-8")) if "://" not in target]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_files(page):
    for target in links(page):
        assert (page.parent / target).exists(), f"{target} does not exist"


def test_every_guide_page_and_decision_is_in_the_index():
    index = ROOT / "docs" / "README.md"
    listed = {(index.parent / target).resolve() for target in links(index)}
    pages = [*(ROOT / "docs" / "guide").rglob("*.md"), *(ROOT / "docs" / "decisions").glob("*.md")]
    assert set(pages) <= listed


def test_links_are_found():
    """The tests above are worth what `links` finds."""
    assert len(links(ROOT / "docs" / "README.md")) >= 8
