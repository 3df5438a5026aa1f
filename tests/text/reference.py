"""The obvious tokenizer: what the native one must agree with, in plain Python.

Written from the definitions with `re`, `str` and `unicodedata`; slow, and easy to check by eye.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import pairwise

JOINERS = "‌‍"  # zero width non-joiner and joiner: they continue a word, as marks do
INNER = "['’‐-]"
LETTER, NUMBER, CONNECTOR, MARK = "L", "N", "C", "M"
# Letters of scripts without spaces, and marks that tie the next of them to the letter before.
UNSPACED, TIE = "U", "T"
UNSPACED_RANGES = re.compile(
    "[\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"  # Myanmar
    "\u1780-\u17ff"  # Khmer
    "\u3005-\u3007\u3021-\u3029\u3031-\u303c"  # repeat marks, zero and other numbers of Han
    "\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f\U0001aff0-\U0001b16f"  # Kana
    "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"  # Han
)
TIES = "\u17d2\u1039"


def normalise(text: str, case: str, fold_accents: bool) -> str:
    text = re.sub("[\ud800-\udfff]", "�", text)
    if case == "lower":
        text = text.lower()
    if case == "casefold":
        text = text.casefold()
    if fold_accents:
        decomposed = unicodedata.normalize("NFKD", text)
        text = "".join(char for char in decomposed if unicodedata.combining(char) == 0)
    return text


@cache
def word_class(char: str) -> str:
    category = unicodedata.category(char)
    if category[0] == "M" or char in JOINERS:
        return MARK
    if category == "Pc":
        return CONNECTOR
    if category[0] in "LN":
        return category[0]
    return char if re.match(INNER, char) else " "


def runs(text: str, pattern: str) -> list[str]:
    """The parts of the text whose word classes match the pattern."""
    classes = "".join(map(word_class, text))
    return [text[match.start() : match.end()] for match in re.finditer(pattern, classes)]


WORD = f"[{LETTER}{NUMBER}{CONNECTOR}][{LETTER}{NUMBER}{CONNECTOR}{MARK}]*"


def whole_runs(text: str) -> list[str]:
    return runs(text, WORD)


@cache
def paired_class(char: str) -> str:
    if char in TIES:
        return TIE
    found = word_class(char)
    numeral = unicodedata.category(char) == "Nl"
    unspaced = (found == LETTER or numeral) and UNSPACED_RANGES.match(char)
    return UNSPACED if unspaced else found


MARKS = f"[{MARK}{TIE}]"
UNIT = f"{UNSPACED}(?:{MARK}|{TIE}{UNSPACED}?)*"
PLAIN_WORD = f"[{LETTER}{NUMBER}{CONNECTOR}](?:[{LETTER}{NUMBER}{CONNECTOR}]|{MARKS})*"


def placed_words(text: str) -> list[tuple[str, int, int]]:
    """Words, and of scripts without spaces two neighbouring units at a time, or a lone one."""
    classes = "".join(map(paired_class, text))
    found = []
    for match in re.finditer(f"(?P<run>(?:{UNIT})+)|{PLAIN_WORD}", classes):
        stretches = [match.span()]
        if match["run"]:
            units = [unit.span() for unit in re.compile(UNIT).finditer(classes, *match.span())]
            stretches = [(a, b) for (a, _), (_, b) in pairwise(units)] or units
        found += [(text[start:end], start, end) for start, end in stretches]
    return found


def words(text: str) -> list[str]:
    return [token for token, _, _ in placed_words(text)]


def python_words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def letters(text: str) -> list[str]:
    return runs(text, f"{LETTER}[{LETTER}{MARK}]*")


def compounds(text: str) -> list[str]:
    return runs(text, f"{WORD}(?:{INNER}{WORD})*")


def one_space_for_many(text: str) -> str:
    return re.sub(r"\s\s+", " ", text)


def grams(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(len(text) - size + 1)]


def chars(text: str, smallest: int, largest: int) -> list[str]:
    text = one_space_for_many(text)
    return [gram for size in range(smallest, largest + 1) for gram in grams(text, size)]


def chars_in_words(text: str, smallest: int, largest: int) -> list[str]:
    found = []
    for word in text.split():
        padded = f" {word} "
        for size in range(smallest, largest + 1):
            if size >= len(padded):
                found.append(padded)
                break
            found.extend(grams(padded, size))
    return found


TREC = re.compile(
    r"<(?:/?[A-Za-z]|![^-])[^>]*>?"
    r"|&(?:[A-Za-z]+|#[0-9]*);"
    r"|(?P<acronym>[A-Z]\.(?:[A-Z]\.)+)"
    r"|(?P<word>[A-Za-z0-9]+)(?P<suffix>'[A-Za-z]+)?"
)


def placed_trec(text: str) -> list[tuple[str, int, int]]:
    """The rules of native/include/postil/tokenizer/trec.hpp, and what they keep of where."""
    found = []
    for match in TREC.finditer(text):
        acronym, word, suffix = match.group("acronym", "word", "suffix")
        if acronym is not None:
            start, end = match.span("acronym")
            found.append((acronym.replace(".", ""), start, end - 1))
        elif word is not None:
            name = suffix == "'s" and re.fullmatch("[A-Z]{2,}", word) is not None
            found.append((re.split("[sS]", word)[0] if name else word, *match.span("word")))
    return [each for each in found if each[0]]


def trec(text: str) -> list[str]:
    return [token for token, _, _ in placed_trec(text)]


WORD_KINDS = {
    "words": words,
    "words-whole-runs": whole_runs,
    "words-python": python_words,
    "letters": letters,
    "compounds": compounds,
    "whitespace": str.split,
    "trec": trec,
}
CASED_KINDS = ("trec",)
"""Tokenizers whose rules depend on case: case is folded after them."""
CHAR_KINDS = {"chars": chars, "chars-in-words": chars_in_words}


def tokenize(
    text: str,
    kind: str,
    *,
    case: str = "keep",
    fold_accents: bool = False,
    min_length: int = 1,
    gram_min: int = 1,
    gram_max: int = 1,
) -> list[str]:
    if kind in CASED_KINDS:
        found = WORD_KINDS[kind](text)
        tokens = found if case == "keep" else [token.lower() for token in found]
        return [token for token in tokens if len(token) >= min_length]
    text = normalise(text, case, fold_accents)
    if kind in CHAR_KINDS:
        return CHAR_KINDS[kind](text, gram_min, gram_max)
    return [token for token in WORD_KINDS[kind](text) if len(token) >= min_length]
