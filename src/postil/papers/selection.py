"""Which tables and figures are asked for: ``--only table2``."""

from __future__ import annotations

from collections.abc import Iterable

from postil.errors import UsageError
from postil.papers.paper import Exhibit, Paper
from postil.text.suggest import advice


def chosen_exhibits(paper: Paper, only: Iterable[str] | None = None) -> tuple[Exhibit, ...]:
    """Choose by id, in the paper's order; ``Table 2`` and ``table-2`` are ``table2`` too.

    ``None`` chooses everything.
    """
    if only is None:
        return paper.exhibits
    names = list(only)
    ids = {_plain(exhibit.id): exhibit.id for exhibit in paper.exhibits}
    for name in names:
        if _plain(name) not in ids:
            raise UsageError(f"{paper.name} has no {name!r}{advice(_plain(name), ids.values())}")
    if not names:
        raise UsageError(f"no table or figure is chosen. Allowed: {', '.join(ids.values())}")
    wanted = {ids[_plain(name)] for name in names}
    return tuple(exhibit for exhibit in paper.exhibits if exhibit.id in wanted)


def _plain(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())
