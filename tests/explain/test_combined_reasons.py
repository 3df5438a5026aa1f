"""Reasons of models that are not linear; what would flip them is tried on the model itself."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from tests.model.combined_samples import (
    COMBINED,
    STORIES,
    best_of,
    forest_model,
    lsi_recipe,
    projected_model,
    rivals_model,
)

from postil.explain.page import render_html
from postil.explain.rule import CategoryRule
from postil.explain.terminal import render_text
from postil.explain.variants import MOST_TRIED
from postil.learn.combining import Rivals
from postil.model.category_rules import DocumentFacts, Rescorer, category_rule
from postil.model.numbered import read_numbered
from postil.train.predict import Predictor, VectorPredictor
from postil.train.reasons import Reasons, VectorReasons
from postil.train.train import train_vectors

KINDS = pytest.mark.parametrize("kind", COMBINED)
RULES = pytest.mark.parametrize("ruled", [lambda model: model, best_of], ids=["default", "best"])


def words_of(text):
    return re.findall(r"\w+", text)


def decision_of(model, text, category):
    (given,) = Predictor(model).names(Predictor(model).scores([[text]]))
    return category in given


@KINDS
@RULES
def test_explanations_say_what_the_model_says(kind, ruled):
    model = ruled(COMBINED[kind]())
    predictor = Predictor(model)
    reasons = Reasons(predictor)
    for text in STORIES:
        told = reasons.explain({"text": text}, columns=range(2))
        scores = predictor.scores([[text]])[0]
        assert {r.category for r in told.reasons if r.accepted} == set(told.given)
        for column, reason in enumerate(told.reasons):
            one = reason
            score = scores[column] - (0.0 if reason.rather_than is None else scores[1 - column])
            parts = [one.intercept, one.constant, -one.bar, *one.added.tolist()]
            assert one.margin == pytest.approx(sum(parts), abs=1e-9)
            assert one.margin == pytest.approx(score, abs=1e-5)


@KINDS
@RULES
def test_what_would_flip_a_decision_does(kind, ruled):
    model = ruled(COMBINED[kind]())
    reasons = Reasons(Predictor(model))
    flipped = 0
    for text in STORIES:
        told = reasons.explain({"text": text}, columns=range(2))
        for reason in told.reasons:
            accepted = reason.category in told.given
            assert accepted == reason.accepted
            flips = reason.flips
            for removal in flips.removals:
                left = " ".join(w for w in words_of(text) if w.lower() not in removal.terms)
                assert decision_of(model, left, reason.category) != accepted
                flipped += 1
            for addition in flips.additions:
                assert decision_of(model, f"{text} {addition.term}", reason.category) != accepted
                flipped += 1
    assert flipped > 5


@KINDS
def test_single_words_that_would_flip_are_never_missed(kind):
    model = COMBINED[kind]()
    reasons = Reasons(Predictor(model))
    for text in STORIES[:5]:
        told = reasons.explain({"text": text}, columns=range(2))
        for reason in told.reasons:
            accepted = reason.accepted
            words = {word.lower() for word in words_of(text)}
            alone = {
                word
                for word in words
                if decision_of(
                    model,
                    " ".join(w for w in words_of(text) if w.lower() != word),
                    reason.category,
                )
                != accepted
            }
            removals = reason.flips.removals
            assert bool(alone) == (bool(removals) and len(removals[0].terms) == 1)
            absent = {
                term
                for term in model.vectorizer.vocabulary.names
                if term not in words
                and decision_of(model, f"{text} {term}", reason.category) != accepted
            }
            assert reason.flips.additions_in_all == len(absent)


def test_the_quick_scores_of_variants_are_the_model_s_own():
    for make in COMBINED.values():
        model = make()
        terms = Reasons(Predictor(model))._explainer.read({"text": STORIES[4] + " unknown"})
        rng = np.random.default_rng(0)
        for rival in (None, 1):
            judge = Rescorer(model, sp.csc_matrix(model.weights), 0, rival)
            values = rng.random((6, len(terms))).astype(np.float32).astype(np.float64)
            values[0] = 0
            quick = judge.margins(values, terms.columns)
            exact = [judge.margin(row, terms.columns) for row in values]
            np.testing.assert_allclose(quick, exact, atol=1e-5)
            more = np.setdiff1d(np.arange(model.vectorizer.terms), terms.columns)
            sizes, scale = rng.random(len(more)), rng.random(len(more)) + 0.1
            quick = judge.margins_with(values[1], terms.columns, more, sizes, scale)
            exact = [
                judge.margin(np.append(values[1], size) * by, np.append(terms.columns, column))
                for column, size, by in zip(more.tolist(), sizes, scale, strict=True)
            ]
            np.testing.assert_allclose(quick, exact, atol=1e-5)


def test_a_projection_is_told():
    model = projected_model()
    told = Reasons(Predictor(model)).explain({"text": STORIES[0]})
    one = told.reasons[0]
    vector = model.vectorizer.transform_columns([[STORIES[0]]])
    assert one.factor == model.projection.factors(vector)[0]
    shares = {share.term: share for share in one.terms}
    assert shares["wool"].added == shares["wool"].weight * shares["wool"].value
    kept = one.to_dict()
    assert kept["scaling"] == [{"directions": 3, "length": 3.0, "factor": one.factor}]
    assert kept["factor"] == one.factor
    for shown in (render_text(one), render_html([one])):
        assert "in 3 directions of LSI" in re.sub(r"\s+", " ", shown)
    nowhere = Reasons(Predictor(model)).explain({"text": "zzz"}).reasons[0]
    assert nowhere.factor == 0
    assert "point in 3 directions of LSI is the origin" in render_text(nowhere)


def test_rivals_are_told():
    model = rivals_model()
    told = Reasons(Predictor(model)).explain({"text": STORIES[0]}, columns=[1])
    one = told.reasons[0]
    rows = Predictor(model).rows([[STORIES[0]]])[0]
    (bar,) = one.to_dict()["bars"]
    assert bar["height"] == one.bar == pytest.approx(rows[0])
    assert bar["score"] == pytest.approx(rows[1])
    assert bar["rivals"] == [{"category": "boats", "score": rows[0], "share": 1.0}]
    text = re.sub(r"\s+", " ", render_text(one))
    assert "sharpness 2.5" in text
    assert "it is set by boats" in text
    assert "bar " in text
    assert "set by boats" in render_html([one])


def test_the_rivals_that_set_the_bar_most_come_first():
    rivals = Rivals(4, 2.0)
    scores = np.array([1.0, -1.0, 2.0, 0.5])
    shares = rivals.shares(0, scores)
    direct = np.exp(2.0 * scores) * [0, 1, 1, 1]
    np.testing.assert_allclose(shares, direct / direct.sum())
    assert np.isfinite(Rivals(4, 1e6).shares(2, scores * 1e4)).all()


def test_the_way_through_a_tree_is_told():
    model = forest_model()
    reasons = Reasons(Predictor(model))
    lengths = set()
    for text in STORIES:
        rows = Predictor(model).rows([[text]])[0]
        for column in range(2):
            one = reasons.explain({"text": text}, columns=[column]).reasons[0]
            (path,) = one.to_dict()["paths"]
            steps = model.combination.path(column, rows)
            assert [node["score"] for node in path["nodes"]] == [step.score for step in steps]
            names = model.combination.node_names(column)
            assert [node["node"] for node in path["nodes"]] == [names[s.row] for s in steps]
            assert one.intercept == model.intercepts[steps[-1].row]
            lengths.add(len(steps))
            shown = re.sub(r"\s+", " ", render_text(one))
            for node in path["nodes"]:
                assert f"{model.names[column]}: {node['node']} " in shown
            assert shown.count("and here it ends") == 1
            assert "The way through its tree" in render_html([one])
    assert lengths >= {1, 2}


def test_flips_are_offered_or_said_not_to_be_found():
    model = projected_model()
    sure = replace(model, intercepts=model.intercepts + 100.0)
    one = Reasons(Predictor(sure)).explain({"text": STORIES[0]}).reasons[0]
    assert one.flips.removals == ()
    assert not one.flips.exhaustive
    assert "not every set was tried" in re.sub(r"\s+", " ", render_text(one))
    assert one.to_dict()["flips"]["exhaustive"] is False


def test_documents_longer_than_are_tried_whole():
    model = projected_model()
    text = " ".join([*STORIES, *(f"word{number}" for number in range(2 * MOST_TRIED))])
    told = Reasons(Predictor(model), sets=1, additions=1).explain({"text": text})
    for reason in told.reasons:
        for removal in reason.flips.removals:
            left = " ".join(w for w in words_of(text) if w.lower() not in removal.terms)
            assert decision_of(model, left, reason.category) != reason.accepted


def test_json_of_linear_models_has_nothing_of_it():
    model = replace(projected_model(), projection=None)
    kept = Reasons(Predictor(model)).explain({"text": STORIES[0]}).reasons[0].to_dict()
    assert not {"factor", "bar", "bars", "paths", "scaling"} & kept.keys()
    json.dumps(kept)


def test_vectors_are_explained_as_well(tmp_path):
    path = tmp_path / "numbers.svm"
    lines = ["1 1:1 2:2 5:1", "-1 3:1 4:2", "1 1:2 5:1", "-1 2:1 3:3 4:1", "1 4:1 5:2"]
    path.write_text("\n".join(lines) + "\n")
    documents = read_numbered(path)
    model = train_vectors(documents, lsi_recipe(lsi=2))
    assert model.projection.directions == 2
    predictor = VectorPredictor(model)
    scores = predictor.scores(predictor.vectors(documents))
    reasons = VectorReasons(predictor)
    for row in range(len(lines)):
        (reason,) = reasons.explain(documents, row, [0]).reasons
        assert reason.margin == pytest.approx(scores[row, 0], abs=1e-5)
        assert reason.accepted == (scores[row, 0] >= reason.threshold)


def test_rules_of_categories_compare_bars_too():
    model = rivals_model()
    facts = DocumentFacts.of(model, Predictor(model).rows([[STORIES[0]]]), None)
    one, other = (category_rule(model, facts, column) for column in range(2))
    both = one.over(other)
    assert isinstance(both, CategoryRule)
    assert both.bar == one.bar - other.bar
    assert [each.category for each in both.circumstances] == ["boats", "sheep"]
