"""Reports of fits, and the one warning about fits that did not converge."""

from __future__ import annotations

import json
import warnings

import pytest

from postil.corpus.opening import open_corpus
from postil.learn.fit import FitReport, NotConvergedWarning, Unfinished, warn_of_unfinished
from postil.learn.job import Job
from postil.recipes.recipe import Recipe
from postil.train.train import train

from .samples import REACHING_SOLVER, method_of, sample


def caught_by(work):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        work()
    return caught


@REACHING_SOLVER
def test_one_warning_for_all_categories_that_did_not_get_there(parts):
    _, _, design, labels = sample()
    found = []
    method = method_of(parts, iterations=1, tolerance=1e-6)
    (warning,) = caught_by(lambda: found.append(method.fit(Job(design, labels))))
    assert warning.category is NotConvergedWarning
    assert warning.filename == __file__
    message = str(warning.message)
    worst = max(found[0].reports, key=lambda report: report.certificate)
    assert message.startswith("2 of 2 categories ran out of iterations")
    assert f"the worst, {worst.category}, has a {worst.kind} of {worst.certificate:.1e}" in message
    assert "allow more iterations, or a tolerance above 1e-06" in message
    assert all(report.stopped == "iterations" for report in found[0].reports)


@REACHING_SOLVER
def test_no_warning_where_nobody_asked_or_wants_to_know(parts):
    _, _, design, labels = sample()
    quiet = method_of(parts, iterations=1)
    assert not caught_by(lambda: quiet.fit(Job(design, labels, quiet=True)))
    unasked = method_of(parts, iterations=1, tolerance=0.0)
    assert not caught_by(lambda: unasked.fit(Job(design, labels)))
    assert not caught_by(lambda: method_of(parts).fit(Job(design, labels)))


def report_of(**values):
    plain = {
        "category": "c",
        "members": 1,
        "lam": 0.1,
        "iterations": 3,
        "objective": 1.0,
        "certificate": 0.5,
        "kind": "duality gap",
        "stopped": "iterations",
        "seconds": 0.0,
        "nonzeros": 1,
    }
    return FitReport(**(plain | values))


def test_only_the_unfinished_count():
    reports = [
        report_of(category="a", stopped="certified", certificate=1e-9),
        report_of(category="b", stopped="movement"),
        report_of(category="c", certificate=1e-9),
        report_of(category="d", certificate=0.25),
    ]
    with pytest.warns(NotConvergedWarning, match=r"1 of 4 .* the worst, d, .* 2\.5e-01 after 3"):
        warn_of_unfinished(reports, 1e-6)


def test_the_end_of_double_precision_counts_where_it_is_far_from_the_optimum():
    near, far = (
        report_of(category=name, stopped="precision", certificate=certificate)
        for name, certificate in (("near", 1e-7), ("far", 1.9))
    )
    assert not caught_by(lambda: warn_of_unfinished([near], 1e-12))
    told = r"1 of 2 categories came to the end of double precision; the worst, far, .* regularize"
    with pytest.warns(NotConvergedWarning, match=told):
        warn_of_unfinished([near, far], 1e-6)
    with pytest.warns(NotConvergedWarning, match="2 of 2 categories ran out of iterations"):
        warn_of_unfinished([far, report_of()], 1e-6)


@REACHING_SOLVER
def test_a_report_goes_into_a_file(parts):
    _, _, design, labels = sample()
    report = method_of(parts).fit(Job(design, labels)).reports[0]
    assert FitReport(**json.loads(json.dumps(report.to_dict()))) == report


def test_one_category_is_one_category():
    with pytest.warns(NotConvergedWarning, match="^1 of 1 category ran out of iterations"):
        warn_of_unfinished([report_of()], 1e-6)


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
