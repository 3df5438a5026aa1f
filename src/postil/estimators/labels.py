"""Labels as a user holds them, and answers in the same form.

Labels are a class for each text, a list of names for each text, or an indicator of 0 and 1 with a
column for each label. A model has names: the str of a class, or of the number of a column.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.common.types import Floats, Indices
from postil.corpus.frames import (
    Frame,
    as_frame,
    column_of,
    is_frame,
    is_missing,
    names_of,
    shown,
    values_of,
)
from postil.errors import UsageError
from postil.estimators.texts import Column
from postil.learn.tasks import NEVER

RULE = (
    "labels must be a class for each text, as ['sport', 'weather'], a list of str for each, as "
    "[['sport'], ['weather', 'sport']], or an indicator of 0 and 1"
)

Labels = (
    Column[str]
    | Column[int]
    | Column[Column[str] | AbstractSet[str]]
    | Frame
    | sp.spmatrix
    | sp.sparray
)
Names = list[tuple[str, ...]]


class LabelForm:
    """A form of labels: how names become classes, and decisions become answers."""

    words: str

    def classes(self, names: Sequence[str]) -> NDArray[Any]:
        """Return scikit-learn's ``classes_`` for a model of these names."""
        raise NotImplementedError

    def answers(self, given: list[list[int]], names: Sequence[str]) -> Any:  # noqa: ANN401
        """Return the result of ``predict`` from the columns of the categories of each text."""
        raise NotImplementedError

    def arranged(self, values: Floats, names: Sequence[str], absent: float = NEVER) -> Floats:
        """Return texts × names as texts × classes; a class without a name has ``absent``."""
        places = self._places(names)
        if np.array_equal(places, np.arange(len(names))):
            return values
        wide = np.column_stack([values, np.full(len(values), absent)])
        return np.asarray(wide[:, places])

    def joined(self, other: LabelForm) -> LabelForm:
        """Return the form of the labels of two calls; raise UsageError if they do not match."""
        if type(self) is not type(other):
            raise UsageError(f"labels must be as in fit, {self.words}, and these are {other.words}")
        return other

    def of_documents(self, names: Sequence[str]) -> LabelForm:  # noqa: ARG002 - one signature
        """Return the form after an update by documents, whose labels are names."""
        raise UsageError(
            f"documents have names as labels, and fit got {self.words}: give texts and labels to "
            "update"
        )

    def _places(self, names: Sequence[str]) -> Indices:
        """Return the column of each class among the names, or -1."""
        column_of = {name: column for column, name in enumerate(names)}
        return np.array([column_of.get(name, -1) for name in self._names(names)], dtype=np.intp)

    def _names(self, names: Sequence[str]) -> Sequence[str]:
        """Return the name of each class."""
        return names


class NameLists(LabelForm):
    """A list of names for each text; answers are tuples, best first."""

    words = "lists of names"

    def classes(self, names: Sequence[str]) -> NDArray[Any]:
        """Return the names."""
        return np.array(names, dtype=object)

    def answers(self, given: list[list[int]], names: Sequence[str]) -> Names:
        """Return the names of each text."""
        return [tuple(names[column] for column in row) for row in given]

    def of_documents(self, names: Sequence[str]) -> LabelForm:  # noqa: ARG002
        """Return the same form."""
        return self


@dataclass(eq=False)
class OneClass(LabelForm):
    """A class for each text, a str or a number; an answer is the best class."""

    values: NDArray[Any]  # sorted

    words = "one class for each text"

    def classes(self, names: Sequence[str]) -> NDArray[Any]:  # noqa: ARG002 - one signature
        """Return the classes, sorted."""
        return self.values

    def answers(self, given: list[list[int]], names: Sequence[str]) -> NDArray[Any]:
        """Return the class of each text."""
        class_of = dict(zip(self._places(names).tolist(), range(len(self.values)), strict=True))
        best = np.array([class_of[row[0]] for row in given], dtype=np.intp)
        return np.asarray(self.values[best])

    def joined(self, other: LabelForm) -> LabelForm:
        """Return the form with the classes of both."""
        super().joined(other)
        assert isinstance(other, OneClass)
        mine, theirs = (form.values.dtype.kind in "UO" for form in (self, other))
        if mine != theirs:
            raise UsageError(
                f"labels must be of one type as in fit: {shown(self.values.tolist()[0])} there, "
                f"{shown(other.values.tolist()[0])} here"
            )
        return OneClass(np.union1d(self.values, other.values))

    def of_documents(self, names: Sequence[str]) -> LabelForm:
        """Return the form with the names of the model as classes, if the classes are names."""
        if self.values.dtype.kind not in "UO":
            super().of_documents(names)
        return OneClass(np.sort(np.array(names, dtype=self.values.dtype.kind)))

    def _names(self, names: Sequence[str]) -> Sequence[str]:  # noqa: ARG002
        return [str(value) for value in self.values.tolist()]


@dataclass(eq=False)
class Indicator(LabelForm):
    """An indicator with a column for each label; an answer is such an indicator."""

    columns: tuple[str, ...]
    is_sparse: bool

    words = "an indicator"

    def classes(self, names: Sequence[str]) -> NDArray[Any]:  # noqa: ARG002 - one signature
        """Return the numbers of the columns, as scikit-learn has it."""
        return np.arange(len(self.columns))

    def answers(self, given: list[list[int]], names: Sequence[str]) -> Any:  # noqa: ANN401
        """Return an indicator of int64, sparse if the labels were."""
        place_of = {name: place for place, name in enumerate(self.columns)}
        indices = [place_of[names[column]] for row in given for column in row]
        ends = np.cumsum([0, *map(len, given)])
        ones = np.ones(len(indices), dtype=np.int64)
        chosen = sp.csr_matrix((ones, indices, ends), shape=(len(given), len(self.columns)))
        chosen.sort_indices()
        return chosen if self.is_sparse else chosen.toarray()

    def joined(self, other: LabelForm) -> LabelForm:
        """Return the form, with the names of the first call."""
        super().joined(other)
        assert isinstance(other, Indicator)
        if len(other.columns) != len(self.columns):
            raise UsageError(
                f"the indicator must have {len(self.columns)} columns as in fit, not "
                f"{len(other.columns)}"
            )
        return self

    def _names(self, names: Sequence[str]) -> Sequence[str]:  # noqa: ARG002
        return self.columns


def read_labels(
    labels: Any,  # noqa: ANN401 - whatever the caller gave
    texts: int,
    before: LabelForm | None = None,
) -> tuple[Names, LabelForm]:
    """Return the names of each text and the form of the labels, or raise UsageError.

    Parameters
    ----------
    labels
        The labels, in any of the three forms.
    texts : int
        The number of texts.
    before : LabelForm, optional
        The form of labels in ``fit``, which these must have.
    """
    labels = as_frame(labels, "labels")
    if sp.issparse(labels) or is_frame(labels) or _is_matrix(labels):
        return _indicator(labels, texts, before)
    if not isinstance(labels, Iterable) or isinstance(labels, (str, bytes, Mapping, AbstractSet)):
        raise UsageError(f"{RULE}; received {shown(labels)}")
    values = values_of(labels)
    _check_count(texts, len(values))
    if any(_is_listed(value) for value in values):
        if _is_indicator(values):
            return _indicator(np.array(values), texts, before)
        form: LabelForm = NameLists()
        form = form if before is None else before.joined(form)
        return [_names(number, given) for number, given in enumerate(values)], form
    given = np.asarray(labels) if hasattr(labels, "__array__") else None
    classes, codes = np.unique(_checked_classes(values, given), return_inverse=True)
    form = OneClass(classes)
    names = [(str(value),) for value in classes.tolist()]
    return [names[code] for code in codes.tolist()], before.joined(form) if before else form


def _check_count(texts: int, labels: int) -> None:
    if texts != labels:
        raise UsageError(
            f"the numbers of texts and labels differ, {texts} and {labels}: every text needs its "
            "labels"
        )
    if not texts:
        raise UsageError("there is no text: give texts, and the labels of each")


def _is_matrix(labels: object) -> bool:
    """Return True for a 2-D array of anything but names."""
    shape, kind = getattr(labels, "shape", ()), getattr(getattr(labels, "dtype", None), "kind", "")
    return isinstance(shape, tuple) and len(shape) == 2 and kind not in ("U", "O")


def _is_listed(value: object) -> bool:
    return isinstance(value, (list, tuple, AbstractSet, np.ndarray))


def _is_indicator(rows: list[Any]) -> bool:
    """Return True if lists hold 0 and 1, two or more and as many in each."""
    lengths = {len(row) if isinstance(row, (list, tuple)) else 0 for row in rows}
    return (
        len(lengths) == 1
        and min(lengths) > 1
        and all(isinstance(value, Real) and value in (0, 1) for row in rows for value in row)
    )


def _indicator(
    given: Any,  # noqa: ANN401 - sparse, an array or a frame
    texts: int,
    before: LabelForm | None,
) -> tuple[Names, LabelForm]:
    names = None
    if is_frame(given):
        names = names_of(given)
        given = np.column_stack([values_of(column_of(given, name)) for name in names])
    try:
        members: sp.csr_matrix[Any] = sp.csr_matrix(given)
    except (TypeError, ValueError):
        raise UsageError(f"{RULE}; received a table of other values: give one column") from None
    _check_count(texts, members.shape[0])
    wrong = members.data[~np.isin(members.data, (0, 1))]
    if len(wrong):
        way_out = "give classes as a 1-D array" if members.shape[1] == 1 else "correct it"
        raise UsageError(
            f"an indicator of labels must hold 0 and 1, and this one holds {wrong[0]!s}: {way_out}"
        )
    columns = tuple(map(str, range(members.shape[1]) if names is None else names))
    form: LabelForm = Indicator(columns, sp.issparse(given))
    if before is not None:
        form = before.joined(form)
        assert isinstance(form, Indicator)
        columns = form.columns
    members.sum_duplicates()
    members.eliminate_zeros()
    ends, indices = members.indptr.tolist(), members.indices.tolist()
    named = [columns[index] for index in indices]
    return [tuple(named[a:b]) for a, b in pairwise(ends)], form


def _names(text: int, given: Any) -> tuple[str, ...]:  # noqa: ANN401 - whatever the caller gave
    if is_missing(given):
        return ()
    if not isinstance(given, Iterable) or isinstance(given, (str, bytes)):
        raise UsageError(
            f"text {text}: its labels are {shown(given)}, and other texts have lists of labels: "
            "wrap it in a list, or give [] if the text has none"
        )
    names = tuple(given)
    for name in names:
        if not isinstance(name, str):
            raise UsageError(
                f"text {text}: one of its labels is {shown(name)}: labels in lists must be str, so "
                "turn each into a str"
            )
    return names


def _checked_classes(values: list[Any], given: NDArray[Any] | None) -> NDArray[Any]:
    """Return one class for each text as an array of the type that was given."""
    for number, value in enumerate(values):
        if is_missing(value):
            raise UsageError(
                f"text {number}: its label is {shown(value)}: leave the text out, or give lists of "
                "labels, in which [] is none"
            )
        if not isinstance(value, (str, Real, np.bool_)):
            raise UsageError(
                f"text {number}: its label is {shown(value)}: a class must be a str or a whole "
                "number"
            )
    named = sum(isinstance(value, str) for value in values)
    if 0 < named < len(values):
        raise UsageError(f"labels mix {named} str and {len(values) - named} numbers: use one type")
    if not named and not all(_is_whole(value) for value in values):
        raise UsageError("labels are numbers with fractions: postil learns classes, not numbers")
    keeps_type = given is not None and (named or given.dtype != object)
    return given if given is not None and keeps_type else np.asarray(values)


def _is_whole(value: Any) -> bool:  # noqa: ANN401 - a number
    return isinstance(value, (Integral, np.bool_)) or float(value).is_integer()
