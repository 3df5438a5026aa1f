"""What the native tokenizer is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from postil.text.folding import Case

if TYPE_CHECKING:
    from postil import _native

Kind = Literal[
    "words",
    "words-python",
    "letters",
    "compounds",
    "whitespace",
    "trec",
    "chars",
    "chars-in-words",
]

_NATIVE_KIND: dict[Kind, str] = {
    "words": "words",
    "words-python": "python_words",
    "letters": "letters",
    "compounds": "compounds",
    "whitespace": "whitespace",
    "trec": "trec",
    "chars": "chars",
    "chars-in-words": "chars_in_words",
}


@dataclass(frozen=True, slots=True)
class TokenizerOptions:
    """How characters are normalised, where tokens begin and end, and which n-grams are formed.

    ``min_length`` is in characters, after normalisation. ``gram_min`` and ``gram_max`` are
    sizes of character n-grams for the kinds that make them, and of word n-grams for the others;
    those are formed after the word steps, not by the tokenizer. ``trec`` takes ASCII alone, and
    has no accents to fold.
    """

    kind: Kind
    case: Case = "keep"
    fold_accents: bool = False
    min_length: int = 1
    gram_min: int = 1
    gram_max: int = 1

    @property
    def makes_char_grams(self) -> bool:
        """Whether tokens are character n-grams rather than words."""
        return self.kind in ("chars", "chars-in-words")

    def to_native(self) -> _native.TokenizerOptions:
        """Say the same as the native core takes it."""
        from postil import _native

        grams = (self.gram_min, self.gram_max) if self.makes_char_grams else (1, 1)
        return _native.TokenizerOptions(
            kind=getattr(_native.TokenKind, _NATIVE_KIND[self.kind]),
            letter_case=getattr(_native.LetterCase, self.case),
            fold_accents=self.fold_accents,
            min_length=self.min_length,
            gram_min=grams[0],
            gram_max=grams[1],
        )
