"""The corpus that is shipped."""

from __future__ import annotations

from collections import Counter

from postil.corpus.opening import open_corpus


def test_the_demo_corpus_is_there_with_all_it_promises():
    documents = list(open_corpus("demo"))
    assert len(documents) >= 300
    assert len({document.id for document in documents}) == len(documents)
    assert all(document.fields["title"] and document.fields["body"] for document in documents)
    assert 0 < sum(not document.labels for document in documents) < 0.05 * len(documents)
    assert set(Counter(document.split for document in documents)) == {"train", "test"}
    labels = Counter(label for document in documents for label in document.labels)
    assert 8 <= len(labels) <= 12
    assert labels.total() > len(documents)
