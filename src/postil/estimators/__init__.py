"""The scikit-learn face: few classes, no mathematics."""

from __future__ import annotations

from postil.estimators.linear_classifier import LinearClassifier
from postil.estimators.text_vectorizer import TextVectorizer

__all__ = ["LinearClassifier", "TextVectorizer"]
