"""Recipes with a kernel: the linear twin, folds and search, what a model keeps, and refusals."""

from __future__ import annotations

import numpy as np
import pytest
from tests.model.combined_samples import STORIES, documents, kernel_model, kernel_recipe

from postil.corpus.opening import open_corpus
from postil.errors import PostilError, UsageError
from postil.learn import combining, kernel_method
from postil.learn.kernel_functions import ProductKernel, kernel_from, product_kernel
from postil.learn.losses import LOSSES
from postil.learn.method import Method
from postil.learn.solvers import SOLVERS
from postil.model import describe
from postil.recipes.recipe import Recipe
from postil.train.predict import Predictor
from postil.train.reasons import Reasons
from postil.train.train import train
from postil.train.update import update

SELECTION = {"measure": "chi-square", "terms": 300, "scope": "corpus"}


def recipe_of(learn, **tables):
    return Recipe.from_dict({"name": "trial", "selection": SELECTION, "learn": learn, **tables})


def forms():
    """Every loss, solver and intercept that learns with a kernel."""
    for solver in (each for each in SOLVERS.values() if "kernels" in each.provides):
        for loss in (each for each in LOSSES.values() if solver.loss_needs <= each.provides):
            for intercept in sorted(solver.intercepts):
                yield {"loss": loss.name, "solver": solver.name, "intercept": intercept}


@pytest.fixture(scope="module")
def demo():
    return [document for document in open_corpus("demo") if document.split != "test"][:120]


@pytest.mark.parametrize("form", list(forms()), ids=lambda form: "-".join(form.values()))
def test_a_linear_kernel_is_the_linear_method(form, demo):
    exact = {**form, "lam": 0.1, "options": {"tolerance": 1e-12, "iterations": 100_000}}
    assert Method(form["loss"], solver=form["solver"], intercept=form["intercept"])
    texts = [[" ".join(document.fields.values()) for document in demo]]
    plain, kernel = (
        Predictor(train(demo, recipe_of({**exact, **more}), threads=1)).scores(texts)
        for more in ({}, {"learner": "kernel", "kernel": "linear"})
    )
    np.testing.assert_allclose(kernel, plain, rtol=0, atol=1e-6)


def test_folds_and_a_search_learn_with_the_kernel(demo, monkeypatch):
    learn = {"learner": "kernel", "kernel": "polynomial(2)", "loss": "hinge"}
    decide = {"rule": "f1", "calibration": "platt", "folds": 3}
    search = {"grid": [1e-1, 1e-2, 1e-3], "folds": 3}
    recipe = recipe_of(learn, decide=decide, search=search)
    model = train(demo, recipe, threads=1)
    assert len(model.method["search"]["grid"]) == 3
    assert set(model.combination.ids) <= {document.id for document in demo}
    kept = np.unique(model.weights.tocsr().indices)
    assert len(kept) <= SELECTION["terms"]
    texts = [[" ".join(document.fields.values()) for document in demo]]
    whole = Predictor(model).scores(texts)
    monkeypatch.setattr(combining, "MOST_SCORES", 3 * model.rows)  # three documents at a time
    np.testing.assert_array_equal(Predictor(model).scores(texts), whole)
    again = train(demo, recipe, threads=2)
    np.testing.assert_array_equal(again.decision.thresholds, model.decision.thresholds)


def test_every_share_of_a_support_document_is_told():
    model = kernel_model()
    told = Reasons(Predictor(model)).explain({"text": STORIES[4]}, columns=[0])
    one = told.reasons[0]
    (support,) = one.to_dict()["support"]
    np.testing.assert_allclose(support["total_up"] + support["total_down"], one.added.sum())
    assert {each["id"] for each in (*support["up"], *support["down"])} <= set(model.combination.ids)
    facts = describe(model)["categories"][0]
    assert facts["support"] == np.diff(model.combination.starts)[0]


def test_a_category_without_members_or_others_needs_no_support():
    one = [document for document in documents() if document.labels == ("sheep",)]
    model = train(one, kernel_recipe(), threads=1)
    assert model.rows == 0
    assert Predictor(model).scores([["wool", ""]]).tolist() == [[1.0], [1.0]]


LINEAR = {"learner": "linear"}
KERNEL = {"learner": "kernel"}


@pytest.mark.parametrize(
    ("tables", "sentence"),
    [
        ({"learn": KERNEL | {"kernel": "rbf(0.5)"}}, r"write exponential\(0.5\)"),
        ({"learn": KERNEL | {"kernel": "precomputed"}}, r"write linear, polynomial\(2\)"),
        ({"learn": KERNEL | {"kernel": "cubic"}}, "there is no kernel 'cubic'"),
        ({"learn": KERNEL | {"solver": "newton-coordinate"}}, "use dual-coordinate or smo"),
        ({"learn": KERNEL | {"prior_variance": "norm"}}, "counts terms, which a kernel"),
        ({"learn": KERNEL | {"prior": "laplace"}}, "no entry 'prior'"),
        ({"learn": {"kernel": "linear"}}, "no entry 'kernel'"),
        ({"learn": KERNEL, "search": {"grid": "auto"}}, "write grid = "),
        ({"learn": KERNEL, "search": {"most_terms": 3}}, "most_terms"),
        ({"learn": KERNEL, "representation": {"lsi": 5}}, "leave lsi out"),
        (
            {"learn": KERNEL, "selection": {"measure": "gini", "terms": 5, "scope": "bar"}},
            'write scope = "corpus"',
        ),
    ],
)
def test_what_a_kernel_cannot_do_is_refused_by_the_recipe(tables, sentence):
    with pytest.raises(PostilError, match=sentence):
        Recipe.from_dict({"name": "trial", **tables})


def test_too_many_documents_are_refused_before_the_search(monkeypatch):
    monkeypatch.setattr(kernel_method, "MOST_BYTES", 8 * 6**2)
    with pytest.raises(UsageError, match=r"of 7 documents take .* the limit is 6 documents"):
        train(documents(), kernel_recipe())


def test_a_model_of_a_kernel_is_not_updated():
    with pytest.raises(UsageError, match="combines scores"):
        update(kernel_model(), documents())


@pytest.mark.parametrize("spec", ["linear", "polynomial(3, 0.5, 2)", "exponential(0.7)"])
def test_a_kernel_is_a_function_of_products_and_of_its_slopes(spec):
    kernel = product_kernel(spec)
    assert isinstance(kernel_from(spec), ProductKernel)
    rng = np.random.default_rng(0)
    first, second = rng.random((4, 3)), rng.random((5, 3))
    second[0] = 0
    products = first @ second.T
    np.testing.assert_allclose(kernel(first, second), kernel.of_products(products))
    nothing = kernel.of_products(np.zeros(1))
    np.testing.assert_allclose(
        kernel.of_products(products), nothing + products * kernel.slopes(products)
    )


def test_the_exponential_of_documents_of_length_1_is_the_radial_basis_function():
    rows = np.random.default_rng(1).random((6, 4))
    rows /= np.sqrt((rows**2).sum(axis=1))[:, None]
    np.testing.assert_allclose(
        kernel_from("exponential(0.7)")(rows, rows), kernel_from("rbf(0.7)")(rows, rows)
    )
