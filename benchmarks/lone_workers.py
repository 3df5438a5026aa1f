"""Two processes that do the same work beside each other and share nothing: what a machine gives."""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Self

Work = Callable[[list[str]], object]

WARMING = 3  # turns until a process has its memory


class LoneWorkers:
    """Two processes, each with a copy of the texts, that work when they are told to."""

    def __init__(self, work: Work, texts: list[str]) -> None:
        spawning = get_context("spawn")
        self._ends: list[Connection] = []
        self._processes = []
        for _ in range(2):
            here, there = spawning.Pipe()
            process = spawning.Process(target=_serve, args=(there, work), daemon=True)
            process.start()
            there.close()  # its own alone: should it end, we hear of it
            here.send(texts)
            self._ends.append(here)
            self._processes.append(process)

    def __enter__(self) -> Self:
        for _ in range(WARMING):
            self.side_by_side()
        return self

    def __exit__(self, *_: object) -> None:
        for end in self._ends:
            end.send(False)
        for process in self._processes:
            process.join()

    def alone(self) -> None:
        """Let one of them work."""
        self._ends[0].send(True)
        self._ends[0].recv()

    def side_by_side(self) -> None:
        """Let both work at the same time, and wait for both."""
        for end in self._ends:
            end.send(True)
        for end in self._ends:
            end.recv()


def _serve(there: Connection, work: Work) -> None:
    texts = there.recv()
    while there.recv():
        result = work(texts)
        there.send(True)
        del result  # its memory goes back off the clock
