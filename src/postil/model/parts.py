"""The combination of a model: in memory, and in a file of format version 2.

The projection of a model: in memory, and in a file of format version 2.

What a model keeps beyond scoring so that new documents can be learned on top of it.

``units`` turn weights that were learned by factors back into the exponents θ that learning moves
(zhang-2000, section 2.2): w = unit (exp θ - exp -θ), or unit exp θ where weights are positive.
Weights that were learned by sums need none. ``selection`` holds the terms that each category may
use, where the recipe chose some: a term whose weight is 0 may be one of them.

A vocabulary in a file: all terms in one run of UTF-8, the end of each, and their counts.

A vectorizer in a file: from an analyzer's spec to the idf of every term.
"""

from __future__ import annotations

from dataclasses import asdict
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postil import _native
from postil.common.types import Floats
from postil.decide.calibration import Softmax
from postil.errors import InputError, UsageError
from postil.features.selection import Selection
from postil.learn.combining import COMBINATIONS, Combination
from postil.model.settings import NONE, Kinds, checked, texts
from postil.model.tensors import (
    Arrays,
    Parts,
    Tensors,
    check_below,
    check_starts,
    narrowed,
    prefixed,
    smallest_type,
)
from postil.text.analyzer import Analyzer
from postil.text.spec import AnalyzerSpec
from postil.vectors.fields import Fields
from postil.vectors.projection import Projection
from postil.vectors.vectorizer import MOST_MODEL_BUCKETS, Vectorizer
from postil.vectors.vocabulary import TermBounds, Vocabulary
from postil.vectors.weighting import Weighting

if TYPE_CHECKING:
    from postil.model.model import Model


GROUP = "combination"
_COMBINATION_SCHEMA = {"kind": str, "settings": dict}


def check_combination(model: Model) -> None:
    """Refuse a combination for other categories, and what does not go with any."""
    combination = model.combination
    if combination is None:
        return
    check_categories(combination, model.categories)
    if isinstance(model.calibration, Softmax):
        raise UsageError(
            "the calibration softmax takes scores as they are learned together, and these are "
            f"combined ({combination.kind}): take platt or isotonic"
        )
    for name in ("variances", "units", "selection"):
        if getattr(model, name) is not None:
            raise UsageError(
                f"{name} are of categories that have one row of weights each, and these are "
                f"combined ({combination.kind})"
            )


def check_categories(combination: Combination, names: int) -> None:
    """Refuse a combination for another number of categories than there are names."""
    if combination.categories != names:
        raise UsageError(
            f"the combination is for {combination.categories} categories, the names for {names}"
        )


def combination_to_parts(combination: Combination) -> Parts:
    """Take a combination apart."""
    settings, arrays = combination.to_parts()
    return Parts({"kind": combination.kind, "settings": settings}, prefixed(GROUP, arrays))


def combination_from_parts(settings: object, tensors: Tensors) -> Combination:
    """Restore a combination; one of an unknown kind, or that holds more, is refused."""
    found = checked(settings, _COMBINATION_SCHEMA, GROUP)
    if found["kind"] not in COMBINATIONS:
        raise InputError(f"scores are combined in an unknown way, {found['kind']!r}")
    arrays = tensors.group(GROUP)
    combination = COMBINATIONS[found["kind"]](found["settings"], arrays)
    kept, kept_arrays = combination.to_parts()
    if kept != found["settings"] or kept_arrays.keys() != arrays.keys():
        raise InputError("combination holds more, or other things, than is known")
    return combination


VECTORS, VALUES = "projection.term_vectors", "projection.singular_values"
_PROJECTION_SCHEMA = {"length": float}


def check_projection(model: Model) -> None:
    """Refuse a projection of other terms, and what does not go with any."""
    projection = model.projection
    if projection is None:
        return
    if projection.terms != model.vectorizer.columns:
        raise UsageError(
            f"the projection is of {projection.terms} terms, and the vectorizer has "
            f"{model.vectorizer.columns} columns"
        )
    if projection.length is None:
        raise UsageError(
            "a projection without a length changes no score: fold its weights, and leave it out"
        )
    for name in ("variances", "units", "selection"):
        if getattr(model, name) is not None:
            raise UsageError(
                f"{name} are of weights learned term by term, and these come from a projection"
            )


def projection_to_parts(projection: Projection) -> Parts:
    """Take a projection apart; nothing is copied."""
    return Parts({"length": projection.length}, prefixed("projection", projection.to_arrays()))


def projection_from_parts(settings: object, tensors: Tensors, columns: int) -> Projection:
    """Restore a projection of so many columns; its directions stay where they are."""
    length = checked(settings, _PROJECTION_SCHEMA, "projection")["length"]
    values = tensors.take(VALUES, "f8", None)
    vectors = tensors.take(VECTORS, "f4", columns, len(values))
    return Projection.from_arrays({"term_vectors": vectors, "singular_values": values}, length)


UNITS = "units"
STARTS, TERMS = "selection.starts", "selection.terms"


def checked_units(values: ArrayLike, categories: int) -> Floats:
    """One number above 0 for each category."""
    units = np.array(values, dtype=np.float64)
    if units.shape != (categories,) or not (np.isfinite(units) & (units > 0)).all():
        raise UsageError("units of weights are one finite number above 0 for each category")
    units.flags.writeable = False
    return units


def check_selection(selection: Selection, categories: int, columns: int) -> None:
    """Refuse terms of other categories, or of other columns, than the model has."""
    if (len(selection), selection.terms) != (categories, columns):
        raise UsageError(
            f"the terms chosen are for {len(selection)} categories of {selection.terms} columns, "
            f"and the model has {categories} and {columns}"
        )


def update_arrays(model: Model) -> Arrays:
    """What a file holds of it; nothing where a model keeps nothing."""
    arrays: Arrays = {}
    if model.units is not None:
        arrays[UNITS] = model.units
    if model.selection is not None:
        arrays[STARTS] = narrowed(model.selection.offsets)
        arrays[TERMS] = model.selection.ids.astype(smallest_type(model.selection.terms))
    return arrays


def units_from(tensors: Tensors, categories: int) -> Floats | None:
    """The units of a file, if it has any; the model looks at them."""
    return tensors.take(UNITS, "f8", categories) if tensors.has(UNITS) else None


def selection_from(tensors: Tensors, categories: int, columns: int) -> Selection | None:
    """The chosen terms of a file, if it has any: rising within each category."""
    if not tensors.has_group("selection"):
        return None
    terms = tensors.take(TERMS, "u", None)
    starts = tensors.take(STARTS, "u", categories + 1)
    check_starts(starts, len(terms), STARTS)
    check_below(terms, columns, TERMS)
    rising = terms[1:] > terms[:-1]
    borders = starts[(starts > 0) & (starts < len(terms))]
    rising[borders.astype(np.int64) - 1] = True  # from one category to the next it may fall
    if not rising.all():
        raise InputError(f"{TERMS!r} does not rise within every category")
    return Selection(terms.astype(np.int32), starts.astype(np.int64), columns)


TEXT, ENDS, SPACES = "vocabulary.bytes", "vocabulary.ends", "vocabulary.spaces"
DOCUMENTS, OCCURRENCES = "vocabulary.documents", "vocabulary.occurrences"
_VOCABULARY_SCHEMA = {"terms": int, "total": int}


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
    found = checked(settings, _VOCABULARY_SCHEMA, "vocabulary")
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


IDF = "vectorizer.idf"
# One more than the logarithm of more documents than there can be.
LARGEST_IDF = 64

_VECTORIZER_SCHEMA: dict[str, Kinds] = {
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
    found = checked(settings, _VECTORIZER_SCHEMA, "vectorizer")
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
