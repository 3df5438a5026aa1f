"""What `postil inspect --margins` shows a person."""

from __future__ import annotations

import typer

from postil.cli.console import counted, show_table
from postil.cli.inspect_facts import OVER_MEAN, Facts
from postil.cli.inspect_tables import INDENT, show_title, show_wrapped

ABSENT = "-"
MEDIAN = "median"

_NORMS = {"two": "‖x‖₂", "infinity": "‖x‖∞", "one": "‖x‖₁"}
_WEIGHTS = {
    "members": "members",
    "one_norm": "‖w‖₁",
    "two_norm": "‖w‖₂",
    "entropy": "entropy",
    "least_margin": "least margin",
}
_BOUNDS = {
    "perceptron_mistakes": "Perceptron's",
    "winnow_mistakes": "Winnow's",
    "additive": "additive",
    "multiplicative": "multiplicative",
    "ratio": "ratio",
}


def show_margins(whole: Facts, each: list[Facts]) -> None:
    """Print the documents' norms, a line of each table for each category, and what it means."""
    told = whole["margins"]
    rows = [(facts["name"], facts["margins"]) for facts in each]
    if len(rows) > 1:
        rows.append((MEDIAN, told["median"]))
    _show_norms(told)
    show_title("Weights found, and margins y(w·x + b)")
    _show_rows(rows, _WEIGHTS | {"under": f"below {told['gamma']:g}"})
    show_title("Mistakes at most, and the bounds' terms")
    _show_rows(rows, _BOUNDS, last="favours")
    _show_legend(told, len(each))
    if whole["terms"] == OVER_MEAN:
        show_wrapped(
            "The model compares categories with each other: margins against 0 say little of what "
            "it decides.",
            further=INDENT,
        )


def _show_norms(told: Facts) -> None:
    documents = counted(told["documents"], "document", grouped=True)
    learned = ", which it learned from" if told["learned_from"] else ""
    show_title(f"Vectors of {documents} of {told['corpus']}{learned}")
    rows = [
        (INDENT + _NORMS[name], _number(norm["largest"]), _number(norm["mean"]))
        for name, norm in told["norms"].items()
    ]
    show_table((f"{INDENT}norm", "largest", "mean"), rows, right=" rr")
    if told["constant"]:
        show_wrapped(
            "With a constant 1 appended to each document, whose weight is the intercept: it is in "
            "all norms here.",
            further=INDENT,
        )


def _show_rows(rows: list[tuple[str, Facts]], columns: dict[str, str], last: str = "") -> None:
    header = [f"{INDENT}category", *columns.values(), *([last] if last else [])]
    cells = [
        [
            INDENT + name,
            *(_number(facts[column]) for column in columns),
            *([facts.get(last, "")] if last else []),
        ]
        for name, facts in rows
    ]
    show_table(header, cells, right=" " + "r" * len(columns))


def _show_legend(told: Facts, categories: int) -> None:
    favours = told["favours"]
    of_all = counted(categories, "category", "categories", grouped=True)
    lines = []
    if told["separated"] < categories:
        lines.append(
            f"{ABSENT}: not separable by these weights, so that no number of mistakes is bounded; "
            f"{told['separated']:,} of {of_all} have every margin above 0."
        )
    lines += [
        "ratio: the multiplicative term over the additive one, whatever margin is asked for.",
        f"The bounds favour additive updates (Perceptron, SVM) for {favours['additive']:,} of "
        f"{of_all}, multiplicative ones (Winnow) for {favours['multiplicative']:,}. Each theorem "
        "has a constant that nobody knows, and the two may differ: a ratio near 1 decides "
        "nothing. A model of the other family may find weights that suit it better.",
    ]
    typer.echo()
    for line in lines:
        show_wrapped(line, further=INDENT)


def _number(value: float | None) -> str:
    if value is None:
        return ABSENT
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
