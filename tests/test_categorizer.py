"""From labelled texts to decisions through every recipe."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import postil
from postil.categorizer import TextCategorizer
from postil.corpus.document import Document
from postil.corpus.opening import open_corpus
from postil.errors import InputError, UsageError
from postil.model.description import describe
from postil.recipes.recipe import Recipe, load_recipe, recipe_names
from postil.train.assess import assess
from postil.train.reading import FieldsWarning, LabelsWarning

TEXTS = [
    "rain and wind over the hills",
    "a late goal won the match",
    "strong wind and rain at sea",
    "the match ended without a goal",
    "rain stopped the match",
    "snow and rain in the north",
    "the goal keeper was ill",
    "wind from the west",
]
LABELS = [
    ["weather"],
    ["sport"],
    ["weather"],
    ["sport"],
    ["weather", "sport"],
    ["weather"],
    ["sport"],
    ["weather"],
]


@pytest.fixture(scope="module")
def demo() -> list[Document]:
    return list(open_corpus("demo"))


def suited(recipe, documents):
    """The documents as the recipe can learn from them: with one label each, if it wants that."""
    if not load_recipe(recipe).method().compares_scores:
        return documents
    return [replace(d, labels=d.labels[:1]) for d in documents if d.labels]


def least_roc_area(recipe):
    """Return the ROC area that a recipe must reach on the demo corpus."""
    terms = load_recipe(recipe).selection.terms
    return 0.6 if terms is not None and terms < 50 else 0.7


@pytest.mark.parametrize("recipe", recipe_names())
def test_every_recipe_learns_the_demo_corpus_better_than_chance(recipe, demo):
    demo = suited(recipe, demo)
    model = TextCategorizer(recipe, threads=1).fit_documents(demo, corpus="demo").model
    report = assess(model, [d for d in demo if d.split == "test"], corpus="demo")
    if model.decision.spec == "best":  # such scores compare categories, not documents
        assert report.micro["f1"] > 0.4
    else:
        assert report.to_dict()["ranking"]["roc_area"]["value"] > least_roc_area(recipe)


@pytest.mark.parametrize(
    "recipe", ["default", "logistic-dual", "naive-bayes-1", "polychotomous-lasso"]
)
def test_a_saved_model_says_the_same(recipe, demo, tmp_path):
    demo = suited(recipe, demo)
    model = TextCategorizer(recipe).fit_documents(demo)
    model.save(tmp_path / "m.postil")
    loaded = TextCategorizer.load(tmp_path / "m.postil")
    fields = model.model.vectorizer.fields.names
    texts = (
        {name: [d.fields[name] for d in demo] for name in fields}
        if fields
        else [" ".join(d.fields.values()) for d in demo]
    )
    assert loaded.categories == model.categories
    assert np.array_equal(loaded.decision_function(texts), model.decision_function(texts))
    assert list(loaded.predict(texts)) == list(model.predict(texts))


def test_one_model_for_all_classes_gives_one_category_and_probabilities(tmp_path):
    labels = [labels[:1] for labels in LABELS[:7]] + [["quiet"]]
    categorizer = TextCategorizer("polychotomous-ridge").fit(TEXTS, labels)
    assert categorizer.predict(["wind and rain", "a goal", ""])[:2] == [("weather",), ("sport",)]
    probabilities = categorizer.predict_proba(["wind and rain", "a goal", ""])
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert probabilities[0].argmax() == categorizer.categories.index("weather")
    assert categorizer.model.calibration.kind == "softmax"
    categorizer.save(tmp_path / "m.postil")
    loaded = TextCategorizer.load(tmp_path / "m.postil")
    assert np.array_equal(loaded.predict_proba(TEXTS), categorizer.predict_proba(TEXTS))
    (given,) = loaded.explain("wind and rain")
    assert given.accepted


def test_one_model_for_all_classes_wants_one_label_each():
    with pytest.raises(InputError, match="of 8 documents 1 have more than one"):
        TextCategorizer("polychotomous-lasso").fit(TEXTS, LABELS)


def test_rankings_of_one_model_compare_probabilities():
    documents = [
        Document(id=str(at), fields={"text": text}, labels=tuple(labels[:1]))
        for at, (text, labels) in enumerate(zip(TEXTS, LABELS, strict=True))
    ]
    model = TextCategorizer("polychotomous-ridge").fit_documents(documents).model
    assert max(r["iterations"] for r in model.reports) == describe(model)["report"]["iterations"]
    assert assess(model, documents).to_dict()["ranking"]["roc_area"]["value"] == 1.0


def test_texts_and_labels():
    model = TextCategorizer().fit(TEXTS, LABELS)
    assert model.categories == ("sport", "weather")
    assert model.predict(["wind and rain"]) == [("weather",)]
    scores = model.decision_function(["wind and rain", "a goal", ""])
    assert scores.shape == (3, 2)
    assert scores[0, 1] > scores[0, 0]
    assert scores[1, 0] > scores[1, 1]
    probabilities = model.predict_proba(["wind and rain"])
    assert ((probabilities >= 0) & (probabilities <= 1)).all()


def test_the_number_of_threads_changes_nothing(demo):
    one = TextCategorizer(threads=1).fit_documents(demo).model
    three = TextCategorizer(threads=3).fit_documents(demo).model
    assert np.array_equal(one.weights.toarray(), three.weights.toarray())
    assert np.array_equal(one.intercepts, three.intercepts)
    assert np.array_equal(one.decision.thresholds, three.decision.thresholds)


def test_test_documents_teach_nothing(demo):
    train = [d for d in demo if d.split == "train"]
    whole, part = (TextCategorizer().fit_documents(documents).model for documents in (demo, train))
    assert whole.training.sha256 == part.training.sha256
    assert np.array_equal(whole.weights.toarray(), part.weights.toarray())


def test_a_category_of_test_documents_alone_is_missed(demo):
    model = TextCategorizer().fit_documents(demo).model
    strange = Document(id="x", fields={"title": "t", "body": "b"}, labels=("unheard of",))
    everything = assess(model, [strange])
    assert "unheard of" in everything.categories
    assert everything.micro["recall"] == 0
    assert "unheard of" not in assess(model, [strange], categories="trained").categories


@pytest.mark.parametrize(
    ("texts", "labels", "message"),
    [
        ("one text", [["a"]], "wrap it in a list"),
        (None, [["a"]], "texts must be a list of str.*not None"),
        ({"a", "b"}, ["x", "y"], "texts must be a list of str.*set"),
        (np.array([["a"], ["b"]]), ["x", "y"], r"the array has the shape \(2, 1\)"),
        ([["a"], ["b"]], ["x", "y"], r"text 0: a text must be a str, not \['a'\] \(list\)"),
        (["a", None], ["x", "y"], "text 1: a text must be a str, not None"),
        ({}, ["x"], "a mapping without a field"),
        ([], [], "there is no text: give texts"),
        (["a", "b"], [["a"]], "texts and labels differ, 2 and 1: every text needs its labels"),
        (["a", "b"], np.eye(3), "texts and labels differ, 2 and 3"),
        (["some words", "other words"], [[], []], "none of the 2 texts has a label"),
        (["a", "b"], ["x", ["y"]], "text 0: its labels are 'x'.*wrap it in a list"),
        (["a", "b"], ["x", None], "text 1: its label is None.*leave the text out"),
        (["a", "b"], np.array([1, np.nan]), r"text 1: its label is nan"),
        (["a", "b"], [0.5, 1.0], "numbers with fractions"),
        (["a", "b"], ["x", 1], "labels mix 1 str and 1 numbers"),
        (["a", "b"], [[2, 0], [0, 1]], r"one of its labels is 2 \(int\)"),
        (["a", "b"], np.array([[2, 0], [0, 1]]), "must hold 0 and 1, and this one holds 2"),
        (["a", "b"], np.array([[3], [4]]), "holds 3: give classes as a 1-D array"),
        (
            ["a", "b"],
            [[1], [2]],
            r"text 0: one of its labels is 1 \(int\).*into a str",
        ),
        (["a", "b"], [["x"], "y"], "text 1: its labels are 'y'"),
        (["a", "b"], 3, "labels must be a class for each text.*received 3"),
        (["a", "b"], {"x", "y"}, "labels must be a class for each text.*set"),
        (["a", "b"], "ab", "labels must be a class for each text.*received 'ab'"),
        (["a", 2], [["x"], ["y"]], r"text 1: a text must be a str, not 2 \(int\)"),
    ],
)
def test_bad_input_is_named(texts, labels, message):
    with pytest.raises((UsageError, InputError), match=message):
        TextCategorizer().fit(texts, labels)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"seed": -1}, "seed must be a whole number of at least 0, not -1"),
        ({"seed": None}, "seed must be .*not None"),
        ({"threads": "two"}, "threads must be from 1 to 256, not 'two'"),
        ({"budget": "soon"}, "budget takes a time such as 30s.*not 'soon'"),
        ({"budget": 5, "recipe": "logistic"}, "the recipe logistic makes none"),
        ({"recipe": {"learn": {"C": 2.0}}}, 'needs a name.*{"extends": "default"'),
    ],
)
def test_wrong_settings_are_named(settings, message):
    with pytest.raises(UsageError, match=message):
        TextCategorizer(**settings).fit(["some words", "other words"], ["x", "y"])


def test_a_budget_is_the_time_of_the_search(demo):
    model = TextCategorizer(budget="2s").fit_documents(demo)
    assert model.model.method["auto"]["budget"] == 2.0
    assert repr(model).startswith("TextCategorizer(recipe='auto', budget='2s'): 12 categories")
    assert TextCategorizer(budget="none").fit_documents(demo).recipe_.name == "default"


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ("t.csv", r"open it with postil.open_corpus\('t.csv'\)"),
        (Path("t.csv"), r"open it with postil.open_corpus\('t.csv'\)"),
        (["rain"], "takes postil.Document, not 'rain'.*to fit"),
        (None, "takes documents, such as an open corpus, not None"),
    ],
)
def test_what_is_no_document_is_named(documents, message):
    with pytest.raises(UsageError, match=message):
        TextCategorizer().fit_documents(documents)


def test_one_category_is_explained_by_its_name():
    model = TextCategorizer().fit(TEXTS, LABELS)
    (one,) = model.explain("rain", "sport")
    assert one.category == "sport"
    assert one.margin == model.explain("rain", ["sport"])[0].margin
    with pytest.raises(
        UsageError, match=r"one text at a time: a text must be a str, not \['rain'\]"
    ):
        model.explain(["rain"])


def test_a_recipe_may_be_what_a_file_would_hold(tmp_path):
    table = {"name": "x", "learn": {"loss": "logistic"}}
    assert TextCategorizer(table).fit(TEXTS, LABELS).recipe_ == Recipe.from_dict(table)
    (tmp_path / "x.toml").write_text('name = "y"')
    assert TextCategorizer(tmp_path / "x.toml").fit(TEXTS, LABELS).recipe_.name == "y"
    for recipe, message in [
        ({"nam": "x"}, "no entry 'nam'"),
        (3, r"a recipe must be a name.*not 3"),
        ("defalt", "there is no recipe 'defalt'; did you mean 'default'"),
    ]:
        with pytest.raises(UsageError, match=message):
            TextCategorizer(recipe).fit(TEXTS, LABELS)


def test_labels_that_look_wrong_are_warned_of():
    documents = [
        Document(id=str(i), fields={"text": text}, labels=(label,))
        for i, (text, label) in enumerate(zip(TEXTS, ["Sport", "sport"] * 4, strict=True))
    ]
    with pytest.warns(LabelsWarning, match="'Sport' and 'sport'"):
        TextCategorizer().fit_documents(documents)


def test_reading_options_are_at_hand():
    assert postil.ReadOptions(label_separator=",").label_separator == ","


def test_nothing_learned_nothing_said():
    with pytest.raises(UsageError, match="call fit first"):
        TextCategorizer().predict(["x"])


def test_no_probabilities_without_calibration():
    model = TextCategorizer("naive-bayes-1").fit(TEXTS, LABELS)
    with pytest.raises(UsageError, match="calibration"):
        model.predict_proba(["x"])


def test_explanations_add_up_to_the_score():
    model = TextCategorizer().fit(TEXTS, LABELS)
    text = "wind and rain"
    explained = model.explain(text, ["sport", "weather"])
    scores = model.decision_function([text])[0]
    assert [each.margin for each in explained] == pytest.approx(scores, abs=1e-5)
    assert model.explain(text)[0].accepted
    with pytest.raises(UsageError, match="did you mean 'weather'"):
        model.explain(text, ["wether"])


FIELDS = {"title": [text.split()[0] for text in TEXTS], "body": TEXTS}


class TestShapes:
    """Every method takes the texts that ``fit`` takes."""

    @pytest.mark.parametrize("recipe", ["default", "logistic-dual", "naive-bayes-1"])
    def test_a_mapping_of_fields(self, recipe):
        model = TextCategorizer(recipe).fit(FIELDS, LABELS)
        scores = model.decision_function(FIELDS)
        assert scores.shape == (8, 2)
        assert len(model.predict(FIELDS)) == 8
        if model.model.calibration is not None:
            assert model.predict_proba(FIELDS).shape == (8, 2)
        last = {name: texts[-1] for name, texts in FIELDS.items()}
        explained = model.explain(last, ["sport"])[0]
        if model.model.decision.at_most is None:
            assert explained.margin == pytest.approx(scores[-1, 0], abs=1e-5)

    def test_joined_fields_are_the_text_they_make(self):
        model = TextCategorizer().fit(FIELDS, LABELS)
        joined = ["\n".join(row) for row in zip(*FIELDS.values(), strict=True)]
        assert np.array_equal(model.decision_function(FIELDS), model.decision_function(joined))
        plain = TextCategorizer().fit(joined, LABELS)
        assert np.array_equal(model.model.weights.toarray(), plain.model.weights.toarray())

    @pytest.mark.parametrize("recipe", ["default", "logistic-dual"])
    def test_plain_texts_with_a_recipe_that_wants_fields(self, recipe):
        model = TextCategorizer(recipe).fit(TEXTS, LABELS)
        assert model.decision_function(TEXTS).shape == (8, 2)
        assert np.array_equal(
            model.decision_function({"text": TEXTS}), model.decision_function(TEXTS)
        )
        assert model.explain("wind and rain")

    def test_bytes_are_the_texts_they_encode(self):
        encoded = [text.encode() for text in TEXTS]
        model = TextCategorizer().fit(encoded, LABELS)
        assert np.array_equal(model.decision_function(encoded), model.decision_function(TEXTS))
        assert np.array_equal(
            model.decision_function({"a": encoded}), model.decision_function(TEXTS)
        )
        assert model.explain(b"wind")[0].margin == model.explain("wind")[0].margin

    def test_an_absent_field_is_empty_and_no_field_at_all_an_error(self):
        model = TextCategorizer("logistic-dual").fit(FIELDS, LABELS)
        empty = model.decision_function({"title": [""] * 8, "body": TEXTS})
        assert np.array_equal(model.decision_function({"body": TEXTS}), empty)
        for ask in (
            lambda: model.predict({"text": TEXTS}),
            lambda: model.explain({"text": "wind"}),
        ):
            with pytest.raises(UsageError, match="have the fields text, and the model reads title"):
                ask()
        for ask in (lambda: model.predict(TEXTS), lambda: model.explain("wind")):
            with pytest.raises(UsageError, match="each field to its text"):
                ask()

    def test_fields_of_different_lengths_are_counted(self):
        uneven = {"title": ["a"], "body": TEXTS}
        model = TextCategorizer().fit(FIELDS, LABELS)
        for ask in (lambda: model.predict(uneven), lambda: model.fit(uneven, LABELS)):
            with pytest.raises(UsageError, match="they have title 1, body 8"):
                ask()

    def test_fields_that_are_not_read_are_warned_of(self):
        with pytest.warns(FieldsWarning, match="abstract not"):
            TextCategorizer("logistic-dual").fit({"title": TEXTS, "abstract": TEXTS}, LABELS)


def test_the_seed_is_that_of_the_random_order_too():
    def weights(seed):
        # One pass leaves the order visible.
        table = {"name": "x", "learn": {"options": {"iterations": 1, "tolerance": 0.0}}}
        model = TextCategorizer(Recipe.from_dict(table), seed=seed).fit(TEXTS, LABELS).model
        return model.weights.toarray()

    assert np.array_equal(weights(1), weights(1))
    assert not np.array_equal(weights(1), weights(2))


def test_folds_share_the_vocabulary_and_the_idf(demo, monkeypatch):
    """Fold by fold, as the docstring of ``out_of_fold_scores`` says."""
    from postil.vectors.vectorizer import Vectorizer

    fitted = []
    fit = Vectorizer.fit_transform_chunks
    monkeypatch.setattr(
        Vectorizer,
        "fit_transform_chunks",
        lambda self, chunks: fitted.append(1) or fit(self, chunks),
    )
    assert TextCategorizer("default").fit_documents(demo).model.decision.spec == "probability"
    assert fitted == [1]
