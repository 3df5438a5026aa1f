"""Every threshold there is, tried one by one."""

from __future__ import annotations

import numpy as np


class Tried:
    """The counts of one threshold, straight from the definitions."""

    def __init__(self, threshold, scores, inside, weights):
        accepted = scores >= threshold
        self.accepted = accepted
        self.found = weights[accepted & inside].sum()
        self.false = weights[accepted & ~inside].sum()
        self.missed = weights[~accepted & inside].sum()
        self.right = weights[~accepted & ~inside].sum()
        self.errors = self.false + self.missed
        self.f1 = 2 * self.found / (2 * self.found + self.false + self.missed)
        self.recall = self.found / (self.found + self.missed)
        taken = self.found + self.false
        self.precision = self.found / taken if taken > 0 else 0.0


def all_thresholds(scores, inside, weights):
    """All cuts by falling threshold: nothing accepted first, everything last."""
    levels = np.unique(scores[weights > 0])[::-1]
    return [Tried(level, scores, inside, weights) for level in (np.inf, *levels)]


def f1(tried, _):
    return tried.f1


def errors(tried, _):
    return -tried.errors


def recall_at(tried, precision):
    return (tried.recall, tried.precision) if tried.precision >= precision else None


def precision_at(tried, recall):
    return tried.precision if tried.recall >= recall else None


def balance(tried, _):
    return -abs(tried.false - tried.missed)


def f_beta(tried, beta):
    square = beta * beta
    found = (1 + square) * tried.found
    return found / (found + square * tried.missed + tried.false)


def cost(tried, price):
    return -(price * tried.false + tried.missed)


def balanced(tried, _):
    # Sums of shares that are equal may differ in their last digit.
    members = tried.found + tried.missed
    others = tried.false + tried.right
    return -round(tried.missed / members + tried.false / others, 12)


OBJECTIVES = {
    "training-error": errors,
    "f1": f1,
    "error": errors,
    "precision": recall_at,
    "recall": precision_at,
    "break-even": balance,
    "f-beta": f_beta,
    "cost": cost,
    "balanced-error": balanced,
    # Of one category alone.
    "micro-f1": f1,
    "micro-f-beta": f_beta,
}
