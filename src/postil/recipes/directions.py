"""What a recipe cannot ask for where it learns in the directions of LSI, and not of terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from postil.errors import UsageError
from postil.learn.learners import POSTERIOR, VARIANCE_RULE, Learner, NaiveBayesLearner
from postil.learn.variance_rules import EQUAL
from postil.recipes.parts import Search, TermSelection


def refuse_without_terms(
    learn: Mapping[str, Any], selection: TermSelection, search: Search | None, learner: Learner
) -> None:
    """Refuse what speaks of single terms: a direction is a sum over all of them."""
    refused = {
        "a direction is of all terms, and [selection] keeps some; leave one of the two out": (
            selection.measure is not None
        ),
        "Naive Bayes counts terms, and coordinates are no counts; leave lsi out, or take another "
        "learner": isinstance(learner, NaiveBayesLearner),
        f"[learn] {VARIANCE_RULE} goes by how many documents hold a term, and every document is "
        f"somewhere in every direction; leave one of the two out": (
            learn.get(VARIANCE_RULE, EQUAL) != EQUAL
        ),
        f"[learn] {POSTERIOR} gives variances of weights, and those of directions make none of "
        f"terms; leave one of the two out": bool(learn.get(POSTERIOR)),
        "[search] most_terms counts terms, and a weight of a direction is one of every term; leave "
        "one of the two out": search is not None and search.most_terms is not None,
    }
    for message, applies in refused.items():
        if applies:
            raise UsageError(message)
