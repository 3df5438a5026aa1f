"""What `postil corpus info` gathers and shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from postil.cli.console import counted
from postil.cli.progress import watched
from postil.corpus.statistics import CorpusStatistics
from postil.escaping import visible

if TYPE_CHECKING:
    from postil.corpus.corpus import Corpus
    from postil.corpus.document import Split
    from postil.corpus.lengths import Lengths

WIDTH = 40


def gather(corpus: Corpus, analyzer: str) -> CorpusStatistics:
    """Walk the corpus once and count everything."""
    from postil.vectors.counting import token_counter

    count_tokens = token_counter(analyzer)
    return CorpusStatistics.gather(watched(corpus, f"counting {corpus.name}"), count_tokens)


def render(name: str, statistics: CorpusStatistics, top: int) -> str:
    """Return the counts as a person reads them."""
    return "\n".join(
        [
            f"{visible(name)}: {counted(statistics.total, 'document', grouped=True)} "
            f"({_splits(statistics)})",
            f"  labels      {_labels(statistics)}",
            f"  fields      {_fields(statistics)}",
            f"  characters  {_lengths(statistics.characters)}",
            f"  tokens      {_lengths(statistics.tokens)}",
            "",
            "documents by tokens",
            *(f"  {line}" for line in statistics.tokens.histogram(WIDTH)),
            *_label_lines(statistics, top),
        ]
    )


def _splits(statistics: CorpusStatistics) -> str:
    parts = [
        f"{count:,} {split or 'without a split'}"
        for split, count in sorted(statistics.documents.items(), key=_split_order)
    ]
    if statistics.empty:
        parts.append(f"{statistics.empty:,} empty")
    return ", ".join(parts) or "none"


def _split_order(item: tuple[Split | None, int]) -> int:
    return ("train", "test", None).index(item[0])


def _labels(statistics: CorpusStatistics) -> str:
    return (
        f"{len(statistics.label_frequencies):,} distinct, {statistics.cardinality:.2f} a document, "
        f"{counted(statistics.unlabelled, 'document', grouped=True)} without"
    )


def _fields(statistics: CorpusStatistics) -> str:
    return (
        ", ".join(f"{visible(name)} in {count:,}" for name, count in statistics.fields.items())
        or "none"
    )


def _lengths(lengths: Lengths) -> str:
    return (
        f"{lengths.sum:,}; a document: min {lengths.minimum:,}, median {lengths.quantile(0.5):,}, "
        f"mean {lengths.mean:,.1f}, p90 {lengths.quantile(0.9):,}, max {lengths.maximum:,}"
    )


def _label_lines(statistics: CorpusStatistics, top: int) -> list[str]:
    table = [(visible(label), count) for label, count in statistics.label_table()]
    if not table:
        return []
    width = max(len(label) for label, _ in table[:top]) if top else 0
    lines = ["", "documents by label"]
    for label, count in table[:top]:
        bar = "█" * max(1, round(count / table[0][1] * WIDTH))
        lines.append(f"  {label:<{width}} {count:>7,} {bar}")
    if len(table) > top:
        lines.append(f"  … and {len(table) - top:,} more (--top, --json)")
    return lines
