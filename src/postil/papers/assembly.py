"""Tables put together from what the paper prints and what the experiments found."""

from __future__ import annotations

from collections.abc import Mapping

from postil.papers.cells import Cell, CellKey, Measured
from postil.papers.paper import Exhibit, Paper, PaperValue
from postil.papers.reproduction import Table


def assemble(
    paper: Paper,
    exhibit: Exhibit,
    found: Mapping[CellKey, Measured],
    errors: Mapping[CellKey, str],
    absences: Mapping[CellKey, str] | None = None,
) -> Table:
    """Lay out one table: the paper's cells, then those that only we have.

    ``found``, ``errors`` and ``absences`` (why a cell was not tried) may hold cells of other
    tables too. Costs the number of cells, sorted.
    """
    absences = absences or {}
    printed = {CellKey(exhibit.id, value.row, value.column): value for value in exhibit.values}
    named = (CellKey(exhibit.id, row, column) for row, column in exhibit.places)
    ours = (key for key in (*found, *errors, *absences) if key.table == exhibit.id)
    keys = tuple(dict.fromkeys([*named, *ours]))
    rows = tuple(dict.fromkeys([*exhibit.rows, *(key.row for key in keys)]))
    columns = tuple(dict.fromkeys([*exhibit.columns, *(key.column for key in keys)]))
    if exhibit.is_open:
        columns = tuple(sorted(columns, key=_along_the_axis))
    down = {row: position for position, row in enumerate(rows)}
    across = {column: position for position, column in enumerate(columns)}
    cells = [
        _cell(
            paper,
            exhibit,
            key,
            printed.get(key),
            found.get(key),
            errors.get(key, ""),
            absences.get(key, ""),
        )
        for key in sorted(keys, key=lambda key: (down[key.row], across[key.column]))
    ]
    general = tuple(
        note.text for note in paper.notes if note.table == exhibit.id and note.is_general
    )
    return Table(exhibit, rows, columns, tuple(cells), general)


def _cell(
    paper: Paper,
    exhibit: Exhibit,
    key: CellKey,
    printed: PaperValue | None,
    found: Measured | None,
    error: str,
    absence: str,
) -> Cell:
    tolerance = exhibit.tolerance
    judged = tolerance is not None and printed is not None and tolerance.judges(*key[1:])
    return Cell(
        key=key,
        paper=printed.value if printed else None,
        paper_deviation=printed.deviation if printed else None,
        source=printed.source if printed else None,
        where=printed.where if printed else "",
        ours=found.value if found else None,
        ours_deviation=found.deviation if found else None,
        scale=exhibit.scale,
        tolerance=tolerance.each if tolerance is not None and judged else None,
        note=_note(paper, key),
        remark=found.remark if found else absence,
        error=error,
    )


def _note(paper: Paper, key: CellKey) -> str:
    told = [
        note.text
        for note in paper.notes
        if note.table == key.table and note.explains(key.row, key.column)
    ]
    return " ".join(told)


def _along_the_axis(column: str) -> tuple[bool, float]:
    """Numbers by size, then names as they came (sorting is stable)."""
    try:
        return False, float(column)
    except ValueError:
        return True, 0.0
