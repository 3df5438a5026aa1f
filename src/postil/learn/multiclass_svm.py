"""The multi-class SVM: all classes in one problem, over one shared matrix."""

from __future__ import annotations

from postil import _native
from postil.features.selection import Selection
from postil.learn.category_tasks import Progress
from postil.learn.class_task import ClassTask, Told
from postil.learn.design import Design
from postil.learn.emphasis import Emphasis
from postil.learn.labels import Labels
from postil.learn.linear_fit import LinearFit
from postil.learn.multiclass_svm_method import KIND, MulticlassSvmMethod
from postil.learn.report import warn_of_unfinished
from postil.learn.strength import Strengths
from postil.vectors.threads import thread_count


def fit_multiclass_svm(
    design: Design,
    labels: Labels,
    method: MulticlassSvmMethod,
    *,
    selection: Selection | None = None,
    emphasis: Emphasis | None = None,
    strengths: Strengths | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    quiet: bool = False,
) -> LinearFit:
    """Learn all classes together; every document that counts has exactly one.

    ``strengths`` gives each class a strength of its own, in place of the method's. ``progress`` is
    told how many hundredths of the steps are done. All reports are of the one problem, ``shared``,
    as with :func:`~postil.learn.polychotomous.fit_polychotomous`; so are classes without members.
    The certificate is a duality gap of the SVM itself.

    Cost: a step takes two passes over the non-zeros × classes; memory is 24 bytes for each document
    and class, 48 for each term and class, and with free intercepts 16 for each pair of classes.
    The result does not depend on the number of threads.
    """
    task = ClassTask(design, labels, selection, emphasis or Emphasis(), KIND)
    pairs = task.pairs(strengths, method.regularization, method.share)

    def train(classes: _native.Classes, told: Told | None) -> _native.PolychotomousFit:
        options = method.to_native()
        return _native.train_multiclass_svm(
            design.native, classes, options, thread_count(threads), told
        )

    result = task.run(pairs, progress, train)
    if not quiet:
        warn_of_unfinished(result.reports, method.solver_options().tolerance)
    return result
