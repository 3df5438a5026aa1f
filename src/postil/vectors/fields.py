"""Which fields of a document count, and whether they are kept apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from postil.corpus.document import Document
from postil.errors import UsageError

Text = str | bytes
Columns = Sequence[Sequence[Text]]

MOST_FIELDS = 256
SEPARATOR = ":"


def held(texts: Iterable[Text]) -> Sequence[Text]:
    """The texts as something that can be walked twice."""
    return texts if isinstance(texts, Sequence) else list(texts)


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields that make up a document's vector, in order.

    Joined, a word is one term wherever it stands. Apart, a title word is another term than the
    same body word (zhang-oles-2001): terms are then named ``title:oil`` and ``body:oil``.
    Without names there is one field, the text itself.
    """

    names: tuple[str, ...] = ()
    apart: bool = False

    def __post_init__(self) -> None:
        if self.apart and len(self.names) < 2:
            raise UsageError(
                "fields can only be kept apart where two or more are named, as in "
                "--field title --field body"
            )
        if len(self.names) > MOST_FIELDS:
            raise UsageError(f"at most {MOST_FIELDS} fields, not {len(self.names)}")
        if len(set(self.names)) < len(self.names):
            raise UsageError(f"a field is named twice: {', '.join(self.names)}")
        for name in self.names:
            if SEPARATOR in name or not name:
                raise UsageError(f"a field name is not empty and has no '{SEPARATOR}': {name!r}")

    @property
    def spaces(self) -> list[int]:
        """The number of the space each column's words belong to."""
        count = max(1, len(self.names))
        return list(range(count)) if self.apart else [0] * count

    def columns(self, texts: Sequence[Text] | Mapping[str, Sequence[Text]]) -> Columns:
        """Arrange texts, given as a sequence or as a mapping of fields, into columns."""
        if isinstance(texts, (str, bytes)):
            raise UsageError("expected a sequence of texts, received one text: wrap it in a list")
        if isinstance(texts, Mapping):
            return self._columns_by_name(texts)
        if len(self.names) > 1:
            raise UsageError(
                f"documents have the fields {', '.join(self.names)}: pass a mapping of each "
                "field to its texts"
            )
        return (held(texts),)

    def _columns_by_name(self, texts: Mapping[str, Sequence[Text]]) -> Columns:
        missing = [name for name in self.names if name not in texts]
        if missing or not self.names:
            raise UsageError(
                f"texts have the fields {', '.join(texts)}, the vectorizer takes "
                f"{', '.join(self.names) or 'plain texts'}"
            )
        return tuple(held(texts[name]) for name in self.names)

    def columns_of(self, documents: Iterable[Document]) -> Columns:
        """Arrange documents into columns; an absent field is empty.

        Without names all fields are one text, a line each; n-grams then run from one into the
        next, while fields that are named never share an n-gram.
        """
        if not self.names:
            return (["\n".join(document.fields.values()) for document in documents],)
        listed = list(documents)
        return tuple([d.fields.get(name, "") for d in listed] for name in self.names)

    def term_name(self, space: int, term: str) -> str:
        """The name of a term as users see it."""
        return f"{self.names[space]}{SEPARATOR}{term}" if self.apart else term

    def parse_term(self, name: str) -> tuple[int, str]:
        """The space and the bare term of a name."""
        if not self.apart:
            return 0, name
        field, separator, term = name.partition(SEPARATOR)
        if not separator or field not in self.names:
            raise UsageError(
                f"the term {name!r} names no field: with fields apart it reads FIELD{SEPARATOR}TERM"
            )
        return self.names.index(field), term
