"""What a spec is made of: items, the groups they stand in, and how their arguments are read.

The surface of a spec: ``name`` and ``name(argument, argument)`` between white space.

An argument is anything without commas, parentheses and double quotes, trimmed; or it stands
between double quotes, where a backslash takes the next character as it is. Names and arguments
mean nothing here: that is ``spec``'s affair.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NoReturn

from postil.common.suggest import advice
from postil.errors import SpecError

_SPACE = re.compile(r"\s*")
_NAME = re.compile(r'[^\s(),"]+')
_QUOTED = re.compile(r'\s*"((?:[^"\\]|\\.)*)"\s*', re.DOTALL)
_PLAIN = re.compile(r'[^(),"]*')
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_NEEDS_QUOTES = re.compile(r'[(),"]|^\s|\s$|^$')


@dataclass(frozen=True, slots=True)
class RawItem:
    """One item as written, and where: its number and its column, both from 1."""

    name: str
    arguments: tuple[str, ...]
    number: int
    column: int
    written: str


def scan(spec: str) -> Iterator[RawItem]:
    """Yield the items of a spec in order."""
    at = _end(_SPACE, spec, 0)
    number = 0
    while at < len(spec):
        number += 1
        name = _NAME.match(spec, at)
        if name is None:
            _refuse(spec, at, f"{spec[at]!r} where the name of an item should begin")
        start, at = at, name.end()
        arguments: tuple[str, ...] = ()
        if spec.startswith("(", at):
            arguments, at = _scan_arguments(spec, at + 1)
        yield RawItem(name.group(), arguments, number, start + 1, spec[start:at])
        following = _end(_SPACE, spec, at)
        if following == at < len(spec):
            _refuse(spec, at, f"{spec[at]!r} right after {spec[start:at]!r}; a space goes there")
        at = following


def write_item(name: str, arguments: tuple[str, ...]) -> str:
    """Write the canonical text of an item; ``scan`` reads it back."""
    if not arguments:
        return name
    return f"{name}({','.join(map(_quote, arguments))})"


def _scan_arguments(spec: str, at: int) -> tuple[tuple[str, ...], int]:
    """Read arguments up to the closing parenthesis; ``()`` is no argument at all."""
    opened = at - 1
    arguments: list[str] = []
    while True:
        argument, quoted, at = _scan_argument(spec, at)
        mark = spec[at : at + 1]
        if mark == ")" and not arguments and not argument and not quoted:
            return (), at + 1
        arguments.append(argument)
        if mark == ")":
            return tuple(arguments), at + 1
        if mark != ",":
            found = f"{mark!r} among the arguments" if mark else "the spec ends"
            _refuse(spec, at, f"{found} after '(' in column {opened + 1}; ',' or ')' goes there")
        at += 1


def _scan_argument(spec: str, at: int) -> tuple[str, bool, int]:
    quoted = _QUOTED.match(spec, at)
    if quoted is not None:
        return _ESCAPE.sub(r"\1", quoted.group(1)), True, quoted.end()
    end = _end(_PLAIN, spec, at)
    return spec[at:end].strip(), False, end


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return at if match is None else match.end()


def _quote(argument: str) -> str:
    if not _NEEDS_QUOTES.search(argument):
        return argument
    escaped = argument.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _refuse(spec: str, at: int, message: str) -> NoReturn:
    raise SpecError(f"analyzer spec {spec!r}, column {at + 1}: {message}")


Argument = int | str


class Group(IntEnum):
    """The parts of a spec, in the order they stand in it."""

    TOKENIZER = 0
    TEXT_STEP = 1
    WORD_STEP = 2
    NGRAMS = 3


class ArgumentError(ValueError):
    """An item's arguments are not what it takes; the parser adds which item, and where."""


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a spec with its arguments checked and in canonical form."""

    name: str
    arguments: tuple[Argument, ...] = ()

    def __str__(self) -> str:
        return write_item(self.name, tuple(map(str, self.arguments)))

    @property
    def sizes(self) -> tuple[int, int]:
        """The smallest and the largest size of a range of n-grams."""
        numbers = [number for number in self.arguments if isinstance(number, int)]
        return numbers[0], numbers[-1]


ReadArguments = Callable[[Sequence[str]], tuple[Argument, ...]]


@dataclass(frozen=True, slots=True)
class ItemKind:
    """A name that may stand in a spec: how it is written, what it does, what it takes."""

    name: str
    group: Group
    signature: str
    help: str
    read: ReadArguments


def no_arguments(received: Sequence[str]) -> tuple[Argument, ...]:
    """Read the arguments of an item that takes none."""
    expect_count(received, 0, 0)
    return ()


def one_integer(low: int, high: int) -> ReadArguments:
    """Make a reader of one whole number from ``low`` to ``high``."""

    def read(received: Sequence[str]) -> tuple[Argument, ...]:
        expect_count(received, 1, 1)
        return (integer(received[0], low, high),)

    return read


def gram_range(high: int) -> ReadArguments:
    """Make a reader of ``(n)`` or ``(m,n)``, 1 ≤ m ≤ n ≤ ``high``; ``(n,n)`` becomes ``(n)``."""

    def read(received: Sequence[str]) -> tuple[Argument, ...]:
        expect_count(received, 1, 2)
        sizes = [integer(argument, 1, high) for argument in received]
        if sizes[0] > sizes[-1]:
            raise ArgumentError(
                f"the sizes go from small to large: write ({sizes[-1]},{sizes[0]}), "
                f"not ({sizes[0]},{sizes[-1]})"
            )
        return tuple(dict.fromkeys(sizes))

    return read


def words_of(*options: Sequence[str], required: int) -> ReadArguments:
    """Make a reader of words, each from its own list; only the first ``required`` must be there."""

    def read(received: Sequence[str]) -> tuple[Argument, ...]:
        expect_count(received, required, len(options))
        return tuple(
            choice(word, allowed) for word, allowed in zip(received, options, strict=False)
        )

    return read


def choice(received: str, allowed: Sequence[str]) -> str:
    """Return the received word if it is allowed."""
    if received not in allowed:
        raise ArgumentError(f"{received!r} is not an argument it takes{advice(received, allowed)}")
    return received


def integer(received: str, low: int, high: int) -> int:
    """Return the received whole number if it lies from ``low`` to ``high``."""
    digits = received.lstrip("0") or "0"
    if received.isascii() and received.isdigit() and len(digits) <= len(str(high)):
        number = int(digits)
        if low <= number <= high:
            return number
    raise ArgumentError(f"{received!r} is not a whole number from {low} to {high}")


def expect_count(received: Sequence[str], low: int, high: int) -> None:
    """Refuse too few or too many arguments."""
    if low <= len(received) <= high:
        return
    if high == 0:
        raise ArgumentError(f"it takes no argument, received {', '.join(received)}")
    wanted = str(low) if low == high else f"{low} to {high}"
    noun = "argument" if high == 1 else "arguments"
    raise ArgumentError(f"it takes {wanted} {noun}, received {len(received)}")
