"""The printed numbers of genkin-lewis-madigan-2004."""

from __future__ import annotations

import pytest

from postil_papers.loading import load_paper

from .printed import printed_numbers

COLLECTIONS = ("ModApte", "RCV1-v2", "OHSUMED")


@pytest.fixture(scope="module")
def paper():
    return load_paper("genkin-lewis-madigan-2004")


@pytest.fixture(scope="module")
def values(paper):
    return printed_numbers(paper)


def table(paper, id):
    return next(table for table in paper.tables if table.id == id)


def test_exhibits(paper):
    assert [each.id for each in paper.tables if each.id.startswith("table")] == [
        "table1",
        "table1-tuned",
        "table1-folds",
        *("table2", "table3", "table4", "table4-optimum"),
        *("table5", "table6", "table7"),
    ]
    assert [figure.id for figure in paper.figures] == [f"figure{n}" for n in (2, 3, 6, 7, 8)]
    kinds = [figure.kind for figure in paper.figures]
    assert kinds == ["line", "line", "parallel", "histogram", "scatter"]
    assert [len(table(paper, f"table{n}").values) for n in range(1, 8)] == [12] * 3 + [18] + [
        10
    ] * 3


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("table1", "lasso vs ridge", "fewer"), 39),
        (("table1", "lasso vs SVM", "p"), 0.044),
        (("table1", "ridge vs SVM", "more"), 31),
        (("table2", "lasso vs SVM", "more"), 66),
        (("table2", "lasso vs ridge", "p"), 0.321),
        (("table3", "lasso vs SVM", "p"), 0.705),
        (("table3", "ridge vs SVM", "equal"), 12),
        (("table4", "lasso, default", "ModApte"), 48.64),
        (("table4", "ridge, default", "ModApte"), 37.63),
        (("table4", "SVM, default", "ModApte"), 38.52),
        (("table4", "lasso, tuned", "ModApte"), 52.03),
        (("table4", "ridge, tuned", "ModApte"), 39.71),
        (("table4", "SVM, tuned", "ModApte"), 53.75),
        (("table4", "SVM, tuned", "RCV1-v2"), 57.23),
        (("table4", "ridge, default", "OHSUMED"), 36.09),
        (("table5", "lasso, all", "norm"), 50.77),
        (("table5", "ridge, 5", "CV"), 46.67),
        (("table6", "ridge, 500", "CV"), 48.54),
        (("table7", "ridge, 50", "norm"), 42.59),
        (("features", "ModApte", "mean"), 93.8),
        (("features", "RCV1-v2", "max"), 3750),
        (("features", "OHSUMED", "std"), 393.3),
        (("selection", "Pearson, 50", "norm"), 45.80),
    ],
)
def test_spot_values(values, place, value):
    assert values[place] == value


@pytest.mark.parametrize(("id", "categories"), [("table1", 90), ("table2", 103), ("table3", 77)])
def test_wins_losses_and_ties_are_all_categories(paper, values, id, categories):
    for row in table(paper, id).rows:
        assert sum(values[id, row, each] for each in ("fewer", "more", "equal")) == categories


def test_tables_4_and_5_to_7_agree(values):
    """The cross-validated rows with all features are table 4's, at the default threshold."""
    for collection, id in zip(COLLECTIONS, ("table5", "table6", "table7"), strict=True):
        for method in ("lasso", "ridge"):
            printed = values["table4", f"{method}, default", collection]
            assert values[id, f"{method}, all", "CV"] == printed


def test_directions_and_order_follow_from_the_tables(values):
    for collection, id in zip(COLLECTIONS, ("table1", "table2", "table3"), strict=True):
        for row in ("lasso vs ridge", "lasso vs SVM", "ridge vs SVM"):
            fewer, more, p = (values[id, row, each] for each in ("fewer", "more", "p"))
            better = (fewer > more) - (fewer < more)
            assert values["directions", row, collection] == (better if p < 0.05 else 0)
        for threshold in ("default", "tuned"):
            rows = [f"{method}, {threshold}" for method in ("lasso", "ridge", "SVM")]
            falling = sorted(rows, key=lambda row: -values["table4", row, collection])
            assert [values["order", row, collection] for row in falling] == [1, 2, 3]


def test_the_study_of_selection_stands_beside_bns(paper, values):
    for row in table(paper, "selection").rows:
        terms = row.rpartition(", ")[2]
        for column in ("CV", "norm"):
            assert values["selection", row, column] == values["table5", f"ridge, {terms}", column]


def test_what_is_judged(paper):
    tolerances = {each.id: each.tolerance for each in paper.tables if each.tolerance}
    assert {id: found.each for id, found in tolerances.items()} == {
        "terms": 2,
        "directions": 0,
        "table4": 3,
        "order": 0,
        "table5": 3,
        "features": 46.9,
    }
    assert tolerances["table4"].judges("lasso, tuned", "ModApte")
    assert not tolerances["table4"].judges("lasso, tuned", "OHSUMED")
    assert not tolerances["features"].judges("ModApte", "max")


def test_counts_are_whole_and_p_is_not(paper):
    first = table(paper, "table1")
    assert (first.decimals_in("fewer"), first.decimals_in("p")) == (0, 3)
