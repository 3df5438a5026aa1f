"""The experiments of genkin-lewis-madigan-2004: lasso and ridge logistic regression and the SVM."""

from __future__ import annotations
