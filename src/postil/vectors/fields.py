"""The fields of a document that make up its vector, joined or kept apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from postil.corpus.document import Document
from postil.errors import UsageError
from postil.text import parts as part_names
from postil.text.parts import SEPARATOR

Text = str | bytes
Columns = Sequence[Sequence[Text]]

MOST_FIELDS = 256
MOST_SPACES = 256


def as_sequence(texts: Iterable[Text]) -> Sequence[Text]:
    """Return the texts as a sequence, which can be read twice."""
    return texts if isinstance(texts, Sequence) else list(texts)


def _decoded(text: Text) -> str:
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else text


class FieldReading(NamedTuple):
    """A column that a part of the analyzer reads, by numbers, and the space of its terms."""

    part: int
    column: int
    space: int


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields that make up a document's vector, in order.

    Joined, a word is one term in whichever field it occurs. Apart, a title word and the same body
    word are two terms (zhang-oles-2001), named ``title:oil`` and ``body:oil``. Without names there
    is one field, the text itself. The fields in ``also`` are counted a second time, apart: a title
    word is then the term ``oil`` of the whole document and the term ``title:oil``.

    ``parts`` are the names of the further parts of a union of analyzers; a vectorizer sets them to
    those of its analyzer. They read the fields once more, each into spaces of its own:
    ``stem:oil``, ``stem:title:oil``. Fields in ``also`` are counted a second time by the first part
    alone. :mod:`postil.text.parts` says how names read back.
    """

    names: tuple[str, ...] = ()
    apart: bool = False
    also: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        strange = [name for name in self.also if self.names and name not in self.names]
        if self.also and (self.apart or strange or len(set(self.also)) < len(self.also)):
            raise UsageError(
                f"also counts fields apart that are read joined, each once; got "
                f"{', '.join(self.also)} with {self.names or 'all fields'}"
                f"{', apart' if self.apart else ''}"
            )
        if self.apart and len(self.names) < 2:
            raise UsageError(
                "fields are kept apart only where two or more are named: name them, as in "
                "--field title --field body"
            )
        if len(self.names) > MOST_FIELDS:
            raise UsageError(
                f"a vectorizer takes at most {MOST_FIELDS} fields, got {len(self.names)}"
            )
        if len(set(self.names)) < len(self.names):
            raise UsageError(f"the names of fields must differ, got {', '.join(self.names)}")
        for name in self.names:
            if SEPARATOR in name or not name:
                raise UsageError(
                    f"a field name must not be empty or contain '{SEPARATOR}', got {name!r}"
                )

        if self.space_count > MOST_SPACES:
            raise UsageError(
                f"a union of {1 + len(self.parts)} analyzers takes at most "
                f"{MOST_SPACES // (1 + len(self.parts))} fields that are kept apart, got "
                f"{self.part_spaces}"
            )

    @property
    def spaces(self) -> list[int]:
        """The number of the term space of each column, for the first part of the analyzer."""
        count = max(1, len(self.names))
        own = list(range(1, 1 + len(self.also)))
        return list(range(count)) if self.apart else [0] * count + own

    @property
    def part_spaces(self) -> int:
        """The number of spaces of each part of the analyzer."""
        return len(self.names) if self.apart else 1 + len(self.also)

    @property
    def space_count(self) -> int:
        """The number of spaces of all parts."""
        return self.part_spaces * (1 + len(self.parts))

    @property
    def has_spaces(self) -> bool:
        """True if terms have more than one space."""
        return self.space_count > 1

    @property
    def readings(self) -> list[FieldReading]:
        """The columns that each part of the analyzer reads, part by part."""
        spaces = self.spaces
        fields = len(spaces) - len(self.also)
        return [
            FieldReading(part, column, part * self.part_spaces + space)
            for part in range(1 + len(self.parts))
            for column, space in enumerate(spaces[: fields if part else None])
        ]

    def columns(self, texts: Sequence[Text] | Mapping[str, Sequence[Text]]) -> Columns:
        """Arrange texts, given as a sequence or as a mapping of fields, into columns."""
        if isinstance(texts, (str, bytes)):
            raise UsageError("expected a sequence of texts, got one text: wrap it in a list")
        if isinstance(texts, Mapping):
            return self._columns_by_name(texts)
        if len(self.names) > 1:
            raise UsageError(
                f"documents have the fields {', '.join(self.names)}: pass a mapping from each "
                "field to its texts"
            )
        listed = as_sequence(texts)
        return listed, *([""] * len(listed) for _ in self.also)

    def _columns_by_name(self, texts: Mapping[str, Sequence[Text]]) -> Columns:
        missing = [name for name in self.names if name not in texts]
        if self.also and not self.names:
            return self.columns_of(
                Document("", dict(zip(texts, map(_decoded, row), strict=True)))
                for row in zip(*texts.values(), strict=True)
            )
        if missing or not self.names:
            raise UsageError(
                f"the texts have the fields {', '.join(texts)}, and the vectorizer takes "
                f"{', '.join(self.names) or 'plain texts'}"
            )
        return tuple(as_sequence(texts[name]) for name in (*self.names, *self.also))

    def columns_of(self, documents: Iterable[Document]) -> Columns:
        """Arrange documents into columns; an absent field is empty.

        Without names all fields are one text, a line each, and n-grams cross from one field into
        the next; named fields never share an n-gram.
        """
        listed = list(documents)
        also = [[d.fields.get(name, "") for d in listed] for name in self.also]
        if not self.names:
            return ["\n".join(document.fields.values()) for document in listed], *also
        return *([d.fields.get(name, "") for d in listed] for name in self.names), *also

    def term_name(self, space: int, term: str) -> str:
        """Return the name of a term as users see it."""
        if not self.parts:
            return self._field_term_name(space, term)
        part, space = divmod(space, self.part_spaces)
        return part_names.term_name(self.parts, part, self._field_term_name(space, term))

    def parse_term(self, name: str) -> tuple[int, str]:
        """Return the space and the bare term of a name."""
        if not self.parts:
            return self._parse_field_term(name)
        part, name = part_names.parse_term(self.parts, name)
        # Only the first part counts fields a second time.
        further_also = part > 0 and self.also
        space, term = (0, name) if further_also else self._parse_field_term(name)
        return part * self.part_spaces + space, term

    def _field_term_name(self, space: int, term: str) -> str:
        if self.apart:
            return f"{self.names[space]}{SEPARATOR}{term}"
        return f"{self.also[space - 1]}{SEPARATOR}{term}" if space and self.also else term

    def _parse_field_term(self, name: str) -> tuple[int, str]:
        if not self.apart and not self.also:
            return 0, name
        field, separator, term = name.partition(SEPARATOR)
        if self.also:
            known = separator and field in self.also
            return (1 + self.also.index(field), term) if known else (0, name)
        if not separator or field not in self.names:
            raise UsageError(
                f"the term {name!r} must read FIELD{SEPARATOR}TERM, since fields are kept apart"
            )
        return self.names.index(field), term
