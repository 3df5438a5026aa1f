"""What `postil corpus info` gathers and shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from postil.cli.progress import watched

if TYPE_CHECKING:
    from postil.corpus.corpus import Corpus
    from postil.corpus.statistics import CorpusStatistics
