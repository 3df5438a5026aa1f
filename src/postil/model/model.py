"""A model: everything a decision needs, and a fingerprint of the documents it learned from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from postil import __version__
from postil.common.types import Floats
from postil.decide.calibration import needs_variances
from postil.errors import UsageError
from postil.features.selection import Selection
from postil.model.parts import (
    check_combination,
    check_projection,
    check_selection,
    check_usable,
    checked_units,
)
from postil.model.plain import plain, plain_mapping
from postil.model.settings import checked
from postil.model.tensors import Parts, Tensors, narrowed
from postil.model.weights import (
    Weights,
    aligned_variances,
    canonical_weights,
    checked_intercept_variances,
)
from postil.vectors.fields import Text
from postil.vectors.vectorizer import Vectorizer

if TYPE_CHECKING:
    from postil.decide.calibration import Calibration
    from postil.decide.decision import DecisionRule
    from postil.learn.combining import Combination
    from postil.model.load import MappedFile
    from postil.vectors.projection import Projection


_HEXADECIMAL = re.compile(r"[0-9a-f]{64}", re.ASCII)
_SCHEMA = {"corpus": str, "documents": int, "sha256": str}


class DocumentDigest:
    """SHA-256 over documents as they pass: their fields and labels, not their ids.

    The order of documents and of fields counts, that of labels does not. Costs one pass over
    the texts; nothing is kept of them.
    """

    def __init__(self) -> None:
        self.documents = 0
        self._digest = sha256()

    def add(self, fields: Mapping[str, Text], labels: Iterable[str] = ()) -> None:
        """Take in a document; bytes count as the text whose UTF-8 they are."""
        names = sorted(set(labels))
        pieces = [*(part for pair in fields.items() for part in pair), *names]
        encoded = [_encoded(piece) for piece in pieces]
        # With the lengths in front, no two documents have the same bytes.
        lengths = " ".join(str(len(piece)) for piece in encoded)
        self._digest.update(f"{len(fields)} {len(names)} {lengths}\n".encode("ascii"))
        self._digest.update(b"".join(encoded))
        self.documents += 1

    def hexdigest(self) -> str:
        """The digest of what has passed so far."""
        return self._digest.hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class TrainingFingerprint:
    """The training documents: of which corpus, how many, their digest, members by category."""

    corpus: str
    documents: int
    sha256: str
    members: NDArray[np.int64]

    def __post_init__(self) -> None:
        members = np.array(self.members)
        if members.ndim != 1 or (members.size and members.dtype.kind not in "iu"):
            raise UsageError("members are one whole number for each category")
        if members.size and not 0 <= int(members.min()) <= int(members.max()) <= self.documents:
            raise UsageError(f"a category has from 0 to {self.documents} members, the documents")
        if not _HEXADECIMAL.fullmatch(self.sha256):
            raise UsageError(f"a SHA-256 is 64 hexadecimal digits, not {self.sha256!r}")
        members = members.astype(np.int64)
        members.flags.writeable = False
        object.__setattr__(self, "members", members)

    def to_parts(self) -> Parts:
        """Take it apart for a file."""
        settings = {"corpus": self.corpus, "documents": self.documents, "sha256": self.sha256}
        return Parts(settings, {"training.members": narrowed(self.members)})

    @classmethod
    def from_parts(cls, settings: object, tensors: Tensors, categories: int) -> TrainingFingerprint:
        """Restore what :meth:`to_parts` gave."""
        members = tensors.take("training.members", "u", categories)
        return cls(members=members, **checked(settings, _SCHEMA, "training"))


def _encoded(text: Text) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Model:
    """A trained categorizer: texts to vectors, vectors to scores, scores to decisions.

    The score of category c for the vector x is ``weights[c] @ x + intercepts[c]``, in the column
    order of ``names``. ``weights`` is categories × columns of the vectorizer, the constant
    included if there is one: CSR, or CSC, which scoring by term takes as it is. They are
    float32 from here on, as in the file, so that a model decides the same before it is saved.
    ``variances`` say how uncertain each of them is, and ``intercept_variances`` each intercept;
    either a model has both or none. ``units`` and ``selection`` are what new documents can be
    learned on top of (:mod:`postil.model.parts`); a model that cannot be updated has none.

    With a ``projection`` (:class:`postil.vectors.projection.Projection`) the score is
    ``factor(x) (weights[c] @ x) + intercepts[c]``. With a ``combination``
    (:mod:`postil.learn.combining`) the rows of ``weights`` and ``intercepts`` are its rows, and it
    makes the scores of categories of theirs; everything else is by category.

    ``recipe``, ``method``, ``reports`` (one for each category) and ``evaluation`` tell how the
    model came to be; they are plain values, and numbers that are not finite become None.
    ``created`` is a time, if the caller wants one kept: without it the same model gives the same
    file. ``file`` is the one whose memory the arrays of a loaded model are.
    """

    vectorizer: Vectorizer
    names: tuple[str, ...]
    weights: Weights
    intercepts: Floats
    decision: DecisionRule
    training: TrainingFingerprint
    calibration: Calibration | None = None
    projection: Projection | None = None
    combination: Combination | None = None
    variances: Weights | None = None
    intercept_variances: Floats | None = None
    units: Floats | None = None
    selection: Selection | None = None
    recipe: Mapping[str, Any] = field(default_factory=dict)
    method: Mapping[str, Any] = field(default_factory=dict)
    reports: Sequence[Mapping[str, Any]] = ()
    evaluation: Mapping[str, Any] | None = None
    created_by: str = f"postil {__version__}"
    created: str | None = None
    file: MappedFile | None = None

    def __post_init__(self) -> None:
        check_usable(self.vectorizer)
        store = object.__setattr__
        store(self, "names", _checked_names(self.names))
        store(self, "weights", canonical_weights(self.weights))
        store(self, "intercepts", _checked_intercepts(self.intercepts))
        if self.variances is not None:
            store(self, "variances", aligned_variances(self.variances, self.weights))
        if self.intercept_variances is not None:
            values = checked_intercept_variances(self.intercept_variances, self.rows)
            store(self, "intercept_variances", values)
        if self.units is not None:
            store(self, "units", checked_units(self.units, self.categories))
        if self.selection is not None:
            check_selection(self.selection, self.categories, self.vectorizer.columns)
        store(self, "recipe", plain_mapping(self.recipe, "recipe"))
        store(self, "method", plain_mapping(self.method, "method"))
        store(self, "reports", tuple(plain_mapping(each, "reports") for each in self.reports))
        if self.evaluation is not None:
            store(self, "evaluation", plain_mapping(self.evaluation, "evaluation"))
        for name in ("created_by", "created"):
            plain(getattr(self, name), name)
        self._check_agreement()

    @property
    def categories(self) -> int:
        """The number of categories."""
        return len(self.names)

    def learned_digests(self) -> frozenset[str]:
        """Of the documents of its training, and of those of each update since."""
        digests = {self.training.sha256}
        updates = self.method.get("updates")
        for done in updates if isinstance(updates, (list, tuple)) else ():
            if isinstance(done, Mapping):
                digests |= {str(done[name]) for name in ("sha256", "before") if name in done}
        return frozenset(digests)

    def check_file_unchanged(self) -> None:
        """Refuse a model that was loaded from a file which was written into since."""
        if self.file is not None:
            self.file.check_unchanged()

    @property
    def rows(self) -> int:
        """The number of rows of weights: one for each category, unless they are combined."""
        return self.categories if self.combination is None else self.combination.rows

    def _check_agreement(self) -> None:
        check_projection(self)
        check_combination(self)
        shape = (self.rows, self.vectorizer.columns)
        if self.weights.shape != shape:
            rows = "category names" if self.combination is None else "rows of the combination"
            raise UsageError(
                f"weights are {' × '.join(map(str, self.weights.shape))}, and there are "
                f"{shape[0]} {rows} and {shape[1]} columns of the vectorizer"
            )
        if len(self.intercepts) != self.rows:
            raise UsageError(
                f"intercepts are for {len(self.intercepts)} rows of weights, and there are "
                f"{self.rows}"
            )
        if (self.variances is None) != (self.intercept_variances is None):
            raise UsageError("variances are of weights and of intercepts: give both, or none")
        if self.variances is None and needs_variances(self.calibration):
            raise UsageError(
                "the calibration moderated needs variances of the weights, and there are none: "
                "train with posterior = true in [learn]"
            )
        counts = {
            "the decision rule is": self.decision.categories,
            "the training documents' members are": len(self.training.members),
        }
        if self.calibration is not None:
            counts["the calibration is"] = self.calibration.categories
        for what, count in counts.items():
            if count != self.categories:
                raise UsageError(f"{what} for {count} categories, the names for {self.categories}")


def _checked_names(names: Sequence[str]) -> tuple[str, ...]:
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise UsageError("category names are a sequence of texts")
    if len(set(names)) != len(names):
        raise UsageError("a category name stands twice")
    return tuple(names)


def _checked_intercepts(intercepts: ArrayLike) -> Floats:
    values = np.array(intercepts, dtype=np.float64)
    if values.ndim != 1 or not np.isfinite(values).all():
        raise UsageError("intercepts are one finite number for each category")
    values.flags.writeable = False
    return values
