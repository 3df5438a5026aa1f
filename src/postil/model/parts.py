"""The parts of a model in a file: one table says how each is written and read back.

The metadata of the container holds ``format``, ``format_version``, the ``manifest`` (JSON, keys
sorted) and its ``checksum``. The manifest holds ``checksums`` (a CRC-32 for each tensor), the plain
values of a model, and the settings of each part, null where a model lacks it. The tensors are:

==============================  ===========  ====================================================
``vocabulary.bytes``            U8           the terms in UTF-8, one after another
``vocabulary.ends``             U8 to U64    the end of each
``vocabulary.spaces``           U8           the field and part of each, if there are several
``vocabulary.documents``        U8 to U64    the training documents that hold each
``vocabulary.occurrences``      U8 to U64    the occurrences of each in them
``vectorizer.idf``              F64          by term or bucket, where the weighting has an idf
``weights.values``              F32          sparse: by row; dense: rows × entries
``weights.indices``             U8 to U32    sparse: the entry of each value
``weights.starts``              U8 to U64    sparse: the begin of each row, and the end
``intercepts``                  F64          by row of the combination, or by category
``variances.values``            F32          of the weights' values, in their order
``variances.intercepts``        F64          by category
``units``                       F64          by category, of weights learned by factors
``selection.terms``             U8 to U32    the terms that each category may use
``selection.starts``            U8 to U64    the begin of each category's, and the end
``projection.term_vectors``     F32          terms × directions
``projection.singular_values``  F64          of the directions, falling
``combination.*``               I32          the nodes of trees
``combination.support``         I32          of a kernel: the row of weights of each factor
``combination.factors``         F64          of a kernel: by category
``combination.starts``          I64          the begin of each category's factors, and the end
``combination.intercepts``      F64          by category
``combination.id_bytes``        U8           the ids of the support documents in UTF-8
``combination.id_ends``         I64          the end of each
``decision.*``                  F64, U8      the arrays of the decision rule, by category
``calibration.*``               F64, I64     the arrays of the calibration
``training.members``            U8 to U64    the training documents of each category
==============================  ===========  ====================================================

``units`` turn weights that were learned by factors back into the exponents θ that learning moves
(zhang-2000, section 2.2): w = unit (exp θ - exp -θ), or unit exp θ where weights are positive.

Analyzer specs are in the form of :func:`postil.text.spec.to_stored`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from postil import _native
from postil.decide.calibration import calibration_from_parts, calibration_to_parts
from postil.decide.decision import DecisionRule
from postil.errors import InputError, SpecError
from postil.features.selection import Selection
from postil.learn.combining import COMBINATIONS, Combination
from postil.model.model import Model, TrainingFingerprint, check_buckets, check_combination
from postil.model.stored import (
    NONE,
    Kinds,
    Parts,
    Tensors,
    check_below,
    check_kind,
    check_rows,
    check_starts,
    checked,
    narrowed,
    prefixed,
    smallest_type,
    texts,
)
from postil.model.weights import Weights, weights_from_parts, weights_to_parts
from postil.text.analyzer import Analyzer
from postil.text.spec import AnalyzerSpec, from_stored, to_stored
from postil.vectors.fields import Fields
from postil.vectors.projection import Projection
from postil.vectors.vectorizer import Vectorizer
from postil.vectors.vocabulary import TermBounds, Vocabulary
from postil.vectors.weighting import LARGEST_SCALE, Weighting

Settings = dict[str, Any]
Known = Mapping[str, Any]

# One more than the logarithm of more documents than there can be.
LARGEST_IDF = 64

_PLAIN: dict[str, Kinds] = {
    "created": (str, NONE),
    "created_by": str,
    "evaluation": (dict, NONE),
    "method": dict,
    "names": list,
    "recipe": dict,
    "reports": list,
}
_VECTORIZER: dict[str, Kinds] = {
    "analyzer": dict,
    "bounds": dict,
    "buckets": (int, NONE),
    "documents": int,
    "fields": dict,
    "given_vocabulary": bool,
    "vocabulary": (dict, NONE),
    "weighting": dict,
}
_WEIGHTING = {"tf": str, "idf": str, "norm": str, "constant": bool}
_BOUNDS: dict[str, Kinds] = {
    "min_df": (int, float),
    "max_df": (int, float),
    "max_terms": (int, NONE),
    "min_occurrences": int,
}
_TRAINING = {"corpus": str, "documents": int, "sha256": str}


class Part(NamedTuple):
    """The functions that write a part of a model to a file and read it back.

    ``write`` is only called if the model has the part. ``read`` takes the settings, the tensors
    of the file, and the parts that were read before.
    """

    write: Callable[[Model], Parts]
    read: Callable[[Settings, Tensors, Known], object]
    optional: bool = False


def to_parts(model: Model) -> Parts:
    """Take a model apart; arrays are copied only where they are stored narrower."""
    plain = {name: getattr(model, name) for name in _PLAIN}
    plain["recipe"] = _renamed_in(model.recipe, to_stored)
    settings: Settings = {**plain, "names": list(model.names), "reports": list(model.reports)}
    arrays = {"intercepts": model.intercepts}
    for name, part in PARTS.items():
        absent = model.__dict__[name] is None
        settings[name], own = (None, {}) if absent else part.write(model)
        arrays |= own
    return Parts(settings, arrays)


def from_parts(settings: Settings, arrays: dict[str, NDArray[Any]], threads: int) -> Model:
    """Put a model together; raise an error that names the first thing that does not fit."""
    kinds = {name: (dict, NONE) if part.optional else dict for name, part in PARTS.items()}
    found = checked(settings, {**_PLAIN, **kinds}, "the manifest")
    for at, report in enumerate(found["reports"]):
        check_kind(report, dict, f"reports[{at}]")
    tensors = Tensors(arrays)
    known: dict[str, Any] = {name: found[name] for name in _PLAIN}
    known["recipe"] = _renamed_in(found["recipe"], from_stored)
    known |= {"names": texts(found["names"], "names"), "threads": threads}
    for name, part in PARTS.items():
        absent = found[name] is None
        known[name] = None if absent else part.read(found[name], tensors, known)
        if name == "combination":  # no array confirms the number of rivals
            check_combination(known[name], len(known["names"]))
    known["intercepts"] = tensors.take("intercepts", "f8", _rows(known))
    known["variances"], known["intercept_variances"] = known["variances"] or (None, None)
    del known["threads"]
    model = Model(**known)
    tensors.check_all_taken()
    return model


def _renamed_in(recipe: Mapping[str, Any], renamed: Callable[[str], str]) -> Mapping[str, Any]:
    """Return the recipe with its analyzer renamed to or from the form of model files."""
    representation = recipe.get("representation")
    if not isinstance(representation, dict) or not isinstance(representation.get("analyzer"), str):
        return recipe
    with suppress(SpecError):  # a recipe is only read when it is used
        analyzer = renamed(representation["analyzer"])
        return {**recipe, "representation": {**representation, "analyzer": analyzer}}
    return recipe


def _rows(known: Known) -> int:
    """Return the number of rows of weights."""
    combination: Combination | None = known["combination"]
    return len(known["names"]) if combination is None else combination.rows


def _whole(
    name: str,
    write: Callable[[Any], tuple[Settings, Any]],
    restore: Callable[[Settings, Any], object],
    *,
    optional: bool = False,
) -> Part:
    """Return the part of an object that has its own settings and arrays, and restores itself."""

    def written(model: Model) -> Parts:
        settings, arrays = write(getattr(model, name))
        return Parts(settings, prefixed(name, arrays))

    def read(settings: Settings, tensors: Tensors, _: Known) -> object:
        arrays = tensors.group(name)
        restored = restore(settings, arrays)
        same_settings, same_arrays = write(restored)
        if settings != same_settings or arrays.keys() != same_arrays.keys():
            raise InputError(f"{name} holds settings or arrays that are not known")
        return restored

    return Part(written, read, optional)


def _combination_to_parts(combination: Combination) -> tuple[Settings, Any]:
    settings, arrays = combination.to_parts()
    return {"kind": combination.kind, "settings": settings}, arrays


def _combination_from_parts(settings: Settings, arrays: Any) -> Combination:  # noqa: ANN401
    found = checked(settings, {"kind": str, "settings": dict}, "combination")
    if found["kind"] not in COMBINATIONS:
        raise InputError(f"scores are combined in an unknown way, {found['kind']!r}")
    return COMBINATIONS[found["kind"]](found["settings"], arrays)


def _write_vectorizer(model: Model) -> Parts:
    """Take a fitted vectorizer apart, with the words of its stop lists, without its threads."""
    vectorizer = model.vectorizer
    arrays = {} if vectorizer.idf is None else {"vectorizer.idf": vectorizer.idf}
    vocabulary = None
    if vectorizer.vocabulary is not None:
        vocabulary, found = _vocabulary_to_parts(vectorizer.vocabulary)
        arrays |= found
    analyzer, fields = vectorizer.analyzer, vectorizer.fields
    also = {"also": list(fields.also)} if fields.also else {}
    settings = {
        "analyzer": {"spec": to_stored(str(analyzer.spec)), "stop_lists": analyzer.resources},
        "bounds": asdict(vectorizer.bounds),
        "buckets": vectorizer.buckets,
        "documents": vectorizer.documents,
        "fields": {"names": list(fields.names), "apart": fields.apart, **also},
        "given_vocabulary": vectorizer.fixed_vocabulary,
        "vocabulary": vocabulary,
        "weighting": asdict(vectorizer.weighting),
    }
    return Parts(settings, arrays)


def _read_vectorizer(settings: Settings, tensors: Tensors, known: Known) -> Vectorizer:
    """Restore a vectorizer; cost grows with its terms."""
    found = checked(settings, _VECTORIZER, "vectorizer")
    if (found["vocabulary"] is None) == (found["buckets"] is None):
        raise InputError("vectorizer must have either a vocabulary or hash buckets")
    check_buckets(found["buckets"])  # no array confirms them
    own = checked(
        {"also": [], **found["fields"]}, {"names": list, "apart": bool, "also": list}, "fields"
    )
    fields = Fields(
        texts(own["names"], "fields.names"), own["apart"], texts(own["also"], "fields.also")
    )
    vectorizer = Vectorizer(
        _analyzer(found["analyzer"]),
        fields=fields,
        weighting=Weighting(**checked(found["weighting"], _WEIGHTING, "weighting")),
        bounds=TermBounds(**checked(found["bounds"], _BOUNDS, "bounds")),
        buckets=found["buckets"],
        threads=known["threads"],
    )
    learned: dict[str, Any] = {}
    if found["vocabulary"] is not None:
        vocabulary = _vocabulary_from_parts(found["vocabulary"], tensors, vectorizer.fields)
        learned = {"vocabulary": vocabulary, "fixed_vocabulary": found["given_vocabulary"]}
    if vectorizer.learns_idf:
        terms = len(learned["vocabulary"]) if learned else found["buckets"]
        learned["idf"] = tensors.take("vectorizer.idf", "f8", terms)
        largest = LARGEST_IDF * (LARGEST_SCALE if vectorizer.fields.parts else 1)
        if not ((learned["idf"] >= 0) & (learned["idf"] <= largest)).all():
            raise InputError(f"'vectorizer.idf' holds numbers that are not from 0 to {largest:g}")
    return vectorizer.with_fit(found["documents"], **learned)


def _analyzer(settings: object) -> Analyzer:
    found = checked(settings, {"spec": str, "stop_lists": dict}, "analyzer")
    spec = AnalyzerSpec.parse(from_stored(found["spec"]))
    lists = {name: texts(words, f"stop list {name}") for name, words in found["stop_lists"].items()}
    # A list that is absent here would be read from whatever file the spec names.
    if lists.keys() != set(spec.stop_lists):
        raise InputError("analyzer does not have the words of exactly its stop lists")
    return Analyzer(spec, lists)


def _vocabulary_to_parts(vocabulary: Vocabulary) -> Parts:
    encoded = [term.encode("utf-8") for term in vocabulary.native.terms()]
    arrays: dict[str, NDArray[Any]] = {
        "bytes": np.frombuffer(b"".join(encoded), dtype=np.uint8),
        "ends": narrowed(np.cumsum([len(term) for term in encoded], dtype=np.int64)),
        "documents": narrowed(vocabulary.documents),
        "occurrences": narrowed(vocabulary.occurrences),
    }
    if vocabulary.fields.has_spaces:
        arrays["spaces"] = narrowed(vocabulary.native.spaces())
    settings = {"terms": len(vocabulary), "total": vocabulary.total}
    return Parts(settings, prefixed("vocabulary", arrays))


def _vocabulary_from_parts(settings: object, tensors: Tensors, fields: Fields) -> Vocabulary:
    """Restore a vocabulary; about a second for a million terms, most of it their table."""
    found = checked(settings, {"terms": int, "total": int}, "vocabulary")
    count, total = found["terms"], found["total"]
    terms = _terms(tensors, count)
    spaces = [0] * count
    if fields.has_spaces:
        numbers = tensors.take("vocabulary.spaces", "u", count)
        check_below(numbers, fields.space_count, "vocabulary.spaces")
        spaces = numbers.tolist()
    documents = tensors.take("vocabulary.documents", "u", count).astype(np.uint64)
    occurrences = tensors.take("vocabulary.occurrences", "u", count).astype(np.uint64)
    if (documents > total).any() or (occurrences < documents).any():
        raise InputError(
            f"a term is in more documents than the {total} there are, or than it has occurrences"
        )
    native = _native.Vocabulary(spaces, terms)  # refuses a repeated term
    return Vocabulary(lambda: native, documents, occurrences, total, fields)


def _terms(tensors: Tensors, count: int) -> list[str]:
    text = tensors.take("vocabulary.bytes", "u", None)
    ends = tensors.take("vocabulary.ends", "u", count)
    if text.dtype != np.uint8:
        raise InputError(f"'vocabulary.bytes' should be of bytes, is of {text.dtype}")
    starts = np.zeros(count + 1, dtype=np.uint64)
    starts[1:] = ends
    check_starts(starts, len(text), "vocabulary.ends")
    if (starts[1:] == starts[:-1]).any():
        raise InputError("'vocabulary.ends' has an empty term")
    content = text.tobytes()
    # A cut within a character raises an error: no part of one is UTF-8.
    return [content[begin:end].decode("utf-8") for begin, end in pairwise(starts.tolist())]


def _read_weights(settings: Settings, tensors: Tensors, known: Known) -> Weights:
    return weights_from_parts(settings, tensors, (_rows(known), known["vectorizer"].columns))


def _write_variances(model: Model) -> Parts:
    assert model.plain_variances is not None
    assert model.intercept_variances is not None
    values, intercepts = model.plain_variances.data, model.intercept_variances
    return Parts({}, {"variances.values": values, "variances.intercepts": intercepts})


def _read_variances(
    settings: Settings, tensors: Tensors, known: Known
) -> tuple[Weights, NDArray[Any]]:
    checked(settings, {}, "variances")
    weights: Weights = known["weights"]
    values = tensors.take("variances.values", "f4", len(weights.data))
    intercepts = tensors.take("variances.intercepts", "f8", weights.shape[0])
    return replace(weights, data=values), intercepts


def _write_units(model: Model) -> Parts:
    assert model.units is not None
    return Parts({}, {"units": model.units})


def _read_units(settings: Settings, tensors: Tensors, known: Known) -> NDArray[Any]:
    checked(settings, {}, "units")
    return tensors.take("units", "f8", len(known["names"]))


def _write_selection(model: Model) -> Parts:
    assert model.selection is not None
    starts = narrowed(model.selection.offsets)
    terms = model.selection.ids.astype(smallest_type(model.selection.terms))
    return Parts({}, {"selection.starts": starts, "selection.terms": terms})


def _read_selection(settings: Settings, tensors: Tensors, known: Known) -> Selection:
    checked(settings, {}, "selection")
    terms = tensors.take("selection.terms", "u", None)
    starts = tensors.take("selection.starts", "u", len(known["names"]) + 1)
    columns = known["vectorizer"].columns
    check_rows(starts, terms, columns, ("selection.starts", "selection.terms"))
    return Selection(terms.astype(np.int32), starts.astype(np.int64), columns)


def _write_projection(model: Model) -> Parts:
    assert model.projection is not None
    arrays = prefixed("projection", model.projection.to_arrays())
    return Parts({"length": model.projection.length}, arrays)


def _read_projection(settings: Settings, tensors: Tensors, known: Known) -> Projection:
    length = checked(settings, {"length": float}, "projection")["length"]
    values = tensors.take("projection.singular_values", "f8", None)
    columns = known["vectorizer"].columns
    vectors = tensors.take("projection.term_vectors", "f4", columns, len(values))
    return Projection.from_arrays(vectors, values, length)


def _write_training(model: Model) -> Parts:
    settings = {name: getattr(model.training, name) for name in _TRAINING}
    return Parts(settings, {"training.members": narrowed(model.training.members)})


def _read_training(settings: Settings, tensors: Tensors, known: Known) -> TrainingFingerprint:
    members = tensors.take("training.members", "u", len(known["names"]))
    return TrainingFingerprint(members=members, **checked(settings, _TRAINING, "training"))


# In the order of reading: a part may need those before it.
PARTS: Mapping[str, Part] = {
    "combination": _whole(
        "combination", _combination_to_parts, _combination_from_parts, optional=True
    ),
    "vectorizer": Part(_write_vectorizer, _read_vectorizer),
    "weights": Part(lambda model: weights_to_parts(model.plain_weights), _read_weights),
    "variances": Part(_write_variances, _read_variances, optional=True),
    "units": Part(_write_units, _read_units, optional=True),
    "selection": Part(_write_selection, _read_selection, optional=True),
    "projection": Part(_write_projection, _read_projection, optional=True),
    "decision": _whole("decision", DecisionRule.to_parts, DecisionRule.from_parts),
    "calibration": _whole(
        "calibration", calibration_to_parts, calibration_from_parts, optional=True
    ),
    "training": Part(_write_training, _read_training),
}
