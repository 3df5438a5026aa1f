"""A fixed tenth of the test documents of RCV1-v2.

genkin-lewis-madigan-2004 (section 5.2.2) tested on a fixed random subset of 77,993 of the 781,265
test documents, which was not published. This one has as many: each document number is mixed
with a seed into 64 bits, and the documents with the smallest results are taken. Which these are
depends on the numbers alone, not on the order or the packing of the files.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nsmallest

SIZE = 77_993
SEED = 2004
FIRST_TEST_DOCUMENT = 26_151
"""The LYRL2004 split is by time, and documents are numbered in its order."""

_MASK = (1 << 64) - 1


def sample_key(document: int) -> int:
    """Mix a document's number with the seed; different numbers give different keys.

    The steps are those of the generator SplitMix64: each can be undone, so that no two of 2⁶⁴
    numbers meet.
    """
    key = (document + SEED * 0x9E3779B97F4A7C15) & _MASK
    key = ((key ^ key >> 30) * 0xBF58476D1CE4E5B9) & _MASK
    key = ((key ^ key >> 27) * 0x94D049BB133111EB) & _MASK
    return key ^ key >> 31


def sample_bar(documents: Iterable[int], size: int | None = None) -> int:
    """The largest key that is in the sample of ``size`` (by default ``SIZE``) test documents.

    ``documents`` are all of the collection, in any order. Memory grows with the sample; time is
    linear in the documents, with the logarithm of the sample's size at worst.
    """
    keys = (sample_key(document) for document in documents if document >= FIRST_TEST_DOCUMENT)
    return max(nsmallest(SIZE if size is None else size, keys), default=-1)
