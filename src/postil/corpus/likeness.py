"""Names of labels that are likely to mean the same: spelled alike, or off by a letter or two."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

SHORTEST = 5  # characters of a name that may be a mistyped other
SHORTEST_OF_TWO = 10  # the same with two letters wrong
LONGEST = 60
RARER = 10  # times, for a name to be a mistyped other
MOST_MEANT = 4
SEPARATORS = frozenset("-_./,;:'’‐‑–—\u00ad\u200b")


def spelling(name: str) -> str:
    """Return a name without case, white space and separators; those of numbers stay."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    if any(map(str.isdigit, folded)):
        return "".join(folded.split())
    kept = "".join(each for each in folded if not each.isspace() and each not in SEPARATORS)
    return kept or folded.strip()


def spelled_alike(names: Iterable[str]) -> list[list[str]]:
    """Return the groups of names that differ only by case, space or separators.

    Cost: linear in the characters of the names.
    """
    groups = defaultdict(list)
    for name in names:
        groups[spelling(name)].append(name)
    return [group for group in groups.values() if len(group) > 1]


class Mistyped(NamedTuple):
    """A rare name that is a letter or two off a frequent one."""

    name: str
    meant: str


def mistyped(documents: Mapping[str, int]) -> list[Mistyped]:
    """Return the names that look like a slip in typing a name with ten times the documents.

    Names of at least ten characters may differ by two letters, others by one; their digits must be
    the same. Two names are compared if they become equal when so many letters are left out of
    each, so that cost is linear in the number of names, and at most quadratic in their length.

    Parameters
    ----------
    documents : mapping of str to int
        The number of documents of each name.
    """
    by_spelling: dict[str, str] = {}
    for name in sorted(documents, key=lambda each: (-documents[each], each)):
        by_spelling.setdefault(spelling(name), name)
    shortened = defaultdict(list)
    for form in by_spelling:
        if SHORTEST <= len(form) <= LONGEST:
            for variant in _with_letters_left_out(form, most=_errors(form)):
                shortened[variant].append(form)
    found: dict[str, str] = {}
    for forms in shortened.values():
        for place, other in enumerate(forms):
            # In the order of their documents: the first are the most frequent.
            for form in forms[: min(place, MOST_MEANT)]:
                meant, name = by_spelling[form], by_spelling[other]
                if (
                    documents[name] * RARER <= documents[meant]
                    and _digits(other) == _digits(form)
                    and edits(other, form) <= min(_errors(other), _errors(form))
                    and (name not in found or documents[meant] > documents[found[name]])
                ):
                    found[name] = meant
    return [Mistyped(name, found[name]) for name in sorted(found)]


def _errors(form: str) -> int:
    return 2 if len(form) >= SHORTEST_OF_TWO else 1


def _digits(form: str) -> str:
    return "".join(each for each in form if each.isdigit())


def _with_letters_left_out(form: str, most: int) -> Iterator[str]:
    """Yield a form with 0 to ``most`` of its characters left out, each result once."""
    seen = set()
    for count in range(most + 1):
        for places in combinations(range(len(form)), count):
            kept = "".join(each for place, each in enumerate(form) if place not in places)
            if kept not in seen:
                seen.add(kept)
                yield kept


def edits(first: Sequence[str], second: Sequence[str]) -> int:
    """Return how many insertions, deletions, changes and swaps of neighbours part two texts."""
    before: list[int] = []
    last = list(range(len(second) + 1))
    for row, one in enumerate(first, 1):
        current = [row]
        for column, other in enumerate(second, 1):
            least = min(
                last[column] + 1, current[column - 1] + 1, last[column - 1] + (one != other)
            )
            swapped = row > 1 < column and one == second[column - 2] and first[row - 2] == other
            current.append(min(least, before[column - 2] + 1) if swapped else least)
        before, last = last, current
    return last[-1]
