"""Splits: exact sizes, labels in proportion, the same for the same seed."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil.corpus.corpus import Corpus
from postil.corpus.document import Document, Problems
from postil.corpus.split import fold_corpus, split_corpus, stratify
from postil.errors import CorpusError, DocumentError, UsageError

LABELS = st.lists(st.sampled_from("abcdefgh"), max_size=4)
SINGLE = st.sampled_from("aaaaabbbccd").map(lambda label: (label,))
SHARES = st.lists(st.integers(1, 9), min_size=1, max_size=5).map(
    lambda numbers: [number / sum(numbers) for number in numbers]
)
FOLDS = st.integers(1, 7).map(lambda k: [1 / k] * k)


def deviations(labels, parts, shares):
    """Return the largest distance of each label's count in a part from its share."""
    totals = Counter(label for one in labels for label in set(one))
    given_ = Counter(
        (label, part) for one, part in zip(labels, parts, strict=True) for label in set(one)
    )
    return {
        label: max(abs(given_[label, part] - share * total) for part, share in enumerate(shares))
        for label, total in totals.items()
    }


def many_documents(count, seed=0, labels=60):
    """Label sets as corpora have them: a few frequent labels, many rare ones, 0 to 4 each."""
    chance = random.Random(seed)
    return [
        tuple(
            {int(labels * chance.random() ** 4) for _ in range(chance.choice([0, 1, 1, 1, 2, 4]))}
        )
        for _ in range(count)
    ]


@given(st.lists(LABELS, max_size=80), SHARES | FOLDS, st.integers(0, 100))
def test_sizes_are_exact_and_every_document_has_a_part(labels, shares, seed):
    parts = stratify(labels, shares, seed)
    assert len(parts) == len(labels)
    sizes = np.bincount(parts, minlength=len(shares))
    assert len(sizes) == len(shares)
    assert (np.abs(sizes - np.array(shares) * len(labels)) < 1).all()


@given(st.lists(SINGLE, max_size=120), FOLDS, st.integers(0, 100))
def test_folds_of_single_labels_round_every_label(labels, shares, seed):
    parts = stratify(labels, shares, seed)
    assert all(distance < 1 for distance in deviations(labels, parts, shares).values())


@settings(max_examples=50)
@given(st.lists(SINGLE | st.just(()), min_size=1, max_size=120), st.integers(0, 100))
def test_train_and_test_of_single_labels_round_every_label(labels, seed):
    shares = [0.8, 0.2]
    worst = deviations(labels, stratify(labels, shares, seed), shares)
    assert all(distance <= 1 for distance in worst.values())


@pytest.mark.parametrize("shares", [[0.8, 0.2], [0.7, 0.3], [0.2] * 5, [0.1] * 10])
def test_many_labels_stay_within_a_document_but_for_very_few(shares):
    labels = many_documents(3000)
    worst = deviations(labels, stratify(labels, shares), shares)
    assert sum(distance > 1 for distance in worst.values()) <= 0.05 * len(worst)
    assert max(worst.values()) <= 5


def test_far_closer_than_chance():
    labels = many_documents(3000)
    shares = [0.8, 0.2]
    chance = np.random.default_rng(0).permutation(np.repeat([0, 1], [2400, 600]))
    ours = deviations(labels, stratify(labels, shares), shares)
    random_ = deviations(labels, chance, shares)
    assert sum(ours.values()) < 0.2 * sum(random_.values())


def test_a_label_with_one_document_goes_to_training():
    labels = [(f"rare {n}",) for n in range(20)] + [("common",)] * 500 + [("other",)] * 500
    labels += [(f"some {n}", "common") for n in range(60) for _ in range(7)]
    assert not stratify(labels, [0.8, 0.2])[:20].any()


def test_many_labels_of_two_documents_are_shared_out():
    labels = [(str(n // 2),) for n in range(200)]
    worst = deviations(labels, stratify(labels, [0.8, 0.2]), [0.8, 0.2])
    assert max(worst.values()) < 1


def test_documents_without_labels_are_spread_evenly():
    labels = [()] * 1000 + many_documents(1000)
    empty = np.array([not one for one in labels])
    parts = stratify(labels, [0.25] * 4)
    counts = np.bincount(parts[empty], minlength=4)
    assert np.abs(counts - empty.sum() / 4).max() <= 10
    assert np.bincount(parts).tolist() == [500] * 4


def test_no_labels_at_all():
    assert np.bincount(stratify([()] * 10, [0.7, 0.3])).tolist() == [7, 3]


@given(st.lists(LABELS, max_size=60), SHARES, st.integers(0, 5))
def test_same_seed_same_parts(labels, shares, seed):
    first, again = (stratify(labels, shares, seed) for _ in range(2))
    assert first.tolist() == again.tolist()


def test_another_seed_gives_other_parts():
    labels = many_documents(500)
    assert stratify(labels, [0.5, 0.5], 0).tolist() != stratify(labels, [0.5, 0.5], 1).tolist()


@pytest.mark.parametrize("shares", [[0.8, 0.2], [0.2] * 5])
def test_groups_stay_whole_and_labels_stay_near_their_shares(shares):
    chance = np.random.default_rng(0)
    groups = chance.integers(0, 1500, 3000)
    of_group = many_documents(1500)
    labels = [of_group[group] for group in groups.tolist()]
    parts = stratify(labels, shares, groups=groups)
    assert len({(group, part) for group, part in zip(groups, parts, strict=True)}) == len(
        np.unique(groups)
    )
    largest = np.bincount(groups).max()
    assert (np.abs(np.bincount(parts) - np.array(shares) * 3000) <= largest).all()
    worst = deviations(labels, parts, shares)
    assert np.mean(list(worst.values())) < 1.5
    assert max(worst.values()) <= largest


def test_a_group_of_half_the_documents_goes_where_it_fits():
    groups = np.concatenate([np.zeros(100, dtype=int), np.arange(1, 101)])
    parts = stratify([("a",)] * 200, [0.8, 0.2], groups=groups)
    assert not parts[:100].any()
    assert np.bincount(parts).tolist() == [160, 40]


def test_parts_do_not_depend_on_the_process():
    """Text is hashed anew in each process; parts must not notice."""
    code = (
        "import json\nfrom postil.corpus.split import stratify\n"
        "labels = [[f'label {i % 7}', f'label {i % 3}'] for i in range(200)]\n"
        "print(json.dumps(stratify(labels, [0.6, 0.4], 5).tolist()))"
    )
    outputs = set()
    for hashing in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hashing, "PYTHONPATH": ":".join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, check=True
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert Counter(json.loads(outputs.pop())) == {0: 120, 1: 80}


def test_repeated_labels_of_a_document_count_once():
    labels = [("a", "a", "b")] * 10
    assert stratify(labels, [0.5, 0.5]).tolist() == stratify([("a", "b")] * 10, [0.5, 0.5]).tolist()


@pytest.mark.parametrize("shares", [[], [0.5], [0.5, 0.6], [1.2, -0.2], [1.0, 0.0], [float("nan")]])
def test_shares_that_are_none_are_refused(shares):
    with pytest.raises(UsageError, match="add up to 1"):
        stratify([("a",)], shares)


def test_a_text_is_no_sequence_of_labels():
    with pytest.raises(UsageError, match=r"write a single label as \[label\]"):
        stratify(["earn", "acq"], [0.5, 0.5])


class TestCorpora:
    def corpus(self, labels, name="some"):
        passes = []

        def documents(problems):
            passes.append(1)
            for number, one in enumerate(labels):
                yield Document(str(number), {"body": f"text {number}"}, tuple(map(str, one)))

        corpus = Corpus(name, documents, description="about it")
        corpus.passes = passes
        return corpus

    def test_split_says_train_or_test_of_the_same_documents(self):
        labels = many_documents(200)
        corpus = self.corpus(labels)
        split = split_corpus(corpus, test=0.3, seed=4)
        documents = list(split)
        assert len(corpus.passes) == 2
        assert [document.id for document in documents] == [str(n) for n in range(200)]
        assert Counter(document.split for document in documents) == {"train": 140, "test": 60}
        expected = stratify([[str(label) for label in one] for one in labels], [0.7, 0.3], 4)
        assert [document.split == "test" for document in documents] == expected.astype(
            bool
        ).tolist()
        assert [document.id for document in split.only("test")] == [
            document.id for document in documents if document.split == "test"
        ]
        assert (split.name, split.description) == ("some", "about it")

    def test_near_copies_and_groups_stay_together(self):
        chance = random.Random(5)
        labels = many_documents(300)
        texts = [" ".join(f"w{chance.randrange(5000)}" for _ in range(30)) for _ in range(100)]

        def documents(problems):
            for number, one in enumerate(labels):
                text = f"{texts[number % 100]} {number}"  # three near copies of each
                group = f"thread {number % 7}" if number < 14 else None
                yield Document(str(number), {"body": text}, tuple(map(str, one)), group=group)

        split = {each.id: each.split for each in split_corpus(Corpus("some", documents), 0.3)}
        for number in range(100):
            copies = [split[str(number + more)] for more in (0, 100, 200)]
            assert len(set(copies)) == 1
            if number < 7:
                assert split[str(number + 7)] == copies[0]
        assert abs(Counter(split.values())["test"] - 90) <= 6

    def test_copies_alone_cannot_be_split(self):
        corpus = Corpus("some", lambda _: (Document(str(n), {"": "a b c d"}) for n in range(9)))
        with pytest.raises(
            UsageError, match="9 documents, of which near copies and groups leave 1"
        ):
            split_corpus(corpus)

    def test_folds_test_each_document_once(self):
        corpus = self.corpus(many_documents(103))
        folds = fold_corpus(corpus, 5)
        assert len(corpus.passes) == 1
        tested = [[d.id for d in fold if d.split == "test"] for fold in folds]
        assert sorted(len(ids) for ids in tested) == [20, 20, 21, 21, 21]
        assert sorted(chain.from_iterable(tested), key=int) == [str(n) for n in range(103)]
        assert folds[1].name == "some[fold 2 of 5]"

    @pytest.mark.parametrize("change", [-1, 1])
    def test_a_corpus_that_changed_meanwhile_is_told(self, change):
        labels = [("a",)] * 20
        split = split_corpus(self.corpus(labels))
        labels[:] = [("a",)] * (20 + change)
        with pytest.raises(CorpusError, match="had 20 documents when it was split and has"):
            list(split)

    def test_skipped_documents_are_skipped_again_and_counted(self):
        def documents(problems):
            for number in range(20):
                if number % 4 == 0:
                    problems.report(DocumentError("file", f"line {number}", "is bad"))
                else:
                    yield Document(str(number), {}, ("a",))

        split = split_corpus(Corpus("some", documents, problems=Problems("skip")))
        assert len(list(split)) == 15
        assert split.problems.count == 5

    def test_bad_requests_are_refused(self):
        corpus = self.corpus([("a",)] * 3)
        for share in (0, 1, -0.5, 1.5):
            with pytest.raises(UsageError, match="between 0 and 1"):
                split_corpus(corpus, test=share)
        with pytest.raises(UsageError, match="3 documents are too few"):
            split_corpus(corpus, test=0.05)
        with pytest.raises(UsageError, match="3 documents are too few"):
            fold_corpus(corpus, 4)
        for k in (1, 0):
            with pytest.raises(UsageError, match="2 or more"):
                fold_corpus(corpus, k)
