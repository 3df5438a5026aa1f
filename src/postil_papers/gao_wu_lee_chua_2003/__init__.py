"""The experiments of gao-wu-lee-chua-2003: learning for a maximal figure of merit (MFoM)."""

from __future__ import annotations

from postil_papers.gao_wu_lee_chua_2003 import beta, figures, studies, tables

EXPERIMENTS = [
    *tables.EXPERIMENTS,
    *beta.EXPERIMENTS,
    *studies.EXPERIMENTS,
    *figures.EXPERIMENTS,
]
FIGURES = figures.FIGURES
