"""A study of section 4.3, which the paper proposes and does not measure: categories as rivals.

All on the sparse vectors of ``mfom-multi``, by L-BFGS. A form says what the margin of a category
is: its score (``binary``), its score over the bar of its rivals (``rivals``, eq. 4.13), or over
that bar held below 0 (``unclaimed``). Rows are forms and figures at a threshold of 0, and some with
thresholds tuned out of fold by the rule of ``mfom-multi``: what the form does and what the rule
does are told apart. Rare categories are those with fewer than 4 training documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import cast

from postil.recipes.parts import Decide
from postil.recipes.recipe import Recipe
from postil_papers.cells import Measured
from postil_papers.experiment import CellValues, Experiment, Fill, Settings
from postil_papers.gao_wu_lee_chua_2003.asking import averages, experiment
from postil_papers.gao_wu_lee_chua_2003.methods import MACRO, MEAN, MICRO, MULTI, Load, learning
from postil_papers.gao_wu_lee_chua_2003.runs import run_of
from postil_papers.gao_wu_lee_chua_2003.tallies import Tally

TABLE, RARE = "multi", "multi-rare"
COLUMNS = (MICRO, MACRO, MEAN)
RARE_COLUMN = "mean F1 of rare categories"
FEWEST = 4  # fewer training documents make a category rare
FORMS = ("binary", "rivals", "unclaimed")
FIGURES = ("f1", "balanced-error")
# Those that the recipe's rule is tried on, by their names with it; the recipe itself is one.
RULED = {
    ("binary", "f1"): "binary, f1, thresholds tuned",
    ("binary", "balanced-error"): "binary, balanced-error, thresholds tuned",
    ("unclaimed", "balanced-error"): MULTI,
}


def row_of(form: str, figure: str) -> str:
    """A row of decisions at 0."""
    return f"{form}, {figure}"


def run_form(form: str, figure: str, settings: Settings) -> CellValues:
    """One form and figure: decisions at 0, and by the rule where it is tried."""
    run = run_of(settings, row_of(form, figure))
    rare = run.rare(cast("int", settings["fewest"]))
    found = cells_of(row_of(form, figure), run.at_zero, rare, run.seconds)
    if (form, figure) in RULED:
        found |= cells_of(RULED[form, figure], run.by_rule, rare, run.seconds)
    return found


def cells_of(
    row: str, tally: Tally, rare: Sequence[str], seconds: float
) -> dict[tuple[str, str, str], Measured]:
    """A row of both tables."""
    remark = f"learned in {seconds:.0f} s"
    found = {
        (TABLE, row, column): Measured(value, remark=remark)
        for column, value in averages(tally).items()
    }
    if rare:
        mean = tally.of(rare).mean()
        found[RARE, row, RARE_COLUMN] = Measured(mean, remark=f"{len(rare)} categories")
    return found


def formed(recipe: Recipe, form: str, figure: str) -> Recipe:
    """The recipe with another form and figure, deciding at 0.

    Rivals climb alone, and then together: alone, a category has as many steps as both.
    """
    options = dict(recipe.learn["options"])
    if form == "binary":
        options["iterations"] *= 2
    changed = learning(recipe, form=form, figure=figure, options=options)
    return replace(changed, decide=Decide(rule="default"))


def ruled(recipe: Recipe, form: str, figure: str) -> Recipe:
    """The same, by the recipe's rule where that is tried."""
    made = formed(recipe, form, figure)
    return replace(made, decide=recipe.decide) if (form, figure) in RULED else made


def experiments(load: Load) -> list[Experiment]:
    """One for each form and figure."""
    recipe = load(MULTI)
    return [
        experiment(
            f"multi, {row_of(form, figure)}",
            partial(run_form, form, figure),
            _fills(form, figure),
            __name__,
            recipes={row_of(form, figure): ruled(recipe, form, figure)},
            fewest=FEWEST,
        )
        for figure in FIGURES
        for form in FORMS
    ]


def _fills(form: str, figure: str) -> tuple[Fill, ...]:
    rows = [row_of(form, figure), *([RULED[form, figure]] if (form, figure) in RULED else [])]
    return Fill(TABLE, tuple(rows), COLUMNS), Fill(RARE, tuple(rows), (RARE_COLUMN,))
