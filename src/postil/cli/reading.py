"""The options of every command that reads a corpus, declared once.

The fields of documents against those that a model reads: what is left out is said.

The documents `postil explain` is asked about: from a corpus, or from the command line.

The categories a user names, found in a model.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from postil.cli.console import say
from postil.cli.output import PassingCorpus
from postil.errors import CorpusError, UsageError

if TYPE_CHECKING:
    from postil.corpus.corpus import Corpus
    from postil.corpus.document import Document
    from postil.model.numbered import NumberedDocuments
    from postil.vectors.fields import Fields


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


class ModelFields:
    """Looks at documents before a model does.

    A model with fields of its own reads these alone: that a document has others is said once for
    each of them, and documents with none that it reads are refused. Any other model reads all.
    """

    def __init__(self, fields: Fields) -> None:
        self._names = fields.names
        self._met = False
        self._told: set[str] = set()

    def look(self, documents: Sequence[Document]) -> None:
        """Say what is not used of these documents; refuse them if nothing ever was."""
        if not self._names or not documents:
            return
        fields = dict.fromkeys(name for document in documents for name in document.fields)
        self._met = self._met or any(name in fields for name in self._names)
        if not self._met:
            raise CorpusError(self._nothing(list(fields)))
        others = [name for name in fields if name not in self._names and name not in self._told]
        if others:
            self._told.update(others)
            say(f"the model reads {', '.join(self._names)} alone; not used: {', '.join(others)}")

    def _nothing(self, fields: list[str]) -> str:
        wanted = ", ".join(self._names)
        if not fields:
            return f"no document has a text, and the model reads {wanted}: give them some"
        return (
            f"no document has the field {wanted}, which the model reads; they have "
            f"{', '.join(sorted(fields))}: name the column, as in "
            f"--text-columns {fields[0]}={self._names[-1]}"
        )


STDIN = "-"
EXAMPLES = 3


def documents_with(corpus: Corpus, ids: Sequence[str]) -> list[Document]:
    """The documents of these ids, in that order, or the first of all; no further is read."""
    from postil.cli.progress import watched

    walk = iter(corpus)
    if not ids:
        first = next(walk, None)
        if first is None:
            raise CorpusError(f"{corpus.name} holds no document to explain")
        return [first]
    wanted = list(dict.fromkeys(ids))
    found: dict[str, Document] = {}
    seen: list[str] = []
    for document in watched(walk, f"looking in {corpus.name}"):
        if len(seen) < EXAMPLES:
            seen.append(document.id)
        if document.id in wanted:
            found.setdefault(document.id, document)
            if len(found) == len(wanted):
                break
    missing = [name for name in wanted if name not in found]
    if missing:
        raise CorpusError(
            f"{corpus.name} has no document with the id {', '.join(map(repr, missing))}; "
            f"{_examples(seen)}"
        )
    return [found[name] for name in wanted]


def _examples(seen: Sequence[str]) -> str:
    if not seen:
        return "it holds no document at all"
    return f"its first are {', '.join(map(repr, seen))}"


def document_of(texts: Sequence[str], fields: Fields) -> Document:
    """A document of texts from the command line, each a text or FIELD=TEXT.

    A text with no field goes where it can mean one thing only: to the one field there is, or to
    the last of several that are joined anyway.
    """
    from postil.corpus.document import Document

    given: dict[str, str] = {}
    for field, text in _by_field(texts, fields):
        if field in given:
            raise UsageError(f"--text was given twice{f' for the field {field}' if field else ''}")
        given[field] = text
    if sum(text == STDIN for text in given.values()) > 1:
        raise UsageError("standard input can be only one of the texts")
    return Document("", {f: _from_stdin() if t == STDIN else t for f, t in given.items()})


def _by_field(texts: Sequence[str], fields: Fields) -> Iterator[tuple[str, str]]:
    for given in texts:
        field, equals, text = given.partition("=")
        if equals and field in fields.names:
            yield field, text
        elif fields.apart:
            shown = " ".join(f"--text {name}=…" for name in fields.names)
            raise UsageError(
                f"the model keeps the fields {', '.join(fields.names)} apart: say which one a "
                f"text is for, {shown}"
            )
        else:
            yield (fields.names[-1] if fields.names else ""), given


def _from_stdin() -> str:
    # As bytes, so that what is no UTF-8 is read as the vectorizer would read it.
    return sys.stdin.buffer.read().decode("utf-8", "replace")


def columns_named(asked: Sequence[str], names: Sequence[str], model: str) -> list[int]:
    """The columns of the categories asked for, each once, in the order they were asked for."""
    column_of = {name: column for column, name in enumerate(names)}
    for name in asked:
        if name not in column_of:
            raise UsageError(f"{model} has no category {name!r}{_meant(name, names, model)}")
    return [column_of[name] for name in dict.fromkeys(asked)]


def _meant(received: str, names: Sequence[str], model: str) -> str:
    from postil.common.suggest import near_names

    near = near_names(received, names)
    if near:
        return f"; did you mean {' or '.join(map(repr, near))}?"
    return f"; postil inspect {model} lists its {len(names)}"
