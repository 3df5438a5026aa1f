"""The printed numbers of zhang-jin-yang-hauptmann-2003."""

from __future__ import annotations

from math import exp, log
from statistics import fmean

import pytest

from postil_papers.loading import load_paper

from .printed import printed_numbers

REUTERS = ("earn", "acq", "money-fx", "grain")
RCV1 = ("CCAT", "ECAT", "GCAT", "MCAT")


@pytest.fixture(scope="module")
def paper():
    return load_paper("zhang-jin-yang-hauptmann-2003")


@pytest.fixture(scope="module")
def values(paper):
    return printed_numbers(paper)


def test_exhibits(paper):
    assert [table.id for table in paper.tables] == [
        "table1",
        "table2",
        "table2-solvers",
        "table2-texts",
        "micro",
        "macro",
        "whole-texts",
        "table3",
        "table3-readings",
        "growth-exponents",
    ]
    assert [figure.id for figure in paper.figures] == [
        "figure1",
        "figure2",
        "figure2-reuters",
        "figure2-arxiv",
        "growth",
    ]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("table1", "Reuters-21578", "training"), 7769),
        (("table1", "RCV1", "training"), 781265),
        (("table1", "RCV1", "test"), 23149),
        (("table1", "Univ-6", "classes"), 6),
        (("table2", "earn", "SVM error"), 1.66),
        (("table2", "earn", "MLR-CG error"), 1.72),
        (("table2", "grain", "SVM training"), 0.24),
        (("table2", "CCAT", "MLR-CG training"), 3696),
        (("table2", "GCAT", "SVM error"), 29.01),
        (("table2", "MCAT", "MLR-CG error"), 8.07),
        (("micro", "micro F1", "MLR-CG"), 87.17),
        (("macro", "macro F1", "SVM"), 56.74),
        (("table3", "Univ-6", "MMLR-CG macro"), 57.27),
        (("table3", "Univ-6", "SVM micro"), 85.84),
    ],
)
def test_spot_values(values, place, value):
    assert values[place] == value


def test_studies_stand_beside_the_numbers_of_their_tables(paper, values):
    by_id = {table.id: table for table in paper.tables}
    for row in REUTERS:
        for column in ("training", "error"):
            printed = values["table2", row, f"SVM {column}"]
            for solver in ("dual coordinate", "LIBLINEAR"):
                assert values["table2-solvers", row, f"{solver} {column}"] == printed
        for variant in by_id["table2-texts"].rows:
            assert values["table2-texts", variant, row] == values["table2", row, "SVM error"]
    for variant in by_id["whole-texts"].rows:
        for average in ("micro", "macro"):
            printed = values[average, f"{average} F1", "SVM"]
            assert values["whole-texts", variant, f"{average} F1"] == printed
    for reading in by_id["table3-readings"].rows:
        for column in by_id["table3"].columns:
            assert values["table3-readings", reading, column] == values["table3", "Univ-6", column]


@pytest.mark.parametrize(("method", "column"), [("MLR-CG", "MLR-CG"), ("SVM", "SMO")])
def test_exponents_follow_from_table_2(values, method, column):
    """Geometric means of four and of three categories, over the ratio of the documents."""

    def mean(rows):
        return exp(fmean([log(values["table2", row, f"{method} training"]) for row in rows]))

    documents = [values["table1", name, "training"] for name in ("RCV1", "Reuters-21578")]
    large = [row for row in RCV1 if row != "GCAT"]
    slope = log(mean(large) / mean(REUTERS)) / log(documents[0] / documents[1])
    for row in ("math.*", "math-ph"):
        assert values["growth-exponents", row, column] == pytest.approx(slope, abs=0.005)


def test_what_a_reproduction_is_held_to(paper):
    by_id = {table.id: table.tolerance for table in paper.tables}
    assert by_id["table2"].each == 0.3
    assert by_id["table2"].rows == REUTERS
    assert by_id["table2"].columns == ("SVM error", "MLR-CG error")
    assert (by_id["micro"].each, by_id["macro"].each) == (1.5, 3)
