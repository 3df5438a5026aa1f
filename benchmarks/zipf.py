"""Texts made up for measuring growth: words drawn by Zipf's law."""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_lowercase

import numpy as np

SEED = 20_000
SHIFT = 2.7
"""Mandelbrot's shift of the ranks, about that of English."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of an artificial corpus: documents, tokens of each, and words of the dictionary."""

    documents: int
    length: int
    dictionary: int


def zipf_texts(shape: Shape) -> list[str]:
    """Make texts; the same shape always gives the same ones.

    The probability of the word of rank r is proportional to 1 / (r + 2.7). Frequent words are
    short.
    """
    generator = np.random.default_rng(SEED)
    chances = 1.0 / (np.arange(shape.dictionary) + 1 + SHIFT)
    steps = np.cumsum(chances / chances.sum())
    words = np.asarray([word_of(rank) for rank in range(shape.dictionary)], dtype=object)
    texts = []
    for _ in range(shape.documents):
        ranks = np.searchsorted(steps, generator.random(shape.length))
        texts.append(" ".join(words[np.minimum(ranks, shape.dictionary - 1)]))
    return texts


def word_of(rank: int) -> str:
    """Spell a rank: two letters or more, each rank its own word."""
    letters = []
    rank += len(ascii_lowercase)
    while rank >= 0:
        rank, letter = divmod(rank, len(ascii_lowercase))
        letters.append(ascii_lowercase[letter])
        rank -= 1
    return "".join(letters)
