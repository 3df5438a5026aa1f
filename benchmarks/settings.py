"""How thorough a run is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Settings:
    """What the command line says to every benchmark.

    ``quick`` shows in seconds that everything works; its numbers mean little. ``plots`` is the
    folder plots are written to, if any.
    """

    quick: bool = False
    plots: Path | None = None

    @property
    def rounds(self) -> int:
        """How often each contender has its turn."""
        return 3 if self.quick else 9

    @property
    def processes(self) -> int:
        """How many fresh processes a memory measurement takes."""
        return 1 if self.quick else 3

    @property
    def documents(self) -> int | None:
        """How many documents of a corpus are used; None is all."""
        return 1000 if self.quick else None
