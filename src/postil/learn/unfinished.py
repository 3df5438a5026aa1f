"""One warning for a whole training run, however many fits it was made of."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from postil.learn.fit import FitReport, NotConvergedWarning, ended_and_way_out, unfinished
from postil.learn.search.result import SearchResult, unfinished_sentence


class Unfinished:
    """Counts the fits of a run that are not as near as asked: of categories, folds, a search."""

    def __init__(self, tolerance: float) -> None:
        self._tolerance = tolerance
        self._counts: dict[str, tuple[int, int]] = {}
        self._left: list[FitReport] = []
        self._search = ""

    def add(self, what: str, reports: Sequence[FitReport]) -> None:
        """Take in the fits of all categories; ``what`` tells them from others."""
        left = unfinished(reports, self._tolerance)
        count, total = self._counts.get(what, (0, 0))
        self._counts[what] = (count + len(left), total + len(reports))
        self._left += left

    def add_search(self, result: SearchResult) -> None:
        """Take in a search."""
        if result.unfinished.any():
            self._search = unfinished_sentence(result)

    def warn(self) -> None:
        """Warn once, if anything was left unfinished; for the caller of the caller."""
        said = [self._sentence()] if self._left else []
        said += [self._search] if self._search else []
        if said:
            warnings.warn("; ".join(said), NotConvergedWarning, stacklevel=4)

    def _sentence(self) -> str:
        counts = [
            f"{count} of {total} fit{'' if total == 1 else 's'} {what}"
            for what, (count, total) in self._counts.items()
            if count
        ]
        return f"{' and '.join(counts)} {ended_and_way_out(self._left, self._tolerance)}"
