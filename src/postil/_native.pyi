"""The compiled core of postil."""

from collections.abc import Callable, Sequence
import enum
from typing import Annotated

import numpy
import numpy.typing
from numpy.typing import NDArray


class TokenKind(enum.Enum):
    words = 0

    python_words = 1

    letters = 2

    compounds = 3

    whitespace = 4

    chars = 5

    chars_in_words = 6

class LetterCase(enum.Enum):
    keep = 0

    lower = 1

    casefold = 2

class TokenizerOptions:
    """How characters are normalised and where tokens begin and end."""

    def __init__(self, *, kind: TokenKind, letter_case: LetterCase, fold_accents: bool = False, min_length: int = 1, gram_min: int = 1, gram_max: int = 1) -> None: ...

def tokenize(text: str | bytes, options: TokenizerOptions) -> list[str]:
    """The surface tokens of one text, in order."""

def count_tokens(texts: Sequence[str | bytes], options: TokenizerOptions, threads: int) -> list[int]:
    """The number of surface tokens of each text."""

class TermFrequency(enum.Enum):
    binary = 0

    counts = 1

    log = 2

class Norm(enum.Enum):
    none = 0

    l1 = 1

    l2 = 2

class Weighting:
    """How counts become weights."""

    def __init__(self, *, frequency: TermFrequency, norm: Norm, idf: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, unseen_idf: float = 0.0, constant: bool = False) -> None: ...

class Batch:
    """The counted terms of some documents."""

    @property
    def documents(self) -> int: ...

    def rename_words(self, word_map: Callable[[list[str]], list[str | None]], threads: int) -> None:
        """Give every distinct word another name, or drop it."""

    def form_grams(self, shortest: int, longest: int, threads: int) -> None:
        """Turn sequences of words into n-gram counts."""

def count_texts(columns: Sequence[Sequence[str | bytes]], spaces: Sequence[int], options: TokenizerOptions, in_sequence: bool, threads: int) -> Batch:
    """
    Count the tokens of documents given as columns of texts, one for each field.
    """

class Vocabulary:
    """Terms in rank order, looked up by their bytes."""

    def __init__(self, spaces: Sequence[int], terms: Sequence[str]) -> None: ...

    def __len__(self) -> int: ...

    def terms(self) -> list[str]:
        """The terms, without their spaces."""

    def spaces(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]: ...

    def matrix(self, batch: Batch, weighting: Weighting, threads: int) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float32]]:
        """
        The batch as CSR arrays (row starts, terms, values); it is empty afterwards.
        """

def hashed_matrix(buckets: int, batch: Batch, weighting: Weighting, threads: int) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float32]]:
    """Like Vocabulary.matrix, with hash buckets for terms."""

class Ranking:
    """The terms that passed the bounds, in final order."""

    def __len__(self) -> int: ...

    @property
    def documents(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]: ...

    @property
    def occurrences(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]: ...

class TermCollector:
    """Gathers terms and rows, batch by batch."""

    def __init__(self, keep_rows: bool) -> None: ...

    @property
    def documents(self) -> int: ...

    def __len__(self) -> int: ...

    def add(self, batch: Batch, threads: int, learned: Sequence[bool] = ()) -> None:
        """
        Take in a batch, which is empty afterwards; only learned documents count.
        """

    def add_terms(self, terms: Vocabulary, documents: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], occurrences: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], document_count: int) -> None:
        """Take in a vocabulary counted elsewhere."""

    def rank(self, min_documents: int, max_documents: int, max_terms: int, threads: int) -> Ranking:
        """Filter the terms and put them in their final order."""

    def vocabulary(self, ranking: Ranking) -> Vocabulary: ...

    def matrix(self, ranking: Ranking, weighting: Weighting, threads: int) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float32]]:
        """
        The rows as CSR arrays (row starts, terms, values); the collector keeps none.
        """

class Scorer:
    """
    Raw texts to scores: the weights of their terms, added up for each category.

    Weights are terms by categories, compressed by term, and read in place: they must not change. The word map is asked once for each word met.
    """

    def __init__(self, *, terms: Vocabulary | int, options: TokenizerOptions, spaces: Sequence[int], weighting: Weighting, row_starts: numpy.typing.NDArray[numpy.int64], categories: numpy.typing.NDArray[numpy.int32], weights: numpy.typing.NDArray[numpy.float32], intercepts: numpy.typing.NDArray[numpy.float64], word_map: Callable[[list[str]], list[str | None]] | None = None, grams: tuple[int, int] = (1, 1), most_known_words: int = 1000000) -> None: ...

    @property
    def known_words(self) -> int: ...

    @property
    def dense_terms(self) -> int: ...

    def scores(self, columns: Sequence[Sequence[str | bytes]], threads: int) -> numpy.typing.NDArray[numpy.float64]:
        """The score of every document for every category."""

    def top(self, columns: Sequence[Sequence[str | bytes]], kept: int, threads: int) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float64]]:
        """The best categories of every document, best first, and their scores."""

    def above(self, columns: Sequence[Sequence[str | bytes]], thresholds: numpy.typing.NDArray[numpy.float64], threads: int) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float64]]:
        """
        The scores that reach their category's threshold, as CSR arrays (row starts, categories, scores).
        """

def scan_reuters(sgml: bytes) -> tuple[list[tuple[int, str, str, str, str, str, str, str, str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]]], list[tuple[int, int, str]]]:
    """
    Read the <REUTERS> elements of Latin-1 SGML.

    Returns documents, each (line, newid, oldid, lewis_split, cgi_split, topics_flag, title, dateline, body, labels), labels being the tuples TOPICS, PLACES, PEOPLE, ORGS, EXCHANGES; and problems, each (byte offset, line, message).
    """
