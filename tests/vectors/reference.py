"""Counting, ranking and weighing as one would write them down: slow, and easy to check by eye."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np

Row = Counter[str]
Tokens = Callable[[str], list[str]]


def split_words(text: str) -> list[str]:
    """Split a text as the spec ``whitespace`` does."""
    return text.split()


def ngrams(words: Sequence[str], smallest: int, largest: int) -> list[str]:
    return [
        " ".join(words[at : at + size])
        for size in range(smallest, largest + 1)
        for at in range(len(words) - size + 1)
    ]


def count(texts: Iterable[str], tokens: Tokens = split_words) -> list[Row]:
    return [Counter(tokens(text)) for text in texts]


def document_frequencies(rows: Iterable[Row]) -> Counter[str]:
    return Counter(term for row in rows for term in row)


def ranked(
    rows: Sequence[Row],
    least: float = 1,
    most: float = math.inf,
    max_terms: int | None = None,
) -> list[str]:
    """The terms within bounds by falling document frequency, ties by bytes."""
    held = document_frequencies(rows)
    occurs = Counter()
    for row in rows:
        occurs.update(row)
    kept = sorted((term for term in held if least <= held[term] <= most), key=str.encode)
    kept = sorted(kept, key=lambda term: -occurs[term])[:max_terms]
    return sorted(sorted(kept, key=str.encode), key=lambda term: -held[term])


FREQUENCY = {"binary": bool, "counts": float, "log": lambda n: 1 + math.log(n)}

INVERSE = {
    "none": lambda _total, _held: 1.0,
    "smooth": lambda total, held: math.log((total + 1) / (held + 1)) + 1,
    "plain": lambda total, held: math.log(total / held) + 1,
    "glm2004": lambda total, held: math.log((total + 1) / (held + 1)),
}

LENGTH = {
    "none": lambda _weights: 1.0,
    "l1": lambda weights: sum(map(abs, weights)),
    "l2": lambda weights: math.sqrt(sum(w * w for w in weights)),
}


def weigh(
    rows: Sequence[Row], names: Sequence[str], training: Sequence[Row], kind: tuple[str, str, str]
) -> np.ndarray:
    """The dense matrix of rows under the frequencies of the training rows, for (tf, idf, norm).

    The norm of glm2004 is taken over every term of a row, whether it has a column or not.
    """
    tf, idf, norm = kind
    held = document_frequencies(training)
    matrix = np.zeros((len(rows), len(names)))
    for row, terms in enumerate(rows):
        weights = {
            term: FREQUENCY[tf](count) * INVERSE[idf](len(training), held[term])
            for term, count in terms.items()
            if idf == "glm2004" or term in names
        }
        length = LENGTH[norm](weights.values()) or 1.0
        matrix[row] = [weights.get(name, 0.0) / length for name in names]
    return matrix


def bucket(term: str, space: int, buckets: int) -> int:
    """The bucket of a term: a multiply and a fold for every eight bytes, then a last one.

    Two words of eight bytes are taken of every term, zeros beyond its end.
    """
    data, whole = term.encode(), 2**64 - 1
    state = (len(data) + (space << 56)) & whole
    for at in range(0, max(len(data), 16), 8):
        state = ((state ^ int.from_bytes(data[at : at + 8], "little")) * 0x9E3779B97F4A7C15) & whole
        state ^= state >> 32
    state = (state * 0xD6E8FEB86659FD93) & whole
    return ((state ^ (state >> 29)) >> 32) % buckets
