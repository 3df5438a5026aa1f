"""All experiments and figures of zhang-2000."""

from __future__ import annotations

from functools import partial

from postil_papers.plotting import Draw, draw_lines
from postil_papers.zhang_2000.selections import selection_experiments
from postil_papers.zhang_2000.tables import (
    curve_experiments,
    finding_experiments,
    table_experiments,
)
from postil_papers.zhang_2000.web_pages import page_experiments

EXPERIMENTS = [
    *table_experiments(),
    *selection_experiments(),
    *finding_experiments(),
    *page_experiments(),
    *curve_experiments(),
]
FIGURES: dict[str, Draw] = {"figure1": partial(draw_lines, marked=False)}
