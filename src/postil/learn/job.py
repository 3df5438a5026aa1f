"""One job of learning: the documents, their categories, and what else a fit depends on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil import _native
from postil.common.progress import Progress
from postil.common.types import Flags, Floats, Ints
from postil.errors import UsageError
from postil.features.inputs import Csr, Sparse, checked_weights
from postil.features.selection import Selection
from postil.learn.judged import Judged
from postil.vectors.matrices import check_indices

if TYPE_CHECKING:
    from postil.learn.strength import Strengths
    from postil.learn.term_priors.priors import TermPriors
    from postil.vectors.rows import RowFacts


class Design:
    """The matrix of documents and terms that all categories and threads share.

    ``rows`` is canonical CSR of float32; ``columns`` is built on first use, in one pass. ``ids``
    are those of the documents, if they are known. Memory: 16 bytes for each non-zero, in both
    orders together.
    """

    def __init__(self, matrix: Sparse, ids: Sequence[str] = ()) -> None:
        self.ids = ids
        with np.errstate(over="ignore"):
            single = checked_weights(matrix).astype(np.float32, copy=False)
        self.rows: Csr = checked_weights(single)  # finite in single precision too

    @property
    def documents(self) -> int:
        """The number of rows."""
        return int(self.rows.shape[0])

    @property
    def terms(self) -> int:
        """The number of columns."""
        return int(self.rows.shape[1])

    def of_rows(self, rows: Ints) -> Design:
        """Return the rows of these numbers, which may repeat."""
        return Design(self.rows[rows], [self.ids[row] for row in rows] if len(self.ids) else ())

    @cached_property
    def columns(self) -> Any:  # noqa: ANN401 - a scipy CSC matrix
        """The same matrix by columns."""
        return self.rows.tocsc()

    @cached_property
    def native(self) -> _native.Design:
        """The same arrays, not copies of them, as the native core takes them."""
        return _native.Design(*_arrays(self.rows), *_arrays(self.columns))


def _arrays(matrix: Any) -> tuple[Any, Any, Any]:  # noqa: ANN401 - CSR or CSC
    return (
        matrix.indptr.astype(np.int64, copy=False),
        matrix.indices.astype(np.int32, copy=False),
        matrix.data,
    )


@dataclass(frozen=True, slots=True, eq=False)
class SampleWeights:
    """Weights of documents, and of the members and the others of each category.

    Parameters
    ----------
    documents : array of float, optional
        The weight of each document; 1 by default.
    classes : pair, sequence of pairs or "balanced", optional
        The weights (members, others) of all categories or of each category. ``"balanced"`` gives
        the members and the others of a category n/2 each.
    """

    documents: Floats | None = None
    classes: tuple[float, float] | Sequence[tuple[float, float]] | str | None = None

    def of_documents(self, count: int) -> Floats:
        """Return the weight of each document."""
        if self.documents is None:
            return np.ones(count)
        weights = np.ascontiguousarray(self.documents, dtype=np.float64)
        if weights.shape != (count,):
            raise UsageError(
                f"document weights need one number for each of the {count} documents, and have the "
                f"shape {weights.shape}"
            )
        if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
            raise UsageError("document weights must be finite, at least 0, and not all 0")
        return weights

    def of_classes(self, inside: Floats, total: float) -> tuple[Floats, Floats]:
        """Return the weights of members and of others by category.

        ``inside`` holds the summed document weights of each category's members.
        """
        if self.classes is None:
            return np.ones(len(inside)), np.ones(len(inside))
        if isinstance(self.classes, str):
            if self.classes != "balanced":
                raise UsageError(
                    f"class weights must be numbers or 'balanced', not {self.classes!r}"
                )
            with np.errstate(divide="ignore"):
                return total / (2.0 * inside), total / (2.0 * (total - inside))
        given = np.asarray(self.classes, dtype=np.float64)
        if given.shape not in ((2,), (len(inside), 2)):
            raise UsageError(
                f"class weights must be one pair (members, others), or {len(inside)} pairs, one "
                f"for each category, not {' × '.join(map(str, given.shape)) or 'one number'}"
            )
        pairs = np.broadcast_to(given, (len(inside), 2))
        if not np.isfinite(pairs).all() or (pairs < 0).any():
            raise UsageError("class weights must be finite and at least 0")
        return pairs[:, 0].copy(), pairs[:, 1].copy()


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """The categories by name, their members, and what else is known of documents.

    Memory and time are linear in the number of memberships, not in documents × categories.

    Parameters
    ----------
    names : tuple of str
        The categories.
    members : sparse matrix
        True where a document has a label: documents × categories. Of uncertain labels, the likely
        ones are here.
    weights : array of float, optional
        The sample weights of documents, all 1 by default.
    groups : array of int, optional
        The number of the group of each document, from 0; folds keep groups together.
    judged : Judged, optional
        Which memberships are known, if some are not.
    uncertain : sparse matrix, optional
        The probabilities of the memberships that are uncertain.
    """

    names: tuple[str, ...]
    members: sp.csr_matrix[Any]
    weights: Floats | None = None
    groups: Ints | None = None
    judged: Judged | None = None
    uncertain: sp.csr_matrix[Any] | None = None

    def __post_init__(self) -> None:
        if self.members.shape[1] != len(self.names):
            raise UsageError(
                f"labels need one column for each of the {len(self.names)} category names, and "
                f"have {self.members.shape[1]} columns"
            )
        if len(set(self.names)) != len(self.names):
            raise UsageError("category names must be unique, and one is given twice")
        check_indices(self.members, "labels")

    @classmethod
    def of(cls, labels: Iterable[Iterable[str]], names: Sequence[str] | None = None) -> Labels:
        """Return the labels of documents from the label set of each.

        Names are sorted unless they are given. Labels that are not among the given names are left
        out, as for a test set that has labels its training set lacks.
        """
        sets = [tuple(dict.fromkeys(document)) for document in labels]
        if names is None:
            names = sorted({name for document in sets for name in document})
        column = {name: place for place, name in enumerate(names)}
        known = [[column[name] for name in document if name in column] for document in sets]
        starts = np.concatenate(([0], np.cumsum([len(document) for document in known])))
        places = np.fromiter((c for d in known for c in d), dtype=np.int32, count=int(starts[-1]))
        shape = (len(sets), len(column))
        members = sp.csr_matrix((np.ones(len(places), dtype=bool), places, starts), shape=shape)
        members.sort_indices()
        return cls(tuple(names), members)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def documents(self) -> int:
        """The number of documents."""
        return int(self.members.shape[0])

    def sizes(self) -> NDArray[np.int64]:
        """Return the number of members of each category."""
        return np.bincount(self.members.indices, minlength=len(self)).astype(np.int64)

    @property
    def is_single_label(self) -> bool:
        """True if every document has exactly one label."""
        return self.documents > 0 and bool((np.diff(self.members.indptr) == 1).all())

    def by_category(self) -> sp.csc_matrix[Any]:
        """Return the memberships by category."""
        return self.members.tocsc()

    @classmethod
    def of_facts(cls, facts: RowFacts, names: Sequence[str] | None = None) -> Labels:
        """Return what was read of documents, for all categories by name, or for the given ones."""
        weights, partly = np.array(facts.weights), np.array(facts.partly, dtype=bool)
        _, groups = np.unique(facts.groups(), return_inverse=True)
        uncertain = facts.uncertain(names)
        judged = None
        if partly.any():
            known = facts.judged(names).multiply(partly[:, np.newaxis])
            judged = Judged(partly, sp.csr_matrix(known, dtype=bool))
        return cls(
            tuple(facts.categories if names is None else names),
            facts.indicator(names).astype(bool),
            weights=None if (weights == 1).all() else weights,
            groups=groups.astype(np.int64) if len(np.unique(groups)) < len(groups) else None,
            judged=judged,
            uncertain=uncertain if uncertain.nnz else None,
        )

    def known(self) -> Flags | None:
        """Return True for each known membership, documents × categories; None if all are known."""
        return None if self.judged is None else self.judged.mask()

    def without_uncertain(self) -> Labels:
        """Return the labels that are certain, of all categories."""
        if self.uncertain is None:
            return self
        members = self.members.astype(np.int8)
        certain = sp.csr_matrix(members - members.multiply(self.uncertain > 0), dtype=np.bool_)
        certain.eliminate_zeros()
        return replace(self, members=certain, uncertain=None)

    def of_documents(self, documents: NDArray[Any]) -> Labels:
        """Return the labels of some of the documents."""
        return Labels(
            self.names,
            self.members[documents],
            weights=None if self.weights is None else self.weights[documents],
            groups=None if self.groups is None else self.groups[documents],
            judged=None if self.judged is None else self.judged.of_documents(documents),
            uncertain=None if self.uncertain is None else self.uncertain[documents],
        )

    def of_categories(self, chosen: Sequence[int] | Ints) -> Labels:
        """Return the labels of some of the categories."""
        return replace(
            self,
            names=tuple(self.names[c] for c in chosen),
            members=self.members[:, chosen],
            judged=None if self.judged is None else self.judged.of_categories(chosen),
            uncertain=None if self.uncertain is None else self.uncertain[:, chosen],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """Everything a fit depends on besides its method; vary one with ``dataclasses.replace``.

    Parameters
    ----------
    design : Design
        The documents.
    labels : Labels
        The categories and their members.
    selection : Selection, optional
        The terms that each category may use; all terms by default.
    sample_weights : SampleWeights, optional
        Weights of documents and of classes.
    strengths : Strengths, optional
        The strength of each category, in place of the method's own. A path has points × categories
        strengths.
    term_priors : TermPriors, optional
        The prior knowledge of single terms.
    warm_starts : sequence of arrays, optional
        Dual variables or weights of each category that a fit with ``keep_starts`` has kept: 8 bytes
        for each category and document, or term.
    resume_from : sequence of arrays, optional
        The exponents of each category, by term and last the constant's, from which a solver that
        provides ``updates`` resumes (:mod:`postil.learn.resume`). A category resumes even if it has
        only members or only others; an empty array starts from zero.
    keep_starts : bool
        Keep warm starts in the fit.
    threads : int, optional
        The number of threads; results do not depend on it.
    progress : callable, optional
        Called with the amounts of work that are done and in all.
    quiet : bool
        Do not warn of fits that ran out of iterations.
    """

    design: Design
    labels: Labels
    selection: Selection | None = None
    sample_weights: SampleWeights = field(default_factory=SampleWeights)
    strengths: Strengths | None = None
    term_priors: TermPriors | None = None
    warm_starts: Sequence[Floats] = ()
    resume_from: Sequence[Floats] = ()
    keep_starts: bool = False
    threads: int | None = None
    progress: Progress | None = None
    quiet: bool = False

    def __post_init__(self) -> None:
        design, labels, selection = self.design, self.labels, self.selection
        if labels.documents != design.documents:
            raise UsageError(
                f"the design has {design.documents} documents, and the labels have "
                f"{labels.documents}"
            )
        size = (len(labels), design.terms)
        if selection is not None and (len(selection), selection.terms) != size:
            raise UsageError(
                f"the selection has {len(selection)} categories and {selection.terms} terms, and "
                f"the data have {len(labels)} and {design.terms}"
            )

    def document_weights(self) -> Floats:
        """Return the weight of each document."""
        return self.sample_weights.of_documents(self.design.documents)

    def term_count(self, category: int) -> int:
        """Return the number of terms that a category may use."""
        return self.design.terms if self.selection is None else len(self.selection[category])

    def selected(self, categories: Sequence[int] | Ints) -> Selection | None:
        """Return the terms of some categories; None if all categories may use all terms."""
        if self.selection is None:
            return None
        return self.selection.of_categories(categories)

    def of_categories(self, chosen: Ints) -> Job:
        """Return the job of some categories; costs the number of memberships."""
        if len(chosen) == len(self.labels):
            return self
        classes: Any = self.sample_weights.classes
        if classes is not None and np.ndim(classes) == 2:
            classes = [tuple(classes[int(c)]) for c in chosen]
        priors = self.term_priors
        if priors is not None and priors.own:
            own = {at: priors.own[int(c)] for at, c in enumerate(chosen) if int(c) in priors.own}
            priors = replace(priors, own=own)
        strengths = self.strengths
        if strengths is not None:
            strengths = replace(strengths, values=strengths.values[..., chosen])
        return replace(
            self,
            labels=self.labels.of_categories(chosen),
            selection=self.selected(chosen),
            sample_weights=replace(self.sample_weights, classes=classes),
            strengths=strengths,
            term_priors=priors,
            warm_starts=[self.warm_starts[int(c)] for c in chosen] if self.warm_starts else (),
            resume_from=[self.resume_from[int(c)] for c in chosen] if self.resume_from else (),
        )
