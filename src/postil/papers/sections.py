"""Reading a section of a TOML file with types, and errors that say where."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite
from typing import TypeVar

from postil.errors import InputError
from postil.text.suggest import advice

Value = TypeVar("Value")


class Section:
    """A table of a TOML file that is read key by key; ``finish`` refuses keys nobody read.

    ``place`` says where it stands, for messages: ``zhang-oles-2001.toml, table2``.
    """

    def __init__(self, values: Mapping[str, object], place: str) -> None:
        self._values = values
        self._known: list[str] = []
        self.place = place

    def has(self, key: str) -> bool:
        """Say whether the key is there; it is known from now on."""
        self._known.append(key)
        return key in self._values

    def text(self, key: str, default: str | None = None) -> str:
        """Read a text."""
        return self._read(key, text, default)

    def whole(self, key: str, default: int | None = None) -> int:
        """Read a whole number."""
        return self._read(key, whole, default)

    def number(self, key: str, default: float | None = None) -> float:
        """Read a number."""
        return self._read(key, number, default)

    def texts(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """Read a list of texts, none twice."""
        return self._read(key, distinct_texts, default)

    def numbers(self, key: str, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """Read a list of numbers."""
        return self._read(key, numbers, default)

    def choice(self, key: str, allowed: Mapping[str, Value], default: str | None = None) -> Value:
        """Read one of some words, as what it stands for."""
        word = self.text(key, default)
        if word not in allowed:
            raise self.error(f"{key} is {word!r}{advice(word, allowed)}")
        return allowed[word]

    def section(self, key: str, name: str | None = None) -> Section:
        """Read a table within this one."""
        return Section(self._read(key, table, None), f"{self.place}, {name or key}")

    def sections(self, key: str) -> Iterator[Section]:
        """Read a list of tables; none is an empty list."""
        none: Sequence[Mapping[str, object]] = ()
        for position, values in enumerate(self._read(key, tables, none), 1):
            name = values.get("id", values.get("name", values.get("row", position)))
            yield Section(values, f"{self.place}, {key} {name}")

    def items(self) -> Iterator[tuple[str, object]]:
        """All keys with what they hold."""
        self._known.extend(self._values)
        yield from self._values.items()

    def finish(self) -> None:
        """Refuse what nobody read."""
        for key in self._values:
            if key not in self._known:
                raise self.error(f"{key!r} means nothing here{advice(key, self._known)}")

    def error(self, message: str) -> InputError:
        """Build an error that says where."""
        return InputError(f"{self.place}: {message}")

    def _read(self, key: str, read: Callable[[object], Value], default: Value | None) -> Value:
        if not self.has(key):
            if default is None:
                raise self.error(f"{key!r} is missing")
            return default
        try:
            return read(self._values[key])
        except TypeError as error:
            raise self.error(f"{key} must be {error}, got {self._values[key]!r}") from None


def text(value: object) -> str:
    """Take a text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise TypeError("a text")
    return value


def whole(value: object) -> int:
    """Take a whole number of at least 0."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError("a whole number of at least 0")
    return value


def number(value: object) -> float:
    """Take a finite number."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value):
        raise TypeError("a number")
    return float(value)


def distinct_texts(value: object) -> tuple[str, ...]:
    """Take a list of texts, at least one and none twice."""
    wanted = "a list of texts, none twice"
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        raise TypeError(wanted)
    found = tuple(text(item) for item in value)
    if len(set(found)) != len(found):
        raise TypeError(wanted)
    return found


def numbers(value: object) -> tuple[float, ...]:
    """Take a list of numbers."""
    if not isinstance(value, list):
        raise TypeError("a list of numbers")
    return tuple(number(item) for item in value)


def table(value: object) -> Mapping[str, object]:
    """Take a table."""
    if not isinstance(value, dict):
        raise TypeError("a table")
    return value


def tables(value: object) -> Sequence[Mapping[str, object]]:
    """Take a list of tables."""
    if not isinstance(value, list):
        raise TypeError("a list of tables")
    return tuple(table(item) for item in value)
