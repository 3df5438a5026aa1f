"""Suggestions for mistyped names."""

from __future__ import annotations

import pytest

from postil.common.suggest import CALLED_ELSEWHERE, advice, near_names

PRIORS = ("elastic-net", "gaussian", "jeffreys", "laplace")


@pytest.mark.parametrize(
    ("received", "expected"),
    [
        ("lasso", ["laplace"]),
        ("l1", ["laplace"]),
        ("L1", ["laplace"]),
        ("ridge", ["gaussian"]),
        ("l2", ["gaussian"]),
        ("laplase", ["laplace"]),
        ("Gauss", ["gaussian"]),
        ("zzz", []),
    ],
)
def test_a_prior_is_found_by_likeness_or_by_its_other_name(received, expected):
    assert near_names(received, PRIORS) == expected


def test_another_name_says_nothing_where_the_thing_is_not_allowed():
    assert near_names("l1", ["none", "l2"]) == []
    assert near_names("ridge", ["bridge"]) == ["bridge"]


def test_other_names_are_of_priors_there_are():
    from postil.learn.priors import PRIORS as KNOWN

    assert set(CALLED_ELSEWHERE.values()) <= set(KNOWN)
    assert not set(CALLED_ELSEWHERE) & set(KNOWN)


def test_advice_says_what_is_allowed():
    assert advice("lasso", PRIORS) == (
        "; did you mean 'laplace'? Allowed: elastic-net, gaussian, jeffreys, laplace"
    )


@pytest.mark.parametrize("learner", ["linear", "polychotomous"])
def test_a_recipe_with_another_name_is_told_ours(learner):
    from postil.errors import UsageError
    from postil.recipes.recipe import Recipe

    learn = {"learner": learner, "prior": "lasso"}
    with pytest.raises(UsageError, match=r"got \"lasso\"; did you mean 'laplace'\?"):
        Recipe.from_dict({"name": "mine", "learn": learn}, "mine.toml")
