"""The prior variance that genkin-lewis-madigan-2004 calls norm-based (eq. 29)."""

from __future__ import annotations

import numpy as np

from postil.common.types import Floats
from postil.features.selection import Selection
from postil.learn.job import Design
from postil.learn.strength import Strengths


def norm_based(
    design: Design, documents: Floats, categories: int, selection: Selection | None
) -> Strengths:
    """σ² = d/u: d the terms of a category and the constant, u the documents' mean squared norm.

    Norms are of the terms that the category may use. The paper's vectors have a constant feature as
    well, and it does not say whether u has it; here it is left out, since with it the printed
    numbers for 5 selected terms are far away. ``documents`` are the documents' weights. Without any
    such term leave u at 0: then σ² is d. Cost: one pass over the non-zeros, and one over the
    selected terms.
    """
    columns = design.columns.copy()
    columns.data = np.square(columns.data, dtype=np.float64)
    squares = np.asarray(documents @ columns).ravel() / max(documents.sum(), 1e-300)
    if selection is None:
        pairs = [(design.terms, float(squares.sum()))] * categories
    else:
        lists = [selection[category] for category in range(categories)]
        pairs = [(len(terms), float(squares[terms].sum())) for terms in lists]
    variances = [(terms + 1) / (norm if norm > 0 else 1.0) for terms, norm in pairs]
    return Strengths("prior_variance", np.array(variances, dtype=np.float64))
