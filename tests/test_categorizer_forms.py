"""TextCategorizer as a scikit-learn classifier: texts and labels in every form, and its tools."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks

from postil import Document, TextCategorizer
from postil.errors import UsageError

SENTENCES = {
    "weather": ["rain and wind", "strong wind at sea", "snow and rain", "wind from the west"],
    "sport": ["a late goal", "the match had no goal", "the goal keeper", "a match of two teams"],
    "trade": ["prices of shares fell", "shops sell more", "shares and prices", "the shops closed"],
}
TEXTS = [SENTENCES[name][place] for place in range(4) for name in SENTENCES] * 2
CLASSES = list(SENTENCES) * 8
NEW = ["wind and snow", "a goal in the match", "prices in shops"]
NUMBER = {"weather": 2, "sport": 10, "trade": 1}


class PolarsColumn:
    """A column that has what those of polars have."""

    def __init__(self, values):
        self._values = values

    def __iter__(self):
        return iter(self._values)

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self._values, dtype=dtype)

    def to_list(self):
        return list(self._values)


@pytest.mark.parametrize(
    ("labels", "expected", "dtype"),
    [
        (CLASSES, ["weather", "sport", "trade"], "<U7"),
        (np.array(CLASSES, dtype=object), ["weather", "sport", "trade"], object),
        (pd.Series(CLASSES, dtype="category"), ["weather", "sport", "trade"], object),
        (pa.chunked_array([CLASSES]), ["weather", "sport", "trade"], object),
        (PolarsColumn(CLASSES), ["weather", "sport", "trade"], "<U7"),
        ([NUMBER[name] for name in CLASSES], [2, 10, 1], np.int64),
        (np.array([NUMBER[name] for name in CLASSES], dtype=np.uint8), [2, 10, 1], np.uint8),
        (pd.Series([name == "sport" for name in CLASSES]), [False, True, False], np.bool_),
    ],
    ids=lambda value: type(value).__name__,
)
def test_one_class_each_is_answered_by_one(labels, expected, dtype):
    model = TextCategorizer().fit(TEXTS, labels)
    answers = model.predict(NEW)
    assert answers.tolist() == expected
    assert answers.dtype == model.classes_.dtype == dtype
    assert model.classes_.tolist() == sorted(set(expected))
    probabilities = model.predict_proba(NEW)
    assert model.classes_[probabilities.argmax(axis=1)].tolist() == expected
    scores = model.decision_function(NEW)
    if len(model.classes_) == 2:  # as in scikit-learn
        assert (scores > 0).tolist() == expected
    else:
        assert model.classes_[scores.argmax(axis=1)].tolist() == expected
    assert model.score(NEW, expected) == 1.0
    assert model.score(NEW, expected[::-1], sample_weight=[0, 1, 0]) == 1.0
    assert model.predict([]).tolist() == []


def test_one_class_is_given_in_a_file_and_in_an_explanation(tmp_path):
    model = TextCategorizer().fit(TEXTS, CLASSES)
    model.save(tmp_path / "m.postil")
    loaded = TextCategorizer.load(tmp_path / "m.postil")
    # Words that speak for two classes, and none at all.
    for text in ["a goal in the wind", "", "xyz"]:
        (answer,) = model.predict([text])
        assert loaded.predict([text]).tolist() == [answer]
        (given,) = [each.category for each in model.explain(text) if each.accepted]
        assert given.split()[0] == answer
    assert clone(loaded).fit(TEXTS, CLASSES).predict(NEW).tolist() == model.predict(NEW).tolist()


INDICATOR = np.array([[name in wanted for name in SENTENCES] for wanted in CLASSES])


@pytest.mark.parametrize(
    "labels",
    [
        INDICATOR,
        INDICATOR.astype(float),
        INDICATOR.astype(int).tolist(),
        sp.csr_matrix(INDICATOR.astype(int)),
        sp.coo_array(INDICATOR.astype(int)),
        pd.DataFrame(INDICATOR, columns=list(SENTENCES)),
        pa.table(dict(zip(SENTENCES, INDICATOR.T.astype(int), strict=True))),
    ],
    ids=lambda labels: type(labels).__name__,
)
def test_an_indicator_is_answered_by_one(labels):
    model = TextCategorizer().fit(TEXTS, labels)
    answers = model.predict(NEW)
    assert sp.issparse(answers) == sp.issparse(labels)
    dense = answers.toarray() if sp.issparse(answers) else answers
    assert dense.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict_proba(NEW).argmax(axis=1).tolist() == [0, 1, 2]
    assert model.score(NEW, np.eye(3)) == 1.0
    if hasattr(labels, "columns"):
        assert set(model.categories) == set(SENTENCES)


def test_a_column_without_members_is_never_given():
    labels = np.column_stack([INDICATOR[:, 0], np.zeros(len(TEXTS)), INDICATOR[:, 1:]])
    model = TextCategorizer().fit(TEXTS, labels)
    assert model.predict(NEW).shape == model.predict_proba(NEW).shape == (3, 4)
    assert model.predict_proba(NEW)[:, 1].tolist() == [0, 0, 0]
    assert model.decision_function(NEW).argmax(axis=1).tolist() == [0, 2, 3]
    with pytest.raises(UsageError, match="must have 4 columns as in fit, not 3"):
        model.score(NEW, np.eye(3))
    with pytest.raises(UsageError, match="as in fit, an indicator, and these are lists of names"):
        model.score(NEW, [["a"], [], []])


def test_sets_and_tuples_of_names():
    model = TextCategorizer().fit(TEXTS, pd.Series([{name} for name in CLASSES]))
    assert model.predict(NEW) == [("weather",), ("sport",), ("trade",)]
    assert model.score(NEW, [("weather",), ["sport"], []]) == pytest.approx(2 / 3)


TITLES = [text.split()[0] for text in TEXTS]
FRAME = pd.DataFrame({"number": range(len(TEXTS)), "title": TITLES, "body": TEXTS})


TITLE_APART = {"extends": "default", "name": "titled", "representation": {"also": ["title"]}}


@pytest.mark.parametrize("recipe", ["default", "logistic-dual", TITLE_APART])
@pytest.mark.parametrize("made", [pd.DataFrame, pa.Table.from_pandas], ids=["pandas", "arrow"])
def test_a_frame_has_fields(recipe, made):
    fields = {"title": TITLES, "body": TEXTS}
    model = TextCategorizer(recipe).fit(made(FRAME), CLASSES)
    expected = TextCategorizer(recipe).fit(fields, CLASSES).decision_function(fields)
    assert model.feature_names_in_.tolist() == ["title", "body"]
    # The order of columns and other columns change nothing, and a missing value is empty.
    other = FRAME[["body", "title"]].assign(label=CLASSES)
    assert np.array_equal(model.decision_function(made(other)), expected)
    missing = model.decision_function(made(other.assign(title=[None, *TITLES[1:]])))
    without = model.decision_function({"title": ["", *TITLES[1:]], "body": TEXTS})
    assert np.array_equal(missing, without)
    with pytest.raises(UsageError, match="have the fields lead, and the model reads title, body"):
        model.predict(made(other[["title"]].rename(columns={"title": "lead"})))


def test_ids_labels_and_splits_in_a_frame_are_no_text():
    frame = FRAME.assign(id=TITLES, Label=CLASSES, split="train")
    model = TextCategorizer("default").fit(frame, frame["Label"])
    assert model.feature_names_in_.tolist() == ["title", "body"]
    with pytest.raises(UsageError, match="no column of texts: its columns are Label; a mapping"):
        model.predict(frame[["Label"]])


@pytest.mark.parametrize("column", [np.array, pd.Series, pa.array, PolarsColumn])
def test_a_column_is_a_list(column):
    model = TextCategorizer("naive-bayes-1").fit(column(TEXTS), CLASSES)
    assert model.predict(column(NEW)).tolist() == ["weather", "sport", "trade"]


@pytest.mark.parametrize(
    ("texts", "labels", "message"),
    [
        (FRAME.assign(desk=CLASSES), FRAME.assign(desk=CLASSES)["desk"], "labels are the col"),
        (FRAME[["number"]], CLASSES, "no column of texts: its columns are number"),
        (pd.Series(["a", None]), ["x", "y"], "text 1: a text must be a str, not (None|nan)"),
        (["a", "b"], pd.Series(["x", None]), "text 1: its label is (None|nan)"),
        (["a", "b"], pd.DataFrame({"label": ["x", "y"]}), "give one column"),
    ],
)
def test_frames_that_are_refused(texts, labels, message):
    with pytest.raises(UsageError, match=message):
        TextCategorizer().fit(texts, labels)


# scikit-learn's generator stops at the first check for estimators of text.
@pytest.mark.parametrize(
    "check",
    [
        estimator_checks.check_estimator_cloneable,
        estimator_checks.check_estimator_repr,
        estimator_checks.check_valid_tag_types,
        estimator_checks.check_no_attributes_set_in_init,
        estimator_checks.check_do_not_raise_errors_in_init_or_set_params,
        estimator_checks.check_mixin_order,
        estimator_checks.check_parameters_default_constructible,
        estimator_checks.check_get_params_invariance,
        estimator_checks.check_set_params,
    ],
    ids=lambda check: check.__name__,
)
def test_estimator_checks(check):
    check("TextCategorizer", TextCategorizer())


def test_validation_and_searches():
    assert (cross_val_score(TextCategorizer(), TEXTS, CLASSES, cv=2) > 0.9).all()
    two = [name == "sport" for name in CLASSES]
    assert (cross_val_score(TextCategorizer(), FRAME, two, cv=2, scoring="roc_auc") > 0.9).all()
    assert (cross_val_score(TextCategorizer(), TEXTS, INDICATOR.astype(int), cv=2) > 0.3).all()
    pipeline = make_pipeline(
        FunctionTransformer(lambda texts: [text.upper() for text in texts]), TextCategorizer()
    )
    grid = [
        {"textcategorizer__recipe": ["default", "naive-bayes-1"]},
        {"textcategorizer__aim": ["f1"], "textcategorizer__recipe": [{"extends": "default"}]},
    ]
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(TEXTS, CLASSES)
    assert search.predict(NEW).tolist() == ["weather", "sport", "trade"]


def test_what_it_says_of_itself(capsys):
    model = TextCategorizer(Path("mine.toml"), aim="f1", seed=3)
    assert repr(model) == f"TextCategorizer(recipe={Path('mine.toml')!r}, aim='f1')"
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(model, "classes_")
    with pytest.raises(NotFittedError, match="call fit first") as caught:
        model.predict(NEW)
    assert isinstance(caught.value, UsageError)
    model = TextCategorizer({"name": "mine"}, verbose=1).fit(TEXTS, CLASSES)
    assert "the recipe mine has no [representation] and no [learn]" in capsys.readouterr().err
    assert repr(model) == "TextCategorizer(recipe='mine'): 3 categories, 24 documents, 26 terms"
    assert "TextCategorizer" in model._repr_html_()
    assert pickle.loads(pickle.dumps(model)).predict(NEW).tolist() == model.predict(NEW).tolist()
    with pytest.raises(UsageError, match=r"weights must be one number for each of \d+ documents"):
        model.fit(TEXTS, CLASSES, sample_weight=np.ones(len(TEXTS) + 1))
    with pytest.raises(UsageError, match="groups of 1"):
        model.fit(TEXTS, CLASSES, groups=["a"])


def test_a_frame_is_read_by_the_fields_learned_from(tmp_path):
    model = TextCategorizer("default").fit_documents(
        Document(str(n), {"text": TEXTS[n]}, (CLASSES[n],)) for n in range(len(TEXTS))
    )
    model.save(tmp_path / "m.postil")
    frame = pd.DataFrame({"text": NEW, "label": ["sport", "trade", "weather"]})
    expected = model.decision_function(NEW)
    for each in (model, TextCategorizer.load(tmp_path / "m.postil")):
        assert np.array_equal(each.decision_function(frame), expected)
        assert np.array_equal(each.decision_function(pd.DataFrame({"any": NEW})), expected)
        with pytest.raises(UsageError, match="the fields a, b, and the model reads text"):
            each.predict(pd.DataFrame({"a": NEW, "b": NEW}))


def test_an_explanation_takes_a_class_of_any_kind():
    model = TextCategorizer("default").fit(TEXTS, [NUMBER[name] for name in CLASSES])
    for name in model.classes_:
        assert model.explain(NEW[0], name)[0].category.startswith(str(name))
    assert len(model.explain(NEW[0], [2, 10])) == 2
    with pytest.raises(UsageError, match="there is no category '7'"):
        model.explain(NEW[0], 7)


def test_a_notebook_shows_explanations():
    explained = TextCategorizer().fit(TEXTS, CLASSES).explain("wind <script>alert(1)</script>")
    assert repr(explained).startswith("weather rather than sport: yes (margin")
    for shown in (explained._repr_html_(), explained[0]._repr_html_()):
        assert shown.startswith("<iframe sandbox srcdoc=")
        assert "<script" not in shown
        assert "&amp;lt;script" in shown


def test_updates_keep_the_form():
    numbers = [NUMBER[name] for name in CLASSES]
    model = TextCategorizer("perceptron").fit(TEXTS, numbers)
    model.update(["ice on the lake", "skates"] * 3, [20, 2] * 3)
    assert model.classes_.tolist() == [1, 2, 10, 20]
    assert model.predict(["ice on the lake"]).tolist() == [20]
    with pytest.raises(UsageError, match=r"2 \(int\) there|1 \(int\) there, 'x' \(str\) here"):
        model.update(["ice"], ["x"])
    with pytest.raises(UsageError, match="give texts and labels to update"):
        model.update_documents([])


def test_the_best_classes_are_suggested_in_the_form_of_the_labels():
    model = TextCategorizer().fit(TEXTS, [NUMBER[name] for name in CLASSES])
    chances = model.predict_proba(NEW)
    order = np.argsort(-chances, axis=1, kind="stable")
    for row, found in enumerate(model.suggest(NEW, 2)):
        assert [each for each, _ in found] == model.classes_[order[row, :2]].tolist()
        assert [chance for _, chance in found] == pytest.approx(chances[row, order[row, :2]])
    assert [[each for each, _ in found] for found in model.suggest(NEW, include=[1, 10])] == [
        [each for each in model.classes_[row].tolist() if each in {1, 10}] for row in order
    ]
    names = TextCategorizer("svm").fit(TEXTS, CLASSES)
    (found,) = names.suggest(NEW[:1], exclude=["weather"])
    assert {each for each, _ in found} == {"sport", "trade"}
    for wrong in ({"k": 0}, {"exclude": list(SENTENCES)}, {"include": ["wether"]}):
        with pytest.raises(UsageError, match=r"at least 1|leave no class|did you mean 'weather'"):
            names.suggest(NEW, **wrong)


def test_weights_and_groups_are_those_of_documents():
    wrong = [CLASSES[at] if at % 4 else "trade" for at in range(len(TEXTS))]
    weights = [0.0 if CLASSES[at] != wrong[at] else 1.0 for at in range(len(TEXTS))]
    groups = [at // 6 if at % 5 else None for at in range(len(TEXTS))]
    model = TextCategorizer("default").fit(TEXTS, wrong, weights, groups)
    plain = TextCategorizer("default").fit(TEXTS, wrong)
    documents = (
        Document(
            str(at),
            {"text": TEXTS[at]},
            (wrong[at],),
            weight=weights[at],
            group=None if groups[at] is None else str(groups[at]),
        )
        for at in range(len(TEXTS))
    )
    same = TextCategorizer("default").fit_documents(documents)
    assert model.predict_proba(NEW).tolist() == same.predict_proba(NEW).tolist()
    assert model.score(TEXTS, CLASSES) > plain.score(TEXTS, CLASSES)
