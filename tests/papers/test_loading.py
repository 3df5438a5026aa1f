"""Reading papers: what is wrong is told with its place."""

from __future__ import annotations

import pytest
from tests.papers.samples import SMALL

from postil.errors import InputError, UsageError
from postil_papers.loading import load_paper, parse_paper
from postil_papers.paper import axis_column


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[[table]]", "[[table", "is not TOML"),
        ('name = "small-1999"\n', "", "small-1999.toml: 'name' is missing"),
        ("year = 1999", 'year = "1999"', "year must be a whole number of at least 0, got '1999'"),
        ("year = 1999", "year = true", "year must be a whole number"),
        ('authors = ["First Author"', 'authors = ["Second Author"', "none twice"),
        (
            'title = "Quality"',
            'titel = "Quality"',
            "'titel' means nothing here; did you mean 'title'",
        ),
        (
            'title = "Settings"',
            'title = "Settings"\nscael = "log"',
            "table table1: 'scael' means nothing here; did you mean 'scale'",
        ),
        (
            'scale = "log"\n',
            'scale = "log2"\n',
            "table table1: scale must be one of linear, log, got 'log2'",
        ),
        ("[1e-2, 1e-3]", "[1e-2, 0]", "must be above 0; got 0"),
        ("[1e-2, 1e-3]", "[1e-2]", "row 'lambda' needs 2 values, one a column; got 1 values"),
        ("[1e-2, 1e-3]", '"two"', "got 'two'"),
        ("77.0", '"77"', "row 'F1', column 'One': needs a number"),
        ("77.0", "nan", "row 'F1', column 'One': needs a number"),
        ("[89.7, 0.5]", "[89.7, -0.5]", "a deviation of at least 0"),
        ("[89.7, 0.5]", "[89.7, 0.5, 1]", "or [mean, deviation]"),
        ('rows = ["F1"]\neach', 'rows = ["f1"]\neach', "no row called 'f1'; did you mean 'F1'"),
        ("each = 1.5\nmean = 0.8", "", "needs 'each' or 'mean'"),
        ("each = 1.5", "each = -1", "each must be a number of at least 0, got -1"),
        ('columns = ["One", "Two"]', 'columns = ["One", "One"]', "none twice"),
        (
            'kind = "line"',
            'kind = "pie"',
            "figure figure1: kind must be one of line, histogram, scatter, parallel, got 'pie'",
        ),
        ("values = [10, 100]", "values = [0, 100]", "values on a log axis must be above 0"),
        ("x = 100", 'x = 100\ncolumn = "all"', "either 'x'"),
        ("x = 100", "", "either 'x'"),
        (
            'source = "derived"',
            'source = "guessed"',
            "source must be one of printed, stated, derived, got 'guessed'",
        ),
        ('row = "Two"\ncolumn = "all"', 'row = "One"\nx = 100.0', "same row and column"),
        ('id = "table2"', 'id = "table1"', "have the id 'table1'"),
        ('[[note]]\ntable = "table2"', '[[note]]\ntable = "table9"', "called 'table9'"),
        ('columns = ["A Longer Name"]', 'columns = ["A"]', "no column of a note called 'A'"),
        (
            'series = [{ name = "One" }, { name = "Two", line = "dashed" }]',
            "",
            "the figure has no series",
        ),
        ("[table.rows]\nlambda = [1e-2, 1e-3]", "[table.rows]", "the table has no rows"),
        (
            'x = { label = "size"',
            'x = { name = "size"',
            "figure1, x: 'name' means nothing here. Allowed: label, scale",
        ),
        ('x = { label = "size", scale = "log", values = [10, 100] }', "x = 1", "x must be a table"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(old, new, message):
    assert old in SMALL
    with pytest.raises(InputError) as error:
        parse_paper(SMALL.replace(old, new, 1), "small-1999.toml")
    assert str(error.value).startswith("small-1999.toml")
    assert message in str(error.value)


def test_a_paper_needs_something_in_it():
    head = SMALL[: SMALL.index("[[table]]")]
    with pytest.raises(InputError, match="no table and no figure"):
        parse_paper(head, "empty.toml")


def test_an_unknown_paper_is_refused_with_a_suggestion():
    with pytest.raises(UsageError, match="did you mean 'zhang-oles-2001'"):
        load_paper("zhang-oles-2011")


@pytest.mark.parametrize(
    ("place", "column"),
    [
        (10000, "10000"),
        (1e-4, "0.0001"),
        (1e-5, "1e-5"),
        (1e22, "1e22"),
        (0.15, "0.15"),
        (-2, "-2"),
    ],
)
def test_places_on_an_axis_have_one_name(place, column):
    assert axis_column(place) == column
    assert float(column) == place
