"""Raw text to the scores of 90 categories, against scikit-learn, fastText and Vowpal Wabbit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from benchmarks.categorized import (
    Categorized,
    categorized,
    in_order_of,
    train_pipeline,
    weights_of,
)
from benchmarks.harness import (
    Cell,
    Line,
    Settings,
    Spread,
    UnequalError,
    benchmark,
    interleaved,
    latencies,
)
from benchmarks.scoring_peers import KEPT, PEERS, Score, is_installed
from postil.errors import CorpusError
from postil.model.scoring import TextScorer
from postil.vectors.vectorizer import Vectorizer

PIPELINE = "scikit-learn pipeline"
ONE_PRODUCT = "scikit-learn, one product"
OURS = {1: "postil, 1 thread", 2: "postil, 2 threads"}
OUR_SPEC = "words(python) lower min(2)"
TOLERANCE = 1e-5
GOALS = {OURS[1]: "≥ 6 × scikit-learn, ≥ 3 × fastText; p50 < 30 µs"}


@dataclass(frozen=True)
class Contender:
    """Something that scores texts, written the way it wants them."""

    score: Score
    texts: list[str]

    @property
    def story(self) -> list[str]:
        """The text of median length."""
        return [sorted(self.texts, key=len)[len(self.texts) // 2]]


@benchmark("scoring", "raw text to the scores of all Reuters categories, test documents")
def run(settings: Settings) -> Iterator[Line]:
    """The same weights in scikit-learn and postil; the peers train models of their own."""
    try:
        data = categorized(settings.documents)
    except CorpusError as error:
        yield f"Left out: {error}."
        return
    contenders = _same_model(data)
    yield _check_equal(contenders)
    for name, (package, train, write) in PEERS.items():
        if is_installed(name):
            contenders[name] = Contender(train(data), [write(text) for text in data.fresh])
        else:
            yield f"Left out: {name} is not installed (pip install {package})."
    yield from _measure(contenders, settings)
    yield (
        f"{len(data.fresh):,} documents, {len(data.categories)} categories. One document is the "
        f"one of median length. fastText and Vowpal Wabbit score with models of their own; "
        f"fastText gives the best {KEPT} categories, Vowpal Wabbit those it decides for."
    )


def _same_model(data: Categorized) -> dict[str, Contender]:
    pipeline = train_pipeline(data)
    weights, intercepts = weights_of(pipeline)
    scorers: dict[str, Callable[[list[str]], object]] = {
        PIPELINE: pipeline.decision_function,
        ONE_PRODUCT: lambda texts: pipeline[0].transform(texts) @ weights + intercepts,
    }
    for threads, name in OURS.items():
        vectorizer = Vectorizer(OUR_SPEC, threads=threads).fit(data.training)
        ordered = in_order_of(vectorizer.vocabulary.names, pipeline, weights)
        scorers[name] = TextScorer(vectorizer, ordered.T, intercepts).scores
    return {name: Contender(score, data.fresh) for name, score in scorers.items()}


def _check_equal(contenders: dict[str, Contender]) -> str:
    results = [np.asarray(one.score(one.texts)) for one in contenders.values()]
    difference = max(float(np.abs(result - results[0]).max()) for result in results)
    if not difference <= TOLERANCE:
        raise UnequalError(f"scores differ by up to {difference:.1e}")
    return f"Equal scores: scikit-learn's and ours differ by at most {difference:.0e}."


def _measure(contenders: dict[str, Contender], settings: Settings) -> Iterator[Line]:
    batches = {name: partial(one.score, one.texts) for name, one in contenders.items()}
    stories = {name: partial(one.score, one.story) for name, one in contenders.items()}
    seconds = interleaved(batches, settings.rounds)
    single = latencies(stories, turns=3 if settings.quick else 12, calls=50)
    for name, one in contenders.items():
        row: dict[str, Cell] = {
            "contender": name,
            "documents/s": Spread.of([len(one.texts) / own for own in seconds[name]]),
        }
        for other in (PIPELINE, ONE_PRODUCT, *PEERS):
            if other in contenders and name in OURS.values():
                row[f"× {other}"] = Spread.of_ratios(seconds[other], seconds[name])
        row["one document, p50 µs"] = float(np.median(single[name]))
        row["p99 µs"] = float(np.percentile(single[name], 99))
        yield row | ({"goal": GOALS[name]} if name in GOALS else {})
