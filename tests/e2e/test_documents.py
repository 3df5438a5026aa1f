"""README and docs show what really happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tools import documents

LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
BENCHMARK = re.compile(r"\(docs/benchmarks\.md#(.*?)\)")
FIGURE = re.compile(r"\d+[.,]\d+")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
PAGES = [
    documents.ROOT / "README.md",
    documents.ROOT / "CONTRIBUTING.md",
    *sorted((documents.ROOT / "docs").rglob("*.md")),
]


@pytest.mark.parametrize("path", documents.documents(), ids=lambda path: path.name)
def test_document_shows_what_happens(path):
    assert documents.refreshed(path) == path.read_text(encoding="utf-8")


def test_ellipsis_stands_for_any_lines():
    assert documents.matches("a\n…\nd\n", "a\nb\nc\nd\n")
    assert not documents.matches("a\n…\nd\n", "a\nb\nc\n")
    assert not documents.matches("a\n", "a\nb\n")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(documents.ROOT)))
def test_links_lead_to_files_and_headings(path):
    for target, anchor in LINK.findall(_prose(path)):
        linked = path.parent / target if target else path
        assert linked.exists(), target
        assert not anchor or anchor in _anchors(linked), f"{target}#{anchor}"


def test_the_readme_claims_what_benchmarks_printed():
    page = (documents.ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")
    sections = {title: text for title, _, text in (p.partition("\n") for p in page.split("\n## "))}
    readme = (documents.ROOT / "README.md").read_text(encoding="utf-8")
    claims = [(p, each) for p in readme.split("\n\n") for each in BENCHMARK.findall(p)]
    assert len(claims) == 2
    for paragraph, section in claims:
        for number in FIGURE.findall(paragraph):
            assert number in sections[section]


def _anchors(path: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = HEADING.findall(_prose(path))
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _prose(path: Path) -> str:
    return FENCED.sub("", path.read_text(encoding="utf-8"))
