"""A union of analyzers: the vectors of its parts side by side, scaled to weigh the same."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from postil.errors import UsageError
from postil.model.scoring import TextScorer
from postil.text.analyzer import Analyzer
from postil.vectors.extending import extend
from postil.vectors.fields import Fields
from postil.vectors.vectorizer import TextChunk, Vectorizer
from postil.vectors.vocabulary import TermBounds, Vocabulary
from postil.vectors.weighting import Weighting, part_scales

PARTS = [
    "words lower ngrams(1,2)",
    "letters lower stop(snowball:en) stem(porter)",
    "chars-in-words(2,3) lower",
]
UNION = " + ".join(PARTS)
TEXTS = {
    "title": ["Running ferries", "the winter ferry", "", "wool é 油井 stem:wool"],
    "body": ["fleece and wool rise", "harbour timetables", "ferries ran", "油井 wool \0 fleece"],
}
FIELDS = [
    Fields(("title", "body")),
    Fields(("title", "body"), apart=True),
    Fields(("title", "body"), also=("title",)),
]
UNSCALED = Weighting("log", "smooth", "none")


def blocks(fields: Fields, specs: list[str]) -> tuple[sp.csr_matrix, dict[str, int]]:
    """Return the matrices of the parts side by side, scaled and normed, and the terms' columns."""
    matrices, columns, names = [], {}, Analyzer(" + ".join(specs)).spec.part_names
    first = None
    for part, spec in enumerate(specs):
        own = fields if part == 0 else replace(fields, also=())
        vectorizer = Vectorizer(spec, fields=own, weighting=UNSCALED, threads=1)
        matrix = vectorizer.fit_transform(TEXTS)
        size = float((vectorizer.vocabulary.documents * vectorizer.idf**2).sum())
        first = first or size
        prefix = f"{names[part - 1]}:" if part else ""
        for name in vectorizer.vocabulary.names:
            further = not part and name.startswith(tuple(f"{each}:" for each in names))
            columns[f"{':' if further else prefix}{name}"] = len(columns)
        matrices.append(matrix * np.sqrt(first / size))
    joined = sp.hstack(matrices, format="csr").astype(np.float64)
    norms = np.sqrt(joined.multiply(joined).sum(axis=1)).A1
    return sp.diags(1 / np.where(norms > 0, norms, 1)) @ joined, columns


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("fields", FIELDS)
@pytest.mark.parametrize("specs", [PARTS, PARTS[1:], ["whitespace", PARTS[1]]])
def test_a_union_is_the_blocks_of_its_parts_under_one_norm(
    fields: Fields, specs: list[str], threads: int
):
    weighting = replace(UNSCALED, norm="l2")
    vectorizer = Vectorizer(" + ".join(specs), fields=fields, weighting=weighting, threads=threads)
    found = vectorizer.fit_transform(TEXTS)
    expected, column_of = blocks(fields, specs)
    order = [column_of[name] for name in vectorizer.vocabulary.names]
    assert sorted(order) == list(range(len(column_of)))
    assert abs(found - expected[:, order]).max() < 1e-6
    assert abs(vectorizer.transform(TEXTS) - found).max() == 0

    weights = sp.random(3, found.shape[1], 0.5, "csr", np.float32, random_state=0)
    scorer = TextScorer(vectorizer, weights, np.arange(3.0))
    for _ in range(2):  # the words are new, then known
        scores = scorer.scores(TEXTS)
        assert np.allclose(scores, (found @ weights.T).toarray() + np.arange(3.0), atol=1e-6)


def test_the_parts_weigh_the_same_without_an_idf_too():
    weighting = Weighting("binary", "none", "none")
    vectorizer = Vectorizer(UNION, weighting=weighting, threads=1)
    matrix = vectorizer.fit_transform(TEXTS["body"])
    part = vectorizer.vocabulary.native.spaces()
    sizes = np.bincount(part[matrix.indices], weights=matrix.data.astype(float) ** 2)
    assert sizes == pytest.approx(np.full(3, sizes[0]))


def test_a_scale_is_bounded_and_an_empty_part_has_none():
    parts, documents = np.array([0, 1, 3]), np.array([9000, 1, 9000], dtype=np.uint64)
    assert part_scales(parts, 4, documents, np.ones(3)).tolist() == [1, 10, 1, 1]


def test_terms_that_an_update_adds_have_the_scale_of_their_part():
    vectorizer = Vectorizer(UNION, threads=1).fit(TEXTS["body"])
    grown = extend(vectorizer, [TextChunk([["zebras", "wool"]])]).vectorizer
    vocabulary = grown.vocabulary
    idf = grown.weighting.idf_of(vocabulary.documents, vocabulary.total)
    parts = vocabulary.native.spaces().astype(int)
    scales = part_scales(parts, 3, vocabulary.documents, idf)
    for name in ("zebras", "stem:zebra", "chars:zeb"):
        column = vocabulary.column_of[name]
        assert grown.idf[column] == pytest.approx(idf[column] * scales[parts[column]])
    assert np.array_equal(grown.idf[: len(vectorizer.idf)], vectorizer.idf)


def test_a_given_vocabulary_and_a_pickled_one_keep_the_parts():
    vectorizer = Vectorizer(UNION, fields=FIELDS[2], threads=1).fit(TEXTS)
    given_terms = Vocabulary.of_terms(vectorizer.vocabulary.names, vectorizer.fields)
    again = Vectorizer(UNION, vocabulary=given_terms, threads=1).fit(TEXTS)
    assert np.array_equal(again.idf, vectorizer.idf)
    copy = pickle.loads(pickle.dumps(vectorizer))
    assert abs(copy.transform(TEXTS) - vectorizer.transform(TEXTS)).max() == 0


@given(
    st.sampled_from(FIELDS),
    st.integers(0, 5),
    st.one_of(
        st.text(":aé", min_size=1), st.sampled_from(["stem:", ":stem:a", "title:a", "::stem:"])
    ),
)
def test_names_of_terms_read_back(fields: Fields, space: int, term: str):
    fields = replace(fields, parts=("stem", "title"))
    spaces = [reading.space for reading in fields.readings]
    space = spaces[space % len(spaces)]
    if fields.also and space == 0 and term.startswith("title:"):
        return  # a token that looks like a field counted apart, without a union too
    assert fields.parse_term(fields.term_name(space, term)) == (space, term)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"buckets": 8}, "hash buckets do not know the part"),
        ({"weighting": Weighting.named("glm2004")}, "counts unseen terms in the norm"),
        (
            {"fields": Fields(tuple(f"f{n}" for n in range(90)), apart=True)},
            "a union of 3 analyzers takes at most 85 fields that are kept apart, got 90",
        ),
    ],
)
def test_settings_that_a_union_does_not_take(options: dict, message: str):
    with pytest.raises(UsageError, match=message):
        Vectorizer(UNION, **options)


def test_bounds_hold_for_the_terms_of_all_parts():
    vectorizer = Vectorizer(UNION, bounds=TermBounds(min_df=2), threads=1).fit(TEXTS["body"])
    assert {"wool", "stem:wool", "chars:wo"} <= set(vectorizer.vocabulary.names)
    assert "harbour" not in vectorizer.vocabulary.names
