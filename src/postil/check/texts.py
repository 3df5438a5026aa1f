"""Findings about texts: empty, short or long, damaged, repeated in parts, in other languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from postil.check.finding import Example, Finding, are, counted, percent
from postil.check.passages import passages_of
from postil.check.reading import Facts, pick, spread
from postil.common.types import Ints
from postil.corpus.copies import whole_text
from postil.corpus.document import Document
from postil.text.detection import sure_languages
from postil.text.languages import NAME_OF

SHOWN = 5
MOST_SHORT = 5  # words
LEAST_LONG = 1000
TIMES_LONG = 20
LEAST_REPEATED = 10
SHARE_REPEATED = 0.01
MOST_PASSAGES = 20
MOST_CHARACTERS = 200

MOST_GUESSED = 2000  # documents whose language is guessed
LEAST_WORDS = 20
SHARE_OF_LANGUAGE = 0.005
INSTALL = "pip install 'postil[lang]'"


def empty(facts: Facts) -> Finding | None:
    """Find documents without a word."""
    rows = np.flatnonzero(facts.copies.words == 0)
    if not len(rows):
        return None
    count = len(rows)
    return Finding(
        "empty",
        "Documents without a word",
        count,
        "documents",
        f"{counted(count, 'document')} ({percent(count, facts.documents)}) "
        f"{are(count, 'has', 'have')} no word at all.",
        "There is nothing to learn from or to decide by.",
        "See whether a column of text was not read (--text-columns), or leave them out.",
        examples=tuple(Example(row) for row in rows[:SHOWN].tolist()),
    )


def short_or_long(facts: Facts) -> Finding | None:
    """Find documents much shorter or longer than most."""
    words = facts.copies.words
    filled = words[words > 0]
    if not len(filled):
        return None
    median = float(np.median(filled))
    shortest = min(MOST_SHORT, median / 4)
    longest = max(LEAST_LONG, TIMES_LONG * median)
    short = np.flatnonzero((words > 0) & (words < shortest))
    long = np.flatnonzero(words > longest)
    if not len(short) + len(long):
        return None
    parts = []
    if len(short):
        parts.append(
            f"{counted(len(short), 'document')} {are(len(short), 'has', 'have')} fewer "
            f"than {int(np.ceil(shortest))} words"
        )
    if len(long):
        parts.append(
            f"{counted(len(long), 'document')} {are(len(long), 'has', 'have')} more than "
            f"{int(longest):,} words"
        )
    shortest_first = short[np.argsort(words[short], kind="stable")][:SHOWN]
    longest_first = long[np.argsort(-words[long], kind="stable")][:SHOWN]
    return Finding(
        "short_or_long",
        "Very short and very long documents",
        len(short) + len(long),
        "documents",
        f"{' and '.join(parts)}; half of the documents have at most {median:,.0f}.",
        "A few words rarely tell a category; a very long document often is several, or a log.",
        "Look at some: is a text cut off, or are several files in one?",
        {"short": len(short), "long": len(long), "median_words": median},
        examples=tuple(
            Example(row, counted(int(words[row]), "word"))
            for row in (*shortest_first.tolist(), *longest_first.tolist())
        ),
    )


def damaged(facts: Facts) -> Finding | None:
    """Find documents with signs of a wrong encoding."""
    if not facts.damages:
        return None
    # A document may have several signs; the largest number is a lower bound.
    count = max(facts.damages.values())
    listed = [f"{sign} in {counted(n, 'document')}" for sign, n in facts.damages.most_common()]
    return Finding(
        "damaged",
        "Signs of a wrong encoding",
        count,
        "documents",
        f"{'; '.join(listed)}.",
        "Damaged words are other words, which a model has not learned.",
        "Read the source with its own encoding (--encoding), or repair it where it was made.",
        dict(facts.damages),
        examples=tuple(Example(*each[:2], text=each.text) for each in facts.damaged[:SHOWN]),
    )


def repeated_passages(facts: Facts, documents: Iterable[Document]) -> Finding | None:
    """Find sentences and lines that many documents share, copies counted once.

    Parameters
    ----------
    facts : Facts
        The documents.
    documents : iterable of Document
        The same again, from which the passages are read.
    """
    groups = facts.copies.groups
    least = max(LEAST_REPEATED, SHARE_REPEATED * len(np.unique(groups)))
    order = np.lexsort((facts.passage_rows, facts.passage_hashes))
    hashes, rows = facts.passage_hashes[order], facts.passage_rows[order]
    apart = np.unique(np.stack([hashes, groups[rows]]), axis=1)[0] if len(hashes) else hashes
    names, counts = np.unique(apart, return_counts=True)
    frequent, counts = names[counts >= least], counts[counts >= least]
    if not len(frequent):
        return None
    begins = np.searchsorted(hashes, frequent)
    ends = np.searchsorted(hashes, frequent, side="right")
    # By the first document: the values of hashes differ from run to run.
    best = np.lexsort((rows[begins], -counts))[:MOST_PASSAGES]
    texts = _passages_at(documents, {int(frequent[at]): int(rows[begins[at]]) for at in best})
    table = []
    for at in best.tolist():
        own = rows[begins[at] : ends[at]]
        label, share = _main_label(facts, own)
        told = f"{label} ({percent(share)})" if label else ""
        passage = texts.get(int(frequent[at]), "")
        shown = passage[:MOST_CHARACTERS] + ("…" if len(passage) > MOST_CHARACTERS else "")
        table.append((shown, f"{len(own):,}", told))
    held = len(np.unique(rows[np.isin(hashes, frequent)]))
    count = len(frequent)
    return Finding(
        "repeated_passages",
        "Passages that many documents share",
        count,
        "passages",
        f"{counted(count, 'sentence or line', 'sentences or lines')} {are(count)} in at least "
        f"{int(np.ceil(least)):,} documents that are no copies of each other; "
        f"{percent(held, facts.documents)} of the documents have one.",
        "A footer or a form that goes with a label gives the label away without the meaning of the "
        "text, and is missing from other sources.",
        "Cut them out of the texts before training if new documents do not have them.",
        {"documents": held},
        ("passage", "documents", "most frequent label"),
        tuple(table),
    )


def _passages_at(documents: Iterable[Document], row_of: dict[int, int]) -> dict[int, str]:
    """Return the passages of some hashes, each read from a document that has it."""
    rows = np.unique(np.array(list(row_of.values()), dtype=np.int64))
    found: dict[int, str] = {}
    for _, document in pick(documents, rows):
        for passage in passages_of(whole_text(document)):
            key = hash(passage)
            if key in row_of:
                found[key] = passage
    return found


def _main_label(facts: Facts, rows: Ints) -> tuple[str, float]:
    sizes = np.asarray(facts.labels.members[rows].sum(axis=0)).ravel()
    if not sizes.any():
        return "", 0.0
    best = int(sizes.argmax())
    return facts.labels.names[best], float(sizes[best] / len(rows))


class NoLanguagesError(Exception):
    """The package that guesses languages is not installed."""


def languages(facts: Facts, documents: Iterable[Document]) -> Finding | None:
    """Guess the languages of some documents; find them if there are several."""
    rows = spread(np.flatnonzero(facts.copies.words >= LEAST_WORDS), MOST_GUESSED)
    guesses = sure_languages(whole_text(document) for _, document in pick(documents, rows))
    if guesses is None:
        raise NoLanguagesError
    sure = [(row, own) for row, own in zip(rows.tolist(), guesses, strict=True) if own]
    counts = Counter(language for _, language in sure)
    least = max(2, SHARE_OF_LANGUAGE * len(rows))
    found = [(language, n) for language, n in counts.most_common() if n >= least]
    if len(found) < 2:
        return None
    (main, most), *others = found
    count = sum(n for _, n in others)
    shown = [
        Example(row, f"in {_name(language)}")
        for language, _ in others[:SHOWN]
        for row in [row for row, own in sure if own == language][:2]
    ]
    listed = ", ".join(
        f"{_name(language)} {percent(n, len(rows))}" for language, n in others[:SHOWN]
    )
    looked = "" if len(rows) == facts.documents else f" of {len(rows):,} that were looked at"
    return Finding(
        "languages",
        "Several languages",
        count,
        "documents",
        f"Most documents{looked} are in {_name(main)} ({percent(most, len(rows))}); others are in "
        f"{listed}.",
        "Words of one language say nothing about documents in another, and a stemmer or a stop "
        "list serves one.",
        "If new documents come in all of them, see that each language has examples of each label.",
        {_name(language): n for language, n in found},
        examples=tuple(shown),
    )


def _name(code: str) -> str:
    name = NAME_OF.get(code, code)
    return name.capitalize() if name != code else code
