"""The experiments of zhang-2000: additive and multiplicative updates."""

from __future__ import annotations

from postil_papers.zhang_2000 import selections, tables, web_pages

EXPERIMENTS = [*tables.EXPERIMENTS, *selections.EXPERIMENTS, *web_pages.EXPERIMENTS]
FIGURES = tables.FIGURES
