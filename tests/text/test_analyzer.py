"""The analyzer: spec to tokens, and what travels with it."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from postil.errors import UsageError
from postil.text.analyzer import Analyzer, TokenizerOptions
from postil.text.catalogue import describe, names
from postil.text.grammar import Group
from postil.text.spec import AnalyzerSpec

from .specs import spec_texts

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)
pieces = ["The", "the", "cats'", "1990", "naïve", "don’t", "ÉTÉ", "of", "x", "ß", "", "\n"]
wordy = st.lists(st.sampled_from(pieces))


def test_the_readme_example():
    analyzer = Analyzer("words lower stop(snowball:en) stem(porter)")
    assert analyzer.tokens("The runners were running, again and again!") == ["runner", "run"]


def test_dropped_words_are_gone_before_ngrams_are_formed():
    analyzer = Analyzer("words lower stop(sklearn) ngrams(1,3)")
    assert analyzer.tokens("Bank of England of old") == [
        "bank", "england", "old", "bank england", "england old", "bank england old",
    ]  # fmt: skip


def test_a_word_that_comes_often_is_mapped_once():
    seen = []
    analyzer = Analyzer("words lower stem(porter)")
    plain = analyzer.word_map
    analyzer.word_map = lambda words: seen.append(words) or plain(words)
    assert analyzer.tokens("cats Cats dogs CATS") == ["cat", "cat", "dog", "cat"]
    assert seen == [["cats", "dogs"]]


@pytest.mark.parametrize(
    ("spec", "options"),
    [
        ("words", TokenizerOptions("words")),
        ("words(python) lower min(2)", TokenizerOptions("words-python", "lower", min_length=2)),
        ("words min(2) min(3)", TokenizerOptions("words", min_length=2)),
        ("words stop(smart) min(3)", TokenizerOptions("words")),
        (
            "letters casefold fold-accents ngrams(1,2)",
            TokenizerOptions("letters", "casefold", True, gram_min=1, gram_max=2),
        ),
        ("chars(3,5) lower", TokenizerOptions("chars", "lower", gram_min=3, gram_max=5)),
        ("chars-in-words(4)", TokenizerOptions("chars-in-words", gram_min=4, gram_max=4)),
    ],
)
def test_native_options(spec, options):
    assert Analyzer(spec).native_options() == options


@pytest.mark.parametrize("spec", ["words", "words lower min(2)", "chars(2)", "words ngrams(2)"])
def test_no_word_map_where_there_are_no_word_steps(spec):
    assert Analyzer(spec).word_map is None


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(texts, wordy.map(" ".join)),
    st.sampled_from(
        [
            "words lower stop(snowball:en) stem(english) ngrams(1,2)",
            "compounds casefold fold-accents min(2) numbers(fold)",
            "chars(1,3) lower",
            "chars-in-words(2,4)",
            "whitespace numbers(drop,mixed) max(5) ngrams(2)",
        ]
    ),
)
def test_bytes_give_the_tokens_of_str(text, spec):
    analyzer = Analyzer(spec)
    assert analyzer.tokens(text.encode()) == analyzer.tokens(text)


@pytest.mark.parametrize(
    ("spec", "parameters"),
    [
        ("words(python) lower min(2)", {}),
        ("words(python) min(2)", {"lowercase": False}),
        ("words(python) lower min(2) stop(sklearn)", {"stop_words": "english"}),
        ("words(python) lower min(2) ngrams(1,3)", {"ngram_range": (1, 3)}),
        (
            "words(python) lower min(2) stop(sklearn) ngrams(2)",
            {"ngram_range": (2, 2), "stop_words": "english"},
        ),
        ("words(python) lower fold-accents min(2)", {"strip_accents": "unicode"}),
        ("chars(1,4) lower", {"analyzer": "char", "ngram_range": (1, 4)}),
        ("chars(3) lower fold-accents", {
            "analyzer": "char", "ngram_range": (3, 3), "strip_accents": "unicode"}),
        ("chars-in-words(2,5) lower", {"analyzer": "char_wb", "ngram_range": (2, 5)}),
    ],
)  # fmt: skip
def test_tokens_and_their_order_are_scikit_learns(spec, parameters):
    ours, theirs = Analyzer(spec).tokens, CountVectorizer(**parameters).build_analyzer()

    @settings(max_examples=60, deadline=None)
    @given(st.one_of(texts, wordy.map(" ".join)))
    def agree(text):
        assert ours(text) == theirs(text)

    agree()


def test_resources_carry_the_lists(tmp_path):
    path = tmp_path / "list.txt"
    path.write_text("the\nof\n")
    spec = f"words lower stop(file:{path}) stop(smart)"
    analyzer = Analyzer(spec)
    carried = json.loads(json.dumps(analyzer.resources))
    assert carried[f"file:{path}"] == ["of", "the"]
    assert len(carried["smart"]) == 570
    path.unlink()
    elsewhere = Analyzer(spec, carried)
    assert elsewhere.tokens("The bank of England") == ["bank", "england"]
    assert elsewhere == analyzer
    assert pickle.loads(pickle.dumps(analyzer)) == analyzer


def test_lists_are_read_when_first_needed(tmp_path):
    analyzer = Analyzer(f"words stop(file:{tmp_path / 'none.txt'})")
    with pytest.raises(UsageError, match="cannot be read"):
        analyzer.tokens("a")


def test_an_empty_resource_is_a_list_without_words():
    assert Analyzer("words stop(smart)", {"smart": []}).tokens("the") == ["the"]


def test_resources_the_spec_does_not_name_are_refused():
    with pytest.raises(UsageError, match=r"resources for smart, which .*'words' does not name"):
        Analyzer("words", {"smart": ["the"]})


def test_no_resources_without_stop_lists():
    assert Analyzer("words lower").resources == {}


def test_analyzers_compare_by_spec_and_lists():
    analyzer = Analyzer("words fold-accents lower stop(file:x)", {"file:x": ["a"]})
    same = Analyzer(AnalyzerSpec.parse("words lower fold-accents stop(file:x)"), {"file:x": ["a"]})
    assert analyzer == same
    assert hash(analyzer) == hash(same)
    assert analyzer != Analyzer("words lower fold-accents stop(file:x)", {"file:x": ["b"]})
    assert analyzer != Analyzer("words")
    assert analyzer != "words"
    assert repr(analyzer) == "Analyzer('words lower fold-accents stop(file:x)')"


@settings(max_examples=50, deadline=None)
@given(spec_texts)
def test_analyzers_travel(text):
    spec = AnalyzerSpec.parse(text)
    analyzer = Analyzer(spec, {name: ["the"] for name in spec.stop_lists})
    for travelled in (pickle.loads(pickle.dumps(analyzer)), copy.deepcopy(analyzer)):
        assert travelled == analyzer
        assert travelled.tokens("The same, 2 times.") == analyzer.tokens("The same, 2 times.")


def test_describe_lists_everything():
    described = describe()
    assert list(described) == [
        "tokenizers", "text steps", "word steps", "n-grams", "stop lists", "stemmers",
    ]  # fmt: skip
    signatures = [s for title in list(described)[:4] for s in described[title]]
    assert [s.partition("(")[0] for s in signatures] == names(*Group)
    assert all(described[title][s] for title in list(described)[:5] for s in described[title])
    assert "snowball:LANG" in described["stop lists"]
    assert described["stemmers"]["english"] == "also en"


def test_importing_is_light():
    code = (
        "import sys, postil.text.analyzer\n"
        "heavy = {'Stemmer', 'sklearn', 'numpy', 'stopwordsiso'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
