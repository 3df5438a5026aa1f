"""The commands by name: `postil COMMAND …`; the module of a command is loaded when it is called."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import typer
from typer import Option
from typer.core import TyperGroup

from postil import __version__

# A command is the function of its name in the module of its name, or the Typer ``app`` in it.
COMMANDS = {
    "corpus": "List, count, check, fetch, convert and split corpora.",
    "analyze": "Show the tokens that an analyzer makes of a text.",
    "vectorize": "Turn a corpus into a file of weighted sparse vectors.",
    "train": "Learn a model from labelled documents and write it to a file.",
    "update": "Learn new labelled documents on top of a model.",
    "label": "Let a program label documents: a model's client or a script.",
    "predict": "Give documents their categories, as JSON or in a table.",
    "evaluate": "Measure a model on labelled documents.",
    "report": "Write a page on how good a model is and where it errs.",
    "explain": "Show why a model gave a document a category or not.",
    "inspect": "Show what a model holds and how it was trained.",
    "import-model": "Turn a model file of BBR, BMR or BXR into a postil model.",
    "path": "Show the weights of a category as regularization gets weaker.",
    "compare": "Test the differences of models and recipes on one corpus.",
    "recipes": "List the recipes, or show one.",
    "reproduce": "Run a paper's experiments and print its numbers beside ours.",
    "demo": "Train, test and explain a model on the embedded corpus.",
}
"""The one-line help of each command; a test holds it equal to the command's docstring."""

MODULES = {"analyze": "vectorize", "corpus": "corpora.corpus"}
"""Commands whose module has another name."""


VALUES = {str: "TEXT", int: "NUMBER", float: "NUMBER", Path: "FILE"}
"""How help names the value of an option that has no name of its own for it."""


def _name_values(command: Any) -> Any:  # noqa: ANN401 - a command of click or of typer
    """Let the help of a command say TEXT or NUMBER, and name arguments in capitals."""
    callback = command.callback
    hints = get_type_hints(getattr(callback, "__wrapped__", callback))
    for parameter in command.params:
        if parameter.metavar is not None or parameter.name not in hints:
            continue
        hint = hints[parameter.name]
        inside = [hint, *get_args(hint)]
        inside += [each for one in get_args(hint) for each in get_args(one)]
        if parameter.param_type_name == "argument":
            parameter.metavar = parameter.name.upper()
        elif names := {VALUES[each] for each in inside if each in VALUES}:
            parameter.metavar = names.pop()
    return command


class LazyGroup(TyperGroup):
    """A group that knows the names and the help of its commands before it loads them."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 - what typer gives a group
        super().__init__(**settings)
        # typer lists the names and suggests the nearest to a mistyped one.
        self.commands = dict.fromkeys(COMMANDS)  # type: ignore[assignment]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401, ARG002 - click's types
        """Load a command, or return None if there is no command of that name."""
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        module = import_module(f"postil.cli.{MODULES.get(name, name)}")
        if name == "corpus":
            group: Any = typer.main.get_command(module.app)
            for command in group.commands.values():
                _name_values(command)
            return group
        single = typer.Typer(
            rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False
        )
        single.command(cmd_name)(getattr(module, name))
        return _name_values(typer.main.get_command(single))

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401, ARG002
        """Write the list of commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


app = typer.Typer(
    name="postil",
    cls=LazyGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"postil {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Text categorization with regularized linear classifiers.

    \b
    Examples:
      postil demo
      postil train mails.csv -o mails.postil --label-column folder
      postil predict mails.postil new.csv
      postil explain mails.postil new.csv --html why.html
    """
