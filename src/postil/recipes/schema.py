"""Every entry a recipe can have, and what it may be: the one place where types are checked.

A table is a mapping of keys to entries. What a single value cannot show (two entries that
contradict each other, a spec that does not parse) is refused by those who know, in
``Recipe.__post_init__``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any, get_args

from postil.decide import CALIBRATIONS
from postil.errors import SpecError, UsageError
from postil.features.measures import MEASURES as TERM_MEASURES
from postil.learn.conjugate_gradient_options import SmoothedConjugateGradientOptions
from postil.learn.learners import LEARNERS
from postil.learn.losses import LOSSES
from postil.learn.merit.forms import FORMS
from postil.learn.merit.method import SOLVER_OPTIONS as MERIT_SOLVERS
from postil.learn.merit.method import MfomMethod
from postil.learn.merit.tree_method import NODE_OPTIONS, TreeMethod
from postil.learn.method import Method
from postil.learn.naive_bayes import Form
from postil.learn.option_rules import Rule, number, whole
from postil.learn.part_options import PartOptions
from postil.learn.polychotomous_method import PolychotomousOptions
from postil.learn.priors import PRIORS
from postil.learn.regularization import NORM_BASED
from postil.learn.search_grids import AUTO, WAYS
from postil.learn.search_measures import MEASURES as SEARCH_MEASURES
from postil.learn.search_measures import search_measure
from postil.learn.solvers import SOLVERS, InterceptKind
from postil.learn.variance_rules import VARIANCE_RULES
from postil.recipes.entries import (
    Entry,
    Table,
    any_number,
    check_is_table,
    check_table,
    check_tables,
    flag,
    name_of,
    needed,
    positive,
    positive_or,
    positives,
    share,
    table,
    text,
    texts,
)
from postil.recipes.parts import SCOPES
from postil.text.suggest import advice
from postil.vectors.projection import FULL
from postil.vectors.vectorizer import MOST_BUCKETS
from postil.vectors.weighting import NAMED, NORMS

MOST = 2**31 - 1


def _whole(example: int, least: int = 1, most: int = MOST) -> Entry:
    return Entry(whole(least, most), str(example))


def _whole_or(example: int, word: str) -> Entry:
    """A whole number of at least 1, or a word."""
    one = whole(1, MOST)
    rule = Rule(
        lambda value: f'{one.words(value)}, or "{word}"',
        lambda value: value == word or one.holds(value),
    )
    return Entry(rule, str(example), (word,))


def _documents(example: str) -> Entry:
    """Whole numbers count documents, others are shares of them."""
    words = "a whole number of documents, or a share of them from 0.0 to 1.0"
    return Entry(
        number(words, lambda value: 0 <= value <= (MOST if isinstance(value, int) else 1)), example
    )


def _grid(example: str) -> Entry:
    """A list of strengths, or the word for none."""
    listed = positives(example)

    def words(value: object) -> str:
        said = listed.rule.words(value)
        return said if isinstance(value, list | tuple) else f'{said}, or "{AUTO}"'

    def holds(value: object) -> bool:
        return value == AUTO or listed.rule.holds(value)

    return replace(listed, rule=Rule(words, holds), names=(AUTO,))


def _measure(example: str) -> Entry:
    """What a search goes by; of a figure of merit more is said by those who read it."""
    listed = name_of(SEARCH_MEASURES, example)

    def words(value: object) -> str:
        return f"{listed.rule.words(value)}, or a figure of merit such as recall>=0.95"

    def holds(value: object) -> bool:
        return listed.rule.holds(value) or (isinstance(value, str) and _is_measure(value))

    return replace(listed, rule=Rule(words, holds))


def _is_measure(name: str) -> bool:
    try:
        search_measure(name)
    except SpecError:
        return True  # a figure that is told wrongly: its own error says more
    except UsageError:
        return False
    return True


HEAD: Table = {
    "name": needed(text("mine", empty=False)),
    "title": text("What it is"),
    "paper": text("zhang-oles-2001"),
    "where": text("table 2"),
}

REPRESENTATION: Table = {
    "analyzer": text("words lower min(2)", empty=False),
    "fields": texts("title", "body"),
    "apart": flag(True),
    "weights": name_of(NAMED, "tfidf"),
    "norm": name_of(NORMS, "l2"),
    "min_df": _documents("2"),
    "max_df": _documents("0.5"),
    "min_occurrences": _whole(3),
    "max_terms": _whole(10000),
    "buckets": _whole(2**20, most=MOST_BUCKETS),
    "lsi": _whole_or(400, FULL),
    "length": positive("3.0"),
}

SELECTION: Table = {
    "measure": name_of(TERM_MEASURES, "gini"),
    "terms": _whole(1000),
    "threshold": any_number("0.01"),
    "scope": name_of(SCOPES, "category"),
}

SEARCH: Table = {
    "over": name_of(WAYS, "lam"),
    "grid": _grid("[1e-2, 1e-3, 1e-4]"),
    "points": _whole(20),
    "folds": _whole(5, least=2),
    "rounds": _whole(2),
    "shared": flag(True),
    "measure": _measure("f1"),
    "one_standard_error": flag(False),
    "most_terms": _whole(10),
    "exactly": flag(False),
}

DECIDE: Table = {
    "rule": text("f1", empty=False),
    "calibration": name_of(CALIBRATIONS, "platt"),
    "folds": _whole(5, least=2),
}

AIM: Table = {
    "measure": needed(text("f1", empty=False)),
    "compare": flag(True),
}

EXPECT: Table = {
    "corpus": needed(text("reuters-modapte", empty=False)),
    "measure": needed(text("micro-f1", empty=False)),
    "value": needed(any_number("87.2")),
    "tolerance": needed(any_number("1.5", least=0)),
}

# Options of parts: tables of their own, which depend on the part.
OPTIONS, LOSS_OPTIONS, PRIOR_OPTIONS = "options", "loss_options", "prior_options"
_LEARNER = {"learner": name_of(LEARNERS, "linear")}
_FOR_A_FIGURE: Table = {
    "figure": text("f1", empty=False),
    "starts": texts("members-mean", "svm"),
    "lam": any_number("1e-3", least=0),
    OPTIONS: table("{ iterations = 15 }"),
}

LEARN: Mapping[str, Table] = {
    "linear": {
        **_LEARNER,
        "loss": name_of(LOSSES, "logistic"),
        "prior": name_of(PRIORS, "gaussian"),
        "solver": name_of(SOLVERS, "dual-coordinate"),
        "lam": positive("1e-3"),
        "C": positive("1.0"),
        "prior_variance": positive_or("1.0", NORM_BASED),
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
        "lam": positive("1e-3"),
        "C": positive("1.0"),
        "prior_variance": positive_or("1.0", NORM_BASED),
        "intercept": name_of(get_args(InterceptKind), "penalised"),
        "constant": positive("1.0"),
        "reference": text("other", empty=False),
        OPTIONS: table("{ iterations = 1000 }"),
    },
    "multiclass-svm": {
        **_LEARNER,
        "lam": positive("1e-3"),
        "C": positive("1.0"),
        "prior_variance": positive_or("1.0", NORM_BASED),
        "intercept": name_of(get_args(InterceptKind), "free"),
        "constant": positive("1.0"),
        OPTIONS: table("{ iterations = 200 }"),
    },
    "mfom": {
        **_LEARNER,
        **_FOR_A_FIGURE,
        "solver": name_of(MERIT_SOLVERS, "l-bfgs"),
        "form": name_of(FORMS, "binary"),
        "sharpness": positive("100.0"),
    },
    "tree": {
        **_LEARNER,
        **_FOR_A_FIGURE,
        "solver": name_of(NODE_OPTIONS, "l-bfgs"),
        "depth": _whole(3),
        "least": _whole(3),
        "folds": _whole(5, least=0),
        "seed": _whole(0, least=0),
    },
    "naive-bayes": {
        **_LEARNER,
        "smoothing": positive("1e-2"),
        "form": name_of(get_args(Form), "one-vs-rest"),
    },
}

# Tables whose entries depend on nothing but the table.
PLAIN: Mapping[str, Table] = {
    "representation": REPRESENTATION,
    "selection": SELECTION,
    "search": SEARCH,
    "decide": DECIDE,
    "aim": AIM,
}
KEYS = (*HEAD, *PLAIN, "learn", "expect")


def check_recipe(recipe: Mapping[str, Any]) -> None:
    """Refuse a recipe's tables at the first entry that is not what it may be."""
    for key in recipe:
        if key not in KEYS:
            raise UsageError(f"it has no entry {key!r}{advice(key, sorted(KEYS))}")
    check_table("", {key: recipe[key] for key in recipe if key in HEAD}, HEAD)
    for name, entries in PLAIN.items():
        if name in recipe:
            check_table(f"[{name}]", recipe[name], entries)
    if "learn" in recipe:
        check_learn(recipe["learn"])
    if "expect" in recipe:
        check_tables("[expect]", recipe["expect"], EXPECT)


def check_learn(given: Any) -> None:  # noqa: ANN401 - whatever the file holds
    """Refuse a ``[learn]`` table by the entries of its learner, and of its solver."""
    place = "[learn]"
    check_is_table(place, given)
    kind = given.get("learner", "linear")
    _LEARNER["learner"].check(place, "learner", kind)
    check_table(place, given, LEARN[kind])
    for name, options_of in _OPTIONS_OF[kind].items():
        if name in given:
            entries = options_table(options_of(given))
            if given[name] and not entries:
                part = name.partition("_")[0]
                chosen = given.get(part) or getattr(Method(), part)
                raise UsageError(
                    f"[learn.{name}]: the {part} {chosen} has no options; leave the table out"
                )
            check_table(f"[learn.{name}]", given[name], entries)


def _solver_options(given: Mapping[str, Any]) -> PartOptions:
    return SOLVERS[given.get("solver") or Method().solver].options()


def _loss_options(given: Mapping[str, Any]) -> PartOptions:
    return LOSSES[given.get("loss") or Method().loss].options()


def _prior_options(given: Mapping[str, Any]) -> PartOptions:
    return PRIORS[given.get("prior") or Method().prior].options()


# By learner, for its [learn] table: the options with their defaults.
_OPTIONS_OF: Mapping[str, Mapping[str, Callable[[Mapping[str, Any]], PartOptions]]] = {
    "linear": {
        OPTIONS: _solver_options,
        LOSS_OPTIONS: _loss_options,
        PRIOR_OPTIONS: _prior_options,
    },
    "polychotomous": {OPTIONS: lambda _: PolychotomousOptions()},
    "multiclass-svm": {OPTIONS: lambda _: SmoothedConjugateGradientOptions()},
    "mfom": {OPTIONS: lambda given: MERIT_SOLVERS[given.get("solver") or MfomMethod().solver]()},
    "tree": {OPTIONS: lambda given: NODE_OPTIONS[given.get("solver") or TreeMethod().solver]()},
    "naive-bayes": {},
}


def seeded(given: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """A ``[learn]`` table with a seed where its learner, or its solver, has one and says none."""
    kind = given.get("learner", "linear")
    if "seed" in LEARN[kind]:
        return {"seed": seed, **given}
    options_of = _OPTIONS_OF[kind].get(OPTIONS)
    if options_of is None or "seed" not in {each.name for each in fields(options_of(given))}:
        return dict(given)
    return {**given, OPTIONS: {"seed": seed, **given.get(OPTIONS, {})}}


def options_table(made: PartOptions) -> Table:
    """The entries of a table of options, as the rules of the options have them."""
    rules = made.rules()
    defaults = {each.name: getattr(made, each.name) for each in fields(made)}
    return {
        # What has no rule of its own is a choice of yes or no.
        name: Entry(rules[name], _written(default)) if name in rules else flag(default)
        for name, default in defaults.items()
    }


def _written(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
