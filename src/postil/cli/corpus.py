"""`postil corpus …`: list, info, fetch, convert, split.

What `postil corpus list` shows.

What `postil corpus convert` and `postil corpus split` write.

What `postil corpus info` gathers and shows.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from postil.cli.console import counted, report_problems, say, show_json, show_table
from postil.cli.failures import keep_inputs, naming
from postil.cli.output import comes_once, told
from postil.cli.progress import meter, watched
from postil.cli.reading import Reading, reads_corpus
from postil.common.escaping import visible
from postil.common.files import output_folder
from postil.corpus.corpus import Corpus
from postil.corpus.formats import FORMATS
from postil.corpus.named.entry import NamedCorpus
from postil.corpus.named.registry import NAMES
from postil.corpus.options import WriteOptions
from postil.corpus.stats import CorpusStatistics
from postil.corpus.writing import output_format, write_corpus
from postil.errors import UsageError

if TYPE_CHECKING:
    from postil.corpus.document import Document, Split
    from postil.corpus.stats import Lengths


app = typer.Typer(
    help="Look at corpora, get them, convert and split them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Source = Annotated[str, typer.Argument(help="Name of a known corpus, a path, or - for stdin.")]
Target = Annotated[str, typer.Argument(help="File or folder to write, or - for stdout.")]
To = Annotated[
    str | None, typer.Option("--to", help="Format to write, if the name does not say it.")
]
LabelSpace = Annotated[
    str | None,
    typer.Option("--label-space", help="Replace white space in labels by this (fastText, Annif)."),
]
FieldNames = Annotated[
    list[str] | None,
    typer.Option("--fields", help="All field columns of csv, tsv, parquet, if some come late."),
]
TEST_SHARE = 0.2
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]


@app.command("list")
def list_corpora(
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Also show descriptions, terms and options.")
    ] = False,
    json: AsJson = False,
) -> None:
    """List the corpora postil knows by name, and the formats it reads.

    \b
    postil corpus list
    postil corpus list --json
    """
    if json:
        show_json(to_json())
        return
    if verbose:
        typer.echo(describe_corpora())
        return
    show_table(("name", "documents", "here", "what it is"), corpus_rows(), right=" r")
    typer.echo()
    show_table(("format", "extensions", "written", "what it is"), format_rows())


@app.command("info")
@reads_corpus
def info(
    corpus: Source,
    reading: Reading,
    analyzer: Annotated[
        str, typer.Option("--analyzer", help="What counts as a token.")
    ] = "words lower",
    top: Annotated[int, typer.Option("--top", help="How many labels to show.")] = 20,
    json: AsJson = False,
) -> None:
    """Count a corpus: documents, labels, fields, tokens, lengths.

    \b
    postil corpus info demo
    postil corpus info reuters-modapte --json
    postil corpus info mails.csv --label-column queue --text-columns subject --text-columns body
    """
    from postil.train.notes import label_notes

    opened = reading.open(corpus)
    with told(opened):
        statistics = gather(opened, analyzer)
    for note in label_notes(sorted(statistics.label_frequencies)):
        say(note)
    if json:
        show_json(statistics.to_dict())
    else:
        typer.echo(render(opened.name, statistics, top))


@app.command("fetch")
def fetch(
    name: Annotated[str, typer.Argument(help="Name of a known corpus: see postil corpus list.")],
    from_path: Annotated[
        Path | None, typer.Option("--from", help="Take it from this file or folder, offline.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Get it again even if it is here.")
    ] = False,
) -> None:
    """Get a known corpus: downloaded (and resumed), checked, put where postil finds it.

    \b
    postil corpus fetch reuters-modapte
    postil corpus fetch webkb --from ~/Downloads/webkb-data.gtar.gz
    """
    from postil.corpus.named.fetch import fetch as fetch_corpus
    from postil.corpus.named.registry import named

    say(f"{named(name).title}. Terms: {named(name).terms}")
    with meter(f"fetching {name}", unit="bytes") as shown:
        fetched = fetch_corpus(name, from_path=from_path, force=force, progress=shown.reach)
    how = {
        "sha256": f"sha256 as published: {fetched.sha256}",
        "documents": f"complete by its documents; sha256 {fetched.sha256 or 'none: a folder'}",
        "present": "it was here already; --force gets it again",
    }
    say(how[fetched.check])
    typer.echo(fetched.path)


@app.command("convert")
@reads_corpus
def convert(
    source: Source,
    target: Target,
    reading: Reading,
    to: To = None,
    fields: FieldNames = None,
    label_space: LabelSpace = None,
) -> None:
    """Write a corpus in another format; gzip and zstd by the target's extension.

    \b
    postil corpus convert reuters-modapte modapte.jsonl.gz --split train
    postil corpus convert mails.csv - --to fasttext --label-space _ | head
    """
    from postil.corpus.writing import write_corpus

    keep_inputs(target, source)
    opened = reading.open(source)
    options = write_options(reading, fields, label_space)
    warn_of_losses(target, to)
    documents = watched(opened, f"converting {opened.name}")
    with told(opened), naming(target):
        count = write_corpus(documents, target, to, options, opened.problems)
    say(f"wrote {counted(count, 'document')} to {target}")


@app.command("split")
@reads_corpus
def split(
    source: Source,
    target: Target,
    reading: Reading,
    test: Annotated[
        float | None,
        typer.Option("--test", help="Share of documents for testing.", show_default="0.2"),
    ] = None,
    folds: Annotated[
        int | None,
        typer.Option("--folds", help="Make so many folds instead, one subfolder each."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Another seed, another split.")] = 0,
    to: To = None,
    fields: FieldNames = None,
    label_space: LabelSpace = None,
) -> None:
    """Split a corpus into train and test, or into folds, with every label's share kept.

    A target file gets the documents with their split marked; a target folder (a name that ends
    in /) gets train and test as files of their own. Folds always go into a folder. A split that the
    corpus has is replaced.

    \b
    postil corpus split mails.csv mails-split.jsonl --test 0.25 --seed 7
    postil corpus split mails.csv parts/ --to fasttext
    postil corpus split demo folds/ --folds 5
    zcat mails.jsonl.gz | postil corpus split - parts/
    """
    from postil.cli.output import Spool, SpooledCorpus

    if folds is not None and test is not None:
        raise typer.BadParameter("--test is a share, and folds are of one size: give one of them")
    keep_inputs(target, source)
    opened = reading.open(source)
    options = write_options(reading, fields, label_space)
    with told(opened), naming(target), Spool() as spool:
        documents = SpooledCorpus(opened, spool) if comes_once(source) else opened
        if folds is not None:
            lines = write_folds(documents, target, folds, seed, to, options)
        else:
            share = TEST_SHARE if test is None else test
            lines = write_split(documents, target, share, seed, to, options)
    if documents is not opened:
        report_problems(documents)
    if opened.tested:
        say(f"{opened.name} had a split ({opened.tested} marked test), which is replaced")
    for line in lines:
        say(line)


def corpus_rows() -> list[tuple[str, str, str, str]]:
    """A row for each known corpus: name, documents, whether it is here, title."""
    return [
        (corpus.name, _size(corpus), "yes" if _is_here(corpus) else "no", corpus.title)
        for corpus in NAMES.values()
    ]


def format_rows() -> list[tuple[str, str, str, str]]:
    """A row for each format: name, extensions, whether it is written, description."""
    return [
        (
            format.name,
            " ".join(format.extensions),
            "no" if format.write is None else "yes",
            format.description,
        )
        for format in FORMATS.values()
    ]


def describe_corpora() -> str:
    """Every known corpus in full, with its terms and the options it takes."""
    return "\n\n".join(map(_describe, NAMES.values()))


def to_json() -> dict[str, object]:
    """The same for a program."""
    return {
        "corpora": [
            {
                "name": corpus.name,
                "title": corpus.title,
                "description": corpus.description,
                "terms": corpus.terms,
                "documents": sorted(corpus.sizes),
                "here": _is_here(corpus),
                "options": {option.name: option.help for option in corpus.options},
            }
            for corpus in NAMES.values()
        ],
        "formats": [
            {
                "name": format.name,
                "extensions": list(format.extensions),
                "description": format.description,
                "written": format.write is not None,
            }
            for format in FORMATS.values()
        ],
    }


def _size(corpus: NamedCorpus) -> str:
    return f"{max(corpus.sizes):,}" if corpus.sizes else "?"


def _is_here(corpus: NamedCorpus) -> bool:
    return corpus.locate() is not None


def _describe(corpus: NamedCorpus) -> str:
    lines = [
        f"{corpus.name}: {corpus.title}",
        *textwrap.wrap(corpus.description, 92, initial_indent="  ", subsequent_indent="  "),
        *textwrap.wrap(f"Terms: {corpus.terms}", 92, initial_indent="  ", subsequent_indent="  "),
    ]
    for option in corpus.options:
        default = {"True": "yes", "False": "no"}.get(str(option.default), option.default)
        values = "|".join(option.values)
        lines.append(f"  -O {option.name}={values} (default {default}): {option.help}")
    return "\n".join(lines)


SPLITS = ("train", "test")


def write_options(
    reading: Reading, fields: list[str] | None, label_space: str | None
) -> WriteOptions:
    """Write labels as they are read, where the user said how."""
    given = reading.values
    return WriteOptions(
        fields=tuple(fields) if fields else None,
        label_separator=given["label_separator"] or ";",
        label_prefix=given["label_prefix"] or "__label__",
        label_space=label_space,
    )


def warn_of_losses(target: str, to: str | None) -> None:
    """Say what the target's format never carries."""
    losses = output_format(target, to).losses
    if losses:
        say(losses)


def write_split(
    corpus: Corpus, target: str, test: float, seed: int, to: str | None, options: WriteOptions
) -> list[str]:
    """Write a train/test split as one marked file, or as two files in a folder."""
    from postil.corpus.split import split_corpus

    warn_of_losses(target, to or ("jsonl" if target.endswith("/") else None))
    divided = split_corpus(corpus, test=test, seed=seed)
    if not target.endswith("/"):
        if "splits" in output_format(target, to).drops:
            raise UsageError(
                f"{target}: its format cannot mark train and test; name a folder, which gets a "
                "file for each (a name that ends in /)"
            )
        documents = watched(divided, f"splitting {corpus.name}")
        count = write_corpus(documents, target, to, options, corpus.problems)
        return [f"wrote {counted(count, 'document')} to {target}, each marked train or test"]
    with output_folder(target) as folder:
        counts = _write_parts(divided, folder, to or "jsonl", options)
    extension = _extension(to or "jsonl")
    return [
        f"wrote {counted(counts[part], 'document')} to {target}{part}{extension}" for part in SPLITS
    ]


def write_folds(
    corpus: Corpus, target: str, folds: int, seed: int, to: str | None, options: WriteOptions
) -> list[str]:
    """Write k folds, each a folder with its own train and test files."""
    from postil.corpus.split import fold_corpus

    if Path(target).suffix:
        raise UsageError(f"{target}: folds go into a folder; give a name without an extension")
    lines = []
    with output_folder(target) as folder:
        for number, fold in enumerate(fold_corpus(corpus, folds, seed=seed), 1):
            inner = folder / f"fold-{number}"
            inner.mkdir()
            counts = _write_parts(fold, inner, to or "jsonl", options)
            lines.append(f"fold-{number}: {counts['train']} train, {counts['test']} test")
    return [f"wrote {len(lines)} folds to {target}", *lines]


def _write_parts(
    corpus: Corpus, folder: Path, format: str, options: WriteOptions
) -> dict[str, int]:
    counts = {}
    for part in SPLITS:
        documents = _unmarked(watched(corpus.only(cast("Split", part)), f"writing {part}"))
        target = folder / f"{part}{_extension(format)}"
        counts[part] = write_corpus(documents, target, format, options, corpus.problems)
    return counts


def _unmarked(documents: Iterable[Document]) -> Iterable[Document]:
    # The file says which part it is: a mark in it would only invite contradiction.
    return (replace(document, split=None) for document in documents)


def _extension(format: str) -> str:
    extensions = output_format("-", format).extensions
    return extensions[0] if extensions else ""


WIDTH = 40


def gather(corpus: Corpus, analyzer: str) -> CorpusStatistics:
    """Walk the corpus once and count everything."""
    from postil.vectors.vectorizer import token_counter

    count_tokens = token_counter(analyzer)
    return CorpusStatistics.gather(watched(corpus, f"counting {corpus.name}"), count_tokens)


def render(name: str, statistics: CorpusStatistics, top: int) -> str:
    """Return the counts as a person reads them."""
    return "\n".join(
        [
            f"{visible(name)}: {counted(statistics.total, 'document', grouped=True)} "
            f"({_splits(statistics)})",
            f"  labels      {_labels(statistics)}",
            f"  fields      {_fields(statistics)}",
            f"  characters  {_lengths(statistics.characters)}",
            f"  tokens      {_lengths(statistics.tokens)}",
            "",
            "documents by tokens",
            *(f"  {line}" for line in statistics.tokens.histogram(WIDTH)),
            *_label_lines(statistics, top),
        ]
    )


def _splits(statistics: CorpusStatistics) -> str:
    parts = [
        f"{count:,} {split or 'without a split'}"
        for split, count in sorted(statistics.documents.items(), key=_split_order)
    ]
    if statistics.empty:
        parts.append(f"{statistics.empty:,} empty")
    return ", ".join(parts) or "none"


def _split_order(item: tuple[Split | None, int]) -> int:
    return ("train", "test", None).index(item[0])


def _labels(statistics: CorpusStatistics) -> str:
    return (
        f"{len(statistics.label_frequencies):,} distinct, {statistics.cardinality:.2f} a document, "
        f"{counted(statistics.unlabelled, 'document', grouped=True)} without"
    )


def _fields(statistics: CorpusStatistics) -> str:
    return (
        ", ".join(f"{visible(name)} in {count:,}" for name, count in statistics.fields.items())
        or "none"
    )


def _lengths(lengths: Lengths) -> str:
    return (
        f"{lengths.sum:,}; a document: min {lengths.minimum:,}, median {lengths.quantile(0.5):,}, "
        f"mean {lengths.mean:,.1f}, p90 {lengths.quantile(0.9):,}, max {lengths.maximum:,}"
    )


def _label_lines(statistics: CorpusStatistics, top: int) -> list[str]:
    table = [(visible(label), count) for label, count in statistics.label_table()]
    if not table:
        return []
    width = max(len(label) for label, _ in table[:top]) if top else 0
    lines = ["", "documents by label"]
    for label, count in table[:top]:
        bar = "█" * max(1, round(count / table[0][1] * WIDTH))
        lines.append(f"  {label:<{width}} {count:>7,} {bar}")
    if len(table) > top:
        lines.append(f"  … and {len(table) - top:,} more (--top, --json)")
    return lines
