"""The measure that was aimed at, in a report."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp

from postil.errors import SpecError
from postil.evaluate import Options, measure_run
from postil.learn.merit.naming import EXAMPLES

from .samples import random_run


def report_of(aim, **options):
    truth, decisions, *_ = random_run()
    return measure_run(truth, decisions, options=Options(aim=aim, **options))


def test_f1_is_that_of_the_other_tables():
    for rule in ("zero", "one", "skip"):
        report = report_of("f1", undefined=rule)
        assert report.aimed.micro == pytest.approx(report.micro["f1"])
        assert report.aimed.macro == report.macro["f1"]


def test_errors_are_positive():
    report = report_of("error")
    assert report.aimed.less_is_better
    assert report.aimed.micro == pytest.approx(report.micro["error"])
    assert report.aimed.macro.value == pytest.approx(report.macro["error"].value)


def test_a_floor_is_counted():
    report = report_of("recall>=0.97")
    counts = report.counts
    recall = counts.true_positives / np.maximum(counts.members, 1)
    assert report.aimed.reached == int(((recall >= 0.97) & (counts.members > 0)).sum())
    assert 0 < report.aimed.reached < report.aimed.categories
    assert report.aimed.categories == int((counts.members > 0).sum())
    assert report.aimed.micro == pytest.approx(report.micro["precision"])
    assert report.aimed.micro_reached is (report.micro["recall"] >= 0.97)
    reverse = report_of("precision>=0.5").aimed
    assert reverse.micro == pytest.approx(report.micro["recall"])


def test_a_category_that_no_document_gets_keeps_no_floor_of_precision():
    truth = sp.csr_matrix(np.ones((4, 3), dtype=bool))
    decisions = sp.csr_matrix(np.array([[1, 0, 0]] * 4, dtype=bool))
    report = measure_run(truth, decisions, options=Options(aim="precision>=0.9"))
    assert (report.aimed.reached, report.aimed.categories, report.aimed.unused) == (1, 1, 2)
    assert "2 more" in report.to_text()


def test_costs_are_summed():
    report = report_of("cost(fp=1, fn=5)")
    counts = report.counts
    expected = counts.false_positives.sum() + 5 * counts.false_negatives.sum()
    assert report.aimed.total == expected
    assert report.aimed.micro == pytest.approx(1 - expected / (5 * counts.members.sum()))


def test_perfect_decisions():
    truth = sp.csr_matrix(np.eye(3, dtype=bool))
    for aim in EXAMPLES:
        aimed = measure_run(truth, truth, options=Options(aim=aim)).aimed
        assert aimed.micro == pytest.approx(0 if aimed.less_is_better else 1)
        assert aimed.macro.value == pytest.approx(aimed.micro)


@pytest.mark.parametrize("aim", [*EXAMPLES, "micro-recall>=0.9"])
def test_it_is_said_in_print_and_in_json(aim):
    report = report_of(aim)
    text = report.to_text()
    assert f"aimed at {report.aimed.measure}" in text
    assert text.index("aimed at") < text.index("macro-F1")
    assert ("the floor holds" in text) == ("labels a document (" in text) == (">=" in aim)
    assert (", summed" in text) == (report.aimed.total is not None)
    told = json.loads(json.dumps(report.to_dict()))["aim"]
    assert told["measure"] == report.aimed.measure
    assert told["micro"] == pytest.approx(report.aimed.micro)


def test_without_an_aim_nothing_is_said():
    report = report_of(None)
    assert report.aimed is None
    assert "aim" not in report.to_dict()
    assert "aimed" not in report.to_text()


def test_no_documents_at_all():
    nothing = sp.csr_matrix((0, 2), dtype=bool)
    for aim in EXAMPLES:
        report = measure_run(nothing, nothing, options=Options(aim=aim))
        assert ("aimed at" in report.to_text()) == (aim not in ("error", "f1", "micro-f1"))
        assert json.dumps(report.to_dict())


def test_a_measure_that_is_none():
    with pytest.raises(SpecError, match="eror"):
        Options(aim="eror")
