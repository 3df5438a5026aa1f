"""Which fields a recipe reads: those it wants, as far as the documents have them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from postil.corpus.document import Document
from postil.errors import CorpusError
from postil.recipes.recipe import Recipe

# So many documents are looked at: no more are held in memory to learn from them.
LOOKED_AT = 4096


class FieldsWarning(UserWarning):
    """A recipe reads other fields than it wants."""


class Fitted(NamedTuple):
    """A recipe with the fields it will read, the documents, and what to tell of it, if anything."""

    recipe: Recipe
    documents: Iterator[Document]
    note: str


def fitted(recipe: Recipe, documents: Iterable[Document], source: str) -> Fitted:
    """Choose the fields by the first documents; see :func:`choose_fields`.

    It looks until every wanted field was seen, at most at ``LOOKED_AT`` documents, and holds
    those. A wanted field that comes only after them is an error.
    """
    wanted = recipe.representation.fields
    stream = iter(documents)
    held: list[Document] = []
    present: dict[str, None] = {}
    while wanted and len(held) < LOOKED_AT and not present.keys() >= set(wanted):
        document = next(stream, None)
        if document is None:
            break
        held.append(document)
        present.update(dict.fromkeys(document.fields))
    if not held:
        return Fitted(recipe, stream, "")
    names, note = choose_fields(wanted, tuple(present), f"recipe {recipe.name}", source)
    late = frozenset(wanted) - frozenset(names)
    rest = _without_late(stream, late, source) if late else stream
    apart = recipe.representation.apart and len(names) > 1
    read = replace(recipe.representation, fields=names, apart=apart)
    return Fitted(replace(recipe, representation=read), chain(held, rest), note)


def choose_fields(
    wanted: Sequence[str], present: Sequence[str], reader: str, source: str
) -> tuple[tuple[str, ...], str]:
    """The fields to read, and a note where they are not all that are wanted.

    Of those wanted the ones that are there; if there is none of them but one other, that one.
    """
    found = tuple(name for name in wanted if name in present)
    if len(found) == len(wanted):
        return found, ""
    others = [name for name in present if name not in wanted]
    if not found and len(others) != 1:
        raise CorpusError(
            f"{source}: no document has the field {', '.join(wanted)}, which {reader} reads; "
            f"{_there(others)}"
        )
    wants = f"{reader} wants the fields {', '.join(wanted)}"
    if not found:
        return tuple(others), f"{wants}; {source} has {others[0]} alone, so that is read"
    missing = [name for name in wanted if name not in found]
    are = "is" if len(found) == 1 else "are"
    read = f"so {' and '.join(found)} {are} read"
    note = f"{wants}; {source} has no {' and no '.join(missing)}, {read}"
    if others:
        note += f", and not {', '.join(others)}: for that, --text-columns {others[0]}={missing[0]}"
    return found, note


def _there(others: Collection[str]) -> str:
    if not others:
        return "they have none at all: name the columns of text with --text-columns"
    shown = " ".join(f"--text-columns {name}=FIELD" for name in others)
    return f"there are: {', '.join(others)}; say which is which, {shown}, or which one alone counts"


def _without_late(
    documents: Iterator[Document], late: frozenset[str], source: str
) -> Iterator[Document]:
    for document in documents:
        if not late.isdisjoint(document.fields):
            name = min(late.intersection(document.fields))
            raise CorpusError(
                f"{source}, document {document.id}: has the field {name}, which the first "
                f"{LOOKED_AT} documents did not have, so that it is not read; put one that has it "
                "before them"
            )
        yield document
