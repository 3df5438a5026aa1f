"""The native tokenizer and the plain Python one give the same tokens for any text."""

from __future__ import annotations

import sys
import unicodedata
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from postil import _native
from postil.text.analyzer import TokenizerOptions

from . import reference

TABLES = Path(__file__).parents[2] / "native" / "src" / "tokenizer" / "unicode_tables.cpp"
SAME_UNICODE = f"Unicode {unicodedata.unidata_version}." in TABLES.read_text().partition("\n")[0]

# Characters that tokenizers get wrong: sigmas, dotted and dotless i, ligatures, sharp s, marks
# on their own, signs of Indic scripts, joiners, Hangul, inner punctuation, odd spaces, emoji
# with modifiers, digits of other scripts, NUL, lone surrogates, the replacement character.
TRICKY = (
    "ΣσςΑα'İıIiỊǰŉßẞﬁﬃŒœǅ\u0301\u0345\u0307\u0903\u094dकिनमनি한글각ᄀ"
    "\u200c\u200d\u00ad\ufeff'’‐-–_‿ \t\n\r\v\f\x1c\x1f\x85\xa0\u2028\u3000\u200b"
    "👩🏽🇮🇹é①½Ⅷ٣五Ⓐ™ℌªº〇々ーアｱﾞㇰ㍿ก็ำເ𠀀ក្ខာ္\x00\ud83d\udc69\udfff\ufffd𝔸𐐀Ꭰꭰͅᾳ"
)

KINDS = [*reference.WORD_KINDS, *reference.CHAR_KINDS]
CASES = ["keep", "lower", "casefold"]
UNIFORM = ("Lo", "Co", "Cn", "Cs")

any_char = st.characters(exclude_categories=())
word_like = st.characters(categories=["L", "M", "N", "Pc"])
# Letters, marks and signs of scripts without spaces, between others.
unspaced = st.sampled_from("東京〇々都はーアｱﾞกำ็่ເມືអក្ខ២មြန်္\u200d\u0301ガaΣ1_'。 ")
texts = st.one_of(
    st.text(any_char, max_size=60),
    st.text(st.sampled_from(TRICKY), max_size=40),
    st.text(st.one_of(st.sampled_from(TRICKY + " ab"), word_like), max_size=60),
    st.text(st.characters(max_codepoint=127), max_size=200),
    st.text(st.characters(max_codepoint=255), max_size=100),
    st.text(st.sampled_from("aB1_'- \n"), max_size=300),
    st.text(st.sampled_from("<>/!&#;.'UASsa1 é"), max_size=60),
    st.text(unspaced, max_size=60),
)


@st.composite
def options(draw: st.DrawFn) -> TokenizerOptions:
    kind = draw(st.sampled_from(KINDS))
    gram_min = draw(st.integers(1, 6))
    return TokenizerOptions(
        kind=kind,
        case=draw(st.sampled_from(CASES)),
        fold_accents=draw(st.booleans()),
        min_length=draw(st.integers(1, 4)),
        gram_min=gram_min,
        gram_max=draw(st.integers(gram_min, 8)),
    )


def stable(text: str) -> str:
    """Without characters this Python may know otherwise than the native tables do."""
    if SAME_UNICODE:
        return text
    old = unicodedata.ucd_3_2_0
    return "".join(c if old.category(c) == unicodedata.category(c) != "Cn" else "?" for c in text)


def expected(text: str, chosen: TokenizerOptions) -> list[str]:
    return reference.tokenize(text, **asdict(chosen))


@settings(max_examples=1000, deadline=None)
@given(texts, options())
@example("ΑΣ ΑΣ.Α ΣΑΣ Σ α\u0301Σ\u0301", TokenizerOptions("words", "lower"))
@example("x\ud800y \udfff", TokenizerOptions("whitespace"))
@example("a" * 63 + "-" + "b" * 64 + "'c", TokenizerOptions("compounds"))
@example("", TokenizerOptions("chars", gram_min=1, gram_max=3))
def test_str_tokens_agree(text: str, chosen: TokenizerOptions):
    text = stable(text)
    assert _native.tokenize(text, chosen.to_native()) == expected(text, chosen)


@settings(max_examples=300, deadline=None)
@given(texts, options())
def test_bytes_and_str_agree(text: str, chosen: TokenizerOptions):
    text = text.encode("utf-8", "replace").decode()
    native = chosen.to_native()
    assert _native.tokenize(text.encode(), native) == _native.tokenize(text, native)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=80), options())
def test_any_bytes_read_as_python_reads_them_with_replacement(data: bytes, chosen):
    data = stable(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    wanted = expected(data.decode("utf-8", "replace"), chosen)
    assert _native.tokenize(data, chosen.to_native()) == wanted


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The company's 1st 10-K, it said", "The company 1st 10 K it said"),
        ("U.S. and U.S.-based, U.S firms; A.B.C of E.F. Hutton",
         "US and US based U S firms AB C of EF Hutton"),
        ("IBM's USAIR's SEC's IBMs don't it's5 'tis", "IBM U IBMs don it 5 tis"),
        ("U.S.'s x", "US s x"),
        ("<IBM> bought <Acme Inc\nof Ohio>, it said </p><!DOCTYPE x>y <!-- z -->",
         "bought it said y z"),
        ("3 < 4 > 2, a<1 b <", "3 4 2 a 1 b"),
        ("one <two three", "one"),
        ("AT&amp;T AT&T; R&D &#60;b&#; &# 1 &; &lt", "AT T AT R D b 1 lt"),
        ("Müller naïve 北京 x", "M ller na ve x"),
    ],
)  # fmt: skip
def test_words_of_the_trec_reader(text: str, tokens: str):
    assert _native.tokenize(text, TokenizerOptions("trec").to_native()) == tokens.split()
    lower = TokenizerOptions("trec", "lower").to_native()
    assert _native.tokenize(text, lower) == tokens.lower().split()


def telling(code: int) -> bool:
    """Characters one by one, but of the large uniform blocks only one in five hundred."""
    category = unicodedata.category(chr(code))
    small = code < 0x3400 or 0xF900 <= code < 0x10000
    return code % 499 == 0 or (small and category != "Cn") or category not in UNIFORM


TELLING = stable("".join(map(chr, filter(telling, range(sys.maxunicode + 1)))))
EVERY = "".join(f"a{char}b AΣ{char} 東{char}ก {char}\n" for char in TELLING)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("fold_accents", [False, True])
@pytest.mark.parametrize("kind", reference.WORD_KINDS)
def test_every_character_agrees(kind: str, case: str, fold_accents: bool):
    """Each character between letters, after a sigma, and on its own, in one long text."""
    chosen = TokenizerOptions(kind, case, fold_accents)
    found, wanted = _native.tokenize(EVERY, chosen.to_native()), expected(EVERY, chosen)
    assert len(found) == len(wanted)
    differing = [(a, b) for a, b in zip(found, wanted, strict=True) if a != b]
    assert differing == []


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("東京都は、日本の首都であり", "東京 京都 都は 日本 本の の首 首都 都で であ あり"),
        ("用Python写 第3章2024年", "用 python 写 第 3 章 2024 年"),
        ("スーパーコンピュータ", "スー ーパ パー ーコ コン ンピ ピュ ュー ータ"),
        ("二〇二四 人々 ﾊﾟｿ", "二〇 〇二 二四 人々 ﾊﾟ ﾟｿ"),
        ("น้ำมันแพง ๒๕ บาท", "น้ำ ำมั มัน นแ แพ พง ๒๕ บา าท"),
        ("ເຮືອມາ", "ເຮື ຮືອ ອມ ມາ"),
        ("ភាសាខ្មែរ", "ភាសា សាខ្មែ ខ្មែរ"),  # ខ្មែ is one unit: a letter below another, and its vowel
        ("ပြည်သူ က္က", "ပြည် ည်သူ က္က"),
        ("葛󠄀飾区 がぎ", "葛󠄀飾 飾区 がぎ"),
        ("한국어 문장", "한국어 문장"),
        ("ê្東", "ê្ 東"),
    ],
)
def test_scripts_without_spaces_give_pairs(text: str, tokens: str):
    assert _native.tokenize(text, TokenizerOptions("words", "lower").to_native()) == tokens.split()
    whole = _native.tokenize(text, TokenizerOptions("words-whole-runs", "lower").to_native())
    assert whole == reference.tokenize(text, "words-whole-runs", case="lower")
    assert len(whole) <= len(tokens.split())


def test_pairs_go_on_where_a_batch_of_tokens_ends():
    text = "".join(map(chr, range(0x4E00, 0x4E00 + 9000)))
    tokens, starts, ends = _native.token_places(text, TokenizerOptions("words").to_native())
    assert tokens == [text[at : at + 2] for at in range(len(text) - 1)]
    assert starts.tolist() == list(range(len(text) - 1))
    assert (ends - starts == 2).all()


@pytest.mark.parametrize("kind", reference.WORD_KINDS)
def test_tokens_do_not_depend_on_where_blocks_of_ascii_end(kind: str):
    chosen = TokenizerOptions(kind, "lower")
    text = "It's a Rock-'n'-Roll x-1 --y_z 'tis 1990s' o''clock\t" * 4
    for start in range(70):
        part = text[start:]
        assert _native.tokenize(part, chosen.to_native()) == expected(part, chosen)
