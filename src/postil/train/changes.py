"""The documents that two models decide differently, and the terms that explain it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from postil.corpus.document import Document, text_start
from postil.explain.explanation import Explanation
from postil.model.model import Model
from postil.train.assess import with_fields
from postil.train.predict import Predictor
from postil.train.reading import CHUNK
from postil.train.reasons import Reasons

KEPT, IN_A_LINE = 10, 5  # terms


class TermChange(NamedTuple):
    """The amount that a term adds to the margin of a category, in each model; 0 if unknown."""

    term: str
    before: float
    after: float

    @property
    def difference(self) -> float:
        """The amount in the second model minus that in the first."""
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class ChangeReason:
    """The reasons for which a document gains or loses a category.

    ``before`` and ``after`` are the margins above the threshold in each model, None where it does
    not know the category or has no thresholds. ``terms`` are those that push in the direction of
    the change, the strongest first; ``rest`` is the part of the change that is not in the terms:
    intercepts, thresholds, and the categories that a category competes with.
    """

    category: str
    gained: bool
    before: float | None
    after: float | None
    terms: tuple[TermChange, ...]
    rest: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "category": self.category,
            "change": "gained" if self.gained else "lost",
            "margin_before": self.before,
            "margin_after": self.after,
            "terms": [{**term._asdict(), "difference": term.difference} for term in self.terms],
            "rest": self.rest,
        }


@dataclass(frozen=True, slots=True)
class Change:
    """A document that two models decide differently: the categories that each gives, best first."""

    document: Document
    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def gained(self) -> list[str]:
        """The categories that only the second model gives."""
        return [name for name in self.after if name not in self.before]

    @property
    def lost(self) -> list[str]:
        """The categories that only the first model gives."""
        return [name for name in self.before if name not in self.after]

    def to_dict(self, reasons: Sequence[ChangeReason]) -> dict[str, Any]:
        """Return the change and its reasons as plain values for JSON."""
        document = self.document
        return {
            "id": document.id,
            "before": list(self.before),
            "after": list(self.after),
            **({"labels": list(document.labels)} if document.labels else {}),
            "reasons": [reason.to_dict() for reason in reasons],
            "text": text_start(document),
        }

    def lines(self, reasons: Sequence[ChangeReason]) -> list[str]:
        """Return the change and its reasons for a reader."""
        before, after = (", ".join(given) or "none" for given in (self.before, self.after))
        lines = [f"{self.document.id}: {before} → {after}"]
        for reason in reasons:
            terms = [f"{term.term} {term.difference:+.2f}" for term in reason.terms[:IN_A_LINE]]
            if reason.rest is not None:
                terms.append(f"intercept and threshold {reason.rest:+.2f}")
            word = "gains" if reason.gained else "loses"
            lines.append(f"  {word} {reason.category}: {', '.join(terms) or 'not explained'}")
        return lines


class ModelDifference:
    """Finds the documents that two models decide differently, and counts them.

    Parameters
    ----------
    before, after : Model
        The models, which read texts.
    threads : int, optional
        The number of threads.

    Attributes
    ----------
    documents, changed : int
        The documents read so far, and those decided differently.
    gained, lost : Counter of str
        The number of documents that gain and lose each category.
    """

    def __init__(self, before: Model, after: Model, threads: int | None = None) -> None:
        self._predictors = Predictor(before, threads), Predictor(after, threads)
        # A rule without thresholds cannot be explained.
        self._reasons = [
            None
            if predictor.model.decision.thresholds is None
            else Reasons(predictor, sets=0, additions=0)
            for predictor in self._predictors
        ]
        self.documents = 0
        self.changed = 0
        self.gained: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()

    def changes(self, documents: Iterable[Document], source: str) -> Iterator[Change]:
        """Yield the documents that are decided differently, in their order.

        Both models score each document once; memory is that of a few thousand documents, or of all
        of them if a rule decides over all documents together.

        Parameters
        ----------
        documents : iterable of Document
            The documents, which are read once.
        source : str
            The name of the corpus, for messages.
        """
        models = [predictor.model for predictor in self._predictors]
        for model in models:
            documents = with_fields(documents, model.vectorizer.fields.names, source)
        stream = iter(documents)
        size = None if any(model.decision.whole_batch for model in models) else CHUNK
        while chunk := list(islice(stream, size)):
            decided = [self._decided(predictor, chunk) for predictor in self._predictors]
            for document, before, after in zip(chunk, *decided, strict=True):
                self.documents += 1
                if set(before) == set(after):
                    continue
                change = Change(document, before, after)
                self.changed += 1
                self.gained.update(change.gained)
                self.lost.update(change.lost)
                yield change

    @staticmethod
    def _decided(predictor: Predictor, chunk: list[Document]) -> list[tuple[str, ...]]:
        columns = predictor.model.vectorizer.fields.columns_of(chunk)
        return predictor.names(predictor.scores(columns))

    def reasons(self, change: Change) -> list[ChangeReason]:
        """Explain each category that a document gains or loses.

        Cost for each category: that of an explanation by either model.
        """
        wanted = [*((name, True) for name in change.gained), *((n, False) for n in change.lost)]
        explained = [self._explained(side, change) for side in range(2)]
        return [
            _reason(name, gained, explained[0].get(name), explained[1].get(name))
            for name, gained in wanted
        ]

    def _explained(self, side: int, change: Change) -> dict[str, Explanation]:
        """Return the explanations by one model of the categories that it knows."""
        reasons, names = self._reasons[side], self._predictors[side].model.names
        if reasons is None:
            return {}
        known = [names.index(n) for n in (*change.gained, *change.lost) if n in names]
        document = change.document
        found = reasons.explain(document.fields, document.id, known)
        return {reason.category: reason for reason in found.reasons}


def _reason(
    category: str, gained: bool, before: Explanation | None, after: Explanation | None
) -> ChangeReason:
    added = [
        {} if each is None else {share.term: share.added for share in each.terms}
        for each in (before, after)
    ]
    terms = [
        TermChange(term, added[0].get(term, 0.0), added[1].get(term, 0.0))
        for term in dict.fromkeys((*added[0], *added[1]))
    ]
    sign = 1 if gained else -1
    helping = sorted(
        (term for term in terms if sign * term.difference > 0),
        key=lambda term: -sign * term.difference,
    )
    first, second = _above_threshold(before), _above_threshold(after)
    rest = None
    if first is not None and second is not None:
        rest = second - first - math.fsum(term.difference for term in terms)
    return ChangeReason(category, gained, first, second, tuple(helping[:KEPT]), rest)


def _above_threshold(explanation: Explanation | None) -> float | None:
    if explanation is None or not math.isfinite(explanation.threshold):
        return None
    return explanation.margin - explanation.threshold
