"""`postil corpus …`: list, info, fetch, convert, split."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from postil.cli.console import counted, report_problems, say, show_json, show_table
from postil.cli.failures import keep_inputs, naming
from postil.cli.passing import comes_once, told
from postil.cli.progress import meter, watched
from postil.cli.reading import Reading, reads_corpus

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
    from postil.cli.corpus_list import corpus_rows, describe_corpora, format_rows, to_json

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
    from postil.cli.corpus_info import gather, render
    from postil.recipes.label_notes import label_notes

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
    from postil.cli.corpus_output import warn_of_losses, write_options
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
    from postil.cli.corpus_output import write_folds, write_options, write_split
    from postil.cli.spooling import Spool, SpooledCorpus

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
