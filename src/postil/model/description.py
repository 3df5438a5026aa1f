"""Describe a model in plain values, for people and programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.common.types import Floats
from postil.decide.decision import State
from postil.decide.shared_calibration import Hierarchical
from postil.errors import UsageError
from postil.learn.combining import KernelSums, Trees
from postil.model.model import Model
from postil.model.parts import to_parts
from postil.model.save import packed
from postil.model.stored import Parts, plain
from postil.vectors.vectorizer import Vectorizer

CONSTANT = "(constant)"


def column_name(vectorizer: Vectorizer, column: int) -> str:
    """Return the term of a column, ``bucket 17`` where terms are hashed, or the constant."""
    if column >= vectorizer.terms:
        return CONSTANT
    if vectorizer.vocabulary is None:
        return f"bucket {column}"
    return vectorizer.vocabulary.names[column]


TOP_TERMS = 10


def describe(model: Model, *, top: int = TOP_TERMS) -> dict[str, Any]:
    """Return a description of a model, as values that JSON can hold.

    Each category comes with its ``title`` if the model has names for people, and with the ``top``
    terms with the largest weights for it (``up``) and against it (``down``). An infinite threshold
    is None; the category's ``state`` says why. ``bytes`` is the size of each part in the file.
    Where the model has variances, each weight has its ``deviation``, the root of its variance.
    Where it has a ``projection`` or a ``combination``, these say how scores are made; a category
    that is a tree has ``nodes``, and its own terms are those of the root. A category of a kernel
    counts its ``support`` documents, and its terms have the weights of a document that holds
    nothing else. Cost: a few passes over the weights.
    """
    if top < 0:
        raise UsageError(f"top must be a number of terms of at least 0, got {top}")
    parts = to_parts(model)
    rule, training = model.decision, model.training
    return {
        "created_by": model.created_by,
        "created": model.created,
        "vectorizer": _vectorizer(model.vectorizer),
        "weights": _weights(model) | parts.settings["weights"],
        **_scoring(model),
        "decision": {
            "rule": rule.spec,
            **_least_probability(model),
            "kind": rule.acceptance.kind,
            "at_least": rule.at_least,
            "at_most": rule.at_most,
            "notes": list(rule.notes(model.titles)),
        },
        **_hierarchy(model),
        "calibration": None if model.calibration is None else model.calibration.kind,
        "training": {name: getattr(training, name) for name in ("corpus", "documents", "sha256")},
        "report": summary(model.reports, model.title),
        "recipe": model.recipe,
        "method": model.method,
        "evaluation": model.evaluation,
        "bytes": _part_sizes(parts),
        "categories": _categories(model, top),
    }


def _hierarchy(model: Model) -> dict[str, dict[str, Any]]:
    """Describe how categories above others are decided."""
    found = model.hierarchy
    if found is None:
        return {}
    above = len(np.unique(found.above.indices))
    return {"hierarchy": {"above": above, "consistent": found.consistent, "one": found.one}}


def _least_probability(model: Model) -> dict[str, float]:
    """Return the probability from which a model gives labels, unless each has a threshold."""
    thresholds, calibration = model.decision.thresholds, model.calibration
    by_probability = model.decision.spec.startswith("probability")
    if not by_probability or thresholds is None or not isinstance(calibration, Hierarchical):
        return {}
    finite = np.isfinite(thresholds)
    found = calibration.probabilities(np.where(finite, thresholds, 0.0)[np.newaxis])[0, finite]
    return {"probability": float(np.median(found))} if len(found) else {}


def _part_sizes(parts: Parts) -> dict[str, int]:
    sizes: Counter[str] = Counter()
    for name, array in parts.arrays.items():
        sizes[name.partition(".")[0]] += array.nbytes
    pieces = [len(piece) for piece in packed(parts)]
    return {"header": sum(pieces[:2]), **dict(sorted(sizes.items())), "total": sum(pieces)}


def summary(
    reports: Sequence[Mapping[str, Any]], title: Callable[[str], str] = str
) -> dict[str, Any]:
    """Summarize the reports of all categories; ``worst`` has the largest certificate.

    ``title`` makes names for people of categories, for the notes.
    """
    smoothing = max((_number(report, "smoothing") for report in reports), default=0.0)
    worst = max(reports, key=lambda report: _number(report, "certificate"), default=None)
    return {
        "categories": len(reports),
        "seconds": _total(reports, "seconds"),
        "iterations": _total(reports, "iterations"),
        "stopped": dict(sorted(Counter(str(report.get("stopped")) for report in reports).items())),
        "worst": worst
        and {name: worst.get(name) for name in ("category", "kind", "certificate", "iterations")},
        "notes": [
            f"{title(str(r.get('category')))}: {r['note']}" for r in reports if r.get("note")
        ],
        # The largest gap between a smoothed problem and the original.
        **({"smoothing": smoothing} if smoothing > 0.0 else {}),
    }


def _total(reports: Sequence[Mapping[str, Any]], name: str) -> float:
    """Return the sum over all problems; one that categories share counts once."""
    shared = [_number(report, name) for report in reports if report.get("shared") is True]
    own = [_number(report, name) for report in reports if report.get("shared") is not True]
    return max(shared, default=0) + sum(own)


def _number(report: Mapping[str, Any], name: str) -> float:
    """Return a number of a report, 0 if it is unknown."""
    value = report.get(name)
    return value if isinstance(value, int | float) else 0


def _vectorizer(vectorizer: Vectorizer) -> dict[str, Any]:
    return {
        "analyzer": str(vectorizer.analyzer.spec),
        "fields": list(vectorizer.fields.names),
        "apart": vectorizer.fields.apart,
        **({"also": list(vectorizer.fields.also)} if vectorizer.fields.also else {}),
        **asdict(vectorizer.weighting),
        "terms": vectorizer.terms,
        "hashed": vectorizer.buckets is not None,
        "documents": vectorizer.documents,
    }


def _weights(model: Model) -> dict[str, Any]:
    rows, columns = model.plain_weights.shape
    nonzeros = int(np.count_nonzero(model.plain_weights.data))
    return {
        "categories": model.categories,
        **({} if model.combination is None else {"rows": rows}),
        "columns": columns,
        "nonzeros": nonzeros,
        "density": nonzeros / (rows * columns) if rows * columns else None,
    }


def _scoring(model: Model) -> dict[str, Any]:
    """Describe the projection and the combination that change scores."""
    described: dict[str, Any] = {}
    if model.projection is not None:
        described["projection"] = {
            "directions": model.projection.directions,
            "length": model.projection.length,
        }
    if model.combination is not None:
        settings, _ = model.combination.to_parts()
        described["combination"] = {"kind": model.combination.kind, "rows": model.rows, **settings}
    return described


def _categories(model: Model, top: int) -> list[dict[str, Any]]:
    values = model.decision.acceptance.values
    measure = "share" if model.decision.whole_batch else "threshold"
    weights, intercepts = _rows_of_terms(model)
    variances = None if model.variances is None else model.variances.tocsr().data
    deviations = None if variances is None else np.sqrt(variances, dtype=np.float64)

    def facts(row: int) -> dict[str, Any]:
        """Return the number of weights, the intercept, and the strongest terms each way."""
        entries = slice(int(weights.indptr[row]), int(weights.indptr[row + 1]))
        own = None if deviations is None else deviations[entries]
        columns, data = weights.indices[entries], weights.data[entries]
        return {
            "nonzeros": int(np.count_nonzero(data)),
            "intercept": float(intercepts[row]),
            "up": _top(model.vectorizer, columns, data, own, top),
            "down": _top(model.vectorizer, columns, -data, own, top, sign=-1.0),
        }

    described = []
    for category, name in enumerate(model.names):
        if isinstance(model.combination, Trees):
            names = model.combination.node_names(category)
            nodes = [{"node": names[node], **facts(node)} for node in names]
            own = {key: value for key, value in nodes[0].items() if key != "node"}
            own |= {"nonzeros": sum(node["nonzeros"] for node in nodes), "nodes": nodes}
        else:
            own = facts(category)
        if isinstance(model.combination, KernelSums):
            own["support"] = int(np.diff(model.combination.starts)[category])
        spread = {}
        if model.intercept_variances is not None:
            spread["intercept_deviation"] = float(np.sqrt(model.intercept_variances[category]))
        described.append(
            {
                "name": name,
                **({} if model.labels is None else {"title": model.titles[category]}),
                "members": int(model.training.members[category]),
                "nonzeros": own.pop("nonzeros"),
                "intercept": own.pop("intercept"),
                **spread,
                measure: plain(float(values[category]), measure),
                "state": State(int(model.decision.states[category])).name.lower(),
                **own,
            }
        )
    return described


def _rows_of_terms(model: Model) -> tuple[Any, Floats]:
    """Return the weights of terms and the intercepts: rows × columns, as CSR.

    A kernel has rows of support documents; its weights and intercepts are those near a document
    without terms, by category.
    """
    sums = model.combination
    if not isinstance(sums, KernelSums):
        return model.weights.tocsr(), model.intercepts
    nothing = np.zeros(1)
    near = sums.matrix * float(sums.kernel.slopes(nothing)[0])
    weights = (near @ model.weights.tocsr().astype(np.float64)).tocsr()
    weights.sort_indices()
    return weights, sums.combined(np.zeros((1, sums.rows)))[0]


def _top(
    vectorizer: Vectorizer,
    columns: NDArray[Any],
    weights: NDArray[Any],
    deviations: NDArray[np.float64] | None,
    top: int,
    sign: float = 1.0,
) -> list[dict[str, Any]]:
    """Return the largest weights above 0, of equals the earlier columns."""
    places = np.flatnonzero(weights > 0)
    ranked = places[np.argsort(-weights[places], kind="stable")][:top]
    return [
        {
            "term": column_name(vectorizer, int(columns[place])),
            "weight": sign * float(weights[place]),
            **({} if deviations is None else {"deviation": float(deviations[place])}),
        }
        for place in ranked.tolist()
    ]
