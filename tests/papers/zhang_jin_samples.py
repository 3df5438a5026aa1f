"""Small stand-ins for the recipes and collections of zhang-jin-yang-hauptmann-2003."""

from __future__ import annotations

from dataclasses import replace

from postil.corpus.document import Document
from postil.corpus.opening import open_corpus
from postil.recipes.parts import Decide, Representation, TermSelection
from postil.recipes.recipe import Recipe
from postil_papers.experiment import by_name, no_data
from postil_papers.zhang_jin_yang_hauptmann_2003 import (
    binary,
    collections,
    convergence,
    datasets,
    growth,
    loss_shapes,
    multiclass,
    studies,
    whole,
)

READING = Representation(
    analyzer="words lower", fields=("title", "body"), weights="binary", norm="none"
)
LEARN = {
    "mlr-cg": {
        "loss": "hinge",
        "solver": "smoothed-conjugate-gradient",
        "intercept": "free",
        "lam": 1e-3,
        "options": {"tolerance": 0.0, "iterations": 200},
    },
    "mmlr-cg": {"learner": "multiclass-svm", "lam": 1e-3},
}
RULES = {"mlr-cg": "f1", "mmlr-cg": "best"}
TERMS = 30

CLASSES = ("course", "department", "faculty", "other", "project", "staff", "student")
PLACES = ("cornell", "texas", "washington", "wisconsin", "misc")


def small_recipe(name):
    """A recipe by the name of one of postil's own: the same parts, fewer terms."""
    return Recipe(
        name,
        representation=READING,
        selection=TermSelection("information-gain", TERMS, scope="corpus"),
        learn=LEARN[name],
        decide=Decide(rule=RULES[name]),
    )


def small_experiments():
    """Every experiment of the paper, with small recipes."""
    homes = (datasets, binary, studies, whole, multiclass, convergence, growth)
    found = [each for home in homes for each in home.experiments(small_recipe)]
    return by_name(*found, *loss_shapes.EXPERIMENTS.values())


def renamed_demo(names):
    """The demo corpus with its categories called otherwise, the first ones by these names."""
    own = ("council", "environment", "housing", "business")
    called = dict(zip(own, names, strict=False))
    for document in open_corpus("demo"):
        fields = {"dateline": "", **document.fields}
        labels = tuple(called.get(label, label) for label in document.labels)
        yield replace(document, fields=fields, labels=labels)


def made_up_pages():
    """Pages of all classes and universities, whose class one word tells; departments are few."""
    for number in range(140):
        name, place = CLASSES[number % 7], PLACES[number % 5]
        words = f"{name}page {'bcd'[number % 3]}word {'bcdfghjklmn'[number % 11]}term"
        yield Document(f"{name}/{place}/{number}", {"title": "", "body": words}, (name,), None)


class Walked:
    """Documents that can be walked as often as wanted, as a corpus can."""

    def __init__(self, make, *given):
        self._make, self._given = make, given

    def __iter__(self):
        return self._make(*self._given)


CORPORA = {
    collections.REUTERS.corpus: Walked(renamed_demo, collections.REUTERS.categories),
    collections.ARXIV.corpus: Walked(renamed_demo, collections.ARXIV.categories),
    collections.UNIV_6.corpus: Walked(made_up_pages),
}
RCV1 = Walked(renamed_demo, collections.RCV1.categories)


def stand_in(experiment, **settings):
    """The same experiment where no corpus is needed; ``collections.open_corpus`` is patched."""
    data = experiment.data
    if experiment.settings.get("corpus") in CORPORA:
        data = no_data
    known = {name: value for name, value in settings.items() if name in experiment.settings}
    return replace(experiment, settings={**experiment.settings, **known}, data=data)
