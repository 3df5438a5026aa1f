"""A check as text for a terminal: a line or two for each finding, and what to do next."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from postil.check.check import CorpusCheck
from postil.check.finding import counted
from postil.common.escaping import visible


def check_lines(check: CorpusCheck, width: int = 100) -> Iterator[str]:
    """Yield the lines of a check.

    Parameters
    ----------
    check : CorpusCheck
        The check.
    width : int
        The width of the terminal.
    """
    yield f"{visible(check.facts.source)}: {sizes(check)}"
    for number, finding in enumerate(check.findings, 1):
        yield ""
        yield f"{number:>2}  {finding.title}"
        yield from _folded(visible(finding.summary), width)
    yield ""
    if check.absent:
        yield from _folded(f"nothing found: {', '.join(check.absent)}", width, indent="")
    for sentence in check.skipped:
        yield from _folded(f"not looked for: {visible(sentence)}", width, indent="")


def sizes(check: CorpusCheck) -> str:
    """Return the numbers of documents and labels, as 12 documents (9 train, 3 test), 2 labels."""
    facts = check.facts
    test = int(facts.tested.sum())
    splits = f" ({facts.documents - test:,} train, {test:,} test)" if facts.has_splits else ""
    labels = counted(len(facts.labels), "label")
    return f"{counted(facts.documents, 'document')}{splits}, {labels}"


def _folded(text: str, width: int, indent: str = "    ") -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
