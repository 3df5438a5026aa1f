"""The shared matrix of documents and terms, by rows and by columns."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from postil import _native
from postil.features.inputs import Csr, Sparse, checked_weights


class Design:
    """A matrix that all categories and threads share; never copied for one of them.

    Memory: 16 bytes for each non-zero, in both orders together. ``rows`` is canonical CSR of
    float32; making the columns costs one pass.
    """

    def __init__(self, matrix: Sparse) -> None:
        with np.errstate(over="ignore"):
            single = checked_weights(matrix).astype(np.float32, copy=False)
        self.rows: Csr = checked_weights(single)  # finite in single precision too

    @property
    def documents(self) -> int:
        """The number of rows."""
        return int(self.rows.shape[0])

    @property
    def terms(self) -> int:
        """The number of columns."""
        return int(self.rows.shape[1])

    @cached_property
    def columns(self) -> Any:  # noqa: ANN401 - a scipy CSC matrix
        """The same matrix by columns."""
        return self.rows.tocsc()

    @cached_property
    def native(self) -> _native.Design:
        """What the native core looks at: these arrays, not copies of them."""
        return _native.Design(*_arrays(self.rows), *_arrays(self.columns))


def _arrays(matrix: Any) -> tuple[Any, Any, Any]:  # noqa: ANN401 - CSR or CSC
    return (
        matrix.indptr.astype(np.int64, copy=False),
        matrix.indices.astype(np.int32, copy=False),
        matrix.data,
    )
