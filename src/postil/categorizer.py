"""TextCategorizer: from labelled texts to decisions, in four lines of Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.corpus.document import Document
from postil.errors import UsageError
from postil.recipes.recipe import DEFAULT, Recipe, load_recipe
from postil.training import Trained, Watch, train
from postil.vectors.fields import Text

Texts = Sequence[Text] | Mapping[str, Sequence[Text]]
Floats = NDArray[np.float64]

ONE_FIELD = "text"


class TextCategorizer:
    """Learns categories from labelled texts, and gives them to others.

    ``recipe`` is the name of one (``postil recipes`` lists them), the path of a TOML file, or a
    :class:`~postil.recipes.recipe.Recipe`. Texts are a sequence, or a mapping of field names to
    sequences; labels are a set of names for each text.
    """

    def __init__(
        self, recipe: str | Recipe = DEFAULT, *, threads: int | None = None, seed: int = 0
    ) -> None:
        self.recipe = recipe if isinstance(recipe, Recipe) else load_recipe(recipe)
        self.threads = threads
        self.seed = seed
        self._trained: Trained | None = None

    def fit(self, texts: Texts, labels: Iterable[Iterable[str]]) -> TextCategorizer:
        """Learn from labelled texts."""
        return self.fit_documents(_documents(texts, labels))

    def fit_documents(
        self, documents: Iterable[Document], watch: Watch | None = None
    ) -> TextCategorizer:
        """Learn from documents; those marked as test are left out."""
        self._trained = train(
            documents, self.recipe, threads=self.threads, seed=self.seed, watch=watch
        )
        return self

    @property
    def trained(self) -> Trained:
        """What was learned."""
        if self._trained is None:
            raise UsageError("the categorizer has learned nothing yet: call fit first")
        return self._trained

    @property
    def categories(self) -> tuple[str, ...]:
        """The names of the categories, in the order of the scores."""
        return self.trained.categories

    def decision_function(self, texts: Texts) -> Floats:
        """Scores: texts × categories, the higher the likelier."""
        trained = self.trained
        return trained.fit.scores(trained.vectorizer.transform(texts))

    def predict(self, texts: Texts) -> list[tuple[str, ...]]:
        """The categories of each text, best first."""
        scores = self.decision_function(texts)
        accepted = self.trained.rule.accept(scores)
        return [
            tuple(self.categories[c] for c in _best_first(row, given))
            for row, given in zip(scores, accepted, strict=True)
        ]

    def predict_proba(self, texts: Texts) -> Floats:
        """Probabilities of membership: texts × categories."""
        calibration = self.trained.calibration
        if calibration is None:
            raise UsageError(
                f"the recipe {self.recipe.name} has no probabilities: give it a calibration "
                "(platt or isotonic) in its [decide] table"
            )
        return calibration.probabilities(self.decision_function(texts))


def _best_first(scores: Floats, given: NDArray[np.bool_]) -> list[int]:
    return sorted(np.flatnonzero(given).tolist(), key=lambda c: (-scores[c], c))


def _documents(texts: Texts, labels: Iterable[Iterable[str]]) -> Iterator[Document]:
    if isinstance(texts, (str, bytes)):
        raise UsageError("expected a sequence of texts, received one text: wrap it in a list")
    fields: Mapping[str, Sequence[Any]] = (
        texts if isinstance(texts, Mapping) else {ONE_FIELD: texts}
    )
    names = list(fields)
    rows = zip(*fields.values(), strict=True)
    for number, (row, given) in enumerate(_paired(rows, labels)):
        if isinstance(given, str):
            raise UsageError(
                f"text {number}: its labels are one string, {given!r}; wrap it in a list"
            )
        yield Document(
            id=str(number), fields=dict(zip(names, row, strict=True)), labels=tuple(given)
        )


def _paired(rows: Iterable[Any], labels: Iterable[Iterable[str]]) -> Iterator[tuple[Any, Any]]:
    try:
        yield from zip(rows, labels, strict=True)
    except ValueError as error:
        raise UsageError(f"every text needs its labels: {error}") from None
