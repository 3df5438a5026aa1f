"""Files of per-term priors, one term per line, in the format of BBR and BMR.

::

    # comment
    75 0.5 2.0            feature 75: mode 0.5, twice the common variance
    98 0 1 1              only weights of at least the mode
    115 0 0.01 ABS        its own variance, whatever the common one is
    0 -2 inf              the constant, free
    class 3 75 1.5 0.1    for class 3 only, in place of the line for all classes

A feature is its number in svmlight data, or a term as the vocabulary shows it. Blanks separate
words, or tabs in a line that has two of them. A name may be a JSON text in double quotes; terms of
several words need the quotes or the tabs.
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
# A text in quotes before a blank or the end, or anything between blanks.
WORD = re.compile(r'"(?:[^"\\]|\\.)*"(?!\S)|\S+')
LINE = "FEATURE MODE VARIANCE [ABS] [SKEW]"
SEVERAL_WORDS = "put a term of several words in double quotes, or separate the line by tabs"


@dataclass(frozen=True, slots=True)
class PriorLine:
    """One line of a prior file: the prior of a feature's weight, for all categories or for one.

    Attributes
    ----------
    feature : str
        The feature's number or term, or ``@constant``.
    mode : float
        The peak of the prior.
    variance : float
        A factor of the common variance. Infinity leaves the weight free, 0 keeps it at the mode.
    category : str or None
        The only category that the line is for.
    absolute : bool
        True if ``variance`` replaces the common variance.
    skew : int
        1 for weights of at least the mode, -1 for weights of at most the mode, 0 for both.
    line, source : int, str
        The place of the line, for messages.
    """

    feature: str
    mode: float
    variance: float
    category: str | None = None
    absolute: bool = False
    skew: int = 0
    line: int = field(default=0, compare=False)
    source: str = field(default="", compare=False, repr=False)

    def prior(self) -> TermPrior:
        """Return the prior as learners take it."""
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
    """Read a file, plain or compressed, in time and memory linear in its lines."""
    source = Source(Path(path))
    if source.is_folder:
        raise InputError(f"{source.name}: is a folder; give a file of priors")
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
    """Yield the priors of a file's lines; messages call the file ``source``."""
    topic: str | None = None
    first_line: dict[tuple[str | None, str], int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith(COMMENT):
            continue
        cells = [cell.strip() for cell in line.strip().split("\t")]
        # One tab among blanks does not make the line one of tabs.
        words = WORD.findall(line) if len(cells) < 3 else cells
        try:
            if words[0] == TOPIC and len(words) == 2:
                topic = _name(words[1], "topic")
                continue
            if words == [END_OF_TOPIC]:
                topic = None
                continue
            prior = _prior_of(words, topic, number, source)
            before = first_line.setdefault((prior.category, prior.feature), number)
            if before != number:
                whose = "" if prior.category is None else f" of class {prior.category}"
                raise InputError(f"line {before} already gives the prior of {prior.feature}{whose}")
        except InputError as error:
            raise InputError(f"{source}, line {number}: {error}") from None
        yield prior


def _prior_of(words: list[str], topic: str | None, number: int, source: str) -> PriorLine:
    """Return the prior of one line."""
    category = topic
    # A term may be called "class", too.
    if words[0] == CLASS and len(words) >= 5 and words[3] != ABSOLUTE:
        category, words = _name(words[1], "class"), words[2:]
    if len(words) < 3:
        raise InputError(
            f"{' '.join(words)!r} is too short: a line is {LINE}, after class NAME if it is for "
            f"one class ({SEVERAL_WORDS})"
        )
    feature, *numbers = words[:3]
    rest = words[3:]
    absolute = rest[:1] == [ABSOLUTE]
    rest = rest[1:] if absolute else rest
    if len(rest) > 1:
        raise InputError(f"{' '.join(rest[1:])!r} is left over after the skew")
    name = _name(feature, "feature")
    mode, variance, skew = map(_number, (*numbers, *(rest or ["0"])))
    if not math.isfinite(mode):
        raise InputError(f"the mode {numbers[0]!r} is not a finite number ({SEVERAL_WORDS})")
    if abs(mode) > MOST_MEAN:
        raise InputError(f"the mode {numbers[0]!r} is not from {-MOST_MEAN:g} to {MOST_MEAN:g}")
    if not is_variance(variance):
        raise InputError(f"the variance {numbers[1]!r} is not {VARIANCES}")
    if skew not in SKEWS:
        raise InputError(f"the skew {rest[0]!r} is not 1 (at least the mode), 0 or -1 (at most)")
    return PriorLine(name, mode, variance, category, absolute, int(skew), number, source)


def _name(word: str, what: str) -> str:
    if not word.startswith(QUOTE):
        return word
    try:
        name = json.loads(word)
    except ValueError:
        name = None
    if not isinstance(name, str) or not name:
        raise InputError(
            f"the {what} {word} is not a JSON text: a name that begins with a double quote is "
            "read as one, up to the quote that ends it"
        )
    return name


def _number(word: str) -> float:
    """Return the number, or NaN if the word is not a number."""
    try:
        return math.nan if "_" in word else float(word)
    except ValueError:
        return math.nan


def _written(line: PriorLine) -> str:
    words = [] if line.category is None else [CLASS, _quoted(line.category, ())]
    words.append(_quoted(line.feature, () if words else (CLASS, TOPIC, END_OF_TOPIC)))
    words += [repr(value).removesuffix(".0") for value in (line.mode, line.variance)]
    words += [ABSOLUTE] * line.absolute + [str(line.skew)] * (line.skew != 0)
    return "\t".join(words)


def _quoted(name: str, keywords: Sequence[str]) -> str:
    """Return the name, or its JSON text if the plain name would be read as something else."""
    if not name:
        raise UsageError("the name of a prior's feature or class is empty")
    plain = name == name.strip() and name[0] not in (COMMENT, QUOTE) and name not in keywords
    return name if plain and not set("\t\r\n") & set(name) else json.dumps(name)
