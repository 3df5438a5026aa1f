"""Vectorizers that make the same matrix of the same texts, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from benchmarks.corpora import Texts
from benchmarks.harness import Cell, Line, Named, Settings, Spread, Task, check_equal, interleaved


class TextTransformer(Protocol):
    """The part of scikit-learn's vectorizer interface that is measured."""

    def fit_transform(self, raw_documents: list[str]) -> Any:
        """Learn from the texts and return their matrix."""

    def get_feature_names_out(self) -> Iterable[str]:
        """Name the columns."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A way to make a vectorizer; each turn makes a new one. ``goal`` is what postil aims at."""

    name: str
    make: Callable[[], TextTransformer]
    goal: str = ""


def contest(
    texts: Texts, settings: Settings, reference: Contender, others: Sequence[Contender]
) -> Iterator[Line]:
    """Check that all make the reference's matrix, then time them in turns.

    Ratios are against the reference, and against the first of the others.
    """
    expected = _result(reference, texts)
    difference = max(check_equal(_result(contender, texts), expected) for contender in others)
    yield (
        f"{texts.title}: equal output, the same {expected[0].shape[1]:,} terms in "
        f"{len(texts.held):,} documents, weights that differ by at most {difference:.0e}."
    )
    del expected
    contenders = (reference, *others)
    tasks = {contender.name: _task(contender, texts) for contender in contenders}
    seconds = interleaved(tasks, settings.rounds)
    for contender in contenders:
        own = seconds[contender.name]
        row: dict[str, Cell] = {
            "corpus": f"{texts.title}, {texts.megabytes:.1f} MB",
            "contender": contender.name,
            "seconds": Spread.of(own),
            "MB/s": Spread.of([texts.megabytes / one for one in own]),
        }
        if contender is not reference:
            row[f"× {reference.name}"] = Spread.of_ratios(seconds[reference.name], own)
        if contender in others[1:]:
            row[f"× {others[0].name}"] = Spread.of_ratios(seconds[others[0].name], own)
        yield row | ({"goal": contender.goal} if contender.goal else {})


def _task(contender: Contender, texts: Texts) -> Task:
    return lambda: contender.make().fit_transform(texts.held)


def _result(contender: Contender, texts: Texts) -> Named:
    vectorizer = contender.make()
    return vectorizer.fit_transform(texts.held), vectorizer.get_feature_names_out()
