"""Individual prior files: what is believed of single terms, a line each, as BBR and BMR read them.

::

    # comment
    75 0.5 2.0            feature 75: mode 0.5, twice the common variance
    98 0 1 1              weights of at least the mode alone
    115 0 0.01 ABS        a variance of its own, whatever the common one is
    0 -2 inf              the constant, free
    class 3 75 1.5 0.1    of class 3 alone, in place of what is said for all

A feature is the number it has in svmlight data, or a term as the vocabulary shows it. Words are
parted by blanks, or, in a line that has two tabs, by tabs. A name may be written as a JSON text, in
double quotes: terms of several words need that, or the tabs.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from postil.common.files import output_file
from postil.corpus.files.streams import Source
from postil.errors import InputError, UsageError
from postil.learn.term_priors.priors import MOST_MEAN, UNBOUNDED, VARIANCES, TermPrior, is_variance

CONSTANT = "@constant"
ABSOLUTE = "ABS"
COMMENT, QUOTE = "#", '"'
CLASS, TOPIC, END_OF_TOPIC = "class", "topic", "endoftopic"
SKEWS = (-1, 0, 1)
# A text in quotes with a blank or nothing after it, or whatever stands between blanks.
WORD = re.compile(r'"(?:[^"\\]|\\.)*"(?!\S)|\S+')
LINE = "FEATURE MODE VARIANCE [ABS] [SKEW]"
SEVERAL_WORDS = "a term of several words stands in double quotes, or in a line cut by tabs"


@dataclass(frozen=True, slots=True)
class PriorLine:
    """One line: the prior of a feature's weight, for all categories or for one.

    ``variance`` multiplies the common variance; an ``absolute`` one takes its place. Infinity
    lets the weight go free, 0 keeps it at the mode. With ``skew`` 1 the weight is at least the
    mode, with -1 at most. ``source`` and ``line`` say where it was read.
    """

    feature: str
    mode: float
    variance: float
    category: str | None = None
    absolute: bool = False
    skew: int = 0
    line: int = field(default=0, compare=False)
    source: str = field(default="", compare=False, repr=False)

    @property
    def place(self) -> str:
        """Where it was read, for the head of a message."""
        return f"{self.source}, line {self.line}" if self.source else f"line {self.line}"

    def prior(self) -> TermPrior:
        """The same as the learners take it."""
        low = self.mode if self.skew > 0 else -UNBOUNDED
        high = self.mode if self.skew < 0 else UNBOUNDED
        if self.absolute or self.variance == 0 or math.isinf(self.variance):
            return TermPrior(self.mode, self.variance, low=low, high=high)
        return TermPrior(self.mode, factor=self.variance, low=low, high=high)


@dataclass(frozen=True, slots=True)
class PriorFile:
    """All lines of a file, its name, and a digest of its bytes."""

    lines: tuple[PriorLine, ...]
    source: str
    sha256: str


def read_prior_file(path: str | Path) -> PriorFile:
    """Read a file, plain or compressed; time and memory are linear in its lines."""
    source = Source(Path(path))
    if source.is_folder:
        raise InputError(f"{source.name}: is a folder, and priors are read from a file")
    with source.open() as stream:
        content = stream.read()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{source.name}, line {number}: is not UTF-8; convert the file") from None
    lines = tuple(parse_prior_lines(text.split("\n"), source.name))
    if not lines:
        raise InputError(f"{source.name}: holds no prior: a line is {LINE}")
    return PriorFile(lines, source.name, sha256(content).hexdigest())


def write_prior_file(path: str | Path, lines: Iterable[PriorLine]) -> None:
    """Write a file that :func:`read_prior_file` reads, and BBR too where features are numbers."""
    with output_file(path) as stream:
        for each in lines:
            stream.write(f"{_written(each)}\n".encode())


def parse_prior_lines(lines: Iterable[str], source: str) -> Iterator[PriorLine]:
    """The priors of a file's lines; ``source`` is what errors call the file."""
    parser = _Parser(source)
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.lstrip().startswith(COMMENT):
            parsed = parser.parsed(number, line)
            if parsed is not None:
                yield parsed


class _Parser:
    """Reads line by line; knows the topic it is in, and what was said before."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._topic: str | None = None
        self._seen: dict[tuple[str | None, str], int] = {}
        self._number = 0

    def parsed(self, number: int, line: str) -> PriorLine | None:
        self._number = number
        words = _words(line)
        if words[0] == TOPIC and len(words) == 2:
            self._topic = self._name(words[1], "topic")
            return None
        if words == [END_OF_TOPIC]:
            self._topic = None
            return None
        category, rest = self._category(words)
        found = self._prior(category, rest)
        before = self._seen.setdefault((found.category, found.feature), number)
        if before != number:
            whose = "" if found.category is None else f" of class {found.category}"
            self._refuse(f"the prior of {found.feature}{whose} stands in line {before} already")
        return found

    def _category(self, words: list[str]) -> tuple[str | None, list[str]]:
        """The class a line is of, and the rest of it; a term may be called "class", too."""
        if words[0] == CLASS and len(words) >= 5 and words[3] != ABSOLUTE:
            return self._name(words[1], "class"), words[2:]
        return self._topic, words

    def _prior(self, category: str | None, words: list[str]) -> PriorLine:
        if len(words) < 3:
            self._refuse(
                f"{' '.join(words)!r} is too short: a line is {LINE}, with class NAME in front "
                f"where it is for one class ({SEVERAL_WORDS})"
            )
        feature, mode, variance, *rest = words
        absolute = rest[:1] == [ABSOLUTE]
        rest = rest[1:] if absolute else rest
        if len(rest) > 1:
            self._refuse(f"{' '.join(rest[1:])!r} is left over after the skew")
        return PriorLine(
            self._name(feature, "feature"),
            self._mode(mode),
            self._variance(variance),
            category,
            absolute,
            self._skew(rest[0]) if rest else 0,
            self._number,
            self._source,
        )

    def _name(self, word: str, what: str) -> str:
        if not word.startswith(QUOTE):
            return word
        try:
            name = json.loads(word)
        except ValueError:
            name = None
        if not isinstance(name, str) or not name:
            self._refuse(
                f"the {what} {word} is not a JSON text: a name that begins with a double quote is "
                "read as one, up to the quote that ends it"
            )
        return str(name)

    def _mode(self, word: str) -> float:
        value = _number(word)
        if not math.isfinite(value):
            self._refuse(f"the mode {word!r} is not a finite number ({SEVERAL_WORDS})")
        if abs(value) > MOST_MEAN:
            self._refuse(f"the mode {word!r} is not from {-MOST_MEAN:g} to {MOST_MEAN:g}")
        return value

    def _variance(self, word: str) -> float:
        value = _number(word)
        if not is_variance(value):
            self._refuse(f"the variance {word!r} is none: it is {VARIANCES}")
        return value

    def _skew(self, word: str) -> int:
        value = _number(word)
        if value not in SKEWS:
            self._refuse(f"the skew {word!r} is not 1 (at least the mode), 0 or -1 (at most)")
        return int(value)

    def _refuse(self, message: str) -> None:
        raise InputError(f"{self._source}, line {self._number}: {message}")


def _words(line: str) -> list[str]:
    cells = [cell.strip() for cell in line.strip().split("\t")]
    # A line with a tab among blanks is still one of blanks.
    return WORD.findall(line) if len(cells) < 3 else cells


def _number(word: str) -> float:
    """A number, or NaN where the word is none."""
    try:
        return math.nan if "_" in word else float(word)
    except ValueError:
        return math.nan


def _written(line: PriorLine) -> str:
    words: list[str] = []
    if line.category is not None:
        words += [CLASS, _quoted(line.category, ())]
    keywords = () if words else (CLASS, TOPIC, END_OF_TOPIC)
    words += [_quoted(line.feature, keywords), _shortest(line.mode), _shortest(line.variance)]
    if line.absolute:
        words.append(ABSOLUTE)
    if line.skew:
        words.append(str(line.skew))
    return "\t".join(words)


def _quoted(name: str, keywords: Sequence[str]) -> str:
    """A name as it stands, or as a JSON text where that would be read as something else."""
    if not name:
        raise UsageError("a prior is of a feature or class with a name, and this one is empty")
    plain = name == name.strip() and name[0] not in (COMMENT, QUOTE) and name not in keywords
    return name if plain and not set("\t\r\n") & set(name) else json.dumps(name)


def _shortest(value: float) -> str:
    """The shortest text that reads back as the value."""
    return repr(value).removesuffix(".0")
