"""Documents and models of numbered features, as svmlight files hold them.

``method["vectors"]`` of such a model says what its terms are: ``ids``, the numbers themselves; or
``names``, those of the numbers from 1 on, in order.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from postil.corpus.files.streams import Source
from postil.errors import InputError, UsageError
from postil.model.model import DocumentDigest, Model, TrainingFingerprint
from postil.vectors.svmlight import read_svmlight
from postil.vectors.vectorizer import Vectorizer
from postil.vectors.vocabulary import Vocabulary
from postil.vectors.weighting import Weighting

if TYPE_CHECKING:
    import scipy.sparse as sp

    from postil.learn.job import Labels
    from postil.learn.term_priors.files import PriorFile
    from postil.learn.term_priors.matching import MatchedPriors

VECTORS = "vectors"
FIELDS = "fields"
"""Entry of a method: the fields of the documents that a model learned from, joined."""
IDS, NAMES = "ids", "names"
SUFFIXES = frozenset({".svm", ".svmlight", ".libsvm"})
FORMAT = "svmlight"
MEMBER, OTHER = "1", "-1"
LARGEST_NUMBER = 2**31 - 1
MOST_DIGITS = len(str(LARGEST_NUMBER))
SHOWN = 60


@dataclass(frozen=True, slots=True, eq=False)
class NumberedDocuments:
    """The documents of an svmlight file: a column for each number from 0 on, and label sets."""

    matrix: sp.csr_matrix[Any]
    labels: list[tuple[str, ...]]
    source: str

    @property
    def binary(self) -> bool:
        """True if every document has one label, yes (1) or no (-1), and some have no."""
        found = set(self.labels)
        return (OTHER,) in found and found <= {(MEMBER,), (OTHER,)}

    def labels_for(self, names: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Return label sets of these categories.

        Labels that say yes or no belong to the one category there is.
        """
        if len(names) != 1 or not self.binary or names[0] == OTHER:
            return self.labels
        return [names if label == (MEMBER,) else () for label in self.labels]

    def digest(self, labels: list[tuple[str, ...]]) -> DocumentDigest:
        """Return the digest of all documents with these labels, as models keep it."""
        digest = DocumentDigest()
        matrix = self.matrix
        for row, own in enumerate(labels):
            cells = slice(matrix.indptr[row], matrix.indptr[row + 1])
            pieces = (matrix.indices[cells].astype("<i8"), matrix.data[cells].astype("<f4"))
            digest.add({FORMAT: b"".join(piece.tobytes() for piece in pieces)}, own)
        return digest

    def note(self, recipe: str, *, directions: bool = False) -> str:
        """Return the note that vectors are used as they are, but for the directions of LSI."""
        but = " except for lsi" if directions else ""
        return (
            f"{self.source}: vectors are used as given; [representation] of {recipe} does not "
            f"apply{but}"
        )

    @property
    def ids(self) -> list[str]:
        """The numbers of the documents from 1 on, which have no other ids."""
        return [str(number) for number in range(1, len(self.labels) + 1)]


def names_vectors(path: str, format: str | None = None) -> bool:
    """Return True for an svmlight file, by its ending or by the format the user gives."""
    if format is not None:
        return format == FORMAT
    return bool(SUFFIXES & set(Path(path).suffixes[-2:]))


def read_numbered(path: str | Path) -> NumberedDocuments:
    """Read an svmlight file, plain or compressed, all of it; ``-`` is standard input."""
    data = read_svmlight(path, zero_based=True)
    if not data.labels and str(path) != "-":  # standard input may be empty
        raise InputError(f"{path}: the file is empty")
    return NumberedDocuments(data.vectors, data.labels, str(path))


def takes_vectors(model: Model) -> bool:
    """Return True if the documents of the model are vectors, not texts."""
    return VECTORS in model.method


def check_takes_texts(model: Model) -> None:
    """Raise UsageError if the model takes vectors instead of texts."""
    if takes_vectors(model):
        raise UsageError(
            "the model's terms are numbered features, so it cannot read texts: give it an svmlight "
            "file (.svm, or --format svmlight)"
        )


def number_vectorizer(
    terms: Sequence[str], threads: int | None = None, matrix: sp.csr_matrix[Any] | None = None
) -> Vectorizer:
    """Return a vectorizer that only names the columns of given vectors.

    Parameters
    ----------
    terms
        The name of each column.
    threads
        The number of threads.
    matrix
        The training vectors, to count the documents that hold each term.
    """
    vocabulary = Vocabulary.of_terms(terms)
    if matrix is not None:
        held = np.bincount(matrix.indices, minlength=len(terms)).astype(np.uint64)
        vocabulary = vocabulary.counted(held, held, matrix.shape[0])
    vectorizer = Vectorizer(
        "words",
        weighting=Weighting("counts", "none", "none"),
        vocabulary=vocabulary,
        threads=threads,
    )
    vectorizer.documents = vocabulary.total
    return vectorizer


def columns_of(model: Model, documents: NumberedDocuments) -> sp.csr_matrix[Any]:
    """Return the documents' vectors in the columns of the model, without numbers unknown to it.

    Cost: one pass over the non-zeros and one over the model's terms.
    """
    if not takes_vectors(model):
        raise UsageError(
            f"{documents.source}: the model reads texts, not vectors of an svmlight file: give it "
            "the texts, or train on such a file"
        )
    return columns_numbered(documents.matrix, _numbers_of(model))


def is_number(term: str) -> bool:
    """Return True if a term is the number of a feature."""
    plain = term.isascii() and term.isdigit() and len(term) <= MOST_DIGITS
    return plain and str(int(term)) == term and int(term) <= LARGEST_NUMBER


def _numbers_of(model: Model) -> NDArray[np.int64]:
    if model.method[VECTORS] == NAMES:
        return np.arange(1, model.vectorizer.terms + 1)
    vocabulary = model.vectorizer.vocabulary
    if vocabulary is None:
        raise InputError("the model's terms should be the numbers of features, and it has no terms")
    strange = [term for term in vocabulary.names if not is_number(term)]
    if strange:
        raise InputError(
            "the model's terms should be the numbers of features, whole and at most 2^31 - 1; one "
            f"is {strange[0][:SHOWN]!r}"
        )
    return np.array([int(name) for name in vocabulary.names], dtype=np.int64)


class Grown(NamedTuple):
    """An extended vectorizer, vectors in its columns, and the number of new terms."""

    vectorizer: Vectorizer
    matrix: sp.csr_matrix[Any]
    new_terms: int


def with_new_numbers(model: Model, documents: NumberedDocuments) -> Grown:
    """Return the documents' vectors in the columns of the model, followed by new numbers.

    Cost: as :func:`columns_of`, and a new table of the terms.
    """
    import scipy.sparse as sp

    known = columns_of(model, documents)
    vocabulary = model.vectorizer.vocabulary
    if model.method[VECTORS] != IDS or vocabulary is None:
        raise UsageError("the model's terms are names, and new numbers have no names")
    new = np.setdiff1d(documents.matrix.indices, _numbers_of(model))  # sorted, each once
    more = columns_numbered(documents.matrix, new)
    matrix = sp.csr_matrix(sp.hstack([known, more], format="csr"))
    grown = Vocabulary.of_terms([*vocabulary.names, *map(str, new.tolist())])
    held = np.bincount(matrix.indices, minlength=len(grown)).astype(np.uint64)
    held[: len(vocabulary)] += vocabulary.documents
    total = vocabulary.total + matrix.shape[0]
    counted = grown.counted(held, held, total)
    return Grown(model.vectorizer.with_fit(total, vocabulary=counted, idf=None), matrix, len(new))


def columns_numbered(matrix: sp.csr_matrix[Any], numbers: NDArray[Any]) -> sp.csr_matrix[Any]:
    """Return the columns with these numbers, each once, in this order; absent ones are empty.

    Cost: sorting the numbers, and a look-up among them for each non-zero, whatever the largest
    number.
    """
    import scipy.sparse as sp

    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    places = np.searchsorted(ordered, matrix.indices)
    places[places == len(ordered)] = 0
    kept = ordered[places] == matrix.indices if len(ordered) else np.zeros(matrix.nnz, dtype=bool)
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    chosen = sp.csr_matrix(
        (matrix.data[kept], (rows[kept], order[places[kept]])),
        shape=(matrix.shape[0], len(numbers)),
    )
    chosen.sort_indices()
    return chosen


# As ``postil vectorize`` writes them beside an svmlight file: number, tab, name as JSON.
_NUMBERED = re.compile(r'(\d+)\t(".*")')


def read_feature_names(path: str | Path) -> list[str]:
    """Read the names of features from number 1 on, a line each; linear in the file.

    A line is a name, or a number, a tab and the name as a JSON text, where the numbers must be
    those of the lines.
    """
    source = Source(Path(path))
    with source.open() as stream:
        content = stream.read()
    try:
        lines = content.decode("utf-8-sig").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        at = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{source.name}, line {at}: is not UTF-8; convert the file") from None
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        name = _name(line.removesuffix("\r"), number, source.name)
        if not name:
            raise InputError(f"{source.name}, line {number}: the line has no name")
        before = seen.setdefault(name, number)
        if before != number:
            raise InputError(f"{source.name}, line {number}: {name!r} is in line {before} already")
    return list(seen)


def _name(line: str, number: int, source: str) -> str:
    match = _NUMBERED.fullmatch(line)
    if match is None:
        return line.strip()
    given, name = match.groups()
    if int(given) != number:
        raise InputError(
            f"{source}, line {number}: the line has number {given}; names must be in the order of "
            "their numbers, from 1 on"
        )
    try:
        return str(json.loads(name))
    except ValueError:
        raise InputError(f"{source}, line {number}: {name} is not JSON") from None


@dataclass(frozen=True, slots=True, eq=False)
class TrainingVectors:
    """The vectors of training documents, with their labels, vectorizer and fingerprint.

    ``numbered`` is True where terms are the numbers of svmlight data. ``method`` describes the
    vectors in the model. ``ids`` are those of the documents, if they have any.
    """

    matrix: sp.csr_matrix[Any]
    labels: Labels
    vectorizer: Vectorizer
    training: TrainingFingerprint
    numbered: bool = False
    method: Mapping[str, Any] = field(default_factory=dict)
    ids: Sequence[str] = ()

    def priors(self, file: PriorFile) -> MatchedPriors:
        """Return the priors of a file for these terms and categories."""
        from postil.learn.term_priors.matching import match_priors

        vocabulary = self.vectorizer.vocabulary
        return match_priors(file.lines, self.labels.names, vocabulary, numbered=self.numbered)
