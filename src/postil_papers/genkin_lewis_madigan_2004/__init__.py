"""The experiments of genkin-lewis-madigan-2004: lasso and ridge logistic regression and the SVM."""

from __future__ import annotations

from postil_papers.genkin_lewis_madigan_2004 import figures, selected, tables

EXPERIMENTS = [*tables.EXPERIMENTS, *selected.EXPERIMENTS, *figures.EXPERIMENTS]
FIGURES = tables.FIGURES | figures.FIGURES
