"""What `postil inspect` knows of a model, in plain values.

Intervals of weights, for `postil inspect`: the weight and what the documents leave open.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from postil.model.model import Model


USUAL_LEVEL = 0.95
NO_INTERVAL = "-"


def level_for(model: Model, wanted: float | None) -> float | None:
    """The level of intervals; None where the model has none to show and nobody asked."""
    from postil.errors import UsageError

    if wanted is not None and not 0 < wanted < 1:
        raise UsageError(f"--interval is a level between 0 and 1, such as 0.95, not {wanted:g}")
    if model.variances is not None:
        return USUAL_LEVEL if wanted is None else wanted
    if wanted is None:
        return None
    raise UsageError(
        "the model keeps no variances of its weights, and has no intervals to show: train it with "
        'posterior = true and loss = "logistic" in the [learn] table of its recipe'
    )


def add_intervals(facts: dict[str, Any], level: float) -> None:
    """Give a category's terms and its intercept their intervals, and say which hold 0.

    An interval is the weight and z deviations each way, z such that a Gaussian is in there with
    the probability ``level``: 1.96 for 0.95. What has no variance, because nothing was learned of
    it (a weight kept at its mode, an intercept that there is not), has None.
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


def interval_text(interval: list[float] | None) -> str:
    """An interval in a table."""
    if interval is None:
        return NO_INTERVAL
    low, high = interval
    return f"{low:+.4f} to {high:+.4f}"


Facts = dict[str, Any]

FITTED = "fitted"
WEIGHT = "weight"
OVER_MEAN = "weight over the mean of all categories"


def gather(
    model: Model, top: int, columns: Sequence[int], level: float | None = None
) -> tuple[Facts, list[Facts]]:
    """The facts of the whole model, and those of some of its categories.

    ``terms`` says what the terms of a category are ranked by. Where a document gets so many of
    its best categories, only differences between categories count, and a weight says nothing
    for itself: naive Bayes has none above 0. There it is the weight over the mean of all.

    Each category has its training ``report`` (None where the model keeps none), ``given``
    (``never``, ``always``, or ``by score``) and ``origin``, where its threshold comes from. With a
    ``level``, which needs a model that keeps variances, weights have intervals. Cost: a few passes
    over the weights.
    """
    from postil.model.description import describe

    whole = describe(model, top=top)
    described = whole.pop("categories")
    if not any("seconds" in report for report in model.reports):
        del whole["report"]["seconds"]  # a sum of nothing is no time
    reports = {report.get("category"): dict(report) for report in model.reports}
    relative = _only_compares(model)
    whole["terms"] = OVER_MEAN if relative else WEIGHT
    ranked: Iterable[Facts] = _terms_over_mean(model, columns, top) if relative else repeat({})
    each = []
    for column, terms in zip(columns, ranked, strict=False):
        facts = described[column] | terms
        threshold = _threshold(model, column)
        given = "by score" if math.isfinite(threshold) else _ALWAYS[threshold < 0]
        origin = _origin(model, facts["state"])
        report = reports.get(facts["name"])
        each.append(facts | {"given": given, "origin": origin, "report": report})
    if level is not None:
        whole["interval"] = level
        for facts in each:
            add_intervals(facts, level)
    return whole, each


def _only_compares(model: Model) -> bool:
    rule = model.decision
    by_category = model.rows == model.categories  # nodes of trees have no mean to be over
    only = rule.at_most is not None and rule.at_least == rule.at_most
    return only and by_category and model.categories > 1


def _terms_over_mean(model: Model, columns: Sequence[int], top: int) -> Iterator[Facts]:
    """The terms of each category by weight over the mean; a dense row at a time."""
    import numpy as np

    from postil.model.description import column_name

    mean = np.asarray(model.weights.mean(axis=0), dtype=np.float64).reshape(-1)
    deviations = _Deviations(model)
    for column in columns:
        over = model.weights[[column]].toarray()[0] - mean
        order = np.argsort(-over, kind="stable").tolist()
        ways = {
            "up": [term for term in order[:top] if over[term] > 0],
            "down": [term for term in order[: -top - 1 : -1] if over[term] < 0],
        }
        known = deviations.over_mean(column)
        yield {
            way: [
                {"term": column_name(model.vectorizer, term), "weight": float(over[term])}
                | ({} if known is None else {"deviation": float(known[term])})
                for term in terms
            ]
            for way, terms in ways.items()
        }


class _Deviations:
    """How uncertain weights over the mean of all categories are; each is learned for itself."""

    def __init__(self, model: Model) -> None:
        import numpy as np

        self._variances = model.variances
        self._categories = model.categories
        if model.variances is not None:
            self._sum = np.asarray(model.variances.sum(axis=0), dtype=np.float64).reshape(-1)

    def over_mean(self, column: int) -> Any:  # noqa: ANN401 - an array, or nothing
        """√Var(w - mean) = √(v (1 - 2/k) + Σv/k²) by term, for k categories."""
        if self._variances is None:
            return None
        k = self._categories
        own = self._variances[[column]].toarray()[0].astype(float)
        return (own * (1.0 - 2.0 / k) + self._sum / k**2) ** 0.5


_ALWAYS = {True: "always", False: "never"}


def _threshold(model: Model, column: int) -> float:
    thresholds = model.decision.thresholds
    return 0.0 if thresholds is None else float(thresholds[column])


def _origin(model: Model, state: str) -> str:
    """Where a threshold comes from: the documents, a default that saw none, or another program."""
    from postil.decide.rules import parse_rule
    from postil.decide.scores import Needs
    from postil.errors import SpecError

    if state != FITTED:
        return state.replace("_", " ")
    if "imported" in model.method:
        return "imported"
    rule = model.decision
    try:
        by_default = parse_rule(rule.spec).needs == Needs.NOTHING and not rule.whole_batch
    except SpecError:  # a rule of a version to come, or of nobody we know
        return FITTED
    return "default" if by_default else FITTED


def certificate_of(facts: Facts) -> float | None:
    """The certificate of a category's fit, if it is known."""
    value = (facts["report"] or {}).get("certificate")
    return value if isinstance(value, int | float) else None


def _by_certificate(facts: Facts) -> Any:  # noqa: ANN401 - a key to sort by
    certificate = certificate_of(facts)
    return (certificate is None, -(certificate or 0.0), facts["name"])


ORDERS: dict[str, Callable[[Facts], Any]] = {
    "size": lambda facts: (-facts["members"], facts["name"]),
    "name": lambda facts: facts["name"],
    "certificate": _by_certificate,
}


def sorted_facts(each: list[Facts], order: str) -> list[Facts]:
    """The categories in an order of ``ORDERS``; the largest certificate first, unknown last."""
    return sorted(each, key=ORDERS[order])
