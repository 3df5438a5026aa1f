"""Frames of pandas, polars, Arrow and Hugging Face say the same, and none of them is imported."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from postil import Document, LinearClassifier, ReadOptions, TextCategorizer, TextVectorizer
from postil import open_corpus as opened
from postil.errors import CorpusError, MissingExtraError, PostilError, UsageError

RECIPE = "naive-bayes-1"
TITLES = ["rain at sea", "a late goal", "snow", None] * 3
BODIES = ["wind and rain", "the match", "strong wind", "the goal keeper"] * 3
TOPICS = ["weather", "sport", "weather", "sport"] * 3
LISTS = [["weather", "sea"], ["sport"], None, ["sport"]] * 3
TABLE = {"id": range(12), "title": TITLES, "body": BODIES, "topic": TOPICS, "vector": [[0.5]] * 12}


class Stream:
    """A table with the Arrow interface and nothing else."""

    def __init__(self, columns):
        self._table = pa.table(columns)

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def dataset(columns):
    from datasets import Dataset

    return Dataset.from_dict(columns)


KINDS = {
    "pandas": pd.DataFrame,
    "pandas of Arrow": lambda columns: pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "pandas of categories": lambda columns: (
        pl.DataFrame(columns).with_columns(pl.col(pl.String).cast(pl.Categorical)).to_pandas()
    ),
    "polars": pl.DataFrame,
    "polars of categories": lambda columns: pl.DataFrame(columns).with_columns(
        pl.col(pl.String).cast(pl.Categorical)
    ),
    "table of chunks": lambda columns: pa.concat_tables(
        pa.table({name: values[part] for name, values in columns.items()})
        for part in (slice(0, 5), slice(5, None))
    ),
    "batch": pa.RecordBatch.from_pydict,
    "stream": Stream,
    "dataset": dataset,
}


@pytest.fixture(scope="module")
def expected():
    fields = {"title": [title or "" for title in TITLES], "body": BODIES}
    return TextCategorizer(RECIPE).fit(fields, TOPICS)


@pytest.mark.parametrize("kind", KINDS)
def test_every_frame_teaches_the_same(kind, expected):
    frame = KINDS[kind](TABLE)
    texts = KINDS[kind]({"body": BODIES, "title": TITLES})
    for labels in (None, "topic", TOPICS) + ((frame["topic"],) if kind != "stream" else ()):
        model = TextCategorizer(RECIPE).fit(frame, labels)
        assert model.model.training.sha256 == expected.model.training.sha256
        assert model.feature_names_in_.tolist() == ["title", "body"]
    assert model.predict(texts).tolist() == TOPICS
    assert np.array_equal(model.decision_function(texts), expected.decision_function(texts))
    assert model.score(frame) == model.score(frame, "topic") == 1.0
    lists = TextCategorizer(RECIPE).fit(KINDS[kind]({"text": BODIES, "labels": LISTS}))
    assert lists.categories == ("sea", "sport", "weather")
    assert lists.model.training.documents == 12  # a missing list is no label
    same = TextCategorizer(RECIPE).fit({"text": BODIES}, [labels or [] for labels in LISTS])
    assert lists.model.training.sha256 == same.model.training.sha256


@pytest.mark.parametrize("kind", KINDS)
def test_every_frame_holds_the_same_documents(kind):
    frame = KINDS[kind]({**TABLE, "id": [None, *range(1, 12)], "labels": LISTS})
    first, _, third, *_ = documents = list(opened(frame))
    assert first == Document("row-1", {"title": TITLES[0], "body": BODIES[0]}, tuple(LISTS[0]))
    assert (third.id, third.labels, documents[3].fields) == ("2", (), {"body": BODIES[3]})


@pytest.mark.parametrize("kind", KINDS)
def test_estimators_take_columns(kind):
    columns = {"text": BODIES, "topic": TOPICS, "number": [2, 1, 2, 1] * 3}
    frame = KINDS[kind](columns)
    X = TextVectorizer().fit_transform(KINDS[kind]({"text": BODIES}))  # noqa: N806
    assert (TextVectorizer().fit_transform(BODIES) != X).nnz == 0
    with pytest.raises(UsageError, match="one column of texts, not text, kind"):
        TextVectorizer().fit(KINDS[kind]({"text": BODIES, "kind": TOPICS}))
    if kind == "stream":
        return
    assert (TextVectorizer().fit_transform(frame["text"]) != X).nnz == 0
    for name in ("topic", "number"):
        model = LinearClassifier().fit(X, frame[name])
        assert model.classes_.tolist() == sorted(set(columns[name]))
        assert model.score(X, frame[name]) == 1.0
    indicator = {"a": [1, 0] * 6, "b": [0, 1] * 6}
    found = LinearClassifier().fit(X, KINDS[kind](indicator)).predict(X)
    assert found.tolist() == np.column_stack(list(indicator.values())).tolist()


def test_classes_of_a_dataset_have_names():
    datasets = pytest.importorskip("datasets")
    names = datasets.ClassLabel(names=["sport", "weather"])
    features = {"text": datasets.Value("string"), "label": names}
    columns = {"text": BODIES, "label": [1, 0, 1, 0] * 2 + [-1, 0, 1, 0]}
    frame = datasets.Dataset.from_dict(columns, features=datasets.Features(features))
    known = frame.select(range(8))
    assert TextCategorizer(RECIPE).fit(known).predict(BODIES).tolist() == TOPICS
    assert TextCategorizer(RECIPE).fit(known, known["label"]).classes_.tolist() == [0, 1]
    with pytest.raises(UsageError, match="text 8: its label is None"):
        TextCategorizer(RECIPE).fit(frame)
    parts = datasets.DatasetDict(train=known, test=frame.select(range(7, 12)))
    assert [each.labels for each in opened(parts).only("test")][:2] == [("sport",), ()]
    assert len(list(opened(parts).only("train"))) == 8
    with pytest.raises(UsageError, match="frames by split, train, test: give one of them"):
        TextCategorizer().fit(parts)
    with pytest.raises(CorpusError, match=r"not 'unsupervised': leave it out"):
        opened({**parts, "unsupervised": known})


FRAME = pd.DataFrame(TABLE)


@pytest.mark.parametrize(
    ("texts", "labels", "message"),
    [
        (FRAME, "topics", "there is no column 'topics', .* the columns are id, title"),
        (FRAME[["title", "body"]], None, "no column is known to hold labels; .* title, body:"),
        (BODIES, None, "the labels of the texts are missing"),
        (BODIES, "topic", "labels must be a class for each text.*received 'topic'"),
        ({"text": BODIES}, "text", "without a field"),
        (pa.table({"text": BODIES, "desk": TOPICS}), TOPICS, "labels are the column 'desk'"),
        (pl.LazyFrame({"text": BODIES}), TOPICS, r"lazy frame holds no texts yet.*collect\(\)"),
        (BODIES, pl.LazyFrame({"topic": TOPICS}), "lazy frame holds no labels yet"),
        (pl.Series([*BODIES[1:], None]), TOPICS, "text 11: a text must be a str, .*leave it out"),
        (pl.DataFrame({"a": [1]}), None, "no column is known to hold labels"),
        (pl.DataFrame({"a": [1], "label": ["x"]}), None, "no column of texts: its columns are a"),
        (FRAME["title"].iloc[:2], pl.Series(["x", None]), "text 1: its label is None"),
    ],
)
def test_what_is_refused(texts, labels, message):
    with pytest.raises(UsageError, match=message):
        TextCategorizer(RECIPE).fit(texts, labels)


def test_frames_that_are_no_corpus():
    for given, options, message in (
        (pl.LazyFrame({"text": ["a"]}), None, "lazy frame holds no documents yet"),
        (FRAME.iloc[:0], None, "DataFrame: the frame has columns but no rows"),
        (FRAME, ReadOptions(encoding="utf-8"), "--encoding means nothing when reading a DataFrame"),
        (FRAME, ReadOptions(label_column="desk"), "DataFrame: there is no column 'desk'"),
        (FRAME.assign(body=[*BODIES[1:], 1.5]), None, "DataFrame, row 12: body must be text"),
        ({"text": BODIES}, None, "a corpus is opened by its name or path"),
        (pa.array(BODIES), None, "from named columns, not from a StringArray"),
    ):
        with pytest.raises(PostilError, match=message):
            list(opened(given, options))


def test_y_that_is_refused():
    X = TextVectorizer().fit_transform(BODIES)  # noqa: N806
    for y, message in (
        (pl.Series([None, *TOPICS[1:]]), r"y has no label for row 0 \(None"),
        (pl.Series(LISTS).fill_null([]), "y lists the labels of each row.*MultiLabelBinarizer"),
        (pl.LazyFrame({"y": TOPICS}), "lazy frame holds no labels yet"),
    ):
        with pytest.raises(UsageError, match=message):
            LinearClassifier().fit(X, y)


def test_a_stream_needs_pyarrow(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match="reading a Stream needs the package pyarrow"):
        TextCategorizer(RECIPE).fit(Stream(TABLE))


def test_nothing_is_imported():
    program = f"""
import sys, polars
sys.modules.update(dict.fromkeys(["pandas", "pyarrow", "datasets"]))  # cannot be imported
from postil import TextCategorizer, open_corpus
frame = polars.DataFrame({{"title": {TITLES}, "body": {BODIES}, "topic": {TOPICS}}})
TextCategorizer({RECIPE!r}).fit(frame).predict(frame)
assert len(list(open_corpus(frame))) == 12
"""
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (found.stderr, found.returncode) == ("", 0)


def test_columns_that_fit_would_not_read_are_refused():
    frame = pd.DataFrame(
        {"text": ["rain", "goal"] * 8, "label": ["a", "b"] * 8, "group": [1, 2] * 8}
    )
    with pytest.raises(UsageError, match=r"'group', which fit would not read: .*open_corpus"):
        TextCategorizer("default").fit(frame)
    TextCategorizer("default").fit(frame, groups=frame["group"])
