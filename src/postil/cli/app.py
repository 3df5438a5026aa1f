"""The commands by name: `postil COMMAND …`."""

from __future__ import annotations

from typing import Annotated

import typer

from postil import __version__
from postil.cli import (
    analyze,
    compare,
    corpus,
    demo,
    evaluate,
    explain,
    import_model,
    inspect,
    path,
    predict,
    recipes,
    reproduce,
    train,
    update,
    vectorize,
)

app = typer.Typer(
    name="postil",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(corpus.app, name="corpus")
app.command("analyze")(analyze.analyze)
app.command("vectorize")(vectorize.vectorize)
app.command("train")(train.train)
app.command("update")(update.update)
app.command("predict")(predict.predict)
app.command("evaluate")(evaluate.evaluate)
app.command("explain")(explain.explain)
app.command("inspect")(inspect.inspect_model)
app.command("import-model")(import_model.import_model)
app.command("path")(path.path)
app.command("compare")(compare.compare)
app.command("recipes")(recipes.recipes)
app.command("reproduce")(reproduce.reproduce)
app.command("demo")(demo.demo)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"postil {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Text categorization with regularized linear classifiers.

    \b
    postil demo
    postil train mails.csv -o mails.postil --label-column folder
    postil predict mails.postil new.csv
    postil explain mails.postil new.csv --html why.html
    """
