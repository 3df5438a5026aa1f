"""Training and measuring with weights, groups, and labels that are unknown or uncertain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from postil.corpus.opening import open_corpus
from postil.recipes.recipe import load_recipe
from postil.train.assess import assessment
from postil.train.train import train


@pytest.fixture(scope="module")
def demo():
    return list(open_corpus("demo"))


def judged_for_one(documents):
    """Training documents of which one category was looked at; their other labels are not there."""
    names = sorted({label for document in documents for label in document.labels})
    for number, document in enumerate(documents):
        if document.split == "test" or number % 4 == 0:
            yield document
            continue
        looked_at = names[number % len(names)]
        own = (looked_at,) if looked_at in document.labels else ()
        others = () if own else (looked_at,)
        yield replace(document, labels=own, not_labels=others)


@pytest.mark.parametrize("recipe", ["default", "ridge-logistic-chi-square-50"])
def test_unknown_is_better_than_no(recipe, demo):
    given = list(judged_for_one(demo))
    as_no = [replace(document, not_labels=None) for document in given]
    notes = []
    found = [
        assessment(train(documents, load_recipe(recipe), notify=notes.append), demo).report
        for documents in (given, as_no)
    ]
    unknown, taken_for_no = (report.micro["f1"] for report in found)
    assert unknown > taken_for_no + 0.03
    assert any("judged for some categories only" in note for note in notes)


def test_uncertain_labels_train_and_their_documents_stay_whole(demo):
    names = sorted({label for document in demo for label in document.labels})
    given = [
        replace(d, probabilities={d.labels[0]: 0.9, names[at % len(names)]: 0.1} if at % 3 else {})
        if d.labels and d.split != "test" and names[at % len(names)] not in d.labels
        else d
        for at, d in enumerate(demo)
    ]
    model = train(given, load_recipe("default"))
    assert model.training.documents == sum(document.split != "test" for document in demo)
    plain = assessment(train(demo, load_recipe("default")), demo).report
    assert assessment(model, demo).report.micro["f1"] == pytest.approx(plain.micro["f1"], abs=0.05)


def test_groups_are_in_one_fold(demo):
    given = [replace(d, group=f"thread {at % 60}" if at % 2 else None) for at, d in enumerate(demo)]
    runs = []
    train(given, load_recipe("auto"), finished=runs.append)
    part = runs[0].out_of_fold().folds.part
    groups = [document.group for document in given if document.split != "test"]
    folds = {}
    for group, fold in zip(groups, part.tolist(), strict=True):
        folds.setdefault(group, set()).add(fold)
    del folds[None]
    assert all(len(found) == 1 for found in folds.values())
    assert len(folds) > 20


def test_measures_count_what_is_known_and_weigh_on_request(demo):
    model = train(demo, load_recipe("default"))
    tests = [document for document in demo if document.split == "test"]
    whole = assessment(model, tests)
    given = [replace(d, not_labels=(), weight=at % 3) for at, d in enumerate(tests)]
    found = assessment(model, given, weighted=True)
    report, weights = found.report, np.array([document.weight for document in given])
    truth, decided = whole.truth.toarray(), whole.decisions.toarray()
    right = weights @ (truth & decided)
    assert report.counts.true_positives.tolist() == right.tolist()
    assert report.counts.false_positives.sum() == 0  # nobody said no
    assert report.counts.false_negatives.tolist() == (weights @ (truth & ~decided)).tolist()
    assert report.counts.true_negatives.sum() == 0
    assert report.ranking is None
    assert report.to_dict()["measured"]["weighted"] is True
    unweighted = assessment(model, given).report
    assert unweighted.counts.cases.tolist() == truth.sum(axis=0).tolist()
    assert unweighted.pooled_calibration.cases.sum() == truth.sum()
    assert unweighted.ranking.average_precisions[unweighted.counts.members > 0].min() == 1.0


def test_a_model_knows_the_documents_it_learned_from(demo):
    given = [replace(document, split=None, weight=2.0) for document in demo]
    model = train(given, load_recipe("default"))
    assert assessment(model, given).learned_from
    assert not assessment(model, [replace(d, weight=1.0) for d in given]).learned_from
