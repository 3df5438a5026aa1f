"""What the columns of a vectorizer are called where people read them."""

from __future__ import annotations

from postil.vectors.vectorizer import Vectorizer

CONSTANT = "(constant)"


def column_name(vectorizer: Vectorizer, column: int) -> str:
    """The term of a column, ``bucket 17`` where terms are hashed, or the constant."""
    if column >= vectorizer.terms:
        return CONSTANT
    if vectorizer.vocabulary is None:
        return f"bucket {column}"
    return vectorizer.vocabulary.names[column]
