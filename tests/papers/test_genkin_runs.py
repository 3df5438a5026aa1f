"""A run of genkin-lewis-madigan-2004: what is counted of it, and that it is done once."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest
from tests.papers.genkin_samples import small_recipe

from postil.corpus.document import Document
from postil.corpus.opening import open_corpus
from postil.errors import InputError, UsageError
from postil.recipes.recipe import load_recipe
from postil.train.assess import assessment
from postil.train.train import train
from postil_papers.cache import ResultCache, sharing
from postil_papers.genkin_lewis_madigan_2004 import runs
from postil_papers.genkin_lewis_madigan_2004.collections import (
    COLLECTIONS,
    MODAPTE,
    RCV1,
    Collection,
    corpus_of,
)
from postil_papers.genkin_lewis_madigan_2004.facts import RunFacts
from postil_papers.genkin_lewis_madigan_2004.methods import with_variance

DEMO = Collection("Demo", "demo", "shared", 14)


@pytest.fixture(scope="module")
def corpus():
    return open_corpus("demo")


@pytest.fixture(scope="module")
def model(corpus):
    return train(corpus, runs.tuned(with_variance(small_recipe("lasso-logistic"), 10.0)))


@pytest.fixture(scope="module")
def tested(corpus, model):
    return assessment(model, corpus.only("test"), categories="shared")


@pytest.fixture(scope="module")
def facts(model, tested):
    return runs.run_facts(model, tested, None)


def test_both_thresholds_come_of_one_model(corpus, facts):
    """What the recipe decides when it is trained with either rule."""
    recipe = with_variance(small_recipe("lasso-logistic"), 10.0)
    for threshold, rule in {"default": "default", "tuned": runs.TUNED}.items():
        wanted = replace(recipe, decide=replace(recipe.decide, rule=rule))
        report = assessment(train(corpus, wanted), corpus.only("test"), categories="shared").report
        assert facts.categories == list(report.categories)
        assert facts.errors(threshold).tolist() == report.counts.errors.tolist()
        f1 = np.nan_to_num(report.values["f1"], nan=1.0)
        assert facts.macro_f1(threshold) == pytest.approx(100 * f1.mean())
    assert facts.errors("default").tolist() != facts.errors("tuned").tolist()


def test_features_are_weights_that_are_not_zero(model, facts):
    weights = model.weights.toarray()
    for category, features, parameters, positives in zip(
        facts.categories, facts.features, facts.parameters, facts.positives, strict=True
    ):
        place = model.names.index(category)
        assert features == np.count_nonzero(weights[place])
        assert parameters == features + (model.intercepts[place] != 0)
        assert positives == model.training.members[place]
    assert 0 < sum(facts.features) < weights.size


def test_categories_without_any_document_are_predicted_for_none(model, tested, facts):
    found = runs.run_facts(model, tested, len(facts.categories) + 2)
    assert found.categories == [*facts.categories, "absent 1", "absent 2"]
    assert found.errors("tuned").tolist() == [*facts.errors("tuned").tolist(), 0, 0]
    known = facts.macro_f1("tuned") * len(facts.categories)
    assert found.macro_f1("tuned") == pytest.approx((known + 200) / (len(facts.categories) + 2))
    assert found.features[-2:] == found.parameters[-2:] == found.positives[-2:] == [0, 0]


def test_a_category_that_training_lacks_was_not_learned(model, corpus):
    stranger = Document("new", {"title": "a", "body": "b"}, ("never seen",), "test")
    tested = assessment(model, [*corpus.only("test"), stranger], categories="all")
    found = runs.run_facts(model, tested, None)
    place = found.categories.index("never seen")
    assert (found.features[place], found.parameters[place], found.positives[place]) == (0, 0, 0)
    assert [found.errors(each)[place] for each in ("default", "tuned")] == [1, 1]


def test_f1_is_one_where_nothing_is_there_and_nothing_was_found():
    nothing = {"true_positives": [0, 1], "false_positives": [0, 1], "false_negatives": [0, 0]}
    found = RunFacts(["a", "b"], [0, 1], [0, 1], [0, 1], 3, {"tuned": nothing})
    assert found.macro_f1("tuned") == pytest.approx(100 * (1 + 2 / 3) / 2)


def test_more_categories_than_the_list_are_refused(corpus):
    runs.refuse_more(corpus, 12, "demo")
    with pytest.raises(InputError, match="demo has 12 categories here, and the paper's list 3"):
        runs.refuse_more(corpus, 3, "demo")


def test_a_run_is_done_once_and_kept(tmp_path, monkeypatch):
    settings = runs.settings_for(DEMO, {"a": with_variance(small_recipe("lasso-logistic"), 10.0)})
    done = []
    monkeypatch.setattr(runs, "train", lambda *a, **b: done.append(1) or train(*a, **b))
    for _ in range(2):
        with sharing(ResultCache(tmp_path)):
            first, second = (runs.facts_of(settings, "a") for _ in range(2))
        assert asdict(first) == asdict(second)
        assert first.categories[-2:] == ["absent 1", "absent 2"]
    assert done == [1]
    other = runs.settings_for(DEMO, {"a": with_variance(small_recipe("lasso-logistic"), 1.0)})
    with sharing(ResultCache(tmp_path)):
        runs.facts_of(other, "a")
    assert done == [1, 1]


def test_stems_are_read_as_they_are():
    assert [each.name for each in COLLECTIONS] == ["ModApte", "RCV1-v2", "OHSUMED"]
    recipe = small_recipe("ridge-logistic")
    assert RCV1.read_by(recipe).representation.analyzer == "whitespace"
    assert RCV1.read_by(recipe).representation.fields == ("body",)
    assert MODAPTE.read_by(recipe).representation.fields == recipe.representation.fields


def test_folds_are_dealt_by_chance_as_printed():
    recipe = load_recipe("lasso-logistic-clg")
    assert recipe.search.cut == "stratified"
    told = runs.settings_for(MODAPTE, {"lasso": recipe, "SVM": load_recipe("svm-tfidf")})
    assert told["recipes"]["lasso"]["search"]["cut"] == "random"
    assert "search" not in told["recipes"]["SVM"]


def test_the_reader_is_told_what_the_collection_wants():
    assert MODAPTE.settings()["choices"] == {"loose_text": False}
    assert [d.id for d in corpus_of({"corpus": "demo", "choices": {}})]
    with pytest.raises(UsageError, match="demo has no option 'loose_text'"):
        list(corpus_of({"corpus": "demo", "choices": {"loose_text": False}}))
