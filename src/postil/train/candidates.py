"""The representations that a search tries, and the results of its trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from postil.common.types import Floats
from postil.corpus.document import Document
from postil.recipes.recipe import Recipe
from postil.text.detection import ENGLISH_STEMMER

WORDS = "words lower min(2)"
CHARACTERS = "chars-in-words(2,5) lower"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A representation by name, perhaps with a short field counted once more, apart."""

    name: str
    analyzer: str
    min_df: int = 1
    title: str | None = None

    def __str__(self) -> str:
        return self.name if self.title is None else f"{self.name}, {self.title} apart"

    def applied(self, recipe: Recipe) -> Recipe:
        """Return the recipe with this representation."""
        changes: dict[str, Any] = {"analyzer": self.analyzer, "min_df": self.min_df}
        if self.title is not None:
            changes["also"] = (self.title,)
        return replace(recipe, representation=replace(recipe.representation, **changes), auto=None)


def representations(stemmer: str | None) -> tuple[Candidate, ...]:
    """Return the candidates of the first round; without a stemmer, those without stems."""
    words, characters = Candidate("words", WORDS), Candidate("characters in words", CHARACTERS, 2)
    if stemmer is None:
        return (words, Candidate("words and pairs of words", f"{WORDS} ngrams(1,2)", 2), characters)
    stems, name = _stems(stemmer)
    return (
        words,
        Candidate(name, stems),
        Candidate(f"words and {name}", f"{WORDS} + {stems}"),
        Candidate(f"words, pairs of words and {name}", f"{WORDS} ngrams(1,2) + {stems}", 2),
        characters,
    )


def with_characters(stemmer: str | None) -> Candidate:
    """Return the candidate that is tried only if characters alone are among the best.

    It takes the longest.
    """
    terms, name = (WORDS, "words") if stemmer is None else _stems(stemmer)
    return Candidate(
        f"{name}, pairs of {name.rpartition(' ')[2]} and characters in words",
        f"{terms} ngrams(1,2) + {CHARACTERS}",
        2,
    )


def _stems(stemmer: str) -> tuple[str, str]:
    """Return the analyzer of stems, and what they are called: English stems are just stems."""
    language = "" if stemmer == ENGLISH_STEMMER else f"{stemmer.capitalize()} "
    return f"{WORDS} stem({stemmer})", f"{language}stems"


def short_fields(documents: Sequence[Document]) -> list[str]:
    """Return the first and the shortest field of those that hold under a third of the text.

    Fields that most documents lack do not count.
    """
    lengths: dict[str, int] = {}
    filled: dict[str, int] = {}
    for document in documents:
        for name, text in document.fields.items():
            lengths[name] = lengths.get(name, 0) + len(text)
            filled[name] = filled.get(name, 0) + bool(text)
    total = sum(lengths.values())
    usual = [name for name in lengths if 2 * filled[name] > len(documents)]
    short = [name for name in usual if 3 * lengths[name] <= total]
    if len(lengths) < 2 or not short:
        return []
    return list(dict.fromkeys([short[0], min(short, key=lambda name: lengths[name])]))


class Trial(NamedTuple):
    """The result of a candidate in a round.

    ``learn`` is the ``[learn]`` table, and ``strengths`` the C of each category if they differ.
    ``value`` is the measure on held-out documents, and ``influences`` what each document adds to
    it, which gives standard errors of values and of differences.
    """

    candidate: Candidate
    learner: str
    learn: Mapping[str, Any]
    strengths: Floats | None
    value: float
    influences: Floats
    terms: int
    non_zeros: float
    documents: int

    def __str__(self) -> str:
        added = self.learner.startswith("+")
        return f"{self.candidate}{' ' if added else ', '}{self.learner}".removesuffix(", ")

    def error(self, other: Trial | None = None) -> float:
        """Return the standard error of the value, or of its difference to another's."""
        influences = self.influences if other is None else self.influences - other.influences
        return float(np.sqrt((influences**2).mean() / len(influences)))

    def to_dict(self, chosen: bool) -> dict[str, Any]:
        """Return a row of the leaderboard."""
        reach = 1.96 * self.error()
        return {
            "name": str(self),
            "C": self.learn.get("C") if self.strengths is None else None,
            "value": round(self.value, 6),
            "low": round(max(0.0, self.value - reach), 6),
            "high": round(min(1.0, self.value + reach), 6),
            "terms": self.terms,
            "terms_of_a_document": round(self.non_zeros, 1),
            "documents": self.documents,
            "chosen": chosen,
        }


def simplest_of_best(trials: Sequence[Trial]) -> Trial:
    """Return the cheapest trial to predict with, within one standard error of the best."""
    best = max(trials, key=lambda trial: trial.value)
    near = [t for t in trials if t.value >= best.value - t.error(best)]
    cheapest = min(trial.non_zeros for trial in near)
    # Learners and strengths of one representation cost the same: the best of them is taken.
    return max((t for t in near if t.non_zeros <= cheapest), key=lambda trial: trial.value)


def promoted(latest: Sequence[Trial], most: int, largest: Candidate | None) -> list[Candidate]:
    """Return the best candidates of a round, all with the title apart if that is better.

    ``largest`` is added if it has a part that is among the best alone, characters in words.
    """
    ranked = sorted(latest, key=lambda trial: -trial.value)
    titled = next((t for t in ranked if t.candidate.title is not None), None)
    plain = next((t for t in ranked if titled and t.candidate == _untitled(titled)), None)
    wins = titled is not None and (plain is None or titled.value > plain.value)
    title = titled.candidate.title if titled is not None and wins else None
    best = list(dict.fromkeys(replace(trial.candidate, title=title) for trial in ranked))[:most]
    if largest is None or all(each.analyzer != CHARACTERS for each in best):
        return best
    return list(dict.fromkeys([*best, replace(largest, title=title)]))


def _untitled(trial: Trial) -> Candidate:
    return replace(trial.candidate, title=None)
