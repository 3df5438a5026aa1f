"""Work that several experiments share: done once in a reproduction, and kept like a result.

Tables of a paper often look at the same trained models. An experiment is a function of its
settings alone, so that neither the cache nor what others have done is among them: both are set
around the whole run, and experiments reach them through :func:`shared`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from postil.papers.cache import Question, ResultCache
from postil.papers.canonical import Json


@dataclass(slots=True)
class _Pool:
    """What this reproduction has done so far, by the keys of the questions."""

    cache: ResultCache | None
    refresh: bool
    done: dict[str, Json] = field(default_factory=dict)

    def answer(self, question: Question, compute: Callable[[], Json]) -> Json:
        if question.key not in self.done:
            self.done[question.key] = self._found(question, compute)
        return self.done[question.key]

    def _found(self, question: Question, compute: Callable[[], Json]) -> Json:
        kept = None if self.cache is None or self.refresh else self.cache.get(question)
        if kept is not None:
            return kept.result
        result = compute()
        if self.cache is not None:
            self.cache.put(question, result)
        return result


_POOL: ContextVar[_Pool | None] = ContextVar("pool", default=None)


def shared(question: Question, compute: Callable[[], Json]) -> Json:
    """The answer to a question: from another experiment, from the cache, or computed now.

    ``compute`` gives plain values, as JSON holds them. Outside a reproduction it is called.
    """
    pool = _POOL.get()
    return compute() if pool is None else pool.answer(question, compute)


@contextmanager
def sharing(cache: ResultCache | None, *, refresh: bool = False) -> Iterator[None]:
    """Let the experiments in here share work; with ``refresh`` nothing kept before is taken."""
    token = _POOL.set(_Pool(cache, refresh))
    try:
        yield
    finally:
        _POOL.reset(token)
