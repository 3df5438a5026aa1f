"""scikit-learn's words for text analysis, as an analyzer spec."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from postil.errors import UsageError
from postil.text.analyzer import Analyzer

# The stop words a user passed as a list travel with the analyzer under this name.
GIVEN_STOP_LIST = "file:stop_words"

_TOKENIZER_FOR = {
    r"(?u)\b\w\w+\b": "words(python)",
    r"(?u)\b\w+\b": "words(python)",
    r"\b\w\w+\b": "words(python)",
    r"\b\w+\b": "words(python)",
    r"\w+": "words(python)",
    r"\S+": "whitespace",
}
_SINGLE_CHARACTERS_DROPPED = (r"(?u)\b\w\w+\b", r"\b\w\w+\b")
_CHAR_TOKENIZER = {"char": "chars", "char_wb": "chars-in-words"}


@dataclass(frozen=True, slots=True)
class ScikitAnalysis:
    """The parameters of scikit-learn's vectorizers that say what a token is."""

    analyzer: str
    ngram_range: tuple[int, int]
    lowercase: bool
    strip_accents: Literal["ascii", "unicode"] | None
    stop_words: str | Sequence[str] | None
    token_pattern: str


DEFAULTS = ScikitAnalysis("word", (1, 1), True, None, None, r"(?u)\b\w\w+\b")


def analyzer_for(wanted: ScikitAnalysis) -> Analyzer:
    """The analyzer that makes the tokens scikit-learn would make."""
    if not isinstance(wanted.analyzer, str):
        raise UsageError(
            "analyzer is 'word', 'char', 'char_wb' or a spec such as 'words lower stem(porter)', "
            f"not {wanted.analyzer!r}: tokens are made in native threads, not by a Python callable"
        )
    if not isinstance(wanted.ngram_range, tuple | list) or len(wanted.ngram_range) != 2:
        raise UsageError(f"ngram_range is a pair such as (1, 2), not {wanted.ngram_range!r}")
    if wanted.analyzer in _CHAR_TOKENIZER:
        return Analyzer(" ".join(_char_items(wanted)))
    if wanted.analyzer == "word":
        return _word_analyzer(wanted)
    return _spec_analyzer(wanted)


def _spec_analyzer(wanted: ScikitAnalysis) -> Analyzer:
    for name in ("ngram_range", "lowercase", "strip_accents", "stop_words", "token_pattern"):
        if getattr(wanted, name) != getattr(DEFAULTS, name):
            raise UsageError(
                f"{name}={getattr(wanted, name)!r} with the spec {wanted.analyzer!r}: say it in "
                "the spec, which says all there is to say about tokens"
            )
    return Analyzer(wanted.analyzer)


def _text_items(wanted: ScikitAnalysis) -> list[str]:
    if wanted.strip_accents not in (None, "unicode"):
        raise UsageError(
            f"strip_accents is None or 'unicode', not {wanted.strip_accents!r}: 'unicode' folds "
            "whatever 'ascii' does and keeps other scripts"
        )
    return ["lower"] * wanted.lowercase + ["fold-accents"] * (wanted.strip_accents is not None)


def _char_items(wanted: ScikitAnalysis) -> list[str]:
    shortest, longest = wanted.ngram_range
    return [f"{_CHAR_TOKENIZER[wanted.analyzer]}({shortest},{longest})", *_text_items(wanted)]


def _word_analyzer(wanted: ScikitAnalysis) -> Analyzer:
    tokenizer = _TOKENIZER_FOR.get(wanted.token_pattern)
    if tokenizer is None:
        raise UsageError(
            f"token_pattern {wanted.token_pattern!r} is none of {', '.join(_TOKENIZER_FOR)}: "
            "describe other tokens by a spec, as in analyzer='compounds lower'"
        )
    items = [tokenizer, *_text_items(wanted)]
    if wanted.token_pattern in _SINGLE_CHARACTERS_DROPPED:
        items.append("min(2)")
    resources = {}
    if wanted.stop_words == "english":
        items.append("stop(sklearn)")
    elif isinstance(wanted.stop_words, str):
        raise UsageError(
            f"stop_words is 'english' or a list of words, not {wanted.stop_words!r}; other lists "
            "go into a spec, as in analyzer='words lower stop(snowball:de)'"
        )
    elif wanted.stop_words is not None:
        items.append(f"stop({GIVEN_STOP_LIST})")
        resources[GIVEN_STOP_LIST] = list(wanted.stop_words)
    shortest, longest = wanted.ngram_range
    if (shortest, longest) != (1, 1):
        items.append(f"ngrams({shortest},{longest})")
    return Analyzer(" ".join(items), resources)
