"""Small models for the tests: random texts of few words, every weighting, random weights."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from postil.explain.explainer import Explainer
from postil.explain.rule import CategoryRule
from postil.vectors.vectorizer import Vectorizer
from postil.vectors.weighting import IDFS, NORMS, TFS, Weighting

WORDS = ["ab", "cd", "ef", "gh", "ij", "kl", "mn"]
NEW_WORDS = ["new", "newer"]

texts = st.lists(st.sampled_from(WORDS + NEW_WORDS), max_size=9).map(" ".join)
training = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join), min_size=2, max_size=5
)
weightings = st.builds(
    Weighting,
    st.sampled_from(TFS),
    st.sampled_from(IDFS),
    st.sampled_from(NORMS),
    st.booleans(),
)
# Halves and quarters meet thresholds exactly now and then.
numbers = st.integers(-8, 8).map(lambda quarters: quarters / 4)


@dataclass(frozen=True)
class Case:
    """A model and a text."""

    vectorizer: Vectorizer
    rule: CategoryRule
    text: str

    def score(self, text: str) -> float:
        """The model's score, the plain way."""
        row = self.vectorizer.transform([text]).toarray()[0].astype(np.float64)
        return float(row @ self.rule.weights) + self.rule.intercept

    def explain(self, **settings: int):
        return Explainer(self.vectorizer, **settings).explain(self.text, self.rule)

    def text_without(self, removed) -> str:
        return " ".join(word for word in self.text.split() if word not in removed)

    def flipping_sets(self, accepted: bool) -> list[tuple[str, ...]]:
        """Every set of words without which the decision is another, small ones first."""
        words = sorted(set(self.text.split()))
        return [
            removed
            for size in range(1, len(words) + 1)
            for removed in itertools.combinations(words, size)
            if self.rule.accepts(self.score(self.text_without(removed))) != accepted
        ]


@st.composite
def cases(draw: st.DrawFn, norms=None) -> Case:
    weighting = draw(weightings.filter(lambda w: norms is None or w.norm in norms))
    vectorizer = Vectorizer("whitespace", weighting=weighting, threads=1).fit(draw(training))
    size = vectorizer.columns
    weights = draw(st.lists(numbers, min_size=size, max_size=size))
    rule = CategoryRule("grain", np.array(weights), draw(numbers), draw(numbers))
    return Case(vectorizer, rule, draw(texts))


def away_from_threshold(case: Case, margins) -> bool:
    """Return True if float32 rounding cannot change the decisions."""
    return all(abs(margin - case.rule.threshold) > 1e-5 for margin in margins)
