"""The facts of a model and of its categories, for `postil inspect`, model cards and reports."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

import numpy as np

from postil.decide.rules import parse_rule
from postil.decide.scores import Needs
from postil.errors import SpecError
from postil.learn.sum_method import SumMethod
from postil.model.description import column_name, describe
from postil.model.model import Model

Facts = dict[str, Any]


def title_of(facts: Facts) -> str:
    """Return the name of a category for people."""
    return str(facts.get("title", facts["name"]))


FITTED = "fitted"
WEIGHT = "weight"
OVER_MEAN = "weight over the mean of all categories"


def gather(
    model: Model, top: int, columns: Sequence[int], level: float | None = None
) -> tuple[Facts, list[Facts]]:
    """Return the facts of the whole model, and those of some of its categories.

    ``terms`` of the whole names the value that ranks the terms of a category. If the rule gives
    every document a fixed number of categories, only differences between categories matter
    (naive Bayes has no weight above 0); the value is then the weight over the mean of all.

    Parameters
    ----------
    model : Model
        The model to describe.
    top : int
        The number of terms for and against each category.
    columns : sequence of int
        The categories to describe. Each gets its training ``report`` (None if the model keeps
        none), ``given`` (never, always or by score) and ``origin``, the source of its threshold.
    level : float, optional
        The level of intervals of weights; it needs a model that keeps variances.
    """
    whole = describe(model, top=top)
    described = whole.pop("categories")
    if not any("seconds" in report for report in model.reports):
        del whole["report"]["seconds"]  # the sum of nothing is not a time
    reports = {report.get("category"): dict(report) for report in model.reports}
    relative = _only_compares(model)
    whole["terms"] = OVER_MEAN if relative else WEIGHT
    ranked: Iterable[Facts] = _terms_over_mean(model, columns, top) if relative else repeat({})
    each = []
    for column, terms in zip(columns, ranked, strict=False):
        facts = described[column] | terms
        facts["given"] = _given(model, column)
        facts["origin"] = _origin(model, facts["state"])
        facts["report"] = reports.get(facts["name"])
        each.append(facts)
    if level is not None:
        whole["interval"] = level
        for facts in each:
            _add_intervals(facts, level)
    return whole, each


def settings_text(given: Mapping[str, Any]) -> str:
    """Return names and values with commas between; the sum of two learners part by part."""
    if given.get("learner") == "sum":
        first, second = (settings_text(given.get(name) or {}) for name in ("first", "second"))
        factor = given.get("factor", SumMethod.factor)
        return f"{first}; and {factor:.3g} times the scores of: {second}"
    return ", ".join(f"{name} {_value_text(value)}" for name, value in given.items())


def _value_text(value: object) -> str:
    if isinstance(value, Mapping):
        return f"({settings_text(value)})"
    if isinstance(value, list | tuple):
        return " ".join(map(_value_text, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _only_compares(model: Model) -> bool:
    rule = model.decision
    # Nodes of trees and support documents have no mean.
    by_category = model.rows == model.categories and "kernel" not in model.recipe.get("learn", {})
    fixed = rule.at_most is not None and rule.at_least == rule.at_most
    return fixed and by_category and model.categories > 1


def _terms_over_mean(model: Model, columns: Sequence[int], top: int) -> Iterator[Facts]:
    """Yield the terms of each category by weight over the mean; one dense row at a time.

    The deviation of a weight over the mean of k categories is √(v (1 - 2/k) + Σv/k²), since
    categories are learned independently.
    """
    mean = np.asarray(model.weights.mean(axis=0), dtype=np.float64).reshape(-1)
    variances, k = model.variances, model.categories
    if variances is not None:
        total = np.asarray(variances.sum(axis=0), dtype=np.float64).reshape(-1)
    for column in columns:
        over = model.weights[[column]].toarray()[0] - mean
        order = np.argsort(-over, kind="stable").tolist()
        ways = {
            "up": [term for term in order[:top] if over[term] > 0],
            "down": [term for term in order[: -top - 1 : -1] if over[term] < 0],
        }
        deviations = None
        if variances is not None:
            own = variances[[column]].toarray()[0].astype(float)
            deviations = (own * (1.0 - 2.0 / k) + total / k**2) ** 0.5
        yield {
            way: [
                {"term": column_name(model.vectorizer, term), "weight": float(over[term])}
                | ({} if deviations is None else {"deviation": float(deviations[term])})
                for term in terms
            ]
            for way, terms in ways.items()
        }


def _given(model: Model, column: int) -> str:
    thresholds = model.decision.thresholds
    threshold = 0.0 if thresholds is None else float(thresholds[column])
    if math.isfinite(threshold):
        return "by score"
    return "always" if threshold < 0 else "never"


def _origin(model: Model, state: str) -> str:
    """Return the source of a threshold: the documents, a default, or another program."""
    if state != FITTED:
        return state.replace("_", " ")
    if "imported" in model.method:
        return "imported"
    rule = model.decision
    try:
        by_default = parse_rule(rule.spec).needs == Needs.NOTHING and not rule.whole_batch
    except SpecError:  # a rule of a later version
        return FITTED
    return "default" if by_default else FITTED


def _add_intervals(facts: Facts, level: float) -> None:
    """Add intervals to a category's terms and intercept, and say which of them hold 0.

    An interval is the weight and z deviations each way, where z is the quantile of a Gaussian:
    1.96 for a level of 0.95. A weight without a variance, because nothing was learned about it
    (it stays at the mode of its prior), has None.
    """
    from scipy.special import ndtri

    z = float(ndtri((1.0 + level) / 2.0))
    for term in (*facts["up"], *facts["down"]):
        interval = _interval(term["weight"], z * term["deviation"])
        term["interval"] = interval
        term["holds_zero"] = interval is not None and interval[0] <= 0.0 <= interval[1]
    facts["intercept_interval"] = _interval(facts["intercept"], z * facts["intercept_deviation"])


def _interval(middle: float, reach: float) -> list[float] | None:
    return [middle - reach, middle + reach] if reach > 0 else None
