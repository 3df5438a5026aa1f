"""The experiments of zhang-jin-yang-hauptmann-2003: modified logistic regression as an SVM."""

from __future__ import annotations
