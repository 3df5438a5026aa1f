"""The product of memberships and terms, a block of categories at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from postil.features.inputs import Csr, Floats, Indices

# Entries of the product held at once: about 100 MB with everything a measure needs for them.
BLOCK_ENTRIES = 1 << 20


class Block(NamedTuple):
    """The touched terms of neighbouring categories: a slice of the sparse product ``Yᵀ·X``."""

    categories: range
    offsets: Indices
    terms: Indices
    within: Floats

    def stretch(self, category: int) -> slice:
        """Where ``category`` lies in ``terms`` and ``within``."""
        row = category - self.categories.start
        return slice(int(self.offsets[row]), int(self.offsets[row + 1]))


def product_blocks(by_category: Csr, matrix: Csr, entries: int = BLOCK_ENTRIES) -> Iterator[Block]:
    """Walk through ``Yᵀ·X`` in blocks of at most about ``entries`` stored entries.

    Time is the sum over documents of labels times terms; a block also pays once for the width
    of X, so blocks are never narrower than that.
    """
    upper = _touched_at_most(by_category, matrix)
    for categories in _ranges(upper, max(entries, matrix.shape[1])):
        product = cast("Csr", by_category[categories.start : categories.stop] @ matrix)
        yield Block(
            categories, product.indptr, product.indices, product.data.astype(np.float64, copy=False)
        )


def _touched_at_most(by_category: Csr, matrix: Csr) -> NDArray[np.int64]:
    """For each category the entries of its documents together, at most all terms."""
    lengths = np.concatenate([[0], np.diff(matrix.indptr)[by_category.indices].cumsum()])
    totals = np.diff(lengths[by_category.indptr])
    return np.minimum(totals, matrix.shape[1]).astype(np.int64)


def _ranges(sizes: NDArray[np.int64], limit: int) -> Iterator[range]:
    """Neighbouring categories whose sizes add up to ``limit`` at most; a block is never empty."""
    start, total = 0, 0
    for category, size in enumerate(sizes.tolist()):
        if total + size > limit and category > start:
            yield range(start, category)
            start, total = category, 0
        total += size
    if start < len(sizes):
        yield range(start, len(sizes))
