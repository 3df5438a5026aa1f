"""One warning for a whole training run."""

from __future__ import annotations

import warnings

import pytest

from postil.corpus.opening import open_corpus
from postil.learn.fit import NotConvergedWarning, Unfinished
from postil.recipes.recipe import Recipe
from postil.train.train import train

from .test_report import report_of


def caught_of(unfinished):
    def caller():
        unfinished.warn()

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        caller()
    return [str(warning.message) for warning in caught]


def test_nothing_unfinished_nothing_said():
    unfinished = Unfinished(1e-6)
    unfinished.add("on all documents", [report_of(stopped="certified", certificate=1e-9)])
    assert caught_of(unfinished) == []
    unasked = Unfinished(0.0)
    unasked.add("on all documents", [report_of()])
    assert caught_of(unasked) == []


def test_counts_of_all_in_one_line():
    unfinished = Unfinished(1e-6)
    unfinished.add("on all documents", [report_of(category="a", certificate=0.25)])
    for certificate in (0.5, 1e-9):
        unfinished.add("out of fold", [report_of(category="b", certificate=certificate)])
    assert caught_of(unfinished) == [
        "1 of 1 fit on all documents and 1 of 2 fits out of fold ran out of iterations; the worst, "
        "b, has a duality gap of 5.0e-01 after 3: allow more iterations, or a tolerance above 1e-06"
    ]


def test_a_run_with_search_and_folds_warns_once():
    recipe = Recipe.from_dict(
        {
            "name": "hasty",
            "learn": {"options": {"iterations": 1, "tolerance": 1e-9}},
            "search": {"grid": [1e-3, 1e-4], "folds": 2},
            "decide": {"rule": "f1", "folds": 3},
        }
    )
    with pytest.warns(NotConvergedWarning) as caught:
        train(open_corpus("demo"), recipe)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    said = str(caught[0].message)
    assert said.startswith("12 of 12 fits on all documents and 36 of 36 fits out of fold ran out")
    assert "48 fits of the search ran out of iterations, most of them with λ = " in said
