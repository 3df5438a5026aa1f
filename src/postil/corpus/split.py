"""Seeded, label-stratified splits of a corpus: training and testing, or folds."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import replace

from postil.corpus.corpus import Corpus
from postil.corpus.document import Document, Split
from postil.corpus.problems import Problems
from postil.corpus.stratification import part_of_each, stratify
from postil.errors import CorpusError, UsageError

__all__ = ["fold_corpus", "split_corpus", "stratify"]


def split_corpus(corpus: Corpus, test: float = 0.2, seed: int = 0) -> Corpus:
    """Say of each document whether it is for training or for testing; a former split is lost.

    Walks the corpus once now, keeping only label numbers, and once more each time the result is
    walked.
    """
    if not 0 < test < 1:
        raise UsageError(f"the test share must lie between 0 and 1, got {test!r}")
    parts = _parts(corpus, (1 - test, test), seed)
    return _marked(corpus, parts, test_part=1, name=corpus.name)


def fold_corpus(corpus: Corpus, k: int, seed: int = 0) -> tuple[Corpus, ...]:
    """Cut a corpus in ``k`` folds: the i-th result tests on fold i and trains on the others.

    Walks the corpus once now, keeping only label numbers, and once each time a result is walked.
    """
    if k < 2:
        raise UsageError(f"folds are for testing one against the others, so 2 or more: got {k!r}")
    parts = _parts(corpus, [1 / k] * k, seed)
    return tuple(
        _marked(corpus, parts, test_part=fold, name=f"{corpus.name}[fold {fold + 1} of {k}]")
        for fold in range(k)
    )


def _parts(corpus: Corpus, proportions: Sequence[float], seed: int) -> array[int]:
    parts = part_of_each((document.labels for document in corpus), proportions, seed)
    if len(set(parts)) < len(proportions):
        raise UsageError(
            f"{corpus.name}: {len(parts)} documents are too few to be split in "
            f"{len(proportions)} parts of these sizes"
        )
    return parts


def _marked(corpus: Corpus, parts: Sequence[int], test_part: int, name: str) -> Corpus:
    def documents(problems: Problems) -> Iterator[Document]:  # noqa: ARG001 - the corpus's own
        count = 0
        for count, document in enumerate(corpus, 1):
            if count > len(parts):
                break
            split: Split = "test" if parts[count - 1] == test_part else "train"
            yield replace(document, split=split)
        if count != len(parts):
            raise CorpusError(
                f"{corpus.name}: it had {len(parts)} documents when it was split and has "
                f"{'more' if count > len(parts) else count} now; split it again"
            )

    return Corpus(name, documents, problems=corpus.problems, description=corpus.description)
