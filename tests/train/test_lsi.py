"""Recipes that learn in the directions of LSI."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.model.combined_samples import (
    STORIES,
    documents,
    forest_model,
    lsi_recipe,
    projected_model,
    rivals_model,
)

from postil.common.progress import no_progress
from postil.decide.folds import make_folds
from postil.errors import PostilError, UsageError
from postil.learn.job import Job
from postil.learn.term_priors.files import read_prior_file
from postil.recipes.recipe import Recipe
from postil.train.predict import Predictor
from postil.train.reading import read_training
from postil.train.run import LearningSpace
from postil.train.train import learn_from, train
from postil.train.update import update
from postil.vectors.lsi import Lsi
from postil_papers.margins import measure_margins


def recipe_of(representation=None, **tables):
    shown = {"lsi": 3} if representation is None else representation
    return Recipe.from_dict({"name": "x", "representation": shown} | tables)


def test_the_entries_of_a_recipe_come_back():
    recipe = recipe_of({"lsi": 400, "length": 3.0})
    assert (recipe.representation.lsi, recipe.representation.length) == (400, 3.0)
    assert Recipe.from_dict(recipe.to_dict()) == recipe
    assert recipe_of({"lsi": "full"}).representation.lsi == "full"
    assert "lsi" not in recipe_of({}).to_dict()["representation"]


@pytest.mark.parametrize(
    ("tables", "sentence"),
    [
        ({"representation": {"lsi": 0}}, r"\[representation\] lsi"),
        ({"representation": {"lsi": "all"}}, r'or "full"'),
        ({"representation": {"lsi": True}}, r"\[representation\] lsi"),
        ({"representation": {"lsi": 3, "length": 0}}, "above 0"),
        ({"representation": {"length": 3.0}}, "write lsi = 400, or leave length out"),
        ({"representation": {"lsi": 3, "buckets": 8}}, "leave buckets out, or lsi"),
        ({"selection": {"measure": "gini", "terms": 5}}, r"\[selection\] keeps single terms"),
        (
            {"selection": {"measure": "information-gain", "terms": 5, "scope": "corpus"}},
            r"\[selection\] keeps single terms",
        ),
        ({"learn": {"learner": "naive-bayes"}}, "coordinates instead of counts"),
        (
            {"learn": {"loss": "logistic", "posterior": True, "solver": "newton-coordinate"}},
            "posterior",
        ),
        (
            {
                "learn": {
                    "loss": "logistic",
                    "prior": "laplace",
                    "solver": "newton-coordinate",
                    "variance_rule": "idf",
                }
            },
            "variance_rule counts the documents of a term",
        ),
        (
            {
                "learn": {"loss": "logistic", "prior": "laplace", "solver": "newton-coordinate"},
                "search": {"most_terms": 5},
            },
            "most_terms counts terms",
        ),
    ],
)
def test_what_speaks_of_terms_is_refused(tables, sentence):
    with pytest.raises(PostilError, match=sentence):
        Recipe.from_dict({"name": "x", "representation": {"lsi": 3}} | tables)


@pytest.mark.parametrize("length", [None, 3.0])
@pytest.mark.parametrize(
    "learn",
    [
        {"loss": "logistic", "lam": 0.01},
        {"loss": "hinge", "lam": 0.01, "solver": "dual-coordinate"},
        {"learner": "polychotomous", "prior": "gaussian", "lam": 0.01},
    ],
)
def test_a_model_scores_as_its_fit_does_in_the_directions(length, learn):
    rule = {"rule": "best"} if "learner" in learn else {"rule": "default"}
    recipe = lsi_recipe(length=length, learn=learn, decide=rule)
    chosen, vectors = read_training(documents()[:4], recipe)
    model = learn_from(vectors, chosen, threads=1)
    space = LearningSpace.of(vectors, chosen, no_progress)
    points = Lsi(3, scaled=True).fit_transform(vectors.matrix)
    norms = np.linalg.norm(points, axis=1)
    if length is not None:
        points = points * (length / np.where(norms > 0, norms, np.inf))[:, None]
    np.testing.assert_allclose(space.design.rows.toarray(), points, atol=1e-5)
    fit = chosen.method(0).fit(Job(space.design, vectors.labels, threads=1))
    np.testing.assert_allclose(
        Predictor(model).scores([STORIES[:4]]), fit.scores(sp.csr_matrix(points)), atol=1e-4
    )
    assert (model.projection is None) == (length is None)
    assert model.units is None
    assert model.selection is None


def test_what_is_held_out_has_no_part_in_the_directions(monkeypatch):
    made = []
    fit = Lsi.fit

    def counting(self, X, y=None, **told):  # noqa: N803
        made.append(X.shape[0])
        return fit(self, X, y, **told)

    monkeypatch.setattr(Lsi, "fit", counting)
    steps = []
    recipe = lsi_recipe(decide={"rule": "f1", "calibration": "platt", "folds": 3})
    model = train(documents(), recipe, progress=lambda *step: steps.append(step[0]))
    assert made[0] == len(documents())
    assert len(made) == 4
    assert all(learned < len(documents()) for learned in made[1:])
    assert sum(len(documents()) - learned for learned in made[1:]) == len(documents())
    assert "finding directions" in steps
    assert "fold 3 of 3" in steps
    assert model.calibration is not None
    members = read_training(documents(), recipe)[1].labels.members
    assert len(make_folds(members, 3, 0)) == 3


def test_the_same_documents_give_the_same_model():
    one, other = projected_model(), projected_model()
    assert (one.weights != other.weights).nnz == 0
    np.testing.assert_array_equal(one.intercepts, other.intercepts)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (projected_model, "learned in the directions of LSI"),
        (lambda: projected_model(length=None), "learned in the directions of LSI"),
        (lambda: forest_model(projection=None, recipe={"name": "x"}), r"combines scores \(trees\)"),
        (lambda: rivals_model(recipe={"name": "x"}), r"combines scores \(rivals\)"),
    ],
)
def test_updates_are_refused(make, why):
    with pytest.raises(UsageError, match=f"cannot be updated: .*{why}.*; train a new model"):
        update(make(), documents())


@pytest.mark.parametrize(
    ("make", "why"),
    [(projected_model, "directions of LSI"), (rivals_model, "rivals"), (forest_model, "trees")],
)
def test_margins_are_refused(make, why):
    with pytest.raises(UsageError, match=f"margins need a linear model.*{why}"):
        measure_margins(make(), documents())


def test_priors_of_terms_are_refused(tmp_path):
    path = tmp_path / "priors.tsv"
    path.write_text("ferry 0.5 2.0\n")
    with pytest.raises(UsageError, match="no per-term priors"):
        train(documents(), lsi_recipe(), priors=read_prior_file(path))
