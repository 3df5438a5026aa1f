"""Every loss with every solver that takes it."""

from __future__ import annotations

import os
from itertools import product
from operator import itemgetter

import pytest

from postil.errors import UsageError
from postil.learn.losses import LOSSES
from postil.learn.method import Method
from postil.learn.solvers import SOLVERS


def _settings():
    """Every loss with every solver that takes it, and an intercept that the solver takes."""
    for loss, solver in product(LOSSES, SOLVERS):
        intercept = "penalised" if "penalised" in SOLVERS[solver].intercepts else "free"
        try:
            Method(loss, "gaussian", solver, intercept=intercept)
        except UsageError:
            continue
        yield {"loss": loss, "solver": solver, "intercept": intercept}


SETTINGS = list(_settings())


def _code_path(settings):
    """Return the settings that the code of LinearClassifier depends on."""
    solver = SOLVERS[settings["solver"]]
    return (
        "probability" in LOSSES[settings["loss"]].provides,
        "updates" in solver.provides,
        settings["solver"] == "smo",
    )


def _first_of(key):
    """Return the first settings for each value of ``key``."""
    return {key(settings): settings for settings in reversed(SETTINGS)}.values()


# For scikit-learn's checks: each code path once; in a full run (POSTIL_FULL), each solver and loss,
# and before a release all settings.
FULL = os.environ.get("POSTIL_FULL", "")
CHECKED = SETTINGS if FULL == "all" else list(_first_of(_code_path))
if FULL == "yes":
    for key in (itemgetter("solver"), itemgetter("loss")):
        CHECKED += [settings for settings in _first_of(key) if settings not in CHECKED]
EVERY = pytest.mark.parametrize("settings", SETTINGS, ids=lambda s: f"{s['loss']}/{s['solver']}")
# Those whose end is an optimum, whatever the order of rows, and not only near one.
MINIMISING = [
    each
    for each in SETTINGS
    if "objective" in SOLVERS[each["solver"]].provides
    and "limit" not in SOLVERS[each["solver"]].provides
]
EVERY_OPTIMUM = pytest.mark.parametrize(
    "settings", MINIMISING, ids=lambda s: f"{s['loss']}/{s['solver']}"
)
TIGHT = {"tol": 1e-12, "max_iter": 100_000}
