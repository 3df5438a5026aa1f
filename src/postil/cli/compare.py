"""`postil compare`: recipes side by side on one corpus."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from postil.cli.console import counted, say, show_json, show_table
from postil.cli.output import refuse_once, told
from postil.cli.progress import steps
from postil.cli.reading import Reading, reads_corpus

if TYPE_CHECKING:
    from postil.corpus.corpus import Corpus
    from postil.evaluate import RunComparison
    from postil.recipes.recipe import Recipe
    from postil.train.assess import Assessment


LEVEL = 0.05


@reads_corpus
def compare(
    corpus: Annotated[str, typer.Argument(help="A corpus with documents marked train and test.")],
    recipes: Annotated[list[str], typer.Argument(help="Two or more recipes, names or files.")],
    reading: Reading,
    threads: Annotated[
        int | None, typer.Option("--threads", help="Threads (default: every processor).")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of folds and random orders.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="For a program to read.")] = False,
) -> None:
    """Train recipes on the same documents, test them on the same, and say what is significant.

    The first recipe is the one that the others are tested against: pairs of document and category
    by the micro sign test, F1 of categories by Wilcoxon's signed ranks. A difference with p under
    0.05 is marked *; p-values are not corrected for the number of recipes.

    \b
    postil compare demo default logistic naive-bayes-2
    postil compare reuters-modapte mod-least-squares svm logistic --json
    """
    from postil.evaluate import compare_runs
    from postil.recipes.recipe import load_recipe

    if len(set(recipes)) < 2 or len(set(recipes)) < len(recipes):
        raise typer.BadParameter("name two or more different recipes")
    chosen = [(name, load_recipe(name)) for name in recipes]
    refuse_once(corpus, "postil compare")
    reading.refuse_vectors(
        corpus,
        "their documents cannot be marked train and test: postil train each recipe on one file, "
        "and postil evaluate each model on another",
    )
    opened = reading.open(corpus)
    opened.needs_test = True
    with told(opened):
        notes = _Notes()
        runs = [_run(name, recipe, opened, threads, seed, notes) for name, recipe in chosen]
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
    own: str
    tested: Assessment
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        return {
            "recipe": self.name,
            "name": self.own,
            "seconds": self.seconds,
            "evaluation": self.tested.report.to_dict(),
        }

    @property
    def title(self) -> str:
        """What the user called it, and beside a file the name that stands in it."""
        return self.name if self.own == self.name else f"{self.name} ({self.own})"

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


class _Notes:
    """Says every note once: recipes that read the same documents have the same to say."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def notify(self, note: str) -> None:
        if note not in self._said:
            self._said.add(note)
            say(note)


def _run(
    name: str, recipe: Recipe, corpus: Corpus, threads: int | None, seed: int, notes: _Notes
) -> _Run:
    from postil.train.assess import assessment
    from postil.train.train import train

    begun = time.monotonic()
    with steps() as progress:
        model = train(
            corpus,
            recipe,
            corpus=corpus.name,
            threads=threads,
            seed=seed,
            progress=lambda step, done, total: progress.reach(f"{name}: {step}", done, total),
            notify=notes.notify,
        )
        seconds = time.monotonic() - begun
        tested = assessment(model, corpus.only("test"), corpus=corpus.name, threads=threads)
    if tested.unknown:
        notes.notify(tested.unknown_note())
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
