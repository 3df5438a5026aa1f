"""Names of the terms of a union of analyzers.

A term of the first part is named as it is, and one of another part begins with the part's name:
``stem:run``. A term of the first part that would read so begins with one more colon: ``:stem:run``
is the token "stem:run", and ``::stem:run`` is ":stem:run". Names therefore read back.
"""

from __future__ import annotations

from collections.abc import Sequence

SEPARATOR = ":"


def term_name(names: Sequence[str], part: int, term: str) -> str:
    """Return the name of a term.

    Parameters
    ----------
    names
        The names of the further parts; part 1 is the first of them.
    part
        The number of the term's part, 0 for the first part.
    term
        The term as its part makes it.
    """
    if part > 0:
        return f"{names[part - 1]}{SEPARATOR}{term}"
    return SEPARATOR + term if _reads_as_further(names, term) else term


def parse_term(names: Sequence[str], name: str) -> tuple[int, str]:
    """Return the part and the term of a name."""
    if not _reads_as_further(names, name):
        return 0, name
    if name.startswith(SEPARATOR):
        return 0, name[1:]
    part, _, term = name.partition(SEPARATOR)
    return 1 + names.index(part), term


def _reads_as_further(names: Sequence[str], name: str) -> bool:
    part, separator, _ = name.lstrip(SEPARATOR).partition(SEPARATOR)
    return bool(separator) and part in names
