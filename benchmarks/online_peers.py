"""Others that learn document by document, one thread, by passes over the same binary vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.learning import Lesson

Walk = Callable[[int], int]
"""Make so many passes from nothing; how many documents, category by category, were visited."""


@dataclass(frozen=True, slots=True)
class OnlinePeer:
    """A package, and how it is made ready for a lesson."""

    package: str
    prepare: Callable[[Lesson], Walk]

    def is_installed(self) -> bool:
        """Return True if it is installed."""
        return find_spec(self.package) is not None


def _scikit_learn(name: str) -> Callable[[Lesson], Walk]:
    def prepare(lesson: Lesson) -> Walk:
        from sklearn import linear_model

        estimator = getattr(linear_model, name)
        matrix, signs = lesson.matrix.astype(np.float64), lesson.signs()

        def walk(passes: int) -> int:
            for own in signs:
                estimator(max_iter=passes, tol=None, shuffle=False).fit(matrix, own)
            return passes * signs.size

        return walk

    return prepare


def _vowpal_wabbit(lesson: Lesson) -> Walk:
    # All categories at each document, from its cache: nothing is parsed after the first pass.
    folder = TemporaryDirectory()
    source = Path(folder.name, "documents.vw")
    source.write_text("\n".join(_lines(lesson)) + "\n", encoding="ascii")
    categories, documents = len(lesson.labels), lesson.matrix.shape[0]

    def walk(passes: int) -> int:
        from vowpalwabbit import Workspace

        Workspace(
            f"-d {source} --cache_file {folder.name}/cache --passes {passes} --holdout_off --sgd "
            f"--multilabel_oaa {categories} --loss_function hinge -b 24 --quiet"
        ).finish()
        return passes * categories * documents

    walk(1)  # writes the cache
    return walk


def _lines(lesson: Lesson) -> list[str]:
    members: Any = lesson.labels.members.tocsr()
    rows = lesson.matrix
    return [
        ",".join(map(str, members.indices[members.indptr[i] : members.indptr[i + 1]]))
        + " | "
        + " ".join(map(str, rows.indices[rows.indptr[i] : rows.indptr[i + 1]]))
        for i in range(rows.shape[0])
    ]


PEERS: Mapping[str, OnlinePeer] = {
    "scikit-learn Perceptron": OnlinePeer("sklearn", _scikit_learn("Perceptron")),
    "scikit-learn SGDClassifier": OnlinePeer("sklearn", _scikit_learn("SGDClassifier")),
    "Vowpal Wabbit --sgd": OnlinePeer("vowpalwabbit", _vowpal_wabbit),
}


def absent() -> str:
    """A sentence on the peers that are not installed; empty if all are."""
    missing = [name for name, peer in PEERS.items() if not peer.is_installed()]
    packages = " ".join(PEERS[name].package for name in missing)
    return f"Absent: {' and '.join(missing)} (pip install {packages})." if missing else ""
