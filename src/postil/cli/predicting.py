"""Documents to lines of categories, some at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from postil.cli.console import say
from postil.cli.model_fields import ModelFields

if TYPE_CHECKING:
    from postil.corpus.document import Document
    from postil.prediction import Predictor

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
            hold = "holds" if self._unknown == 1 else "hold"
            documents = "document" if self._decided == 1 else "documents"
            say(
                f"{self._unknown} of {self._decided} {documents} {hold} no term that the model "
                f'knows ("terms": 0); the first: {self._first_unknown}'
            )

    def _decide(self) -> None:
        # Let go first: deciding must not be tried again if it fails.
        held, self._held = self._held, []
        self._fields.look(held)
        self._write(self._lines(held))
        self._decided += len(held)
        self._count(len(held))

    def _lines(self, held: Sequence[Document]) -> list[str]:
        predictor = self._predictor
        names = predictor.model.names
        columns = predictor.model.vectorizer.fields.columns_of(held)
        scores = predictor.scores(columns)
        probabilities = predictor.probabilities(scores)
        unknown = predictor.unknown(columns, scores)
        lines = []
        for row, given in enumerate(predictor.given(scores)):
            line: dict[str, Any] = {"id": held[row].id, "labels": [names[c] for c in given]}
            if probabilities is not None:
                line["probabilities"] = _by_name(names, given, probabilities[row])
            if self._best:
                order = scores[row].argsort(kind="stable")[::-1][: self._best]
                line["scores"] = _by_name(names, order, scores[row])
            if unknown[row]:
                line["terms"] = 0
                self._unknown += 1
                self._first_unknown = self._first_unknown or held[row].id
            lines.append(json.dumps(line, ensure_ascii=False))
        return lines


def _by_name(
    names: Sequence[str], columns: Iterable[int], values: Sequence[float]
) -> dict[str, float]:
    return {names[c]: round(float(values[c]), 6) for c in columns}
