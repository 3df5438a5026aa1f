"""A regularization path as rows, for files and tables."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from postil.escaping import escaped_json

if TYPE_CHECKING:
    from postil.learn.path_category import CategoryPath

CONSTANT = "(constant)"
HEADER = ("category", "point", "lam", "C", "prior_variance", "terms", "term", "weight")


def name_of(term: int, terms: Sequence[str] | None) -> str:
    """A term's name, or its number where terms have none."""
    return str(term) if terms is None else terms[term]


def point_rows(path: CategoryPath) -> list[dict[str, Any]]:
    """A row for each point."""
    return [
        {
            **_strength(path, point),
            "terms": int(count),
            "intercept": float(path.intercepts[point]),
            "objective": report.objective,
            "certificate": report.certificate,
            "iterations": report.iterations,
            "stopped": report.stopped,
        }
        for point, (count, report) in enumerate(zip(path.nonzeros, path.reports, strict=True))
    ]


def weight_rows(path: CategoryPath, terms: Sequence[str] | None) -> Iterator[dict[str, Any]]:
    """A row for the constant and for each weight that is not 0, point by point."""
    for point, count in enumerate(path.nonzeros.tolist()):
        head = {"category": path.name, **_strength(path, point), "terms": count}
        yield {**head, "term": CONSTANT, "weight": float(path.intercepts[point])}
        for term, weight in _weights(path, point):
            yield {**head, "term": name_of(term, terms), "weight": weight}


def to_csv(rows: Iterable[dict[str, Any]]) -> str:
    """Rows of weights as values between commas."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, HEADER, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


def to_json(paths: Sequence[CategoryPath], terms: Sequence[str] | None) -> str:
    """Each category with its points, their weights, and its terms in the order of entry."""
    told = [
        {
            "category": path.name,
            "over": path.way,
            "points": [
                row | {"weights": {name_of(t, terms): w for t, w in _weights(path, row["point"])}}
                for row in point_rows(path)
            ],
            "order": [
                {"term": name_of(entry.term, terms), "point": entry.point, "weight": entry.weight}
                for entry in path.entries()
            ],
        }
        for path in paths
    ]
    return escaped_json(json.dumps(told, ensure_ascii=False, indent=1)) + "\n"


def _strength(path: CategoryPath, point: int) -> dict[str, Any]:
    return {
        "point": point,
        "lam": float(path.lambdas[point]),
        "C": float(path.costs[point]),
        "prior_variance": float(path.variances[point]),
    }


def _weights(path: CategoryPath, point: int) -> Iterator[tuple[int, float]]:
    start, end = path.weights.indptr[point : point + 2]
    terms, weights = path.weights.indices[start:end], path.weights.data[start:end]
    yield from zip(terms.tolist(), weights.tolist(), strict=True)
