"""What a spec is made of: items, the groups they stand in, and how their arguments are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from postil.text.scan import write_item
from postil.text.suggest import advice

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
