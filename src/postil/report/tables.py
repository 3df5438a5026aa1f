"""The tables of a report: categories, confusions, terms, doubtful labels, fits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from postil.common.escaping import visible
from postil.evaluate.counts import MARK, intersection, shown
from postil.model.leaderboard import Cell, plain_cell
from postil.model.overview import Facts

if TYPE_CHECKING:
    import scipy.sparse as sp

    from postil.evaluate import Report
    from postil.report.study import Doubt, Measured

    Csr: TypeAlias = sp.csr_matrix[Any]

MOST_ROWS = 1000
MOST_PAIRS = 20
TEXT_START = 200

CATEGORY_COLUMNS = {
    "training_documents": "training documents",
    "members": "documents",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "break_even_nearest": "break-even",
    "average_precision": "average precision",
}


class Table(NamedTuple):
    """A table; ``words`` columns hold words and the others numbers. ``rest`` counts what is cut."""

    header: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    words: int = 1
    rest: str = ""


def cells_of(rows: Iterable[Sequence[str]]) -> list[tuple[Cell, ...]]:
    """Return rows of texts as cells."""
    return [tuple(map(Cell, row)) for row in rows]


def _count(value: int) -> Cell:
    return Cell(f"{value:,}", value)


def _share(value: float) -> Cell:
    return Cell(shown(value), value)


def category_table(report: Report) -> Table:
    """Return the measures of each category, the largest first."""
    columns = report.columns()
    wanted = {key: title for key, title in CATEGORY_COLUMNS.items() if key in columns}
    order = report.order().tolist()
    rows = [
        (
            Cell(visible(report.categories[category])),
            *(
                _share(float(columns[key][category]))
                if isinstance(columns[key][category], float)
                else _count(int(columns[key][category]))
                for key in wanted
            ),
        )
        for category in order[:MOST_ROWS]
    ]
    return Table(("category", *wanted.values()), rows, rest=_rest(len(order), len(rows)))


def _rest(in_all: int, listed: int) -> str:
    return f"… and {in_all - listed:,} more" if in_all > listed else ""


def suggestion_table(report: Report) -> Table | None:
    """Return how well the first labels fit; None if each document has one label."""
    found = report.suggestions
    if found is None or not found.at or report.accuracy is not None:
        return None
    rows = [
        (title, *map(shown, values), *[""] * (len(found.at) - len(values)))
        for title, values in found.rows()
    ]
    return Table(("measure", *(f"at {each.k:,}" for each in found.at)), cells_of(rows))


def confusion_table(measured: Measured) -> Table:
    """Return the labels that documents lack, each with a wrong one that they were given instead."""
    names, members = measured.report.categories, measured.report.counts.members
    pairs = [each for each in measured.report.confused if each.given is not None]
    rows = [
        (
            Cell(visible(names[true])),
            Cell(visible(names[given])),
            _count(count),
            _share(count / int(members[true])),
        )
        for true, given, count in pairs[:MOST_PAIRS]
        if given is not None
    ]
    header = ("missed label", "given instead", "documents", "of the label's documents, %")
    return Table(header, rows, 2, _rest(len(pairs), len(rows)))


def error_table(report: Report) -> Table:
    """Return the categories with the most errors: documents that miss the label, or got it."""
    counts = report.counts
    errors = counts.errors
    order = [each for each in np.argsort(-errors, kind="stable").tolist() if errors[each]]
    rows = [
        (
            Cell(visible(report.categories[each])),
            _count(int(counts.false_negatives[each])),
            _count(int(counts.false_positives[each])),
        )
        for each in order[:MOST_PAIRS]
    ]
    return Table(("category", "missed", "wrongly given"), rows, 1, _rest(len(order), len(rows)))


def together_table(measured: Measured) -> Table:
    """Return pairs of labels that documents have, with those that were given both."""
    names = measured.report.categories
    right = intersection(measured.truth, measured.decisions)
    true, given, both = (
        Counter(pair for labels in _sets(part) for pair in combinations(sorted(labels), 2))
        for part in (measured.truth, measured.decisions, right)
    )
    order = sorted(true | given, key=lambda pair: (-max(true[pair], given[pair]), pair))
    rows = [
        (
            *(Cell(visible(names[label])) for label in pair),
            *(_count(each[pair]) for each in (true, given, both)),
        )
        for pair in order[:MOST_PAIRS]
    ]
    header = ("label", "and label", "documents that have both", "given both", "rightly")
    return Table(header, rows, 2, _rest(len(order), len(rows)))


def _sets(indicator: Csr) -> list[set[int]]:
    """Return the columns of each row."""
    parts = np.split(indicator.indices, indicator.indptr[1:-1])
    return [set(part.tolist()) for part in parts]


def term_table(whole: Facts, each: Sequence[Facts]) -> Table:
    """Return the strongest terms of each category, the largest first."""
    by_size = sorted(each, key=lambda facts: (-facts["members"], facts["name"]))
    rows = [
        tuple(Cell(text) for text in (visible(facts["name"]), *map(_listed, ways)))
        for facts in by_size[:MOST_ROWS]
        if any(ways := (facts["up"], facts["down"]))
    ]
    return Table((f"category, by {whole['terms']}", "for", "against"), rows, 3)


def _listed(terms: Iterable[Mapping[str, Any]]) -> str:
    return ", ".join(visible(term["term"]) for term in terms)


def doubt_table(doubts: Sequence[Doubt], in_all: int) -> Table:
    """Return the documents with doubtful labels; ``in_all`` counts them."""
    rows = []
    for document, lacks, has in doubts:
        text = " ".join(" ".join(document.fields.values()).split())
        start = text[:TEXT_START] + ("…" if len(text) > TEXT_START else "")
        parts = [visible(document.id), ", ".join(map(visible, document.labels)) or MARK]
        parts += [_probable(lacks), _probable(has), visible(start)]
        rows.append(tuple(map(Cell, parts)))
    header = ("document", "labels", "probable, and it lacks it", "improbable, and it has it")
    return Table((*header, "text"), rows, 5, _rest(in_all, len(rows)))


def _probable(labels: Iterable[tuple[str, float]]) -> str:
    return ", ".join(f"{visible(name)} ({_chance(chance)})" for name, chance in labels) or MARK


def _chance(probability: float) -> str:
    return "<0.001" if probability < 0.0005 else f"{probability:.3f}"


def fit_facts(whole: Facts, each: Sequence[Facts]) -> dict[str, Any] | None:
    """Return the worst certificate, and the fits that stopped before their tolerance."""
    report = whole["report"]
    if not report["categories"]:
        return None
    early = [
        facts["report"]
        for facts in each
        if (facts["report"] or {}).get("stopped") in ("iterations", "precision")
    ]
    rows = [
        (
            Cell(visible(str(fit["category"]))),
            Cell(str(fit["stopped"])),
            plain_cell(fit.get("certificate")),
            plain_cell(fit.get("iterations")),
        )
        for fit in early[:MOST_ROWS]
    ]
    header = ("category", "stopped at its limit of", "certificate", "iterations")
    return {"report": report, "early": Table(header, rows, 2, _rest(len(early), len(rows)))}
