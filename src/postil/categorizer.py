"""TextCategorizer: from labelled texts to decisions, as a scikit-learn classifier."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from operator import index
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError as ScikitNotFittedError
from sklearn.utils import Tags

from postil.common.progress import Notify, StepProgress
from postil.common.progress_bar import progress_bar
from postil.common.suggest import advice
from postil.common.types import Floats
from postil.corpus.document import Document
from postil.corpus.formats.columns import GROUP, NOT_LABELS, WEIGHT
from postil.corpus.label_files import read_label_file
from postil.corpus.label_vocabulary import LabelVocabulary
from postil.decide.scores import checked_weights, top_columns
from postil.errors import UsageError
from postil.estimators.labels import Indicator, LabelForm, Labels, NameLists, OneClass, read_labels
from postil.estimators.texts import (
    ONE_FIELD,
    TextColumns,
    Texts,
    check_columns_are_read,
    check_fields,
    checked_documents,
    decoded,
    read_labelled,
    read_texts,
)
from postil.explain.page import Explanations
from postil.learn.merit.naming import OwnFigure, register_figure
from postil.model.load import load_model
from postil.model.model import Model
from postil.model.numbered import FIELDS
from postil.model.route import least_probability
from postil.model.save import save_model
from postil.recipes.recipe import DEFAULT, Recipe, load_recipe
from postil.train.predict import Predictor
from postil.train.reasons import Reasons
from postil.train.train import HierarchyUse, train
from postil.train.update import update
from postil.vectors.fields import Columns, Text

ONE_TEXT = "explain takes one text at a time: "


class NotFittedError(UsageError, ScikitNotFittedError):  # type: ignore[misc]
    """A categorizer is used before ``fit``; also scikit-learn's error."""


class TextCategorizer(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Learns categories from labelled texts, and assigns them to other texts.

    Texts are a list, an array or a column of str; or a frame (pandas, polars, Arrow, Hugging Face)
    or a mapping of columns, in which each column of texts is a field. A missing value of a field is
    an empty text.

    Labels take one of three forms, and ``predict`` answers in the same form:

    - a class for each text, str or int: an array with the best class of each text;
    - a list of names for each text: a list of tuples of names, best first;
    - an indicator of 0 and 1, dense or sparse, with a column for each label: such an indicator.

    It is a scikit-learn classifier, for ``cross_val_score``, ``GridSearchCV`` and ``Pipeline``.

    Parameters
    ----------
    recipe : str, Path, mapping or Recipe
        The name of a recipe (``postil recipes`` lists them), the path of a TOML file, a mapping of
        its tables, or a :class:`~postil.recipes.recipe.Recipe`.
    aim : str or OwnFigure, optional
        The measure to learn and decide for, as ``"f1"``, ``"recall>=0.95"`` or
        ``"cost(fp=1, fn=5)"``, or your own (:class:`~postil.learn.merit.naming.OwnFigure`); see
        ``Recipe.aimed_at``.
    budget : float or str, optional
        The time to search for the best recipe, in seconds or as ``"10m"``; ``"none"`` searches
        nothing and learns by the recipe ``default``. By default it is that of the recipe: about
        45 s for large data, and little for few texts.
    route : str, optional
        The precision of labels that need no check, as ``"precision>=0.98"``; see :meth:`referred`.
    labels : LabelVocabulary, str or Path, optional
        Names of labels, or the file of them. Labels that name one of them become its id, which
        ``predict`` answers with; ``model.titles`` has the names of the categories.
    hierarchy : {"back-off", "consistent"}, optional
        Use the broader labels of ``labels``: answers are the most specific labels that are sure
        enough, and those above them elsewhere; ``"consistent"`` gives a label only if all above
        it are accepted.
    threads : int, optional
        The number of threads; results do not depend on it.
    seed : int
        The seed of folds and solvers.
    verbose : int
        1 shows a progress bar, if standard error is a terminal, and notes.

    Attributes
    ----------
    classes_ : array
        The classes, sorted; the names of the categories, for lists of names; the numbers of the
        columns, for an indicator. Scores and probabilities have a column for each.
    recipe_ : Recipe
        The complete recipe of the model.
    feature_names_in_ : array
        The fields of the texts, if they have names.
    """

    def __init__(
        self,
        recipe: str | Path | Mapping[str, Any] | Recipe = DEFAULT,
        *,
        aim: str | OwnFigure | None = None,
        budget: float | str | None = None,
        route: str | None = None,
        labels: LabelVocabulary | str | Path | None = None,
        hierarchy: HierarchyUse | None = None,
        threads: int | None = None,
        seed: int = 0,
        verbose: int = 0,
    ) -> None:
        self.recipe = recipe
        self.aim = aim
        self.budget = budget
        self.route = route
        self.labels = labels
        self.hierarchy = hierarchy
        self.threads = threads
        self.seed = seed
        self.verbose = verbose

    def fit(
        self,
        texts: Texts,
        labels: Labels | str | None = None,
        sample_weight: ArrayLike | None = None,
        groups: Iterable[object] | None = None,
    ) -> Self:
        """Learn from labelled texts; plain texts stand for any field of the recipe.

        Parameters
        ----------
        texts : list, array, column, frame or mapping of columns
            The texts.
        labels : list, array, column, indicator or str, optional
            The labels of each text. Of a frame, also the name of the column that holds them; by
            default the column is known by its name, such as ``label``.
        sample_weight : array, optional
            The weight of each text; all 1 by default.
        groups : iterable, optional
            What each text belongs to, such as a customer: the folds that thresholds are tuned on
            keep the texts of a group together.
        """
        own = {WEIGHT: sample_weight, GROUP: groups, NOT_LABELS: None}
        check_columns_are_read(texts, own)
        columns, labels = read_labelled(texts, labels)
        names, form = read_labels(labels, len(columns))
        _check_labels_apart(columns, labels, names)
        vocabulary = self._vocabulary()
        if vocabulary is not None and isinstance(form, Indicator):
            raise UsageError(
                "the columns of an indicator have no names for a label vocabulary: give lists of "
                "names, or leave labels out"
            )
        if vocabulary is not None:
            names, form = read_labels(labels, len(columns), vocabulary=vocabulary)
        _check_any_label(names)
        recipe = self._resolved()
        if isinstance(form, OneClass):
            recipe = _with_one_category(recipe)
        notify = None if columns.is_named else _ignore
        documents = columns.documents(names, sample_weight, groups)
        self._learn(documents, recipe, notify=notify)
        # A text may get a label above those of the texts.
        self._form = form if self.hierarchy is None else form.of_documents(self.model.names)
        self._set_fields(columns.names)
        return self

    def fit_documents(
        self,
        documents: Iterable[Document],
        *,
        corpus: str = "",
        progress: StepProgress | None = None,
        notify: Notify | None = None,
    ) -> Self:
        """Learn from documents; those marked test are left out.

        The answers of ``predict`` are those of a loaded model (:meth:`load`).

        Parameters
        ----------
        documents : iterable of Document
            The documents, such as an open corpus.
        corpus : str
            The name of the corpus.
        progress, notify : callable, optional
            As in :func:`postil.train.train.train`.
        """
        checked = checked_documents(documents)
        self._learn(checked, self._resolved(), corpus=corpus, progress=progress, notify=notify)
        self._form = _form_of(self.model)
        self._set_fields(None)
        return self

    def _learn(
        self,
        documents: Iterable[Document],
        recipe: Recipe,
        *,
        corpus: str = "",
        progress: StepProgress | None = None,
        notify: Notify | None = None,
    ) -> None:
        seed = _checked_seed(self.seed)
        with self._reporting(progress, notify) as reporting:
            model = train(
                documents,
                recipe,
                corpus=corpus,
                labels=self._vocabulary(),
                hierarchy=self.hierarchy,
                threads=self.threads,
                seed=seed,
                **reporting,
            )
        self._predictor = Predictor(model, self.threads)

    def update(
        self, texts: Texts, labels: Labels | str | None = None, *, passes: int | None = None
    ) -> Self:
        """Learn more labelled texts on top of the model, without its earlier texts.

        The recipe must learn from one document after the other (:mod:`postil.train.update`). If
        the update fails, the model stays as it was.

        Parameters
        ----------
        texts, labels
            The new texts and their labels, in the form of those of ``fit``.
        passes : int, optional
            The number of passes over the new texts; by default that of the recipe.
        """
        fields = self.model.vectorizer.fields
        columns, labels = read_labelled(texts, labels)
        names, form = read_labels(labels, len(columns), self._form, self.model.labels)
        _check_any_label(names)
        if not columns.is_named:
            columns.read_by(fields, None)  # raises an error that names the fields
            columns = columns.renamed(next(iter(fields.names), ONE_FIELD))
        return self._update(columns.documents(names), form, passes=passes)

    def update_documents(
        self,
        documents: Iterable[Document],
        *,
        corpus: str = "",
        passes: int | None = None,
        progress: StepProgress | None = None,
        notify: Notify | None = None,
    ) -> Self:
        """Learn more documents as :meth:`update` does; those marked test are left out."""
        checked = checked_documents(documents, "update_documents")
        self._form.of_documents(self.model.names)  # raises an error before any work
        return self._update(
            checked, None, corpus=corpus, passes=passes, progress=progress, notify=notify
        )

    def _update(
        self,
        documents: Iterable[Document],
        form: LabelForm | None,
        *,
        corpus: str = "",
        passes: int | None = None,
        progress: StepProgress | None = None,
        notify: Notify | None = None,
    ) -> Self:
        with self._reporting(progress, notify) as reporting:
            model = update(
                self.model,
                documents,
                corpus=corpus,
                passes=passes,
                threads=self.threads,
                seed=self.seed,
                **reporting,
            )
        # The form comes first: it suits the old model too, which another thread may be using.
        self._form = form or self._form.of_documents(model.names)
        self._predictor = Predictor(model, self.threads)
        return self

    @property
    def predictor(self) -> Predictor:
        """The predictor of the model; raises NotFittedError before ``fit``."""
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("the categorizer has learned nothing yet: call fit first")
        return self._predictor

    @property
    def model(self) -> Model:
        """The model; raises NotFittedError before ``fit``."""
        return self.predictor.model

    @property
    def recipe_(self) -> Recipe:
        """The complete recipe of the model.

        It is read when asked for: predicting does not need it, and that of a loaded model may aim
        at a measure that is not registered here.
        """
        return Recipe.from_dict(self.model.recipe, "the model's recipe")

    @property
    def categories(self) -> tuple[str, ...]:
        """The names of the categories in the model."""
        return self.model.names

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, in the order of scores and probabilities."""
        names = self.model.names
        return self._form.classes(names)

    # An update in another thread replaces the predictor, so each call uses one of them throughout.

    def decision_function(self, texts: Texts) -> Floats:
        """Return scores, texts × classes; the higher, the more likely.

        For two classes, of which a text has one, the scores are one number for each text, which
        is over 0 for the second class.
        """
        predictor = self.predictor
        scores = predictor.scores(self._columns(texts, predictor.model))
        names = predictor.model.names
        if isinstance(self._form, OneClass) and len(names) == 2:
            excess = predictor.model.decision.acceptance.excess(scores)
            first, second = self._form.arranged(excess, names).T
            return np.asarray(second - first)
        return self._form.arranged(scores, names)

    def predict(self, texts: Texts) -> Any:  # noqa: ANN401 - as the labels of fit
        """Return the categories of each text in the form of the labels of ``fit``."""
        predictor = self.predictor
        scores = predictor.scores(self._columns(texts, predictor.model))
        return self._form.answers(predictor.given(scores), predictor.model.names)

    def referred(self, texts: Texts, min_probability: float | None = None) -> NDArray[np.bool_]:
        """Return True for each text that a person should label: no label of it is sure enough.

        That is so for any text without a term that the model knows.
        ``predict`` answers for all texts; leave its answers for these out.

        Parameters
        ----------
        texts : list, array, column, frame or mapping of columns
            The texts.
        min_probability : float, optional
            The least probability of a sure label, by default that of the route.
        """
        predictor = self.predictor
        least = least_probability(predictor.model, min_probability)
        if least is None:
            raise UsageError(
                "referred needs a probability above 0: fit with route="
                '"precision>=0.98", or give min_probability'
            )
        columns = self._columns(texts, predictor.model)
        scores = predictor.scores(columns)
        probabilities = predictor.probabilities(scores, predictor.variances(columns))
        assert probabilities is not None
        probable = probabilities >= least
        sure = predictor.model.accept(scores, sure=None if min_probability is None else probable)
        sure &= probable
        unknown = predictor.unknown(columns, scores)
        return np.asarray(~sure.any(axis=1) | unknown, dtype=np.bool_)

    def suggest(
        self,
        texts: Texts,
        k: int = 5,
        *,
        include: Iterable[Any] | None = None,
        exclude: Iterable[Any] = (),
    ) -> list[list[tuple[Any, float]]]:
        """Return the k best classes of each text, best first, whatever the thresholds.

        Each stands with its probability, or with its score if the recipe has no probabilities.

        Parameters
        ----------
        texts : list, array, column, frame or mapping of columns
            The texts.
        k : int
            The number of classes for each text, at least 1.
        include : iterable of classes, optional
            The classes that may be suggested, by name or as in ``classes_``; all by default.
        exclude : iterable of classes
            Classes that are not suggested.
        """
        if k < 1:
            raise UsageError(f"suggest: k must be at least 1, got {k}")
        predictor = self.predictor
        model = predictor.model
        allowed = set(range(len(model.names)))
        if include is not None:
            allowed = {self._category(each, model) for each in include}
        allowed -= {self._category(each, model) for each in exclude}
        columns = self._columns(texts, model)
        scores = predictor.scores(columns)
        values = predictor.probabilities(scores, predictor.variances(columns))
        values = scores if values is None else values
        # A class that no text of the training had has no column.
        own = np.array(sorted(allowed.difference([-1])), dtype=np.intp)
        if not len(own):
            raise UsageError("suggest: include and exclude leave no class that can be suggested")
        best = own[top_columns(values[:, own], k)]
        classes = dict(zip(self._columns_of_classes(model), self.classes_.tolist(), strict=True))
        return [
            [(classes[c], float(row[c])) for c in top]
            for row, top in zip(values, best.tolist(), strict=True)
        ]

    def predict_proba(self, texts: Texts) -> Floats:
        """Return probabilities of membership, texts × classes."""
        predictor = self.predictor
        columns = self._columns(texts, predictor.model)
        probabilities = predictor.probabilities(
            predictor.scores(columns), predictor.variances(columns)
        )
        if probabilities is None:
            raise UsageError(
                f"the recipe {predictor.model.recipe.get('name')} has no probabilities: give it a "
                "calibration (platt or isotonic) in its [decide] table"
            )
        return self._form.arranged(probabilities, predictor.model.names, absent=0.0)

    def score(
        self,
        texts: Texts,
        labels: Labels | str | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Return the share of texts that get exactly their labels.

        For one class for each text this is the accuracy, for an indicator the subset accuracy, as
        in scikit-learn.

        Parameters
        ----------
        texts, labels
            The texts and their labels, in the form of those of ``fit``.
        sample_weight : array, optional
            The weight of each text.
        """
        predictor = self.predictor
        columns, labels = read_labelled(texts, labels)
        names, _ = read_labels(labels, len(columns), self._form, predictor.model.labels)
        given = predictor.names(predictor.scores(self._arranged(columns, predictor.model)))
        right = [set(row) == set(wanted) for row, wanted in zip(given, names, strict=True)]
        weights = checked_weights(sample_weight, len(right))
        return float(np.average(np.array(right, dtype=np.float64), weights=weights))

    def explain(
        self,
        text: Text | Mapping[str, Text],
        categories: Any = None,  # noqa: ANN401 - as the labels of fit
    ) -> Explanations:
        """Explain the decisions on categories of a text; a notebook shows them as a page.

        Parameters
        ----------
        text : str, or mapping of str to str
            The text, or its fields.
        categories : class or sequence of classes, optional
            The categories, by name or as in ``classes_``; by default those given to the text, best
            first, and the nearest other.
        """
        predictor = self.predictor
        columns = None
        if categories is not None:
            one = isinstance(categories, str) or not isinstance(categories, Iterable)
            wanted = [categories] if one else categories
            columns = [self._category(each, predictor.model) for each in wanted]
        found = Reasons(predictor).explain(_fields_of(text, predictor.model), columns=columns)
        return Explanations(found.reasons)

    def save(self, path: str | Path) -> None:
        """Write the model to a file; classes that are numbers become names."""
        save_model(self.model, path)

    @classmethod
    def load(cls, path: str | Path, *, threads: int | None = None) -> Self:
        """Read a model from a file; nothing in it is executed.

        Its answers are an array of names if each training document had one label and the model
        gives one; else tuples of names.
        """
        model = load_model(path, threads=threads)
        loaded = cls(model.recipe, threads=threads)
        loaded._predictor = Predictor(model, threads)
        loaded._form = _form_of(model)
        return loaded

    def _vocabulary(self) -> LabelVocabulary | None:
        labels = self.labels
        return read_label_file(labels) if isinstance(labels, str | Path) else labels

    def _resolved(self) -> Recipe:
        recipe = _recipe(self.recipe)
        recipe = recipe if self.budget is None else recipe.within(self.budget)
        recipe = _aimed(recipe, self.aim)
        return recipe if self.route is None else recipe.routed(self.route)

    def _category(self, category: Any, model: Model) -> int:  # noqa: ANN401 - as those of fit
        """Return the column of a category, given by its name or as in ``classes_``."""
        if not isinstance(category, str):
            columns = self._columns_of_classes(model)
            for column, each in zip(columns, self.classes_.tolist(), strict=True):
                if each == category:
                    return column
        return _column(str(category), model)

    def _columns_of_classes(self, model: Model) -> list[int]:
        """Return the column in the model of each class, in the order of ``classes_``."""
        columns = np.arange(len(model.names), dtype=np.float64)[np.newaxis]
        (arranged,) = self._form.arranged(columns, model.names)
        return [int(column) for column in arranged]

    def _set_fields(self, names: Sequence[str] | None) -> None:
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _columns(self, texts: Texts, model: Model) -> Columns:
        return self._arranged(read_texts(texts), model)

    def _arranged(self, columns: TextColumns, model: Model) -> Columns:
        """Return the texts as columns of the model's fields."""
        return columns.read_by(model.vectorizer.fields, model.method.get(FIELDS))

    @contextmanager
    def _reporting(
        self, progress: StepProgress | None, notify: Notify | None
    ) -> Iterator[dict[str, Any]]:
        """Yield the callbacks of training; ``verbose`` shows what the caller does not take."""
        if not self.verbose:
            yield {"progress": progress, "notify": notify}
            return
        own = notify is None or notify is _ignore
        with progress_bar() as bar:
            yield {"progress": progress or bar.update, "notify": _say if own else notify}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_predictor")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        tags.classifier_tags.multi_label = True
        return tags

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:  # noqa: N803 - as scikit-learn has it
        recipe = self.recipe
        if isinstance(recipe, Recipe):
            recipe = recipe.name
        elif isinstance(recipe, Mapping):
            recipe = recipe.get("name") or dict(recipe)
        aim = f", aim={getattr(self.aim, 'name', self.aim)!r}" if self.aim is not None else ""
        budget = "" if self.budget is None else f", budget={self.budget!r}"
        route = "" if self.route is None else f", route={self.route!r}"
        settings = f"{type(self).__name__}(recipe={recipe!r}{aim}{budget}{route})"
        if not self.__sklearn_is_fitted__():
            return settings
        model = self.model
        noun = "category" if len(model.names) == 1 else "categories"
        return (
            f"{settings}: {len(model.names)} {noun}, {model.training.documents:,} documents, "
            f"{model.vectorizer.terms:,} terms"
        )


def _checked_seed(seed: int) -> int:
    try:
        number = index(seed)
    except TypeError:
        number = -1
    if number < 0:
        raise UsageError(f"seed must be a whole number of at least 0, not {seed!r}")
    return number


def _ignore(note: str) -> None:
    """Ignore a note on fields: plain texts have only one."""


def _say(note: str) -> None:
    print(note, file=sys.stderr)


def _check_labels_apart(
    columns: TextColumns, labels: object, names: Sequence[tuple[str, ...]]
) -> None:
    """Raise UsageError if the labels are a column of the texts, which would give them away."""
    if not columns.is_named:
        return
    for name, values in columns.columns.items():
        # Columns of Arrow and of datasets do not know their names.
        is_same = len(columns.columns) > 1 and all(
            (value,) == given for value, given in zip(values, names, strict=True)
        )
        if is_same or getattr(labels, "name", None) == name:
            raise UsageError(
                f"the labels are the column {name!r}, which is among the texts: give the name of "
                f"the column as labels, {name!r}, or leave it out of the texts"
            )


def _check_any_label(names: Sequence[tuple[str, ...]]) -> None:
    if not any(names):
        raise UsageError(f"none of the {len(names)} texts has a label: give some texts labels")


def _form_of(model: Model) -> LabelForm:
    """Return the form of a model's answers: one class if its documents and decisions have one."""
    rule, training = model.decision, model.training
    has_one = int(training.members.sum()) == training.documents
    if rule.at_least == rule.at_most == 1 and has_one:
        return OneClass(np.sort(np.array(model.names)))
    return NameLists()


def _with_one_category(recipe: Recipe) -> Recipe:
    """Return the recipe that gives each text exactly one category.

    That is the category with the highest score, or, in a recipe that aims at a measure, the one
    furthest above its threshold.
    """
    if recipe.aim is None:
        return replace(recipe.deciding("one"), expect=())
    rule = str(replace(recipe.decide.tuned_rule(), at_least=1, at_most=1))
    return replace(recipe, decide=replace(recipe.decide, labels="one", rule=rule), expect=())


def _fields_of(text: Text | Mapping[str, Text], model: Model) -> dict[str, str]:
    """Return one text by field."""
    names = model.vectorizer.fields.names
    if isinstance(text, Mapping):
        check_fields(text, names)
        return {name: decoded(value, ONE_TEXT) for name, value in text.items()}
    one = decoded(text, ONE_TEXT)
    if len(names) > 1:
        raise UsageError(
            f"the model reads the fields {', '.join(names)}: pass a mapping of each field to "
            "its text"
        )
    return {names[0] if names else ONE_FIELD: one}


def _column(name: str, model: Model) -> int:
    """Return the column of a category."""
    if name not in model.names and model.labels is not None:
        name = model.labels.find(name)
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
