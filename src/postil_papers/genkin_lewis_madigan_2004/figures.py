"""Figures 2, 3, 6, 7 and 8 of genkin-lewis-madigan-2004."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from math import log1p

from postil.plots.figure import Figure, Place
from postil_papers.genkin_lewis_madigan_2004.collections import COLLECTIONS
from postil_papers.genkin_lewis_madigan_2004.sparsity import PARAMETERS, POSITIVES
from postil_papers.loading import load_paper
from postil_papers.paper import PaperFigure
from postil_papers.plotting import (
    Curve,
    curves_of,
    histogram_figure,
    histograms_of,
    line_figure,
    members_of,
    parallel_figure,
    scatter_figure,
)
from postil_papers.reproduction import Table

NAME = "genkin-lewis-madigan-2004"
# From left to right, as the caption of figure 6 names them.
ALGORITHMS = ("ridge", "lasso", "SVM")
JITTER = 0.15  # at most, to either side
MARKED_VARIANCE = 0.01


def draw_path(table: Table) -> Figure | None:
    """Draw the parameters against the prior variance, and the variance that the paper marks."""
    curves = curves_of(table, "ours")
    place = Place(MARKED_VARIANCE, f"{MARKED_VARIANCE:g}, which the paper marks")
    return line_figure(_facts(table), curves, places=(place,), marked=False) if curves else None


def draw_errors(table: Table) -> Figure | None:
    """Draw ``ln(1 + errors)`` of each category by method; jitter keeps equal ones apart."""
    chance = random.Random(0)
    groups: dict[str, list[tuple[float, ...]]] = {}
    for row, errors in members_of(table, ALGORITHMS).items():
        collection, _, _ = row.partition(": ")
        jitter = JITTER * (2 * chance.random() - 1)
        groups.setdefault(collection, []).append(tuple(log1p(each) + jitter for each in errors))
    ordered = {each.name: groups[each.name] for each in COLLECTIONS if each.name in groups}
    return parallel_figure(_facts(table), ALGORITHMS, ordered) if ordered else None


def draw_features(table: Table) -> Figure | None:
    """Draw a histogram of the number of selected features for each collection."""
    found = histograms_of(table)
    return histogram_figure(_facts(table), found) if found else None


def draw_scatter(table: Table) -> Figure | None:
    """Draw parameters against training documents, a point for each category."""
    points = members_of(table, (POSITIVES, PARAMETERS)).values()
    cloud = Curve(tuple(x for x, _ in points), tuple(y for _, y in points))
    return scatter_figure(_facts(table), {"lasso": cloud}) if points else None


def _facts(table: Table) -> PaperFigure:
    return next(figure for figure in load_paper(NAME).figures if figure.id == table.id)


FIGURES: Mapping[str, Callable[[Table], Figure | None]] = {
    "figure2": draw_path,
    "figure3": draw_path,
    "figure6": draw_errors,
    "figure7": draw_features,
    "figure8": draw_scatter,
}
