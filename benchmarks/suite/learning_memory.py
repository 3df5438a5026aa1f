"""Peak memory of learning the Reuters categories, against LIBLINEAR."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import liblinear_peer
from benchmarks.harness import Line, Settings, Spread, benchmark, run_module
from benchmarks.learning import reuters_lesson
from benchmarks.learning_probe import CONTENDERS, write_lesson
from benchmarks.memory_probe import Growth
from postil.errors import CorpusError

LOSS = "modified-squared"
SHARES = (0.01, 0.5, 1.0)
MEGABYTE = 1e6


@benchmark("learning-memory", "peak memory of learning Reuters categories, in MB")
def run(settings: Settings) -> Iterator[Line]:
    """Each number from fresh processes, over the CSR matrix and labels that they hold."""
    if sys.platform == "win32":
        yield "Left out: this system does not tell the peak memory of a process."
        return
    try:
        lesson = reuters_lesson(settings.documents)
    except CorpusError as error:
        yield f"Left out: {error}."
        return
    matrix = lesson.matrix
    held = (matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes) / MEGABYTE
    with TemporaryDirectory() as folder:
        write_lesson(lesson, Path(folder))
        for share in SHARES:
            categories = max(1, int(share * len(lesson.labels)))
            for name in CONTENDERS:
                if name == "LIBLINEAR" and not liblinear_peer.is_installed():
                    continue
                arguments = [name, folder, str(categories), LOSS]
                runs = [_probe(arguments) for _ in range(settings.processes)]
                peaks = [run.peak / MEGABYTE for run in runs]
                weights = runs[0].result / MEGABYTE
                yield {
                    "contender": name,
                    "categories": categories,
                    "weights": weights,
                    "growth": Spread.of(peaks),
                    "growth − weights": Spread.of([peak - weights for peak in peaks]),
                    "matrices": Spread.of([(peak - weights) / held for peak in peaks]),
                }
    yield (
        f"Growth is the peak of resident memory over what was held before: the CSR matrix of "
        f"{matrix.shape[0]:,} documents × {matrix.shape[1]:,} terms, {held:.1f} MB, and its "
        "labels. It holds everybody's own form of the matrix, work space and weights; matrices is "
        "growth less weights, over the matrix. Nobody copies the matrix for a category: postil "
        "keeps a second one by columns, LIBLINEAR one of 16 bytes for each non-zero. LIBLINEAR's "
        "weights are a dense array of float64, postil's are sparse, and its growth counts the "
        "dual variables that a later fit may start from."
    )


def _probe(arguments: list[str]) -> Growth:
    return Growth(**json.loads(run_module("benchmarks.learning_probe", arguments)))
