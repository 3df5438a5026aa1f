"""Documents to lines of categories, some at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from postil.cli.console import json_text, say
from postil.cli.model_fields import ModelFields

if TYPE_CHECKING:
    from postil.corpus.document import Document
    from postil.prediction import Decider, Predictor

Write = Callable[[list[str]], None]


class Predicting:
    """Decides documents ``size`` at a time, or what there is at a pause, and writes their lines.

    A rule that gives shares of a batch can only be asked about all documents at once: they are
    then held to the end.
    """

    def __init__(
        self,
        predictor: Predictor,
        size: int,
        best: int,
        write: Write,
        count: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._predictor = predictor
        self._size = size
        self._best = best
        self._write = write
        self._count = count
        self._whole = predictor.model.decision.whole_batch
        self._fields = ModelFields(predictor.model.vectorizer.fields)
        self._held: list[Document] = []
        self._decided = 0
        self._unknown = 0
        self._first_unknown = ""

    def add(self, document: Document) -> None:
        """Take the next document; it may be decided at once, or with others that follow."""
        self._held.append(document)
        if len(self._held) >= self._size:
            self.pause()

    def pause(self) -> None:
        """Decide what is held, if that can be done before the end."""
        if self._held and not self._whole:
            self._decide()

    def finish(self) -> None:
        """Decide what is left, and say how many documents the model knows nothing of."""
        if self._held:
            self._decide()
        if self._unknown:
            say(unknown_sentence(self._unknown, self._decided, self._first_unknown))

    def _decide(self) -> None:
        # Let go first: deciding must not be tried again if it fails.
        held, self._held = self._held, []
        self._fields.look(held)
        self._write(self._lines(held))
        self._decided += len(held)
        self._count(len(held))

    def _lines(self, held: Sequence[Document]) -> list[str]:
        predictor = self._predictor
        columns = predictor.model.vectorizer.fields.columns_of(held)
        scores = predictor.scores(columns)
        unknown = predictor.unknown(columns, scores)
        for row in np.flatnonzero(unknown).tolist():
            self._unknown += 1
            self._first_unknown = self._first_unknown or held[row].id
        probabilities = predictor.probabilities(scores, predictor.variances(columns))
        ids = [document.id for document in held]
        return lines_of(predictor, ids, scores, probabilities, unknown, self._best)


def lines_of(
    predictor: Decider,
    ids: Sequence[str],
    scores: NDArray[np.float64],
    probabilities: NDArray[np.float64] | None,
    unknown: NDArray[np.bool_],
    best: int,
) -> list[str]:
    """A line of JSON for each document; ``unknown`` are those without a term of the model."""
    names = predictor.model.names
    lines = []
    for row, given in enumerate(predictor.given(scores)):
        line: dict[str, Any] = {"id": ids[row], "labels": [names[c] for c in given]}
        if probabilities is not None:
            line["probabilities"] = _by_name(names, given, probabilities[row])
        if best:
            order = np.argsort(-scores[row], kind="stable")[:best]
            line["scores"] = _by_name(names, order, scores[row])
        if unknown[row]:
            line["terms"] = 0
        lines.append(json_text(line))
    return lines


def unknown_sentence(unknown: int, decided: int, first: str) -> str:
    """How many documents the model knows nothing of."""
    hold = "holds" if unknown == 1 else "hold"
    documents = "document" if decided == 1 else "documents"
    return (
        f"{unknown} of {decided} {documents} {hold} no term that the model "
        f'knows ("terms": 0); the first: {first}'
    )


def _by_name(
    names: Sequence[str], columns: Iterable[int], values: Sequence[float]
) -> dict[str, float]:
    return {names[c]: round(float(values[c]), 6) for c in columns}
