"""`postil compare`: models and recipes side by side on one corpus."""

from __future__ import annotations

import functools
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from postil.cli.console import counted, json_text, say, show_json, show_table
from postil.cli.evaluate import UNKNOWN, warn_of
from postil.cli.files import (
    CountedCorpus,
    check_output,
    is_stream,
    naming_errors,
    reporting_problems,
)
from postil.cli.options import AsJson, Reading, Seed, Threads, output_option, reads_corpus
from postil.cli.progress import progress_bar
from postil.common.escaping import visible
from postil.common.tables import TableFormat, table_text
from postil.errors import UsageError

if TYPE_CHECKING:
    from postil.corpus.corpus import Corpus
    from postil.corpus.document import Document
    from postil.evaluate.comparisons import RunComparison
    from postil.model.model import Model
    from postil.recipes.recipe import Recipe
    from postil.train.assess import Assessment
    from postil.train.changes import Change, ChangeReason, ModelDifference


LEVEL = 0.05
MODEL = ".postil"
TESTS = {"micro_sign": "micro sign p (Holm)", "wilcoxon_f1": "Wilcoxon F1 p (Holm)"}


@reads_corpus
def compare(
    corpus: Annotated[str, Argument(help="A corpus, with documents marked train and test.")],
    names: Annotated[
        list[str],
        Argument(
            metavar="MODEL|RECIPE...",
            help="Two or more model files (.postil) or recipes, by name or file.",
        ),
    ],
    reading: Reading,
    table: Annotated[
        TableFormat, Option(help="Print the table as text, csv, latex or markdown.")
    ] = "text",
    changes: Annotated[
        Path | None,
        output_option("File for the documents that two models decide differently.", "--changes"),
    ] = None,
    top: Annotated[
        int, Option(min=0, help="Number of changed documents to show, without labels.")
    ] = 5,
    threads: Threads = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Test the differences of models and recipes on one corpus.

    Recipes learn from the documents that are not marked test; models and recipes are tested on the
    same documents: those marked test, or all if none is marked and only models are given. Each of
    the others is compared with the first: pairs of document and category by the micro sign test,
    F1 of categories by Wilcoxon's signed-rank test. A * marks p under 0.05; p-values are corrected
    for the number of comparisons by Holm's method.

    If no document has a label, two models are compared by what they give: how many documents
    change, the categories gained and lost, and the terms that explain the first changes.
    --changes writes all changed documents, one line of JSON each, also of documents with labels.

    \b
    Examples:
      postil compare demo default logistic naive-bayes-2
      postil compare reuters-modapte mod-least-squares svm logistic --json
      postil compare mails.csv old.postil new.postil default --table markdown
      postil compare unlabelled.jsonl old.postil new.postil --changes changes.jsonl
    """
    if _names_model(corpus):
        raise UsageError(f"{corpus} is a model: name the corpus first, then models and recipes")
    entries = _entries(names)
    _check(corpus, entries, reading, changes, as_json=as_json, table=table)
    models = [entry.model for entry in entries if entry.model is not None]
    opened = reading.open(corpus, *models)
    # Recipes that read the same documents have the same notes: each is printed once.
    say_once = functools.lru_cache(maxsize=None)(say)
    opened.needs_test = any(entry.recipe is not None for entry in entries)
    with reporting_problems(opened):
        for entry in entries:
            entry.make(opened, threads, seed, say_once)
        if not opened.needs_test and not any(document.labels for document in opened):
            _compare_unlabelled(opened, entries, changes, top, threads, as_json=as_json)
            return
        together = {name for entry in entries for name in entry.made.names}
        runs = [_tested(entry, opened, together, threads, say_once) for entry in entries]
        if changes is not None:
            documents = opened.only("test") if opened.tested else opened
            difference = _difference(entries, threads)
            _written(difference, documents, opened.name, changes, 0)
    tests = _comparisons(runs)
    if as_json:
        show_json(_to_dict(opened.name, runs, tests))
        return
    _show(opened, runs, tests, table)


@dataclass(slots=True)
class _Entry:
    """A model, or a recipe to train one by."""

    name: str
    recipe: Recipe | None = None
    model: Model | None = None
    seconds: float | None = None

    @property
    def made(self) -> Model:
        assert self.model is not None
        return self.model

    @property
    def title(self) -> str:
        """The name that the user gave, and for a recipe file the name inside it."""
        if self.recipe is None or self.recipe.name == self.name:
            return self.name
        return f"{self.name} ({self.recipe.name})"

    def make(
        self,
        corpus: Corpus,
        threads: int | None,
        seed: int,
        notify: Callable[[str], None],
    ) -> None:
        """Train the model of a recipe, and measure the time."""
        from postil.train.train import train

        if self.recipe is None:
            return
        begun = time.monotonic()
        with progress_bar() as bar:
            self.model = train(
                corpus,
                self.recipe,
                corpus=corpus.name,
                threads=threads,
                seed=seed,
                progress=lambda step, done, total: bar.update(f"{self.name}: {step}", done, total),
                notify=notify,
            )
        self.seconds = time.monotonic() - begun


def _entries(names: list[str]) -> list[_Entry]:
    """Load the recipes; models are loaded once the other arguments are checked."""
    from postil.recipes.recipe import load_recipe

    if len(set(names)) < 2 or len(set(names)) < len(names):
        raise UsageError("name two or more different models or recipes")
    return [_Entry(n, None if _names_model(n) else load_recipe(n)) for n in names]


def _names_model(name: str) -> bool:
    """Return True for a name that ends in .postil, and for a file that begins like a model."""
    path = Path(name)
    if name.endswith(MODEL):
        return True
    if path.suffix == ".toml" or not path.is_file():
        return False
    with path.open("rb") as file:
        # A safetensors file begins with the length of its header, which is JSON.
        length, brace = int.from_bytes(file.read(8), "little"), file.read(1)
    return brace == b"{" and length < path.stat().st_size


def _check(
    corpus: str,
    entries: list[_Entry],
    reading: Reading,
    changes: Path | None,
    *,
    as_json: bool,
    table: TableFormat,
) -> None:
    """Refuse what cannot be compared, before any reading, and load the models."""
    from postil.model.load import load_model
    from postil.model.numbered import names_vectors

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
    if as_json and table != "text":
        raise UsageError("--json and --table both choose the output: give one of them")
    if changes is not None:
        if len(entries) != 2:
            raise UsageError("--changes compares two models or recipes: name two")
        check_output(changes, corpus, *(entry.name for entry in entries))
    for entry in entries:
        if entry.recipe is None:
            entry.model = load_model(entry.name)
            if "route" in entry.model.method:
                say(f"{entry.name}: its route is left out; labels that it would withhold count")


@dataclass(frozen=True, slots=True)
class _Run:
    entry: _Entry
    tested: Assessment

    def to_dict(self) -> dict[str, Any]:
        recipe, model = self.entry.recipe, self.entry.made
        kind = "model" if recipe is None else "recipe"
        return {
            kind: self.entry.name,
            "name": model.recipe.get("name") if recipe is None else recipe.name,
            "seconds": self.entry.seconds,
            "evaluation": self.tested.report.to_dict(),
            "learned_from": self.tested.learned_from,
        }

    def row(self) -> list[str]:
        report, seconds = self.tested.report, self.entry.seconds
        assert report.ranking is not None
        values = [
            *([] if report.accuracy is None else [report.accuracy]),
            report.micro["precision"],
            report.micro["recall"],
            report.micro["f1"],
            report.macro["f1"].value,
            report.ranking.break_even["nearest"].micro,
        ]
        cells = [f"{100 * value:.1f}" for value in values]
        return [self.entry.title, *cells, UNKNOWN if seconds is None else f"{seconds:.1f}"]


def _tested(
    entry: _Entry,
    corpus: CountedCorpus,
    categories: set[str],
    threads: int | None,
    notify: Callable[[str], None],
) -> _Run:
    """Measure a model on the test documents, over the categories of all models."""
    from postil.train.assess import assessment

    documents = corpus.only("test") if corpus.needs_test else corpus
    with progress_bar() as bar:
        measured = assessment(
            entry.made,
            documents,
            corpus=corpus.name,
            also=categories,
            threads=threads,
            progress=lambda step, done, total: bar.update(f"{entry.name}: {step}", done, total),
        )
    warn_of(measured, entry.name, notify)
    return _Run(entry, measured)


def _comparisons(runs: list[_Run]) -> list[RunComparison]:
    from postil.evaluate import compare_runs

    first = runs[0]
    return [
        compare_runs(
            first.tested.truth,
            first.tested.decisions,
            other.tested.decisions,
            names=(first.entry.title, other.entry.title),
            level=LEVEL,
        )
        for other in runs[1:]
    ]


def _to_dict(corpus: str, runs: list[_Run], tests: list[RunComparison]) -> dict[str, Any]:
    from postil.evaluate.comparisons import holm_of_tests
    from postil.evaluate.counts import plain

    corrected = holm_of_tests(tests)
    return {
        "corpus": corpus,
        "runs": [run.to_dict() for run in runs],
        "comparisons": [
            test.to_dict() | {"corrected": {"method": "holm", "p_values": plain(values)}}
            for test, values in zip(tests, corrected, strict=True)
        ],
    }


def _show(
    corpus: CountedCorpus, runs: list[_Run], tests: list[RunComparison], form: TableFormat
) -> None:
    from postil.evaluate.comparisons import holm_of_tests

    kinds = {"model" if run.entry.recipe is None else "recipe" for run in runs}
    accuracy = [] if runs[0].tested.report.accuracy is None else ["accuracy"]
    measures = ["precision", "recall", "micro-F1", "macro-F1", "break-even", "seconds"]
    header = [" or ".join(sorted(kinds)), *accuracy, *measures, *TESTS.values()]
    mark = "" if form == "csv" else "*"
    marks = [
        [f"{values[name]:.2g}{mark if values[name] < LEVEL else ''}" for name in TESTS]
        for values in holm_of_tests(tests)
    ]
    rows = [run.row() + cells for run, cells in zip(runs, [[""] * len(TESTS), *marks], strict=True)]
    right = " " + "r" * (len(header) - 1)
    documents, categories = runs[0].tested.truth.shape
    sentence = (
        f"{corpus.name}: {counted(documents, 'test document' if corpus.tested else 'document')}, "
        f"{counted(categories, 'category', 'categories')}; p-values against "
        f"{runs[0].entry.title}, corrected for {counted(len(tests), 'comparison')}, * is under "
        f"{LEVEL}"
    )
    if form == "text":
        show_table(header, rows, right)
        say(sentence)
        return
    typer.echo(table_text(form, header, rows, right=right, summary=[sentence]), nl=False)


def _difference(entries: list[_Entry], threads: int | None) -> ModelDifference:
    from postil.train.changes import ModelDifference

    return ModelDifference(entries[0].made, entries[1].made, threads)


def _compare_unlabelled(
    corpus: CountedCorpus,
    entries: list[_Entry],
    changes: Path | None,
    top: int,
    threads: int | None,
    *,
    as_json: bool,
) -> None:
    """Compare what two models give to documents without labels."""
    if len(entries) != 2:
        raise UsageError(
            f"{corpus.name}: no document has a label, and without labels two models are compared: "
            "name two, or name the column of labels with --label-column"
        )
    difference = _difference(entries, threads)
    first = _written(difference, corpus, corpus.name, changes, top)
    names = sorted({*difference.gained, *difference.lost})
    names.sort(key=lambda name: -difference.gained[name] - difference.lost[name])
    left, right = (entry.name for entry in entries)
    if as_json:
        counts = [
            {"category": n, "gained": difference.gained[n], "lost": difference.lost[n]}
            for n in names
        ]
        show_json(
            {
                "corpus": corpus.name,
                "models": [left, right],
                "documents": difference.documents,
                "changed": difference.changed,
                "categories": counts,
                "changes": [change.to_dict(reasons) for change, reasons in first],
            }
        )
        return
    share = f"{difference.changed} of {counted(difference.documents, 'document')}"
    typer.echo(visible(f"{left} → {right}: {share} change"))
    if names:
        rows = [(n, f"{difference.gained[n]}", f"{difference.lost[n]}") for n in names]
        show_table(("category", "gained", "lost"), rows, " rr")
    for change, reasons in first:
        typer.echo("\n" + "\n".join(map(visible, change.lines(reasons))))


def _written(
    difference: ModelDifference,
    documents: Iterable[Document],
    source: str,
    target: Path | None,
    top: int,
) -> list[tuple[Change, list[ChangeReason]]]:
    """Find all changes, write them to the file if one is named, and return the first."""
    from postil.common.files import output_file

    found = difference.changes(documents, source)
    if target is None:
        first = [(each, difference.reasons(each)) for each in islice(found, top)]
        deque(found, maxlen=0)  # the others are only counted
        return first
    first = []
    with naming_errors(target), output_file(target) as file:
        for change in found:
            reasons = difference.reasons(change)
            if len(first) < top:
                first.append((change, reasons))
            file.write((json_text(change.to_dict(reasons)) + "\n").encode())
    say(f"wrote {counted(difference.changed, 'changed document')} to {target}")
    return first
