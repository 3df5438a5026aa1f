"""`postil path`: the weights of a category as its regularization gets weaker."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from postil.cli.console import counted, say, show_table
from postil.cli.failures import check_output, file_named, naming
from postil.cli.passing import told
from postil.cli.path_figure import check_drawable, drawn
from postil.cli.path_learning import learned_path, method_of
from postil.cli.progress import steps
from postil.cli.reading import Reading, reads_corpus
from postil.escaping import visible

if TYPE_CHECKING:
    from postil.learn.path import CategoryPath, RegularizationPath
    from postil.vectors.vectorizer import Vectorizer

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
    from postil.training import read_training
    from postil.vector_training import numbered_training

    way = _way(over)
    if output is not None:
        _check_file(output, corpus, recipe)
    chosen = load_recipe(recipe)
    method = method_of(chosen, way)
    wanted = {"way": way, "points": points, "ratio": ratio, "threads": threads}
    vectors = reading.vectors(corpus)
    with steps() as watch:
        if vectors is None:
            opened = reading.open(corpus)
            with told(opened):
                chosen, read = read_training(
                    opened,
                    chosen,
                    corpus=opened.name,
                    threads=threads,
                    watch=watch.reach,
                    tell=say,
                )
        else:
            say(vectors.note(chosen.name))
            read = numbered_training(vectors, threads)
        found = learned_path(read, chosen, method, category, watch, **wanted)
    names = _Names(read.vectorizer)
    if output is None:
        _show(found[category], names, top or 20)
        return
    with naming(output):
        _write(found, names, output, top or 8)
    say(f"wrote {output}: {_sentence(found[category])}")


def _way(over: str) -> Any:  # noqa: ANN401 - one of the three ways
    from postil.learn.search_grids import WAYS

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
        from postil.model.columns import column_name

        return column_name(self._vectorizer, column)


def _write(found: RegularizationPath, names: _Names, output: Path, top: int) -> None:
    from postil.corpus.files.atomic import output_file

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
    from postil.learn.search_grids import SYMBOLS

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
