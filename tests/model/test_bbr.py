"""Models of BBR, BMR and BXR: their scores, their decisions, and files that are none."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.errors import InputError, ModelFileError, UsageError
from postil.model import model_from_bytes, model_to_bytes
from postil.model.bbr_files import parse_model
from postil.model.bbr_import import import_model
from postil.model.numbered import (
    NumberedDocuments,
    names_vectors,
    read_feature_names,
    read_numbered,
)
from postil.train.predict import Predictor, VectorPredictor

from . import bbr_samples as files
from .samples import small_model


def imported(tmp_path, text, terms=None):
    path = tmp_path / "m.bbr"
    path.write_text(text, encoding="utf-8")
    return import_model(path, terms)


def refused(tmp_path, text, terms=None) -> str:
    with pytest.raises(ModelFileError) as caught:
        imported(tmp_path, text, terms)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(tmp_path / "m.bbr"))
    return message.removeprefix(str(tmp_path / "m.bbr"))


def vectors_of(rows: list[dict[int, float]]) -> NumberedDocuments:
    width = 1 + max((number for row in rows for number in row), default=0)
    matrix = sp.lil_matrix((len(rows), width), dtype=np.float32)
    for at, row in enumerate(rows):
        for number, value in row.items():
            matrix[at, number] = value
    return NumberedDocuments(sp.csr_matrix(matrix), [()] * len(rows), "x.svm")


def scores_of(model, rows) -> np.ndarray:
    predictor = VectorPredictor(model)
    return predictor.scores(predictor.vectors(vectors_of(rows)))


ROWS = [{75: 1.0, 115: 1.5}, {98: 2.0, 7: 1.0}, {}, {4000: 1.0}]


def test_a_binary_model_scores_and_decides_as_its_file_says(tmp_path):
    model, notes = imported(tmp_path, files.BINARY)
    assert notes == ()
    assert model.names == ("grain",)
    assert model.vectorizer.vocabulary.names == ["75", "98", "115"]
    scores = scores_of(model, ROWS)
    expected = [0.3 + 1.5 * 2.2 - 1.1, 2 * 0.2 - 1.1, -1.1, -1.1]
    assert scores.ravel() == pytest.approx(expected, rel=1e-6)
    predictor = VectorPredictor(model)
    assert predictor.names(scores) == [("grain",), (), (), ()]
    assert predictor.probabilities(scores).ravel() == pytest.approx(
        [1 / (1 + math.exp(-score)) for score in expected], rel=1e-6
    )
    assert model.decision.thresholds == pytest.approx([0.5])


@pytest.mark.parametrize("form", ["polytomous", "dense", "bxr", "sparse"])
def test_the_forms_of_one_polytomous_model_agree(tmp_path, form):
    text = getattr(files, form.upper())
    model, notes = imported(tmp_path, text)
    names = {"dense": ("0", "1", "2"), "sparse": ("3", "1", "2")}.get(form, ("1", "2", "3"))
    assert model.names == names
    order = [2, 0, 1] if form == "sparse" else [0, 1, 2]
    expected = np.array(
        [[-0.5 + 0.3, 0.1 + 1.5 * 2.2, 0], [-0.5 + 0.4, 0.1, 0], [-0.5, 0.1, 0], [-0.5, 0.1, 0]]
    )
    scores = scores_of(model, ROWS)
    assert scores == pytest.approx(expected[:, order], rel=1e-6)
    decided = VectorPredictor(model).given(scores)
    assert [len(given) for given in decided] == [1, 1, 1, 1]
    assert [given[0] for given in decided] == scores.argmax(axis=1).tolist()
    probabilities = VectorPredictor(model).probabilities(scores)
    odds = np.exp(scores)
    assert probabilities == pytest.approx(odds / odds.sum(axis=1, keepdims=True))
    assert notes == ()


NUMBERS = st.floats(-1e6, 1e6, allow_subnormal=False)
FEATURES = st.dictionaries(st.integers(1, 200), NUMBERS, max_size=6)


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["grain", "1", "wheat", "x-y"]),
        st.tuples(FEATURES, NUMBERS, NUMBERS),
        min_size=1,
    ),
)
def test_any_binary_model_is_read_to_the_last_bit(topics):
    parsed = parse_model(files.binary_file(topics).encode(), "m.bbr")
    assert list(parsed.classes) == list(topics)
    for name, (weights, constant, threshold) in topics.items():
        found = parsed.classes[name]
        assert found.weights == {str(number): weight for number, weight in weights.items()}
        assert (found.intercept, found.threshold) == (constant, threshold)


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["1", "2", "-1", "wheat", "a:b"]), st.tuples(FEATURES, NUMBERS), min_size=2
    ),
    st.lists(
        st.dictionaries(st.integers(1, 250), st.floats(-9, 9, width=32), max_size=5), min_size=1
    ),
)
def test_any_polytomous_model_scores_by_its_weights(tmp_path_factory, classes, rows):
    path = tmp_path_factory.mktemp("bbr") / "m.bmr"
    path.write_text(files.polytomous_file(classes))
    model = model_from_bytes(model_to_bytes(import_model(path).model), name="m", threads=1)
    assert model.names == tuple(classes)
    expected = [
        [
            constant + sum(float(np.float32(weights.get(n, 0.0))) * v for n, v in row.items())
            for weights, constant in classes.values()
        ]
        for row in rows
    ]
    assert scores_of(model, rows) == pytest.approx(np.array(expected), rel=1e-9, abs=1e-6)


def test_names_take_the_place_of_numbers(tmp_path):
    terms = [f"word{number}" for number in range(1, 121)]
    model = imported(tmp_path, files.BINARY, terms).model
    assert model.vectorizer.vocabulary.names == terms
    plain = imported(tmp_path, files.BINARY).model
    assert scores_of(model, ROWS) == pytest.approx(scores_of(plain, ROWS))
    assert "none for the feature 115" in refused(tmp_path, files.BINARY, terms[:114])
    for long in ("9" * 11, "2147483648", "9" * 5000):
        assert "has no number" in refused(tmp_path, files.BXR.replace("75:", f"{long}:"))
    symbolic = files.BXR.replace("75:", "oil:")
    assert "the feature 'oil' has no number" in refused(tmp_path, symbolic)
    model = imported(tmp_path, symbolic, ["oil", *terms]).model
    assert scores_of(model, [{1: 2.0}])[0, 0] == pytest.approx(-0.5 + 0.6)


def test_endless_thresholds_and_other_links(tmp_path):
    text = files.BINARY.replace("threshold 5.0", "threshold -1.797693134862e+308 #").split(" #")
    model = imported(tmp_path, text[0] + "\nendoftopic\n").model
    assert model.decision.thresholds.tolist() == [-math.inf]
    assert model.decision.accept(np.array([[-1e9]])).all()
    model, notes = imported(tmp_path, files.BINARY.replace("modelType 1", "modelType 2"))
    assert model.calibration is None
    assert notes == (
        "probabilities of the link SVM are not supported: the model gives scores and decisions",
    )


def test_what_was_done_to_vectors_is_told(tmp_path):
    text = files.BINARY.replace("cosineNormalize 0", "cosineNormalize 1")
    text = text.replace("tfMethod 0", "tfMethod 1")
    model, notes = imported(tmp_path, text)
    assert [note.partition(" before")[0] for note in notes] == [
        "the logarithm of counts was taken (tfMethod 1)",
        "vectors were divided by their norm (cosineNormalize 1)",
    ]
    assert model.method["imported"]["transformed"] == ["tfMethod", "cosineNormalize"]


def test_lines_may_go_on_and_be_commented(tmp_path):
    text = files.BINARY.replace("98 115\nbeta", "98\n115\n# weights\nbeta")
    assert scores_of(imported(tmp_path, text).model, ROWS)[0, 0] == pytest.approx(2.5)


def test_a_topic_without_a_name_goes_by_the_model_s(tmp_path):
    assert imported(tmp_path, files.BINARY.replace("topic grain", "topic")).model.names == (
        "first",
    )


@pytest.mark.parametrize(
    ("form", "old", "new", "told"),
    [
        ("BINARY", "Bayesian Binary", "Something else", ", line 1: 'Something else"),
        ("BINARY", "beta 3", "beta x3", ", line 12: beta: 'x3.000000000000e-01' is not a finite"),
        ("BINARY", "2.2 -1.1", "nan -1.1", ", line 12: beta: 'nan' is not a finite number"),
        ("BINARY", "2.2 -1.1", "inf -1.1", ", line 12: beta: 'inf' is not a finite number"),
        ("BINARY", " 2.2 -1.1", " 2.2", ", line 12: beta: there are 3 weights for 3 features"),
        ("BINARY", "design 0", "design 1", ", line 10: design: only 0, features as they are"),
        ("BINARY", "design 0", "desing 0", ", line 10: no keyword 'desing'; did you mean"),
        ("BINARY", "topicFeats 75 98", "topicFeats 98 98", ", line 11: topicFeats: a feature"),
        ("BINARY", "modelType 1", "modelType 9", ", line 9: modelType: the link '9' is none of"),
        ("BINARY", "threshold 5.0", "threshold nan #", ", line 13: threshold: one word is"),
        ("BINARY", "design 0", "nDesignParams 4", ", line 10: nDesignParams: the file is BXR"),
        ("BINARY", "design 0", "betaHierSparse 0 1:2", ", line 10: betaHierSparse: a model of"),
        ("BINARY", "endoftopic", "", ", line 13: the file ends before endoftopic: it is cut"),
        ("BINARY", "topicFeats 75 98 115\n", "", ", line 13: endoftopic: the topic has no topic"),
        ("BINARY", "design 0", "beta 1", ", line 12: beta: is in line 10 of the same topic"),
        ("POLYTOMOUS", "75:0.3", "75:x", ", line 12: betaClassSparse: 'x' is not a finite number"),
        ("POLYTOMOUS", "75:0.3", "75", ", line 12: betaClassSparse: '75' is not a feature, a"),
        ("POLYTOMOUS", "98:0.2", "75:0.2", ", line 12: betaClassSparse: the feature 75 is given "),
        ("POLYTOMOUS", "Sparse 3", "Sparse 4", ", line 14: betaClassSparse: the class '4' is not"),
        ("POLYTOMOUS", "Sparse 3", "Sparse 2", ", line 14: betaClassSparse: the weights of class"),
        ("POLYTOMOUS", "Sparse 3", "Sparse", ", line 14: betaClassSparse: no class is named"),
        ("POLYTOMOUS", "classes 1 2 3", "classes 1", ", line 2: classes: two or more different"),
        ("POLYTOMOUS", "endofheader\n", "", ", line 13: the file ends before endofheader"),
        ("POLYTOMOUS", "classes 1 2 3", "classes 1 2 3 4 5", ", line 14: the file ends before the"),
        ("POLYTOMOUS", "modelType 1", "modelType 0", ", line 8: modelType: the link '0' is not 1"),
        ("POLYTOMOUS", "design 0", "design 1", ", line 9: design: only 0, features as they are"),
        ("DENSE", "betaDense 1 0 0", "betaDense 1 0", ", line 6: betaDense: there are 3 weights"),
        ("DENSE", "betaDense 1", "betaDense 3", ", line 6: betaDense: there is no class number"),
        ("DENSE", "nclasses 3", "nclasses 3000000000", ", line 7: nclasses says 3000000000, and"),
        ("DENSE", "nclasses 3", f"nclasses {'9' * 5000}", ", line 2: nclasses: '999"),
        ("DENSE", "betaDense 1", f"betaDense {'9' * 5000}", ", line 6: betaDense: there is no"),
        ("SPARSE", "mine 1 75 0.3", "mine 1 75", ", line 5: a line must be a model's name, a"),
        ("SPARSE", "mine 1 75 0.3", "mine 1 75 -", ", line 5: 1: '-' is not a finite number"),
        ("SPARSE", "mine 2 115", "other 2 115", ", line 9: the file holds the models mine and"),
        ("SPARSE", "mine 1 98", "mine 1 75", ", line 7: 1: the feature 75 is given twice"),
    ],
)
def test_a_damaged_file_gets_a_sentence_with_its_line(tmp_path, form, old, new, told):
    text = getattr(files, form)
    assert old in text
    assert refused(tmp_path, text.replace(old, new, 1)).startswith(told)


@pytest.mark.parametrize("form", ["BINARY", "POLYTOMOUS", "DENSE", "SPARSE", "BXR"])
def test_a_file_cut_at_any_line_is_refused_or_whole(tmp_path, form):
    lines = getattr(files, form).splitlines(keepends=True)
    whole = imported(tmp_path, "".join(lines)).model
    for count in range(len(lines)):
        try:
            model = imported(tmp_path, "".join(lines[:count])).model
        except ModelFileError:
            continue
        # What is left out at the very end may be the reference class, or part of the weights.
        assert form != "BINARY"
        assert set(model.names) <= set(whole.names)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["BINARY", "POLYTOMOUS", "SPARSE"]), st.integers(0), st.integers(0, 255))
def test_any_byte_may_be_damaged(form, place, byte):
    content = bytearray(getattr(files, form).encode())
    content[place % len(content)] = byte
    told = "m.bbr, line 1"
    try:
        parse_model(bytes(content), "m.bbr")
    except ModelFileError as error:
        told = str(error)
    assert told.startswith("m.bbr, line ")
    assert "\n" not in told


def test_an_absent_file_and_one_that_is_no_text(tmp_path):
    with pytest.raises(InputError, match="absent"):
        import_model(tmp_path / "absent.bbr")
    (tmp_path / "b").write_bytes(b"Bayesian Binary Regression ver 2\n\nbeta \xff\n")
    with pytest.raises(ModelFileError, match="b, line 3: the line is not text"):
        import_model(tmp_path / "b")
    assert refused(tmp_path, "").startswith(", line 1: '' is not the title")


def test_weights_too_large_for_a_model_are_refused(tmp_path):
    told = refused(tmp_path, files.BINARY.replace(" 2.2", " 1e300"))
    assert told == ": weights must be finite as float32; some are not a number or infinite"


def test_texts_and_vectors_go_to_models_of_their_own(tmp_path):
    numbered = imported(tmp_path, files.BINARY).model
    with pytest.raises(UsageError, match="give it an svmlight file"):
        Predictor(numbered)
    with pytest.raises(UsageError, match=r"x\.svm: the model reads texts"):
        VectorPredictor(small_model()).vectors(vectors_of(ROWS))


def test_svmlight_files_by_name_and_content(tmp_path):
    assert names_vectors("a.svm")
    assert names_vectors("b.c.libsvm.gz")
    assert not names_vectors("a.svm.csv.gz")
    assert not names_vectors("a.svm", "csv")
    assert names_vectors("-", "svmlight")
    path = tmp_path / "d.svm"
    path.write_text("+1 3:0.5 7:1 # first\n-1 1:2\n\n1 3:1\n")
    documents = read_numbered(path)
    assert documents.binary
    assert documents.ids == ["1", "2", "3"]
    assert documents.labels_for(("grain",)) == [("grain",), (), ("grain",)]
    assert documents.labels_for(("1", "-1")) == [("1",), ("-1",), ("1",)]
    assert documents.labels_for(("-1",)) == [("1",), ("-1",), ("1",)]
    assert documents.matrix.toarray()[:, [1, 3, 7]].tolist() == [[0, 0.5, 1], [2, 0, 0], [0, 1, 0]]


def test_names_of_features(tmp_path):
    path = tmp_path / "words"
    path.write_text("oil\nnew york\r\n zoë \n", encoding="utf-8")
    assert read_feature_names(path) == ["oil", "new york", "zoë"]
    path.write_text('1\t"oil"\n2\t"a\\tb"\n')
    assert read_feature_names(path) == ["oil", "a\tb"]
    for text, told in {
        "a\n\nb\n": "line 2: the line has no name",
        "a\nb\na\n": "line 3: 'a' is in line 1 already",
        '0\t"a"\n': "line 1: the line has number 0",
        '1\t"\\x"\n': "line 1: .* is not JSON",
        "": "line 1: the line has no name",
    }.items():
        path.write_text(text)
        with pytest.raises(InputError, match=told):
            read_feature_names(path)
