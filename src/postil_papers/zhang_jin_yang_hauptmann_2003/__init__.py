"""The experiments of zhang-jin-yang-hauptmann-2003: modified logistic regression as an SVM."""

from __future__ import annotations

from postil_papers.zhang_jin_yang_hauptmann_2003 import figures, tables, texts

EXPERIMENTS = [*tables.EXPERIMENTS, *texts.EXPERIMENTS, *figures.EXPERIMENTS]
FIGURES = figures.FIGURES
