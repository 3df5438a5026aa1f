"""The experiments of zhang-2000: additive and multiplicative updates."""

from __future__ import annotations

from postil_papers.zhang_2000 import selections, tables

EXPERIMENTS = [*tables.EXPERIMENTS, *selections.EXPERIMENTS]
FIGURES = tables.FIGURES
