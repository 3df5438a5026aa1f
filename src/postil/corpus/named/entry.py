"""What there is to know about a corpus with a name.

The few choices a named corpus leaves to its reader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from postil.corpus.corpus import DocumentSource
from postil.corpus.document import Document, Problems
from postil.corpus.named.distributions import Distribution
from postil.errors import DocumentError, UsageError

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


@dataclass(frozen=True, slots=True)
class NamedCorpus:
    """A corpus with a name: what it is, on what terms, where it comes from, how it is read.

    ``distribution`` is ``None`` for a corpus that is shipped with postil. ``sizes`` are the
    numbers of documents a complete copy can have. ``opener`` takes the path and the options.
    """

    name: str
    title: str
    description: str
    terms: str
    distribution: Distribution | None
    sizes: frozenset[int]
    opener: Callable[..., DocumentSource]
    options: tuple[Option, ...] = ()

    def read(self, path: Path, choices: Mapping[str, object] | None = None) -> DocumentSource:
        """Read the copy at ``path``; that it is not complete is a problem at its end.

        ``choices`` are values of ``options``, or words for them.
        """
        values = parse_options(self.name, self.options, choices or {})
        source = self.opener(path, **values)
        # Whoever asks for the unused stories gets more documents than the split has.
        return source if values.get("unused") else _counted(source, self, path)


def _counted(source: DocumentSource, corpus: NamedCorpus, path: Path) -> DocumentSource:
    """Add a problem at the end where documents are missing or too many."""

    def read(problems: Problems) -> Iterator[Document]:
        count = 0
        for count, document in enumerate(source(problems), 1):  # noqa: B007 - used at the end
            yield document
        if corpus.sizes and count + problems.count not in corpus.sizes:
            expected = " or ".join(f"{size:,}" for size in sorted(corpus.sizes))
            problems.report(
                DocumentError(
                    str(path),
                    "at its end",
                    f"{corpus.name} has {expected} documents, this copy {count:,}; get it again",
                )
            )

    return read
