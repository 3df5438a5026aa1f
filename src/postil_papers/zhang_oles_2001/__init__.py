"""The experiments of zhang-oles-2001: regularized linear classification of Reuters and others."""

from __future__ import annotations

from postil_papers.zhang_oles_2001 import figures, search, tables

EXPERIMENTS = [*search.EXPERIMENTS, *tables.EXPERIMENTS, *figures.EXPERIMENTS]
FIGURES = tables.FIGURES | figures.FIGURES
