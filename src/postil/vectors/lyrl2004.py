"""The vector files of RCV1-v2 in the LYRL2004 distribution, with their topics.

A line is a document's number, two spaces and its terms: ``2286  864:0.0497 1523:0.0447``. Terms
are numbered from 1 to 47,236; weights are cosine-normalised log TF × IDF. That is an svmlight file
whose label is the document's number, and it is read as one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from postil.corpus.document import Split
from postil.corpus.files.streams import Source
from postil.corpus.named.distributions import RCV1_V2
from postil.corpus.named.rcv1 import TOPICS_FILE, TopicTable, read_topics, sample_bar, sample_key
from postil.errors import CorpusError, DocumentError
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
    """Read the vectors of a split from a folder with the files, each plain, gzip or zstd.

    Topics come from ``rcv1-v2.topics.qrels`` in the folder, or from ``qrels``. ``sample`` keeps
    those test documents that the corpus ``rcv1-v2-sample`` has. ``terms`` is the number of
    columns, the same for both splits. A document without a topic, or that comes twice, is an error.

    Time is linear in the bytes of the files. One file is parsed at a time: memory is the result
    (8 bytes an entry) and a copy of one file of it.
    """
    from postil.vectors.matrices import stack

    place = Path(folder)
    sources = [_find(place, name) for name in VECTOR_FILES[split]]
    topics = _topics(_find(place, TOPICS_FILE) if qrels is None else Source(Path(qrels)))
    bar = sample_bar(topics.documents()) if sample and split == "test" else None
    rows = _Rows(topics, bar)
    vectors = stack(_blocks(sources, rows, terms), terms)
    return Lyrl2004Data(vectors, rows.labels, rows.ids)


def _find(folder: Path, name: str) -> Source:
    for suffix in _SUFFIXES:
        path = folder / f"{name}{suffix}"
        if path.exists():
            return Source(path)
    raise CorpusError(
        f"{folder}: lacks {name} (plain or .gz) of RCV1-v2; get it from {RCV1_V2.homepage}"
    )


def _topics(source: Source) -> TopicTable:
    def refuse(line: int, message: str) -> None:
        raise DocumentError(source.name, f"line {line}", f"{message}; get the file again")

    with source.open() as stream:
        return read_topics(stream, refuse)


@dataclass
class _Rows:
    """What the rows that have passed are known by."""

    topics: TopicTable
    bar: int | None
    ids: list[str] = field(default_factory=list)
    labels: list[tuple[str, ...]] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)

    def take(self, numbers: tuple[str, ...], source: str, position: int) -> bool:
        """Note a document, and say whether it is wanted."""
        identity = _identity(numbers, source, position)
        if identity in self.seen:
            raise _refusal(source, position, f"document {identity} was read before")
        self.seen.add(identity)
        if self.bar is not None and sample_key(int(identity)) > self.bar:
            return False
        labels = self.topics.topics(int(identity))
        if not labels:
            message = f"document {identity} has no topic in {TOPICS_FILE}"
            raise _refusal(source, position, message)
        self.ids.append(identity)
        self.labels.append(labels)
        return True


def _identity(numbers: tuple[str, ...], source: str, position: int) -> str:
    if len(numbers) != 1 or not numbers[0].isdigit():
        received = ",".join(numbers) or "none"
        message = f"a line begins with a document's number, a whole one; received {received}"
        raise _refusal(source, position, message)
    return numbers[0]


def _refusal(source: str, position: int, message: str) -> DocumentError:
    return DocumentError(source, f"document {position}", f"{message}; get the file again")


def _blocks(sources: list[Source], rows: _Rows, terms: int) -> Iterator[sp.csr_matrix[Any]]:
    import numpy as np

    for source in sources:
        assert source.path is not None
        data = read_svmlight(source.path, zero_based=False, terms=terms)
        wanted = [
            rows.take(numbers, source.name, position)
            for position, numbers in enumerate(data.labels, 1)
        ]
        yield data.vectors if all(wanted) else data.vectors[np.flatnonzero(wanted)]
