"""Learning for a measure, or thresholds for it: the comparison on held-out folds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from postil import training_choice
from postil.assessment import assess
from postil.categorizer import TextCategorizer
from postil.corpus.document import Document
from postil.decide import RULES, Folds, OutOfFoldScores, fit_rule
from postil.errors import UsageError
from postil.learn.merit import naming
from postil.learn.merit.naming import figure_named
from postil.learn.merit.own import OwnFigure
from postil.recipes.recipe import Recipe, load_recipe
from postil.training import train
from postil.training_choice import Standing, held_out_counts, rival_recipe

GOOD = {"loss": "logistic", "solver": "dual-coordinate", "lam": 1e-3}


def documents():
    words = {"a": "apple pear plum fig nut", "b": "iron tin lead zinc nut"}
    rng = np.random.default_rng(0)
    for number in range(40):
        label = "ab"[number % 2]
        picked = rng.choice(words[label].split(), 2)
        yield Document(str(number), {"text": " ".join([*picked, "common"])}, (label,), "train")


@pytest.fixture
def stand_in(monkeypatch):
    """Another learner in the place of the one that trains for figures."""

    def put(table):
        def rival(recipe, figure):
            assert figure.name
            return replace(recipe, learn=table, search=None)

        monkeypatch.setattr(training_choice, "rival_recipe", rival)

    return put


def trained(learn, measure="f1", **tables):
    recipe = Recipe.from_dict({"name": "trial", "learn": learn, **tables}).aimed_at(measure)
    return train(documents(), replace(recipe, decide=replace(recipe.decide, folds=4)))


class TestChoice:
    def test_the_better_is_taken_and_both_are_told(self, stand_in, monkeypatch):
        stand_in(GOOD)
        # Errors are negative inside, and told as shares.
        monkeypatch.setattr(
            training_choice,
            "standing",
            lambda run, _: Standing(-0.125 if run.recipe.learn == GOOD else -0.25),
        )
        model = trained({**GOOD, "lam": 1.0}, "error")
        aim = model.method["aim"]
        assert aim["compared"]["less_is_better"]
        assert aim["compared"]["thresholds"] == {"value": 0.25}
        assert aim["compared"]["training"] == {"value": 0.125}
        assert aim["taken"] == "training"
        assert model.recipe["learn"] == GOOD
        assert aim["measure"] == "error"
        assert aim["compared"]["folds"] == 4

    def test_a_worse_one_is_not(self, stand_in):
        stand_in({"learner": "naive-bayes", "smoothing": 1e6})
        model = trained(GOOD)
        assert model.method["aim"]["taken"] == "thresholds"
        alone = train(documents(), replace(load_plain(), aim=None))
        np.testing.assert_array_equal(model.weights.toarray(), alone.weights.toarray())

    def test_equal_ones_keep_the_own(self, stand_in):
        stand_in(dict(GOOD))
        model = trained(GOOD)
        values = model.method["aim"]["compared"]
        assert values["thresholds"] == values["training"]
        assert model.method["aim"]["taken"] == "thresholds"

    def test_what_is_taken_is_the_recipe_of_the_model(self, stand_in, monkeypatch):
        stand_in({**GOOD, "lam": 1e-2})
        monkeypatch.setattr(Standing, "beats", lambda *_: True)
        model = trained({}, search={"grid": [0.1, 0.01], "folds": 3})
        assert model.method["aim"]["taken"] == "training"
        assert model.recipe["learn"] == {**GOOD, "lam": 1e-2}
        assert model.recipe["aim"] == {"measure": "f1", "compare": True}
        assert "search" not in model.method  # it was of the other learner
        assert {report["lam"] for report in model.reports} == {1e-2}

    def test_a_floor_says_where_it_holds(self, stand_in):
        stand_in(dict(GOOD))
        compared = trained(GOOD, "recall>=0.9").method["aim"]["compared"]
        for way in ("thresholds", "training"):
            assert compared[way].keys() == {"value", "holds", "reached", "categories"}
            assert compared[way]["categories"] == 2

    def test_without_comparing_there_is_one_way(self):
        recipe = Recipe.from_dict({"name": "trial", "learn": GOOD}).aimed_at("f1", compare=False)
        model = train(documents(), recipe)
        assert model.method["aim"] == {"measure": "f1", "rule": "f1", "taken": "thresholds"}

    def test_without_an_aim_there_is_nothing_to_tell(self):
        model = train(documents(), Recipe.from_dict({"name": "trial", "learn": GOOD}))
        assert "aim" not in model.method
        assert "aim" not in model.recipe

    def test_folds_are_learned_once(self, stand_in):
        stand_in({**GOOD, "lam": 1e-2})
        steps = []
        recipe = Recipe.from_dict({"name": "trial", "learn": GOOD}).aimed_at("f1")
        train(documents(), recipe, watch=lambda step, *_: steps.append(step))
        own = {step for step in steps if step.startswith("fold")}
        assert len([step for step in own if "for f1" in step]) == 5
        assert len([step for step in own if "for f1" not in step]) == 5
        # The fits of the comparison are those that thresholds are tuned on in the end.
        after = steps[max(i for i, step in enumerate(steps) if step == "learning") :]
        assert not [step for step in after if step.startswith("fold")]


def load_plain():
    recipe = Recipe.from_dict({"name": "trial", "learn": GOOD}).aimed_at("f1")
    return replace(recipe, decide=replace(recipe.decide, folds=4))


class TestStanding:
    def test_more_is_better_and_equal_is_not(self):
        assert Standing(0.5).beats(Standing(0.4))
        assert not Standing(0.5).beats(Standing(0.5))

    def test_a_floor_has_to_hold_as_well(self):
        own = Standing(0.4, True, 5, 6)
        assert Standing(0.5, True, 5, 6).beats(own)
        assert not Standing(0.5, True, 4, 6).beats(own)
        assert not Standing(0.5, False, 6, 6).beats(own)
        assert Standing(0.5, False, 5, 6).beats(replace(own, holds=False))


class TestHeldOutCounts:
    def test_thresholds_are_tuned_on_the_other_folds(self):
        rng = np.random.default_rng(3)
        truth = rng.random((60, 3)) < 0.4
        scores = truth + rng.normal(0, 0.7, truth.shape)
        folds = Folds(np.arange(60) % 4)
        counts = held_out_counts(
            OutOfFoldScores(scores, folds), sp.csr_matrix(truth), "f1 fbr.1(0)"
        )
        accepted = np.zeros_like(truth)
        for fold in range(4):
            held = folds.part == fold
            rest = OutOfFoldScores(scores[~held], Folds(np.arange((~held).sum()) % 2))
            rule = fit_rule("f1 fbr.1(0)", rest, sp.csr_matrix(truth[~held]))
            accepted[held] = rule.accept(scores[held])
        assert counts.true_positives.tolist() == (accepted & truth).sum(axis=0).tolist()
        assert counts.false_positives.tolist() == (accepted & ~truth).sum(axis=0).tolist()
        assert counts.members.tolist() == truth.sum(axis=0).tolist()
        assert (counts.members + counts.others == 60).all()

    def test_scores_that_say_nothing_are_not_dressed_up(self):
        """Tuned on what they are measured on, thresholds make something of noise."""
        rng = np.random.default_rng(5)
        truth = rng.random((200, 20)) < 0.1
        scores = rng.normal(size=truth.shape)
        held = OutOfFoldScores(scores, Folds(np.arange(200) % 5))
        members = sp.csr_matrix(truth)
        spec = "cost(1) fbr.1(0)"
        counts = held_out_counts(held, members, spec)
        honest = (counts.true_positives - counts.false_positives).sum()
        accepted = fit_rule(spec, held, members).accept(scores)
        hopeful = int((accepted & truth).sum()) - int((accepted & ~truth).sum())
        assert honest < hopeful


class TestRival:
    def test_it_keeps_the_vectors_and_the_thresholds(self):
        recipe = load_recipe("default").aimed_at("f2")
        rival = rival_recipe(recipe, figure_named("f2"))
        assert rival.learn["learner"] == "mfom"
        assert rival.learn["figure"] == "f2"
        assert rival.representation == recipe.representation
        assert rival.decide == recipe.decide
        assert rival.aim == recipe.aim
        assert rival.search is None

    # Its climbs end after some steps, at the top or not.
    @pytest.mark.filterwarnings("ignore::postil.learn.report.NotConvergedWarning")
    @pytest.mark.parametrize("measure", ["f1", "micro-f1", "recall>=0.9", "cost(fp=1, fn=5)"])
    def test_it_learns_for_any_measure(self, measure, monkeypatch):
        monkeypatch.setattr(Standing, "beats", lambda *_: True)
        model = trained(GOOD, measure)
        assert model.method["aim"]["taken"] == "training"
        assert model.recipe["learn"]["figure"] == measure
        assert model.recipe["decide"]["calibration"] == "platt"
        again = Recipe.from_dict(model.recipe)
        assert again.aimed_at("f2").learn["figure"] == "f2"
        assert not again.aimed_at("f2").aim.compare  # it learns for it anyway

    def test_probabilities_are_fitted_where_scores_are_no_log_odds(self):
        recipe = Recipe.from_dict({"name": "trial", "learn": GOOD}).aimed_at("f1")
        assert recipe.decide.calibration is None  # that of the learner
        assert rival_recipe(recipe, figure_named("f1")).decide.calibration == "platt"


class TestCategorizer:
    TEXTS = tuple(document.fields["text"] for document in documents())
    LABELS = tuple(document.labels for document in documents())

    def test_an_aim_by_name(self, stand_in):
        stand_in({**GOOD, "lam": 1e-2})
        learned = TextCategorizer({"name": "trial", "learn": GOOD}, aim="cost(fp=1, fn=5)").fit(
            self.TEXTS, self.LABELS
        )
        assert learned.recipe.aim.measure == "cost(fp=1, fn=5)"
        assert learned.model.decision.spec == "cost(0.2) fbr.1(0)"
        report = assess(learned.model, documents())
        assert report.aimed.measure == "cost(fp=1, fn=5)"

    def test_a_users_own_measure(self, stand_in, tmp_path, monkeypatch):
        stand_in({**GOOD, "lam": 1e-2})

        def jaccard(tp, fp, fn, tn):
            return tp / (tp + fp + fn)

        try:
            own = OwnFigure(jaccard, "choice-jaccard")
            learned = TextCategorizer({"name": "trial", "learn": GOOD}, aim=own)
            learned.fit(self.TEXTS, self.LABELS)
            assert learned.model.decision.spec == "choice-jaccard"
            assert 0 < assess(learned.model, documents()).aimed.micro <= 1
            learned.save(tmp_path / "own.postil")
            again = TextCategorizer.load(tmp_path / "own.postil")
            assert again.predict(self.TEXTS) == learned.predict(self.TEXTS)
            monkeypatch.delitem(naming._OWN, "choice-jaccard")
            report = assess(learned.model, documents())
            assert report.aimed is None
            assert "it aimed at choice-jaccard, a measure of its maker's own" in report.to_text()
            with pytest.raises(UsageError, match="made known first"):
                TextCategorizer.load(tmp_path / "own.postil")
        finally:
            RULES.pop("choice-jaccard", None)
