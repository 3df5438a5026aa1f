"""`postil reproduce --list`: the tables and figures of a paper."""

from __future__ import annotations

import json

from postil_papers.loading import load_paper, paper_names

PAPER = "genkin-lewis-madigan-2004"


def test_every_table_and_figure_has_a_line(postil):
    result = postil("reproduce", PAPER, "--list")
    assert result.code == 0
    header, *lines = result.out.splitlines()
    assert header.split()[:4] == ["--only", "experiments", "took", "corpora"]
    exhibits = load_paper(PAPER).exhibits
    assert [line.split()[0] for line in lines] == [exhibit.id for exhibit in exhibits]
    for line, exhibit in zip(lines, exhibits, strict=True):
        assert line.endswith(exhibit.title)
        assert line.split()[2] == "-"  # nothing was computed before
    assert "took: seconds when computed here before" in result.err


def test_lines_for_a_program(postil):
    result = postil("reproduce", PAPER, "--list", "--only", "figure2", "--json")
    (told,) = json.loads(result.out)
    assert told["id"] == "figure2"
    assert told["corpora"] == ["reuters-modapte"]
    assert told["seconds"] is None
    assert result.err == ""


def test_a_name_that_is_not_there(postil):
    for options in (("--list",), ()):
        result = postil("reproduce", PAPER, *options, "--only", "tabel1")
        assert result.code == 2
        assert "has no 'tabel1'; did you mean 'table1'" in result.err
        assert "Allowed: terms, table1, table1-tuned, table1-folds, table2" in result.err


def test_without_a_name_the_papers_are_listed(postil):
    told = postil("reproduce", "--list")
    assert told.code == 0
    assert [line.split()[0] for line in told.out.splitlines()[1:]] == list(paper_names())
    listed = json.loads(postil("reproduce", "--list", "--json").out)
    assert [each["paper"] for each in listed] == list(paper_names())
    refused = postil("reproduce")
    assert refused.code == 2
    assert "zhang-oles-2001" in refused.err
