"""Polychotomous logistic regression: all classes in one problem, over one shared matrix."""

from __future__ import annotations

import numpy as np

from postil import _native
from postil.errors import InputError, UsageError
from postil.features.selection import Selection
from postil.learn.category_tasks import Progress
from postil.learn.class_task import NO_REFERENCE, ClassTask, Told
from postil.learn.design import Design
from postil.learn.emphasis import Emphasis
from postil.learn.labels import Labels
from postil.learn.linear_fit import LinearFit
from postil.learn.polychotomous_method import PolychotomousMethod
from postil.learn.report import warn_of_unfinished
from postil.learn.strength import Strengths
from postil.learn.term_priors import TermPriors
from postil.text.suggest import advice
from postil.vectors.threads import thread_count


def fit_polychotomous(
    design: Design,
    labels: Labels,
    method: PolychotomousMethod,
    *,
    selection: Selection | None = None,
    emphasis: Emphasis | None = None,
    strengths: Strengths | None = None,
    priors: TermPriors | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    quiet: bool = False,
) -> LinearFit:
    """Learn all classes together; every document that counts has exactly one.

    ``strengths`` gives each class a strength of its own, in place of the method's; ``priors`` say
    what is believed of single terms, by all classes or by one. ``progress`` is told how many
    hundredths of the way to the tolerance are done. All reports are of the one problem, ``shared``:
    iterations, objective, certificate and seconds are the same in each; ``nonzeros`` and
    ``members`` are the class's own.

    A class without members is left out, as one of probability 0: it scores -708. If one class has
    all members, it scores 0.

    Cost: a Newton step takes documents × classes, and the non-zeros of the weights at work for each
    inner pass; memory is 40 bytes for each document and class, 24 for each term and class, and 80
    for each weight that is not 0. The result does not depend on the number of threads.
    """
    task = ClassTask(design, labels, selection, emphasis or Emphasis(), "polychotomous")
    if priors is not None and priors.terms != design.terms:
        raise UsageError(f"there are {design.terms} terms and priors of {priors.terms}")
    reference = _reference(task, method, priors)
    pairs = task.pairs(strengths, method.regularization, method.share)

    def train(classes: _native.Classes, told: Told | None) -> _native.PolychotomousFit:
        options = method.to_native()
        return _native.train_polychotomous(
            design.native, classes, options, thread_count(threads), told
        )

    result = task.run(pairs, progress, train, priors, method.share, reference)
    if not quiet:
        warn_of_unfinished(result.reports, method.solver_options().tolerance)
    return result


def _reference(task: ClassTask, method: PolychotomousMethod, priors: TermPriors | None) -> int:
    """The place of the reference among the classes that are learned."""
    name, names = method.reference, task.labels.names
    if name is None:
        return NO_REFERENCE
    if name not in names:
        raise UsageError(f"there is no class {name!r}{advice(name, names)}")
    category = names.index(name)
    if not task.classes.sizes[category]:
        raise InputError(
            f"the reference class {name} has no member, so that nothing can be learned "
            "against it: take another, or none"
        )
    if priors is not None and priors.own.get(category):
        raise UsageError(
            f"the weights of the reference class {name} stay at 0: give it no priors of its own"
        )
    return int(np.searchsorted(task.classes.learnable, category))
