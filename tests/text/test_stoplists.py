"""Stop lists: from packages, from files, and what is wrong with them."""

from __future__ import annotations

import sys
from hashlib import sha256

import pytest
import stopwordsiso
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from sphinx.search.en import SearchEnglish

from postil.errors import InputError, MissingExtraError, UsageError
from postil.text import stoplists
from postil.text.analyzer import Analyzer
from postil.text.languages import NAME_OF

# How many words each list of the Snowball project has. A list is known by the digest of its
# words, so that a package that changes one is noticed.
SNOWBALL_SIZES = {
    "da": 94, "de": 231, "en": 174, "es": 308, "fi": 229, "fr": 164, "hu": 198, "it": 279,
    "nl": 101, "no": 172, "pt": 203, "ru": 159, "sv": 114,
}  # fmt: skip


def digest(words: frozenset[str]) -> str:
    return sha256("\n".join(sorted(words)).encode()).hexdigest()[:16]


def test_sklearn():
    assert stoplists.load("sklearn") == ENGLISH_STOP_WORDS
    assert len(stoplists.load("sklearn")) == 318


def test_smart():
    words = stoplists.load("smart")
    assert len(words) == 570
    assert digest(words) == "8b22cdb3811112c4"


def test_snowball_english():
    words = stoplists.load("snowball:en")
    assert digest(words) == "1ab5c50f44a3bb96"
    assert words == SearchEnglish.stopwords


@pytest.mark.parametrize("code", stoplists.SNOWBALL_LANGUAGES)
def test_snowball(code):
    assert len(stoplists.load(f"snowball:{code}")) == SNOWBALL_SIZES[code]


@pytest.mark.parametrize("code", sorted(stopwordsiso.langs()))
def test_iso(code):
    name = stoplists.canonical_name(f"iso:{NAME_OF[code]}")
    assert name == f"iso:{code}"
    assert stoplists.load(name) == frozenset(stopwordsiso.stopwords(code))


def test_a_language_the_collection_lacks():
    with pytest.raises(UsageError, match=r"iso:yi.*no list for yiddish; it has af, ar"):
        stoplists.load("iso:yi")


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sphinx.search", None)
    with pytest.raises(MissingExtraError, match=r"snowball:de.*pip install sphinx .*extra stop"):
        stoplists.load("snowball:de")
    assert stoplists.load("snowball:en")


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_file_with_comments(tmp_path, ending):
    lines = [
        "\ufeff# a list", "the", "  and or ", "", "  | snowball style", "c#", "a|b",
        "been  | past participle", "naïve # an accent", "|all", "#", "x",
    ]  # fmt: skip
    path = tmp_path / "my (own) list, new.txt"
    path.write_bytes(ending.join(lines).encode())
    assert stoplists.load(f"file:{path}") == {
        "the", "and", "or", "c#", "a|b", "been", "naïve", "x",
    }  # fmt: skip


def test_a_missing_file(tmp_path):
    path = tmp_path / "none.txt"
    with pytest.raises(UsageError, match=r"none\.txt\): the file cannot be read \(No such file"):
        stoplists.load(f"file:{path}")


def test_a_folder(tmp_path):
    with pytest.raises(UsageError, match="the file cannot be read"):
        stoplists.load(f"file:{tmp_path}")


def test_a_file_in_another_encoding(tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes("und\nfür\n".encode("latin-1"))
    with pytest.raises(
        InputError, match=r"latin\.txt, line 2: .* UTF-8, and byte 0xfc in column 2"
    ):
        stoplists.load(f"file:{path}")


def test_a_file_without_words(tmp_path):
    path = tmp_path / "empty.txt"
    path.write_text("# nothing\n\n")
    with pytest.raises(InputError, match=r"empty\.txt: .* at least one word"):
        stoplists.load(f"file:{path}")


@pytest.mark.parametrize(
    ("spec", "text", "tokens"),
    [
        ("words stop(file:x)", "The the THE", ["The", "THE"]),
        ("words lower stop(file:x)", "The IBM STRASSE Été ete", ["strasse", "ete"]),
        ("words casefold stop(file:x)", "The IBM STRASSE Été ete", ["ete"]),
        ("words lower fold-accents stop(file:x)", "The Été ete", []),
        ("compounds lower stop(file:x)", "Don't don’t DON'T can't", ["can't"]),
    ],
)
def test_lists_are_spelled_as_texts_are(spec, text, tokens):
    words = ["the", "IBM", "Été", "Straße", "don't"]
    assert Analyzer(spec, {"file:x": words}).tokens(text) == tokens
