"""Counts of a corpus against counting by hand."""

from __future__ import annotations

import json
import statistics
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.corpus import stats as module
from postil.corpus.document import Document
from postil.corpus.stats import CorpusStatistics, Lengths

DOCUMENTS = [
    Document("1", {"title": "Rain", "body": "It rains."}, ("weather", "water"), "train"),
    Document("2", {"title": "", "body": "Sun and wind"}, ("weather",), "train"),
    Document("3", {"title": "Ice"}, (), "test"),
    Document("4", {"title": " ", "body": "\n", "note": ""}, ("water",), None),
]


def count_words(texts):
    return [len(text.split()) for text in texts]


class TestCorpusStatistics:
    def test_counts(self):
        seen = CorpusStatistics.gather(DOCUMENTS, count_words)
        assert seen.total == 4
        assert seen.documents == {"train": 2, "test": 1, None: 1}
        assert (seen.labelled, seen.unlabelled, seen.empty) == (3, 1, 1)
        assert seen.label_frequencies == {"weather": 2, "water": 2}
        assert seen.labels["train"] == {"weather": 2, "water": 1}
        assert seen.label_table() == [("water", 2), ("weather", 2)]
        assert seen.cardinality == 1.0
        assert seen.density == 0.5
        assert seen.fields == {"title": 2, "body": 2, "note": 0}
        assert seen.characters.sum == 13 + 12 + 3 + 2
        assert seen.tokens.sum == 3 + 3 + 1

    def test_to_dict_is_json(self):
        result = json.loads(json.dumps(CorpusStatistics.gather(DOCUMENTS, count_words).to_dict()))
        assert result == {
            "documents": 4,
            "splits": {"train": 2, "test": 1, "none": 1},
            "labelled": 3,
            "unlabelled": 1,
            "empty": 1,
            "labels": {
                "distinct": 2,
                "distinct_in_split": {"train": 2, "test": 0, "none": 1},
                "cardinality": 1.0,
                "density": 0.5,
                "documents": {"water": 2, "weather": 2},
            },
            "fields": {"title": 2, "body": 2, "note": 0},
            "characters": {"sum": 30, "min": 2, "median": 3, "mean": 7.5, "p90": 13, "max": 13},
            "tokens": {"sum": 7, "min": 0, "median": 1, "mean": 1.75, "p90": 3, "max": 3},
            "languages": None,
        }

    def test_without_a_counter_there_are_no_tokens(self):
        assert CorpusStatistics.gather(DOCUMENTS).to_dict()["tokens"] is None

    @pytest.mark.parametrize(("count", "sampled"), [(7, 7), (1999, 500), (5000, 625)])
    def test_languages_are_counted_in_a_sample_spread_evenly(self, count, sampled):
        texts = []

        def count_languages(found):
            texts.extend(found)
            return {"fr": sum(text.startswith("le") for text in found), "en": 1}

        documents = (Document(str(n), {"text": f"le {n}"}) for n in range(count))
        seen = CorpusStatistics.gather(documents, None, count_languages)
        step = -(-count // sampled)
        assert texts == [f"le {n}" for n in range(0, count, step)]
        assert len(texts) == sampled
        shares = {"fr": sampled / (sampled + 1), "en": 1 / (sampled + 1)}
        assert seen.to_dict()["languages"] == {"documents": sampled + 1, "shares": shares}

    def test_an_empty_corpus(self):
        seen = CorpusStatistics.gather([], count_words)
        assert (seen.total, seen.cardinality, seen.density) == (0, 0.0, 0.0)
        assert seen.tokens.histogram() == []
        json.dumps(seen.to_dict())

    @pytest.mark.parametrize(("documents", "characters"), [(1, 10**9), (7, 10**9), (10**9, 40)])
    def test_texts_are_counted_in_batches(self, documents, characters, monkeypatch):
        monkeypatch.setattr(module, "BATCH_DOCUMENTS", documents)
        monkeypatch.setattr(module, "BATCH_CHARACTERS", characters)
        batches = []

        def count(texts):
            batches.append(len(texts))
            assert sum(map(len, texts[:-1])) < characters
            return count_words(texts)

        many = [Document(str(n), {"body": "one two " * (n % 5)}) for n in range(50)]
        seen = CorpusStatistics.gather(iter(many), count)
        assert sum(batches) == 50
        assert len(batches) > 1
        assert max(batches) <= documents
        assert seen.tokens.sum == sum(2 * (n % 5) for n in range(50))

    def test_a_repeated_label_counts_once(self):
        seen = CorpusStatistics.gather([Document("1", {}, ("a", "a"))])
        assert seen.label_frequencies == {"a": 1}


class TestLengths:
    @given(st.lists(st.integers(0, 5000), min_size=1), st.floats(0.01, 1))
    def test_summaries_equal_those_of_the_whole_list(self, values, share):
        lengths = Lengths(values)
        ordered = sorted(values)
        assert lengths.total() == len(values)
        assert lengths.sum == sum(values)
        assert lengths.mean == pytest.approx(statistics.fmean(values))
        assert (lengths.minimum, lengths.maximum) == (ordered[0], ordered[-1])
        assert lengths.quantile(0.5) == statistics.median_low(values)
        quantile = lengths.quantile(share)
        assert sum(value <= quantile for value in values) >= share * len(values)
        assert sum(value < quantile for value in values) < share * len(values)

    def test_adding_one_by_one_is_the_same(self):
        lengths = Lengths()
        for value in (3, 1, 3):
            lengths[value] += 1
        assert lengths.to_dict() == Lengths([1, 3, 3]).to_dict()

    @given(st.lists(st.integers(0, 10**6), min_size=1))
    def test_bins_hold_every_length_once(self, values):
        rows = [line.replace(",", "").split()[:2] for line in Lengths(values).histogram()]
        bins = [([int(end) for end in name.split("–")], int(count)) for name, count in rows]
        assert sum(count for _, count in bins) == len(values)
        for ends, count in bins:
            assert count == sum(ends[0] <= value <= ends[-1] for value in values)
        for (before, _), (after, _) in pairwise(bins):
            assert after[0] == before[-1] + 1

    def test_histogram(self):
        lengths = Lengths([0] + [1] * 8 + [2, 3] * 4 + [8] * 16 + [40])
        assert lengths.histogram(width=4) == [
            "    0  1 ▎",
            "    1  8 ██",
            "  2–3  8 ██",
            "  4–7  0",
            " 8–15 16 ████",
            "16–31  0",
            "32–63  1 ▎",
        ]

    def test_a_bin_with_one_of_many_documents_still_shows(self):
        assert Lengths([1] * 10**6 + [2]).histogram()[1] == "2–3         1 ▏"
