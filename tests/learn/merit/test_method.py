"""Learners for a figure of merit as recipes ask for them, from documents to explanations."""

from __future__ import annotations

import numpy as np
import pytest

from postil.categorizer import TextCategorizer
from postil.corpus.opening import open_corpus
from postil.errors import UsageError
from postil.learn.job import Job, SampleWeights
from postil.learn.merit.method import MfomMethod, TreeMethod
from postil.learn.methods import method_from
from postil.learn.strength import Strengths
from postil.learn.term_priors.priors import TermPriors
from postil.model.load import load_model
from postil.model.save import save_model
from postil.recipes.recipe import Recipe, load_recipe
from postil.train.assess import assess
from postil.train.predict import Predictor
from postil.train.train import train

from .learner_samples import both, leaning

# What each recipe comes to on the demo corpus, a little less: micro-averaged F1.
RECIPES = {
    "mfom-f1": 0.5,
    "mfom-mce": 0.5,
    "mfom-tree": 0.5,
    "bpa-tree": 0.5,
    "mfom-multi": 0.5,
    "mfom-sparse": 0.55,
}
EVERY_RECIPE = pytest.mark.parametrize("recipe", RECIPES)
LEARNERS_FOR_A_FIGURE = pytest.mark.parametrize("learner", [MfomMethod(), TreeMethod()])


@pytest.fixture(scope="module")
def documents():
    return list(open_corpus("demo"))


@pytest.fixture(scope="module")
def models(documents):
    """Each recipe's model of the demo corpus, when it is asked for."""
    return Models(documents)


class Models(dict):
    def __init__(self, documents):
        self.documents = documents

    def __missing__(self, recipe):
        self[recipe] = trained(self.documents, recipe, threads=1)
        return self[recipe]


def trained(documents, recipe, threads):
    """A model; what is told of fields that are not there is let go."""
    told = []
    return train(documents, load_recipe(recipe), corpus="demo", threads=threads, notify=told.append)


@EVERY_RECIPE
def test_recipes_learn_the_demo_corpus(recipe, models, documents):
    report = assess(models[recipe], [d for d in documents if d.split == "test"], corpus="demo")
    assert report.micro["f1"] > RECIPES[recipe]


@EVERY_RECIPE
def test_saved_models_say_the_same(recipe, models, documents, tmp_path):
    model = models[recipe]
    save_model(model, tmp_path / "m.postil")
    loaded = load_model(tmp_path / "m.postil")
    texts = columns_of(model, documents)
    np.testing.assert_array_equal(Predictor(loaded).scores(texts), Predictor(model).scores(texts))


def columns_of(model, documents):
    names = model.vectorizer.fields.names
    if not names:
        return [[" ".join(d.fields.values()) for d in documents]]
    return [[d.fields[name] for d in documents] for name in names]


@pytest.mark.parametrize("recipe", ["mfom-tree", "mfom-multi", "mfom-sparse"])
def test_the_number_of_threads_changes_nothing(recipe, models, documents):
    again = trained(documents, recipe, threads=3)
    assert (again.weights != models[recipe].weights).nnz == 0
    np.testing.assert_array_equal(again.intercepts, models[recipe].intercepts)


@pytest.mark.parametrize(
    ("table", "key"),
    [
        ({"learner": "tree", "starts": ["svm"], "folds": 0}, "paths"),
        ({"learner": "mfom", "form": "rivals", "figure": "balanced-error"}, "bars"),
    ],
)
def test_explanations_say_how_it_came(table, key, documents):
    recipe = Recipe.from_dict({"name": "mine", "learn": table})
    categorizer = TextCategorizer(recipe, threads=1).fit_documents(documents)
    texts = [" ".join(d.fields.values()) for d in documents[:2]]
    names = list(categorizer.categories[:3])
    for text, row in zip(texts, categorizer.decision_function(texts), strict=True):
        for explanation, score in zip(categorizer.explain(text, names), row, strict=False):
            assert explanation.accepted == (score > 0)
            (told,) = explanation.to_dict()[key]
            if key == "paths":
                assert told["nodes"][0]["node"] == "root"
                assert told["nodes"][-1]["accepted"] == explanation.accepted
                assert told["nodes"][-1]["score"] == pytest.approx(score, abs=1e-5)


@LEARNERS_FOR_A_FIGURE
def test_searches_are_refused(learner):
    with pytest.raises(UsageError, match="leave \\[search\\] out, and give lam in \\[learn\\]"):
        learner.check_searchable()
    with pytest.raises(UsageError, match="this learner maximises a figure of merit"):
        learner.fit(Job(*both(*leaning()), strengths=Strengths("lam", np.ones(4))))


@LEARNERS_FOR_A_FIGURE
def test_priors_of_terms_are_refused(learner):
    with pytest.raises(UsageError, match="takes no per-term priors: use the learner linear"):
        learner.check_takes_priors()
    with pytest.raises(UsageError, match="takes no per-term priors"):
        learner.fit(Job(*both(*leaning()), term_priors=TermPriors(25)))


def test_class_weights_are_refused_with_the_way_to_say_it():
    given = both(*leaning())
    with pytest.raises(UsageError, match=r"name a figure such as f2 or cost\(fp=1, fn=5\)"):
        MfomMethod().fit(Job(*given, sample_weights=SampleWeights(classes=(2.0, 1.0))))
    with pytest.raises(UsageError, match="trees weigh members and others by their figure of merit"):
        TreeMethod().fit(Job(*given, sample_weights=SampleWeights(classes=(2.0, 1.0))))


def test_a_recipe_with_a_search_is_refused(documents):
    recipe = {"name": "mine", "learn": {"learner": "mfom"}, "search": {"grid": [0.1, 1.0]}}
    with pytest.raises(UsageError, match="maximises a figure of merit"):
        TextCategorizer(recipe).fit_documents(documents)


@LEARNERS_FOR_A_FIGURE
def test_what_the_learners_say_of_themselves(learner):
    assert learner.calibrations == ()
    assert not learner.compares_scores
    assert learner.tolerance == 0.0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"figure": "f0"}, "f0"),
        ({"figure": "area"}, "it is not a known measure"),
        ({"form": "ternary"}, "ternary"),
        ({"solver": "newton"}, "there is no solver 'newton'"),
        ({"starts": ()}, "starts must not be empty: give one of members-mean, batch-perceptron"),
        ({"starts": ("zeros",)}, "zeros"),
        ({"lam": -1.0}, "lam must be a finite number of at least 0, got -1.0"),
        ({"lam": np.inf}, "lam must be a finite number"),
        ({"lam": np.nan}, "lam must be a finite number"),
        ({"sharpness": 0.0}, "sharpness must be from 1e-06 to 1e\\+06, got 0.0"),
        ({"sharpness": 1e9}, "sharpness must be from"),
        ({"solver": "gpd", "lam": 0.1}, "gpd has no λ, its steps regularize"),
        ({"sharpness": 2.0}, "sharpness is for rivals, which the form binary does not have"),
        ({"options": {"rate": 0.1}}, "rate"),
    ],
)
def test_methods_that_make_no_sense_are_refused(wrong, words):
    with pytest.raises(UsageError, match=words):
        MfomMethod(**wrong)


def test_tables_of_recipes_become_methods():
    learner = method_from(
        {"learner": "mfom", "figure": "f2", "starts": ["svm", "logistic"], "lam": 0.1}
    )
    assert learner == MfomMethod("f2", starts=("svm", "logistic"), lam=0.1)
    tree = method_from(
        {"learner": "tree", "solver": "batch-perceptron", "starts": ["members-mean"], "depth": 2}
    )
    assert tree == TreeMethod(solver="batch-perceptron", depth=2)
