"""Choose the documents of a pool that are worth a label, and some at random to measure by.

A model learns most from documents near its thresholds (uncertainty sampling: Lewis and Gale 1994),
of rare categories, and unlike each other. What it is measured by has to be drawn at random: on
documents that were chosen for being hard, every measure is too low.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import islice
from random import Random
from typing import Any

import numpy as np

from postil.common.types import Floats
from postil.corpus.document import Document
from postil.decide.calibration import Softmax, probabilities_of
from postil.model.model import Model
from postil.train.labelling import is_labelled
from postil.train.predict import Predictor
from postil.vectors.copies import groups_of_copies
from postil.vectors.fields import Fields
from postil.vectors.vectorizer import Vectorizer

CANDIDATES = 20
"""Candidates for each document that is chosen: similarity is only looked at among them."""
CHUNK = 1024
RANDOM_SHARE = 0.2
SUGGESTED = "suggested"
DECIMALS = 3
LEAST, MOST = 0.01, 0.99  # probabilities at thresholds


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen documents.

    Parameters
    ----------
    documents : list of Document
        All of them: those drawn at random are spread evenly among the others.
    worth : list of Document
        Those that are worth a label, the best first.
    at_random : list of Document
        Those drawn at random, marked test, in the order of the pool.
    suggested : dict of str to dict
        By the id of a document that is worth a label: labels of the model with probabilities.
    pool, labelled : int
        The documents that were looked at, and those left out because they have labels.
    """

    documents: list[Document]
    worth: list[Document]
    at_random: list[Document]
    suggested: dict[str, dict[str, float]]
    pool: int
    labelled: int


@dataclass(slots=True)
class Pool:
    """The documents of a pool that are not fully judged, counted as they pass."""

    documents: Iterable[Document]
    every: bool
    read: int = 0
    labelled: int = 0

    def __iter__(self) -> Iterator[Document]:
        for document in self.documents:
            self.read += 1
            # What was judged for some labels may be worth another.
            judged = is_labelled(document) and document.not_labels is None
            if judged and not self.every:
                self.labelled += 1
            else:
                yield document


def choose_documents(
    documents: Iterable[Document],
    count: int,
    *,
    at_random: int | None = None,
    predictor: Predictor | None = None,
    every: bool = False,
    seed: int = 0,
    check: Callable[[Sequence[Document]], None] = lambda _: None,
) -> Choice:
    """Choose the documents of a pool to be labelled next.

    Documents that are marked test are only drawn at random.
    Memory is that of some 20 × ``count`` documents. The same pool, model and seed give the same
    choice.

    Parameters
    ----------
    documents : iterable of Document
        The pool, read once.
    count : int
        The number of documents to choose, with those at random.
    at_random : int, optional
        The number of documents to draw at random, by default a fifth of those that are chosen. They
        are drawn from the whole pool, and marked test.
    predictor : Predictor, optional
        The model that is to learn. Without one, documents are chosen that are typical of the pool
        and unlike each other.
    every : bool
        Choose documents that have labels, too.
    seed : int
        Seed of what is random.
    check : callable
        Called with documents before the model scores them.
    """
    drawn_count = round(count * RANDOM_SHARE) if at_random is None else min(at_random, count)
    wanted = count - drawn_count
    pool = Pool(documents, every)
    draw = Reservoir(drawn_count, Random(seed))
    # Those that are drawn may be among the best: there have to be others.
    most = CANDIDATES * wanted + drawn_count if wanted else 0
    best: Best | Reservoir = Reservoir(most, Random(seed + 1)) if predictor is None else Best(most)
    stream = iter(pool)
    while chunk := list(islice(stream, CHUNK)):
        draw.add(chunk)
        # What is marked test is to measure by, for which it must not be chosen.
        others = [document for document in chunk if document.split != "test"]
        if isinstance(best, Reservoir):
            best.add(others)
        elif wanted and others:
            assert predictor is not None
            check(others)
            best.add(others, informativeness(predictor, _scores(predictor, others)))
    if at_random is None:
        draw.shrink(round(min(count, pool.read - pool.labelled) * RANDOM_SHARE))
    drawn = {document.id for document in draw.documents()}
    candidates = [document for document in best.documents() if document.id not in drawn]
    matrix = _vectors(candidates)
    if predictor is None or not candidates:
        worth = _typicality(matrix)
    else:
        worth = informativeness(predictor, _scores(predictor, candidates))
    chosen = [candidates[row] for row in _spread(matrix, worth, wanted)]
    at_random_documents = [replace(document, split="test") for document in draw.documents()]
    return Choice(
        documents=_mixed(chosen, at_random_documents, Random(seed + 2)),
        worth=chosen,
        at_random=at_random_documents,
        suggested={} if predictor is None else _suggestions(predictor, chosen),
        pool=pool.read,
        labelled=pool.labelled,
    )


@dataclass(slots=True)
class Reservoir:
    """A uniform sample of a stream (Vitter 1985, algorithm R)."""

    size: int
    random: Random
    _seen: int = 0
    _held: list[tuple[int, Document]] = field(default_factory=list)

    def add(self, documents: Sequence[Document]) -> None:
        """Draw among the documents so far."""
        for document in documents:
            place = self._seen if self._seen < self.size else self.random.randrange(self._seen + 1)
            if place < self.size:
                self._held[place : place + 1] = [(self._seen, document)]
            self._seen += 1

    def shrink(self, size: int) -> None:
        """Keep no more than so many documents, drawn among those that are held."""
        self.size = min(size, self.size)
        self._held = self.random.sample(self._held, min(self.size, len(self._held)))

    def documents(self) -> list[Document]:
        """Return the sample in the order of the stream."""
        return [document for _, document in sorted(self._held, key=lambda each: each[0])]


class Best:
    """The documents of a stream with the highest values, each text once."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._heap: list[tuple[float, int, bytes]] = []
        self._held: dict[bytes, Document] = {}
        self._seen = 0

    def add(self, documents: Sequence[Document], values: Floats) -> None:
        """Keep those of the documents whose values are among the highest so far."""
        for document, value in zip(documents, values.tolist(), strict=True):
            self._seen += 1
            if len(self._heap) == self._size and value <= self._heap[0][0]:
                continue
            key = blake2b("\0".join(document.fields.values()).encode(errors="replace")).digest()
            if key in self._held:
                continue
            self._held[key] = document
            heapq.heappush(self._heap, (value, -self._seen, key))
            if len(self._heap) > self._size:
                del self._held[heapq.heappop(self._heap)[2]]

    def documents(self) -> list[Document]:
        """Return the documents, the best first."""
        return [self._held[key] for _, _, key in sorted(self._heap, reverse=True)]


def informativeness(predictor: Predictor, scored: Scored) -> Floats:
    """Return how much the label of each document would tell a model, from 0 to 1.

    It is 1 for a document at the threshold of the rarest category. A category counts by the
    nearness of its probability p to that of its threshold t, min(p/t, (1-p)/(1-t)), times
    1/√members; a document has the highest value of its categories. Where a document gets one
    category, nearness is the second highest probability over the highest. What was judged already
    does not count.
    """
    model, chances = predictor.model, scored.chances.copy()
    chances[scored.judged] = 0
    members = np.maximum(model.training.members, 1).astype(np.float64)
    rarity = np.sqrt(members.min() / members)
    if model.decision.at_most == 1 and chances.shape[1] > 1:
        two = np.argpartition(-chances, 1, axis=1)[:, :2]
        first, second = np.take_along_axis(chances, two, axis=1).T
        values: Floats = second / np.maximum(first, 1e-12) * rarity[two].max(axis=1)
        return values
    at = _at_thresholds(model)
    nearness = np.minimum(chances / at, (1 - chances) / (1 - at))
    nearness[:, model.decision.acceptance.never] = 0
    values = (nearness * rarity).max(axis=1)
    return np.asarray(values)


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores and probabilities of documents; without a calibration, those of logistic scores.

    ``judged`` has the rows and columns of labels that are known of documents judged for some only.
    """

    scores: Floats
    chances: Floats
    judged: tuple[list[int], list[int]]


def _scores(predictor: Predictor, documents: Sequence[Document]) -> Scored:
    model = predictor.model
    columns = model.vectorizer.fields.columns_of(documents)
    scores = predictor.scores(columns)
    chances = predictor.probabilities(scores, predictor.variances(columns))
    if chances is None:
        excess = model.decision.acceptance.excess(scores)
        chances = 1 / (1 + np.exp(-np.clip(excess, -50, 50)))
    rows, judged = [], []
    columns_of = {name: column for column, name in enumerate(model.names)}
    for row, document in enumerate(documents):
        if document.not_labels is not None:
            names = (*document.labels, *document.probabilities, *document.not_labels)
            known = [columns_of[name] for name in names if name in columns_of]
            rows += [row] * len(known)
            judged += known
    return Scored(scores, chances, (rows, judged))


def _at_thresholds(model: Model) -> Floats:
    """Return the probability at the threshold of each category; 1/2 where it is not known."""
    thresholds = model.decision.thresholds
    half: Floats = np.full(model.categories, 0.5)
    if thresholds is None or model.calibration is None or isinstance(model.calibration, Softmax):
        return half
    finite = np.isfinite(thresholds)
    row = np.where(finite, thresholds, 0.0)[np.newaxis]
    found = probabilities_of(model.calibration, model.decision, row)[0]
    return np.where(finite, np.clip(found, LEAST, MOST), half)


def _vectors(documents: Sequence[Document]) -> Any:  # noqa: ANN401 - CSR
    """Return vectors of length 1 of all that documents say, whatever a model knows of it."""
    import scipy.sparse as sp

    if not documents:
        return sp.csr_matrix((0, 0))
    names = dict.fromkeys(name for document in documents for name in document.fields)
    vectorizer = Vectorizer(fields=Fields(tuple(names)))
    return vectorizer.fit_transform(
        {name: [document.fields.get(name, "") for document in documents] for name in names}
    )


def _typicality(matrix: Any) -> Floats:  # noqa: ANN401 - CSR
    """Return the mean similarity of each document to all."""
    if not matrix.shape[0]:
        return np.zeros(0)
    similar: Floats = np.asarray(matrix @ np.asarray(matrix.mean(axis=0)).ravel()).ravel()
    return similar


def _spread(matrix: Any, worth: Floats, count: int) -> list[int]:  # noqa: ANN401 - CSR
    """Return rows of high worth that are unlike each other, the best first.

    One after the other the row is taken with the highest worth × (1 - its highest similarity to
    those taken before); near copies of these are left out. Cost: ``count`` passes over the
    matrix.
    """
    if not matrix.shape[0] or not count:
        return []
    groups = groups_of_copies(matrix.sorted_indices())
    nearest = np.zeros(matrix.shape[0])
    open_rows = np.ones(matrix.shape[0], dtype=np.bool_)
    taken: list[int] = []
    while len(taken) < count and open_rows.any():
        value = np.where(open_rows, worth * (1 - nearest), -np.inf)
        row = int(value.argmax())
        taken.append(row)
        open_rows &= groups != groups[row]
        similar = (matrix @ matrix[row].T).toarray().ravel()
        nearest = np.clip(np.maximum(nearest, similar), 0.0, 1.0)
    return taken


def _mixed(
    worth: Sequence[Document], at_random: Sequence[Document], random: Random
) -> list[Document]:
    """Return all documents; whoever stops early has some at random, from anywhere in the pool."""
    placed = [((place + 0.5) / len(worth), document) for place, document in enumerate(worth)]
    placed += [
        ((place + random.random()) / len(at_random), document)
        for place, document in enumerate(random.sample(at_random, len(at_random)))
    ]
    return [document for _, document in sorted(placed, key=lambda each: each[0])]


def _suggestions(
    predictor: Predictor, documents: Sequence[Document]
) -> dict[str, dict[str, float]]:
    """Return the labels of the model with their probabilities; the likeliest if it gives none.

    Labels for which a document was judged are left out.
    """
    if not documents:
        return {}
    scored = _scores(predictor, documents)
    names = predictor.model.names
    found = {}
    judged = set(zip(*scored.judged, strict=True))
    for row, given in enumerate(predictor.given(scored.scores)):
        chances = scored.chances[row]
        found[documents[row].id] = {
            names[c]: round(float(chances[c]), DECIMALS)
            for c in given or [int(chances.argmax())]
            if (row, c) not in judged
        }
    return found
