"""Copies and near copies: the same similarities and pairs as datasketch, and never quadratic."""

from __future__ import annotations

import random
from itertools import combinations

import numpy as np
import pytest
from datasketch import MinHash, MinHashLSH

from postil.corpus.copies import SHINGLE_WORDS, SIMILAR, CopySearch, whole_text
from postil.corpus.document import Document


def search_of(texts, threads=None):
    search = CopySearch(threads)
    documents = [Document(str(n), {"body": text}) for n, text in enumerate(texts)]
    assert [document for document, _ in search.reading(documents)] == documents
    return search


def copies_of(texts, threads=None):
    return search_of(texts, threads).find()


def shingles(text):
    words = text.lower().split()
    size = min(SHINGLE_WORDS, len(words))
    return {" ".join(words[i : i + size]) for i in range(len(words) - size + 1)} if words else set()


def jaccard(a, b):
    return len(shingles(a) & shingles(b)) / len(shingles(a) | shingles(b))


def changed(words, count, chance):
    """Replace so many of the words by new ones."""
    words = list(words)
    for place in chance.sample(range(len(words)), count):
        words[place] = f"new{chance.randrange(10**9)}"
    return words


@pytest.fixture(scope="module")
def families():
    """Texts of 20 to 300 words with variants that have more and more of their words changed."""
    chance = random.Random(3)
    texts = []
    for _ in range(60):
        words = [f"w{chance.randrange(3000)}" for _ in range(chance.choice([20, 60, 300]))]
        texts += [" ".join(changed(words, count, chance)) for count in (0, 1, 2, 5)]
    return texts


def test_short_texts_are_compared_exactly_and_long_ones_as_well_as_by_datasketch(families):
    search = search_of(families)
    sketches = []
    for text in families:
        sketches.append(MinHash(num_perm=128))
        sketches[-1].update_batch([each.encode() for each in shingles(text)])
    ours, theirs = [], []
    for a, b in (
        (first + i, first + j) for first in range(0, 240, 4) for i in range(3) for j in [3]
    ):
        exact = jaccard(families[a], families[b])
        found = search.similarity(a, b)
        if max(len(shingles(families[a])), len(shingles(families[b]))) <= 128:
            assert found == pytest.approx(exact)
        else:
            ours.append(found - exact)
            theirs.append(sketches[a].jaccard(sketches[b]) - exact)
    assert len(ours) > 30
    assert np.std(ours) < 1.3 * np.std(theirs)
    assert abs(np.mean(ours)) < 0.03


def test_the_pairs_of_datasketch_are_found(families):
    index = MinHashLSH(threshold=SIMILAR, num_perm=128)
    sketches = []
    for number, text in enumerate(families):
        sketches.append(MinHash(num_perm=128))
        sketches[-1].update_batch([each.encode() for each in shingles(text)])
        index.insert(number, sketches[-1])
    theirs = {
        (min(a, b), max(a, b))
        for b, sketch in enumerate(sketches)
        for a in index.query(sketch)
        if a != b and jaccard(families[a], families[b]) >= SIMILAR
    }
    groups = copies_of(families).groups
    assert len(theirs) > 60
    assert all(groups[a] == groups[b] for a, b in theirs)
    # Similar pairs are in one group, and every group is held together by similar pairs.
    for a, b in combinations(range(len(families)), 2):
        if groups[a] == groups[b]:
            assert a // 4 == b // 4
        elif a // 4 == b // 4:
            assert jaccard(families[a], families[b]) < SIMILAR + 0.1


def test_equal_texts_differ_at_most_in_case_and_space():
    texts = ["One two\nthree.", "one  TWO three.", "one two three!", "", "  ", "!!", "!!", "İ ß"]
    copies = copies_of(texts)
    assert copies.equal.tolist() == [0, 0, 2, 3, 4, 5, 5, 7]
    # Without punctuation the third is the same, too; texts without words are like no other.
    assert copies.groups.tolist() == [0, 0, 0, 3, 4, 5, 5, 7]
    assert copies.words.tolist() == [3, 3, 3, 0, 0, 0, 0, 2]


def test_texts_of_one_or_two_words_are_alike_only_if_equal():
    groups = copies_of(["text 1", "text 2", "text", "Text 1"]).groups
    assert groups.tolist() == [0, 1, 2, 0]


def test_results_do_not_depend_on_threads_or_batches(families, monkeypatch):
    one = copies_of(families, threads=1)
    monkeypatch.setattr("postil.corpus.copies.BATCH_DOCUMENTS", 7)
    other = copies_of(families, threads=4)
    assert one.groups.tolist() == other.groups.tolist()
    assert one.words.tolist() == other.words.tolist()


def test_a_form_that_all_documents_share_costs_no_quadratic_time():
    # A form of 60 words and 8 or 30 of one's own: buckets of many thousands, so that comparing
    # all pairs would take hours.
    form = " ".join(f"form{i}" for i in range(60))
    for own, groups in ((8, 1), (30, 8_000)):
        texts = [f"{form} " + " ".join(f"x{i}y{j}" for j in range(own)) for i in range(8_000)]
        assert len(np.unique(copies_of(texts).groups)) == groups


def test_own_groups_join_near_copies():
    copies = copies_of(["a b c d e f", "a b c d e f", "x y z u v w", "k l m n o p"])
    assert copies.joined([None] * 4).tolist() == [0, 0, 2, 3]
    assert copies.joined(["t", None, None, "t"]).tolist() == [0, 0, 2, 0]
    assert copies.joined(["t", "s", "s", None]).tolist() == [0, 0, 0, 3]
    assert copies.is_repeated


def test_fields_are_one_text():
    assert whole_text(Document("1", {"title": "A", "body": "b"})) == "A\nb"


def test_no_documents():
    copies = copies_of([])
    assert len(copies.groups) == len(copies.equal) == 0
    assert not copies.is_repeated
