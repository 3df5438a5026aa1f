"""One memory measurement of learning, in a process of its own.

``python -m benchmarks.learning_probe CONTENDER FOLDER CATEGORIES LOSS`` reads a lesson from a
folder and prints a ``Growth`` as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import load_npz, save_npz

from benchmarks.harness import peak_memory, start_memory
from benchmarks.learning import Aim, Lesson, learn
from benchmarks.liblinear_peer import ALGORITHMS, learn_lesson
from benchmarks.memory_probe import Growth
from postil.learn.job import Design, Labels

MATRIX, MEMBERS = "matrix.npz", "members.npz"
TOLERANCE = 1e-3


def write_lesson(lesson: Lesson, folder: Path) -> None:
    """Leave a lesson for the probe."""
    save_npz(folder / MATRIX, lesson.matrix)
    save_npz(folder / MEMBERS, lesson.labels.members)


def read_lesson(folder: Path, categories: int) -> Lesson:
    """Read a lesson with so many of its categories."""
    members = load_npz(folder / MEMBERS)[:, :categories]
    names = tuple(map(str, range(categories)))
    return Lesson(load_npz(folder / MATRIX), Labels(names, members))


def _postil(lesson: Lesson, loss: str, threads: int) -> int:
    design = Design(lesson.matrix)
    found = learn(design, lesson.labels, Aim(loss), "dual-coordinate", TOLERANCE, threads)
    weights = found.weights
    return int(weights.data.nbytes + weights.indices.nbytes + weights.indptr.nbytes)


def _liblinear(lesson: Lesson, loss: str) -> int:
    return int(learn_lesson(lesson, ALGORITHMS[loss, "dual"]).nbytes)


CONTENDERS: Mapping[str, Callable[[Lesson, str], int]] = {
    "LIBLINEAR": _liblinear,
    "postil, 1 thread": lambda lesson, loss: _postil(lesson, loss, 1),
    "postil, 2 threads": lambda lesson, loss: _postil(lesson, loss, 2),
}
"""Each converts, learns, and returns the bytes of the weights."""


def growth(contender: str, lesson: Lesson, loss: str) -> Growth:
    """Let a contender learn and measure; everything was used once before, on two documents."""
    CONTENDERS[contender](_warm_up(), loss)
    before = start_memory()
    result = CONTENDERS[contender](lesson, loss)
    return Growth(peak_memory() - before, result)


def _warm_up() -> Lesson:
    from scipy.sparse import csr_matrix

    pair: Any = csr_matrix(np.eye(2, dtype=np.float32))
    return Lesson(pair, Labels.of([["one"], []]))


if __name__ == "__main__":
    name, path, categories, loss = sys.argv[1:]
    print(json.dumps(asdict(growth(name, read_lesson(Path(path), int(categories)), loss))))
