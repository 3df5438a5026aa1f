"""A recipe: representation, selection, learning and decision, named, in one file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from importlib.resources import files
from pathlib import Path
from typing import Any

from postil.decide import parse_rule
from postil.errors import InputError, UsageError
from postil.learn.learners import Learner, learner_from
from postil.learn.search import PAPER_GRID, LambdaSearch
from postil.text.analyzer import Analyzer
from postil.text.suggest import advice
from postil.vectors.fields import Fields
from postil.vectors.vectorizer import Vectorizer
from postil.vectors.vocabulary import TermBounds
from postil.vectors.weighting import Weighting

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Representation:
    """Text to vectors."""

    analyzer: str = "words lower min(2)"
    fields: tuple[str, ...] = ()
    apart: bool = False
    weights: str = "tfidf"
    norm: str = "l2"
    min_df: float = 1
    max_df: float = 1.0
    min_occurrences: int = 1
    max_terms: int | None = None
    buckets: int | None = None

    def vectorizer(self, threads: int | None = None) -> Vectorizer:
        """A vectorizer that has seen nothing yet."""
        return Vectorizer(
            Analyzer(self.analyzer),
            fields=Fields(tuple(self.fields), self.apart),
            weighting=Weighting.named(self.weights, norm=self.norm),  # type: ignore[arg-type]
            bounds=TermBounds(self.min_df, self.max_df, self.max_terms, self.min_occurrences),
            buckets=self.buckets,
            threads=threads,
        )


@dataclass(frozen=True, slots=True)
class TermSelection:
    """Which terms a category keeps; without a measure all of them."""

    measure: str | None = None
    terms: int | None = None
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class Search:
    """The strength of regularization by cross-validation; see ``LambdaSearch``."""

    grid: tuple[float, ...] = PAPER_GRID
    folds: int = 5
    shared: bool = True
    measure: str = "f1"
    one_standard_error: bool = False

    def __post_init__(self) -> None:
        self.over_lambda()

    def over_lambda(self, documents: int | None = None, seed: int = 0) -> LambdaSearch:
        """The search; few documents make few folds."""
        folds = self.folds
        if documents is not None:
            folds = max(2, min(folds, documents))
        return LambdaSearch(
            self.grid, folds, self.shared, self.measure, seed, self.one_standard_error
        )


@dataclass(frozen=True, slots=True)
class Decide:
    """Scores to decisions and probabilities."""

    rule: str = "default"
    calibration: str | None = None
    folds: int = 5

    def __post_init__(self) -> None:
        parse_rule(self.rule)


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a paper prints for a corpus, and how near we promise to come."""

    corpus: str
    measure: str
    value: float
    tolerance: float


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
    expect: tuple[Expectation, ...] = ()

    def __post_init__(self) -> None:
        learner = self.learner()
        if self.search is not None:
            self.search.over_lambda().check(learner.searched())

    def learner(self) -> Learner:
        """What learns, as the ``[learn]`` table says."""
        return learner_from(self.learn)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as a file would hold them."""
        search = {} if self.search is None else {"search": _plain(self.search)}
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
            "expect": [_plain(expected) for expected in self.expect],
        }

    @classmethod
    def from_dict(cls, table: Mapping[str, Any], source: str = "the recipe") -> Recipe:
        """From the tables of a TOML file."""
        parts = {
            "representation": Representation,
            "selection": TermSelection,
            "search": Search,
            "decide": Decide,
        }
        values: dict[str, Any] = {}
        try:
            _refuse_unknown("", table, {f.name for f in fields(cls)})
            for name, value in table.items():
                if name in parts:
                    values[name] = _made(parts[name], name, value)
                elif name == "expect":
                    values[name] = tuple(_made(Expectation, name, each) for each in value)
                else:
                    values[name] = value
            if "name" not in values:
                raise UsageError("a recipe needs a name")
            return cls(**values)
        except UsageError as error:
            raise UsageError(f"{source}: {error}") from None


def _plain(part: Any) -> dict[str, Any]:  # noqa: ANN401 - one of the dataclasses above
    values = {f.name: getattr(part, f.name) for f in fields(part)}
    kept = {name: value for name, value in values.items() if value is not None}
    return {name: list(v) if isinstance(v, tuple) else v for name, v in kept.items()}


def _made(kind: Any, name: str, table: Mapping[str, Any]) -> Any:  # noqa: ANN401
    _refuse_unknown(f"[{name}]", table, {f.name for f in fields(kind)})
    return kind(**{key: tuple(v) if isinstance(v, list) else v for key, v in table.items()})


def _refuse_unknown(where: str, table: Mapping[str, Any], known: set[str]) -> None:
    for name in table:
        if name not in known:
            raise UsageError(f"{where} has no entry {name!r}{advice(name, sorted(known))}".strip())


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
    if path.suffix == ".toml" and path.is_file():
        try:
            return path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise InputError(f"{name}: a recipe is a text file in UTF-8, and this is not") from None
    raise UsageError(
        f"there is no recipe {name!r}{advice(name, recipe_names())}; a path ends in .toml"
    )


def _parsed(text: str, source: str) -> Recipe:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{source}: it is not TOML: {error}") from None
    return Recipe.from_dict(table, source)
