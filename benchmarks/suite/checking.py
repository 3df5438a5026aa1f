"""`postil corpus check` on made-up documents: time, memory, and the copies that it finds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np

from benchmarks.checking_probe import CHANGED, EXACT, LENGTH, NEAR, Checked, made_documents
from benchmarks.harness import Line, Settings, benchmark, run_module, seconds_of
from postil.corpus.copies import SIMILAR, CopySearch
from postil.corpus.document import Document

SIZES = (100_000, 1_000_000)
SIZES_WHEN_QUICK = (5_000,)
PEER_DOCUMENTS = 10_000
PEER_DOCUMENTS_WHEN_QUICK = 500
FUNCTIONS = 128
MEGABYTE = 1e6


@benchmark("checking", "corpus check: near copies among a million documents, and the whole check")
def run(settings: Settings) -> Iterator[Line]:
    """Check artificial corpora, each in a process of its own; then datasketch on a smaller one."""
    for count in SIZES_WHEN_QUICK if settings.quick else SIZES:
        done = Checked(**json.loads(run_module("benchmarks.checking_probe", [str(count)])))
        yield {
            "documents": done.documents,
            "copies, seconds": done.copy_seconds,
            "check --quick, seconds": done.quick_seconds,
            "check, seconds": done.seconds,
            "of processors": done.processor_seconds,
            "memory, MB": done.bytes_held / MEGABYTE,
            "bytes a document": round(done.bytes_held / done.documents),
            "recall, %": 100 * done.recall,
            "precision, %": 100 * done.precision,
        }
    yield (
        f"Documents of {LENGTH} words drawn by Zipf's law, held in memory, with 20 labels; one in "
        f"{NEAR} is a copy of another with {CHANGED} of its words changed, one in {EXACT} an exact "
        "copy, and every fifth ends in the same 24 words. Memory is that of check --quick, at its "
        "peak, over what was held before. Recall: planted copies that are in the group of their "
        "original. Precision: documents in groups that are a planted copy or have one."
    )
    yield from _peer(settings)


def _peer(settings: Settings) -> Iterator[Line]:
    if not find_spec("datasketch"):
        yield "datasketch is left out: it is not installed."
        return
    count = PEER_DOCUMENTS_WHEN_QUICK if settings.quick else PEER_DOCUMENTS
    texts, originals = made_documents(count)
    found: dict[str, float] = {}

    def ours() -> None:
        search = CopySearch()
        for _ in search.reading(Document(str(n), {"": text}) for n, text in enumerate(texts)):
            pass
        groups = search.find().groups
        found["postil"] = float(np.mean([groups[a] == groups[b] for a, b in originals.items()]))

    def theirs() -> None:
        from datasketch import MinHash, MinHashLSH

        index = MinHashLSH(threshold=SIMILAR, num_perm=FUNCTIONS)
        pairs = set()
        for number, text in enumerate(texts):
            words = text.split()
            sketch = MinHash(num_perm=FUNCTIONS)
            sketch.update_batch(
                {" ".join(words[i : i + 3]).encode() for i in range(len(words) - 2)}
            )
            pairs.update((number, int(other)) for other in index.query(sketch))
            index.insert(str(number), sketch)
        found["datasketch"] = float(np.mean([pair in pairs for pair in originals.items()]))

    seconds = {"datasketch": seconds_of(theirs), "postil": seconds_of(ours)}
    parts = [
        f"{name} took {value:.2f} s and found {100 * found[name]:.1f} % of the planted pairs"
        for name, value in seconds.items()
    ]
    yield (
        f"Near copies among {count:,} of these documents: {'; '.join(parts)}. datasketch has "
        f"{FUNCTIONS} functions and looks pairs up at similarity {SIMILAR}, one process; postil "
        "compares the pairs and joins them to groups."
    )
