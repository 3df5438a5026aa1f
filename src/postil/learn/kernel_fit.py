"""What learning with a kernel gives: scores are sums of products with training documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.errors import UsageError
from postil.learn.gram import BLOCK, as_dense, as_rows, products_of
from postil.learn.kernels import KernelFunction, Precomputed
from postil.learn.report import FitReport

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class KernelFit:
    """What learning with a kernel gives.

    The score of category c is ``Σᵢ factors[c, i] K(x, supportᵢ) + intercepts[c]``. Only documents
    with a factor in some category are kept: ``support`` holds them (None if the kernel is
    precomputed), ``support_rows`` their places among the training documents. A report's
    ``nonzeros`` is the number of its category's support documents.
    """

    names: tuple[str, ...]
    kernel: KernelFunction
    support: Any
    support_rows: Rows
    factors: sp.csr_matrix[Any]
    intercepts: Floats
    reports: tuple[FitReport, ...]
    documents: int
    starts: tuple[Floats, ...] = ()

    def scores(self, new: Any) -> Floats:  # noqa: ANN401 - sparse or dense, or products
        """Scores of documents: documents × categories.

        With a precomputed kernel ``new`` is the products of new documents (rows) with all
        training documents (columns). Cost: a product for each new and each support document.
        """
        new = as_rows(new)
        if isinstance(self.kernel, Precomputed) and new.shape[1] != self.documents:
            raise UsageError(
                f"products with all {self.documents} training documents are needed, one column "
                f"each, and there are {new.shape[1]} columns"
            )
        result = np.empty((new.shape[0], len(self.names)))
        for begin in range(0, new.shape[0], BLOCK):
            block = new[begin : begin + BLOCK]
            result[begin : begin + BLOCK] = self._products(block) @ self.factors.T
        return result + self.intercepts

    def _products(self, block: Any) -> Floats:  # noqa: ANN401 - sparse or dense
        if isinstance(self.kernel, Precomputed):
            return as_dense(block[:, self.support_rows])
        return products_of(self.kernel, block, self.support)
