"""Stop lists: of this package, of others, of files, and what is wrong with them."""

from __future__ import annotations

import sys
from hashlib import sha256

import pytest
import stopwordsiso
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from postil.errors import InputError, MissingExtraError, UsageError
from postil.text import stoplists
from postil.text.analyzer import Analyzer
from postil.text.languages import NAME_OF
from postil.text.stoplists import SNOWBALL_LANGUAGES

DIGESTS = {
    "smart": "8b22cdb3811112c4",
    "snowball:da": "9d971e9ea9925f01",
    "snowball:de": "12e5595d31fa3e80",
    "snowball:en": "1ab5c50f44a3bb96",
    "snowball:es": "19a0da6a9b09bd74",
    "snowball:fi": "a583ff10d051902c",
    "snowball:fr": "1fdb88b19eaab680",
    "snowball:hu": "972b61f8ce951aa9",
    "snowball:it": "05233e321dd34af7",
    "snowball:nl": "cb335cbd3b59442e",
    "snowball:no": "05c2fe689d7e8314",
    "snowball:pt": "78ddf4f80d1c81da",
    "snowball:ru": "db6f684a9966fe7b",
    "snowball:sv": "1b6134d3305d3f91",
}


def digest(words: frozenset[str]) -> str:
    return sha256("\n".join(sorted(words)).encode()).hexdigest()[:16]


def test_sklearn():
    assert stoplists.load("sklearn") == ENGLISH_STOP_WORDS
    assert len(stoplists.load("sklearn")) == 318


@pytest.mark.parametrize("name", DIGESTS)
def test_the_lists_that_come_with_postil_never_change(name):
    assert digest(stoplists.load(name)) == DIGESTS[name]


def test_every_shipped_file_is_a_list_and_states_its_source():
    files = {f"{name.replace(':', '-')}.txt" for name in DIGESTS}
    assert {path.name for path in stoplists.LISTS.glob("*.txt")} == files | {"NOTICE.txt"}
    assert set(DIGESTS) == {"smart", *(f"snowball:{code}" for code in SNOWBALL_LANGUAGES)}
    assert all("NOTICE.txt" in (stoplists.LISTS / file).read_text("utf-8") for file in files)


@pytest.mark.parametrize("code", sorted(stopwordsiso.langs()))
def test_iso(code):
    name = stoplists.canonical_name(f"iso:{NAME_OF[code]}")
    assert name == f"iso:{code}"
    assert stoplists.load(name) == frozenset(stopwordsiso.stopwords(code))


def test_a_language_the_collection_lacks():
    with pytest.raises(UsageError, match=r"iso:yi.*no list for yiddish; it has af, ar"):
        stoplists.load("iso:yi")


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "stopwordsiso", None)
    with pytest.raises(MissingExtraError, match=r"iso:de.*pip install stopwordsiso .*extra stop"):
        stoplists.load("iso:de")


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
