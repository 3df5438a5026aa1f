"""A model: everything a decision needs, and a fingerprint of the documents it learned from."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from postil import __version__
from postil.common.types import Flags, Floats
from postil.corpus.document import Document
from postil.corpus.label_vocabulary import LabelVocabulary
from postil.decide.calibration import Softmax, needs_variances
from postil.errors import UsageError
from postil.model.stored import plain, plain_mapping
from postil.model.weights import Weights, aligned_variances, canonical_weights, finite_vector
from postil.vectors.fields import Text
from postil.vectors.vectorizer import MOST_MODEL_BUCKETS, NOT_FITTED, Vectorizer

if TYPE_CHECKING:
    from postil.decide.calibration import Calibration
    from postil.decide.decision import DecisionRule
    from postil.decide.hierarchy import Hierarchy
    from postil.features.selection import Selection
    from postil.learn.combining import Combination
    from postil.model.load import MappedFile
    from postil.vectors.projection import Projection


_HEXADECIMAL = re.compile(r"[0-9a-f]{64}", re.ASCII)


class DocumentDigest:
    """A SHA-256 over documents as they pass: their fields and labels, not their ids.

    The order of documents and of fields counts, that of labels does not. Costs one pass over
    the texts; none of them is kept.
    """

    def __init__(self) -> None:
        self.documents = 0
        self._digest = sha256()

    def add_document(self, document: Document) -> None:
        """Add a document with everything that training depends on."""
        from postil.corpus.formats.records import seldom_values

        rest = {**seldom_values(document), **document.probabilities}
        self.add(document.fields, [*document.labels, *map(repr, rest.items())])

    def add(self, fields: Mapping[str, Text], labels: Iterable[str] = ()) -> None:
        """Add texts and labels; bytes count as the text whose UTF-8 they are."""
        names = sorted(set(labels))
        pieces = [*(part for pair in fields.items() for part in pair), *names]
        encoded = [
            piece if isinstance(piece, bytes) else piece.encode("utf-8", "surrogatepass")
            for piece in pieces
        ]
        # With the lengths in front, no two documents have the same bytes.
        lengths = " ".join(str(len(piece)) for piece in encoded)
        self._digest.update(f"{len(fields)} {len(names)} {lengths}\n".encode("ascii"))
        self._digest.update(b"".join(encoded))
        self.documents += 1

    def hexdigest(self) -> str:
        """Return the digest of the documents so far."""
        return self._digest.hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class TrainingFingerprint:
    """The training documents: their corpus, number, digest, and members by category."""

    corpus: str
    documents: int
    sha256: str
    members: NDArray[np.int64]

    def __post_init__(self) -> None:
        members = np.array(self.members)
        if members.ndim != 1 or (members.size and members.dtype.kind not in "iu"):
            raise UsageError("members must be one whole number for each category")
        if members.size and not 0 <= int(members.min()) <= int(members.max()) <= self.documents:
            raise UsageError(
                f"a category must have from 0 to {self.documents} members, the number of documents"
            )
        if not _HEXADECIMAL.fullmatch(self.sha256):
            raise UsageError(f"sha256 must be 64 hexadecimal digits, got {self.sha256!r}")
        members = members.astype(np.int64)
        members.flags.writeable = False
        object.__setattr__(self, "members", members)


class _LazyMatrix:
    """A field that stores :class:`Weights` and reads as a SciPy matrix, made when first read."""

    def __init__(self, *, optional: bool = False) -> None:
        self._optional = optional

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, model: Model | None, owner: type | None = None) -> Any:  # noqa: ANN401
        if model is not None:
            stored: Weights | None = model.__dict__[self._name]
            return None if stored is None else stored.matrix
        if self._optional:
            return None  # the default of the field
        raise AttributeError(self._name)

    def __set__(self, model: Model, value: Any) -> None:  # noqa: ANN401 - a matrix or Weights
        model.__dict__[self._name] = value


@dataclass(frozen=True, eq=False, kw_only=True)
class Model:
    """A trained categorizer: texts to vectors, vectors to scores, scores to decisions.

    The score of category c for the vector x is ``weights[c] @ x + intercepts[c]``. With a
    ``projection`` it is ``factor(x) (weights[c] @ x) + intercepts[c]``. With a ``combination`` the
    rows of ``weights`` and ``intercepts`` are the combination's, which makes the scores of
    categories from theirs; everything else is by category.

    Parameters
    ----------
    vectorizer
        The fitted vectorizer.
    names
        The names of the categories, in the order of all other arrays.
    weights
        Categories × columns of the vectorizer, including its constant: CSR, or CSC, which suits
        scoring by term. Kept as float32, as in the file, so that a model decides the same before
        it is saved.
    intercepts
        The intercept of each category.
    decision
        The rule that makes decisions of scores.
    training
        The fingerprint of the training documents.
    calibration
        The function that makes probabilities of scores.
    projection
        The directions of LSI (:class:`postil.vectors.projection.Projection`).
    combination
        The combination of rows of weights (:mod:`postil.learn.combining`).
    variances, intercept_variances
        The variance of each weight and intercept; a model has both or neither.
    units, selection
        What an update needs of weights learned by factors, and the terms that each category may
        use (:mod:`postil.model.parts`).
    labels
        The names of the categories for people, and the labels above them.
    hierarchy
        The categories above each other, if documents are given the most specific ones.
    recipe, method, reports, evaluation
        How the model was made, as plain values; ``reports`` has one for each category. Numbers
        that are not finite become None.
    created_by, created
        The program and the time; without a time, the same model gives the same file.
    file
        The file whose memory the arrays of a loaded model share.
    """

    vectorizer: Vectorizer
    names: tuple[str, ...]
    weights: _LazyMatrix = _LazyMatrix()
    intercepts: Floats
    decision: DecisionRule
    training: TrainingFingerprint
    calibration: Calibration | None = None
    projection: Projection | None = None
    combination: Combination | None = None
    variances: _LazyMatrix = _LazyMatrix(optional=True)
    intercept_variances: Floats | None = None
    units: Floats | None = None
    selection: Selection | None = None
    labels: LabelVocabulary | None = None
    hierarchy: Hierarchy | None = None
    recipe: Mapping[str, Any] = field(default_factory=dict)
    method: Mapping[str, Any] = field(default_factory=dict)
    reports: Sequence[Mapping[str, Any]] = ()
    evaluation: Mapping[str, Any] | None = None
    created_by: str = f"postil {__version__}"
    created: str | None = None
    file: MappedFile | None = None

    def __post_init__(self) -> None:
        _check_fitted(self.vectorizer)
        store = object.__setattr__
        store(self, "names", _checked_names(self.names))
        store(self, "weights", canonical_weights(self.__dict__["weights"]))
        self._check_shapes()
        vectors = (("intercepts", self.rows, None), ("intercept_variances", self.rows, 0.0))
        for name, count, least in (*vectors, ("units", self.categories, math.ulp(0.0))):
            if getattr(self, name) is not None:
                store(self, name, finite_vector(name, getattr(self, name), count, least))
        if self.plain_variances is not None:
            variances = aligned_variances(self.__dict__["variances"], self.plain_weights)
            store(self, "variances", variances)
        for name in ("recipe", "method", "evaluation"):
            if getattr(self, name) is not None:
                store(self, name, plain_mapping(getattr(self, name), name))
        store(self, "reports", tuple(plain_mapping(each, "reports") for each in self.reports))
        for name in ("created_by", "created"):
            plain(getattr(self, name), name)
        self._check_scoring()
        self._check_categories()

    @property
    def categories(self) -> int:
        """The number of categories."""
        return len(self.names)

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """The names of the categories for people, each different."""
        return self.names if self.labels is None else self.labels.titles(self.names)

    def title(self, label: str) -> str:
        """Return the name for people of a category, or of another label."""
        return label if self.labels is None else self.labels.name(label)

    def names_for_people(self, columns: Iterable[int]) -> dict[str, str]:
        """Return the names for people of some categories by id; none without a vocabulary."""
        if self.labels is None:
            return {}
        return {self.names[column]: self.titles[column] for column in columns}

    def titles_of(self, labels: Iterable[str]) -> tuple[str, ...]:
        """Return the names for people of the labels of a document.

        With a hierarchy, labels above others of the document are left out.
        """
        if self.labels is not None and self.hierarchy is not None:
            labels = self.labels.most_specific(labels)
        return tuple(map(self.title, labels))

    def with_labels(self, labels: LabelVocabulary | None) -> Model:
        """Return the same model with names for its categories; categories are matched by id.

        The model keeps the labels of its categories and all above them.
        """
        if labels is not None:
            labels = labels.of(self.names)
            if not len(labels):
                raise UsageError(
                    "no category of the model is the id of a label in the vocabulary; the first "
                    f"category is {self.names[0]!r}"
                )
        return replace(self, labels=labels)

    @property
    def rows(self) -> int:
        """The number of rows of weights: one for each category, unless they are combined."""
        return self.categories if self.combination is None else self.combination.rows

    @property
    def plain_weights(self) -> Weights:
        """The weights as plain arrays, for code that does not need SciPy."""
        weights: Weights = self.__dict__["weights"]
        return weights

    @property
    def plain_variances(self) -> Weights | None:
        """The variances as plain arrays."""
        variances: Weights | None = self.__dict__["variances"]
        return variances

    def accept(
        self, scores: Floats, allowed: Flags | None = None, sure: Flags | None = None
    ) -> Flags:
        """Decide on documents × categories.

        With a hierarchy, these are the most specific of the categories that the rule accepts.

        Parameters
        ----------
        scores : array
            Documents × categories.
        allowed : array of bool, optional
            True for each category that may be given.
        sure : array of bool, optional
            True for each decision that may be made, documents × categories.
        """
        accepted = self.decision.accept(scores, allowed)
        if sure is not None:
            accepted &= sure
        if self.hierarchy is None:
            return accepted
        ranks = self.decision.acceptance.excess(scores)
        if self.calibration is not None and not needs_variances(self.calibration):
            ranks = self.calibration.probabilities(scores)
        return self.hierarchy.decided(accepted, ranks)

    def with_ancestors(self, documents: Iterable[Document]) -> Iterable[Document]:
        """Return documents with their labels as the categories of the model.

        Names of labels become ids, and with a hierarchy documents get the labels above theirs.
        """
        if self.labels is None:
            return documents
        return self.labels.applied(documents, ancestors=self.hierarchy is not None)

    def learned_digests(self) -> frozenset[str]:
        """Return the digests of the training documents and of those of each update since."""
        digests = {self.training.sha256}
        updates = self.method.get("updates")
        for done in updates if isinstance(updates, (list, tuple)) else ():
            if isinstance(done, Mapping):
                digests |= {str(done[name]) for name in ("sha256", "before") if name in done}
        return frozenset(digests)

    def check_file_unchanged(self) -> None:
        """Raise ModelFileError if the file of a loaded model was written into since."""
        if self.file is not None:
            self.file.check_unchanged()

    def _check_scoring(self) -> None:
        """Raise UsageError if the projection or the combination does not fit the other parts."""
        projection, combination = self.projection, self.combination
        if projection is not None and projection.terms != self.vectorizer.columns:
            raise UsageError(
                f"the projection is of {projection.terms} terms, and the vectorizer has "
                f"{self.vectorizer.columns} columns"
            )
        if projection is not None and projection.length is None:
            raise UsageError(
                "a projection without a length changes no score: fold its weights and leave it out"
            )
        if combination is not None and isinstance(self.calibration, Softmax):
            raise UsageError(
                "the calibration softmax needs scores as they are learned together, and these are "
                f"combined ({combination.kind}): use platt or isotonic"
            )
        what = "weights of a projection" if projection is not None else ""
        if combination is not None:
            what = f"combined weights ({combination.kind})"
        for name in ("variances", "units", "selection"):
            if what and self.__dict__[name] is not None:
                raise UsageError(
                    f"{what} cannot have {name}, which belong to one row of weights of terms for "
                    "each category"
                )

    def _check_shapes(self) -> None:
        check_combination(self.combination, self.categories)
        shape = (self.rows, self.vectorizer.columns)
        if self.plain_weights.shape != shape:
            rows = "category names" if self.combination is None else "rows of the combination"
            raise UsageError(
                f"weights are {' × '.join(map(str, self.plain_weights.shape))}, and there are "
                f"{shape[0]} {rows} and {shape[1]} columns of the vectorizer"
            )
        if (self.plain_variances is None) != (self.intercept_variances is None):
            raise UsageError("variances and intercept_variances go together: give both, or neither")
        if self.plain_variances is None and needs_variances(self.calibration):
            raise UsageError(
                "the calibration moderated needs variances of the weights, and the model has none: "
                "train with posterior = true in [learn]"
            )
        selection = self.selection
        if selection is not None and (len(selection), selection.terms) != shape:
            raise UsageError(
                f"the selection is for {len(selection)} categories of {selection.terms} columns, "
                f"and the model has {shape[0]} and {shape[1]}"
            )

    def _check_categories(self) -> None:
        counts = {
            "the decision rule is": self.decision.categories,
            "the training documents' members are": len(self.training.members),
        }
        if self.hierarchy is not None:
            counts["the hierarchy is"] = self.hierarchy.categories
        if self.calibration is not None:
            counts["the calibration is"] = self.calibration.categories
        for what, count in counts.items():
            if count != self.categories:
                raise UsageError(f"{what} for {count} categories, the names for {self.categories}")


def check_combination(combination: Combination | None, names: int) -> None:
    """Raise UsageError if a combination is for another number of categories than the names."""
    if combination is not None and combination.categories != names:
        raise UsageError(
            f"the combination is for {combination.categories} categories, the names for {names}"
        )


def check_buckets(buckets: int | None) -> None:
    """Raise UsageError if there are more hash buckets than a model may have."""
    if buckets is not None and buckets > MOST_MODEL_BUCKETS:
        raise UsageError(
            f"buckets is {buckets}, and a model has at most {MOST_MODEL_BUCKETS}: use fewer, or a "
            "vocabulary"
        )


def _check_fitted(vectorizer: Vectorizer) -> None:
    check_buckets(vectorizer.buckets)
    termless = vectorizer.vocabulary is None and vectorizer.buckets is None
    if termless or (vectorizer.learns_idf and vectorizer.idf is None):
        raise UsageError(NOT_FITTED)


def _checked_names(names: Sequence[str]) -> tuple[str, ...]:
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise UsageError("category names must be a sequence of texts")
    if len(set(names)) != len(names):
        raise UsageError("category names must differ; one is given twice")
    return tuple(names)
