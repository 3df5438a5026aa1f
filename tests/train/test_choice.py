"""The choice between tuning thresholds for a measure and learning for it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from postil.categorizer import TextCategorizer
from postil.corpus.document import Document
from postil.decide import RULES, Folds, OutOfFoldScores, fit_rule
from postil.errors import UsageError
from postil.learn.merit import naming
from postil.learn.merit.naming import OwnFigure, figure_named
from postil.recipes.recipe import Recipe, load_recipe
from postil.train import choice as training_choice
from postil.train.assess import assess
from postil.train.choice import (
    OTHER_WAYS,
    TOGETHER,
    TRAINED,
    TUNED,
    Standing,
    best_way,
    held_out_counts,
    other_recipe,
)
from postil.train.train import train

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
    """One other learner in the place of those that train for figures."""

    def put(table):
        monkeypatch.setattr(training_choice, "OTHER_WAYS", {TRAINED: lambda _: table})
        monkeypatch.setattr(
            training_choice,
            "other_recipe",
            lambda recipe, learn: replace(recipe, learn=learn, search=None),
        )

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
        assert aim["compared"]["training"] == {"value": 0.125, "error_bar": 0.0}
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
        assert values["thresholds"]["value"] == values["training"]["value"]
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
        floor = {"value", "holds", "reached", "categories"}
        assert compared["thresholds"].keys() == floor
        assert compared["training"].keys() == floor | {"error_bar"}
        assert compared["thresholds"]["categories"] == 2

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
        train(documents(), recipe, progress=lambda step, *_: steps.append(step))
        own = {step for step in steps if step.startswith("fold")}
        assert len([step for step in own if "each for itself" in step]) == 5
        assert len([step for step in own if "each for itself" not in step]) == 5
        # The fits of the comparison are those that thresholds are tuned on in the end.
        after = steps[max(i for i, step in enumerate(steps) if step == "learning") :]
        assert not [step for step in after if step.startswith("fold")]


def load_plain():
    recipe = Recipe.from_dict({"name": "trial", "learn": GOOD}).aimed_at("f1")
    return replace(recipe, decide=replace(recipe.decide, folds=4))


class TestBestWay:
    OWN = Standing(0.5, (0.5, 0.5, 0.5))

    def test_the_best_of_those_that_are_better(self):
        found = {TUNED: self.OWN, TRAINED: Standing(0.6), TOGETHER: Standing(0.7)}
        found = {way: replace(each, without=(each.value,) * 3) for way, each in found.items()}
        assert best_way(found) == TOGETHER
        assert best_way({TUNED: self.OWN, TRAINED: found[TRAINED]}) == TRAINED
        assert best_way({TUNED: self.OWN}) == TUNED

    def test_what_may_be_luck_is_not_taken(self):
        """A mean that is high by one fold loses to one that is a little better in each."""
        lucky = Standing(0.7, (0.4, 0.8, 0.9))
        steady = Standing(0.55, (0.55, 0.55, 0.55))
        assert lucky.error_bar(self.OWN) > 0.2
        assert best_way({TUNED: self.OWN, TRAINED: lucky, TOGETHER: steady}) == TOGETHER


class TestSize:
    @pytest.mark.parametrize(
        ("measure", "left"), [("f1", {TOGETHER}), ("micro-f1", {TRAINED, TOGETHER})]
    )
    def test_what_trains_all_at_once_is_left_out_if_it_is_large(self, measure, left, monkeypatch):
        monkeypatch.setattr(training_choice, "MOST_BYTES", 100)
        aim = trained(GOOD, measure).method["aim"]
        assert aim["left_out"].keys() == left
        assert all("at once would take 0.0 GiB" in why for why in aim["left_out"].values())
        assert not left & aim["compared"].keys()


class TestOtherWays:
    @pytest.mark.parametrize("way", OTHER_WAYS)
    def test_it_keeps_the_vectors_and_the_thresholds(self, way):
        recipe = load_recipe("default").aimed_at("f2").for_documents(single_label=False)
        other = other_recipe(recipe, OTHER_WAYS[way](figure_named("f2")))
        assert other.learn["learner"] == "mfom"
        assert other.learn["figure"] == {TRAINED: "f2", TOGETHER: "balanced-error"}[way]
        assert other.representation == recipe.representation
        assert other.decide == recipe.decide
        assert other.aim == recipe.aim
        assert other.search is None

    # Its climbs end after some steps, at the top or not.
    @pytest.mark.filterwarnings("ignore::postil.learn.fit.NotConvergedWarning")
    @pytest.mark.parametrize("measure", ["f1", "micro-f1", "recall>=0.9", "cost(fp=1, fn=5)"])
    def test_it_learns_for_any_measure(self, measure, monkeypatch):
        monkeypatch.setattr(training_choice, "best_way", lambda _: TRAINED)
        model = trained(GOOD, measure)
        assert model.method["aim"]["taken"] == "training"
        assert model.recipe["learn"]["figure"] == measure
        assert model.recipe["decide"]["calibration"] == "platt"
        again = Recipe.from_dict(model.recipe)
        assert again.aimed_at("f2").learn["figure"] == "f2"
        assert not again.aimed_at("f2").aim.compare  # it learns for it anyway

    @pytest.mark.parametrize("measure", ["f1", "error", "recall>=0.9"])
    def test_rivals_learn_together(self, measure, monkeypatch):
        monkeypatch.setattr(training_choice, "best_way", lambda _: TOGETHER)
        model = trained(GOOD, measure)
        assert model.method["aim"]["taken"] == "together"
        assert model.recipe["learn"]["form"] == "unclaimed"
        assert model.combination is not None
        assert model.decision.spec == Recipe.from_dict(model.recipe).decide.rule

    def test_their_table_is_that_of_the_recipe(self):
        own = OTHER_WAYS[TOGETHER](figure_named("f1"))
        recipe = load_recipe("mfom-multi")
        made = replace(recipe, learn=own).method()
        assert made == recipe.method()

    def test_probabilities_are_fitted_where_scores_are_no_log_odds(self):
        recipe = Recipe.from_dict({"name": "trial", "learn": GOOD}).aimed_at("f1")
        assert recipe.decide.calibration is None  # that of the learner
        other = other_recipe(recipe, OTHER_WAYS[TRAINED](figure_named("f1")))
        assert other.decide.calibration == "platt"


class TestCategorizer:
    TEXTS = tuple(document.fields["text"] for document in documents())
    LABELS = tuple(document.labels for document in documents())

    def test_an_aim_by_name(self, stand_in):
        stand_in({**GOOD, "lam": 1e-2})
        learned = TextCategorizer({"name": "trial", "learn": GOOD}, aim="cost(fp=1, fn=5)").fit(
            self.TEXTS, self.LABELS
        )
        assert learned.recipe_.aim.measure == "cost(fp=1, fn=5)"
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
            assert (
                "the model aims at choice-jaccard, a measure that is not registered"
                in report.to_text()
            )
            unknown = TextCategorizer.load(tmp_path / "own.postil")
            assert unknown.predict(self.TEXTS) == learned.predict(self.TEXTS)
            with pytest.raises(UsageError, match="register a measure"):
                unknown.fit(self.TEXTS, self.LABELS)
        finally:
            RULES.pop("choice-jaccard", None)


class TestStanding:
    def test_more_is_better_and_equal_is_not(self):
        assert Standing(0.5).beats(Standing(0.4))
        assert not Standing(0.5).beats(Standing(0.5))

    def test_it_has_to_be_better_by_more_than_the_error_bar(self):
        own = Standing(0.4, (0.4, 0.4, 0.4, 0.4))
        other = Standing(0.45, (0.44, 0.46, 0.45, 0.45))
        assert other.error_bar(own) == pytest.approx(np.sqrt(3 / 4 * 2e-4))
        assert other.beats(own)
        assert not replace(other, value=0.412).beats(own)

    def test_the_error_bar_of_a_mean_is_its_standard_error(self):
        """The jackknife is the textbook formula if the value is the mean over folds."""
        folds = np.random.default_rng(2).normal(size=7)
        mine = Standing(folds.mean(), tuple(np.delete(folds, i).mean() for i in range(7)))
        nothing = Standing(0.0, (0.0,) * 7)
        assert mine.error_bar(nothing) == pytest.approx(folds.std(ddof=1) / np.sqrt(7))

    def test_a_floor_has_to_hold_as_well(self):
        own = Standing(0.4, (), True, 5, 6)
        assert Standing(0.5, (), True, 5, 6).beats(own)
        assert not Standing(0.5, (), True, 4, 6).beats(own)
        assert not Standing(0.5, (), False, 6, 6).beats(own)
        assert Standing(0.5, (), False, 5, 6).beats(replace(own, holds=False))


class TestHeldOutCounts:
    def test_thresholds_are_tuned_on_the_other_folds(self):
        rng = np.random.default_rng(3)
        truth = rng.random((60, 3)) < 0.4
        scores = truth + rng.normal(0, 0.7, truth.shape)
        folds = Folds(np.arange(60) % 4)
        found = held_out_counts(OutOfFoldScores(scores, folds), sp.csr_matrix(truth), "f1 fbr.1(0)")
        assert len(found) == 4
        for fold, counts in enumerate(found):
            held = folds.part == fold
            rest = OutOfFoldScores(scores[~held], Folds(np.arange((~held).sum()) % 2))
            rule = fit_rule("f1 fbr.1(0)", rest, sp.csr_matrix(truth[~held]))
            accepted, belongs = rule.accept(scores[held]), truth[held]
            assert counts.true_positives.tolist() == (accepted & belongs).sum(axis=0).tolist()
            assert counts.false_positives.tolist() == (accepted & ~belongs).sum(axis=0).tolist()
            assert counts.members.tolist() == belongs.sum(axis=0).tolist()
            assert (counts.members + counts.others == held.sum()).all()

    def test_scores_that_say_nothing_are_not_dressed_up(self):
        """Tuned on what they are measured on, thresholds make something of noise."""
        rng = np.random.default_rng(5)
        truth = rng.random((200, 20)) < 0.1
        scores = rng.normal(size=truth.shape)
        held = OutOfFoldScores(scores, Folds(np.arange(200) % 5))
        members = sp.csr_matrix(truth)
        spec = "cost(1) fbr.1(0)"
        honest = sum(
            (counts.true_positives - counts.false_positives).sum()
            for counts in held_out_counts(held, members, spec)
        )
        accepted = fit_rule(spec, held, members).accept(scores)
        hopeful = int((accepted & truth).sum()) - int((accepted & ~truth).sum())
        assert honest < hopeful
