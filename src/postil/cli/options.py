"""The options that several commands share, and the corpora, texts and categories they name."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Argument, Option

from postil.cli.console import say
from postil.cli.files import STREAM, CountedCorpus, file_named
from postil.errors import CorpusError, UsageError

if TYPE_CHECKING:
    from postil.corpus.document import Document
    from postil.corpus.label_vocabulary import LabelVocabulary
    from postil.model.model import Model
    from postil.model.numbered import NumberedDocuments
    from postil.vectors.fields import Fields


Split = Literal["train", "test"]
Unit = Literal["lam", "C", "prior_variance"]
"""The units of a strength of regularization."""

CORPUS_HELP = (
    "Name of a known corpus, paths of files, folders or archives, or - for standard input."
)

Inputs = list[str]
"""The names of a corpus: one name or path, or several paths that are one corpus."""

CorpusName = Annotated[Inputs, Argument(help=CORPUS_HELP)]
OptionalCorpus = Annotated[Inputs | None, Argument(help=CORPUS_HELP)]
ModelFile = Annotated[Path, Argument(help="Model file.")]
RecipeName = Annotated[
    str, Option("--recipe", "-r", help="Name or TOML file of a recipe; see postil recipes.")
]
Texts = Annotated[
    list[str] | None,
    Option(
        "--text",
        help="Text to use in place of a corpus, or FIELD=TEXT for each field; - is standard input.",
    ),
]
Threads = Annotated[
    int | None, Option("--threads", help="Number of threads (default: one for each processor).")
]
Seed = Annotated[
    int,
    Option(
        "--seed",
        min=0,
        help="Random seed for the folds and for the order in which solvers visit documents.",
    ),
]
AsJson = Annotated[bool, Option("--json", help="Print JSON instead of text.")]


def output_option(help: str, *names: str) -> Any:  # noqa: ANN401 - typer's own type
    """Declare an option that names a file to write."""
    declared = names or ("--output", "-o")
    return typer.Option(*declared, help=help, parser=file_named, metavar="FILE")


def _reading_options(
    format: Annotated[
        str | None, Option(help="Format of the corpus, such as jsonl or csv (default: guessed).")
    ] = None,
    encoding: Annotated[str | None, Option(help="Encoding of text files (default: utf-8).")] = None,
    id_column: Annotated[str | None, Option(help="Column with the ids of documents.")] = None,
    label_column: Annotated[str | None, Option(help="Column with the labels of documents.")] = None,
    split_column: Annotated[str | None, Option(help="Column that says train or test.")] = None,
    weight_column: Annotated[
        str | None, Option(help="Column with sample weights (default: sample_weight).")
    ] = None,
    group_column: Annotated[
        str | None,
        Option(help="Column with groups, which folds and splits keep together (default: group)."),
    ] = None,
    not_label_column: Annotated[
        str | None,
        Option(
            help="Column with labels that a document is known not to have; of other labels it "
            "says nothing (default: not_labels)."
        ),
    ] = None,
    text_columns: Annotated[
        list[str] | None, Option(help="Column with text, or COLUMN=FIELD; may be repeated.")
    ] = None,
    label_separator: Annotated[
        str | None, Option(help="Separator of the labels in a cell (csv, tsv: ';').")
    ] = None,
    label_prefix: Annotated[
        str | None, Option(help="Prefix of labels in fastText files (default: __label__).")
    ] = None,
    delimiter: Annotated[
        str | None, Option(help="Character between the columns of csv files.")
    ] = None,
    quote: Annotated[str | None, Option(help="Quote character of csv and tsv files.")] = None,
    header: Annotated[
        bool | None,
        Option("--header/--no-header", help="Read the first row of csv files as a header."),
    ] = None,
    on_error: Annotated[
        Literal["strict", "skip"],
        Option(help="Stop at the first bad document, or skip and count them."),
    ] = "strict",
    option: Annotated[
        list[str] | None,
        Option(
            "--option", "-O", help="NAME=VALUE option of a known corpus; see corpus list --verbose."
        ),
    ] = None,
    split: Annotated[Split | None, Option(help="Read the documents of this split only.")] = None,
) -> None:
    """Declare the options that ``reads_corpus`` gives to commands."""


@dataclass(frozen=True)
class Reading:
    """The user's choices on how to read a corpus."""

    values: dict[str, Any]

    def open(
        self,
        corpus: str | Inputs,
        *models: Model,
        keep_records: bool = False,
        late_keys: bool = False,
        labels: LabelVocabulary | None = None,
    ) -> CountedCorpus:
        """Open the corpus and print how it is read: by the fields of the models, if any.

        Labels that name one of a model's label vocabulary have its id.
        A table may have more text than what a model learned from, or text in columns whose names
        say nothing. ``keep_records`` keeps the rows of a table in its documents, and ``late_keys``
        allows rows with keys that the first ones lack. With a label vocabulary, ``labels`` or that
        of a model, a column of its labels is found by its values.
        """
        from postil.corpus.opening import open_corpus
        from postil.corpus.options import ReadOptions, parse_text_columns

        given = dict(self.values)
        split, header = given.pop("split"), given.pop("header")
        columns = given.pop("text_columns")
        own_options = _corpus_options(given.pop("option") or [])
        options = ReadOptions(
            text_columns=parse_text_columns(columns) if columns else None,
            has_header=header,
            keep_records=keep_records,
            late_keys=late_keys,
            labels=next((model.labels for model in models if model.labels), labels),
            fields=tuple(dict.fromkeys(name for model in models for name in _fields_of(model))),
            **given,
        )
        opened = open_corpus(corpus, options, own_options)
        if opened.description.startswith("reading "):
            say(opened.description)
        if split:
            opened = opened.only(split)
        for model in models:
            opened = opened if model.labels is None else opened.with_labels(model.labels)
        return CountedCorpus(opened)

    def vectors(self, corpus: Inputs) -> NumberedDocuments | None:
        """Return the documents of an svmlight file, or None if the path names something else."""
        from postil.model.numbered import names_vectors, read_numbered

        path = next((name for name in corpus if names_vectors(name, self.values["format"])), None)
        if path is None:
            return None
        if len(corpus) > 1:
            raise UsageError(f"{path}: is an svmlight file, which is read alone; give it alone")
        unusable = [flag for flag in self.given if flag != "--format"]
        if unusable:
            raise UsageError(f"{', '.join(unusable)} does not apply to svmlight files")
        return read_numbered(path)

    @property
    def given(self) -> list[str]:
        """The options that differ from their defaults, as they are written."""
        defaults = {"on_error": "strict"}
        changed = [
            name for name, value in self.values.items() if value and value != defaults.get(name)
        ]
        return ["--" + name.replace("_", "-") for name in changed]

    def arguments(self, among: Collection[str] | None = None) -> list[str]:
        """Return the given options as they are typed: all, or some by name."""
        typed: list[str] = []
        for name, value in self.values.items():
            flag = "--" + name.replace("_", "-")
            if value is None or (among is not None and name not in among):
                continue
            if isinstance(value, bool):
                typed.append(flag if value else f"--no-{name}")
            elif isinstance(value, list):
                typed += [word for each in value for word in (flag, each)]
            elif (name, value) != ("on_error", "strict"):
                typed += [flag, value]
        return typed


def _fields_of(model: Model) -> Iterable[str]:
    from postil.model.numbered import FIELDS

    own: Iterable[str] = model.vectorizer.fields.names or model.method.get(FIELDS, ())
    return own


def _corpus_options(given: list[str]) -> dict[str, str]:
    options = {}
    for item in given:
        name, equals, value = item.partition("=")
        if not equals:
            raise UsageError(f"-O takes NAME=VALUE, received {item!r}")
        options[name] = value
    return options


def reads_corpus(command: Callable[..., None]) -> Callable[..., None]:
    """Replace the parameter ``reading`` of a command by all the reading options."""
    declared = inspect.signature(_reading_options, eval_str=True).parameters
    own = inspect.signature(command, eval_str=True)

    @functools.wraps(command)
    def run(**arguments: Any) -> None:  # noqa: ANN401 - the command declares them
        values = {name: arguments.pop(name) for name in declared}
        command(reading=Reading(values), **arguments)

    kept = [parameter for name, parameter in own.parameters.items() if name != "reading"]
    parameters = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for parameter in (*kept, *declared.values())
    ]
    run.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


class ModelFields:
    """Checks that documents have the fields that a model reads.

    A model without fields of its own reads every field. For any other model, a field that is not
    read is reported once, and documents that have none of the model's fields are refused.
    """

    def __init__(self, fields: Fields) -> None:
        self._names = fields.names
        self._found = False
        self._reported: set[str] = set()

    def check(self, documents: Sequence[Document]) -> None:
        """Report the fields that are not read; refuse documents if the model's fields are absent.

        One document with a field of the model is enough for all that follow.
        """
        if not self._names or not documents:
            return
        fields = dict.fromkeys(name for document in documents for name in document.fields)
        self._found = self._found or any(name in fields for name in self._names)
        if not self._found:
            raise CorpusError(self._missing(list(fields)))
        others = [name for name in fields if name not in self._names]
        new = [name for name in others if name not in self._reported]
        if new:
            self._reported.update(new)
            say(f"the model reads only {', '.join(self._names)}; not used: {', '.join(new)}")

    def _missing(self, fields: list[str]) -> str:
        wanted = ", ".join(self._names)
        if not fields:
            return f"no document has a text, and the model reads {wanted}; give documents a text"
        return (
            f"no document has the field {wanted}, which the model reads; the documents have "
            f"{', '.join(sorted(fields))}; name the column, as in "
            f"--text-columns {fields[0]}={self._names[-1]}"
        )


def document_from_texts(texts: Sequence[str], fields: Fields, name: str = "") -> Document:
    """Return a document made of ``--text`` options, each a text or FIELD=TEXT.

    A text without a field goes to the model's only field, or to the last of several fields that
    are joined anyway.
    """
    from postil.corpus.document import Document

    given: dict[str, str] = {}
    for field, text in _by_field(texts, fields):
        if field in given:
            raise UsageError(f"--text was given twice{f' for the field {field}' if field else ''}")
        given[field] = text
    if sum(text == STREAM for text in given.values()) > 1:
        raise UsageError("only one --text can be - for standard input")
    return Document(name, {f: _stdin_text() if t == STREAM else t for f, t in given.items()})


def _by_field(texts: Sequence[str], fields: Fields) -> Iterator[tuple[str, str]]:
    for given in texts:
        field, equals, text = given.partition("=")
        if equals and field in (*fields.names, *fields.also):
            yield field, text
        elif fields.apart:
            shown = " ".join(f"--text {name}=…" for name in fields.names)
            raise UsageError(
                f"the model keeps the fields {', '.join(fields.names)} apart; say which field "
                f"each text is for: {shown}"
            )
        else:
            yield (fields.names[-1] if fields.names else ""), given


def _stdin_text() -> str:
    # Bytes that are not UTF-8 are replaced, as the vectorizer replaces them.
    return sys.stdin.buffer.read().decode("utf-8", "replace")


def allowed_columns(
    include: Sequence[str], exclude: Sequence[str], under: Sequence[str], model: Model, file: str
) -> set[int] | None:
    """Return the columns of the categories that may be given; None if all may.

    They are among those of each option, and not excluded.
    """
    if not include and not exclude and not under:
        return None
    allowed = set(range(len(model.names)))
    if include:
        allowed &= set(category_columns(include, model, file))
    if under:
        allowed &= set(_columns_under(under, model, file))
    allowed -= set(category_columns(exclude, model, file))
    if not allowed:
        given = {"--include": include, "--exclude": exclude, "--under": under}
        options = " and ".join(option for option, labels in given.items() if labels)
        raise UsageError(f"{options}: no label is left that may be given")
    return allowed


def _columns_under(wanted: Sequence[str], model: Model, file: str) -> list[int]:
    """Return the columns of labels and of those below them."""
    if not wanted:
        return []
    if model.labels is None or not model.labels.has_broader:
        raise UsageError(f"--under: {file} knows no broader labels; train it with --labels")
    found = [model.labels.find(label) for label in wanted]
    below = {each for label in found for each in (label, *model.labels.descendants(label))}
    return [column for column, name in enumerate(model.names) if name in below]


def category_columns(wanted: Sequence[str], model: Model, file: str) -> list[int]:
    """Return the columns of the wanted categories, each once, in the order of the options.

    A category is given by its id, or if the model has a label vocabulary, as
    :meth:`~postil.corpus.label_vocabulary.LabelVocabulary.find` has it.
    """
    from postil.common.suggest import near_names

    names, column_of = model.names, {name: column for column, name in enumerate(model.names)}
    if model.labels is not None:
        wanted = [name if name in column_of else model.labels.find(name) for name in wanted]
    for name in wanted:
        if name not in column_of:
            near = near_names(name, names)
            advice = f"postil inspect {file} lists its {len(names)}"
            if near:
                advice = f"did you mean {' or '.join(map(repr, near))}?"
            raise UsageError(f"{file} has no category {name!r}; {advice}")
    return [column_of[name] for name in dict.fromkeys(wanted)]


def names_entry(model: Model, categories: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the names of categories by id, as the entry "names" of JSON; empty without names."""
    if model.labels is None:
        return {}
    return {"names": {each: model.title(each) for each in categories}}
