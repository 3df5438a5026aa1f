"""Run a paper's experiments and set their results beside the printed numbers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from postil.common.suggest import advice
from postil.errors import PostilError, UsageError
from postil_papers.experiment import CellKey, Experiment, Measured, check_experiments
from postil_papers.paper import Exhibit, Paper
from postil_papers.reproduction import (
    Reproduction,
    Results,
    Run,
    RunState,
    assemble,
    checked_results,
)
from postil_papers.results import AbsentCorpusError, ResultStore, plain, using


def chosen_exhibits(paper: Paper, only: Iterable[str] | None = None) -> tuple[Exhibit, ...]:
    """Return the exhibits with these ids, or all, in the paper's order.

    ``Table 2`` and ``table-2`` name ``table2`` too.
    """
    if only is None:
        return paper.exhibits
    names = list(only)
    ids = {_letters(exhibit.id): exhibit.id for exhibit in paper.exhibits}
    for name in names:
        if _letters(name) not in ids:
            raise UsageError(f"{paper.name} has no {name!r}{advice(_letters(name), ids.values())}")
    if not names:
        raise UsageError(f"no table or figure is chosen. Allowed: {', '.join(ids.values())}")
    wanted = {ids[_letters(name)] for name in names}
    return tuple(exhibit for exhibit in paper.exhibits if exhibit.id in wanted)


def _letters(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


@dataclass(frozen=True, slots=True)
class Step:
    """Progress of a reproduction: experiment ``number`` of ``total``."""

    experiment: str
    number: int
    total: int
    state: RunState | Literal["started"]
    seconds: float = 0.0
    error: str = ""


def reproduce(
    paper: Paper,
    experiments: Mapping[str, Experiment],
    *,
    only: Iterable[str] | None = None,
    store: ResultStore | None = None,
    progress: Callable[[Step], None] | None = None,
) -> Reproduction:
    """Run the experiments that the chosen tables and figures need.

    An experiment that fails leaves its error in its cells and the others go on. One whose corpus is
    absent is left out, and a remark in its cells says how to get the corpus.

    Parameters
    ----------
    paper, experiments:
        The paper, and experiments that fill its cells, by name.
    only:
        Ids of tables and figures (``["table2"]``); ``None`` means all.
    store:
        Takes each result as soon as it is computed and returns those of earlier runs. Without it,
        nothing is kept after the run.
    progress:
        Called before and after each experiment.
    """
    exhibits = chosen_exhibits(paper, only)
    check_experiments(paper, experiments)
    wanted = {exhibit.id for exhibit in exhibits}
    needed = [each for each in experiments.values() if each.tables() & wanted]
    runs: list[Run] = []
    found: dict[CellKey, Measured] = {}
    errors: dict[CellKey, str] = {}
    absences: dict[CellKey, str] = {}
    with using(store) as kept:
        for number, each in enumerate(needed, 1):
            step = Step(each.name, number, len(needed), "started")
            if progress is not None:
                progress(step)
            run, results = _run(each, paper, kept, found)
            runs.append(run)
            found |= results
            missing = run.error or f"the experiment {each.name!r} gave no value"
            reasons = absences if run.state == "absent" else errors
            reasons |= {key: missing for key in each.expected(paper) if key not in results}
            if progress is not None:
                progress(replace(step, state=run.state, seconds=run.seconds, error=run.error))
    tables = (assemble(paper, exhibit, found, errors, absences) for exhibit in exhibits)
    return Reproduction(paper, tuple(tables), tuple(runs))


def _run(
    experiment: Experiment, paper: Paper, store: ResultStore, found: Results
) -> tuple[Run, Results]:
    """Run an experiment; return its outcome and its results, which are none if it fails."""
    name, settings = experiment.name, plain(experiment.settings)
    started = time.perf_counter()
    try:
        kept = store.get(
            name,
            experiment.run,
            experiment.settings,
            lambda values: checked_results(values, experiment, paper),
        )
        for key in kept.value:
            if key in found:
                raise UsageError(f"{', '.join(key)} was filled by another experiment already")
    except Exception as caught:
        state: RunState = "absent" if isinstance(caught, AbsentCorpusError) else "failed"
        return Run(name, state, time.perf_counter() - started, settings, _message(caught)), {}
    return Run(name, "cached" if kept.cached else "finished", kept.seconds, settings), kept.value


def _message(error: Exception) -> str:
    """Return an error in one line; errors that are not postil's need their type too."""
    text = " ".join(str(error).split())
    if isinstance(error, PostilError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
