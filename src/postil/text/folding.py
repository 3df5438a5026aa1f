"""The text steps in Python, for single words such as those of a stop list.

Texts themselves are normalised by the native tokenizer, to the same result.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Literal

Case = Literal["keep", "lower", "casefold"]

_CHANGE: dict[Case, Callable[[str], str]] = {
    "keep": str,
    "lower": str.lower,
    "casefold": str.casefold,
}


def normalise(text: str, case: Case, fold_accents: bool) -> str:
    """Change case, then fold accents: the order scikit-learn's vectorizers use."""
    text = _CHANGE[case](text)
    if not fold_accents or text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(char for char in decomposed if not unicodedata.combining(char))
