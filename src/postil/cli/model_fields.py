"""The fields of documents against those that a model reads: what is left out is said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from postil.cli.console import say
from postil.errors import CorpusError

if TYPE_CHECKING:
    from postil.corpus.document import Document
    from postil.vectors.fields import Fields


class ModelFields:
    """Looks at documents before a model does.

    A model with fields of its own reads these alone: that a document has others is said once for
    each of them, and documents with none that it reads are refused. Any other model reads all.
    """

    def __init__(self, fields: Fields) -> None:
        self._names = fields.names
        self._met = False
        self._told: set[str] = set()

    def look(self, documents: Sequence[Document]) -> None:
        """Say what is not used of these documents; refuse them if nothing ever was."""
        if not self._names or not documents:
            return
        fields = dict.fromkeys(name for document in documents for name in document.fields)
        self._met = self._met or any(name in fields for name in self._names)
        if not self._met:
            raise CorpusError(self._nothing(list(fields)))
        others = [name for name in fields if name not in self._names and name not in self._told]
        if others:
            self._told.update(others)
            say(f"the model reads {', '.join(self._names)} alone; not used: {', '.join(others)}")

    def _nothing(self, fields: list[str]) -> str:
        wanted = ", ".join(self._names)
        if not fields:
            return f"no document has a text, and the model reads {wanted}: give them some"
        return (
            f"no document has the field {wanted}, which the model reads; they have "
            f"{', '.join(sorted(fields))}: name the column, as in "
            f"--text-columns {fields[0]}={self._names[-1]}"
        )
