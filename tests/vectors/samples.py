"""Texts and settings the tests of this folder share."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

from postil.vectors.vectorizer import TextChunk, Vectorizer
from postil.vectors.vocabulary import Vocabulary
from postil.vectors.weighting import Weighting

COUNTS = Weighting("counts", "none", "none")

TRAINING = [
    "wool wool ferry harbour",
    "ferry timetable harbour harbour",
    "",
    "fleece wool é é é ferry",
    "timetable of the winter ferry harbour",
    "wool",
]
FRESH = ["wool unseen ferry", "unseen never heard", "", "é wool wool harbour never never"]

# Ties, prefixes of each other, more than eight and sixteen bytes, several scripts, a NUL.
WORDS = [*"abzéΣ油𝔸", "ab", "aé", "油井", "a\0", "longer-than-eight", "ß" * 9]

documents = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
corpora = st.lists(documents, max_size=10)
filled_corpora = corpora.filter(lambda texts: any(text.strip() for text in texts))


def vectorizer_of(spec: str, given: list[str] | None = None, **settings: object) -> Vectorizer:
    """A vectorizer, with the terms of its vocabulary where they are given."""
    if given is not None:
        settings["vocabulary"] = Vocabulary.of_terms(given)
    return Vectorizer(spec, **settings)


def cut(texts: list[str], cuts: list[int]) -> list[TextChunk]:
    """The texts in chunks, cut before the given documents."""
    borders = [0, *sorted(cut % (len(texts) + 1) for cut in cuts), len(texts)]
    return [TextChunk((texts[a:b],)) for a, b in pairwise(borders)]


def counted(texts: list[str], **settings: object) -> Vectorizer:
    """A vectorizer that has counted the white-space words of texts."""
    return Vectorizer("whitespace", weighting=COUNTS, threads=1, **settings).fit(texts)


def assert_bit_equal(a: sp.csr_matrix, b: sp.csr_matrix) -> None:
    assert a.shape == b.shape
    for name in ("indptr", "indices", "data"):
        first, second = getattr(a, name), getattr(b, name)
        assert first.dtype == second.dtype
        np.testing.assert_array_equal(first, second)


@cache
def several_chunks_of_work() -> list[str]:
    """About a megabyte in 300 documents: enough for several threads to share, with many ties."""
    random = np.random.default_rng(7)
    ranks = np.minimum(random.zipf(1.3, size=(300, 600)), 30_000)
    return [" ".join(f"w{rank}" for rank in row) for row in ranks]
