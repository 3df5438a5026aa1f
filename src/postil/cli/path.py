"""`postil path`: the weights of a category as its regularization gets weaker.

A regularization path as a figure, in the style of all figures (figures 2 and 3 of the paper).

From a corpus to the regularization path of a category, as a recipe has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from postil.cli.console import counted, say, show_table
from postil.cli.failures import check_output, file_named, naming
from postil.cli.output import told
from postil.cli.progress import Steps, steps
from postil.cli.reading import Reading, reads_corpus
from postil.common.escaping import visible

if TYPE_CHECKING:
    from postil.learn.path import CategoryPath, RegularizationPath
    from postil.model.numbered import TrainingVectors
    from postil.plots.figure import Stroke
    from postil.recipes.recipe import Recipe
    from postil.vectors.vectorizer import Vectorizer


def check_drawable() -> None:
    """Refuse early where matplotlib is not installed."""
    from postil.plots.drawing import require_plots

    require_plots()


def drawn(path: CategoryPath, terms: Sequence[str], top: int, ending: str) -> bytes:
    """The curves of the largest weights as an .svg or a .png file."""
    from postil.learn.path import AXES
    from postil.plots.drawing import png_bytes, svg_bytes
    from postil.plots.figure import Axis, Figure, Line, Panel

    curves = path.weight_curves(terms, path.way, top)
    lines = tuple(
        Line(curve.name, curve.x, curve.y, stroke=_stroke(at), marked=False)
        for at, curve in enumerate(curves)
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


def _stroke(position: int) -> Stroke:
    """Another stroke each time the colours come round."""
    from postil.plots.drawing import COLOURS, STROKES

    strokes = tuple(STROKES)
    return strokes[position // len(COLOURS) % len(strokes)]


def method_of(recipe: Recipe, way: str) -> Any:  # noqa: ANN401 - a Method
    """The recipe's method without a strength of its own, which can be told in such a way."""
    from postil.errors import UsageError
    from postil.learn.learners import LinearLearner

    learner = recipe.learner()
    if recipe.representation.lsi is not None:
        raise UsageError(_no_path(recipe, "this one learns weights of directions, not of terms"))
    if not isinstance(learner, LinearLearner):
        kind = recipe.learn.get("learner", "linear")
        raise UsageError(_no_path(recipe, f"the learner {kind} learns otherwise"))
    try:
        learner.method.check_takes_strengths()
    except UsageError as error:
        raise UsageError(_no_path(recipe, str(error).partition(":")[0])) from None
    learner.method.check_takes_strengths(way)
    return recipe.searching(most_terms=None, exactly=False).learner().searched()


def _no_path(recipe: Recipe, why: str) -> str:
    return (
        f"recipe {recipe.name} has no path: a path shows one category at weaker and weaker "
        f"strengths of regularization, and {why}; take a recipe of a linear method with a "
        "strength, such as lasso-logistic or ridge-logistic"
    )


def learned_path(
    read: TrainingVectors,
    recipe: Recipe,
    method: Any,  # noqa: ANN401
    category: str,
    progress: Steps,
    **wanted: Any,  # noqa: ANN401 - what regularization_path takes
) -> RegularizationPath:
    """Learn the path of one category; cost: that of a native path."""
    from postil.learn.job import Design, Labels
    from postil.learn.path import regularization_path

    at = _place(category, read.labels.names, read.training.corpus)
    labels = Labels((category,), read.labels.members[:, [at]])
    return regularization_path(
        Design(read.matrix),
        labels,
        method,
        selection=recipe.selection.chosen(read.matrix, labels.members),
        progress=lambda done, total: progress.reach("path", done, total),
        **wanted,
    )


def _place(category: str, names: Sequence[str], source: str) -> int:
    from postil.common.suggest import advice
    from postil.errors import InputError

    if category in names:
        return list(names).index(category)
    raise InputError(f"{source} has no category {category!r}{advice(category, sorted(names))}")


TEXTS, PICTURES = (".csv", ".json"), (".svg", ".png")


@reads_corpus
def path(
    corpus: Annotated[str, typer.Argument(help="Name of a known corpus, a path, or - for stdin.")],
    category: Annotated[str, typer.Option("--category", help="The category to learn.")],
    reading: Reading,
    recipe: Annotated[
        str, typer.Option("--recipe", "-r", help="Name or TOML file; see postil recipes.")
    ] = "lasso-logistic",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File to write: .csv or .json of weights, .svg or .png of curves.",
            parser=file_named,
            metavar="FILE",
        ),
    ] = None,
    points: Annotated[int, typer.Option("--points", min=2, help="Strengths on the path.")] = 20,
    ratio: Annotated[
        float | None,
        typer.Option("--ratio", help="The weakest λ as a share of the strongest (1e-4, or 1e-5)."),
    ] = None,
    over: Annotated[
        str, typer.Option("--over", help="What strengths are told in: lam, C, prior_variance.")
    ] = "lam",
    top: Annotated[
        int | None, typer.Option("--top", min=1, help="Terms to show (20), or to draw (8).")
    ] = None,
    threads: Annotated[
        int | None, typer.Option("--threads", help="Threads (default: every processor).")
    ] = None,
) -> None:
    """Learn a category with weaker and weaker regularization, and show which terms come in.

    The path begins at the strongest useful λ: with a Laplace prior the one at which every term
    still rests; just below it, the first comes in. λ then falls evenly by its logarithm. The recipe
    says how documents become vectors, which terms may be used, and the method; the strength that it
    gives or searches for has no part. Documents marked test are never learned from. Of an svmlight
    file (.svm) all vectors are taken as they are, and terms are numbers.

    \b
    postil path demo --category council
    postil path reuters-modapte --category grain --points 40 -o grain.svg
    postil path mails.csv --label-column folder --category invoices -o invoices.csv
    postil path demo --category council -r logistic --over prior_variance -o ridge.png
    postil path vectors.svm --category 1
    """
    from postil.recipes.recipe import load_recipe
    from postil.train.train import numbered_training, read_training

    way = _way(over)
    if output is not None:
        _check_file(output, corpus, recipe)
    chosen = load_recipe(recipe)
    method = method_of(chosen, way)
    wanted = {"way": way, "points": points, "ratio": ratio, "threads": threads}
    vectors = reading.vectors(corpus)
    with steps() as progress:
        if vectors is None:
            opened = reading.open(corpus)
            with told(opened):
                chosen, read = read_training(
                    opened,
                    chosen,
                    corpus=opened.name,
                    threads=threads,
                    progress=progress.reach,
                    notify=say,
                )
        else:
            say(vectors.note(chosen.name))
            read = numbered_training(vectors, threads)
        found = learned_path(read, chosen, method, category, progress, **wanted)
    names = _Names(read.vectorizer)
    if output is None:
        _show(found[category], names, top or 20)
        return
    with naming(output):
        _write(found, names, output, top or 8)
    say(f"wrote {output}: {_sentence(found[category])}")


def _way(over: str) -> Any:  # noqa: ANN401 - one of the three ways
    from postil.learn.search.grids import WAYS

    if over not in WAYS:
        raise typer.BadParameter(f"--over is one of {', '.join(WAYS)}, not {over!r}")
    return over


def _check_file(output: Path, corpus: str, recipe: str) -> None:
    if output.suffix not in (*TEXTS, *PICTURES):
        raise typer.BadParameter(f"--output is a file .csv, .json, .svg or .png, not {output}")
    check_output(output, corpus, recipe)
    if output.suffix in PICTURES:
        check_drawable()


class _Names(Sequence[str]):
    """The names of a vectorizer's columns, made when asked for."""

    def __init__(self, vectorizer: Vectorizer) -> None:
        self._vectorizer = vectorizer

    def __len__(self) -> int:
        return self._vectorizer.terms

    def __getitem__(self, column: Any) -> Any:  # noqa: ANN401 - a number, as those who ask have it
        from postil.model.description import column_name

        return column_name(self._vectorizer, column)


def _write(found: RegularizationPath, names: _Names, output: Path, top: int) -> None:
    from postil.common.files import output_file

    if output.suffix in PICTURES:
        (path,) = found
        content = drawn(path, names, top, output.suffix)
    else:
        text = found.to_csv(names) if output.suffix == ".csv" else found.to_json(names)
        content = text.encode()
    with output_file(output) as file:
        file.write(content)


def _show(path: CategoryPath, names: _Names, top: int) -> None:
    """Print how many terms each strength keeps, and the terms in the order they came in."""
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
