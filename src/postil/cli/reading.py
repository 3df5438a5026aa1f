"""The options of every command that reads a corpus, declared once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from postil.cli.console import say
from postil.cli.passing import PassingCorpus

if TYPE_CHECKING:
    from postil.model.numbered import NumberedDocuments

Split = Literal["train", "test"]
PANEL = "Reading"


def _option(*names: str, help: str) -> Any:  # noqa: ANN401 - typer's own type
    return typer.Option(*names, help=help, rich_help_panel=PANEL)


def _declared(
    format: Annotated[
        str | None, _option("--format", help="Format, if the guess is wrong (jsonl, csv, …).")
    ] = None,
    encoding: Annotated[
        str | None, _option("--encoding", help="Encoding of text files (default utf-8).")
    ] = None,
    id_column: Annotated[str | None, _option("--id-column", help="Column with ids.")] = None,
    label_column: Annotated[
        str | None, _option("--label-column", help="Column with labels.")
    ] = None,
    split_column: Annotated[
        str | None, _option("--split-column", help="Column that says train or test.")
    ] = None,
    text_columns: Annotated[
        list[str] | None,
        _option("--text-columns", help="Column with text, or COLUMN=FIELD; may be repeated."),
    ] = None,
    label_separator: Annotated[
        str | None, _option("--label-separator", help="Between labels in a cell (csv, tsv: ';').")
    ] = None,
    label_prefix: Annotated[
        str | None, _option("--label-prefix", help="Of fastText labels (default __label__).")
    ] = None,
    delimiter: Annotated[str | None, _option("--delimiter", help="Between csv columns.")] = None,
    quote: Annotated[str | None, _option("--quote", help="Quote character of csv.")] = None,
    header: Annotated[
        bool | None, _option("--header/--no-header", help="Whether csv has a header row.")
    ] = None,
    on_error: Annotated[
        Literal["strict", "skip"],
        _option("--on-error", help="Stop at a bad document, or skip and count it."),
    ] = "strict",
    option: Annotated[
        list[str] | None,
        _option("--option", "-O", help="NAME=VALUE for a known corpus; see corpus list -v."),
    ] = None,
    split: Annotated[
        Split | None, _option("--split", help="Only the documents of this split.")
    ] = None,
) -> None:
    """Hold the declarations that ``reads_corpus`` gives to commands."""


@dataclass(frozen=True)
class Reading:
    """How the user wants a corpus read."""

    values: dict[str, Any]

    def open(self, name_or_path: str) -> PassingCorpus:
        """Open the corpus and say on stderr how it is read."""
        from postil.corpus.opening import open_corpus
        from postil.corpus.options import ReadOptions, parse_text_columns

        given = self.values
        columns = given["text_columns"]
        options = ReadOptions(
            format=given["format"],
            encoding=given["encoding"],
            id_column=given["id_column"],
            label_column=given["label_column"],
            split_column=given["split_column"],
            text_columns=parse_text_columns(columns) if columns else None,
            label_separator=given["label_separator"],
            label_prefix=given["label_prefix"],
            delimiter=given["delimiter"],
            quote=given["quote"],
            has_header=given["header"],
            on_error=given["on_error"],
        )
        corpus = open_corpus(name_or_path, options, _choices(given["option"] or []))
        if corpus.description.startswith("reading "):
            say(corpus.description)
        if given["split"]:
            corpus = corpus.only(cast(Split, given["split"]))
        return PassingCorpus(corpus)

    def vectors(self, path: str) -> NumberedDocuments | None:
        """The documents of an svmlight file; None where it is something else."""
        from postil.model.numbered import names_vectors, read_numbered

        given = self.values
        if not names_vectors(path, given["format"]):
            return None
        strange = [flag for flag in self.given if flag != "--format"]
        if strange:
            raise typer.BadParameter(f"{', '.join(strange)} means nothing when reading svmlight")
        return read_numbered(path)

    @property
    def given(self) -> list[str]:
        """The options that say something else than is usual, as they are written."""
        usual = {"on_error": "strict"}
        strange = [
            name for name, value in self.values.items() if value and value != usual.get(name)
        ]
        return ["--" + name.replace("_", "-") for name in strange]

    def refuse_vectors(self, path: str, why: str) -> None:
        """Refuse an svmlight file where a command can do nothing with it."""
        from postil.errors import UsageError
        from postil.model.numbered import names_vectors

        if names_vectors(path, self.values["format"]):
            raise UsageError(f"{path}: svmlight files are not read here, since {why}")


def _choices(given: list[str]) -> dict[str, str]:
    choices = {}
    for item in given:
        name, equals, value = item.partition("=")
        if not equals:
            raise typer.BadParameter(f"-O takes NAME=VALUE, received {item!r}")
        choices[name] = value
    return choices


def reads_corpus(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command with a parameter ``reading`` all the options above in its place."""
    declared = inspect.signature(_declared, eval_str=True).parameters
    own = inspect.signature(command, eval_str=True)

    @functools.wraps(command)
    def run(**arguments: Any) -> None:  # noqa: ANN401 - whatever the command declares
        values = {name: arguments.pop(name) for name in declared}
        command(reading=Reading(values), **arguments)

    kept = [parameter for name, parameter in own.parameters.items() if name != "reading"]
    options = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in declared.values()]
    keyword_only = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in kept]
    run.__signature__ = own.replace(parameters=[*keyword_only, *options])  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in (*keyword_only, *options)}
    return run
