"""A reproduction as a folder of files: a page in Markdown and HTML, its figures, its cells.

Cells for programs: one object for each, with the same keys for every paper.
"""

from __future__ import annotations

import json
from pathlib import Path

from postil.common.files import output_file
from postil.errors import UsageError
from postil_papers.cells import Cell, Json
from postil_papers.registry import figures_of
from postil_papers.render.html import html_page
from postil_papers.render.markdown import markdown_page
from postil_papers.reproduction import Reproduction


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


def write_files(
    reproduction: Reproduction, folder: str | Path, *, figures: bool = True
) -> list[Path]:
    """Write ``NAME.md``, ``NAME.html``, ``NAME.json`` and each figure as SVG and PNG.

    The folder is made where it is absent; files of an earlier run are replaced one by one,
    each only when it is complete. Figures need matplotlib; without ``figures`` the pages have
    none.
    """
    home = Path(folder)
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: the folder cannot be made ({error.strerror})") from error
    pictures, drawings, written = _draw(reproduction, home) if figures else ({}, {}, [])
    name = reproduction.paper.name
    texts = {
        f"{name}.md": markdown_page(reproduction, pictures),
        f"{name}.html": html_page(reproduction, drawings),
        f"{name}.json": json.dumps(cells_json(reproduction), ensure_ascii=False, indent=2) + "\n",
    }
    pages = [_write(home / file, text.encode("utf-8")) for file, text in texts.items()]
    return [*pages, *written]


def _draw(
    reproduction: Reproduction, home: Path
) -> tuple[dict[str, str], dict[str, str], list[Path]]:
    from postil.plots.drawing import png_bytes, svg_bytes
    from postil_papers.plotting import inline_svg

    found = figures_of(reproduction)
    written = []
    for id, figure in found.items():
        written.append(_write(home / f"{id}.svg", svg_bytes(figure)))
        written.append(_write(home / f"{id}.png", png_bytes(figure)))
    pictures = {id: f"{id}.svg" for id in found}
    return pictures, {id: inline_svg(figure) for id, figure in found.items()}, written


def _write(path: Path, content: bytes) -> Path:
    with output_file(path) as file:
        file.write(content)
    return path
