"""A reproduction as a folder of files: a page in Markdown and HTML, its figures, its cells."""

from __future__ import annotations

import json
from pathlib import Path

from postil.corpus.files.atomic import output_file
from postil.errors import UsageError
from postil.papers.registry import figures_of
from postil.papers.render.cells_json import cells_json
from postil.papers.render.html import html_page
from postil.papers.render.markdown import markdown_page
from postil.papers.reproduction import Reproduction


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
    from postil.papers.plots.drawing import png_bytes, svg_bytes
    from postil.papers.plots.inline import inline_svg

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
