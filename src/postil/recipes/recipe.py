"""A recipe: representation, selection, learning and decision, named, in one file.

What a recipe cannot ask for where it learns in the directions of LSI, and not of terms.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from postil.common.suggest import advice, near_names
from postil.decide import parse_rule
from postil.decide.calibration import Logistic, Moderated, Probit, Softmax
from postil.decide.fitted_calibration import Platt
from postil.decide.scores import Needs
from postil.errors import InputError, UsageError
from postil.learn.merit.naming import figure_named
from postil.learn.method import BaseMethod
from postil.learn.methods import method_from
from postil.learn.naive_bayes import NaiveBayes
from postil.learn.strength import Regularization
from postil.learn.term_priors.priors import EQUAL
from postil.recipes.aiming import (
    FIGURE,
    aimed_rule,
    aimed_search,
    filled,
    refuse_aim,
    refuse_compared_scores,
    trains_for_figures,
)
from postil.recipes.entries import at
from postil.recipes.learn_schema import seeded
from postil.recipes.parts import Aim, Decide, Expectation, Representation, Search, TermSelection
from postil.recipes.schema import check_recipe


def refuse_without_terms(
    learn: Mapping[str, Any], selection: TermSelection, search: Search | None, method: BaseMethod
) -> None:
    """Refuse what speaks of single terms: a direction is a sum over all of them."""
    refused = {
        "a direction is of all terms, and [selection] keeps some; leave one of the two out": (
            selection.measure is not None
        ),
        "Naive Bayes counts terms, and coordinates are no counts; leave lsi out, or take another "
        "learner": isinstance(method, NaiveBayes),
        "[learn] variance_rule goes by how many documents hold a term, and every document is "
        "somewhere in every direction; leave one of the two out": (
            learn.get("variance_rule", EQUAL) != EQUAL
        ),
        "[learn] posterior gives variances of weights, and those of directions make none of "
        "terms; leave one of the two out": bool(learn.get("posterior")),
        "[search] most_terms counts terms, and a weight of a direction is one of every term; leave "
        "one of the two out": search is not None and search.most_terms is not None,
    }
    for message, applies in refused.items():
        if applies:
            raise UsageError(message)


__all__ = [
    "DEFAULT",
    "Aim",
    "Decide",
    "Expectation",
    "Recipe",
    "Representation",
    "Search",
    "TermSelection",
    "load_recipe",
    "recipe_names",
    "recipe_text",
]

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that makes a method, in one place."""

    name: str
    title: str = ""
    paper: str = ""
    where: str = ""
    representation: Representation = field(default_factory=Representation)
    selection: TermSelection = field(default_factory=TermSelection)
    learn: Mapping[str, Any] = field(default_factory=dict)
    search: Search | None = None
    decide: Decide = field(default_factory=Decide)
    aim: Aim | None = None
    expect: tuple[Expectation, ...] = ()

    def __post_init__(self) -> None:
        check_recipe(self.to_dict())
        with at("[representation]"):
            self.representation.vectorizer()
            self.representation.check_directions()
        with at("[learn]"):
            method = self.method()
        if self.representation.lsi is not None:
            with at("[representation] lsi"):
                refuse_without_terms(self.learn, self.selection, self.search, method)
        with at("[selection]"):
            self.selection.check()
            self._refuse_selection(method)
        if self.search is not None:
            with at("[search]"):
                method.check_searchable()
                self.search.over_lambda().check(method)
        with at("[decide] rule"):
            self._refuse_rule(method)
        with at("[decide] calibration"):
            self._refuse_calibration(method)
        if self.aim is not None:
            with at("[aim]"):
                refuse_aim(self.aim, self.decide.rule, method.compares_scores)

    def _refuse_selection(self, method: BaseMethod) -> None:
        if self.selection.measure is None or not isinstance(method, NaiveBayes):
            return
        if method.form == "multi-class":
            raise UsageError(
                "multi-class Naive Bayes uses the same terms for all categories; leave the table "
                'out, or write form = "one-vs-rest" in [learn]'
            )

    def _refuse_rule(self, method: BaseMethod) -> None:
        rule = parse_rule(self.decide.rule)
        if method.compares_scores and rule.at_least != rule.at_most:
            raise UsageError(
                "scores of one model for all classes are compared with each other, not with "
                f'thresholds, and {self.decide.rule!r} has some; write rule = "best"'
            )

    def _refuse_calibration(self, method: BaseMethod) -> None:
        wanted = self.decide.calibration
        if wanted is None or wanted not in _UNFITTED or wanted in method.calibrations:
            return
        reason, needed = _UNFITTED[wanted]
        instead = next(iter(method.calibrations), Platt.kind)
        raise UsageError(
            f'"{wanted}" {reason}; write calibration = "{instead}", or {needed} in [learn]'
        )

    def searching(self, **wanted: Any) -> Recipe:  # noqa: ANN401 - the entries of [search]
        """The same method with λ searched for instead of given.

        ``wanted`` are entries of ``[search]``; what they leave out is as the recipe has it, or as
        the paper: 5 folds, λ = 10^-k for k = 0..6, one λ for all categories, by F1 (by likelihood
        where one model has them all). F1 looks at decisions at a score of 0, which are not those
        of a rule that tunes thresholds out of fold: with such a rule, and no ``[search]`` in the
        recipe, it is break-even.
        """
        strengths = {each.name for each in fields(Regularization)}
        learn = {name: value for name, value in self.learn.items() if name not in strengths}
        usual = self._usual_search()
        if wanted.get("over", usual.over) != usual.over:
            usual = replace(usual, grid=None)  # its numbers would mean something else
        return replace(self, learn=learn, search=replace(usual, **wanted))

    def _usual_search(self) -> Search:
        if self.search is not None:
            return self.search
        if self.aim is not None:
            return Search(measure=aimed_search(figure_named(self.aim.measure)))
        tuned = parse_rule(self.decide.rule).needs is Needs.OUT_OF_FOLD
        return Search(measure="break-even") if tuned else Search()

    def aimed_at(self, measure: str, *, compare: bool = True) -> Recipe:
        """The same method for a measure: thresholds, search and, where it can be, learning.

        ``measure`` is as :func:`postil.learn.merit.naming.figure_named` reads it. With ``compare``,
        training decides on held-out folds whether learning for the measure does better, unless the
        learner does that anyway. What a paper prints is of the method as it was, and is left out.
        """
        figure = figure_named(measure)
        if self.method().compares_scores:
            refuse_compared_scores(figure)
        own = trains_for_figures(self.learn)
        search = self.search
        return replace(
            self,
            learn={**self.learn, FIGURE: figure.name} if own else self.learn,
            search=None if search is None else replace(search, measure=aimed_search(figure)),
            decide=replace(self.decide, rule=aimed_rule(figure, self.decide.rule)),
            aim=Aim(figure.name, compare and not own),
            expect=(),
        )

    def method(self, seed: int | None = None) -> BaseMethod:
        """Return the method of ``[learn]``; ``seed`` applies unless its options give one."""
        return method_from(self.learn if seed is None else seeded(self.learn, seed))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as a file would hold them."""
        search = {} if self.search is None else {"search": _plain(self.search)}
        aim = {} if self.aim is None else {"aim": _plain(self.aim)}
        return {
            "name": self.name,
            "title": self.title,
            "paper": self.paper,
            "where": self.where,
            "representation": _plain(self.representation),
            "selection": _plain(self.selection),
            "learn": dict(self.learn),
            **search,
            "decide": _plain(self.decide),
            **aim,
            "expect": [_plain(expected) for expected in self.expect],
        }

    @classmethod
    def from_dict(cls, table: Mapping[str, Any], source: str = "the recipe") -> Recipe:
        """From the tables of a TOML file."""
        with at(source):
            check_recipe(table)
            with at("[aim]"):
                table = filled(table)
            parts = {
                name: _made(kind, table[name]) for name, kind in _PARTS.items() if name in table
            }
            expect = tuple(_made(Expectation, each) for each in table.get("expect", ()))
            return cls(**{**table, **parts, "expect": expect})


# Calibrations that are not fitted: why they do not suit any scores, and what gives those they suit.
_UNFITTED: Mapping[str, tuple[str, str]] = {
    Logistic.kind: (
        "takes scores for the logarithm of the odds, and those of [learn] are not",
        'loss = "logistic"',
    ),
    Moderated.kind: (
        "needs to know how uncertain weights are, and [learn] does not ask",
        'posterior = true and loss = "logistic"',
    ),
    Softmax.kind: (
        "takes scores for those of classes of which a document has exactly one, and those of "
        "[learn] are not",
        'learner = "polychotomous"',
    ),
    Probit.kind: (
        "is for the scores of that loss, and those of [learn] are not",
        'loss = "probit"',
    ),
}

_PARTS: Mapping[str, Any] = {
    "representation": Representation,
    "selection": TermSelection,
    "search": Search,
    "decide": Decide,
    "aim": Aim,
}


def _plain(part: Any) -> dict[str, Any]:  # noqa: ANN401 - one of the dataclasses above
    values = {f.name: getattr(part, f.name) for f in fields(part)}
    kept = {name: value for name, value in values.items() if value is not None}
    return {name: list(v) if isinstance(v, tuple) else v for name, v in kept.items()}


def _made(kind: Any, table: Mapping[str, Any]) -> Any:  # noqa: ANN401
    return kind(**{key: tuple(v) if isinstance(v, list) else v for key, v in table.items()})


def recipe_names() -> list[str]:
    """The recipes that come with postil."""
    folder = files("postil.recipes") / "files"
    return sorted(
        Path(entry.name).stem for entry in folder.iterdir() if entry.name.endswith(".toml")
    )


def load_recipe(name: str) -> Recipe:
    """A recipe by its name, or by the path of a TOML file."""
    return _parsed(recipe_text(name), f"recipe {name}")


def recipe_text(name: str) -> str:
    """A recipe's TOML, by its name or by the path of a file."""
    if name in recipe_names():
        return (files("postil.recipes") / "files" / f"{name}.toml").read_text(encoding="utf-8")
    path = Path(name)
    if path.suffix == ".toml" or len(path.parts) > 1:
        return _file_text(path, name)
    raise UsageError(
        f"there is no recipe {name!r}{advice(name, recipe_names())}; a path ends in .toml"
    )


def _file_text(path: Path, name: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        near = near_names(path.stem, recipe_names())
        meant = f"; the recipe {near[0]} of postil's own is named without .toml" if near else ""
        raise UsageError(f"recipe {name}: there is no such file{meant}") from None
    except UnicodeDecodeError:
        raise InputError(
            f"recipe {name}: a recipe is a text file in UTF-8, and this is not"
        ) from None
    except OSError as error:
        raise UsageError(f"recipe {name}: cannot be read ({error.strerror})") from None


def _parsed(text: str, source: str) -> Recipe:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{source}: it is not TOML: {error}") from None
    except RecursionError:
        raise InputError(f"{source}: it is not a recipe: lists in lists in lists") from None
    return Recipe.from_dict(table, source)
