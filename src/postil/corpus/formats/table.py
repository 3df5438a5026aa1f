"""What the formats with named columns share: jsonl, csv, tsv and Parquet."""

from __future__ import annotations

from postil.corpus.document import Document
from postil.corpus.formats.format import UnwritableError

TABLE_OPTIONS = frozenset(
    {"id_column", "label_column", "split_column", "text_columns", "label_separator"}
)

RESERVED = frozenset({"id", "labels", "split"})
"""The columns that are written besides the fields."""


def check_names(document: Document) -> None:
    """Refuse a document whose columns could not be told apart, or that has no id."""
    taken = RESERVED.intersection(document.fields)
    if taken:
        raise UnwritableError(
            f"has a field called {min(taken)!r}, which is the name of another column; rename it"
        )
    if not document.id:
        raise UnwritableError("has an empty id; give it one")
    if "" in document.labels:
        raise UnwritableError("has an empty label; give it a name")


def fixed_fields(document: Document, names: tuple[str, ...]) -> list[str | None]:
    """Return the texts of the fields ``names``, ``None`` for absent ones; refuse other fields."""
    strange = document.fields.keys() - frozenset(names)
    if strange:
        raise UnwritableError(
            f"has a field {min(strange)!r}, but the columns were fixed before it as "
            f"{', '.join(names) or 'none'}; name all fields (--fields) or write jsonl"
        )
    return [document.fields.get(name) for name in names]
