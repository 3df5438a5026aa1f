"""What an explanation says in words; every way of showing one says the same."""

from __future__ import annotations

import math
from collections.abc import Sequence

from postil.common.escaping import visible
from postil.explain.explanation import Explanation
from postil.explain.flips import Addition, Removal
from postil.explain.rule import Figures, counted, times

SHOWN_IN_SET = 12
SHOWN_ADDITIONS = 6
SHOWN_UNKNOWN = 12


def answer(accepted: bool) -> str:
    """The decision in a word."""
    return "yes" if accepted else "no"


def figures_of(explanation: Explanation) -> Figures:
    """How the margin, its parts and what it is compared with are written."""
    figures = Figures([*margin_parts(explanation).values(), explanation.threshold])
    figures.tell_apart(explanation.margin, explanation.threshold)
    return figures


def margin_parts(explanation: Explanation) -> dict[str, float]:
    """The margin as a sum, its parts before it; a constant or a bar only where there is one."""
    parts = {
        "terms up": math.fsum(share.added for share in explanation.up),
        "terms down": math.fsum(share.added for share in explanation.down),
        "constant": explanation.constant,
        "intercept": explanation.intercept,
        "bar": -explanation.bar,
        "margin": explanation.margin,
    }
    return {name: part for name, part in parts.items() if name not in _AT_TIMES or part != 0}


_AT_TIMES = ("constant", "bar")


def verdict(explanation: Explanation) -> str:
    """The decision with what it rests on."""
    write = figures_of(explanation).plain
    margin, threshold = explanation.margin, explanation.threshold
    if math.isinf(threshold):
        every = "every document" if threshold < 0 else "no document"
        reason = f"{every} is given it, whatever its margin, here {write(margin)}"
    else:
        relation = "≥" if explanation.accepted else "<"
        reason = f"margin {write(margin)} {relation} threshold {write(threshold)}"
    if explanation.probability is not None:
        reason += f", probability {explanation.probability:.3g}"
    return f"{answer(explanation.accepted)} ({reason})"


def flip_lines(explanation: Explanation) -> list[str]:
    """What would flip the decision, a sentence a line."""
    if math.isinf(explanation.threshold):
        return ["Nothing would: the decision does not depend on the margin."]
    return [*removal_lines(explanation), *addition_lines(explanation)]


def removal_lines(explanation: Explanation) -> list[str]:
    """What the document would have to lose."""
    flips = explanation.flips
    if not flips.removals and not flips.exhaustive:
        return ["No words were found that would if they were taken away; not every set was tried."]
    if not flips.removals:
        return ["Nothing among its words would: whichever are taken away, the answer stays."]
    write = figures_of(explanation)
    return [
        f"Without {_set_of(removal)} the margin is {write.plain(removal.margin)}: "
        f"{answer(not explanation.accepted)}.{_how_small(removal)}"
        for removal in flips.removals
    ]


def addition_lines(explanation: Explanation) -> list[str]:
    """What it would have to gain."""
    flips = explanation.flips
    write = figures_of(explanation)
    if flips.additions:
        shown = flips.additions[:SHOWN_ADDITIONS]
        listed = _list_of([_with_margin(a, write) for a in shown], flips.additions_in_all)
        which = "this one" if flips.additions_in_all == 1 else "any one of these"
        return [f"With {which} added, once: {listed}."]
    if flips.nearest_addition is not None:
        nearest = _with_margin(flips.nearest_addition, write)
        return [f"No single absent term would; the nearest is {nearest}."]
    if not flips.named:
        return ["Of absent terms nothing is known: hash buckets keep no names."]
    return ["The model gives no absent term any weight."]


def unknown_line(explanation: Explanation) -> str:
    """The terms the model does not know, or the empty string."""
    unknown = explanation.unknown
    if not unknown:
        return ""
    names = [visible(u.term) + times(u.count) for u in unknown[:SHOWN_UNKNOWN]]
    return f"{counted(len(unknown), 'term')} unknown to the model: {_list_of(names, len(unknown))}"


def neutral_line(explanation: Explanation) -> str:
    """How many known terms had no part in it, or the empty string."""
    neutral = len(explanation.neutral)
    return f"{counted(neutral, 'known term')} added nothing" if neutral else ""


def _set_of(removal: Removal) -> str:
    names = [visible(term) for term in removal.terms[:SHOWN_IN_SET]]
    listed = _list_of(names, len(removal.terms))
    if removal.everything and len(removal.terms) > 1:
        return f"all {len(removal.terms)} of its terms that count ({listed})"
    return listed


def _how_small(removal: Removal) -> str:
    if len(removal.terms) == 1 or not removal.smallest:
        return ""
    return " No smaller set would do."


def _with_margin(addition: Addition, write: Figures) -> str:
    return f"{visible(addition.term)} (margin {write.plain(addition.margin)})"


def _list_of(names: Sequence[str], in_all: int) -> str:
    more = in_all - len(names)
    return ", ".join([*names, f"… and {more} more"] if more > 0 else names)
