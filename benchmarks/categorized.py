"""Reuters with its categories: texts to learn from, texts to score, and a trained linear model."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import LinearSVC

from benchmarks.corpora import REUTERS
from postil.corpus.document import Document
from postil.corpus.opening import open_corpus


@dataclass(frozen=True)
class Categorized:
    """The categories that have documents on both sides of the split: 90 in all of Reuters."""

    training: list[str]
    labels: list[list[str]]
    fresh: list[str]
    categories: list[str]

    def indicator(self) -> NDArray[np.int8]:
        """Training documents × categories."""
        place = {name: column for column, name in enumerate(self.categories)}
        members = np.zeros((len(self.training), len(place)), dtype=np.int8)
        for row, labels in enumerate(self.labels):
            members[row, [place[label] for label in labels]] = 1
        return members


def categorized(documents: int | None) -> Categorized:
    """Read at most so many documents of each side."""
    corpus = open_corpus(REUTERS)
    train, test = (list(islice(corpus.only(side), documents)) for side in ("train", "test"))
    shared = {label for one in train for label in one.labels}
    shared &= {label for one in test for label in one.labels}
    return Categorized(
        [_text(document) for document in train],
        [sorted(shared.intersection(document.labels)) for document in train],
        [_text(document) for document in test],
        sorted(shared),
    )


def _text(document: Document) -> str:
    return "\n".join(text for text in map(document.fields.get, ("title", "body")) if text)


def train_pipeline(data: Categorized) -> Pipeline:
    """The pipeline a user of scikit-learn would build: one linear SVM for each category."""
    pipeline = make_pipeline(TfidfVectorizer(), OneVsRestClassifier(LinearSVC()))
    return pipeline.fit(data.training, data.indicator())


def weights_of(pipeline: Pipeline) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The weights, terms × categories, and the intercepts of a trained pipeline."""
    machines = pipeline[-1].estimators_
    weights = np.vstack([machine.coef_ for machine in machines]).T
    return np.ascontiguousarray(weights), np.concatenate([m.intercept_ for m in machines])


def in_order_of(names: list[str], pipeline: Pipeline, weights: Any) -> csr_matrix[Any]:
    """The weights, in float32, with rows in the order of other names for the same terms."""
    rows = [pipeline[0].vocabulary_[name] for name in names]
    return csr_matrix(weights[rows].astype(np.float32))
