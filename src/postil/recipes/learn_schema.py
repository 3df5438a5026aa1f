"""The entries of a ``[learn]`` table: those of each learner, and the options of its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, get_args

from postil.errors import UsageError
from postil.learn.all_classes import PolychotomousOptions
from postil.learn.losses import LOSSES
from postil.learn.merit.method import LBFGS, NODE_OPTIONS
from postil.learn.merit.method import SOLVER_OPTIONS as MERIT_SOLVERS
from postil.learn.merit.options import FORMS
from postil.learn.method import Method
from postil.learn.methods import METHODS
from postil.learn.naive_bayes import Form
from postil.learn.options import PartOptions
from postil.learn.priors import PRIORS
from postil.learn.solver_options import SmoothedConjugateGradientOptions
from postil.learn.solvers import SOLVERS, InterceptKind
from postil.learn.strength import NORM_BASED
from postil.learn.term_priors.priors import VARIANCE_RULES
from postil.recipes.entries import (
    Entry,
    Table,
    any_number,
    check_is_table,
    check_table,
    flag,
    name_of,
    positive,
    positive_or,
    prefix_errors,
    share,
    table,
    text,
    texts,
    whole_number,
)

# Options of parts: tables of their own, which depend on the part.
OPTIONS, LOSS_OPTIONS, PRIOR_OPTIONS = "options", "loss_options", "prior_options"
FIRST, SECOND = "first", "second"  # the methods of a sum
_STRENGTH: Table = {
    "lam": positive("1e-3"),
    "C": positive("1.0"),
    "prior_variance": positive_or("1.0", NORM_BASED),
}
_LEARNER = {"learner": name_of(METHODS, "linear")}
_FOR_A_FIGURE: Table = {
    "figure": text("f1", empty=False),
    "starts": texts("members-mean", "svm"),
    "lam": any_number("1e-3", least=0),
    "seed": whole_number(0, least=0),
    OPTIONS: table("{ iterations = 15 }"),
}

LEARN: Mapping[str, Table] = {
    "linear": {
        **_LEARNER,
        "loss": name_of(LOSSES, "logistic"),
        "prior": name_of(PRIORS, "gaussian"),
        "solver": name_of(SOLVERS, "dual-coordinate"),
        **_STRENGTH,
        "mix": share("0.5"),
        "variance_rule": name_of(VARIANCE_RULES, "equal"),
        "intercept": name_of(get_args(InterceptKind), "penalised"),
        "constant": positive("1.0"),
        "posterior": flag(True),
        OPTIONS: table("{ iterations = 1000 }"),
        LOSS_OPTIONS: table("{ gamma = 200.0 }"),
        PRIOR_OPTIONS: table("{ mu = 0.01 }"),
    },
    "polychotomous": {
        **_LEARNER,
        "prior": name_of(PRIORS, "laplace"),
        "mix": share("0.5"),
        **_STRENGTH,
        "intercept": name_of(get_args(InterceptKind), "penalised"),
        "constant": positive("1.0"),
        "reference": text("other", empty=False),
        OPTIONS: table("{ iterations = 1000 }"),
    },
    "multiclass-svm": {
        **_LEARNER,
        **_STRENGTH,
        "intercept": name_of(get_args(InterceptKind), "free"),
        "constant": positive("1.0"),
        OPTIONS: table("{ iterations = 200 }"),
    },
    "mfom": {
        **_LEARNER,
        **_FOR_A_FIGURE,
        "solver": name_of(MERIT_SOLVERS, "l-bfgs"),
        "form": name_of(FORMS, "binary"),
        "restarts": whole_number(2, least=0),
        "sharpness": positive("100.0"),
    },
    "tree": {
        **_LEARNER,
        **_FOR_A_FIGURE,
        "solver": name_of(NODE_OPTIONS, "l-bfgs"),
        "depth": whole_number(3),
        "least": whole_number(3),
        "folds": whole_number(5, least=0),
    },
    "kernel": {
        **_LEARNER,
        "kernel": text("polynomial(2)", empty=False),
        "loss": name_of(LOSSES, "hinge"),
        "solver": name_of(SOLVERS, "dual-coordinate"),
        **_STRENGTH,
        "intercept": name_of(get_args(InterceptKind), "penalised"),
        "constant": positive("1.0"),
        OPTIONS: table("{ iterations = 1000 }"),
        LOSS_OPTIONS: table("{ gamma = 200.0 }"),
    },
    "sum": {
        **_LEARNER,
        FIRST: table('{ loss = "hinge", C = 1.0 }'),
        SECOND: table('{ loss = "logistic", prior = "laplace", solver = "newton-coordinate" }'),
        "factor": positive("0.05"),
    },
    "naive-bayes": {
        **_LEARNER,
        "smoothing": positive("1e-2"),
        "form": name_of(get_args(Form), "one-vs-rest"),
    },
}


def check_learn(given: Any) -> None:  # noqa: ANN401 - whatever the file holds
    """Raise UsageError if a ``[learn]`` table has a wrong entry for its learner or solver."""
    place = "[learn]"
    check_is_table(place, given)
    kind = given.get("learner", "linear")
    _LEARNER["learner"].check(place, "learner", kind)
    check_table(place, given, LEARN[kind])
    if kind == "sum":
        for name in (FIRST, SECOND):
            with prefix_errors(f"[learn.{name}]"):
                check_learn(given.get(name, {}))
    for name, options_of in _OPTIONS_OF[kind].items():
        if name in given:
            entries = options_table(options_of(given))
            if given[name] and not entries:
                part = name.partition("_")[0]
                chosen = given.get(part) or getattr(Method, part)
                raise UsageError(
                    f"[learn.{name}]: the {part} {chosen} has no options; leave the table out"
                )
            check_table(f"[learn.{name}]", given[name], entries)


def _solver_options(given: Mapping[str, Any]) -> type[PartOptions]:
    return SOLVERS[given.get("solver") or Method.solver].options


def _loss_options(given: Mapping[str, Any]) -> type[PartOptions]:
    return LOSSES[given.get("loss") or Method.loss].options


def _prior_options(given: Mapping[str, Any]) -> type[PartOptions]:
    return PRIORS[given.get("prior") or Method.prior].options


# The options of each learner, from its [learn] table.
_OPTIONS_OF: Mapping[str, Mapping[str, Callable[[Mapping[str, Any]], type[PartOptions]]]] = {
    "linear": {
        OPTIONS: _solver_options,
        LOSS_OPTIONS: _loss_options,
        PRIOR_OPTIONS: _prior_options,
    },
    "polychotomous": {OPTIONS: lambda _: PolychotomousOptions},
    "multiclass-svm": {OPTIONS: lambda _: SmoothedConjugateGradientOptions},
    "mfom": {OPTIONS: lambda given: MERIT_SOLVERS[given.get("solver") or LBFGS]},
    "tree": {OPTIONS: lambda given: NODE_OPTIONS[given.get("solver") or LBFGS]},
    "kernel": {OPTIONS: _solver_options, LOSS_OPTIONS: _loss_options},
    "sum": {},
    "naive-bayes": {},
}


def seeded(given: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Return a ``[learn]`` table with a seed if its learner or solver takes one and has none."""
    kind = given.get("learner", "linear")
    if kind == "sum":
        return {
            **given,
            **{name: seeded(given[name], seed) for name in (FIRST, SECOND) if name in given},
        }
    if "seed" in LEARN[kind]:
        return {"seed": seed, **given}
    options_of = _OPTIONS_OF[kind].get(OPTIONS)
    if options_of is None or "seed" not in {each.name for each in fields(options_of(given))}:
        return dict(given)
    return {**given, OPTIONS: {"seed": seed, **given.get(OPTIONS, {})}}


def options_table(kind: type[PartOptions]) -> Table:
    """Return the entries of a table of options from the rules of the options."""
    rules = kind.rules()
    defaults = {each.name: each.default for each in fields(kind)}
    return {
        # An option without a rule is a boolean.
        name: Entry(rules[name], _written(default)) if name in rules else flag(bool(default))
        for name, default in defaults.items()
    }


def _written(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
