"""`postil inspect`: the facts of a model, gathered as plain values for text and JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Option

from postil.cli import inspect_text
from postil.cli.console import show_json
from postil.cli.inspect_text import Facts
from postil.cli.options import AsJson, ModelFile, Reading, category_columns, reads_corpus
from postil.errors import ModelFileError, PostilError, UsageError

if TYPE_CHECKING:
    from postil.model.model import Model


OVERVIEW_TERMS = 5
DETAIL_TERMS = 10
USUAL_LEVEL = 0.95
FITTED = "fitted"
WEIGHT = "weight"
OVER_MEAN = "weight over the mean of all categories"


@reads_corpus
def inspect(
    model: ModelFile,
    reading: Reading,
    categories: Annotated[
        list[str] | None, Option("--category", help="Category to show in detail; may be repeated.")
    ] = None,
    top: Annotated[
        int | None,
        Option(min=0, help="Number of terms for and against (default: 5, in detail and JSON: 10)."),
    ] = None,
    sort: Annotated[
        Literal["size", "name", "certificate"] | None,
        Option(
            help="Order of the categories: largest first, by name, or largest certificate first "
            "(default: size, or as named).",
        ),
    ] = None,
    interval: Annotated[
        float | None, Option(help="Level of the weights' intervals (default: 0.95).")
    ] = None,
    margins: Annotated[
        str | None,
        Option(
            metavar="CORPUS",
            help="Labelled documents to measure margins on; they tell which family of methods "
            "suits them.",
        ),
    ] = None,
    margin_at: Annotated[
        float | None, Option(help="Margin below which documents are counted (default: 1).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what a model holds and how it was trained.

    Terms of a category in detail have intervals if the model was trained with posterior = true.
    --margins reads all documents of a corpus but those marked test, or those of --split.

    \b
    Examples:
      postil inspect demo.postil
      postil inspect demo.postil --category sport --top 20
      postil inspect demo.postil --sort certificate --json
      postil inspect sure.postil --category sport --interval 0.9
      postil inspect demo.postil --margins demo
    """
    from postil.model.load import load_model
    from postil_papers.inspect_margins import (
        add_margins,
        measured_margins,
        refuse_without,
        show_margins,
    )

    if margins is None:
        refuse_without(reading, margin_at)
    loaded = load_model(model)
    named = bool(categories)
    columns = category_columns(categories or loaded.names, loaded.names, str(model))
    if top is None:
        top = DETAIL_TERMS if named or as_json else OVERVIEW_TERMS
    with _checking_facts(model):
        whole, each = gather(loaded, top, columns, _level(loaded, interval))
    if margins is not None:
        add_margins(whole, each, measured_margins(loaded, margins, reading, columns, margin_at))
    if sort is not None or not named:
        each = _sorted(each, sort or "size")
    if as_json:
        show_json({"model": str(model)} | whole | {"categories": each})
        return
    with _checking_facts(model):
        typer.echo(inspect_text.headline(str(model), whole))
        if margins is not None:
            show_margins(whole, each)
        elif named:
            for facts in each:
                inspect_text.show_category(whole, facts)
        else:
            inspect_text.show_model(whole, each)


@contextmanager
def _checking_facts(model: Path) -> Iterator[None]:
    """Turn errors about the facts of a model into an error of its file.

    Decisions do not use these facts, and loading does not check them.
    """
    try:
        yield
    except PostilError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise ModelFileError(
            f"{model}: the record of its training is not as postil writes it ({error!r}); the "
            "model can be used, but not shown"
        ) from error


def _level(model: Model, wanted: float | None) -> float | None:
    """Return the level of the intervals; None if the model has none and none are asked for."""
    if wanted is not None and not 0 < wanted < 1:
        raise UsageError(f"--interval is a level between 0 and 1, such as 0.95, not {wanted:g}")
    if model.variances is not None:
        return USUAL_LEVEL if wanted is None else wanted
    if wanted is None:
        return None
    raise UsageError(
        "the model keeps no variances of its weights, so it has no intervals; train it with "
        'posterior = true and loss = "logistic" in the [learn] table of its recipe'
    )


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
    from postil.model.description import describe

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
    import numpy as np

    from postil.model.description import column_name

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


def _sorted(each: list[Facts], order: str) -> list[Facts]:
    """Return the categories by size, name or certificate, those without a certificate last."""

    def key(facts: Facts) -> tuple[Any, ...]:
        if order == "size":
            return (-facts["members"], facts["name"])
        if order == "name":
            return (facts["name"],)
        certificate = inspect_text.certificate_of(facts)
        return (certificate is None, -(certificate or 0.0), facts["name"])

    return sorted(each, key=key)
