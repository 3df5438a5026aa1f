"""The few choices a named corpus leaves to its reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from postil.errors import UsageError

_SWITCHES = {"yes": True, "true": True, "on": True, "1": True} | {
    "no": False,
    "false": False,
    "off": False,
    "0": False,
}


@dataclass(frozen=True, slots=True)
class Choice:
    """An option whose value is one of a few words."""

    name: str
    help: str
    values: tuple[str, ...]
    default: str

    def parse(self, value: object) -> str:
        """Take a value in any case; anything else is a ``UsageError``."""
        word = value.lower() if isinstance(value, str) else value
        if word in self.values:
            return str(word)
        raise UsageError(f"{self.name} must be one of {', '.join(self.values)}, received {value!r}")


@dataclass(frozen=True, slots=True)
class Switch:
    """An option that is on or off."""

    name: str
    help: str
    default: bool

    @property
    def values(self) -> tuple[str, ...]:
        """The words that stand for on and off in listings; ``parse`` takes their kin too."""
        return ("yes", "no")

    def parse(self, value: object) -> bool:
        """Take a bool, or a word for one."""
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.lower() in _SWITCHES:
            return _SWITCHES[value.lower()]
        raise UsageError(f"{self.name} must be yes or no, received {value!r}")


Option = Choice | Switch


def parse_options(
    corpus: str, options: Sequence[Option], given: Mapping[str, object]
) -> dict[str, str | bool]:
    """Give every option its value, by default its own; refuse a name that is none of them."""
    strange = sorted(given.keys() - {option.name for option in options})
    if strange:
        known = ", ".join(option.name for option in options) or "no options"
        raise UsageError(f"{corpus} has no option {strange[0]!r}; it takes: {known}")
    return {
        option.name: option.parse(given[option.name]) if option.name in given else option.default
        for option in options
    }
