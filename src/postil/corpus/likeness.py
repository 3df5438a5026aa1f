"""Names of labels that are likely to mean the same: spelled alike, or off by a letter or two."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

SHORTEST = 5  # characters of a name that may be a mistyped other
SHORTEST_OF_TWO = 10  # the same with two letters wrong
LONGEST = 60
RARER = 10  # times, for a name to be a mistyped other
MOST_OF_TWO = 3000  # names; of more, those with one letter wrong are found
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
    Among more than 3,000 names, one letter may be wrong.

    Parameters
    ----------
    documents : mapping of str to int
        The number of documents of each name.
    """
    by_spelling: dict[str, str] = {}
    for name in sorted(documents, key=lambda each: (-documents[each], each)):
        by_spelling.setdefault(spelling(name), name)
    most = 2 if len(by_spelling) <= MOST_OF_TWO else 1
    first: dict[str, str] = {}  # the form of most documents that a shortened form comes from
    found: dict[str, str] = {}
    for form, name in by_spelling.items():
        for variant in _with_letters_left_out(form, min(most, _errors(form))):
            other = first.setdefault(variant, form)
            meant = by_spelling[other]
            if (
                documents[name] * RARER <= documents[meant]
                and _digits(form) == _digits(other)
                and edits(form, other) <= min(_errors(form), _errors(other))
                and (name not in found or documents[meant] > documents[found[name]])
            ):
                found[name] = meant
    return [Mistyped(name, found[name]) for name in sorted(found)]


def _errors(form: str) -> int:
    """Return how many letters of a form may be wrong."""
    if not SHORTEST <= len(form) <= LONGEST:
        return 0
    return 2 if len(form) >= SHORTEST_OF_TWO else 1


def _digits(form: str) -> str:
    return "".join(each for each in form if each.isdigit())


def _with_letters_left_out(form: str, most: int) -> set[str]:
    """Return a form with 0 to ``most`` of its characters left out."""
    shortened = {form}
    for _ in range(most):
        shortened |= {each[:at] + each[at + 1 :] for each in shortened for at in range(len(each))}
    return shortened


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
