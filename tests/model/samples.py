"""Models the tests of this folder share."""

from __future__ import annotations

import mmap

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

from postil.corpus.label_vocabulary import LabelEntry, LabelVocabulary
from postil.decide.calibration import Logistic, Softmax
from postil.decide.decision import DecisionRule, Shares, Thresholds
from postil.decide.fitted_calibration import Isotonic, Platt
from postil.decide.hierarchy import Hierarchy
from postil.model import Model, TrainingFingerprint
from postil.text.analyzer import Analyzer
from postil.vectors.fields import Fields
from postil.vectors.vectorizer import Vectorizer
from postil.vectors.vocabulary import Vocabulary
from postil.vectors.weighting import Weighting

DIGEST = "0123456789abcdef" * 4
TEXTS = {
    "title": ["wool prices", "the ferry", "", "wool é 油井"],
    "body": ["fleece and wool rise", "harbour timetable", "winter ferry", "油井 wool \0 fleece"],
}
ANALYZERS = [
    Analyzer("words"),
    Analyzer("letters lower stop(file:\ud800) stem(en) ngrams(1,2)", {"file:\ud800": ["the", "é"]}),
]
REPORTS = (
    {
        "category": "sheep",
        "members": 2,
        "lam": 1e-4,
        "iterations": 12,
        "objective": 0.125,
        "certificate": 3e-7,
        "kind": "duality gap",
        "stopped": "certified",
        "seconds": 0.25,
        "nonzeros": 3,
        "note": "",
    },
    {
        "category": "boats",
        "members": 2,
        "lam": 1e-4,
        "iterations": 40,
        "objective": 0.25,
        "certificate": 0.001,
        "kind": "duality gap",
        "stopped": "iterations",
        "seconds": 0.5,
        "nonzeros": 2,
        "note": "",
    },
    {
        "category": "ghosts",
        "members": 0,
        "lam": 1e-4,
        "iterations": 0,
        "objective": 0.0,
        "certificate": 0.0,
        "kind": "exact",
        "stopped": "constant",
        "seconds": 0.0,
        "nonzeros": 0,
        "note": "the category has no member: never chosen",
    },
)


def rule(count: int) -> DecisionRule:
    """Thresholds that rise by category, the last one never reached."""
    values = np.arange(count) / 8 - 0.125
    states = np.zeros(count, np.uint8)
    if count:
        values[-1], states[-1] = np.inf, 1
    return DecisionRule("f1 at-most(2)", Thresholds(values), states, at_most=2)


def fingerprint(members: list[int], documents: int = 4) -> TrainingFingerprint:
    return TrainingFingerprint("sheep and boats", documents, DIGEST, np.array(members, np.int64))


def platt(count: int) -> Platt:
    return Platt(np.zeros(count), np.ones(count), np.full(count, 2.0), np.arange(count) / 4)


def isotonic(count: int) -> Isotonic:
    offsets = 2 * np.arange(count + 1)
    return Isotonic(offsets, np.tile([-1.0, 1.0], count), np.tile([0.125, 0.75], count))


CALIBRATIONS = {
    "none": lambda _: None,
    "logistic": Logistic,
    "platt": platt,
    "isotonic": isotonic,
    "softmax": Softmax,
}


def apart_vectorizer(**settings: object) -> Vectorizer:
    """Two fields apart, a stop list of its own, an idf and a constant."""
    return Vectorizer(
        Analyzer("words lower stop(file:none.txt)", {"file:none.txt": ["and", "the"]}),
        fields=Fields(("title", "body"), apart=True),
        weighting=Weighting("log", "smooth", "l2", constant=True),
        threads=1,
        **settings,
    ).fit(TEXTS)


def union_vectorizer() -> Vectorizer:
    """A union with a stop list in its second part, and a scale of each part in place of an idf."""
    spec = "words lower + letters stop(file:none.txt) ngrams(1,2) + chars-in-words(2) lower"
    fields = Fields(("title", "body"), also=("title",))
    analyzer = Analyzer(spec, {"file:none.txt": ["and"]})
    weighting = Weighting("log", "none", "l2")
    return Vectorizer(analyzer, fields=fields, weighting=weighting, threads=1).fit(TEXTS)


def small_model(**changes: object) -> Model:
    """Three categories, one of them empty, over a vocabulary."""
    vectorizer = changes.pop("vectorizer", None) or apart_vectorizer()
    dense = np.zeros((3, vectorizer.columns))
    dense[0, [0, 2, -1]] = 0.5, -0.25, 0.125
    dense[1, [1, 3]] = -1.5, 2.0
    return Model(
        **{
            "vectorizer": vectorizer,
            "names": ("sheep", "boats", "ghosts"),
            "weights": sp.csr_matrix(dense),
            "intercepts": np.array([-0.5, 0.25, -1.0]),
            "decision": rule(3),
            "calibration": platt(3),
            "recipe": {"name": "small", "learn": {"loss": "modified-squared", "lam": 1e-4}},
            "method": {"loss": "modified-squared", "solver": "dual-coordinate"},
            "training": fingerprint([2, 2, 0]),
            "reports": REPORTS,
            "evaluation": {"micro": {"f1": 0.5, "precision": None}},
            "created_by": "postil 0.1.0",
        }
        | changes
    )


def labelled_model() -> Model:
    """Names for two of the categories, and a label above them."""
    labels = LabelVocabulary(
        [
            LabelEntry("animals", {"en": "Animals"}),
            LabelEntry("sheep", {"en": "Sheep é", "de": "Schafe"}, "S1", ("lamb",), ("animals",)),
            LabelEntry("boats", {"en": "Boats"}, deprecated=True),
        ],
        "de",
    )
    members = sp.csr_matrix(np.eye(3, dtype=bool))
    hierarchy = Hierarchy.of(("sheep", "animals", "boats"), labels, members)
    return small_model(labels=labels, hierarchy=hierarchy)


def tiny_model() -> Model:
    """Return the smallest model that has every kind of array."""
    vocabulary = Vocabulary.of_terms(["a", "é"])
    vectorizer = Vectorizer("letters", vocabulary=vocabulary, threads=1).fit(["a é", "a"])
    return Model(
        vectorizer=vectorizer,
        names=("x", "y"),
        weights=sp.csr_matrix(np.array([[0.5, 0.0], [0.0, 0.0]])),
        intercepts=np.array([0.25, -1.0]),
        decision=rule(2),
        calibration=isotonic(2),
        training=fingerprint([1, 0], 2),
        created_by="postil 0.1.0",
    )


def bucket_model(order: str = "csr") -> Model:
    """Hashed terms, dense weights, shares of a batch."""
    vectorizer = Vectorizer("chars(2,3)", buckets=5, threads=1).fit(["wool", "ferry"])
    weights = np.arange(10.0).reshape(2, 5) / 4 + 0.25
    return Model(
        vectorizer=vectorizer,
        names=("sheep", "boats"),
        weights=sp.csr_matrix(weights).asformat(order),
        intercepts=np.zeros(2),
        decision=DecisionRule("proportional", Shares(np.array([0.5, 0.25])), np.zeros(2)),
        calibration=isotonic(2),
        training=fingerprint([1, 1], 2),
        created_by="postil 0.1.0",
    )


def scores(model: Model, texts: object) -> np.ndarray:
    """Scores by the definition."""
    vectors = model.vectorizer.transform(texts)
    sums = np.asarray((vectors @ model.weights.T).todense())
    if model.projection is not None:
        points = vectors @ model.projection.lsi.term_vectors
        norms = np.linalg.norm(points, axis=1)
        sums = sums * (model.projection.length / np.where(norms > 0, norms, np.inf))[:, None]
    rows = sums + model.intercepts
    return rows if model.combination is None else model.combination.combined(rows)


def lies_in_a_map(array: np.ndarray) -> bool:
    """Return True if an array's memory is that of a mapped file."""
    if array.flags.owndata:
        return False
    owner: object = array
    while isinstance(owner, (np.ndarray, memoryview)):
        owner = owner.base if isinstance(owner, np.ndarray) else owner.obj
    return isinstance(owner, mmap.mmap)


any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
term_texts = any_text.filter(bool)
finite = st.floats(-(2.0**99), 2.0**99, width=32)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
mappings = st.dictionaries(st.text(max_size=4), json_values, max_size=3)


@st.composite
def vocabularies(draw: st.DrawFn, fields: Fields) -> Vocabulary:
    spaces = st.integers(0, len(fields.names) - 1 if fields.apart else 0)
    drawn = draw(st.lists(st.tuples(spaces, term_texts), unique=True, max_size=8))
    given = Vocabulary.of_terms((fields.term_name(*term) for term in drawn), fields)
    total = draw(st.sampled_from([0, 3, 70_000, 2**40]))
    count = len(given)
    documents = draw(st.lists(st.integers(0, total), min_size=count, max_size=count))
    often = [number * draw(st.integers(1, 300)) for number in documents]
    arrays = (np.array(numbers, dtype=np.uint64) for numbers in (documents, often))
    return Vocabulary(lambda: given.native, *arrays, total, fields)


@st.composite
def vectorizers(draw: st.DrawFn) -> Vectorizer:
    names = draw(st.sampled_from([(), ("text",), ("title", "body"), ("é", "油 \ud800", "z")]))
    fields = Fields(names, apart=len(names) > 1 and draw(st.booleans()))
    weighting = Weighting(
        draw(st.sampled_from(["binary", "counts", "log"])),
        draw(st.sampled_from(["none", "smooth", "plain", "glm2004"])),
        draw(st.sampled_from(["none", "l1", "l2"])),
        draw(st.booleans()),
    )
    buckets = draw(st.none() | st.integers(1, 9))
    vocabulary = draw(vocabularies(fields)) if buckets is None else None
    made = Vectorizer(
        draw(st.sampled_from(ANALYZERS)),
        fields=fields,
        weighting=weighting,
        buckets=buckets,
        vocabulary=vocabulary,
        threads=1,
    )
    texts = ["a é 油", "the a a", ""]
    return made.fit(dict.fromkeys(names, texts) if names else texts)


@st.composite
def models(draw: st.DrawFn) -> Model:
    vectorizer = draw(vectorizers())
    names = draw(st.lists(st.text(max_size=5), unique=True, max_size=4))
    shape = (len(names), vectorizer.columns)
    cells = shape[0] * shape[1]
    sparse = draw(st.booleans())
    numbers = (st.just(0.0) | finite) if sparse else finite
    dense = np.array(draw(st.lists(numbers, min_size=cells, max_size=cells))).reshape(shape)
    if sparse:
        dense[:, ::2] = 0.0
    members = draw(st.lists(st.integers(0, 300), min_size=len(names), max_size=len(names)))
    return Model(
        vectorizer=vectorizer,
        names=tuple(names),
        weights=sp.csr_matrix(dense).asformat(draw(st.sampled_from(["csr", "csc"]))),
        intercepts=np.array(draw(st.lists(finite, min_size=len(names), max_size=len(names)))),
        decision=rule(len(names)),
        calibration=CALIBRATIONS[draw(st.sampled_from(sorted(CALIBRATIONS)))](len(names)),
        training=fingerprint(members, 300),
        recipe=draw(mappings),
        method=draw(mappings),
        reports=draw(st.lists(mappings, max_size=2)),
        evaluation=draw(st.none() | mappings),
        created=draw(st.none() | st.text(max_size=4)),
    )
