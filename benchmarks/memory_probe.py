"""One memory measurement, in a process of its own.

``python -m benchmarks.memory_probe CONTENDER FILE TIMES CHUNK`` reads texts from a file with one
JSON string a line, as if they stood there TIMES times, and prints a ``Growth`` as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.harness import peak_memory, start_memory

OUR_SPEC = "words(python) lower min(2)"


@dataclass(frozen=True, slots=True)
class Growth:
    """Bytes that a vectorizer took at its peak beyond what was held before, and of its result."""

    peak: int
    result: int


@dataclass(frozen=True, slots=True)
class Source:
    """Texts in a file, made anew each time they are read."""

    path: Path
    times: int
    chunk: int

    def texts(self) -> Iterator[str]:
        """Yield every text."""
        for _ in range(self.times):
            with self.path.open(encoding="utf-8") as lines:
                yield from map(json.loads, lines)

    def chunks(self) -> Iterator[list[str]]:
        """Yield texts by the chunk."""
        texts = self.texts()
        while chunk := list(islice(texts, self.chunk)):
            yield chunk


Prepare = Callable[[Source], Callable[[], Any]]
"""Makes everything that is held before, and returns what is to be measured."""


def _postil_held(source: Source) -> Callable[[], Any]:
    from postil import TextVectorizer

    TextVectorizer().fit_transform(["warm up"])
    texts = list(source.texts())
    return lambda: TextVectorizer().fit_transform(texts)


def _postil_streamed(source: Source) -> Callable[[], Any]:
    from postil.vectors.vectorizer import TextChunk, Vectorizer

    Vectorizer(OUR_SPEC).fit_transform(["warm up"])
    return lambda: Vectorizer(OUR_SPEC).fit_transform_chunks(
        TextChunk((chunk,)) for chunk in source.chunks()
    )


def _scikit_held(source: Source) -> Callable[[], Any]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    TfidfVectorizer().fit_transform(["warm up"])
    texts = list(source.texts())
    return lambda: TfidfVectorizer().fit_transform(texts)


def _scikit_streamed(source: Source) -> Callable[[], Any]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    TfidfVectorizer().fit_transform(["warm up"])
    return lambda: TfidfVectorizer().fit_transform(source.texts())


CONTENDERS: Mapping[str, Prepare] = {
    "postil-held": _postil_held,
    "postil-streamed": _postil_streamed,
    "scikit-learn-held": _scikit_held,
    "scikit-learn-streamed": _scikit_streamed,
}


def growth(contender: str, source: Source) -> Growth:
    """Run a contender and measure."""
    make_matrix = CONTENDERS[contender](source)
    before = start_memory()
    matrix = make_matrix()
    peak = peak_memory() - before
    return Growth(peak, matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes)


if __name__ == "__main__":
    name, path, times, chunk = sys.argv[1:]
    print(json.dumps(asdict(growth(name, Source(Path(path), int(times), int(chunk))))))
