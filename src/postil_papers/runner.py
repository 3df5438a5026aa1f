"""Running a paper's experiments and laying their results beside the printed numbers.

Which tables and figures are asked for: ``--only table2``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from postil.common.suggest import advice
from postil.errors import PostilError, UsageError
from postil_papers.cache import Question, ResultCache, sharing
from postil_papers.cells import CellKey, Measured
from postil_papers.experiment import AbsentCorpusError, Experiment, check_experiments
from postil_papers.paper import Exhibit, Paper
from postil_papers.reproduction import (
    Reproduction,
    Results,
    Run,
    RunState,
    assemble,
    checked_results,
    find_answer,
    keep_answer,
)


def chosen_exhibits(paper: Paper, only: Iterable[str] | None = None) -> tuple[Exhibit, ...]:
    """Choose by id, in the paper's order; ``Table 2`` and ``table-2`` are ``table2`` too.

    ``None`` chooses everything.
    """
    if only is None:
        return paper.exhibits
    names = list(only)
    ids = {_plain(exhibit.id): exhibit.id for exhibit in paper.exhibits}
    for name in names:
        if _plain(name) not in ids:
            raise UsageError(f"{paper.name} has no {name!r}{advice(_plain(name), ids.values())}")
    if not names:
        raise UsageError(f"no table or figure is chosen. Allowed: {', '.join(ids.values())}")
    wanted = {ids[_plain(name)] for name in names}
    return tuple(exhibit for exhibit in paper.exhibits if exhibit.id in wanted)


def _plain(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


@dataclass(frozen=True, slots=True)
class Step:
    """Where a reproduction has got to: experiment ``number`` of ``total``."""

    experiment: str
    number: int
    total: int
    state: RunState | Literal["started"]
    seconds: float = 0.0
    error: str = ""


Progress = Callable[[Step], None]


def no_progress(step: Step) -> None:
    """Notify nobody."""


def reproduce(
    paper: Paper,
    experiments: Mapping[str, Experiment],
    *,
    only: Iterable[str] | None = None,
    cache: ResultCache | None = None,
    refresh: bool = False,
    progress: Progress = no_progress,
) -> Reproduction:
    """Run the experiments that the chosen tables and figures need.

    ``only`` names tables and figures (``["table2"]``), ``None`` means all. Results are taken
    from ``cache`` unless ``refresh`` is set, and each is kept there as soon as it is computed,
    so that an interrupted run goes on where it stopped; without a cache nothing is kept. An
    experiment that fails leaves its error in its cells and the others go on; one whose corpus is
    absent is left out, and a remark in its cells says how to get the corpus.
    """
    exhibits = chosen_exhibits(paper, only)
    check_experiments(paper, experiments)
    wanted = {exhibit.id for exhibit in exhibits}
    needed = [each for each in experiments.values() if each.tables() & wanted]
    ledger = _Ledger(paper)
    with sharing(cache, refresh=refresh):
        for number, experiment in enumerate(needed, 1):
            progress(Step(experiment.name, number, len(needed), "started"))
            run = ledger.enter(experiment, _Attempt(paper, experiment, cache, refresh))
            progress(
                Step(experiment.name, number, len(needed), run.state, run.seconds, run.error),
            )
    tables = (
        assemble(paper, exhibit, ledger.found, ledger.errors, ledger.absences)
        for exhibit in exhibits
    )
    return Reproduction(paper, tuple(tables), tuple(ledger.runs))


@dataclass(slots=True)
class _Attempt:
    """One experiment, looked up or run."""

    paper: Paper
    experiment: Experiment
    cache: ResultCache | None
    refresh: bool

    def make(self) -> tuple[Run, Results]:
        """Find or compute the results; whatever goes wrong is raised."""
        experiment = self.experiment
        data = experiment.data()  # without a cache too: it tells that a corpus is absent
        if self.cache is None:
            return self._compute()
        question = Question(experiment.name, experiment.settings, data, experiment.code)
        kept = None if self.refresh else find_answer(self.cache, question, experiment, self.paper)
        if kept is not None:
            seconds, results = kept
            return Run(experiment.name, "cached", seconds, experiment.settings), results
        run, results = self._compute()
        keep_answer(self.cache, question, run.seconds, results)
        return run, results

    def _compute(self) -> tuple[Run, Results]:
        experiment = self.experiment
        started = time.perf_counter()
        values = experiment.run(experiment.settings)
        seconds = time.perf_counter() - started
        results = checked_results(values, experiment, self.paper)
        return Run(experiment.name, "finished", seconds, experiment.settings), results


@dataclass(slots=True)
class _Ledger:
    """What was found so far, and what went wrong."""

    paper: Paper
    found: dict[CellKey, Measured] = field(default_factory=dict)
    errors: dict[CellKey, str] = field(default_factory=dict)
    absences: dict[CellKey, str] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)

    def enter(self, experiment: Experiment, attempt: _Attempt) -> Run:
        """Make an attempt and write down what came of it."""
        started = time.perf_counter()
        try:
            run, results = attempt.make()
            self._refuse_twice(results)
        except Exception as error:
            seconds = time.perf_counter() - started
            state: RunState = "absent" if isinstance(error, AbsentCorpusError) else "failed"
            run = Run(experiment.name, state, seconds, experiment.settings, _message(error))
            results = {}
        self.found.update(results)
        self.runs.append(run)
        missing = run.error or f"the experiment {experiment.name!r} gave no value"
        reasons = self.absences if run.state == "absent" else self.errors
        for key in experiment.expected(self.paper):
            if key not in results:
                reasons[key] = missing
        return run

    def _refuse_twice(self, results: Results) -> None:
        for key in results:
            if key in self.found:
                raise UsageError(f"{', '.join(key)} was filled by another experiment already")


def _message(error: Exception) -> str:
    """Notify an error in one line; ours name what is wrong, others need their type too."""
    text = " ".join(str(error).split())
    if isinstance(error, PostilError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
