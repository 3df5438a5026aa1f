"""The printed numbers of zhang-oles-2001."""

from __future__ import annotations

from statistics import fmean

import pytest

from postil.corpus.named.registry import NAMES
from postil_papers.loading import load_paper, paper_names

from .printed import printed

METHODS = ("Naive Bayes", "Lin Reg", "Mod Least Squares", "Logistic Reg", "SVM", "Mod SVM")


@pytest.fixture(scope="module")
def paper():
    return load_paper("zhang-oles-2001")


@pytest.fixture(scope="module")
def values(paper):
    return printed(paper)


@pytest.mark.parametrize("name", paper_names())
def test_every_paper_loads_and_names_known_corpora(name):
    paper = load_paper(name)
    assert paper.name == name
    assert all(value.where for exhibit in paper.exhibits for value in exhibit.values)
    assert {corpus for exhibit in paper.exhibits for corpus in exhibit.corpora} <= set(NAMES)


def test_exhibits(paper):
    printed = [table for table in paper.tables if "-" not in table.id]  # others are studies
    assert [table.id for table in printed] == ["table1", "table2", "table3", "table5"]
    assert [figure.id for figure in paper.figures] == [f"figure{n}" for n in (4, 5, 6, 7, 8)]
    assert [len(table.values) for table in printed] == [6, 24, 60, 14]
    assert all(table.columns == METHODS for table in printed[:3])


@pytest.mark.parametrize(
    ("place", "value", "deviation"),
    [
        (("table1", "lambda", "Naive Bayes"), 1e-2, None),
        (("table1", "lambda", "Logistic Reg"), 1e-4, None),
        (("table2", "Precision", "Mod SVM"), 89.4, None),
        (("table2", "Recall", "SVM"), 84.0, None),
        (("table2", "F1", "Mod Least Squares"), 87.2, None),
        (("table2", "BEP", "Naive Bayes"), 75.8, None),
        (("table2", "BEP", "Logistic Reg"), 86.9, None),
        (("table3", "Earn", "Mod Least Squares"), 98.4, None),
        (("table3", "Trade", "Naive Bayes"), 52.3, None),
        (("table3", "Interest", "Logistic Reg"), 78.1, None),
        (("table3", "Corn", "Mod SVM"), 86.7, None),
        (("table5", "Naive Bayes-1", "20NewsGroup"), 89.7, 0.5),
        (("table5", "Naive Bayes-2", "WebKB"), 68.7, 1.1),
        (("table5", "Mod SVM", "20NewsGroup"), 94.7, 0.3),
        (("figure7", "Logistic Reg", "all"), 85, None),
        (("figure8", "Mod SVM, dual", "lambda -> 0"), 85, None),
        (("figure8", "Mod Least Squares, primal", "lambda -> 0"), 80, None),
        (("figure8", "Lin Reg", "lambda -> 0"), 70, None),
        (("figure8", "Lin Reg, 100 features", "lambda -> 0"), 83, None),
    ],
)
def test_spot_values(values, place, value, deviation):
    assert (values[place].value, values[place].deviation) == (value, deviation)


def test_table_2_agrees_with_itself(values):
    """F1 is the harmonic mean of the printed precision and recall, up to their rounding."""
    for method in METHODS:
        precision, recall, f1 = (
            values["table2", row, method].value for row in ("Precision", "Recall", "F1")
        )
        assert f1 == pytest.approx(2 * precision * recall / (precision + recall), abs=0.11)


def test_points_of_figure_6_are_means_of_table_3(paper, values):
    rows = next(table for table in paper.tables if table.id == "table3").rows
    for method in METHODS:
        for k in (5, 10):
            mean = fmean(values["table3", row, method].value for row in rows[:k])
            point = values["figure6", method, str(k)]
            assert point.value == pytest.approx(mean, abs=0.005)
            assert point.source == "derived"


def test_points_of_figures_7_and_8_are_of_table_2(values):
    printed = values["table2", "BEP", "Logistic Reg"].value
    assert values["figure7", "Logistic Reg", "10000"].value == printed
    assert values["figure8", "Logistic Reg", "0.0001"].value == printed


def test_tolerance_of_table_2(paper):
    tolerance = next(table for table in paper.tables if table.id == "table2").tolerance
    assert (tolerance.each, tolerance.mean, tolerance.rows) == (1.5, 0.8, ("F1", "BEP"))


def test_figure_facts(paper):
    by_id = {figure.id: figure for figure in paper.figures}
    lines = [series.line for series in by_id["figure4"].series]
    assert lines == ["solid", "dashed", "dotted"]
    assert by_id["figure5"].kind == "histogram"
    assert by_id["figure6"].x.values == (5, 10, 20, 40, 60, 80, 100, 118)
    assert [by_id[id].x.scale for id in ("figure7", "figure8")] == ["log", "log"]
