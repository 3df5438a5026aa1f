"""What several papers take of Reuters-21578 in its ModApte split."""

from __future__ import annotations

TOP_TEN = (
    "earn",
    "acq",
    "money-fx",
    "grain",
    "crude",
    "trade",
    "interest",
    "ship",
    "wheat",
    "corn",
)
"""The ten categories with the most training documents, in the order of the printed rows."""
