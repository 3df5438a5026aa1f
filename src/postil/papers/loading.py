"""Papers from their TOML files: every number checked, every error with its place.

A file is small: reading it costs its length.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files

from postil.errors import InputError, UsageError
from postil.papers.exhibits import check_names, read_figure, read_table
from postil.papers.paper import LeftOut, Paper, PaperNote
from postil.papers.sections import Section
from postil.text.suggest import advice

SUFFIX = ".toml"


def paper_names() -> tuple[str, ...]:
    """Name the papers whose numbers are here, in order."""
    entries = (entry.name for entry in files("postil.papers").iterdir())
    return tuple(sorted(name.removesuffix(SUFFIX) for name in entries if name.endswith(SUFFIX)))


def load_paper(name: str) -> Paper:
    """Load a paper by its short name, such as ``zhang-oles-2001``."""
    names = paper_names()
    if name not in names:
        raise UsageError(f"there is no paper called {name!r}{advice(name, names)}")
    file = files("postil.papers") / f"{name}{SUFFIX}"
    paper = parse_paper(file.read_text(encoding="utf-8"), file.name)
    if paper.name != name:
        raise InputError(f"{file.name}: name is {paper.name!r}, the file's is {name!r}")
    return paper


def parse_paper(text: str, place: str) -> Paper:
    """Read a paper from TOML; ``place`` stands at the head of messages."""
    try:
        root = Section(tomllib.loads(text), place)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{place}: is not TOML: {error}") from error
    paper = Paper(
        name=root.text("name"),
        title=root.text("title"),
        authors=root.texts("authors"),
        year=root.whole("year"),
        tables=tuple(read_table(part) for part in root.sections("table")),
        figures=tuple(read_figure(part) for part in root.sections("figure")),
        notes=tuple(_note(part) for part in root.sections("note")),
        left_out=tuple(_left_out(part) for part in root.sections("left_out")),
    )
    root.finish()
    _check_ids(root, paper)
    return paper


def _note(part: Section) -> PaperNote:
    found = PaperNote(
        part.text("table"),
        part.text("text"),
        part.texts("rows") if part.has("rows") else None,
        part.texts("columns") if part.has("columns") else None,
    )
    part.finish()
    return found


def _left_out(part: Section) -> LeftOut:
    found = LeftOut(part.text("what"), part.text("why"))
    part.finish()
    return found


def _check_ids(root: Section, paper: Paper) -> None:
    ids = [exhibit.id for exhibit in paper.exhibits]
    if not ids:
        raise root.error("there is no table and no figure")
    for exhibit in paper.exhibits:
        if ids.count(exhibit.id) > 1:
            raise root.error(f"two tables or figures have the id {exhibit.id!r}")
    shown = {exhibit.id: exhibit for exhibit in paper.exhibits}
    for note in paper.notes:
        check_names(root, "table of a note", (note.table,), tuple(ids))
        if not shown[note.table].is_open:
            check_names(root, "row of a note", note.rows, shown[note.table].rows)
            check_names(root, "column of a note", note.columns, shown[note.table].columns)
