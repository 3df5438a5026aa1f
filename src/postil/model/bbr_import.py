"""Import a model file of BBR, BMR or BXR as a model of postil."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from postil.corpus.files.streams import Source
from postil.decide.calibration import Calibration, Logistic, Softmax
from postil.decide.decision import DecisionRule, State, Thresholds
from postil.errors import InputError, ModelFileError
from postil.model.bbr_files import ParsedModel, parse_model
from postil.model.model import DocumentDigest, Model, TrainingFingerprint
from postil.model.numbered import IDS, NAMES, VECTORS, is_number, number_vectorizer

SHOWN = 60


class Imported(NamedTuple):
    """A model, and notes for the user."""

    model: Model
    notes: tuple[str, ...]


def import_model(path: str | Path, terms: Sequence[str] | None = None) -> Imported:
    """Read a model file of BBR, BMR or BXR; linear in the weights and the names.

    Parameters
    ----------
    path
        The model file.
    terms
        The names of the features from number 1 on; by default a feature's term is its number.
    """
    source = Source(Path(path))
    with source.open() as stream:
        content = stream.read()
    parsed = parse_model(content, source.name)
    names, columns = _features(parsed, terms, source.name)
    origin = {
        "file": source.name,
        "title": parsed.title,
        "sha256": sha256(content).hexdigest(),
        "link": parsed.link,
        **({"transformed": list(parsed.transformed)} if parsed.transformed else {}),
    }
    method = {VECTORS: IDS if terms is None else NAMES, "imported": origin}
    try:
        model = _model(parsed, names, columns, method)
    except InputError as error:
        raise ModelFileError(f"{source.name}: {error}") from error
    return Imported(model, _notes(parsed, model))


def _features(
    parsed: ParsedModel, terms: Sequence[str] | None, source: str
) -> tuple[list[str], dict[str, int]]:
    """Return the names of all columns, and the column of each feature that has a weight."""
    used = dict.fromkeys(name for each in parsed.classes.values() for name in each.weights)
    if terms is None:
        nameless = [feature for feature in used if not _is_id(feature)]
        if nameless:
            raise ModelFileError(
                f"{source}: the feature {nameless[0][:SHOWN]!r} has no number: give the names of "
                "all features with --terms, in the order of their numbers"
            )
        ordered = sorted(used, key=int)
        return ordered, {name: column for column, name in enumerate(ordered)}
    column_of = {name: column for column, name in enumerate(terms)}
    columns: dict[str, int] = {}
    for feature in used:
        column = int(feature) - 1 if _is_id(feature) else column_of.get(feature, -1)
        if not 0 <= column < len(terms):
            raise ModelFileError(
                f"{source}: --terms has {len(terms)} names, and none for the feature "
                f"{feature[:SHOWN]}; give all names, a line each from number 1 on"
            )
        columns[feature] = column
    return list(terms), columns


def _is_id(feature: str) -> bool:
    return is_number(feature) and feature != "0"


def _model(
    parsed: ParsedModel, names: list[str], columns: Mapping[str, int], method: Mapping[str, Any]
) -> Model:
    import scipy.sparse as sp

    classes = parsed.classes.values()
    count = len(classes)
    entries = [
        (row, columns[feature], weight)
        for row, each in enumerate(classes)
        for feature, weight in each.weights.items()
    ]
    rows, places, weights = zip(*entries, strict=True) if entries else ((), (), ())
    thresholds = np.array([each.threshold for each in classes])
    calibration: Calibration | None = None  # postil does not have that of every link
    if parsed.polytomous:
        rule, calibration = "best", Softmax(count)
    else:
        same = len(set(thresholds.tolist())) == 1 and np.isfinite(thresholds[0])
        rule = f"default({thresholds[0]:g})" if same else "as imported"
        calibration = Logistic(count) if parsed.link == Logistic.kind else None
    return Model(
        vectorizer=number_vectorizer(names),
        names=tuple(parsed.classes),
        weights=sp.csr_matrix((np.array(weights), (rows, places)), shape=(count, len(names))),
        intercepts=np.array([each.intercept for each in classes]),
        decision=DecisionRule(
            rule,
            Thresholds(thresholds),
            np.full(count, State.FITTED, dtype=np.uint8),
            at_least=1 if parsed.polytomous else 0,
            at_most=1 if parsed.polytomous else None,
        ),
        calibration=calibration,
        training=TrainingFingerprint(
            "", 0, DocumentDigest().hexdigest(), np.zeros(count, dtype=np.int64)
        ),
        method=method,
    )


def _notes(parsed: ParsedModel, model: Model) -> tuple[str, ...]:
    notes = [
        f"{sentence} before learning: give the model vectors of that kind"
        for sentence in parsed.transformed.values()
    ]
    if model.calibration is None:
        notes.append(
            f"probabilities of the link {parsed.link} are not supported: the model gives scores "
            "and decisions"
        )
    return tuple(notes)
