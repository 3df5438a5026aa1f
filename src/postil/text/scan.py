"""The surface of a spec: ``name`` and ``name(argument, argument)`` between white space.

An argument is anything without commas, parentheses and double quotes, trimmed; or it stands
between double quotes, where a backslash takes the next character as it is. Names and arguments
mean nothing here: that is ``spec``'s affair.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

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
