"""The default of postil against what others would be tuned to: quality on test documents.

The peers get what a user would give them: TfidfVectorizer (with sublinear_tf) and LinearSVC or
LogisticRegression, their C by 3 folds of the training documents; fastText with its own search, for
as long as postil took, and with the settings that its users usually take. Documents and labels are
the same; no contender chooses on test documents.
"""

from __future__ import annotations

import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from benchmarks.harness import Cell, Line, Settings, benchmark
from postil.corpus.document import Document
from postil.corpus.opening import open_corpus
from postil.corpus.split import split_corpus
from postil.errors import CorpusError
from postil.evaluate.break_even import break_even_points
from postil.learn.job import Labels
from postil.recipes.recipe import load_recipe
from postil.train.predict import Predictor
from postil.train.train import train

FOLDS = 3
SVC_STRENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0)
LOGISTIC_STRENGTHS = (1.0, 10.0, 100.0)
MOST_TUNED = 20_000  # documents that the peers' C is chosen on
FASTTEXT = {"lr": 0.5, "epoch": 25}
TRIES = 5
SEED = 2026
TEST_SHARE = 0.3

Given = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Task:
    """A corpus, the options of its reader, and whether it has to be split first."""

    title: str
    corpus: str
    choices: Mapping[str, object] = field(default_factory=dict)
    split: bool = False
    large: bool = False


TASKS = (
    Task("Reuters, ModApte", "reuters-modapte"),
    Task("20 Newsgroups", "20news-bydate", {"strip_headers": False}),
    Task("WebKB", "webkb", split=True),
)
LARGE = (Task("arXiv", "arxiv-120k", large=True),)


class Answer(NamedTuple):
    """The categories that a contender gives the test documents, its scores and its choice."""

    given: Given
    scores: Floats | None
    chosen: str


@dataclass(frozen=True, slots=True)
class Problem:
    """Training and test documents, and the memberships of the categories that both have."""

    training: Sequence[Document]
    tests: Sequence[Document]
    learned: Labels
    truth: Given  # test documents × categories of ``learned``
    counted: NDArray[np.bool_]  # the categories that some test document has
    unknown: int  # memberships in categories without a training document

    @classmethod
    def of(cls, task: Task, most: int | None) -> Problem:
        """Read a corpus."""
        corpus = open_corpus(task.corpus, choices=task.choices)
        if task.split:
            corpus = split_corpus(corpus, TEST_SHARE, SEED)
        documents = list(corpus)
        training = _thinned([each for each in documents if each.split != "test"], most)
        tests = _thinned([each for each in documents if each.split == "test"], most)
        learned = Labels.of([each.labels for each in training])
        truth = Labels.of([each.labels for each in tests], learned.names).members.toarray() > 0
        unknown = sum(len(set(each.labels)) for each in tests) - int(truth.sum())
        return cls(training, tests, learned, truth, truth.any(axis=0), unknown)

    @property
    def single(self) -> bool:
        """True if every training document has exactly one label."""
        return self.learned.is_single_label

    def measured(self, answer: Answer) -> dict[str, Cell]:
        """Return accuracy, or F1 of counted categories and the break-even point of all, in %."""
        given, truth = answer.given, self.truth
        if self.single:
            return {"accuracy": float(100 * (given & truth).any(axis=1).mean())}
        given, truth = given[:, self.counted], truth[:, self.counted]
        found, total = (given & truth).sum(axis=0), given.sum(axis=0) + truth.sum(axis=0)
        measured: dict[str, Cell] = {
            "micro-F1": float(200 * found.sum() / total.sum()),
            "macro-F1": float(100 * (2 * found / total).mean()),
        }
        if answer.scores is not None:
            points = break_even_points(sp.csr_matrix(self.truth), answer.scores)
            missed = points.false_negatives.sum() + self.unknown
            recall = points.true_positives.sum() / (points.true_positives.sum() + missed)
            measured["break-even"] = 50 * float(points.precision + recall)
        return measured


def _thinned(documents: list[Document], most: int | None) -> list[Document]:
    return documents if most is None else documents[:: max(1, len(documents) // most)]


@benchmark("defaults", "quality of the default recipe, against peers with a tuned strength")
def run(settings: Settings) -> Iterator[Line]:
    """Train every contender on each corpus, and measure it on the test documents once."""
    yield from _contest(TASKS, settings)


@benchmark("defaults-large", "the same on 100,000 documents with 176 categories")
def run_large(settings: Settings) -> Iterator[Line]:
    """Train every contender on a large corpus, and measure it on the test documents once."""
    yield from _contest(LARGE, settings)


def _contest(tasks: Sequence[Task], settings: Settings) -> Iterator[Line]:
    for task in tasks:
        try:
            problem = Problem.of(task, settings.documents)
        except CorpusError as error:
            yield f"Left out: {error}."
            continue
        yield from _rows(task, problem)
    yield (
        "Every contender chooses on training documents alone. C of the peers comes from "
        f"{FOLDS} folds of at most {MOST_TUNED:,} of them; fastText autotune searches for as long "
        "as postil trained. WebKB has no split of its own: "
        f"{TEST_SHARE:.0%} of its documents, drawn by category, are the test. F1 is of the "
        "categories that training and test documents have; the micro-averaged break-even point "
        "(docs/measuring.md) is of all categories that either has, 118 of Reuters. Several "
        "versions of postil's default were measured on these test documents; the last is shown."
    )


def _rows(task: Task, problem: Problem) -> Iterator[Line]:
    begun = time.perf_counter()
    answer = _postil(problem)
    budget = time.perf_counter() - begun
    yield _row(task, "postil", problem.measured(answer), budget, answer.chosen)
    contenders: dict[str, Callable[[], Answer]] = {
        "TfidfVectorizer + LinearSVC": lambda: _scikit(problem, logistic=False),
    }
    if not task.large:
        contenders["TfidfVectorizer + LogisticRegression"] = lambda: _scikit(problem, logistic=True)
    if find_spec("fasttext"):
        contenders["fastText"] = lambda: _fasttext(problem, None)
        contenders["fastText, autotune"] = lambda: _fasttext(problem, budget)
    for name, contender in contenders.items():
        begun = time.perf_counter()
        answer = contender()
        seconds = time.perf_counter() - begun
        yield _row(task, name, problem.measured(answer), seconds, answer.chosen)
    if task.large:
        yield "LogisticRegression is left out: its search takes long."
    if not find_spec("fasttext"):
        yield "fastText is left out: it is not installed."


def _row(
    task: Task, name: str, measured: Mapping[str, Cell], seconds: float, chosen: str
) -> dict[str, Cell]:
    return {
        "corpus": task.title,
        "contender": name,
        **measured,
        "seconds": round(seconds),
        "chosen": chosen,
    }


def _postil(problem: Problem) -> Answer:
    model = train(problem.training, load_recipe("auto"), notify=lambda _: None)
    predictor = Predictor(model)
    columns = model.vectorizer.fields.columns_of(problem.tests)
    scores = predictor.scores(columns)
    given = np.asarray(model.decision.accept(scores))
    places = [model.names.index(name) for name in problem.learned.names]
    board = model.method.get("auto", {}).get("leaderboard", [])
    chosen = next((row for row in board if row["chosen"]), {"name": "default", "C": 1.0})
    strength = f", C = {chosen['C']:g}" if chosen["C"] else ""
    return Answer(given[:, places], scores[:, places], f"{chosen['name']}{strength}")


def _text(document: Document) -> str:
    return "\n".join(document.fields.values())


def _scikit(problem: Problem, *, logistic: bool) -> Answer:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    learner: Any = LogisticRegression(max_iter=1000) if logistic else LinearSVC()
    name = "logisticregression" if logistic else "linearsvc"
    targets: Any = problem.learned.members.toarray()
    grid = {f"{name}__C": list(LOGISTIC_STRENGTHS if logistic else SVC_STRENGTHS)}
    if problem.single:
        targets = targets.argmax(axis=1)
        measure = "accuracy"
    else:
        learner, measure = OneVsRestClassifier(learner, n_jobs=2), "f1_micro"
        grid = {
            f"onevsrestclassifier__estimator__{key[len(name) + 2 :]}": v for key, v in grid.items()
        }
    pipeline = make_pipeline(TfidfVectorizer(sublinear_tf=True), learner)
    texts = [_text(each) for each in problem.training]
    some = np.random.default_rng(SEED).permutation(len(texts))[:MOST_TUNED]
    warnings.filterwarnings("ignore", "Label not")  # some folds lack a rare category
    search = GridSearchCV(pipeline, grid, scoring=measure, cv=FOLDS, n_jobs=2, refit=False)
    search.fit([texts[row] for row in some], targets[some])
    pipeline.set_params(**search.best_params_)
    scores = pipeline.fit(texts, targets).decision_function([_text(each) for each in problem.tests])
    (strength,) = search.best_params_.values()
    if problem.single:
        given = np.eye(len(problem.learned), dtype=np.bool_)[scores.argmax(axis=1)]
    else:
        given = np.asarray(scores) > 0
    return Answer(given, scores, f"C = {strength:g}")


def _fasttext(problem: Problem, seconds: float | None, tries: int = TRIES) -> Answer:
    """Run fastText in a new process: in one that has worked before, it often ends in NaN."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        try:
            return pool.submit(_fasttext_here, problem, seconds).result()
        except RuntimeError:  # its threads race, and a few runs still end in NaN
            if tries == 1:
                raise
    return _fasttext(problem, seconds, tries - 1)


def _fasttext_here(problem: Problem, seconds: float | None) -> Answer:
    import fasttext

    names = problem.learned.names
    order = np.random.default_rng(SEED).permutation(len(problem.training)).tolist()
    kept = [row for row in order if problem.training[row].labels]
    lines = [_line(problem.training[row], names) for row in kept]
    held_out = 0 if seconds is None else max(1, len(lines) // 5)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("train.txt", "valid.txt")]
        for path, part in zip(paths, (lines[held_out:], lines[:held_out]), strict=True):
            path.write_text("".join(part), encoding="utf-8")
        settings: dict[str, Any] = dict(FASTTEXT)
        if seconds is not None:
            settings = {
                "autotuneValidationFile": str(paths[1]),
                "autotuneDuration": max(10, round(seconds)),
            }
        loss = "softmax" if problem.single else "ova"
        model = fasttext.train_supervised(str(paths[0]), **settings, loss=loss, thread=2, verbose=0)
    given = np.zeros(problem.truth.shape, dtype=np.bool_)
    for row, document in enumerate(problem.tests):
        text = _flat(document)
        count, least = (1, 0.0) if problem.single else (-1, 0.5)
        # The method of the model: the package's own predict fails with NumPy 2.
        for _, label in model.f.predict(text + "\n", count, least, "strict"):
            given[row, int(label.removeprefix("__label__"))] = True
    chosen = model.f.getArgs()
    return Answer(
        given,
        None,
        f"{chosen.wordNgrams}-grams of words, {chosen.epoch} epochs, rate {chosen.lr:.2g}",
    )


def _flat(document: Document) -> str:
    return " ".join(_text(document).lower().split())


def _line(document: Document, names: Sequence[str]) -> str:
    place = {name: number for number, name in enumerate(names)}
    labels = " ".join(f"__label__{place[label]}" for label in sorted(document.labels))
    return f"{labels} {_flat(document)}\n"
