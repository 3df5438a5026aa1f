"""TextCategorizer: from labelled texts to decisions, in four lines of Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postil.corpus.document import Document
from postil.errors import UsageError
from postil.explain.explanation import Explanation
from postil.model.loading import load_model
from postil.model.model import Model
from postil.model.saving import save_model
from postil.prediction import Predictor
from postil.reasons import Reasons
from postil.recipes.recipe import DEFAULT, Recipe, load_recipe
from postil.text.suggest import advice
from postil.training import Watch, train
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
        self._predictor: Predictor | None = None

    def fit(self, texts: Texts, labels: Iterable[Iterable[str]]) -> TextCategorizer:
        """Learn from labelled texts."""
        return self.fit_documents(_documents(texts, labels))

    def fit_documents(
        self, documents: Iterable[Document], *, corpus: str = "", watch: Watch | None = None
    ) -> TextCategorizer:
        """Learn from documents; those marked as test are left out."""
        model = train(
            documents,
            self.recipe,
            corpus=corpus,
            threads=self.threads,
            seed=self.seed,
            watch=watch,
        )
        self._predictor = Predictor(model, self.threads)
        return self

    @property
    def predictor(self) -> Predictor:
        """What was learned, ready to be asked."""
        if self._predictor is None:
            raise UsageError("the categorizer has learned nothing yet: call fit first")
        return self._predictor

    @property
    def model(self) -> Model:
        """What was learned."""
        return self.predictor.model

    @property
    def categories(self) -> tuple[str, ...]:
        """The names of the categories, in the order of the scores."""
        return self.model.names

    def decision_function(self, texts: Texts) -> Floats:
        """Scores: texts × categories, the higher the likelier."""
        return self.predictor.scores(self.model.vectorizer.fields.columns(texts))

    def predict(self, texts: Texts) -> list[tuple[str, ...]]:
        """The categories of each text, best first."""
        return self.predictor.names(self.decision_function(texts))

    def predict_proba(self, texts: Texts) -> Floats:
        """Probabilities of membership: texts × categories."""
        probabilities = self.predictor.probabilities(self.decision_function(texts))
        if probabilities is None:
            raise UsageError(
                f"the recipe {self.recipe.name} has no probabilities: give it a calibration "
                "(platt or isotonic) in its [decide] table"
            )
        return probabilities

    def explain(
        self, text: Text | Mapping[str, str], categories: Sequence[str] | None = None
    ) -> tuple[Explanation, ...]:
        """Why a text was given its categories, or why not those named.

        Without names: those it was given, best first, and the nearest that it was not.
        """
        columns = None
        if categories is not None:
            columns = [self._column(name) for name in categories]
        fields = text if isinstance(text, Mapping) else {ONE_FIELD: _decoded(text)}
        told = Reasons(self.predictor).explain(fields, columns=columns)
        return tuple(reason.explanation for reason in told.reasons)

    def _column(self, name: str) -> int:
        if name not in self.categories:
            raise UsageError(f"there is no category {name!r}{advice(name, self.categories)}")
        return self.categories.index(name)

    def save(self, path: str | Path) -> None:
        """Write the model to a file."""
        save_model(self.model, path)

    @classmethod
    def load(cls, path: str | Path, *, threads: int | None = None) -> TextCategorizer:
        """Read a model from a file; nothing in it is executed."""
        model = load_model(path, threads=threads)
        loaded = cls(Recipe.from_dict(model.recipe, str(path)), threads=threads)
        loaded._predictor = Predictor(model, threads)
        return loaded


def _decoded(text: Text) -> str:
    return text.decode() if isinstance(text, bytes) else text


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
