"""What a recipe that aims at a measure has to say, table by table.

The measure goes to all that can go by it: the decision rule, whose thresholds are tuned out of fold
for it; the search for a strength, if there is one; and the learner, if it trains for a figure of
merit. A recipe file with an ``[aim]`` says the rest itself, or leaves it to be filled in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from postil.decide import parse_rule
from postil.decide.aims import rule_for
from postil.decide.scores import Needs
from postil.errors import UsageError
from postil.learn.merit.figures import FBeta, Figure
from postil.learn.merit.method import PERCEPTRON
from postil.learn.merit.naming import figure_named
from postil.recipes.learn_schema import LEARN
from postil.recipes.parts import Aim, Decide

FIGURE = "figure"


def trains_for_figures(learn: Mapping[str, Any]) -> bool:
    """Whether the learner of a ``[learn]`` table is one that trains for a figure of merit.

    Perceptrons make few mistakes, whatever figure their trees are cut for.
    """
    knows = FIGURE in LEARN.get(str(learn.get("learner", "linear")), {})
    return knows and learn.get("solver") != PERCEPTRON


def aimed_rule(figure: Figure, before: str) -> str:
    """The rule for a figure; how many categories a document may have stays as it was."""
    rule, old = parse_rule(rule_for(figure)), parse_rule(before)
    if old.rule.counts:
        return str(rule)
    return str(replace(rule, at_least=old.at_least, at_most=old.at_most))


def aimed_search(figure: Figure) -> str:
    """What a search goes by; ``f1`` would look at scores of 0, not at thresholds tuned for it."""
    if isinstance(figure, FBeta) and figure.beta == 1:
        return "micro-f1"
    return figure.name


def filled(table: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of a recipe file, with what its ``[aim]`` implies and the file does not say."""
    measure = (table.get("aim") or {}).get("measure")
    if measure is None:
        return dict(table)
    figure = figure_named(measure)
    decide = {"rule": aimed_rule(figure, Decide().rule), **table.get("decide", {})}
    full = {**table, "decide": decide}
    if "search" in table:
        full["search"] = {"measure": aimed_search(figure), **table["search"]}
    learn = table.get("learn", {})
    if trains_for_figures(learn):
        full["learn"] = {FIGURE: figure.name, **learn}
    return full


def refuse_aim(aim: Aim, rule: str, compares_scores: bool) -> None:
    """Refuse a measure that is none, and a comparison that has no thresholds to compare."""
    figure_named(aim.measure)
    if aim.compare and (compares_scores or parse_rule(rule).needs is not Needs.OUT_OF_FOLD):
        raise UsageError(
            "compare takes thresholds that are tuned out of fold, and the rule "
            f"{rule!r} has none; leave compare out, or the rule, for one that suits the measure"
        )


def refuse_compared_scores(figure: Figure) -> None:
    """Refuse to aim where there are no thresholds."""
    raise UsageError(
        f"aiming at {figure.name} tunes a threshold for each category, and scores of one model for "
        "all classes are compared with each other: take a recipe that learns one-vs-rest (learner "
        '= "linear")'
    )
