"""All experiments and figures of genkin-lewis-madigan-2004."""

from __future__ import annotations

import random
from functools import partial
from math import log1p

from postil.plots.figure import Axis, Figure, Line, Panel, Place
from postil_papers.genkin_lewis_madigan_2004.comparisons import (
    comparison_experiments,
    fold_experiments,
)
from postil_papers.genkin_lewis_madigan_2004.effectiveness import (
    effectiveness_experiments,
    term_experiments,
)
from postil_papers.genkin_lewis_madigan_2004.runs import COLLECTIONS
from postil_papers.genkin_lewis_madigan_2004.sparsity import (
    PARAMETERS,
    POSITIVES,
    path_experiments,
    sparsity_experiments,
)
from postil_papers.plotting import (
    Draw,
    draw_histograms,
    draw_lines,
    facts_of,
    figure_of,
    members_of,
)
from postil_papers.reproduction import Table

# From left to right, as the caption of figure 6 names them.
ALGORITHMS = ("ridge", "lasso", "SVM")
JITTER = 0.15  # at most, to either side
MARKED_VARIANCE = Place(0.01, "0.01, which the paper marks")


def draw_errors(table: Table) -> Figure | None:
    """Draw ``ln(1 + errors)`` of each category by method in parallel coordinates.

    A panel for each collection has a thin line for each category; jitter keeps equal ones apart.
    """
    chance = random.Random(0)
    lines: dict[str, list[Line]] = {}
    places = tuple(float(place) for place in range(len(ALGORITHMS)))
    for row, errors in members_of(table, ALGORITHMS).items():
        collection, _, _ = row.partition(": ")
        jitter = JITTER * (2 * chance.random() - 1)
        y = tuple(log1p(each) + jitter for each in errors)
        line = Line(collection, places, y, marked=False, thin=True)
        lines.setdefault(collection, []).append(line)
    panels = [
        Panel(tuple(lines[each.name]), each.name) for each in COLLECTIONS if each.name in lines
    ]
    facts = facts_of(table)
    x = Axis(facts.x.label, ticks=places, names=ALGORITHMS)
    return figure_of(facts, *panels, x=x, legend=False)


def draw_scatter(table: Table) -> Figure | None:
    """Draw parameters against training documents, a point for each category."""
    points = members_of(table, (POSITIVES, PARAMETERS)).values()
    x, y = tuple(x for x, _ in points), tuple(y for _, y in points)
    panel = Panel((Line("lasso", x, y, joined=False),))
    return figure_of(facts_of(table), panel, legend=False) if points else None


EXPERIMENTS = [
    *term_experiments(),
    *comparison_experiments(),
    *fold_experiments(),
    *effectiveness_experiments(),
    *sparsity_experiments(),
    *path_experiments(),
]
draw_path = partial(draw_lines, places=(MARKED_VARIANCE,), marked=False)
FIGURES: dict[str, Draw] = {
    "figure2": draw_path,
    "figure3": draw_path,
    "figure6": draw_errors,
    "figure7": draw_histograms,
    "figure8": draw_scatter,
}
