"""Lengths of documents: exact quantiles and a small histogram, in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

BLOCKS = " ▏▎▍▌▋▊▉█"
EIGHTHS = len(BLOCKS) - 1


class Lengths:
    """A multiset of lengths, kept as how often each occurs.

    Everything is exact. Memory grows with the number of distinct lengths (a few thousand for
    most corpora, however many documents); asking costs sorting those.
    """

    def __init__(self, lengths: Iterable[int] = ()) -> None:
        self._times: Counter[int] = Counter(lengths)

    def add(self, length: int) -> None:
        """Count one more document of this length."""
        self._times[length] += 1

    def extend(self, lengths: Iterable[int]) -> None:
        """Count one more document for each length."""
        self._times.update(lengths)

    @property
    def count(self) -> int:
        """How many lengths were added."""
        return self._times.total()

    @property
    def sum(self) -> int:
        """All lengths together."""
        return sum(length * times for length, times in self._times.items())

    @property
    def mean(self) -> float:
        """The average (0 if there is none)."""
        return self.sum / self.count if self.count else 0.0

    @property
    def minimum(self) -> int:
        """The smallest (0 if there is none)."""
        return min(self._times, default=0)

    @property
    def maximum(self) -> int:
        """The largest (0 if there is none)."""
        return max(self._times, default=0)

    def quantile(self, share: float) -> int:
        """Find the smallest length that at least this share of the documents does not exceed."""
        needed = share * self.count
        reached = 0
        for length in sorted(self._times):
            reached += self._times[length]
            if reached >= needed:
                return length
        return self.maximum

    def to_dict(self) -> dict[str, float]:
        """Give sum, minimum, median, mean, 90 % quantile and maximum for JSON."""
        return {
            "sum": self.sum,
            "min": self.minimum,
            "median": self.quantile(0.5),
            "mean": self.mean,
            "p90": self.quantile(0.9),
            "max": self.maximum,
        }

    def bins(self) -> list[tuple[int, int, int]]:
        """Count documents in bins that double: 0, 1, 2–3, 4–7 and so on.

        A bin is (first length, last length, documents). From the first bin with a document to
        the last, those between included.
        """
        counts: Counter[int] = Counter()
        for length, times in self._times.items():
            counts[length.bit_length()] += times
        if not counts:
            return []
        return [
            (_first(exponent), _first(exponent + 1) - 1, counts[exponent])
            for exponent in range(min(counts), max(counts) + 1)
        ]

    def histogram(self, width: int = 40) -> list[str]:
        """Draw the bins as lines of text, the fullest ``width`` characters long.

        A bin that has any document shows at least an eighth of a block.
        """
        bins = self.bins()
        names = [_name(first, last) for first, last, _ in bins]
        numbers = [f"{count:,}" for _, _, count in bins]
        left = max(map(len, names), default=0)
        right = max(map(len, numbers), default=0)
        fullest = max((count for _, _, count in bins), default=0)
        return [
            f"{name:>{left}} {number:>{right}} {_bar(count, fullest, width)}".rstrip()
            for name, number, (_, _, count) in zip(names, numbers, bins, strict=True)
        ]


def _first(exponent: int) -> int:
    return 1 << exponent >> 1


def _name(first: int, last: int) -> str:
    return f"{first:,}" if first == last else f"{first:,}–{last:,}"


def _bar(count: int, fullest: int, width: int) -> str:
    eighths = max(round(count / fullest * width * EIGHTHS), 1) if count else 0
    full, rest = divmod(eighths, EIGHTHS)
    return BLOCKS[-1] * full + (BLOCKS[rest] if rest else "")
