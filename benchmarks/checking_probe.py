"""One check of a made-up corpus, in a process of its own.

``python -m benchmarks.checking_probe DOCUMENTS`` makes short documents, a tenth of them near copies
and a hundredth exact copies of others, checks them and prints a ``Checked`` as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from time import perf_counter, process_time

import numpy as np

from benchmarks.harness import peak_memory, start_memory
from benchmarks.zipf import Shape, zipf_texts
from postil.check.check import check_corpus
from postil.corpus.copies import CopySearch
from postil.corpus.corpus import Corpus
from postil.corpus.document import Document

LENGTH, DICTIONARY, LABELS = 40, 50_000, 20
NEAR, EXACT = 10, 100  # one document in so many is a copy
BOILERPLATE = 5  # and one in so many ends in the same sentences
FOOTER = (
    "this message is meant for its reader alone and may hold secrets . if you are not its reader "
    "delete it and tell the sender"
)
CHANGED = 1  # words of a near copy that differ
SEED = 7


@dataclass(frozen=True, slots=True)
class Checked:
    """Seconds and bytes of the search for copies and of a whole check, and what was found.

    ``processor_seconds`` are those of the whole check on all processors. ``recall`` is the share of
    the planted near copies that are with their original; ``precision`` the share of the documents
    in groups that were planted as, or have, a copy.
    """

    documents: int
    copy_seconds: float
    quick_seconds: float
    seconds: float
    processor_seconds: float
    bytes_held: int
    recall: float
    precision: float


def made_documents(count: int) -> tuple[list[str], dict[int, int]]:
    """Return texts, and the original of each planted copy."""
    texts = zipf_texts(Shape(count, LENGTH, DICTIONARY))
    chance = np.random.default_rng(SEED)
    originals: dict[int, int] = {}
    for row in range(1, count):
        if row % BOILERPLATE == 0:
            texts[row] = f"{texts[row]} . {FOOTER}"
        source = int(chance.integers(row))
        if row % EXACT == 1:
            texts[row] = texts[source]
        elif row % NEAR == 1:
            words = texts[source].split()
            for place in chance.integers(len(words), size=CHANGED):
                words[place] = f"changed{row}"
            texts[row] = " ".join(words)
        else:
            continue
        originals[row] = source
    return texts, originals


def documents_of(texts: list[str]) -> Iterator[Document]:
    """Yield documents with labels that depend on the text a little."""
    for row, text in enumerate(texts):
        label = f"label {(len(text) + row % 3) % LABELS}"
        yield Document(str(row), {"body": text}, (label,), "test" if row % 5 == 0 else "train")


def checked(count: int) -> Checked:
    """Make a corpus and check it."""
    texts, originals = made_documents(count)
    corpus = Corpus("made up", lambda _: documents_of(texts))
    search = CopySearch()
    begin = perf_counter()
    for _ in search.reading(corpus):
        pass
    groups = search.find().groups
    copy_seconds = perf_counter() - begin
    planted = np.array(list(originals.items()))
    together = groups[planted[:, 0]] == groups[planted[:, 1]]
    sizes = np.bincount(groups, minlength=count)
    grouped = np.flatnonzero(sizes[groups] > 1)
    true = np.isin(grouped, planted)
    del search, groups
    before = start_memory()
    begin = perf_counter()
    check_corpus(corpus, quick=True)
    quick_seconds = perf_counter() - begin
    held = peak_memory() - before
    begin, busy = perf_counter(), process_time()
    check_corpus(corpus)
    return Checked(
        count,
        copy_seconds,
        quick_seconds,
        perf_counter() - begin,
        process_time() - busy,
        held,
        float(together.mean()),
        float(true.mean()),
    )


if __name__ == "__main__":
    print(json.dumps(asdict(checked(int(sys.argv[1])))))
