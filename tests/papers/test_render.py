"""Renderings against golden files; write these anew with POSTIL_GOLDEN=write."""

from __future__ import annotations

import io
import json
import os
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from rich.console import Console
from tests.papers.samples import (
    SMALL,
    experiment,
    fail,
    small_experiments,
    small_paper,
    small_reproduction,
    terminal_text,
)

from postil.common.escaping import escaped
from postil_papers.experiment import Experiment, Fill, Measured, by_name
from postil_papers.loading import load_paper, parse_paper
from postil_papers.registry import figures_of
from postil_papers.render.pages import cells_json, html_page, markdown_page, write_files
from postil_papers.render.terminal import print_reproduction
from postil_papers.render.view import difference_text, number_text, paper_text
from postil_papers.runner import reproduce

GOLDEN = Path(__file__).parent / "golden"
DRAWING = '<svg viewBox="0 0 1 1"></svg>'

RENDERINGS = {
    "terminal.txt": lambda found: terminal_text(found, 60),
    "page.md": lambda found: markdown_page(found, {"figure1": "figure1.svg"}),
    "page.html": lambda found: html_page(found, {"figure1": DRAWING}),
    "cells.json": lambda found: json.dumps(cells_json(found), ensure_ascii=False, indent=1) + "\n",
}


@pytest.mark.parametrize("name", RENDERINGS)
def test_golden(name):
    rendered = RENDERINGS[name](small_reproduction())
    path = GOLDEN / name
    if os.environ.get("POSTIL_GOLDEN") == "write":
        path.write_text(rendered, encoding="utf-8")
    assert rendered == path.read_text(encoding="utf-8")


def test_cells_as_json_begin_with_the_five_keys():
    objects = cells_json(small_reproduction())
    assert json.loads(json.dumps(objects, allow_nan=False)) == objects
    assert {tuple(each)[:5] for each in objects} == {("table", "row", "column", "paper", "ours")}
    assert len({tuple(each) for each in objects}) == 1
    by_place = {(each["table"], each["row"], each["column"]): each for each in objects}
    assert by_place["table1", "lambda", "Two"]["ours"] is None
    assert by_place["table2", "Recall", "A Longer Name"]["error"] == "RuntimeError: out of luck"
    assert by_place["figure1", "One", "1000"]["paper"] is None


def _printed(**options):
    buffer = io.StringIO()
    console = Console(file=buffer, width=80, highlight=False, **options)
    print_reproduction(small_reproduction(), console)
    return buffer.getvalue()


def test_colours_are_for_terminals_only(monkeypatch):
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    assert "\x1b" not in _printed()
    assert "\x1b[31m" in _printed(force_terminal=True, color_system="standard")


@pytest.mark.parametrize("width", [1, 20, 40, 80, 200])
def test_no_number_is_cut_at_any_width(width):
    text = terminal_text(small_reproduction(), width)
    for shown in ("77.0", "86.5", "89.7 ±0.5", "89.1 ±0.4", "-7.2*", "A Longer Name", "≈85"):
        assert shown in text
    assert "…" not in text


def test_a_table_goes_on_below_where_it_is_too_wide():
    wide, narrow = (terminal_text(small_reproduction(), width) for width in (120, 40))
    assert wide.count("\nF1 ") < narrow.count("\nF1 ")


class Tags(HTMLParser):
    """Checks that tags close in order, and gathers what a page asks for and names."""

    VOID = frozenset({"meta", "img"})

    def __init__(self):
        super().__init__()
        self.open, self.asked, self.ids = [], [], []
        self.names, self.attributes = set(), set()

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.names.add(tag)
        self.attributes.update(found)
        self.asked += [found[name] for name in ("src", "href", "xlink:href") if name in found]
        self.ids += [found["id"]] if "id" in found else []
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def read(page):
    tags = Tags()
    tags.feed(page)
    tags.close()
    assert tags.open == []
    return tags


def test_the_page_is_whole_and_asks_for_nothing():
    tags = read(html_page(small_reproduction(), {"figure1": DRAWING}))
    assert all(address.startswith("#") for address in tags.asked)
    assert len(set(tags.ids)) == len(tags.ids)


def test_what_comes_from_outside_is_escaped():
    page = html_page(small_reproduction())
    assert "Small &lt;Things&gt;" in page
    assert "<Things>" not in page
    assert "Corpus\\_A" in markdown_page(small_reproduction())
    assert "Corpus\\|B" in markdown_page(small_reproduction())


# Out of an element, an attribute, a cell, a link's text; a terminal's escape; a lone surrogate.
HOSTILE = (
    "</td><script>alert(1)</script>\"'><img src=x onerror=alert(2)> [a](javascript:alert(3)) "
    "![b](http://x/y) ](javascript:alert(4)) [c]: javascript:alert(5) <http://x> &lt; |`*_~\\ "
    "\x1b]0;t\x07\u202e"
)


def hostile_reproduction():
    """The small paper, with hostile names wherever a corpus, a result or an error may bring one."""
    text = SMALL.replace("lambda = [", f"{json.dumps(HOSTILE)} = [")
    for name in ("table1", "Settings", "section 1, table 1", "Two", "Ours stops earlier."):
        text = text.replace(f'"{name}"', json.dumps(HOSTILE + name))

    def fail(**_):
        raise RuntimeError(HOSTILE + "\ud800")

    broken = Experiment(
        HOSTILE,
        fail,
        (Fill("table2", ("Recall",), ("A Longer Name",)),),
        {HOSTILE: [HOSTILE]},
    )
    remark = experiment(
        "remark",
        {("table3", "One", "Corpus_A"): Measured(89.1, 0.44, HOSTILE)},
        (Fill("table3", columns=("Corpus_A",)),),
    )
    return reproduce(parse_paper(text, "hostile.toml"), by_name(broken, remark))


@pytest.mark.parametrize("kind", ["html", "markdown"])
def test_hostile_names_are_only_text(kind):
    def shown(found):
        if kind == "html":
            return html_page(found, {"figure1": DRAWING})
        parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
        return parser.render(markdown_page(found, {"figure1": "figure1.svg"}))

    page = shown(hostile_reproduction())
    assert page == escaped(page)
    assert "alert(1)" in page
    tags, harmless = read(page), read(shown(small_reproduction()))
    assert tags.names <= harmless.names
    assert tags.attributes <= harmless.attributes
    assert all(address.startswith(("#", "figure1.svg")) for address in tags.asked)
    text = terminal_text(hostile_reproduction())
    assert text == escaped(text)


def test_the_page_follows_light_and_dark():
    page = html_page(small_reproduction())
    assert "prefers-color-scheme: dark" in page
    assert "color-scheme: light dark" in page
    assert "http:" not in page
    assert "https:" not in page


def test_files_of_a_paper_without_drawn_figures(tmp_path):
    found = reproduce(small_paper(), small_experiments())
    written = write_files(found, tmp_path / "new" / "folder", {})
    assert [path.name for path in written] == [
        "small-1999.md",
        "small-1999.html",
        "small-1999.json",
    ]
    assert json.loads(written[2].read_text(encoding="utf-8")) == cells_json(found)


def test_files_of_zhang_oles_2001(tmp_path):
    pytest.importorskip("matplotlib")
    found = reproduce(load_paper("zhang-oles-2001"), {}, only=["figure4"])
    (tmp_path / "figure4.svg").write_text("of an earlier run")
    written = write_files(found, tmp_path, figures_of(found))
    assert sorted(written) == sorted(tmp_path.iterdir())
    assert {tmp_path / "figure4.svg", tmp_path / "figure4.png"} < set(written)
    tags = read((tmp_path / "zhang-oles-2001.html").read_text(encoding="utf-8"))
    assert all(address.startswith("#") for address in tags.asked)
    assert "figure4-figure_1" in tags.ids
    assert "(figure4.svg)" in (tmp_path / "zhang-oles-2001.md").read_text(encoding="utf-8")


def test_what_the_paper_tells_of_its_curves_is_shown():
    page = markdown_page(reproduce(load_paper("zhang-oles-2001"), {}, only=["figure5"]))
    assert "- Mod Least Squares: with a heavy tail, the paper says" in page


def test_notes_about_a_whole_table_are_shown(monkeypatch):
    from tests.papers import samples

    note = '[[note]]\ntable = "table2"\ntext = "The split differs."\n'
    monkeypatch.setattr(samples, "SMALL", samples.SMALL + note)
    table = reproduce(small_paper(), small_experiments()).tables[1]
    assert table.mean_verdict == "explained"
    text = terminal_text(small_reproduction())
    assert "The split differs." in text
    assert "to be under 0.8: not met, see the note" in text


@pytest.mark.parametrize(
    ("value", "scale", "decimals", "shown"),
    [
        (86.94, "linear", 1, "86.9"),
        (-0.04, "linear", 1, "0.0"),
        (1e-3, "log", 1, "1e-3"),
        (1.0, "log", 1, "1"),
        (3.2e-4, "log", 1, "3.2e-4"),
        (1000.0, "log", 1, "1e3"),
    ],
)
def test_numbers(value, scale, decimals, shown):
    assert number_text(value, scale, decimals) == shown


@pytest.mark.parametrize(
    ("value", "scale", "shown"),
    [
        (-1.0, "linear", "-1.0"),
        (0.04, "linear", "0.0"),
        (-0.04, "linear", "0.0"),
        (10.0, "linear", "+10.0"),
        (-1.0, "log", "-1"),
        (1e-15, "log", "0"),
        (0.5, "log", "+0.5"),
        (10.0, "log", "+10"),
    ],
)
def test_differences(value, scale, shown):
    assert difference_text(value, scale, 1) == shown


def test_what_a_text_rounds_keeps_its_digits():
    assert paper_text(85.0, "stated", "linear", 1) == "≈85"
    assert paper_text(85.0, "printed", "linear", 1) == "85.0"


def test_a_failed_experiment_of_a_figure_shows_in_it():
    broken = Experiment("x", fail, (Fill("figure1", rows=("One",)),))
    text = terminal_text(reproduce(small_paper(), by_name(broken), only=["figure1"]))
    assert "failed" in text
    assert "x failed: RuntimeError: out of luck" in text
