"""Read the vector files of RCV1-v2 in the LYRL2004 distribution, with their topics.

A line is a document's number, two spaces and its terms: ``2286  864:0.0497 1523:0.0447``. Terms
are numbered from 1 to 47,236; weights are cosine-normalised log TF × IDF. That is an svmlight file
whose label is the document's number, and it is read as one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from postil.corpus.document import Split
from postil.corpus.files.streams import Source
from postil.corpus.named.rcv1 import (
    DISTRIBUTION,
    TOPICS_FILE,
    read_topics,
    sample_bar,
    sample_key,
)
from postil.errors import CorpusError, DocumentError
from postil.vectors.matrices import stack
from postil.vectors.svmlight import read_svmlight

if TYPE_CHECKING:
    import scipy.sparse as sp


TERMS = 47_236
VECTOR_FILES: dict[Split, tuple[str, ...]] = {
    "train": ("lyrl2004_vectors_train.dat",),
    "test": tuple(f"lyrl2004_vectors_test_pt{part}.dat" for part in range(4)),
}

_SUFFIXES = ("", ".gz", ".zst")


@dataclass(frozen=True, eq=False)
class Lyrl2004Data:
    """Vectors of one split, and for each document its id and a tuple of topics.

    Documents stand in the order of the files. Equal sets of topics are one tuple.
    """

    vectors: sp.csr_matrix[Any]
    labels: list[tuple[str, ...]]
    ids: list[str]


def read_lyrl2004(
    folder: str | Path,
    split: Split,
    *,
    sample: bool = False,
    qrels: str | Path | None = None,
    terms: int = TERMS,
) -> Lyrl2004Data:
    """Read the vectors of a split; a document without a topic, or that comes twice, is an error.

    Time is linear in the bytes of the files. One file is parsed at a time: memory is the result
    (8 bytes an entry) and a copy of one file of it.

    Parameters
    ----------
    folder
        The folder with the files, each plain, gzip or zstd.
    split
        "train" or "test".
    sample
        Keep only the test documents of the corpus ``rcv1-v2-sample``.
    qrels
        The file with the topics; by default ``rcv1-v2.topics.qrels`` in the folder.
    terms
        The number of columns, the same for both splits.
    """
    place = Path(folder)
    sources = [_find(place, name) for name in VECTOR_FILES[split]]
    topics = _topics(_find(place, TOPICS_FILE) if qrels is None else Source(Path(qrels)))
    bar = sample_bar(topics) if sample and split == "test" else None
    ids: dict[str, tuple[str, ...]] = {}
    vectors = stack(_blocks(sources, topics, bar, ids, terms), terms)
    kept = {identity: labels for identity, labels in ids.items() if labels}
    return Lyrl2004Data(vectors, list(kept.values()), list(kept))


def _find(folder: Path, name: str) -> Source:
    for suffix in _SUFFIXES:
        path = folder / f"{name}{suffix}"
        if path.exists():
            return Source(path)
    raise CorpusError(
        f"{folder}: lacks {name} (plain or .gz) of RCV1-v2; get it from {DISTRIBUTION.homepage}"
    )


def _topics(source: Source) -> dict[int, tuple[str, ...]]:
    def refuse(line: int, message: str) -> None:
        raise DocumentError(source.name, f"line {line}", message)

    with source.open() as stream:
        return read_topics(stream, refuse)


def _blocks(
    sources: list[Source],
    topics: dict[int, tuple[str, ...]],
    bar: int | None,
    ids: dict[str, tuple[str, ...]],
    terms: int,
) -> Iterator[sp.csr_matrix[Any]]:
    """Yield the vectors of each file; ``ids`` receives topics by id, none for those left out."""
    for source in sources:
        assert source.path is not None
        data = read_svmlight(source.path, zero_based=False, terms=terms)
        wanted = []
        for position, numbers in enumerate(data.labels, 1):
            problem = _problem(numbers, ids)
            identity = numbers[0] if numbers else ""
            if not problem:
                left_out = bar is not None and sample_key(int(identity)) > bar
                ids[identity] = () if left_out else topics.get(int(identity), ())
                wanted.append(not left_out)
                if not left_out and not ids[identity]:
                    problem = f"document {identity} has no topic in {TOPICS_FILE}"
            if problem:
                raise DocumentError(
                    source.name, f"document {position}", f"{problem}; get the file again"
                )
        yield data.vectors if all(wanted) else data.vectors[np.flatnonzero(wanted)]


def _problem(numbers: tuple[str, ...], ids: dict[str, tuple[str, ...]]) -> str:
    """Return what is wrong with the number of a document, or nothing."""
    if len(numbers) != 1 or not numbers[0].isdigit():
        received = ",".join(numbers) or "none"
        return f"a line must begin with a document's number, a whole one; received {received}"
    return f"document {numbers[0]} was read before" if numbers[0] in ids else ""
