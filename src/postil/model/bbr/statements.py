"""The lines of a model file as statements: a keyword and its words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from postil.errors import ModelFileError
from postil.model.bbr.parsed import refuse
from postil.text.suggest import advice

COMMENT = "#"
SHOWN = 40
MOST_DIGITS = 10

Reader = TypeVar("Reader")


@dataclass(slots=True)
class Statement:
    """A keyword with what follows it, and where it stands."""

    source: str
    line: int
    keyword: str
    words: list[str]

    def refusal(self, message: str) -> ModelFileError:
        """The error for this statement."""
        return refuse(self.source, self.line, f"{self.keyword}: {message}")

    def number(self, word: str) -> float:
        """A finite number; programs write the largest there is for infinity."""
        try:
            value = math.nan if "_" in word else float(word)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise self.refusal(f"{word[:SHOWN]!r} is not a finite number")
        return value

    def only(self) -> str:
        """The one word that follows."""
        if len(self.words) != 1:
            raise self.refusal(f"one word is expected, and there are {len(self.words)}")
        return self.words[0]

    def whole(self) -> int:
        """The one whole number that follows."""
        word = self.only()
        if not (word.isascii() and word.isdigit() and len(word) <= MOST_DIGITS):
            raise self.refusal(
                f"{word[:SHOWN]!r} is not a whole number of at most {MOST_DIGITS} digits"
            )
        return int(word)


def statements(
    lines: Iterable[tuple[int, str]], source: str, known: Iterable[str]
) -> Iterator[Statement]:
    """Cut numbered lines into statements; one that begins with a number goes on with the last.

    Lines of comment and empty ones are passed over; a keyword that is not ``known`` is refused.
    """
    keywords = frozenset(known)
    last: Statement | None = None
    for number, line in lines:
        words = line.split()
        if not words or words[0].startswith(COMMENT):
            continue
        if words[0] in keywords:
            if last is not None:
                yield last
            last = Statement(source, number, words[0], words[1:])
        elif last is not None and last.words and _is_number(words[0]):
            last.words += words
        else:
            keyword = words[0][:SHOWN]
            raise refuse(
                source, number, f"no keyword {keyword!r}{advice(keyword, sorted(keywords))}"
            )
    if last is not None:
        yield last


def read_all(
    reader: Reader,
    takers: Mapping[str, Callable[[Reader, Statement], None]],
    lines: Iterable[tuple[int, str]],
    source: str,
) -> int:
    """Hand every statement to the taker of its keyword; the line of the last one."""
    last = 1
    for statement in statements(lines, source, takers):
        last = statement.line
        takers[statement.keyword](reader, statement)
    return last


def ignore(reader: object, statement: Statement) -> None:
    """The taker of what says nothing of the weights."""


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
