"""How each category came by its threshold, so that a report can name the unusual ones."""

from __future__ import annotations

from enum import IntEnum


class State(IntEnum):
    """What a rule could do for one category; the numbers are those of the model file."""

    FITTED = 0
    """The rule's own answer."""
    NO_MEMBERS = 1
    """No training document is in the category: it is never given."""
    ALL_MEMBERS = 2
    """Every training document is in the category: it is always given."""
    FALLBACK = 3
    """Its scores tell too little to tune on: the fallback took over."""
    UNTUNED = 4
    """It came with an update, and there was nothing to tune on: its threshold is 0."""


SENTENCES = {
    State.NO_MEMBERS: "no training document has it, so it is never given",
    State.ALL_MEMBERS: "every training document has it, so it is always given",
    State.FALLBACK: "its out-of-fold scores are too poor to tune on, so the fallback decides",
    State.UNTUNED: "it came with an update, so its threshold is 0 and was not tuned",
}
