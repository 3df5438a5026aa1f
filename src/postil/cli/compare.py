"""`postil compare`: recipes side by side on one corpus."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument

from postil.cli.console import counted, say, show_json, show_table
from postil.cli.files import is_stream, reporting_problems
from postil.cli.options import AsJson, Reading, Seed, Threads, reads_corpus
from postil.cli.progress import progress_bar
from postil.errors import UsageError

if TYPE_CHECKING:
    from postil.corpus.corpus import Corpus
    from postil.evaluate.comparisons import RunComparison
    from postil.recipes.recipe import Recipe
    from postil.train.assess import Assessment


LEVEL = 0.05


@reads_corpus
def compare(
    corpus: Annotated[str, Argument(help="A corpus with documents marked train and test.")],
    recipes: Annotated[list[str], Argument(help="Names or files of two or more recipes.")],
    reading: Reading,
    threads: Threads = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Train recipes on one corpus and test their differences.

    All recipes learn from the same documents and are tested on the same documents. Each of the
    others is compared with the first: pairs of document and category by the micro sign test, F1
    of categories by Wilcoxon's signed-rank test. A * marks p under 0.05; p-values are not
    corrected for the number of recipes.

    \b
    Examples:
      postil compare demo default logistic naive-bayes-2
      postil compare reuters-modapte mod-least-squares svm logistic --json
    """
    from postil.evaluate import compare_runs
    from postil.model.numbered import names_vectors
    from postil.recipes.recipe import load_recipe

    if len(set(recipes)) < 2 or len(set(recipes)) < len(recipes):
        raise UsageError("name two or more different recipes")
    chosen = [(name, load_recipe(name)) for name in recipes]
    if is_stream(corpus):
        raise UsageError(
            f"{corpus}: postil compare reads documents several times, and a stream can be read "
            "only once; save it to a file"
        )
    if names_vectors(corpus, reading.values["format"]):
        raise UsageError(
            f"{corpus}: postil compare does not read svmlight files, which cannot mark documents "
            "train and test; postil train each recipe on one file, and postil evaluate each model "
            "on another"
        )
    opened = reading.open(corpus)
    opened.needs_test = True
    with reporting_problems(opened):
        # Recipes that read the same documents have the same notes: each is printed once.
        say_once = functools.lru_cache(maxsize=None)(say)
        runs = [_run(name, recipe, opened, threads, seed, say_once) for name, recipe in chosen]
    first = runs[0]
    tests = [
        compare_runs(
            first.tested.truth,
            first.tested.decisions,
            other.tested.decisions,
            names=(first.title, other.title),
            level=LEVEL,
        )
        for other in runs[1:]
    ]
    if as_json:
        show_json(
            {
                "corpus": opened.name,
                "runs": [run.to_dict() for run in runs],
                "comparisons": [test.to_dict() for test in tests],
            }
        )
        return
    _show(opened.name, runs, tests)


@dataclass(frozen=True, slots=True)
class _Run:
    name: str
    title_in_file: str
    tested: Assessment
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        return {
            "recipe": self.name,
            "name": self.title_in_file,
            "seconds": self.seconds,
            "evaluation": self.tested.report.to_dict(),
        }

    @property
    def title(self) -> str:
        """The name that the user gave, and for a file the name inside it."""
        return (
            self.name if self.title_in_file == self.name else f"{self.name} ({self.title_in_file})"
        )

    def row(self) -> list[str]:
        report = self.tested.report
        assert report.ranking is not None
        values = [
            report.micro["precision"],
            report.micro["recall"],
            report.micro["f1"],
            report.macro["f1"].value,
            report.ranking.break_even["nearest"].micro,
        ]
        return [self.title, *(f"{100 * value:.1f}" for value in values), f"{self.seconds:.1f}"]


def _run(
    name: str,
    recipe: Recipe,
    corpus: Corpus,
    threads: int | None,
    seed: int,
    notify: Callable[[str], None],
) -> _Run:
    from postil.train.assess import assessment
    from postil.train.train import train

    begun = time.monotonic()
    with progress_bar() as bar:
        model = train(
            corpus,
            recipe,
            corpus=corpus.name,
            threads=threads,
            seed=seed,
            progress=lambda step, done, total: bar.update(f"{name}: {step}", done, total),
            notify=notify,
        )
        seconds = time.monotonic() - begun
        tested = assessment(model, corpus.only("test"), corpus=corpus.name, threads=threads)
    if tested.unknown:
        notify(tested.unknown_note())
    return _Run(name, recipe.name, tested, seconds)


def _show(corpus: str, runs: list[_Run], tests: list[RunComparison]) -> None:
    header = ["recipe", "precision", "recall", "micro-F1", "macro-F1", "break-even", "seconds"]
    marks = [["", ""], *(_marks(test) for test in tests)]
    columns = [*header, "micro sign p", "Wilcoxon F1 p"]
    show_table(
        columns, [run.row() + mark for run, mark in zip(runs, marks, strict=True)], " rrrrrrrr"
    )
    documents, categories = runs[0].tested.truth.shape
    say(
        f"{corpus}: {counted(documents, 'test document')}, "
        f"{counted(categories, 'category', 'categories')}; p-values against "
        f"{runs[0].title}, * is under {LEVEL}"
    )


def _marks(test: RunComparison) -> list[str]:
    values = [test.tests[name].p_value for name in ("micro_sign", "wilcoxon_f1")]
    return [f"{value:.2g}{'*' if value < LEVEL else ''}" for value in values]
