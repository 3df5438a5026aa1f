"""Text categorization with regularized linear classifiers.

Public names are imported when they are first used, so that ``import postil`` takes milliseconds.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from postil.categorizer import TextCategorizer
    from postil.corpus.corpus import Corpus
    from postil.corpus.document import Document
    from postil.corpus.opening import open_corpus
    from postil.corpus.options import ReadOptions
    from postil.errors import PostilError
    from postil.estimators.linear_classifier import LinearClassifier
    from postil.estimators.text_vectorizer import TextVectorizer
    from postil.text.analyzer import Analyzer

__all__ = [
    "Analyzer",
    "Corpus",
    "Document",
    "LinearClassifier",
    "PostilError",
    "ReadOptions",
    "TextCategorizer",
    "TextVectorizer",
    "open_corpus",
]

__version__ = "0.1.0"

_HOME = {
    "Analyzer": "postil.text.analyzer",
    "Corpus": "postil.corpus.corpus",
    "Document": "postil.corpus.document",
    "LinearClassifier": "postil.estimators.linear_classifier",
    "PostilError": "postil.errors",
    "ReadOptions": "postil.corpus.options",
    "TextCategorizer": "postil.categorizer",
    "TextVectorizer": "postil.estimators.text_vectorizer",
    "open_corpus": "postil.corpus.opening",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'postil' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
