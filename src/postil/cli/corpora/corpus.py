"""`postil corpus …`: list, count, check, fetch, convert and split corpora, and choose from them."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from postil.cli.console import counted, say, show_json, show_table
from postil.cli.corpora.check import check
from postil.cli.corpora.choose import choose
from postil.cli.files import (
    Spool,
    is_stream,
    keep_inputs,
    naming_errors,
    report_problems,
    reporting_problems,
    spooled_corpus,
)
from postil.cli.options import AsJson, CorpusName, Reading, Split, reads_corpus
from postil.cli.progress import progress_bar, with_progress
from postil.common.escaping import visible
from postil.common.files import output_folder
from postil.corpus.formats import FORMATS
from postil.corpus.named.registry import NAMES
from postil.corpus.options import WriteOptions
from postil.corpus.stats import CorpusStatistics
from postil.corpus.writing import output_format, write_corpus
from postil.errors import UsageError

if TYPE_CHECKING:
    from postil.corpus.corpus import Corpus
    from postil.corpus.label_vocabulary import LabelVocabulary
    from postil.corpus.named.entry import NamedCorpus
    from postil.corpus.stats import Lengths


app = typer.Typer(
    help="List, count, check, fetch, convert and split corpora.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)

app.command("choose")(choose)

Target = Annotated[str, Argument(help="File or folder to write, or - for standard output.")]
To = Annotated[
    str | None, Option("--to", help="Format to write (default: by the name of the target).")
]
LabelSpace = Annotated[
    str | None,
    Option("--label-space", help="Replacement of white space in labels (fastText, Annif)."),
]
FieldNames = Annotated[
    list[str] | None,
    Option(
        "--fields",
        help="Field for a column of csv, tsv or parquet; name all if some fields come late.",
    ),
]
TEST_SHARE = 0.2
SPLITS: tuple[Split, ...] = ("train", "test")
WIDTH = 40
LANGUAGES = 5  # as many are shown


@app.command("list")
def list_corpora(
    verbose: Annotated[
        bool, Option("--verbose", "-v", help="Show descriptions, terms and options as well.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the corpora that postil knows by name, and the formats it reads.

    \b
    Examples:
      postil corpus list
      postil corpus list --json
    """
    if as_json:
        show_json(_corpora_dict())
        return
    if verbose:
        typer.echo("\n\n".join(map(_describe, NAMES.values())))
        return
    corpora = [
        (
            corpus.name,
            f"{max(corpus.sizes):,}" if corpus.sizes else "?",
            "no" if corpus.locate() is None else "yes",
            corpus.title,
        )
        for corpus in NAMES.values()
    ]
    show_table(("name", "documents", "here", "what it is"), corpora, right=" r")
    typer.echo()
    formats = [
        (
            format.name,
            " ".join(format.extensions),
            "no" if format.write is None else "yes",
            format.description,
        )
        for format in FORMATS.values()
    ]
    show_table(("format", "extensions", "written", "what it is"), formats)


@app.command("info")
@reads_corpus
def info(
    corpus: CorpusName,
    reading: Reading,
    analyzer: Annotated[
        str, Option(help="Analyzer spec that says what a token is.")
    ] = "words lower",
    top: Annotated[int, Option(help="Number of labels to show.")] = 20,
    labels: Annotated[
        Path | None, Option(help="File with the names of labels.", metavar="FILE")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Count the documents, labels, fields, tokens, lengths and languages of a corpus.

    Languages are identified in a sample of the documents, if py3langid is installed (the extra
    lang).

    \b
    Examples:
      postil corpus info demo
      postil corpus info reuters-modapte --json
      postil corpus info letters/
      postil corpus info train.jsonl test.jsonl
      postil corpus info mails.csv --label-column queue --text-columns subject --text-columns body
    """
    from postil.corpus.label_files import read_label_file
    from postil.corpus.label_vocabulary import LabelVocabulary
    from postil.text.detection import identified_languages
    from postil.train.reading import label_notes
    from postil.vectors.vectorizer import token_counter

    vocabulary = LabelVocabulary() if labels is None else read_label_file(labels)
    opened = reading.open(corpus)
    with reporting_problems(opened):
        documents = with_progress(opened, f"counting {opened.name}")
        named = vocabulary.applied(documents)
        count_tokens = token_counter(analyzer)
        statistics = CorpusStatistics.gather(named, count_tokens, identified_languages)
    for note in label_notes(sorted(statistics.label_frequencies)):
        say(note)
    known = sorted(statistics.label_frequencies)
    for note in vocabulary.notes_on(known) if labels is not None else ():
        say(note)
    if as_json:
        names = {"names": {each: vocabulary.name(each) for each in known}} if labels else {}
        show_json(statistics.to_dict() | names)
    else:
        typer.echo(_info_text(opened.name, statistics, top, vocabulary))


app.command("check")(check)


@app.command("fetch")
def fetch(
    name: Annotated[str, Argument(help="Name of a known corpus; see postil corpus list.")],
    from_path: Annotated[
        Path | None, Option("--from", help="File or folder to take it from, without the network.")
    ] = None,
    force: Annotated[bool, Option("--force", help="Fetch it again even if it is here.")] = False,
) -> None:
    """Download a known corpus, check it, and put it where postil finds it.

    An interrupted download is resumed.

    \b
    Examples:
      postil corpus fetch reuters-modapte
      postil corpus fetch webkb --from ~/Downloads/webkb-data.gtar.gz
    """
    from postil.corpus.named.fetch import fetch as fetch_corpus
    from postil.corpus.named.registry import named

    say(f"{named(name).title}. Terms: {named(name).terms}")
    with progress_bar("bytes") as bar:
        progress = partial(bar.update, f"fetching {name}")
        fetched = fetch_corpus(name, from_path=from_path, force=force, progress=progress)
    how = {
        "sha256": f"sha256 as published: {fetched.sha256}",
        "documents": f"complete by its documents; sha256 {fetched.sha256 or 'none: a folder'}",
        "present": "it is here already; --force fetches it again",
    }
    say(how[fetched.check])
    typer.echo(fetched.path)


@app.command("convert")
@reads_corpus
def convert(
    source: CorpusName,
    target: Target,
    reading: Reading,
    to: To = None,
    fields: FieldNames = None,
    label_space: LabelSpace = None,
) -> None:
    """Write a corpus in another format.

    A target that ends in .gz or .zst is compressed.

    \b
    Examples:
      postil corpus convert reuters-modapte modapte.jsonl.gz --split train
      postil corpus convert mails.csv - --to fasttext --label-space _ | head
      postil corpus convert letters.zip letters.jsonl
    """
    keep_inputs(target, *source)
    opened = reading.open(source)
    options = _write_options(reading, fields, label_space)
    _warn_of_losses(target, to)
    documents = with_progress(opened, f"converting {opened.name}")
    with reporting_problems(opened), naming_errors(target):
        count = write_corpus(documents, target, to, options, opened.problems)
    say(f"wrote {counted(count, 'document')} to {target}")


@app.command("split")
@reads_corpus
def split(
    source: CorpusName,
    target: Target,
    reading: Reading,
    test: Annotated[
        float | None, Option(help="Share of documents for testing.", show_default="0.2")
    ] = None,
    folds: Annotated[
        int | None, Option(help="Number of folds to make instead, each in a folder.")
    ] = None,
    seed: Annotated[int, Option(help="Random seed of the split.")] = 0,
    to: To = None,
    fields: FieldNames = None,
    label_space: LabelSpace = None,
) -> None:
    """Split a corpus into train and test, or into folds.

    Every part keeps the share of each label. Near copies and documents of a group stay on one
    side. A target file gets all documents, marked train or test; a target folder (a name that ends
    in /) gets a file for train and one for test. Folds always go into a folder. A split that the
    corpus already has is replaced.

    \b
    Examples:
      postil corpus split mails.csv mails-split.jsonl --test 0.25 --seed 7
      postil corpus split mails.csv parts/ --to fasttext
      postil corpus split demo folds/ --folds 5
      zcat mails.jsonl.gz | postil corpus split - parts/
    """
    if folds is not None and test is not None:
        raise UsageError("--test is a share, and folds are of one size: give one of them")
    keep_inputs(target, *source)
    opened = reading.open(source)
    options = _write_options(reading, fields, label_space)
    with reporting_problems(opened), naming_errors(target), Spool() as spool:
        documents = spooled_corpus(opened, spool) if is_stream(*source) else opened
        if folds is not None:
            lines = _write_folds(documents, target, folds, seed, to, options)
        else:
            share = TEST_SHARE if test is None else test
            lines = _write_split(documents, target, share, seed, to, options)
    if documents is not opened:
        report_problems(documents)
    if opened.tested:
        say(f"{opened.name} had a split ({opened.tested} marked test), which is replaced")
    for line in lines:
        say(line)


def _corpora_dict() -> dict[str, Any]:
    return {
        "corpora": [
            {
                "name": corpus.name,
                "title": corpus.title,
                "description": corpus.description,
                "terms": corpus.terms,
                "documents": sorted(corpus.sizes),
                "here": corpus.locate() is not None,
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


def _write_options(
    reading: Reading, fields: list[str] | None, label_space: str | None
) -> WriteOptions:
    """Return the options of a writer, which writes labels the way they are read."""
    given = reading.values
    return WriteOptions(
        fields=tuple(fields) if fields else None,
        label_separator=given["label_separator"] or ";",
        label_prefix=given["label_prefix"] or "__label__",
        label_space=label_space,
    )


def _warn_of_losses(target: str, to: str | None) -> None:
    """Print what the format of the target cannot hold."""
    losses = output_format(target, to).losses
    if losses:
        say(losses)


def _write_split(
    corpus: Corpus, target: str, test: float, seed: int, to: str | None, options: WriteOptions
) -> list[str]:
    """Write train and test as one marked file, or as two files in a folder."""
    from postil.corpus.split import split_corpus

    _warn_of_losses(target, to or ("jsonl" if target.endswith("/") else None))
    divided = split_corpus(corpus, test=test, seed=seed)
    if not target.endswith("/"):
        if "splits" in output_format(target, to).drops:
            raise UsageError(
                f"{target}: the format cannot mark train and test; name a folder (with a / at the "
                "end), which gets a file for each"
            )
        documents = with_progress(divided, f"splitting {corpus.name}")
        count = write_corpus(documents, target, to, options, corpus.problems)
        return [f"wrote {counted(count, 'document')} to {target}, each marked train or test"]
    with output_folder(target) as folder:
        counts = _write_parts(divided, folder, to or "jsonl", options)
    extension = _extension(to or "jsonl")
    return [
        f"wrote {counted(counts[part], 'document')} to {target}{part}{extension}" for part in SPLITS
    ]


def _write_folds(
    corpus: Corpus, target: str, folds: int, seed: int, to: str | None, options: WriteOptions
) -> list[str]:
    """Write folds, each a folder with its own train and test files."""
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
    counts: dict[str, int] = {}
    for part in SPLITS:
        documents = with_progress(corpus.only(part), f"writing {part}")
        # The name of the file says which part it is: a mark inside could contradict it.
        unmarked = (replace(document, split=None) for document in documents)
        target = folder / f"{part}{_extension(format)}"
        counts[part] = write_corpus(unmarked, target, format, options, corpus.problems)
    return counts


def _extension(format: str) -> str:
    extensions = output_format("-", format).extensions
    return extensions[0] if extensions else ""


def _info_text(
    name: str, statistics: CorpusStatistics, top: int, vocabulary: LabelVocabulary
) -> str:
    order = (*SPLITS, None)
    splits = [
        f"{statistics.documents[split]:,} {split or 'without a split'}"
        for split in order
        if split in statistics.documents
    ]
    empty = [f"{statistics.empty:,} empty"] if statistics.empty else []
    fields = [f"{visible(field)} in {found:,}" for field, found in statistics.fields.items()]
    return "\n".join(
        [
            f"{visible(name)}: {counted(statistics.total, 'document')} "
            f"({', '.join(splits + empty) or 'none'})",
            f"  labels      {len(statistics.label_frequencies):,} distinct, "
            f"{statistics.cardinality:.2f} a document, "
            f"{counted(statistics.unlabelled, 'document')} without",
            f"  fields      {', '.join(fields) or 'none'}",
            f"  characters  {_lengths(statistics.characters)}",
            f"  tokens      {_lengths(statistics.tokens)}",
            f"  languages   {_languages(statistics)}",
            "",
            "documents by tokens",
            *(f"  {line}" for line in statistics.tokens.histogram(WIDTH)),
            *_label_lines(statistics, top, vocabulary),
        ]
    )


def _lengths(lengths: Lengths) -> str:
    return (
        f"{lengths.sum:,}; a document: min {lengths.minimum:,}, median {lengths.quantile(0.5):,}, "
        f"mean {lengths.mean:,.1f}, p90 {lengths.quantile(0.9):,}, max {lengths.maximum:,}"
    )


def _languages(statistics: CorpusStatistics) -> str:
    from postil.text.languages import NAME_OF

    if statistics.languages is None:
        return "not identified; pip install 'postil[lang]'"
    shares = statistics.language_shares()
    shown = [
        f"{NAME_OF.get(code, code)} {100 * share:.1f} %"
        for code, share in list(shares.items())[:LANGUAGES]
    ]
    more = [f"{len(shares) - LANGUAGES} more (--json)"] if len(shares) > LANGUAGES else []
    sample = counted(statistics.languages.total(), "document")
    return f"{', '.join(shown + more)} of {sample}" if shown else "no document has letters"


def _label_lines(statistics: CorpusStatistics, top: int, vocabulary: LabelVocabulary) -> list[str]:
    found = statistics.label_table()
    titles = vocabulary.titles([label for label, _ in found])
    table = [(visible(title), count) for title, (_, count) in zip(titles, found, strict=True)]
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
