"""The best strength of regularization by folds, and what rules by norms would give.

zhang-oles-2001 ends with the question how the best λ depends on the number n of documents and on
their length. With u their mean squared norm, every strength here is a number times C = 1/u, that is
λ = u/2n over that number. Training documents alone are used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Cell, Line, Settings, benchmark
from postil.corpus.document import Document
from postil.corpus.opening import open_corpus
from postil.errors import CorpusError
from postil.learn.job import Design, Job, Labels
from postil.learn.method import Method
from postil.learn.search.search import LambdaSearch
from postil.recipes.parts import Representation
from postil.recipes.recipe import Recipe
from postil.train.reading import read_training

FACTORS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
"""C times the mean squared norm."""
LOSSES = {"logistic": "logistic", "modified-squared": "squared hinge", "hinge": "hinge"}
COSINE = "TFxIDF"
VECTORS = {COSINE: ("log-tfidf", "l2"), "binary": ("binary", "none")}
RULES = {"λ = c u/n": 1.0, "λ = c u/√n": 0.5, "λ = c u": 0.0}
"""Rules, and the powers of 1/n in them."""
SHOWN = (1, 3, 10, 100)
FOLDS = 5
LARGE, ROUNDS = 2000, 2  # so many documents need only so many of the folds
CATEGORIES = 30  # the largest ones
NEAR, SLIGHT = 3.2, 0.5  # a factor of 3, rounded as the grid is; half a point of break-even
SEED = 2001


@dataclass(frozen=True, slots=True)
class Sample:
    """Some training documents of a corpus; of their fields all, or those that are named."""

    title: str
    corpus: str
    sizes: tuple[int, ...]
    fields: tuple[str, ...] = ()


SAMPLES = (
    Sample("Reuters", "reuters-modapte", (500, 1000, 2000, 5000)),
    Sample("20 Newsgroups", "20news-bydate", (500, 2000)),
    Sample("WebKB", "webkb", (500, 2000)),
    Sample("arXiv", "arxiv-120k", (500, 2000, 5000)),
    Sample("arXiv, titles", "arxiv-120k", (500, 5000), ("title",)),
)


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """The break-even points of one loss at each factor."""

    loss: str
    vectors: str
    documents: int
    values: NDArray[np.float64]

    @property
    def best(self) -> float:
        """The factor of the highest point."""
        return FACTORS[int(self.values.argmax())]

    def lost(self, factor: float) -> float:
        """Return the points below the highest one, straight lines between factors."""
        at = np.interp(np.log(factor), np.log(FACTORS), self.values)
        return float(self.values.max() - at)


@benchmark("strength", "the best strength of regularization by folds, and rules by norm and number")
def run(settings: Settings) -> Iterator[Line]:
    """Every loss on every sample and kind of vectors; then the rules."""
    curves: list[Curve] = []
    for sample in SAMPLES:
        try:
            documents = _training(sample.corpus)
        except CorpusError as error:
            yield f"Left out: {error}."
            continue
        for size in sample.sizes[: 1 if settings.quick else None]:
            for vectors in VECTORS:
                job = _job(documents[:size], sample.fields, vectors)
                found = [curve_of(job, loss, vectors) for loss in LOSSES]
                curves += found
                yield _row(sample.title, job, found)
    yield (
        "“Best” is C times u, the mean squared norm of documents, where the micro-averaged "
        "break-even point out of fold (in brackets, in %) is highest; the next column has the "
        f"points lost at other values of it. There are {FOLDS} folds, of which {ROUNDS} are run "
        f"from {LARGE:,} documents on. Documents are a random sample of the training documents, "
        f"and the {CATEGORIES} largest categories are learned by dual coordinate descent. Of each "
        "rule the constant c with the least mean loss is shown."
    )
    for chosen in (list(VECTORS), [COSINE]):
        for loss, name in LOSSES.items():
            told = [each for each in curves if each.loss == loss and each.vectors in chosen]
            if told:
                yield _told(f"{name}, {' and '.join(chosen)} vectors", told)


@cache
def _training(corpus: str) -> list[Document]:
    """Return the training documents in random order."""
    documents = [each for each in open_corpus(corpus) if each.split != "test"]
    order = np.random.default_rng(SEED).permutation(len(documents))
    return [documents[place] for place in order]


def _job(documents: Sequence[Document], fields: tuple[str, ...], vectors: str) -> Job:
    weights, norm = VECTORS[vectors]
    representation = Representation(fields=fields, weights=weights, norm=norm)
    recipe = Recipe("strength", representation=representation)
    _, read = read_training(documents, recipe, notify=lambda _: None)
    largest = np.argsort(-read.labels.sizes(), kind="stable")[:CATEGORIES]
    names = tuple(read.labels.names[place] for place in largest)
    labels = Labels(names, read.labels.members[:, largest])
    return Job(Design(read.matrix), labels, quiet=True)


def norm_of(job: Job) -> float:
    """Return the mean squared norm of the documents."""
    return float(np.square(job.design.rows.data, dtype=np.float64).sum() / job.design.documents)


def curve_of(job: Job, loss: str, vectors: str) -> Curve:
    """Measure a loss out of fold at each factor."""
    costs = [factor / norm_of(job) for factor in FACTORS]
    rounds = FOLDS if job.design.documents < LARGE else ROUNDS
    search = LambdaSearch(costs, FOLDS, measure="break-even", over="C", rounds=rounds)
    found = search.run(job, Method(loss, solver="dual-coordinate"))
    values = dict(zip(found.grid, found.values, strict=True))
    points = np.array([100 * values[cost] for cost in costs])
    return Curve(loss, vectors, job.design.documents, points)


def _row(title: str, job: Job, curves: Sequence[Curve]) -> Mapping[str, Cell]:
    row: dict[str, Cell] = {
        "documents": title,
        "n": job.design.documents,
        "vectors": curves[0].vectors,
        "u": norm_of(job),
    }
    for curve in curves:
        name = LOSSES[curve.loss]
        row[f"{name}: best"] = f"{curve.best:g} ({curve.values.max():.1f})"
        row[f"{name}: lost at {', '.join(map(str, SHOWN))}"] = ", ".join(
            f"{curve.lost(factor):.1f}" for factor in SHOWN
        )
    return row


def _told(title: str, curves: Sequence[Curve]) -> str:
    """Return how near each rule comes to the best strengths."""
    return f"{title}: {'; '.join(_rule(name, power, curves) for name, power in RULES.items())}."


def _rule(name: str, power: float, curves: Sequence[Curve]) -> str:
    # λ = c u / n^p is the factor n^(p-1) / 2c.
    tried = 0.5 / np.geomspace(FACTORS[0], FACTORS[-1], 100)
    scale = np.median([each.documents for each in curves]) ** (power - 1.0)

    def factors(constant: float) -> list[float]:
        return [each.documents ** (power - 1.0) / (2.0 * constant) for each in curves]

    def losses(constant: float) -> list[float]:
        pairs = zip(curves, factors(constant), strict=True)
        return [each.lost(factor) for each, factor in pairs]

    best = min((constant * scale for constant in tried), key=lambda c: float(np.mean(losses(c))))
    lost = np.array(losses(best))
    ratios = np.array(factors(best)) / [each.best for each in curves]
    near = np.mean((ratios <= NEAR) & (ratios >= 1 / NEAR))
    return (
        f"{name} with c = {best:.2g} loses {lost.mean():.1f} points on average, {lost.max():.1f} "
        f"at most, {SLIGHT:g} or less in {np.mean(lost <= SLIGHT):.0%} of the rows, and is within "
        f"a factor of 3 of the best in {near:.0%}"
    )
