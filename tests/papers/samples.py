"""A small paper, and experiments for it that take no time."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO

from rich.console import Console

from postil_papers.experiment import Experiment, Fill, Measured, by_name
from postil_papers.loading import parse_paper
from postil_papers.render.terminal import print_reproduction
from postil_papers.reproduction import Reproduction
from postil_papers.runner import reproduce

SMALL = """
name = "small-1999"
title = "Small <Things>"
authors = ["First Author", "Second Author"]
year = 1999

[[table]]
id = "table1"
title = "Settings"
where = "section 1, table 1"
scale = "log"
columns = ["One", "Two"]
[table.rows]
lambda = [1e-2, 1e-3]

[[table]]
id = "table2"
title = "Quality"
where = "section 2, table 2"
columns = ["One", "Two", "A Longer Name"]
[table.rows]
F1 = [77.0, 86.0, 87.2]
Recall = [70.0, 84.9, 85.3]
[table.tolerance]
rows = ["F1"]
each = 1.5
mean = 0.8

[[table]]
id = "table3"
title = "Means of five"
where = "section 2, table 3"
columns = ["Corpus_A", "Corpus|B"]
[table.rows]
One = [[89.7, 0.5], [65.0, 0.7]]

[[figure]]
id = "figure1"
title = "Quality against size"
where = "section 3, figure 1"
kind = "line"
x = { label = "size", scale = "log", values = [10, 100] }
y = { label = "quality" }
series = [{ name = "One" }, { name = "Two", line = "dashed" }]
[[figure.value]]
row = "One"
x = 100
value = 86.9
source = "derived"
where = "table 2"
[[figure.value]]
row = "Two"
column = "all"
value = 85
source = "stated"
where = "section 3, text"

[[note]]
table = "table2"
rows = ["F1"]
columns = ["A Longer Name"]
text = "Ours stops earlier."

[[left_out]]
what = "table 4"
why = "its data are private"
"""


def small_paper():
    return parse_paper(SMALL, "small-1999.toml")


def experiment(name, values, fills, **settings):
    """An experiment that returns these values."""
    return Experiment(name, lambda **_: values, fills, settings)


def fail(**_):
    raise RuntimeError("out of\nluck")


def small_experiments():
    return by_name(
        experiment(
            "lambda", {("table1", "lambda", "One"): 1e-3}, (Fill("table1", None, ("One",)),)
        ),
        experiment(
            "quality",
            {
                ("table2", "F1", "One"): 77.04,
                ("table2", "F1", "Two"): 84.5,
                ("table2", "F1", "A Longer Name"): 80.0,
                ("table2", "Recall", "One"): 90.0,
                ("table2", "Recall", "Two"): 84.9,
            },
            (Fill("table2", columns=("One", "Two")), Fill("table2", ("F1",), ("A Longer Name",))),
            features=10000,
            lam=0.001,
            loss="logistic",
        ),
        Experiment("broken", fail, (Fill("table2", ("Recall",), ("A Longer Name",)),)),
        experiment(
            "splits",
            {("table3", "One", "Corpus_A"): Measured(89.1, 0.44, "4 splits only")},
            (Fill("table3", columns=("Corpus_A",)),),
        ),
        experiment(
            "curve",
            {
                ("figure1", "One", "10"): 80.0,
                ("figure1", "One", "100"): 86.5,
                ("figure1", "One", "1000"): 87.25,
            },
            (Fill("figure1", rows=("One",)),),
        ),
    )


def small_reproduction() -> Reproduction:
    """All of it, with seconds that are always the same."""
    found = reproduce(small_paper(), small_experiments())
    return replace(found, runs=tuple(replace(run, seconds=1.25) for run in found.runs))


def terminal_text(reproduction, width=80):
    """The text that a pipe of that width would get."""
    buffer = StringIO()
    plain = {"highlight": False, "color_system": None, "force_terminal": False}
    print_reproduction(reproduction, Console(file=buffer, width=width, **plain))
    return buffer.getvalue()
