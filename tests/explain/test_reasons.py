"""The threshold of a category, against the decision rule itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.categorizer import TextCategorizer
from postil.corpus.opening import open_corpus
from postil.decide.decision import DecisionRule, Thresholds
from postil.errors import UsageError
from postil.recipes.recipe import Recipe, load_recipe
from postil.train.reasons import Reasons, cut_of

# Whole numbers, so that differences are exact.
SCORE = st.integers(-4, 4).map(float)
THRESHOLD = st.one_of(SCORE, st.sampled_from([-np.inf, np.inf]))


@st.composite
def decisions(draw):
    width = draw(st.integers(1, 6))
    thresholds = draw(st.lists(THRESHOLD, min_size=width, max_size=width))
    least = draw(st.integers(0, width + 1))
    most = draw(st.one_of(st.none(), st.integers(max(1, least), width + 2)))
    states = np.zeros(width, np.uint8)
    rule = DecisionRule("any", Thresholds(np.array(thresholds)), states, least, most)
    scores = np.array(draw(st.lists(SCORE, min_size=width, max_size=width)))
    return rule, scores, draw(st.integers(0, width - 1)), draw(SCORE)


@given(decisions())
def test_a_cut_tells_what_the_rule_does_at_every_score_of_the_category(drawn):
    rule, scores, column, another = drawn
    names = [f"c{number}" for number in range(len(scores))]
    cut = cut_of(rule, scores, column, names)
    for score in (float(scores[column]), another):
        changed = scores.copy()
        changed[column] = score
        margin = score if cut.rival is None else score - scores[cut.rival]
        if margin == cut.threshold:
            continue  # of equals the lower column is given
        given_it = bool(rule.accept(changed[np.newaxis])[0, column])
        assert given_it == (margin >= cut.threshold)


def recipe_with(rule: str) -> Recipe:
    told = load_recipe("default").to_dict()
    decide = {"rule": rule, "folds": 3}
    return Recipe.from_dict(told | {"decide": decide}, "a test")


@pytest.mark.parametrize(
    "rule", ["f1", "best", "rank(3)", "default at-least(2)", "default(-0.7) at-most(2)"]
)
def test_explanations_say_what_the_model_says(rule):
    categorizer = TextCategorizer(recipe_with(rule))
    categorizer.fit_documents(open_corpus("demo"))
    reasons = Reasons(categorizer.predictor, sets=1, additions=1)
    every = range(len(categorizer.categories))
    for document in list(open_corpus("demo").only("test"))[:8]:
        told = reasons.explain(document.fields, document.id, every)
        accepted = {r.category for r in told.reasons if r.accepted}
        assert accepted == set(told.given)
        texts = ["\n".join(document.fields.values())]
        assert told.given == categorizer.predict(texts)[0]


def test_without_columns_the_given_and_the_nearest_other():
    categorizer = TextCategorizer(recipe_with("rank(2)"))
    categorizer.fit_documents(open_corpus("demo"))
    document = next(iter(open_corpus("demo")))
    told = Reasons(categorizer.predictor).explain(document.fields, document.id)
    names = [reason.category for reason in told.reasons]
    scores = categorizer.decision_function(["\n".join(document.fields.values())])[0]
    best = [categorizer.categories[c] for c in np.argsort(-scores)[:3]]
    assert names == best
    assert [r.accepted for r in told.reasons] == [True, True, False]
    assert [r.rather_than for r in told.reasons] == [best[2], best[2], best[1]]
    first = told.reasons[0]
    assert "its best 2 categories" in first.note
    places = [list(categorizer.categories).index(name) for name in (best[0], best[2])]
    assert first.margin == pytest.approx(scores[places[0]] - scores[places[1]], abs=1e-5)


def test_shares_of_a_batch_have_nothing_to_explain():
    categorizer = TextCategorizer(recipe_with("proportional"))
    categorizer.fit_documents(open_corpus("demo"))
    with pytest.raises(UsageError, match=r"'proportional', which gives categories to shares"):
        Reasons(categorizer.predictor)


def test_a_category_every_document_gets():
    texts = ["red apple", "green apple", "red pear", "green pear"] * 3
    labels = [["fruit", "apple"], ["fruit", "apple"], ["fruit"], ["fruit"]] * 3
    categorizer = TextCategorizer(recipe_with("f1")).fit(texts, labels)
    told = Reasons(categorizer.predictor).explain({"text": "pear"}, columns=[1])
    (reason,) = told.reasons
    assert reason.category == "fruit"
    assert reason.accepted
    assert reason.threshold == -np.inf
    assert "every training document has it" in reason.note
