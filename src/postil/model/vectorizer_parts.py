"""A vectorizer in a file: from an analyzer's spec to the idf of every term."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.errors import InputError, UsageError
from postil.model.settings import NONE, Kinds, checked, texts
from postil.model.tensors import Arrays, Parts, Tensors
from postil.model.vocabulary_parts import vocabulary_from_parts, vocabulary_to_parts
from postil.text.analyzer import Analyzer
from postil.text.spec import AnalyzerSpec
from postil.vectors.fields import Fields
from postil.vectors.vectorizer import MOST_MODEL_BUCKETS, Vectorizer
from postil.vectors.vocabulary import TermBounds
from postil.vectors.weighting import Weighting

IDF = "vectorizer.idf"
# One more than the logarithm of more documents than there can be.
LARGEST_IDF = 64

_SCHEMA: dict[str, Kinds] = {
    "analyzer": dict,
    "bounds": dict,
    "buckets": (int, NONE),
    "documents": int,
    "fields": dict,
    "given_vocabulary": bool,
    "vocabulary": (dict, NONE),
    "weighting": dict,
}
_ANALYZER = {"spec": str, "stop_lists": dict}
_FIELDS = {"names": list, "apart": bool}
_WEIGHTING = {"tf": str, "idf": str, "norm": str, "constant": bool}
_BOUNDS: dict[str, Kinds] = {
    "min_df": (int, float),
    "max_df": (int, float),
    "max_terms": (int, NONE),
    "min_occurrences": int,
}


def check_usable(vectorizer: Vectorizer) -> None:
    """Refuse a vectorizer that has not been fitted, or with more hash buckets than a model has."""
    _check_buckets(vectorizer.buckets)
    untaught = vectorizer.vocabulary is None and vectorizer.buckets is None
    if untaught or (vectorizer.weighting.idf != "none" and vectorizer.idf is None):
        raise UsageError("the vectorizer has not seen any text yet: call fit first")


def _check_buckets(buckets: int | None) -> None:
    if buckets is not None and buckets > MOST_MODEL_BUCKETS:
        raise UsageError(
            f"there are {buckets} hash buckets, and a model has at most {MOST_MODEL_BUCKETS}: take "
            "fewer, or a vocabulary"
        )


def vectorizer_to_parts(vectorizer: Vectorizer) -> Parts:
    """Take a fitted vectorizer apart, with the words of its stop lists.

    The number of threads is nothing of the model's.
    """
    check_usable(vectorizer)
    arrays: Arrays = {} if vectorizer.idf is None else {IDF: vectorizer.idf}
    vocabulary = None
    if vectorizer.vocabulary is not None:
        vocabulary, found = vocabulary_to_parts(vectorizer.vocabulary)
        arrays |= found
    settings = {
        "analyzer": _analyzer_settings(vectorizer.analyzer),
        "bounds": asdict(vectorizer.bounds),
        "buckets": vectorizer.buckets,
        "documents": vectorizer.documents,
        "fields": {"names": list(vectorizer.fields.names), "apart": vectorizer.fields.apart},
        "given_vocabulary": vectorizer.fixed_vocabulary,
        "vocabulary": vocabulary,
        "weighting": asdict(vectorizer.weighting),
    }
    return Parts(settings, arrays)


def vectorizer_from_parts(settings: object, tensors: Tensors, threads: int) -> Vectorizer:
    """Restore a vectorizer; cost grows with its terms."""
    found = checked(settings, _SCHEMA, "vectorizer")
    if (found["vocabulary"] is None) == (found["buckets"] is None):
        raise InputError("vectorizer has a vocabulary or hash buckets, one of the two")
    # Buckets are a number and nothing else: all other sizes are those of tensors or lists.
    _check_buckets(found["buckets"])
    fields = _fields(found["fields"])
    vectorizer = Vectorizer(
        _analyzer(found["analyzer"]),
        fields=fields,
        weighting=Weighting(**checked(found["weighting"], _WEIGHTING, "weighting")),
        bounds=TermBounds(**checked(found["bounds"], _BOUNDS, "bounds")),
        buckets=found["buckets"],
        threads=threads,
    )
    if found["vocabulary"] is not None:
        vectorizer.vocabulary = vocabulary_from_parts(found["vocabulary"], tensors, fields)
        vectorizer.fixed_vocabulary = found["given_vocabulary"]
    idf = None if vectorizer.weighting.idf == "none" else _idf(tensors, vectorizer.terms)
    # What pickling keeps: the table, the numbers, and that they are final.
    state = {"idf": idf, "documents": found["documents"], "_native_weighting": True}
    vectorizer.__setstate__(vectorizer.__getstate__() | state)
    return vectorizer


def _analyzer_settings(analyzer: Analyzer) -> dict[str, Any]:
    return {"spec": str(analyzer.spec), "stop_lists": analyzer.resources}


def _analyzer(settings: object) -> Analyzer:
    found = checked(settings, _ANALYZER, "analyzer")
    spec = AnalyzerSpec.parse(found["spec"])
    lists = {name: texts(words, f"stop list {name}") for name, words in found["stop_lists"].items()}
    # A list that is absent here would be read from wherever the spec says: any file at all.
    if lists.keys() != set(spec.stop_lists):
        raise InputError("analyzer does not have the words of exactly its stop lists")
    return Analyzer(spec, lists)


def _fields(settings: object) -> Fields:
    found = checked(settings, _FIELDS, "fields")
    return Fields(texts(found["names"], "fields.names"), found["apart"])


def _idf(tensors: Tensors, terms: int) -> NDArray[np.float64]:
    idf = tensors.take(IDF, "f8", terms)
    if not ((idf >= 0) & (idf <= LARGEST_IDF)).all():
        raise InputError(f"{IDF!r} holds numbers that are not from 0 to {LARGEST_IDF}")
    return idf
