"""Cells for programs: one object for each, with the same keys for every paper."""

from __future__ import annotations

from postil.papers.canonical import Json
from postil.papers.cells import Cell
from postil.papers.reproduction import Reproduction


def cells_json(reproduction: Reproduction) -> list[dict[str, Json]]:
    """List the cells, table by table, each an object.

    Its keys begin with ``table``, ``row``, ``column``, ``paper`` and ``ours``. A number that is
    not there is ``None``: in ``paper`` where only we have one, in ``ours`` where no experiment
    ran or it failed (then ``error`` says how).
    """
    return [_object(cell) for cell in reproduction.cells()]


def _object(cell: Cell) -> dict[str, Json]:
    return {
        "table": cell.key.table,
        "row": cell.key.row,
        "column": cell.key.column,
        "paper": cell.paper,
        "ours": cell.ours,
        "difference": cell.difference,
        "paper_deviation": cell.paper_deviation,
        "ours_deviation": cell.ours_deviation,
        "tolerance": cell.tolerance,
        "verdict": cell.verdict,
        "source": cell.source,
        "where": cell.where or None,
        "note": cell.note or None,
        "remark": cell.remark or None,
        "error": cell.error or None,
    }
