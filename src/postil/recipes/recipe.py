"""Recipes: a method from text to decisions, in one TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from postil.common.suggest import advice, near_names
from postil.decide import parse_rule
from postil.decide.aims import rule_for
from postil.decide.calibration import Logistic, Moderated, Probit, Softmax
from postil.decide.fitted_calibration import Platt
from postil.decide.rules import RuleSpec
from postil.decide.scores import Needs
from postil.errors import InputError, SpecError, UsageError
from postil.learn.kernel_method import NO_AUTO, ONE_SELECTION, KernelMethod
from postil.learn.merit.figures import (
    FBeta,
    Figure,
    PlainError,
    PrecisionAtRecall,
    RecallAtPrecision,
)
from postil.learn.merit.method import PERCEPTRON
from postil.learn.merit.naming import figure_named
from postil.learn.method import BaseMethod
from postil.learn.methods import method_from
from postil.learn.naive_bayes import NaiveBayes
from postil.learn.search.grids import AUTO
from postil.learn.strength import Regularization
from postil.learn.term_priors.priors import EQUAL
from postil.recipes.entries import prefix_errors
from postil.recipes.extending import base_of, extended
from postil.recipes.learn_schema import LEARN, seeded
from postil.recipes.parts import (
    Aim,
    Auto,
    Decide,
    Expectation,
    Representation,
    Search,
    TermSelection,
)
from postil.recipes.schema import check_recipe

DEFAULT = "auto"
WITHOUT_SEARCH = "default"


@dataclass(frozen=True, slots=True)
class Recipe:
    """The tables of a recipe file.

    Parameters
    ----------
    name, title, paper, where : str
        The name, a line about the method, the paper it comes from and the place in the paper.
    representation, selection, learn, search, decide : parts of a recipe
        How texts become vectors, which terms are kept, the ``[learn]`` table as a mapping, the
        search for a strength, and how scores become decisions.
    aim : Aim, optional
        The measure to learn and to decide for.
    auto : Auto, optional
        A search for representation, learner and strength.
    expect : tuple of Expectation
        The numbers that the paper prints.
    """

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
    auto: Auto | None = None
    expect: tuple[Expectation, ...] = ()
    _absent: tuple[str, ...] = field(default=(), repr=False, compare=False)
    _method: BaseMethod = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_recipe(self.to_dict())
        with prefix_errors("[representation]"):
            self.representation.check()
        with prefix_errors("[learn]"):
            object.__setattr__(self, "_method", method_from(self.learn))
        with prefix_errors("[representation] lsi"):
            self._check_lsi()
        with prefix_errors("[selection]"):
            self.selection.check()
            self._check_selection()
        if self.search is not None:
            with prefix_errors("[search]"):
                self._method.check_searchable()
                self.search.over_lambda().check(self._method)
                if isinstance(self._method, KernelMethod) and self.search.grid == AUTO:
                    raise UsageError(NO_AUTO)
        with prefix_errors("[decide] rule"):
            self._check_rule()
        with prefix_errors("[decide] calibration"):
            self._check_calibration()
        with prefix_errors("[decide] route"):
            self._check_route()
        if self.aim is not None:
            with prefix_errors("[aim]"):
                self._check_aim(self.aim)

    def _check_lsi(self) -> None:
        """Raise UsageError if a recipe with LSI asks for something that needs single terms."""
        if self.representation.lsi is None:
            return
        most_terms = None if self.search is None else self.search.most_terms
        conflicts = {
            "[selection] keeps single terms, and LSI mixes all terms": self.selection.measure,
            "[learn] variance_rule counts the documents of a term, and LSI mixes all terms": (
                self.learn.get("variance_rule", EQUAL) != EQUAL
            ),
            "[learn] posterior gives the variances of terms, and LSI mixes all terms": (
                self.learn.get("posterior")
            ),
            "[search] most_terms counts terms, and LSI mixes all terms": most_terms,
        }
        for conflict, applies in conflicts.items():
            if applies:
                raise UsageError(f"{conflict}; leave one of the two out")
        if isinstance(self._method, NaiveBayes):
            raise UsageError(
                "Naive Bayes counts terms, and LSI has coordinates instead of counts; leave lsi "
                "out, or use another learner"
            )
        if isinstance(self._method, KernelMethod):
            raise UsageError(
                "a model keeps the support documents of a kernel by their terms, and LSI mixes all "
                'terms; leave lsi out, or use learner = "linear"'
            )

    def _check_selection(self) -> None:
        method = self._method
        has_selection = self.selection.measure is not None
        if has_selection and isinstance(method, NaiveBayes) and not method.takes_selection:
            raise UsageError(
                f"{method.form} Naive Bayes uses the same terms for all categories; leave the "
                'table out, or write form = "one-vs-rest" in [learn]'
            )
        if has_selection and isinstance(method, KernelMethod) and self.selection.scope != "corpus":
            raise UsageError(ONE_SELECTION)

    def _check_rule(self) -> None:
        rule = self.decide.tuned_rule()
        if self.decide.rule == AUTO:
            return
        if self._method.compares_scores and rule.at_least != rule.at_most:
            raise UsageError(
                f"{self.decide.rule!r} compares scores with thresholds, and one model for all "
                'classes has scores that only compare with each other; write rule = "best"'
            )

    def _check_calibration(self) -> None:
        wanted, able = self.decide.calibration, self._method.calibrations
        if wanted is None or wanted not in _UNFITTED or wanted in able:
            return
        reason, needed = _UNFITTED[wanted]
        raise UsageError(
            f'"{wanted}" {reason}; write calibration = "{next(iter(able), Platt.kind)}", or '
            f"{needed} in [learn]"
        )

    def _check_route(self) -> None:
        route = self.decide.route
        if route is None:
            return
        try:
            precision = isinstance(figure_named(route), RecallAtPrecision)
        except SpecError:
            precision = False
        if not precision:
            raise UsageError(f"a route is a precision, as precision>=0.98, not {route!r}")
        if self._calibration in (None, Moderated.kind):
            raise UsageError(
                "a route needs probabilities out of fold, which the recipe does not have; write "
                'calibration = "auto"'
            )

    @property
    def _calibration(self) -> str | None:
        """The calibration of ``[decide]``, or else of the learner, or None."""
        return self.decide.calibration or next(iter(self._method.calibrations), None)

    def _check_aim(self, aim: Aim) -> None:
        figure_named(aim.measure)
        is_tuned = self.decide.tuned_rule().needs is Needs.OUT_OF_FOLD
        if aim.compare and (self._method.compares_scores or not is_tuned):
            raise UsageError(
                "compare needs thresholds that are tuned out of fold, and the rule "
                f"{self.decide.rule!r} has none; leave compare out, or leave the rule out to get "
                "one for the measure"
            )

    def searching(self, **wanted: Any) -> Recipe:  # noqa: ANN401 - the entries of [search]
        """Return the same recipe with a search for the strength in place of a given one.

        ``wanted`` are entries of ``[search]``. The others keep the recipe's values or take the
        defaults: 5 folds, λ = 10^-k for k = 0..6, one λ for all categories, by F1 (by likelihood
        for one model of all classes). F1 looks at decisions at a score of 0: a recipe without
        ``[search]`` whose rule tunes thresholds out of fold is searched by break-even.
        """
        strengths = {each.name for each in fields(Regularization)}
        learn = {name: value for name, value in self.learn.items() if name not in strengths}
        usual = self._usual_search()
        if wanted.get("over", usual.over) != usual.over:
            usual = replace(usual, grid=None)  # its numbers would mean something else
        return replace(self, learn=learn, search=replace(usual, **wanted), auto=None)

    def _usual_search(self) -> Search:
        if self.search is not None:
            return self.search
        if self.aim is not None:
            return Search(measure=search_measure_for(figure_named(self.aim.measure)))
        is_tuned = self.decide.tuned_rule().needs is Needs.OUT_OF_FOLD
        return Search(measure="break-even") if is_tuned else Search()

    def within(self, budget: float | str) -> Recipe:
        """Return the recipe with the time of its automatic search.

        Parameters
        ----------
        budget : float or str
            About the seconds of the search, or a time such as ``"10m"``. ``"none"`` leaves the
            search out, which turns the recipe ``auto`` into ``default``.
        """
        auto = Auto.of(budget)
        if auto is None:
            names = load_recipe(WITHOUT_SEARCH) if self.name == DEFAULT else self
            return replace(self, auto=None, name=names.name, title=names.title)
        if self.auto is None:
            raise UsageError(
                f"budget is the time of an automatic search, and the recipe {self.name} makes "
                f"none: leave it out, or use the recipe {DEFAULT}"
            )
        return replace(self, auto=auto)

    def deciding(self, labels: str) -> Recipe:
        """Return the same recipe for documents of ``"one"`` label, or of ``"many"``."""
        decide = replace(self.decide, labels=labels)
        counts = self.decide.tuned_rule().rule.counts
        if self.aim is not None:
            decide = replace(decide, calibration=AUTO)  # the rule is that of the measure
        elif counts != (labels == "one"):
            decide = replace(decide, rule=AUTO, calibration=AUTO)
        return replace(self, decide=decide)

    def routed(self, precision: str) -> Recipe:
        """Return the same recipe with a route, as ``"precision>=0.98"``, and a calibration for it.

        The calibration is the recipe's own if that can be measured out of fold.
        """
        unfit = self._calibration in (None, Moderated.kind)
        calibration = AUTO if unfit else self.decide.calibration
        return replace(self, decide=replace(self.decide, route=precision, calibration=calibration))

    def for_documents(self, single_label: bool) -> Recipe:
        """Return the same recipe with the decisions that documents ask for.

        ``single_label`` is True if every training document has exactly one label.
        """
        own = next(iter(self._method.calibrations), None) if self._method.compares_scores else None
        decide, aim = self.decide, self.aim
        one = decide.labels == "one" or (decide.labels == AUTO and single_label)
        if aim is not None and one and decide.calibration == AUTO:
            # The best category serves accuracy and F1. For other measures a document may have none.
            # A recall that holds asks for several candidates, unless one label is asked for.
            figure = figure_named(aim.measure)
            plain = isinstance(figure, FBeta | PlainError)
            rule = AUTO if plain else str(replace(decide.tuned_rule(), at_most=1))
            if decide.labels == "one" or not isinstance(figure, PrecisionAtRecall):
                decide = replace(decide, rule=rule)
            aim = replace(aim, compare=aim.compare and not plain)
        return replace(self, decide=decide.resolved(single_label, own), aim=aim)

    def aimed_at(self, measure: str, *, compare: bool = True) -> Recipe:
        """Return the same recipe with thresholds, search and learning set for a measure.

        Parameters
        ----------
        measure : str
            A measure as :func:`postil.learn.merit.naming.figure_named` reads it.
        compare : bool
            Decide on held-out folds whether to learn for the measure. A learner that does so
            anyway is kept.
        """
        figure = figure_named(measure)
        if self._method.compares_scores:
            raise UsageError(
                f"aiming at {figure.name} tunes a threshold for each category, and one model for "
                "all classes has scores that only compare with each other: use a recipe that "
                'learns one-vs-rest (learner = "linear")'
            )
        own = self.trains_for_figures
        search = self.search
        return replace(
            self,
            learn={**self.learn, "figure": figure.name} if own else self.learn,
            search=None if search is None else replace(search, measure=search_measure_for(figure)),
            decide=replace(self.decide, rule=_rule_for(figure, self.decide.tuned_rule())),
            aim=Aim(figure.name, compare and not own),
            expect=(),
        )

    @property
    def fallback_note(self) -> str:
        """A note on what stands in for the tables that a user's recipe lacks, or nothing."""
        if not self._absent:
            return ""
        probabilities = "" if self.decide.calibration else " without probabilities"
        used = {
            "representation": f'weights = "{self.representation.weights}"',
            "learn": f'loss = "{getattr(self._method, "loss", "")}"',
            "decide": f'rule = "{self.decide.rule}"{probabilities}',
        }
        tables = " and no ".join(f"[{name}]" for name in self._absent)
        return (
            f"the recipe {self.name} has no {tables}, so postil uses "
            f"{' and '.join(used[name] for name in self._absent)}; write extends = "
            f'"{WITHOUT_SEARCH}" for the tables of that recipe'
        )

    @property
    def trains_for_figures(self) -> bool:
        """True if the learner trains for a figure of merit."""
        return _trains_for_figures(self.learn)

    def method(self, seed: int | None = None) -> BaseMethod:
        """Return the method of ``[learn]``; ``seed`` applies unless its options give one."""
        learn = self.learn if seed is None else seeded(self.learn, seed)
        return self._method if learn == self.learn else method_from(learn)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as a file holds them."""
        search = {} if self.search is None else {"search": _plain(self.search)}
        aim = {} if self.aim is None else {"aim": _plain(self.aim)}
        auto = {} if self.auto is None else {"auto": _plain(self.auto)}
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
            **auto,
            "expect": [_plain(expected) for expected in self.expect],
        }

    @classmethod
    def from_dict(cls, table: Mapping[str, Any], source: str = "the recipe") -> Recipe:
        """Return the recipe of the tables of a TOML file.

        Parameters
        ----------
        table : mapping
            The tables. ``extends`` names another recipe, whose tables are below them
            (:func:`postil.recipes.extending.extended`).
        source : str
            The name of the recipe in errors.
        """
        return cls._from_tables(table, source, Path(), ())

    @classmethod
    def _from_tables(
        cls, table: Mapping[str, Any], source: str, folder: Path, above: tuple[str, ...]
    ) -> Recipe:
        """Return the recipe; ``above`` are the files that extend this one, from ``folder`` on."""
        with prefix_errors(source):
            base = base_of(table)
            absent = () if base else tuple(each for each in _TELLING if each not in table)
            if base:
                table = extended(_load(base, folder, above).to_dict(), table)
            check_recipe(table)
            with prefix_errors("[aim]"):
                table = _with_aim(table)
            parts = {
                name: _made(kind, table[name]) for name, kind in _PARTS.items() if name in table
            }
            expect = tuple(_made(Expectation, each) for each in table.get("expect", ()))
            return cls(**{**table, **parts, "expect": expect, "_absent": absent})


# The tables whose defaults are not those of the default recipe.
_TELLING = ("representation", "learn", "decide")

# Calibrations that are not fitted: why they do not suit all scores, and what they need.
_UNFITTED: Mapping[str, tuple[str, str]] = {
    Logistic.kind: (
        "needs scores that are logarithms of odds, and those of [learn] are not",
        'loss = "logistic"',
    ),
    Moderated.kind: (
        "needs the variances of weights, and [learn] does not ask for them",
        'posterior = true and loss = "logistic"',
    ),
    Softmax.kind: (
        "needs scores of classes of which a document has exactly one, and [learn] has none",
        'learner = "polychotomous"',
    ),
    Probit.kind: ("needs scores of the probit loss, and [learn] has another", 'loss = "probit"'),
}

_PARTS: Mapping[str, Any] = {
    "representation": Representation,
    "selection": TermSelection,
    "search": Search,
    "decide": Decide,
    "aim": Aim,
    "auto": Auto,
}


def _plain(part: Any) -> dict[str, Any]:  # noqa: ANN401 - one of the dataclasses above
    values = {f.name: getattr(part, f.name) for f in fields(part)}
    kept = {name: value for name, value in values.items() if value is not None}
    return {name: list(v) if isinstance(v, tuple) else v for name, v in kept.items()}


def _made(kind: Any, table: Mapping[str, Any]) -> Any:  # noqa: ANN401
    return kind(**{key: tuple(v) if isinstance(v, list) else v for key, v in table.items()})


def _trains_for_figures(learn: Mapping[str, Any]) -> bool:
    """Return True if a ``[learn]`` table trains for a figure of merit.

    Trees of perceptrons do not: perceptrons minimise mistakes, whatever the figure.
    """
    has_figure = "figure" in LEARN.get(str(learn.get("learner", "linear")), {})
    return has_figure and learn.get("solver") != PERCEPTRON


def _rule_for(figure: Figure, old: RuleSpec) -> str:
    """Return the rule for a figure with the limits on the number of categories of another."""
    rule = parse_rule(rule_for(figure))
    if old.rule.counts:
        return str(rule)
    return str(replace(rule, at_least=old.at_least, at_most=old.at_most))


def search_measure_for(figure: Figure) -> str:
    """Return the search measure for a figure.

    ``f1`` would look at decisions at a score of 0, not at thresholds that are tuned for it.
    """
    if isinstance(figure, FBeta) and figure.beta == 1:
        return "micro-f1"
    return figure.name


def _with_aim(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of a recipe file with the entries that its ``[aim]`` implies."""
    measure = (table.get("aim") or {}).get("measure")
    if measure is None:
        return dict(table)
    figure = figure_named(measure)
    decide = {"rule": _rule_for(figure, Decide().tuned_rule()), **table.get("decide", {})}
    full = {**table, "decide": decide}
    if "search" in table:
        full["search"] = {"measure": search_measure_for(figure), **table["search"]}
    learn = table.get("learn", {})
    if _trains_for_figures(learn):
        full["learn"] = {"figure": figure.name, **learn}
    return full


def _recipe_files() -> dict[str, Traversable]:
    """Return the files of postil's own recipes by name; those of a paper have its folder."""
    folder = files("postil.recipes") / "files"
    entries = list(folder.iterdir())
    entries += [file for entry in entries if entry.is_dir() for file in entry.iterdir()]
    return {Path(e.name).stem: e for e in entries if e.name.endswith(".toml")}


def recipe_names() -> list[str]:
    """Return the names of postil's own recipes."""
    return sorted(_recipe_files())


def load_recipe(name: str) -> Recipe:
    """Read a recipe by its name or by the path of a TOML file."""
    return _load(name, Path(), ())


def _load(name: str, folder: Path, above: tuple[str, ...]) -> Recipe:
    """Read a recipe; paths are relative to ``folder``, and ``above`` are the files that extend it.

    The tables that postil's own recipes lack are meant to be absent.
    """
    is_own = name in _recipe_files()
    is_path = not is_own and not _is_bare(Path(name))
    path = str(folder / name) if is_path else name
    if is_path and any(Path(each).resolve() == Path(path).resolve() for each in above):
        raise UsageError(f"a recipe cannot extend itself, and {' extends '.join([*above, path])}")
    source = f"recipe {path}"
    try:
        table = tomllib.loads(recipe_text(path))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{source}: the file is not TOML: {error}") from None
    except RecursionError:
        raise InputError(f"{source}: the file nests lists too deeply for a recipe") from None
    recipe = Recipe._from_tables(table, source, Path(path).parent, (*above, path))
    return replace(recipe, _absent=()) if is_own else recipe


def recipe_text(name: str) -> str:
    """Return the TOML of a recipe by its name or by the path of a file."""
    own = _recipe_files()
    if name in own:
        return own[name].read_text(encoding="utf-8")
    path = Path(name)
    if _is_bare(path):
        raise UsageError(
            f"there is no recipe {name!r}{advice(name, recipe_names())}; a path ends in .toml"
        )
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        near = near_names(path.stem, recipe_names())
        meant = f"; write {near[0]}, without .toml, for postil's own recipe" if near else ""
        raise UsageError(f"recipe {name}: the file does not exist{meant}") from None
    except UnicodeDecodeError:
        raise InputError(f"recipe {name}: a recipe is a text file in UTF-8; convert it") from None
    except OSError as error:
        raise UsageError(f"recipe {name}: cannot be read ({error.strerror})") from None


def _is_bare(path: Path) -> bool:
    """Return True for a name, which is the path of no recipe."""
    return path.suffix != ".toml" and len(path.parts) == 1
