"""What there is to reproduce of a paper: its tables and figures, and roughly what each costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from postil.papers.cache import ResultCache
from postil.papers.canonical import Json
from postil.papers.experiment import Experiment
from postil.papers.paper import Paper
from postil.papers.selection import chosen_exhibits


@dataclass(frozen=True, slots=True)
class Listed:
    """A table or figure: its id, what it shows, what it reads, and what fills it.

    ``seconds`` is what its experiments took where they were computed before, by the cache; None
    where one of them was not. Those that several tables share count for each.
    """

    id: str
    title: str
    where: str
    corpora: tuple[str, ...]
    experiments: tuple[str, ...]
    seconds: float | None

    def to_dict(self) -> dict[str, Json]:
        """As JSON holds it."""
        return {
            "id": self.id,
            "title": self.title,
            "where": self.where,
            "corpora": list(self.corpora),
            "experiments": list(self.experiments),
            "seconds": self.seconds,
        }


def listed(
    paper: Paper,
    experiments: Mapping[str, Experiment],
    cache: ResultCache,
    only: Iterable[str] | None = None,
) -> list[Listed]:
    """The tables and figures of a paper in its order; one pass over the cache's files."""
    took = _seconds_kept(cache)
    found = []
    for exhibit in chosen_exhibits(paper, only):
        names = tuple(each.name for each in experiments.values() if exhibit.id in each.tables())
        known = bool(names) and all(name in took for name in names)
        seconds = sum(took[name] for name in names) if known else None
        found.append(
            Listed(exhibit.id, exhibit.title, exhibit.where, exhibit.corpora, names, seconds)
        )
    return found


def _seconds_kept(cache: ResultCache) -> dict[str, float]:
    """The most that each experiment took: computed again, one may find shared work done."""
    took: dict[str, float] = {}
    for experiment, result in cache.kept():
        seconds = result.get("seconds") if isinstance(result, dict) else None
        if isinstance(seconds, float):
            took[experiment] = max(seconds, took.get(experiment, 0.0))
    return took
