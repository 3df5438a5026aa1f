"""Documents are a stream: reading and writing hold no more for many than for few."""

from __future__ import annotations

import tracemalloc
from itertools import islice

import pytest

from postil.corpus.document import Document
from postil.corpus.opening import open_corpus
from postil.corpus.options import ReadOptions
from postil.corpus.writing import write_corpus

FEW, MANY = 500, 2500


def documents(count):
    text = "some words " * 400
    return (Document(f"{n}", {"text": f"{n} {text}"}, (f"l{n % 9}",)) for n in range(count))


def peak(work):
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["jsonl", "csv", "fasttext", "annif", "lines"])
def test_memory_does_not_grow_with_documents(name, tmp_path):
    # A document is some 4 kB, so the larger corpus is 8 MB larger.
    few, many = tmp_path / "few", tmp_path / "many"
    write_corpus(documents(FEW), few, name)
    written = peak(lambda: write_corpus(documents(MANY), many, name))
    # csv looks at a thousand documents for its columns before it writes the first.
    assert written < (7_000_000 if name == "csv" else 1_000_000)

    def walk(path):
        return lambda: sum(1 for _ in open_corpus(path, ReadOptions(format=name)))

    peak(walk(few))
    assert peak(walk(many)) < peak(walk(few)) + 500_000


@pytest.mark.corpus
def test_a_real_corpus_by_its_path(corpus_file):
    corpus = open_corpus(corpus_file("arxiv-120k"))
    assert corpus.description.endswith(
        "as jsonl: text from title, body; labels from labels; ids from id; splits from split; "
        "not used: date, primary"
    )
    first = list(islice(corpus, 2000))
    assert all(document.labels and document.fields["body"] for document in first)
