"""A report holds every number its parts give, in JSON and in print."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from postil.errors import UsageError
from postil.evaluate import (
    DEFINITIONS,
    Options,
    Plan,
    Provenance,
    break_even_points,
    compare_runs,
    measure_run,
)
from postil.evaluate.measures import MEASURES
from postil.evaluate.ranking import AVERAGINGS
from postil.evaluate.text_tables import as_text, text_table

from .samples import FEW, random_run, rankings

NAMES = [f"category {number}" for number in range(20)]


def full_report(**changes):
    truth, decisions, scores, probabilities = random_run()
    arguments = {
        "categories": NAMES,
        "scores": scores,
        "probabilities": probabilities,
        "training_sizes": np.arange(20)[::-1],
        "provenance": Provenance("a corpus", "test", "a recipe", "a rule", ("one note",)),
        "options": Options(betas=(0.5,), plan=Plan(50)),
    }
    return measure_run(truth, decisions, **{**arguments, **changes})


def strict_json(value):
    return json.loads(json.dumps(value, allow_nan=False))


def test_json_holds_everything_and_nothing_that_json_cannot():
    report = strict_json(full_report().to_dict())
    truth, decisions, scores, probabilities = random_run()
    dense = truth.toarray().astype(int), decisions.toarray().astype(int)
    assert report["micro"]["f1"] == pytest.approx(metrics.f1_score(*dense, average="micro"))
    macro_f1 = metrics.f1_score(*dense, average="macro", zero_division=0)
    assert report["macro"]["f1"]["value"] == pytest.approx(macro_f1)
    assert report["macro_f1_of_means"]["value"] != pytest.approx(macro_f1, abs=0.001)
    assert set(report["ranking"]["break_even"]) == set(DEFINITIONS)
    assert set(report["ranking"]["micro_precision_recall"]) == set(AVERAGINGS)
    expected = break_even_points(truth, scores, "exact").micro
    assert report["ranking"]["break_even"]["exact"]["micro"] == pytest.approx(expected)
    brier = ((probabilities - dense[0]) ** 2).mean()
    assert report["calibration"]["pooled"]["brier"] == pytest.approx(brier)
    assert report["intervals"]["micro_f1"]["low"] < report["micro"]["f1"]
    assert report["intervals"]["exact_match"]["value"] == report["exact_match"]


def test_it_says_how_it_was_measured():
    measured = full_report().to_dict()["measured"]
    truth, decisions, *_ = random_run()
    assert measured["corpus"] == "a corpus"
    assert measured["split"] == "test"
    assert measured["notes"] == ["one note"]
    assert measured["documents"] == 300
    assert measured["documents_without_category"] == (truth.getnnz(axis=1) == 0).sum()
    assert measured["categories"] == 20
    assert measured["categories_without_members"] == (truth.getnnz(axis=0) == 0).sum()
    assert measured["memberships"] == truth.nnz
    assert measured["accepted"] == decisions.nnz
    assert measured["undefined"]["rule"] == "zero"


def test_a_row_per_category():
    report = full_report()
    rows = strict_json(report.per_category())
    truth, decisions, scores, _ = random_run()
    members, decided = truth.toarray(), decisions.toarray()
    assert [row["category"] for row in rows] == NAMES
    for column, row in enumerate(rows):
        assert row["true_positives"] == (members[:, column] & decided[:, column]).sum()
        cells = ("true_positives", "false_positives", "false_negatives", "true_negatives")
        assert sum(row[cell] for cell in cells) == 300
        assert row["training_documents"] == 19 - column
        assert {*MEASURES, "f0.5", "brier", "log_loss"} <= set(row)
    last = rows[-1]
    assert last["members"] == 0
    assert last["recall"] is last["break_even_exact"] is last["roc_area"] is None
    assert last["precision"] == 0
    area = metrics.roc_auc_score(members[:, 0], scores[:, 0])
    assert rows[0]["roc_area"] == pytest.approx(area)


def test_the_largest_categories_are_those_of_training():
    report = full_report(options=Options(top=(5, 10, 100)))
    assert [each.k for each in report.top] == [5, 10, 20]
    f1 = report.values["f1"]
    assert report.top[0].macro_f1.value == pytest.approx(f1[:5].mean())
    assert report.top[-1].macro_f1 == report.macro["f1"]
    assert report.top[-1].micro_f1 == report.micro["f1"]
    assert report.top[-1].micro_break_even == report.ranking.break_even["nearest"].micro
    assert full_report(training_sizes=None).top == ()
    without_scores = full_report(scores=None, options=Options(top=(5,)))
    assert without_scores.top[0].micro_break_even is None


def test_only_what_was_given_is_measured():
    truth, decisions, *_ = random_run()
    report = measure_run(truth, decisions)
    described = strict_json(report.to_dict())
    assert described["ranking"] is described["calibration"] is described["accuracy"] is None
    assert described["intervals"] == {}
    assert described["top"] == []
    text = report.to_text()
    assert "break-even" not in text
    assert "Brier" not in text
    assert "corpus" not in text


def test_accuracy_is_there_for_single_labels():
    truth = sp.csr_matrix(np.eye(3, dtype=bool)[[0, 1, 2, 1]])
    decisions = sp.csr_matrix(np.eye(3, dtype=bool)[[0, 1, 1, 1]])
    report = measure_run(truth, decisions)
    assert report.accuracy == 0.75
    assert "accuracy (documents)" in report.to_text(full=True)
    assert "exact match (documents)" in full_report().to_text(full=True)


def test_the_number_a_person_wants_comes_first():
    report = full_report()
    lines = report.to_text(top=4).splitlines()
    low, high = (report.intervals["micro_f1"].low, report.intervals["micro_f1"].high)
    value = f"{100 * report.micro['f1']:.1f} %"
    assert lines[0] == f"micro-F1  {value}   95% interval {100 * low:.1f} to {100 * high:.1f}"
    assert lines[1].startswith("macro-F1")
    assert lines[2] == "corpus a corpus, tested on test, method a recipe, decided by a rule"
    assert "one note" in lines
    text = "\n".join(lines)
    largest = np.argsort(-report.counts.members, kind="stable")
    named = [f"category {category}" for category in largest]
    for words in (named[0], named[3], "… and 16 more", "given wrongly", "coverage"):
        assert words in text
    for words in (f"{named[4]} ", "break-even", "Brier", "undefined"):
        assert words not in text.partition("most frequent errors")[0]
    truth = sp.csr_matrix(np.eye(3, dtype=bool)[[0, 1, 2, 1]])
    decisions = sp.csr_matrix(np.eye(3, dtype=bool)[[0, 1, 1, 1]])
    single = measure_run(truth, decisions, categories=["a", "b", "c"]).to_text().splitlines()
    # Wilson's interval of 3 of 4.
    assert single[0] == "accuracy  75.0 %   95% interval 30.1 to 95.4"
    assert single[-1].split() == ["c", "b", "1"]


def test_a_full_report_has_every_measure():
    text = full_report().to_text(top=4, full=True)
    for words in (
        "F1 (macro: mean of F1)",
        "F1 of mean precision, mean recall",
        "break-even, exact",
        "break-even, interpolated",
        "ROC area",
        "expected calibration error",
        "undefined values count as 0",
        "95% bootstrap intervals",
    ):
        assert words in text


def test_names_are_folded_to_a_width_and_never_cut():
    truth = sp.csr_matrix(np.ones((1, 2), bool))
    names = ["a name " * 40, "x" * 300]
    report = measure_run(truth, truth, categories=names)
    assert names[0].strip() in report.to_text()
    folded = report.to_text(width=60)
    assert max(map(len, folded.splitlines())) <= 60
    assert folded.count("x") == 300


def test_rare_categories_do_not_pull_their_average_down():
    truth = sp.csr_matrix(np.eye(40, dtype=bool))
    interval = measure_run(truth, truth).headline["macro_f1"]
    assert (interval.low, interval.value, interval.high) == (1, 1, 1)


def test_undefined_is_shown_as_such():
    report = full_report(training_sizes=np.arange(20))
    text = report.to_text(full=True)
    row = next(line for line in text.splitlines() if "category 19" in line)
    assert row.split()[-1] == row.split()[-2] == "–"
    assert "nan" not in text


def test_names_are_printed_as_they_are():
    truth = sp.csr_matrix(np.ones((1, 2), bool))
    text = measure_run(truth, truth, categories=["[bold]x[/bold]", "[/]"]).to_text()
    assert "[bold]x[/bold]" in text
    assert "[/]" in text


@FEW
@given(rankings(st.sampled_from([0.0, 0.3, 0.5, 1.0])), st.sampled_from(["zero", "one", "skip"]))
def test_every_run_has_a_report_in_strict_json_and_text(problem, rule):
    truth, scores = problem
    report = measure_run(
        sp.csr_matrix(truth),
        sp.csr_matrix(scores >= 0.5),
        scores=scores,
        probabilities=scores,
        training_sizes=np.arange(truth.shape[1]),
        options=Options(undefined=rule, plan=Plan(5)),
    )
    strict_json(report.to_dict())
    assert "nan" not in report.to_text()


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_nothing_to_measure_is_undefined_not_an_error(shape):
    empty = sp.csr_matrix(shape, dtype=bool)
    report = measure_run(
        empty,
        empty,
        scores=np.zeros(shape),
        probabilities=np.zeros(shape),
        training_sizes=np.zeros(shape[1]),
        options=Options(plan=Plan(3)),
    )
    described = strict_json(report.to_dict())
    assert described["micro"] == dict.fromkeys(MEASURES)
    assert described["macro"]["f1"]["value"] is None
    assert "–" in report.to_text()
    strict_json(compare_runs(empty, empty, empty, options=Options(plan=Plan(3))).to_dict())


def test_unknown_rules_are_refused_before_any_work():
    with pytest.raises(UsageError, match="allowed: zero, one, skip"):
        Options(undefined="no-such")
    with pytest.raises(UsageError, match="beta"):
        Options(betas=(-1.0,))
    with pytest.raises(UsageError, match="at least 1, got"):
        Options(top=(5, 0))


def test_two_runs_side_by_side():
    truth, left, *_ = random_run()
    right = random_run(flips=0.05)[1]
    comparison = compare_runs(
        truth, left, right, names=("a [1]", "b"), options=Options(plan=Plan(200))
    )
    described = strict_json(comparison.to_dict())
    assert {f"wilcoxon_{name}" for name in MEASURES} < set(described["tests"])
    assert {"mcnemar_documents", "mcnemar_decisions", "micro_sign"} < set(described["tests"])
    assert described["tests"]["wilcoxon_error"]["left_better"] == 20
    assert described["differences"]["micro_f1"]["low"] > 0
    assert {"wilcoxon_error", "micro_sign", "micro_f1"} < set(described["significant"])
    text = comparison.to_text()
    assert "a [1] better" in text
    assert "< 0.0001*" in text
    assert "McNemar documents" in text
    same = compare_runs(truth, left, left, options=Options(plan=Plan(20)))
    assert same.significant() == ()
    assert all(test.p_value == 1 for test in same.tests.values())
    assert not math.isnan(same.differences["macro_f1"].p_value)


def test_what_is_not_scored_has_no_ranking():
    truth = sp.csr_matrix(np.array([[1, 1], [1, 0], [1, 0], [0, 1]], dtype=bool))
    scores = np.array([[3.0, -1.0], [2.0, -1.0], [1.0, -1.0], [0.0, -1.0]])
    nothing = sp.csr_matrix((4, 2), dtype=bool)
    report = measure_run(truth, nothing, scores=scores, scored=[True, False])
    for name, points in report.ranking.break_even.items():
        assert points.values[0] == 1, name
        assert np.isnan(points.values[1]), name
        assert (points.precision, points.recall) == (1, 3 / 5)
    assert np.isnan(report.ranking.average_precisions).tolist() == [False, True]
    assert np.isnan(report.ranking.roc_areas).tolist() == [False, True]
    with pytest.raises(UsageError, match=r"scored has shape \(1,\) for 2 categories"):
        measure_run(truth, nothing, scores=scores, scored=[True])


def test_a_header_is_wrapped_and_never_cut():
    words = "category train test TP FP FN precision recall F1 break-even,nearest average,precision"
    header = [name.replace(",", ", ") for name in words.split()]
    row = [
        "money-fx",
        "2,877",
        "1,087",
        "1,066",
        "14",
        "21",
        "98.7",
        "98.1",
        "98.4",
        "98.3",
        "99.7",
    ]
    assert "break-even," in as_text([text_table("title", header, [row])], 100)
