"""New documents learned on top of a model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from postil.corpus.document import Document
from postil.corpus.opening import open_corpus
from postil.decide.decision import State
from postil.errors import CorpusError, InputError, UsageError
from postil.model import load_model, model_to_bytes, save_model
from postil.recipes.recipe import load_recipe
from postil.train.assess import assess
from postil.train.predict import Predictor
from postil.train.reading import LabelsWarning
from postil.train.train import train
from postil.train.update import update
from postil.train.update_run import updatable_recipes

from .update_samples import NEW, OLD, documents, irregular, margins, recipe, textbook, winnow

RECIPES = {
    "perceptron": recipe(),
    "winnow": winnow(),
    "positive winnow": winnow(signs="positive", threshold=0.05),
    "normalised winnow": winnow("normalised-entropy", total=2.0),
    "svm": margins(),
    "large margin winnow": margins("entropy", prior_options={"mu": 0.01}),
    "hashed": recipe(representation={"weights": "counts", "norm": "l2", "buckets": 64}),
    "idf": recipe(representation={"weights": "tfidf"}),
    "selection": recipe(selection={"measure": "gini", "terms": 6}),
    "selection, winnow": recipe({"prior": "entropy"}, selection={"measure": "gini", "terms": 6}),
    "tuned": recipe(decide={"rule": "f1", "calibration": "platt", "folds": 2}),
    "isotonic": recipe(decide={"rule": "f1", "calibration": "isotonic", "folds": 2}),
}
every_recipe = pytest.mark.parametrize("name", RECIPES)


def trained(chosen=None, rows=OLD):
    return train(documents(rows), chosen or recipe(), corpus="old", threads=1)


def updated(model, rows=NEW, **settings):
    return update(model, documents(rows), corpus="new", threads=1, **settings)


def scores(model, rows):
    return Predictor(model, threads=1).scores([[text for text, _ in rows]])


@every_recipe
def test_old_columns_stay_and_new_ones_follow(name):
    old = trained(RECIPES[name])
    new = updated(old)
    assert new.names == ("boats", "sheep", "weather")
    assert new.training.members.tolist() == [5, 4, 3]
    assert new.training.documents == new.vectorizer.documents == 12
    assert new.weights.shape == (3, new.vectorizer.columns)
    if name != "hashed":
        names = new.vectorizer.vocabulary.names
        assert names[: old.vectorizer.terms] == old.vectorizer.vocabulary.names
        fresh = {"is", "late", "with", "ice", "storm", "again"}
        assert set(names[old.vectorizer.terms :]) == fresh
    found = scores(new, OLD + NEW)
    assert np.isfinite(found).all()
    by_definition = vectors(new, OLD + NEW) @ new.weights.toarray().T + new.intercepts
    np.testing.assert_allclose(found, by_definition, rtol=1e-5, atol=1e-6)
    assert len(new.reports) == 3
    assert (new.units is None) == (old.units is None)


@every_recipe
def test_the_same_update_gives_the_same_bytes_from_memory_or_from_a_file(name, tmp_path):
    old = trained(RECIPES[name])
    save_model(old, tmp_path / "old.postil")
    again = load_model(tmp_path / "old.postil", threads=1)
    content = model_to_bytes(updated(old))
    assert (
        content
        == model_to_bytes(updated(again))
        == model_to_bytes(update(again, documents(NEW), corpus="new", threads=3))
    )
    (tmp_path / "new.postil").write_bytes(content)
    assert model_to_bytes(load_model(tmp_path / "new.postil")) == content


@every_recipe
def test_the_model_itself_stays_as_it_was(name):
    old = trained(RECIPES[name])
    before = model_to_bytes(old)
    updated(old)
    assert model_to_bytes(old) == before


LOGS = {"analyzer": "words", "weights": "log", "norm": "l2"}
METHODS = {None: {}, 0.01: {"prior": "entropy", "prior_options": {"mu": 0.01}}}


def learned(model, category):
    place = model.names.index(category)
    return np.append(model.weights[[place]].toarray()[0], model.intercepts[place])


def vectors(model, rows):
    return model.vectorizer.transform([text for text, _ in rows]).toarray().astype(float)


@pytest.mark.parametrize("mu", METHODS)
def test_one_pass_each_is_the_textbooks_pass_over_both(mu):
    old_rows, new_rows = irregular(20, 8, seed=1), irregular(20, 12, seed=2)
    new_rows += [(f"word1 word{n} storm", ("weather",)) for n in range(5)]
    old = trained(recipe(METHODS[mu], representation=LOGS), old_rows)
    new = updated(old, new_rows)
    assert new.vectorizer.terms == old.vectorizer.terms + 5
    for name in ("boats", "sheep"):
        rows = old_rows + new_rows
        expected = textbook(vectors(new, rows), rows, name, mu)
        assert np.count_nonzero(expected[-6:-1]) >= 3  # new terms have weights of their own
        np.testing.assert_allclose(learned(new, name), expected, rtol=1e-6, atol=1e-8)
    expected = textbook(vectors(new, new_rows), new_rows, "weather", mu)
    np.testing.assert_allclose(learned(new, "weather"), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("mu", METHODS)
def test_further_updates_go_on_from_there(mu):
    rows = [irregular(10, 6, seed) for seed in range(4)]
    model = trained(recipe(METHODS[mu], representation=LOGS), rows[0])
    for more in rows[1:]:
        model = updated(model, more)
    together = [row for some in rows for row in some]
    expected = textbook(vectors(model, together), together, "boats", mu)
    np.testing.assert_allclose(learned(model, "boats"), expected, rtol=2e-6, atol=1e-8)
    assert [update["documents"] for update in model.method["updates"]] == [10, 10, 10]


def test_what_was_done_is_kept():
    old = trained()
    new = updated(old, passes=4)
    (told,) = new.method["updates"]
    assert told["corpus"] == "new"
    assert told["documents"] == 5
    assert told["passes"] == 4
    assert told["new_terms"] == new.vectorizer.terms - old.vectorizer.terms
    assert told["new_categories"] == ["weather"]
    assert new.training.corpus == "old"
    assert new.training.sha256 not in (old.training.sha256, told["sha256"])
    assert new.recipe == old.recipe
    other_order = updated(trained(), NEW[::-1])
    assert other_order.training.sha256 != new.training.sha256


def test_more_passes_learn_more():
    old = trained()
    once, often = updated(old, passes=1), updated(old, passes=50)
    truth = np.array([[name in labels for name in once.names] for _, labels in NEW])
    wrong = [((scores(m, NEW) >= 0) != truth).sum() for m in (once, often)]
    assert wrong[1] == 0 < wrong[0]
    assert {report["iterations"] for report in once.reports} == {1}


def test_a_category_that_no_new_document_has_learns_from_those_that_are_not_in_it():
    rows = [("fleece of a sheep", ())] * 3 + [("the ferry", ("boats",))]
    new = updated(trained(), rows)
    expected = textbook(vectors(new, OLD + rows), OLD + rows, "sheep")
    assert learned(new, "sheep").tolist() == expected.tolist()
    assert new.training.members.tolist() == [4, 3]
    assert new.reports[1]["stopped"] != "constant"


def test_documents_marked_test_are_left_out():
    old = trained()
    marked = documents(NEW) + documents([("unheard of", ("nothing",))], split="test")
    assert model_to_bytes(update(old, marked, corpus="new")) == model_to_bytes(updated(old))


@pytest.mark.parametrize("name", ["tuned", "isotonic"])
def test_tuned_thresholds_and_probabilities_stay_and_new_ones_are_plain(name):
    told: list[str] = []
    old = trained(RECIPES[name])
    new = updated(old, notify=told.append)
    assert new.decision.acceptance.values[:2].tolist() == old.decision.acceptance.values.tolist()
    assert new.decision.acceptance.values[2] == 0
    assert new.decision.states[2] == State.UNTUNED
    assert any("1 new category has a threshold of 0" in note and "weather" in note for note in told)
    asked = np.random.default_rng(0).normal(size=(5, 3))
    before, after = (
        model.calibration.probabilities(asked[:, : model.categories]) for model in (old, new)
    )
    assert (after[:, :2] == before).all()
    np.testing.assert_allclose(after[:, 2], 3 / 12)


def test_a_category_that_all_old_documents_had_begins_to_be_learned():
    everywhere = [(text, (*labels, "news")) for text, labels in OLD]
    old = trained(rows=everywhere)
    place = old.names.index("news")
    assert old.decision.states[place] == State.ALL_MEMBERS
    new = updated(old)
    assert new.decision.states[place] == State.FITTED
    expected = textbook(vectors(new, NEW), NEW, "news")
    np.testing.assert_allclose(learned(new, "news"), expected, rtol=1e-6)


def test_a_category_keeps_its_terms_and_may_use_every_new_one():
    old = trained(RECIPES["selection"])
    assert [len(terms) for terms in old.selection] == [6, 6]
    new = updated(old, passes=30)
    fresh = set(range(old.vectorizer.terms, new.vectorizer.terms))
    for category in range(2):
        assert set(new.selection[category]) == set(old.selection[category]) | fresh
    assert len(new.selection[2]) == 6
    for category, terms in enumerate(new.selection):
        used = set(new.weights[[category]].indices[new.weights[[category]].data != 0])
        assert used <= set(terms.tolist())
    assert updated(new).selection is not None


def test_what_cannot_be_updated_keeps_no_selection():
    kept = recipe(
        {"loss": "hinge", "solver": "dual-coordinate", "options": {}},
        selection={"measure": "gini", "terms": 6},
    )
    assert trained(kept).selection is None


@pytest.mark.parametrize("strength", [{"lam": 1e-2}, {"C": 1 / (2 * 1e-2 * len(OLD))}])
def test_lambda_stays_what_it_is_for_each_document(strength):
    """λ of the training documents is a C for each of them, and new ones have the same."""
    new = updated(updated(trained(margins(**strength))), NEW[:2])
    same = updated(updated(trained(margins(C=1 / (2 * 1e-2 * len(OLD))))), NEW[:2])
    np.testing.assert_allclose(new.weights.toarray(), same.weights.toarray(), atol=1e-6)


@pytest.mark.parametrize(("prior", "factor"), [("gaussian", 2), ("entropy", 1)])
@pytest.mark.parametrize("shared", [True, False])
def test_what_a_search_chose_stays_what_it_is_for_each_document(prior, factor, shared):
    rows = irregular(24, 8, seed=5)
    grid = {"over": "lam", "grid": [0.03, 0.01], "folds": 2, "shared": shared, "measure": "loss"}
    old = trained(margins(prior, options={"iterations": 5, "tolerance": 0.0}, search=grid), rows)
    chosen = np.array([1 / (factor * report["lam"] * 24) for report in old.reports])
    new = updated(old, [*irregular(10, 8, seed=6), ("snow", ("weather",))])
    chosen = np.append(chosen, np.median(chosen))
    for model, documents_ in ((new, 11), (updated(new), len(NEW))):
        found = [1 / (factor * report["lam"] * documents_) for report in model.reports]
        np.testing.assert_allclose(found, chosen, rtol=1e-12)


def test_an_update_minimises_the_distance_to_the_weights_it_starts_from():
    """½‖w - w₀‖² + C Σ max(0, 1 - y(w·x + b)), b the weight of a constant, by its conditions."""
    c = 0.5
    old = trained(margins(C=c, options={"iterations": 5000, "tolerance": 1e-10}))
    new = updated(old)
    x = np.column_stack([vectors(new, NEW), np.ones(len(NEW))])
    for category, name in enumerate(new.names):
        w = learned(new, name)
        start = np.zeros(len(w))
        if category < 2:
            start[: old.vectorizer.terms] = old.weights[[category]].toarray()[0]
            start[-1] = old.intercepts[category]
        y = np.array([1.0 if name in labels else -1.0 for _, labels in NEW])
        duals, *_ = np.linalg.lstsq((y[:, None] * x).T, w - start, rcond=None)
        np.testing.assert_allclose((y[:, None] * x).T @ duals, w - start, atol=1e-4)
        margin = y * (x @ w)
        assert (duals > -1e-4).all()
        assert (duals < c + 1e-4).all()
        assert (margin[duals > 1e-3] < 1 + 1e-3).all()
        assert (margin[duals < c - 1e-3] > 1 - 1e-3).all()


def test_blocks_of_categories_do_not_matter(monkeypatch):
    for chosen in (recipe(), winnow(), RECIPES["selection"]):
        old = trained(chosen)
        whole = model_to_bytes(updated(old))
        with monkeypatch.context() as patched:
            patched.setattr("postil.train.update_run.BLOCK", 1)
            told = []
            again = updated(old, progress=lambda *step, told=told: told.append(step))
        assert model_to_bytes(again) == whole
        assert ("learning", 3, 3) in told


def test_left_out_terms_are_told():
    told: list[str] = []
    known = trained().vectorizer.terms
    old = trained(recipe(representation={"weights": "counts", "max_terms": known + 1}))
    new = updated(old, notify=told.append)
    assert new.vectorizer.terms == known + 1
    assert any("unknown terms are left out" in note for note in told)


def test_labels_that_look_alike_are_told():
    with pytest.warns(LabelsWarning, match="differ only by case"):
        updated(trained(), [("wool", ("Sheep",)), ("ice", ())])


@pytest.mark.parametrize("name", ["default", "lasso-logistic", "naive-bayes-1", "svm"])
def test_other_methods_are_refused_before_any_document_is_read(name):
    chosen = load_recipe(name)
    old = trained(recipe())
    other = replace(old, recipe=chosen.to_dict())

    def unread():
        raise AssertionError("a document was asked for")
        yield

    with pytest.raises(UsageError, match=f"a model of the recipe {name} cannot be updated"):
        update(other, unread())


@pytest.mark.parametrize(
    "chosen", [*RECIPES.values(), margins(lam=1e-2), margins("entropy", lam=0.1)]
)
def test_a_model_without_reports_goes_on_as_well(chosen):
    old = trained(chosen, [*OLD, ("sheep", ("sheep",))])
    shortened, whole = replace(old, reports=()), old
    for rows in (NEW, OLD[:3]):
        shortened, whole = updated(shortened, rows), updated(whole, rows)
        assert model_to_bytes(shortened) == model_to_bytes(whole)
        shortened = replace(shortened, reports=())


def test_what_a_model_has_to_keep_is_asked_for():
    with pytest.raises(UsageError, match="does not keep the units of its weights"):
        updated(replace(trained(winnow()), units=None))
    with pytest.raises(UsageError, match="does not keep the terms that each category may use"):
        updated(replace(trained(RECIPES["selection"]), selection=None))
    grid = {"over": "lam", "grid": [0.03, 0.01], "folds": 2, "shared": True, "measure": "loss"}
    for chosen in (margins(search=grid), margins(prior_variance="norm")):
        with pytest.raises(UsageError, match="does not keep how each category was learned"):
            updated(replace(trained(chosen), reports=()))
    for changes in (
        {"reports": [{"lam": None}, {}]},
        {"method": {"updates": [{"documents": "7"}]}},
        {"method": {"updates": 7}},
        {"method": {"updates": [7]}},
        {"method": {"updates": [{}]}},
    ):
        with pytest.raises(UsageError, match="does not keep how each category was learned"):
            updated(replace(trained(), **changes))
    with pytest.raises(UsageError, match="was not trained by a recipe"):
        updated(replace(trained(), recipe={}))


def test_bad_input_is_refused_with_the_way_out():
    old = trained()
    with pytest.raises(InputError, match=r"new has no training document .*--split"):
        updated(old, [])
    with pytest.raises(InputError, match=r"new: none of the training documents \(2\) has a label"):
        updated(old, [("wool", ()), ("ice", ())])
    for passes in (0, -1, 1.5, True, "2"):
        with pytest.raises(UsageError, match="passes must be a whole number of at least 1"):
            updated(old, passes=passes)


def test_a_field_may_be_absent_but_not_all():
    fields = {"fields": ["title", "body"], "weights": "counts", "norm": "none"}
    rows = [
        (("wool", "rises"), ("sheep",)),
        (("ferry", "late"), ("boats",)),
        (("ferry", "wool"), ("boats",)),
    ]

    def made(names):
        return [
            Document(str(n), dict(zip(names, texts, strict=True)), labels)
            for n, (texts, labels) in enumerate(rows)
        ]

    old = train(made(("title", "body")), recipe(representation=fields))
    new = update(old, [Document("1", {"body": "wool and ice"}, ("sheep",))])
    assert new.vectorizer.vocabulary.names[-2:] == ["and", "ice"]
    with pytest.raises(CorpusError, match="no document has the field title, body"):
        update(old, [Document("1", {"text": "wool"}, ("sheep",))])


def test_nothing_is_learned_of_a_text_without_a_term():
    new = updated(trained(), [("", ("sheep",)), ("", ())])
    assert new.vectorizer.documents == 9
    assert learned(new, "boats")[:-1].tolist() == learned(trained(), "boats")[:-1].tolist()


@pytest.mark.parametrize("name", ["perceptron", "winnow-u", "winnow-n"])
def test_more_documents_help(name):
    """The papers' recipes on the embedded corpus: better than without, about as with all."""
    every = list(open_corpus("demo"))
    learned_from = [document for document in every if document.split != "test"]
    tested = [document for document in every if document.split == "test"]

    def f1(model):
        return assess(model, tested).to_dict()["micro"]["f1"]

    chosen = load_recipe(name)
    few = train(learned_from[:150], chosen)
    more = update(few, learned_from[150:])
    assert f1(more) > f1(few) + 0.05
    assert f1(more) > f1(train(learned_from, chosen)) - 0.05


def test_the_papers_recipes_can_be_updated():
    assert {"perceptron", "svm-online", "winnow-u", "lm-winnow-n"} <= set(updatable_recipes())
    assert not {"default", "svm", "lasso-logistic"} & set(updatable_recipes())
