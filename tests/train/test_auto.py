"""The search for a recipe: what it tries, what it takes, and what ends it."""

from dataclasses import replace

import numpy as np
import pytest

from postil.corpus.document import Document
from postil.corpus.opening import open_corpus
from postil.decide import OutOfFoldScores, fit_rule
from postil.decide.folds import make_folds
from postil.learn.job import Labels
from postil.recipes.parts import Auto
from postil.recipes.recipe import load_recipe
from postil.train import auto, trial_round
from postil.train.auto import AutoSearch, choose_recipe
from postil.train.candidates import (
    Candidate,
    Trial,
    promoted,
    short_fields,
    simplest_of_best,
    with_characters,
)
from postil.train.search_cache import SearchCache
from postil.train.train import train
from postil.train.trial_round import MACRO_F1, MICRO_F1, NAIVE_BAYES, Round

WORDS, PAIRS = Candidate("words", "words"), Candidate("pairs", "words ngrams(1,2)")


@pytest.fixture(scope="module")
def documents():
    return [document for document in open_corpus("demo") if document.split != "test"]


@pytest.fixture(autouse=True)
def no_deadline(monkeypatch):
    """Let a search take as long as it needs on a busy machine."""
    monkeypatch.setattr(auto, "OVERRUN", 1000.0)


def recipe(budget=4.0):
    return replace(load_recipe("auto"), auto=Auto(budget))


def single(documents):
    return [replace(each, labels=each.labels[:1]) for each in documents if each.labels]


def trial(candidate, value, non_zeros, influences=(0.1, -0.1)):
    return Trial(candidate, "", {}, None, value, np.array(influences), 10, non_zeros, 2)


class TestChoice:
    def test_the_cheapest_within_one_standard_error_is_taken(self):
        near = trial(WORDS, 0.79, 50.0, (0.1, -0.1))
        best = trial(PAIRS, 0.80, 90.0, (0.3, -0.3))
        assert simplest_of_best([best, near]) is near
        far = trial(WORDS, 0.5, 50.0, (0.1, -0.1))
        assert simplest_of_best([best, far]) is best

    def test_errors_are_of_differences_on_the_same_documents(self):
        # Both err on the same documents, so that a small difference is sure.
        worse, best = trial(WORDS, 0.79, 50.0, (0.5, -0.5)), trial(PAIRS, 0.8, 90.0, (0.5, -0.5))
        assert simplest_of_best([best, worse]) is best

    def test_a_title_apart_goes_to_all_if_it_helps_words(self):
        titled = replace(WORDS, title="subject")
        tried = [trial(WORDS, 0.7, 50), trial(PAIRS, 0.8, 90), trial(titled, 0.75, 60)]
        assert promoted(tried, 2, None) == [replace(PAIRS, title="subject"), titled]
        tried[0] = trial(WORDS, 0.76, 50)
        assert promoted(tried, 2, None) == [PAIRS, WORDS]

    def test_the_first_and_the_shortest_of_short_fields_are_counted_apart(self):
        lengths = {"headers": 20, "subject": 5, "date": 8, "rare": 0, "body": 90}
        mails = [Document("1", {name: "a" * length for name, length in lengths.items()})]
        assert short_fields(mails) == ["headers", "subject"]
        long = [Document("1", {"title": "a" * 10, "body": "b" * 90})]
        assert short_fields(long) == ["title"]
        assert short_fields([Document("1", {"title": "a" * 50, "body": "b" * 50})]) == []
        assert short_fields([Document("1", {"text": "a"})]) == []


@pytest.mark.parametrize("labels", [list, single])
def test_the_same_documents_give_the_same_choice(documents, labels):
    found = [choose_recipe(labels(documents), recipe(), threads=threads) for threads in (1, 2)]
    assert found[0].facts == found[1].facts
    assert found[0].recipe == found[1].recipe
    facts = found[0].facts
    assert facts["measure"] == ("accuracy" if labels is single else "micro-f1")
    assert sum(row["chosen"] for row in facts["leaderboard"]) == 1
    learners = " ".join(row["name"] for row in facts["leaderboard"])
    assert "logistic loss" in learners
    assert "Naive Bayes" in learners
    assert ("lasso" in learners) == (labels is list)


def test_characters_with_stems_are_tried_where_characters_are_best():
    # A class is known by the ends of its words, and few words occur twice. The documents are few
    # enough for the first round, so that the second has new candidates alone.
    rng = np.random.default_rng(3)
    beginnings = ["".join(rng.choice(list("bcdfghklmnprst"), 6)) for _ in range(600)]
    classes = {"art": "osk", "law": "umf", "sea": "ilq"}
    documents = [
        Document(f"{name}-{number}", {"text": " ".join(word + end for word in words)}, (name,))
        for name, end in classes.items()
        for number in range(40)
        for words in [rng.choice(beginnings, 4)]
    ]
    facts = choose_recipe(documents, recipe(30.0)).facts
    rows = [(row["name"], row["C"]) for row in facts["leaderboard"]]
    assert (with_characters("porter").name, 1.0) in rows
    assert len(set(rows)) == len(rows)


def test_influences_are_the_slopes_of_the_measure():
    # Weighing a document a little more moves the measure by its influence over their number.
    rng = np.random.default_rng(5)
    count, kinds = 40, 4
    members = rng.random((count, kinds)) < 0.4
    labels = Labels.of([[str(c) for c in np.flatnonzero(row)] for row in members])
    scores = members + rng.normal(size=members.shape)
    for name, rule in ((MICRO_F1, "probability"), (MACRO_F1, "f1")):
        tried = Round(recipe(), (), labels, False, name, 1, 0, SearchCache())
        tried._folds = make_folds(labels.members, 3, 0)
        value, influences = tried.measured(scores)
        given = fit_rule(rule, OutOfFoldScores(scores, tried.folds), labels.members).accept(scores)

        def measure(weights, given=given, macro=name == MACRO_F1):
            right = weights @ (given & members)
            total = weights @ (given.astype(float) + members)
            return (2 * right / total).mean() if macro else 2 * right.sum() / total.sum()

        assert measure(np.ones(count)) == pytest.approx(value)
        step = 1e-6
        slopes = [
            (measure(np.ones(count) + step * (np.arange(count) == row)) - value) / step
            for row in range(count)
        ]
        np.testing.assert_allclose(influences / count, slopes, atol=1e-4)


def test_few_documents_get_the_recipe_itself(documents):
    choice = choose_recipe(documents[:20], recipe())
    assert choice.facts == {}
    assert choice.recipe == replace(recipe(), auto=None)


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (
            ("Das Schiff ist nicht mehr in dem Hafen", "Die Schafe sind auf der Weide bei uns"),
            ["words", "German stems", "words and German stems"],
        ),
        (
            ("渡轮今天早上离开了码头", "绵羊今天早上离开了牧场"),
            ["words", "words and pairs of words", "characters in words"],
        ),
    ],
)
def test_stems_are_those_of_the_language(texts, names):
    tried = []

    def progress(step, done, total):
        tried.append(step.removeprefix("trying ").partition(";")[0])
        if len(tried) == 4:
            raise KeyboardInterrupt

    documents = [
        Document(str(n), {"text": f"{texts[n % 2]} {n}"}, (str(n % 2),)) for n in range(60)
    ]
    choose_recipe(documents, recipe(), progress=progress)
    assert tried[:3] == names


def test_an_interrupted_search_takes_the_best_so_far(documents):
    calls = []

    def progress(step, done, total):
        calls.append(step)
        if len(calls) == 3:
            raise KeyboardInterrupt

    notes = []
    choice = choose_recipe(documents, recipe(), progress=progress, notify=notes.append)
    tried = choice.facts["leaderboard"]
    assert [row["name"] for row in tried if row["chosen"]]
    assert len(tried) == 2
    assert "the search ended early: it was interrupted" in notes[0]


def test_an_interrupt_that_nobody_would_see_is_raised(documents, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(trial_round, "method_from", interrupt)
    with pytest.raises(KeyboardInterrupt):
        choose_recipe(documents, recipe())


def test_a_killed_search_goes_on_where_it_was(documents, tmp_path, monkeypatch):
    folder = tmp_path / "model.search"
    first = choose_recipe(documents, recipe(), cache=SearchCache(folder))
    kept = sorted(folder.iterdir())
    # The flags of the file in the archive ask for a feature that zipfile does not have.
    content = bytearray(kept[0].read_bytes())
    content[content.rindex(b"PK\x01\x02") + 8] |= 0x20
    kept[0].write_bytes(content)
    with pytest.raises(NotImplementedError), np.load(kept[0]) as stored:
        dict(stored)
    fits = []
    learn = trial_round.method_from
    monkeypatch.setattr(
        trial_round, "method_from", lambda table: fits.append(table) or learn(table)
    )
    again = choose_recipe(documents, recipe(), cache=SearchCache(folder))
    assert len(fits) == 1  # of the damaged file
    assert again.facts == first.facts
    choose_recipe(documents[1:], recipe(), cache=SearchCache(folder))
    assert len(fits) > len(kept) / 2  # other documents: nothing is taken over


def test_a_model_keeps_a_strength_for_each_category_and_all_learners(documents, monkeypatch):
    # The shares of Naive Bayes are in the model as they were in the search.
    taken = []

    def all_learners(trials):
        taken.extend(each for each in trials if each.learner.endswith("+ Naive Bayes"))
        return taken[0]

    monkeypatch.setattr(auto, "simplest_of_best", all_learners)
    model = train(documents, recipe(), notify=lambda _: None)
    assert model.recipe["learn"] == taken[0].learn
    assert model.recipe["learn"]["second"] == NAIVE_BAYES
    if taken[0].strengths is not None:
        names = AutoSearch(documents, recipe(), 1, 0, None, SearchCache()).labels.names
        expected = dict(zip(names, taken[0].strengths, strict=True))
        count = len(documents)
        found = {each["category"]: 1 / (2 * each["lam"] * count) for each in model.reports}
        assert found == pytest.approx(expected)
