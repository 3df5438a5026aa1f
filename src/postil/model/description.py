"""Describe a model in plain values, for people and programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.decide.decision import State
from postil.errors import UsageError
from postil.learn.combining import Trees
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

    Each category comes with the ``top`` terms with the largest weights for it (``up``) and against
    it (``down``). An infinite threshold is None; the category's ``state`` says why. ``bytes`` is
    the size of each part in the file. Where the model has variances, each weight has its
    ``deviation``, the root of its variance. Where it has a ``projection`` or a ``combination``,
    these say how scores are made; a category that is a tree has ``nodes``, and its own terms are
    those of the root. Cost: a few passes over the weights.
    """
    if top < 0:
        raise UsageError(f"top must be a number of terms of at least 0, got {top}")
    parts = to_parts(model)
    return {
        "created_by": model.created_by,
        "created": model.created,
        "vectorizer": _vectorizer(model),
        "weights": _weights(model) | parts.settings["weights"],
        **_scoring(model),
        "decision": _decision(model),
        "calibration": None if model.calibration is None else model.calibration.kind,
        "training": {
            "corpus": model.training.corpus,
            "documents": model.training.documents,
            "sha256": model.training.sha256,
        },
        "report": summary(model.reports),
        "recipe": model.recipe,
        "method": model.method,
        "evaluation": model.evaluation,
        "bytes": _part_sizes(parts),
        "categories": _categories(model, top),
    }


def _part_sizes(parts: Parts) -> dict[str, int]:
    sizes: Counter[str] = Counter()
    for name, array in parts.arrays.items():
        sizes[name.partition(".")[0]] += array.nbytes
    pieces = [len(piece) for piece in packed(parts)]
    return {"header": sum(pieces[:2]), **dict(sorted(sizes.items())), "total": sum(pieces)}


def summary(reports: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Summarize the reports of all categories; ``worst`` has the largest certificate."""
    worst = max(reports, key=lambda report: _number(report, "certificate"), default=None)
    return {
        "categories": len(reports),
        "seconds": _total(reports, "seconds"),
        "iterations": _total(reports, "iterations"),
        "stopped": dict(sorted(Counter(str(report.get("stopped")) for report in reports).items())),
        "worst": worst
        and {name: worst.get(name) for name in ("category", "kind", "certificate", "iterations")},
        "notes": [f"{r.get('category')}: {r['note']}" for r in reports if r.get("note")],
    } | _smoothing(reports)


def _smoothing(reports: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the largest gap between a smoothed problem and the original, if there is one."""
    most = max((_number(report, "smoothing") for report in reports), default=0.0)
    return {"smoothing": most} if most > 0.0 else {}


def _total(reports: Sequence[Mapping[str, Any]], name: str) -> float:
    """Return the sum over all problems; one that categories share counts once."""
    shared = [_number(report, name) for report in reports if report.get("shared") is True]
    own = [_number(report, name) for report in reports if report.get("shared") is not True]
    return max(shared, default=0) + sum(own)


def _number(report: Mapping[str, Any], name: str) -> float:
    """Return a number of a report, 0 if it is unknown."""
    value = report.get(name)
    return value if isinstance(value, int | float) else 0


def _vectorizer(model: Model) -> dict[str, Any]:
    vectorizer = model.vectorizer
    weighting = vectorizer.weighting
    return {
        "analyzer": str(vectorizer.analyzer.spec),
        "fields": list(vectorizer.fields.names),
        "apart": vectorizer.fields.apart,
        "tf": weighting.tf,
        "idf": weighting.idf,
        "norm": weighting.norm,
        "constant": weighting.constant,
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


def _decision(model: Model) -> dict[str, Any]:
    rule = model.decision
    return {
        "rule": rule.spec,
        "kind": rule.acceptance.kind,
        "at_least": rule.at_least,
        "at_most": rule.at_most,
        "notes": list(rule.notes(model.names)),
    }


def _categories(model: Model, top: int) -> list[dict[str, Any]]:
    rows = _Rows(model, top)
    values = model.decision.acceptance.values
    measure = "share" if model.decision.whole_batch else "threshold"
    described = []
    for category, name in enumerate(model.names):
        own = _nodes(model, rows, category) or rows.facts(category)
        described.append(
            {
                "name": name,
                "members": int(model.training.members[category]),
                "nonzeros": own.pop("nonzeros"),
                "intercept": own.pop("intercept"),
                **_intercept_deviation(model, category),
                measure: plain(float(values[category]), measure),
                "state": State(int(model.decision.states[category])).name.lower(),
                **own,
            }
        )
    return described


class _Rows:
    """Describe rows of weights: those of categories, or of nodes of trees."""

    def __init__(self, model: Model, top: int) -> None:
        self._model = model
        self._top = top
        self._weights = model.weights.tocsr()
        self._deviations = _deviations(model)

    def facts(self, row: int) -> dict[str, Any]:
        """Return the number of weights, the intercept, and the strongest terms each way."""
        model, top = self._model, self._top
        entries = slice(int(self._weights.indptr[row]), int(self._weights.indptr[row + 1]))
        columns, weights = self._weights.indices[entries], self._weights.data[entries]
        own = None if self._deviations is None else self._deviations[entries]
        return {
            "nonzeros": int(np.count_nonzero(weights)),
            "intercept": float(model.intercepts[row]),
            "up": _top(model, columns, weights, own, top),
            "down": _top(model, columns, -weights, own, top, sign=-1.0),
        }


def _nodes(model: Model, rows: _Rows, category: int) -> dict[str, Any]:
    """Describe a category that is a tree: its root, and each node."""
    if not isinstance(model.combination, Trees):
        return {}
    names = model.combination.node_names(category)
    nodes = [{"node": names[node], **rows.facts(node)} for node in names]
    nonzeros = sum(node["nonzeros"] for node in nodes)
    root = {name: value for name, value in nodes[0].items() if name != "node"}
    return root | {"nonzeros": nonzeros, "nodes": nodes}


def _deviations(model: Model) -> NDArray[np.float64] | None:
    """Return the deviations of the weights by category, in the order of their entries."""
    if model.variances is None:
        return None
    variances: NDArray[np.float32] = model.variances.tocsr().data
    return np.sqrt(variances, dtype=np.float64)


def _intercept_deviation(model: Model, category: int) -> dict[str, float]:
    if model.intercept_variances is None:
        return {}
    return {"intercept_deviation": float(np.sqrt(model.intercept_variances[category]))}


def _top(
    model: Model,
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
            "term": column_name(model.vectorizer, int(columns[place])),
            "weight": sign * float(weights[place]),
            **({} if deviations is None else {"deviation": float(deviations[place])}),
        }
        for place in ranked.tolist()
    ]
