"""TextCategorizer: from labelled texts to decisions, in four lines of Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from numbers import Real
from pathlib import Path
from typing import Any

import scipy.sparse as sp

from postil.common.progress import Notify, StepProgress
from postil.common.suggest import advice
from postil.common.types import Floats
from postil.corpus.document import Document
from postil.errors import UsageError
from postil.explain.explanation import Explanation
from postil.learn.merit.naming import OwnFigure, register_figure
from postil.model.load import load_model
from postil.model.model import Model
from postil.model.save import save_model
from postil.recipes.recipe import DEFAULT, Recipe, load_recipe
from postil.train.predict import Predictor
from postil.train.reasons import Reasons
from postil.train.train import train
from postil.train.update import update
from postil.vectors.fields import Columns, Text, as_sequence

Texts = Sequence[Text] | Mapping[str, Sequence[Text]]

ONE_FIELD = "text"
RULE = "labels must be a list of str for each text, as [['sport'], ['weather', 'sport'], []]"
INDICATOR = (
    "turn an indicator of 0 and 1 into lists with inverse_transform of scikit-learn's "
    "MultiLabelBinarizer"
)
SHOWN = 60

_ABSENT: Any = object()


def decoded(text: Any, rule: str = "") -> str:  # noqa: ANN401 - whatever the caller gave
    """Return a text as str; raise UsageError if it is neither str nor bytes."""
    if isinstance(text, bytes):
        return text.decode("utf-8", "replace")
    if not isinstance(text, str):
        raise UsageError(f"{rule}a text must be a str, not {_shown(text)}")
    return text


def documents_of(texts: Texts) -> Iterator[Document]:
    """Yield a document for each text, or for each row of a mapping of fields."""
    if isinstance(texts, (str, bytes)):
        raise UsageError("expected a sequence of texts, received one text: wrap it in a list")
    given: Mapping[str, Sequence[Text]] = (
        texts if isinstance(texts, Mapping) else {ONE_FIELD: texts}
    )
    columns = {name: as_sequence(column) for name, column in given.items()}
    counts = {name: len(column) for name, column in columns.items()}
    if len(set(counts.values())) > 1:
        shown = ", ".join(f"{name} {count}" for name, count in counts.items())
        raise UsageError(f"all fields must have the same number of texts; they have {shown}")
    for number, row in enumerate(zip(*columns.values(), strict=True)):
        place = f"text {number}: "
        fields = {name: decoded(text, place) for name, text in zip(columns, row, strict=True)}
        yield Document(id=str(number), fields=fields)


def labelled(texts: Texts, labels: Iterable[Iterable[str]]) -> Iterator[Document]:
    """Yield a document for each text with its labels; raise UsageError if there is none."""
    if not isinstance(labels, Iterable):
        raise UsageError(f"{RULE}; received {_shown(labels)}")
    if sp.issparse(labels):
        raise UsageError(f"{RULE}; received a sparse matrix: {INDICATOR}")
    is_empty = True
    for document, given in zip_longest(documents_of(texts), labels, fillvalue=_ABSENT):
        if document is _ABSENT or given is _ABSENT:
            more = "labels than texts" if document is _ABSENT else "texts than labels"
            raise UsageError(f"every text needs its labels: there are more {more}")
        yield replace(document, labels=_names(document.id, given))
        is_empty = False
    if is_empty:
        raise UsageError("there is no text to learn from: give texts, and the labels of each")


def checked_documents(
    documents: Iterable[Document], door: str = "fit_documents"
) -> Iterable[Document]:
    """Return the documents; raise UsageError for anything else.

    ``door`` is the name of the calling method, ``fit_documents`` or ``update_documents``; the error
    names the method that takes texts and labels.
    """
    if isinstance(documents, (str, bytes, Path)):
        raise UsageError(
            f"{door} takes documents, not a path: open it with "
            f"postil.open_corpus({str(documents)!r})"
        )
    return _documents_alone(documents, door)


def _documents_alone(documents: Iterable[Document], door: str) -> Iterator[Document]:
    for document in documents:
        if not isinstance(document, Document):
            raise UsageError(
                f"{door} takes postil.Document, not {_shown(document)}: give texts and "
                f"labels to {door.removesuffix('_documents')}"
            )
        yield document


def _names(text: str, given: Any) -> tuple[str, ...]:  # noqa: ANN401 - whatever the caller gave
    if isinstance(given, str):
        raise UsageError(f"text {text}: its labels are one str, {given!r}; wrap it in a list")
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        raise UsageError(
            f"text {text}: its labels are {_shown(given)}; {RULE}: wrap single labels, as in "
            "[[str(label)] for label in labels]"
        )
    names = tuple(given)
    for name in names:
        if not isinstance(name, str):
            raise UsageError(
                f"text {text}: one of its labels is {_shown(name)}; {RULE}: {_way_out(names)}"
            )
    return names


def _way_out(names: Sequence[object]) -> str:
    if len(names) > 1 and all(isinstance(name, Real) and float(name) in (0, 1) for name in names):
        return INDICATOR
    return "turn each into a str"


def _shown(value: object) -> str:
    shown = " ".join(repr(value).split())
    if len(shown) > SHOWN:
        shown = f"{shown[:SHOWN]}…"
    return f"{shown} ({type(value).__name__})"


ONE_TEXT = "explain takes one text at a time: "


class TextCategorizer:
    """Learns categories from labelled texts, and assigns them to other texts.

    Texts are a sequence, or a mapping of field names to sequences; labels are a list of names for
    each text.

    Parameters
    ----------
    recipe : str, Path, mapping or Recipe
        The name of a recipe (``postil recipes`` lists them), the path of a TOML file, a mapping of
        its tables, or a :class:`~postil.recipes.recipe.Recipe`.
    aim : str or OwnFigure, optional
        The measure to learn and decide for, as ``"f1"``, ``"recall>=0.95"`` or
        ``"cost(fp=1, fn=5)"``, or your own (:class:`~postil.learn.merit.naming.OwnFigure`); see
        ``Recipe.aimed_at``.
    threads : int, optional
        The number of threads; results do not depend on it.
    seed : int
        The seed of folds and solvers.
    """

    def __init__(
        self,
        recipe: str | Path | Mapping[str, Any] | Recipe = DEFAULT,
        *,
        aim: str | OwnFigure | None = None,
        threads: int | None = None,
        seed: int = 0,
    ) -> None:
        self._recipe: Recipe | None = _aimed(_recipe(recipe), aim)
        self.threads = threads
        self.seed = seed
        self._predictor: Predictor | None = None

    @property
    def recipe(self) -> Recipe:
        """The recipe.

        That of a loaded model is read on first use: predicting does not need it, and it may aim at
        a measure that is not registered here.
        """
        if self._recipe is None:
            self._recipe = Recipe.from_dict(self.model.recipe, "the model's recipe")
        return self._recipe

    def fit(self, texts: Texts, labels: Iterable[Iterable[str]]) -> TextCategorizer:
        """Learn from labelled texts; a plain sequence stands for any field of the recipe."""
        return self.fit_documents(
            labelled(texts, labels), notify=None if isinstance(texts, Mapping) else _ignore
        )

    def fit_documents(
        self,
        documents: Iterable[Document],
        *,
        corpus: str = "",
        progress: StepProgress | None = None,
        notify: Notify | None = None,
    ) -> TextCategorizer:
        """Learn from documents; those marked test are left out."""
        model = train(
            checked_documents(documents),
            self.recipe,
            corpus=corpus,
            threads=self.threads,
            seed=self.seed,
            progress=progress,
            notify=notify,
        )
        self._predictor = Predictor(model, self.threads)
        return self

    def update(
        self, texts: Texts, labels: Iterable[Iterable[str]], *, passes: int | None = None
    ) -> TextCategorizer:
        """Learn more labelled texts on top of the model, without its earlier texts.

        The recipe must learn from one document after the other (:mod:`postil.train.update`). If
        the update fails, the model stays as it was.

        Parameters
        ----------
        texts, labels
            The new texts and their labels.
        passes : int, optional
            The number of passes over the new texts; by default that of the recipe.
        """
        names = self.model.vectorizer.fields.names
        if not isinstance(texts, Mapping) and len(names) == 1:
            texts = {names[0]: texts}
        elif not isinstance(texts, Mapping) and names:
            _columns(texts, self.model)  # raises an error that names the fields
        return self.update_documents(labelled(texts, labels), passes=passes)

    def update_documents(
        self,
        documents: Iterable[Document],
        *,
        corpus: str = "",
        passes: int | None = None,
        progress: StepProgress | None = None,
        notify: Notify | None = None,
    ) -> TextCategorizer:
        """Learn more documents as :meth:`update` does; those marked test are left out."""
        model = update(
            self.model,
            checked_documents(documents, "update_documents"),
            corpus=corpus,
            passes=passes,
            threads=self.threads,
            seed=self.seed,
            progress=progress,
            notify=notify,
        )
        self._predictor = Predictor(model, self.threads)
        return self

    @property
    def predictor(self) -> Predictor:
        """The predictor of the model; raises UsageError before ``fit``."""
        if self._predictor is None:
            raise UsageError("the categorizer has learned nothing yet: call fit first")
        return self._predictor

    @property
    def model(self) -> Model:
        """The model; raises UsageError before ``fit``."""
        return self.predictor.model

    @property
    def categories(self) -> tuple[str, ...]:
        """The names of the categories, in the order of the scores."""
        return self.model.names

    # An update in another thread replaces the predictor, so each call uses one of them throughout.

    def decision_function(self, texts: Texts) -> Floats:
        """Return scores, texts × categories; the higher, the more likely."""
        predictor = self.predictor
        return predictor.scores(_columns(texts, predictor.model))

    def predict(self, texts: Texts) -> list[tuple[str, ...]]:
        """Return the categories of each text, best first."""
        predictor = self.predictor
        return predictor.names(predictor.scores(_columns(texts, predictor.model)))

    def predict_proba(self, texts: Texts) -> Floats:
        """Return probabilities of membership, texts × categories."""
        predictor = self.predictor
        columns = _columns(texts, predictor.model)
        probabilities = predictor.probabilities(
            predictor.scores(columns), predictor.variances(columns)
        )
        if probabilities is None:
            raise UsageError(
                f"the recipe {predictor.model.recipe.get('name')} has no probabilities: give it a "
                "calibration (platt or isotonic) in its [decide] table"
            )
        return probabilities

    def explain(
        self, text: Text | Mapping[str, Text], categories: str | Sequence[str] | None = None
    ) -> tuple[Explanation, ...]:
        """Explain the decisions on categories of a text.

        Parameters
        ----------
        text : str, or mapping of str to str
            The text, or its fields.
        categories : str or sequence of str, optional
            The categories; by default those given to the text, best first, and the nearest other.
        """
        predictor = self.predictor
        columns = None
        if categories is not None:
            names = [categories] if isinstance(categories, str) else categories
            columns = [_column(name, predictor.model) for name in names]
        found = Reasons(predictor).explain(_fields_of(text, predictor.model), columns=columns)
        return tuple(reason.explanation for reason in found.reasons)

    def save(self, path: str | Path) -> None:
        """Write the model to a file."""
        save_model(self.model, path)

    @classmethod
    def load(cls, path: str | Path, *, threads: int | None = None) -> TextCategorizer:
        """Read a model from a file; nothing in it is executed."""
        model = load_model(path, threads=threads)
        loaded = cls(threads=threads)
        loaded._recipe = None  # the model's own
        loaded._predictor = Predictor(model, threads)
        return loaded


def _ignore(note: str) -> None:
    """Ignore a note on fields: a plain sequence of texts has only one."""


def _columns(texts: Texts, model: Model) -> Columns:
    """Return texts, in whatever shape ``fit`` takes, as columns of the model's fields."""
    fields = model.vectorizer.fields
    if not isinstance(texts, Mapping):
        return fields.columns(texts)
    _check_fields(texts, model)
    return fields.columns_of(documents_of(texts))


def _fields_of(text: Text | Mapping[str, Text], model: Model) -> dict[str, str]:
    """Return one text by field."""
    names = model.vectorizer.fields.names
    if isinstance(text, Mapping):
        _check_fields(text, model)
        return {name: decoded(value, ONE_TEXT) for name, value in text.items()}
    one = decoded(text, ONE_TEXT)
    if len(names) > 1:
        raise UsageError(
            f"the model reads the fields {', '.join(names)}: pass a mapping of each field to "
            "its text"
        )
    return {names[0] if names else ONE_FIELD: one}


def _check_fields(given: Iterable[str], model: Model) -> None:
    """Raise UsageError if texts have none of the fields that the model reads."""
    names = model.vectorizer.fields.names
    if names and not set(names).intersection(given):
        raise UsageError(
            f"texts have the fields {', '.join(given)}, and the model reads {', '.join(names)}"
        )


def _column(name: str, model: Model) -> int:
    """Return the column of a category."""
    if name not in model.names:
        raise UsageError(f"there is no category {name!r}{advice(name, model.names)}")
    return model.names.index(name)


def _aimed(recipe: Recipe, aim: str | OwnFigure | None) -> Recipe:
    if aim is None:
        return recipe
    if isinstance(aim, OwnFigure):
        aim = register_figure(aim).name
    return recipe.aimed_at(aim)


def _recipe(given: str | Path | Mapping[str, Any] | Recipe) -> Recipe:
    if isinstance(given, Recipe):
        return given
    if isinstance(given, Mapping):
        return Recipe.from_dict(given)
    if isinstance(given, (str, Path)):
        return load_recipe(str(given))
    raise UsageError(
        "a recipe must be a name, the path of a TOML file, a mapping of its tables, or a Recipe, "
        f"not {given!r}"
    )
