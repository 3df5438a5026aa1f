"""Counts of the documents, labels, fields and lengths of a corpus, in one pass over it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from postil.corpus.document import Document, Split

BLOCKS = " ▏▎▍▌▋▊▉█"
EIGHTHS = len(BLOCKS) - 1


class Lengths(Counter[int]):
    """The number of documents of each length.

    Sums and quantiles are exact, and 0 without documents. Memory grows with the number of
    distinct lengths, a few thousand for most corpora.
    """

    @property
    def sum(self) -> int:
        """The total length."""
        return sum(length * times for length, times in self.items())

    @property
    def mean(self) -> float:
        """The mean length."""
        return self.sum / self.total() if self else 0.0

    @property
    def minimum(self) -> int:
        """The smallest length."""
        return min(self, default=0)

    @property
    def maximum(self) -> int:
        """The largest length."""
        return max(self, default=0)

    def quantile(self, share: float) -> int:
        """Return the smallest length that at least this share of the documents does not exceed."""
        needed = share * self.total()
        reached = 0
        for length in sorted(self):
            reached += self[length]
            if reached >= needed:
                return length
        return self.maximum

    def to_dict(self) -> dict[str, float]:
        """Return sum, minimum, median, mean, 90 % quantile and maximum for JSON."""
        return {
            "sum": self.sum,
            "min": self.minimum,
            "median": self.quantile(0.5),
            "mean": self.mean,
            "p90": self.quantile(0.9),
            "max": self.maximum,
        }

    def histogram(self, width: int = 40) -> list[str]:
        """Return lines of text with the documents in bins that double: 0, 1, 2–3, 4–7 and so on.

        They reach from the first bin with a document to the last one. The bar of the fullest is
        ``width`` characters long, and a bin with a document shows at least an eighth of a block.
        """
        counts: Counter[int] = Counter()
        for length, times in self.items():
            counts[length.bit_length()] += times
        rows = []
        for exponent in range(min(counts, default=0), max(counts, default=-1) + 1):
            first, last = 1 << exponent >> 1, (1 << exponent) - 1
            name = f"{first:,}" if first >= last else f"{first:,}–{last:,}"
            count = counts[exponent]
            share = count / max(counts.values())
            eighths = max(round(share * width * EIGHTHS), 1) if count else 0
            full, rest = divmod(eighths, EIGHTHS)
            rows.append((name, f"{count:,}", BLOCKS[-1] * full + BLOCKS[rest].strip()))
        left = max((len(name) for name, _, _ in rows), default=0)
        right = max((len(number) for _, number, _ in rows), default=0)
        return [f"{name:>{left}} {number:>{right}} {bar}".rstrip() for name, number, bar in rows]


CountTokens = Callable[[list[str]], Sequence[int]]
CountLanguages = Callable[[list[str]], Mapping[str, int] | None]

NO_SPLIT = "none"
BATCH_DOCUMENTS = 1000
BATCH_CHARACTERS = 1 << 22
# Languages are told by the beginnings of some documents.
LEAST_SAMPLE, SAMPLE_CHARACTERS = 500, 1000


@dataclass
class CorpusStatistics:
    """Counts of documents, labels, fields and lengths.

    ``labels`` counts, for each split, the documents of each label. ``tokens`` is empty without a
    function that counts them. ``languages`` counts documents of a sample, None if that is not
    possible. Memory grows with the numbers of distinct labels, fields and
    lengths, not with documents.
    """

    documents: Counter[Split | None] = field(default_factory=Counter)
    unlabelled: int = 0
    empty: int = 0
    labels: dict[Split | None, Counter[str]] = field(default_factory=dict)
    fields: Counter[str] = field(default_factory=Counter)
    characters: Lengths = field(default_factory=Lengths)
    tokens: Lengths = field(default_factory=Lengths)
    languages: Counter[str] | None = None

    @classmethod
    def gather(
        cls,
        documents: Iterable[Document],
        count_tokens: CountTokens | None = None,
        count_languages: CountLanguages | None = None,
    ) -> CorpusStatistics:
        """Count the documents, read in batches of bounded size.

        ``count_tokens`` takes a list of texts, a document's fields joined by line breaks, and
        returns the number of tokens of each. ``count_languages`` takes a list of the beginnings of
        such texts and returns the number of texts in each language.
        """
        statistics, sample = cls(), _Sample()
        for batch in _batches(documents):
            texts = [text for _, text in batch]
            for document, text in batch:
                statistics._add(document, text)
                sample.add(text)
            if count_tokens is not None:
                statistics.tokens.update(count_tokens(texts))
        languages = None if count_languages is None else count_languages(sample.texts)
        statistics.languages = None if languages is None else Counter(languages)
        return statistics

    def _add(self, document: Document, text: str) -> None:
        self.documents[document.split] += 1
        self.unlabelled += not document.labels
        self.empty += not text.strip()
        self.labels.setdefault(document.split, Counter()).update(dict.fromkeys(document.labels, 1))
        self.fields.update(name for name, value in document.fields.items() if value.strip())
        self.fields.update(dict.fromkeys(document.fields, 0))
        self.characters[sum(len(value) for value in document.fields.values())] += 1

    @property
    def total(self) -> int:
        """The number of documents."""
        return self.documents.total()

    @property
    def labelled(self) -> int:
        """The number of documents with at least one label."""
        return self.total - self.unlabelled

    @property
    def label_frequencies(self) -> Counter[str]:
        """The number of documents of each label, in all splits together."""
        return sum(self.labels.values(), Counter())

    @property
    def cardinality(self) -> float:
        """The mean number of labels of a document (0 for an empty corpus)."""
        memberships = sum(counts.total() for counts in self.labels.values())
        return memberships / self.total if self.total else 0.0

    @property
    def density(self) -> float:
        """Cardinality divided by the number of labels: the filled share of the label matrix."""
        distinct = len(self.label_frequencies)
        return self.cardinality / distinct if distinct else 0.0

    def language_shares(self) -> dict[str, float]:
        """Return the share of each language among the documents of the sample, falling."""
        found = self.languages or Counter()
        ranked = sorted(found.items(), key=lambda item: (-item[1], item[0]))
        return {code: count / found.total() for code, count in ranked}

    def label_table(self) -> list[tuple[str, int]]:
        """Return labels with their documents, the most frequent first, then by name."""
        return sorted(self.label_frequencies.items(), key=lambda item: (-item[1], item[0]))

    def to_dict(self) -> dict[str, Any]:
        """Return all counts as plain values for JSON, in an order that does not change."""
        return {
            "documents": self.total,
            "splits": _named(self.documents),
            "labelled": self.labelled,
            "unlabelled": self.unlabelled,
            "empty": self.empty,
            "labels": {
                "distinct": len(self.label_frequencies),
                "distinct_in_split": _named({s: len(c) for s, c in self.labels.items()}),
                "cardinality": self.cardinality,
                "density": self.density,
                "documents": dict(self.label_table()),
            },
            "fields": dict(self.fields),
            "characters": self.characters.to_dict(),
            "tokens": self.tokens.to_dict() if self.tokens else None,
            "languages": None
            if self.languages is None
            else {"documents": self.languages.total(), "shares": self.language_shares()},
        }


class _Sample:
    """The beginnings of documents that are spread evenly over the corpus."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._step, self._seen = 1, 0

    def add(self, text: str) -> None:
        if self._seen % self._step == 0:
            self.texts.append(text[:SAMPLE_CHARACTERS])
        if len(self.texts) == 2 * LEAST_SAMPLE:
            self.texts, self._step = self.texts[::2], 2 * self._step
        self._seen += 1


def _named(by_split: dict[Split | None, int]) -> dict[str, int]:
    """Return the numbers by the names of the splits, documents without a split last."""
    order: tuple[Split | None, ...] = ("train", "test", None)
    return {split or NO_SPLIT: by_split[split] for split in order if split in by_split}


def _batches(documents: Iterable[Document]) -> Iterator[list[tuple[Document, str]]]:
    """Yield batches of documents with their joined texts, limited by number and by characters."""
    batch: list[tuple[Document, str]] = []
    characters = 0
    for document in documents:
        text = "\n".join(document.fields.values())
        batch.append((document, text))
        characters += len(text)
        if len(batch) >= BATCH_DOCUMENTS or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
