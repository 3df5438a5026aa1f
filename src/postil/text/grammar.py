"""The grammar of analyzer specs: items, their groups, and readers of their arguments.

A spec is a sequence of ``name`` and ``name(argument, argument)`` between white space. An argument
is anything without commas, parentheses and double quotes, trimmed; or it stands between double
quotes, where a backslash takes the next character as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NoReturn

from postil.common.suggest import advice
from postil.errors import SpecError

_NAME = re.compile(r'[^\s(),"]+')
_ARGUMENT = re.compile(r'\s*"((?:[^"\\]|\\.)*)"\s*|[^(),"]*', re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_NEEDS_QUOTES = re.compile(r'[(),"]|^\s|\s$|^$')


@dataclass(frozen=True, slots=True)
class RawItem:
    """One item as written, with its number and its column, both from 1."""

    name: str
    arguments: tuple[str, ...]
    number: int
    column: int
    written: str


def scan(spec: str) -> Iterator[RawItem]:
    """Yield the items of a spec in order."""
    at = _skip_space(spec, 0)
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
        following = _skip_space(spec, at)
        if following == at < len(spec):
            _refuse(spec, at, f"{spec[at]!r} right after {spec[start:at]!r}; a space goes there")
        at = following


def _scan_arguments(spec: str, at: int) -> tuple[tuple[str, ...], int]:
    """Read arguments up to the closing parenthesis; ``()`` is no argument at all."""
    opened = at
    arguments: list[str] = []
    mark = ","
    while mark == "," and (found := _ARGUMENT.match(spec, at)):
        plain, quoted, at = found.group().strip(), found.group(1), found.end()
        mark = spec[at : at + 1]
        if mark == ")" and not arguments and not plain:
            return (), at + 1
        arguments.append(plain if quoted is None else _ESCAPE.sub(r"\1", quoted))
        at += mark == ","
    if mark != ")":
        wrong = f"{mark!r} among the arguments" if mark else "the spec ends"
        _refuse(spec, at, f"{wrong} after '(' in column {opened}; ',' or ')' goes there")
    return tuple(arguments), at + 1


def _skip_space(spec: str, at: int) -> int:
    return len(spec) - len(spec[at:].lstrip())


def _refuse(spec: str, at: int, message: str) -> NoReturn:
    raise SpecError(f"analyzer spec {spec!r}, column {at + 1}: {message}")


Argument = int | str


class Group(IntEnum):
    """The parts of a spec, in their order."""

    TOKENIZER = 0
    TEXT_STEP = 1
    WORD_STEP = 2
    NGRAMS = 3


class ArgumentError(ValueError):
    """The arguments of an item are wrong; the parser adds which item, and where."""


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a spec with its arguments checked and in canonical form."""

    name: str
    arguments: tuple[Argument, ...] = ()

    def __str__(self) -> str:
        if not self.arguments:
            return self.name
        return f"{self.name}({','.join(_quote(str(argument)) for argument in self.arguments)})"

    @property
    def sizes(self) -> tuple[int, int]:
        """The smallest and the largest size of a range of n-grams."""
        numbers = [number for number in self.arguments if isinstance(number, int)]
        return numbers[0], numbers[-1]


def _quote(argument: str) -> str:
    if not _NEEDS_QUOTES.search(argument):
        return argument
    escaped = argument.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


ReadArgument = Callable[[str], Argument]
ReadArguments = Callable[[Sequence[str]], tuple[Argument, ...]]


@dataclass(frozen=True, slots=True)
class ItemKind:
    """A kind of item: its group, how it is written, what it does, how its arguments are read."""

    group: Group
    signature: str
    help: str
    read: ReadArguments


def takes(*readers: ReadArgument, required: int | None = None) -> ReadArguments:
    """Return a reader of several arguments, of which the first ``required`` (or all) are needed.

    Each of ``readers`` returns an argument in canonical form or raises ArgumentError.
    """
    high = len(readers)
    low = high if required is None else required

    def read(received: Sequence[str]) -> tuple[Argument, ...]:
        if len(received) > high == 0:
            raise ArgumentError(f"it takes no argument, received {', '.join(received)}")
        if not low <= len(received) <= high:
            wanted = str(low) if low == high else f"{low} to {high}"
            noun = "argument" if high == 1 else "arguments"
            raise ArgumentError(f"it takes {wanted} {noun}, received {len(received)}")
        return tuple(reader(argument) for reader, argument in zip(readers, received, strict=False))

    return read


def gram_sizes(longest: int) -> ReadArguments:
    """Return a reader of ``(n)`` or ``(m,n)``, 1 ≤ m ≤ n ≤ ``longest``; ``(n,n)`` is ``(n)``."""
    read_sizes = takes(integer(longest), integer(longest), required=1)

    def read(received: Sequence[str]) -> tuple[Argument, ...]:
        sizes = read_sizes(received)
        smallest, largest = int(sizes[0]), int(sizes[-1])
        if smallest > largest:
            raise ArgumentError(
                f"the sizes go from small to large: write ({largest},{smallest}), "
                f"not ({smallest},{largest})"
            )
        return tuple(dict.fromkeys((smallest, largest)))

    return read


def one_of(*allowed: str) -> ReadArgument:
    """Return a reader of one of the allowed words."""

    def read(received: str) -> Argument:
        if received not in allowed:
            advised = advice(received, allowed)
            raise ArgumentError(f"{received!r} is not an argument it takes{advised}")
        return received

    return read


def integer(high: int) -> Callable[[str], int]:
    """Return a reader of a whole number from 1 to ``high``."""

    def read(received: str) -> int:
        digits = received.lstrip("0")
        if received.isascii() and received.isdigit() and 0 < len(digits) <= len(str(high)):
            number = int(digits)
            if number <= high:
                return number
        raise ArgumentError(f"{received!r} is not a whole number from 1 to {high}")

    return read
