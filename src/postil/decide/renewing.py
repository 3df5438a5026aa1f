"""A fitted rule and calibration after an update of the model: what stays, and what is new.

A rule that looks at no scores (``default``, ``best``, ``rank``, ``proportional``) is made anew from
the numbers of members. One that was tuned keeps its thresholds: the documents it was tuned on are
gone, and the new ones have been learned from. A category that could not be tuned then (it is new,
or had nothing but members) gets a threshold of 0 and the state ``UNTUNED``, and as its probability
the share of its members.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from postil.common.types import Flags, Ints
from postil.decide.calibration import Calibration
from postil.decide.calibrators import State
from postil.decide.decision import DecisionRule, Thresholds
from postil.decide.evidence import Needs
from postil.decide.inputs import Csc
from postil.decide.spec import fit_rule, parse_rule
from postil.decide.tuning import CONSTANT_THRESHOLDS

_CONSTANT = (State.NO_MEMBERS, State.ALL_MEMBERS)


def untuned(rule: DecisionRule, categories: int) -> Flags:
    """Which of so many categories the rule knows nothing of: those past its own, and constants."""
    unknown = np.ones(categories, dtype=np.bool_)
    unknown[: rule.categories] = np.isin(rule.states, _CONSTANT)
    return unknown


def renewed_rule(rule: DecisionRule, members: Ints, documents: int) -> DecisionRule:
    """The rule for as many categories as ``members`` has numbers, of so many documents in all.

    Costs the number of memberships for a rule without tuning, else the number of categories.
    """
    spec = parse_rule(rule.spec)
    if spec.needs is Needs.NOTHING:
        return fit_rule(spec, None, _counted(members, documents))
    unknown = untuned(rule, len(members))
    values = np.zeros(len(members))
    states = np.full(len(members), State.UNTUNED, dtype=np.uint8)
    known = np.flatnonzero(~unknown)
    values[known], states[known] = rule.acceptance.values[known], rule.states[known]
    for state, constant in (
        (State.ALL_MEMBERS, members == documents),
        (State.NO_MEMBERS, members == 0),
    ):
        fixed = unknown & constant
        values[fixed], states[fixed] = CONSTANT_THRESHOLDS[state], state
    return DecisionRule(rule.spec, Thresholds(values), states, rule.at_least, rule.at_most)


def renewed_calibration(
    calibration: Calibration, rule: DecisionRule, members: Ints, documents: int
) -> Calibration:
    """The calibration for as many categories; ``rule`` is the one from before the update."""
    unknown = np.flatnonzero(untuned(rule, len(members))).tolist()
    shares = {category: float(members[category]) / documents for category in unknown}
    return calibration.renewed(len(members), shares)


def _counted(members: Ints, documents: int) -> Csc:
    """Some truth with so many members of each category: all that such a rule looks at."""
    starts = np.concatenate(([0], np.cumsum(members)))
    rows = np.arange(starts[-1]) - np.repeat(starts[:-1], members)
    truth: Csc = sp.csc_matrix(
        (np.ones(len(rows), dtype=np.bool_), rows, starts), shape=(documents, len(members))
    )
    return truth
