"""Small stand-ins for the papers' recipes and corpora."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace

from postil.corpus.document import Document
from postil.corpus.opening import open_corpus
from postil.recipes.recipe import Recipe
from postil_papers import results

TERMS, DIRECTIONS = 40, 16
LARGEST = ("council", "environment", "housing")  # of the demo's categories

CLASSES = ("course", "department", "faculty", "other", "project", "staff", "student")
UNIVERSITIES = ("cornell", "texas", "washington", "wisconsin", "misc")


def small_recipe(recipe):
    """The same parts on the demo's fields, with fewer passes, terms, directions and folds."""
    learn = dict(recipe.learn)
    options = dict(learn.get("options") or {})
    if "iterations" in options:
        options["iterations"] = min(options["iterations"], 20)
    if "rate" in options:
        options["rate"] = 0.3
    if options:
        learn["options"] = options
    if learn.get("learner") == "tree":
        learn |= {"depth": min(2, learn.get("depth", 2)), "folds": min(2, learn.get("folds", 2))}
    representation = recipe.representation
    stems = representation.analyzer == "whitespace"
    representation = replace(
        representation,
        fields=("title", "body"),
        min_df=1,
        min_occurrences=1,
        lsi=None if representation.lsi is None else DIRECTIONS,
        analyzer="words lower" if stems else representation.analyzer,
    )
    selection = recipe.selection
    if selection.terms is not None:
        selection = replace(selection, terms=min(TERMS, selection.terms))
    search = recipe.search
    if search is not None:
        grid = search.grid if isinstance(search.grid, str | None) else search.grid[:2]
        rounds = None if search.rounds is None else 1
        search = replace(search, grid=grid, folds=2, rounds=rounds)
    return replace(
        recipe,
        learn=learn,
        representation=representation,
        selection=selection,
        search=search,
        decide=replace(recipe.decide, folds=2),
    )


def small(value, **changes):
    """A setting with every recipe in it made small, and fields and keys of these names changed."""
    if isinstance(value, Recipe):
        return small_recipe(value)
    if is_dataclass(value):
        inner = {each.name: getattr(value, each.name) for each in fields(value)}
        return replace(value, **small(inner, **changes))
    if isinstance(value, dict):
        return {
            key: changes[key] if key in changes else small(each, **changes)
            for key, each in value.items()
        }
    if isinstance(value, list | tuple):
        return type(value)(small(each, **changes) for each in value)
    return value


def small_experiment(experiment, **changes):
    """The same experiment with small recipes and these settings changed."""
    return replace(experiment, settings=small(dict(experiment.settings), **changes))


def known_corpora(monkeypatch):
    """Let every corpus name pass: the test itself says which documents it stands for."""
    monkeypatch.setattr(results, "corpus_fingerprint", lambda name: name)


class Walked:
    """Documents that can be walked as often as wanted, as a corpus can."""

    def __init__(self, make, *given):
        self._make, self._given = make, given

    def __iter__(self):
        return self._make(*self._given)


def renamed_demo(names):
    """The demo corpus with its first categories called by these names."""
    own = ("council", "environment", "housing", "business")
    called = dict(zip(own, names, strict=False))
    for document in open_corpus("demo"):
        fields = {"dateline": "", **document.fields}
        labels = tuple(called.get(label, label) for label in document.labels)
        yield replace(document, fields=fields, labels=labels)


def made_up_pages():
    """Pages of all classes and universities, whose class one word tells; departments are few."""
    for number in range(140):
        name, place = CLASSES[number % 7], UNIVERSITIES[number % 5]
        words = f"{name}page {'bcd'[number % 3]}word {'bcdfghjklmn'[number % 11]}term"
        yield Document(f"{name}/{place}/{number}", {"title": "", "body": words}, (name,), None)
