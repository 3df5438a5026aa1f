"""Decisions with broader labels, on corpora whose labels are named after those above them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate

from benchmarks.harness import Line, Settings, benchmark
from postil.corpus.document import Document
from postil.corpus.label_vocabulary import LabelEntry, LabelVocabulary
from postil.corpus.opening import open_corpus
from postil.recipes.recipe import load_recipe
from postil.train.assess import assess
from postil.train.train import train

CORPORA = {"arxiv-120k": "arXiv", "20news-bydate": "20 Newsgroups"}
TRAINED, TESTED = 4000, 2000


@benchmark("hierarchy", "decisions with broader labels: flat measures, and with the labels above")
def run(settings: Settings) -> Iterator[Line]:
    """Train by the recipe default without a hierarchy, and with both uses of one."""
    for name, title in CORPORA.items():
        documents = _documents(name, settings)
        labels = _by_prefix({label for document in documents for label in document.labels})
        for use in (None, "back-off", "consistent"):
            model = train(
                documents,
                load_recipe("default"),
                labels=labels,
                hierarchy=use,
                notify=lambda _: None,
            )
            report = assess(model, documents)
            first = next(iter(report.headline.items()))
            yield {
                "corpus": title,
                "decisions": use or "without hierarchy",
                "flat measure": first[0].replace("_", "-"),
                "flat, %": 100 * first[1].value,
                **{
                    f"{each} with labels above, %": 100 * v
                    for each, v in report.hierarchical.items()
                },
            }
    yield (
        f"arXiv: {TRAINED:,} training and {TESTED:,} test documents evenly drawn, with the "
        "archives above (cs above cs.LG). 20 Newsgroups by date: each document has one label, "
        "with the groups that names share above (comp.sys above comp.sys.mac.hardware)."
    )


def _documents(name: str, settings: Settings) -> list[Document]:
    """Return training and test documents, an even sample of a large corpus."""
    found: list[Document] = []
    for split, usual in (("train", TRAINED), ("test", TESTED)):
        part = [document for document in open_corpus(name) if document.split == split]
        most = settings.documents or usual
        sampled = name == "arxiv-120k" or settings.quick
        found += part[:: max(1, len(part) // most)][:most] if sampled else part
    return found


def _by_prefix(names: Iterable[str]) -> LabelVocabulary:
    """Return the labels with the beginnings of names that several of them share above."""
    held = {name: list(accumulate(name.split("."), "{}.{}".format))[:-1] for name in names}
    count: dict[str, int] = {}
    for prefixes in held.values():
        for prefix in prefixes:
            count[prefix] = count.get(prefix, 0) + 1
    shared = {prefix for prefix, times in count.items() if times > 1}
    above = {name: [each for each in held[name] if each in shared] for name in held}
    for prefix in shared - held.keys():
        above[prefix] = [each for each in shared if prefix.startswith(f"{each}.")]
    return LabelVocabulary(
        LabelEntry(name, broader=(max(higher, key=len),) if higher else ())
        for name, higher in sorted(above.items())
    )
