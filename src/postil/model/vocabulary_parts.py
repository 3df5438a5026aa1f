"""A vocabulary in a file: all terms in one run of UTF-8, the end of each, and their counts."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil import _native
from postil.errors import InputError
from postil.model.integers import check_below, check_starts, narrowed
from postil.model.settings import checked
from postil.model.tensors import Parts, Tensors
from postil.vectors.fields import Fields
from postil.vectors.vocabulary import Vocabulary

TEXT, ENDS, SPACES = "vocabulary.bytes", "vocabulary.ends", "vocabulary.spaces"
DOCUMENTS, OCCURRENCES = "vocabulary.documents", "vocabulary.occurrences"
_SCHEMA = {"terms": int, "total": int}


def vocabulary_to_parts(vocabulary: Vocabulary) -> Parts:
    """Take a vocabulary apart; spaces (the field of each term) only where fields are apart."""
    encoded = [term.encode("utf-8") for term in vocabulary.native.terms()]
    ends = np.cumsum([len(term) for term in encoded], dtype=np.int64)
    arrays = {
        TEXT: np.frombuffer(b"".join(encoded), dtype=np.uint8),
        ENDS: narrowed(ends),
        DOCUMENTS: narrowed(vocabulary.documents),
        OCCURRENCES: narrowed(vocabulary.occurrences),
    }
    if vocabulary.fields.apart:
        arrays[SPACES] = narrowed(vocabulary.native.spaces())
    return Parts({"terms": len(vocabulary), "total": vocabulary.total}, arrays)


def vocabulary_from_parts(settings: object, tensors: Tensors, fields: Fields) -> Vocabulary:
    """Restore a vocabulary; about a second for a million terms, most of it their table."""
    found = checked(settings, _SCHEMA, "vocabulary")
    count, total = found["terms"], found["total"]
    terms = _terms(tensors.take(TEXT, "u", None), tensors.take(ENDS, "u", count))
    spaces = _spaces(tensors, fields, count)
    documents = tensors.take(DOCUMENTS, "u", count).astype(np.uint64)
    occurrences = tensors.take(OCCURRENCES, "u", count).astype(np.uint64)
    if (documents > total).any() or (occurrences < documents).any():
        raise InputError(f"a term is held by more documents than {total}, or than it occurs")
    native = _native.Vocabulary(spaces, terms)  # refuses a term that stands twice
    return Vocabulary(lambda: native, documents, occurrences, total, fields)


def _terms(text: NDArray[Any], ends: NDArray[Any]) -> list[str]:
    if text.dtype != np.uint8:
        raise InputError(f"{TEXT!r} should be of bytes, is of {text.dtype}")
    starts = np.zeros(len(ends) + 1, dtype=np.uint64)
    starts[1:] = ends
    check_starts(starts, len(text), ENDS)
    if (starts[1:] == starts[:-1]).any():
        raise InputError(f"{ENDS!r} has an empty term")
    content = text.tobytes()
    # A cut within a character shows itself: no part of one is UTF-8.
    return [content[begin:end].decode("utf-8") for begin, end in pairwise(starts.tolist())]


def _spaces(tensors: Tensors, fields: Fields, count: int) -> list[int]:
    if not fields.apart:
        return [0] * count
    spaces = tensors.take(SPACES, "u", count)
    check_below(spaces, len(fields.names), SPACES)
    found: list[int] = spaces.tolist()
    return found
