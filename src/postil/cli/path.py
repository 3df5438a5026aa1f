"""`postil path`: the weights of a category as regularization gets weaker, as table or figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from postil.cli.console import counted, say, show_table
from postil.cli.files import check_output, naming_errors, reporting_problems
from postil.cli.options import (
    CorpusName,
    Inputs,
    Reading,
    RecipeName,
    Threads,
    Unit,
    output_option,
    reads_corpus,
)
from postil.cli.progress import ProgressBar, progress_bar
from postil.common.escaping import visible
from postil.errors import InputError, UsageError

if TYPE_CHECKING:
    from postil.learn.path import CategoryPath, RegularizationPath
    from postil.model.numbered import TrainingVectors
    from postil.recipes.recipe import Recipe
    from postil.vectors.vectorizer import Vectorizer


TEXTS, PICTURES = (".csv", ".json"), (".svg", ".png")
SHOWN_TERMS, DRAWN_TERMS = 20, 8


@reads_corpus
def path(
    corpus: CorpusName,
    category: Annotated[str, Option(help="Category to learn.")],
    reading: Reading,
    recipe: RecipeName = "lasso-logistic",
    output: Annotated[
        Path | None,
        output_option("File to write: weights as .csv or .json, curves as .svg or .png."),
    ] = None,
    points: Annotated[int, Option(min=2, help="Number of strengths on the path.")] = 20,
    ratio: Annotated[
        float | None,
        Option(
            help="Weakest λ as a share of the strongest (default: 1e-4 with a Laplace prior, else "
            "1e-5)."
        ),
    ] = None,
    over: Annotated[Unit, Option(help="Unit of the strengths: lam, C or prior_variance.")] = "lam",
    top: Annotated[
        int | None,
        Option(min=1, help="Number of terms to show (default: 20) or to draw (default: 8)."),
    ] = None,
    threads: Threads = None,
) -> None:
    """Show the weights of a category as regularization gets weaker.

    The path begins at the strongest useful λ: with a Laplace prior, the one at which every weight
    is still 0. From there λ falls in equal steps of its logarithm, and terms come in.

    The recipe gives the vectors, the selection of terms and the method; its own strength or
    search is not used. Documents marked test are never learned from. The vectors of an svmlight
    file (.svm) are used unchanged, and its terms are numbers.

    \b
    Examples:
      postil path demo --category council
      postil path reuters-modapte --category grain --points 40 -o grain.svg
      postil path mails.csv --label-column folder --category invoices -o invoices.csv
      postil path demo --category council -r logistic --over prior_variance -o ridge.png
      postil path vectors.svm --category 1
    """
    from postil.recipes.recipe import load_recipe

    if output is not None:
        _check_file(output, corpus, recipe)
    chosen = load_recipe(recipe)
    method = _method(chosen, over)
    with progress_bar() as bar:
        chosen, read = _read(corpus, chosen, reading, threads, bar)
        wanted = {"way": over, "points": points, "ratio": ratio}
        found = _learned(read, chosen, method, category, bar, threads, **wanted)
    names = _TermNames(read.vectorizer)
    if output is None:
        _show(found[category], names, top or SHOWN_TERMS)
        return
    with naming_errors(output):
        _write(found, names, output, top or DRAWN_TERMS)
    say(f"wrote {output}: {_sentence(found[category])}")


def _check_file(output: Path, corpus: Inputs, recipe: str) -> None:
    from postil.plots.drawing import require_plots

    if output.suffix not in (*TEXTS, *PICTURES):
        raise UsageError(f"--output is a file .csv, .json, .svg or .png, not {output}")
    check_output(output, *corpus, recipe)
    if output.suffix in PICTURES:
        require_plots()


def _method(recipe: Recipe, way: Unit) -> Any:  # noqa: ANN401 - a Method
    """Return the recipe's method without a strength; refuse a recipe that has no path."""
    from postil.learn.method import Method

    method = recipe.method()
    if recipe.representation.lsi is not None:
        raise UsageError(_no_path(recipe, "this one learns weights of directions, not of terms"))
    if not isinstance(method, Method):
        kind = recipe.learn.get("learner", "linear")
        raise UsageError(_no_path(recipe, f"the learner {kind} learns otherwise"))
    try:
        method.check_takes_strengths()
    except UsageError as error:
        raise UsageError(_no_path(recipe, str(error).partition(":")[0])) from None
    method.check_takes_strengths(way)
    return recipe.searching(most_terms=None, exactly=False).method()


def _no_path(recipe: Recipe, why: str) -> str:
    return (
        f"recipe {recipe.name} has no path: a path shows one category at weaker and weaker "
        f"strengths of regularization, and {why}; take a recipe of a linear method with a "
        "strength, such as lasso-logistic or ridge-logistic"
    )


def _read(
    corpus: Inputs, recipe: Recipe, reading: Reading, threads: int | None, bar: ProgressBar
) -> tuple[Recipe, TrainingVectors]:
    from postil.train.reading import numbered_training, read_training

    vectors = reading.vectors(corpus)
    if vectors is not None:
        say(vectors.note(recipe.name))
        return recipe, numbered_training(vectors, threads)
    opened = reading.open(corpus)
    with reporting_problems(opened):
        return read_training(
            opened, recipe, corpus=opened.name, threads=threads, progress=bar.update, notify=say
        )


def _learned(
    read: TrainingVectors,
    recipe: Recipe,
    method: Any,  # noqa: ANN401
    category: str,
    bar: ProgressBar,
    threads: int | None,
    **wanted: Any,  # noqa: ANN401 - the other parameters of regularization_path
) -> RegularizationPath:
    """Learn the path of one category."""
    from postil.common.suggest import advice
    from postil.learn.job import Design, Job, SampleWeights
    from postil.learn.path import regularization_path

    names = list(read.labels.names)
    if category not in names:
        suggestion = advice(category, sorted(names))
        raise InputError(f"{read.training.corpus} has no category {category!r}{suggestion}")
    labels = read.labels.of_categories([names.index(category)])
    job = Job(
        Design(read.matrix),
        labels,
        selection=recipe.selection.chosen(read.matrix, labels.members),
        sample_weights=SampleWeights(labels.weights),
        threads=threads,
        progress=lambda done, total: bar.update("path", done, total),
    )
    return regularization_path(job, method, **wanted)


class _TermNames(Sequence[str]):
    """The names of a vectorizer's columns, made when they are needed."""

    def __init__(self, vectorizer: Vectorizer) -> None:
        self._vectorizer = vectorizer

    def __len__(self) -> int:
        return self._vectorizer.terms

    def __getitem__(self, column: Any) -> Any:  # noqa: ANN401 - a number of any type
        from postil.model.description import column_name

        return column_name(self._vectorizer, column)


def _write(found: RegularizationPath, names: _TermNames, output: Path, top: int) -> None:
    from postil.common.files import output_file

    if output.suffix in PICTURES:
        (path,) = found
        content = _drawn(path, names, top, output.suffix)
    else:
        text = found.to_csv(names) if output.suffix == ".csv" else found.to_json(names)
        content = text.encode()
    with output_file(output) as file:
        file.write(content)


def _drawn(path: CategoryPath, terms: Sequence[str], top: int, ending: str) -> bytes:
    """Return the curves of the largest weights as an .svg or .png file, in the project's style."""
    from postil.learn.path import AXES
    from postil.plots.drawing import COLOURS, STROKES, png_bytes, svg_bytes
    from postil.plots.figure import Axis, Figure, Line, Panel

    strokes = tuple(STROKES)  # another stroke each time the colours come round
    lines = tuple(
        Line(
            curve.name,
            curve.x,
            curve.y,
            stroke=strokes[number // len(COLOURS) % len(strokes)],
            marked=False,
        )
        for number, curve in enumerate(path.weight_curves(terms, path.way, top))
    )
    figure = Figure(
        "path",
        f"The regularization path of {path.name}",
        Axis(AXES[path.way], "log"),
        Axis("weight"),
        (Panel(lines),),
        legend=bool(lines),
    )
    return (svg_bytes if ending == ".svg" else png_bytes)(figure)


def _show(path: CategoryPath, names: _TermNames, top: int) -> None:
    """Print how many terms each strength keeps, and the terms in the order they come in."""
    from postil.learn.search.grids import SYMBOLS

    symbol = SYMBOLS[path.way]
    rows = [
        (
            f"{strength:.4g}",
            f"{row['terms']:,}",
            f"{row['intercept']:+.4f}",
            f"{row['objective']:.5f}",
            f"{row['certificate']:.1e}",
        )
        for strength, row in zip(path.values.tolist(), path.to_points(), strict=True)
    ]
    show_table((symbol, "terms", "constant", "objective", "certificate"), rows, "rrrrr")
    entries = path.entries()
    typer.echo()
    typer.echo(f"{visible(_sentence(path))}; in order of entry:")
    shown = [
        (f"{path.values[entry.point]:.4g}", names[entry.term], f"{entry.last:+.4f}")
        for entry in entries[:top]
    ]
    show_table((symbol, "term", "weight at the end"), shown, "r r")
    if len(entries) > top:
        say(f"… and {counted(len(entries) - top, 'more term')} (--top, or -o FILE.csv for all)")


def _sentence(path: CategoryPath) -> str:
    return (
        f"{counted(len(path), 'strength')} of {path.name}, "
        f"{counted(int(path.nonzeros[-1]), 'term')} at the weakest"
    )
