"""`postil corpus check`: what to look at in a corpus before training."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from postil.cli.console import counted, say, show_json, terminal_width
from postil.cli.files import (
    STREAM,
    Spool,
    check_output,
    is_stream,
    naming_errors,
    reporting_problems,
    spooled_corpus,
)
from postil.cli.options import (
    AsJson,
    CorpusName,
    Inputs,
    Reading,
    Seed,
    Threads,
    output_option,
    reads_corpus,
)
from postil.cli.progress import progress_bar, with_progress
from postil.common.escaping import visible
from postil.errors import UsageError

if TYPE_CHECKING:
    from postil.check.check import CorpusCheck
    from postil.corpus.corpus import Corpus, TableForm

WIDTH = 100


@reads_corpus
def check(
    corpus: CorpusName,
    reading: Reading,
    output: Annotated[
        Path | None, output_option("HTML page to write, with examples; - is standard output.")
    ] = None,
    write: Annotated[
        str | None,
        Option(
            metavar="FILE", help="Corpus to write with the fixes that postil can make, see above."
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        Option(
            help="File with the names of labels (.csv, .tsv, .json, or SKOS): labels that name the "
            "same entry are one.",
            metavar="FILE",
        ),
    ] = None,
    quick: Annotated[
        bool, Option("--quick", help="Train no model: look for no label errors.")
    ] = False,
    threads: Threads = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Look for problems in a corpus before training, and say what to do about them.

    It looks for copies and near copies, within a split, across train and test and with other
    labels; likely label errors; labels that look like the same, always come together or are rare;
    documents without a word or a label, very short or long ones; passages that many documents
    share; signs of a wrong encoding, and several languages. What hurts a measured score most comes
    first.

    Likely label errors are found by a model that is trained for it, on at most 20,000 documents;
    --quick leaves it out. Languages need the package py3langid (pip install 'postil[lang]').

    --write makes a corpus in which documents that repeat the text, labels and split of an earlier
    one are dropped, and near copies without a group have one, which keeps them together in folds
    and splits. Nothing else is changed: a table that is written in a format like its own (csv, tsv
    and xlsx are alike) keeps all columns as they are. Documents with likely label errors are listed
    in a file beside, such as clean.suspects.csv: the labels they have, those the model suggests,
    and the probabilities.

    --json tells the ids of all documents that are copies of each other, group by group, and with
    --write the documents that were dropped, each with the one that is kept.

    \b
    Examples:
      postil corpus check mails.csv -o check.html
      postil corpus check mails.csv --label-column queue --write clean.csv
      postil corpus check books.csv --labels subjects.ttl -o check.html
      postil corpus check mails.csv --json | jq '.findings[] | {kind, count}'
      postil corpus check large.jsonl.gz --quick
    """
    from postil.check.check import check_corpus
    from postil.check.page import render_check
    from postil.common.files import output_file
    from postil.corpus.label_files import read_label_file

    if output is not None:
        check_output(output, *corpus, labels)
        if as_json and str(output) == STREAM:
            raise UsageError("--json and -o - both take standard output; name a file for the page")
    if write is not None:
        _check_target(write, *corpus, labels)
    vocabulary = None if labels is None else read_label_file(labels)
    opened = reading.open(corpus, keep_records=write is not None, late_keys=True, labels=vocabulary)
    with Spool() as spool, reporting_problems(opened):
        documents = spooled_corpus(opened, spool) if is_stream(*corpus) else opened
        with progress_bar() as bar:
            found = check_corpus(
                documents,
                quick=quick,
                vocabulary=vocabulary,
                threads=threads,
                seed=seed,
                progress=bar.update,
            )
        told = list(found.notes)
        if write is not None:
            _check_labels(found, documents, reading)
            told += _write_cleaned(found, documents, write)
    if output is not None:
        with naming_errors(output), output_file(output) as file:
            file.write(render_check(found).encode("utf-8"))
    if as_json:
        show_json(found.to_dict() | _dropped(found, write))
    elif str(output) != STREAM:
        _show(found)
    if output is not None and str(output) != STREAM:
        told.append(f"wrote {output}")
    for line in told:
        say(line)
    if not as_json and str(output) != STREAM:  # noqa: SIM102 - clearer apart
        if following := _next(corpus, reading, documents.form, output, write, labels, found):
            say(f"next: {following}")


def _check_target(target: str, *inputs: str | Path | None) -> None:
    """Refuse a target that cannot be written, before the work."""
    from postil.check.cleaning import suspects_path

    if target == STREAM or target.endswith("/"):
        raise UsageError(
            f"--write {target}: a file of suspects is written beside the corpus; name a file"
        )
    check_output(target, *inputs)
    check_output(suspects_path(target), *inputs)


def _check_labels(found: CorpusCheck, documents: Corpus, reading: Reading) -> None:
    """Refuse to drop copies of a table without labels, unless there are none to be read."""
    if _lacks_labels(found, documents.form, reading):
        raise UsageError(
            f"{documents.name}: no label column was read, so that --write could drop copies with "
            "different labels; name the column (--label-column COLUMN), or say that there is none "
            "(--label-column '')"
        )


def _lacks_labels(found: CorpusCheck, form: TableForm | None, reading: Reading) -> bool:
    """Return True if no column of a table holds labels by its name, and the user named none."""
    columns = None if form is None else form.columns
    unread = columns is not None and columns.labels is None
    return unread and not found.facts.labels.members.nnz and reading.values["label_column"] is None


def _dropped(found: CorpusCheck, write: str | None) -> dict[str, list[dict[str, str]]]:
    """Return the documents that were dropped, as the entry "dropped" of JSON."""
    from postil.check.cleaning import dropped_ids

    return {} if write is None else {"dropped": dropped_ids(found)}


def _write_cleaned(found: CorpusCheck, documents: Corpus, target: str) -> list[str]:
    from postil.check.cleaning import (
        Cleaning,
        keeps_rows,
        suspects_path,
        write_cleaned,
        write_suspects,
    )
    from postil.corpus.writing import output_format

    cleaning, form = Cleaning.of(found), documents.form
    if not keeps_rows(form, target):
        if losses := output_format(target).losses:
            say(losses)
        if form is not None and form.columns is not None and form.columns.unused:
            unused = ", ".join(map(visible, form.columns.unused))
            other = f": write {form.format} to keep all columns" if form.format else ""
            say(f"{target} does not keep {unused}{other}")
    passing = with_progress(documents, f"writing {target}")
    with naming_errors(target):
        count = write_cleaned(found, cleaning, passing, form, target)
    dropped = int(cleaning.dropped.sum())
    listed = " (--json lists them)" if dropped else ""
    told = [
        f"wrote {counted(count, 'document')} to {target}: {dropped:,} dropped that repeat "
        f"another{listed}, {counted(cleaning.groups, 'group')} of near copies"
    ]
    if found.judged:
        beside = suspects_path(target)
        with naming_errors(beside):
            suspects = write_suspects(found, documents, form, beside)
        told.append(f"wrote {counted(suspects, 'document')} with likely label errors to {beside}")
    return told


def _show(found: CorpusCheck) -> None:
    from postil.check.terminal import check_lines

    for line in check_lines(found, min(terminal_width() or WIDTH, WIDTH)):
        typer.echo(line)


def _next(
    corpus: Inputs,
    reading: Reading,
    form: TableForm | None,
    output: Path | None,
    write: str | None,
    labels: Path | None,
    found: CorpusCheck,
) -> str:
    """Return the command that a user is likely to want next; nothing if a stream was read.

    Train and test that share texts are split anew before copies are dropped.
    """
    kinds = {finding.kind for finding in found.findings}
    leaks = "same_in_train_and_test" in kinds
    again = shlex.join(["postil", *sys.argv[1:]])
    extension = _extension(corpus if write is None else [write])
    arguments = [*corpus, *reading.arguments(), *_found_by_values(reading, form, labels)]
    source = "" if is_stream(*corpus) else shlex.join(arguments)
    if write is not None:
        source = shlex.join([write, *_arguments_after(reading, form, labels, write)])
    following = ""
    if _lacks_labels(found, form, reading):
        following = f"{again} --label-column COLUMN, if a column holds labels"
    elif write is None and output is None and kinds:
        following = f"{again} -o check.html shows examples of each"
    elif write is None and leaks and source:
        following = (
            f"postil corpus split {source} split{extension} keeps copies on one side; then postil "
            f"corpus check split{extension} --write clean{extension}"
        )
    elif write is None and kinds & {"copies", "near_copies", "label_errors"}:
        following = f"{again} --write clean{extension} drops copies and lists suspects"
    elif source and (leaks or not found.facts.has_splits):
        following = f"postil corpus split {source} split{extension}"
    elif source:
        naming = "" if labels is None else f" --labels {shlex.quote(str(labels))}"
        following = f"postil train {source}{naming} -o model.postil"
    return following


def _extension(corpus: Inputs) -> str:
    """Return the extensions of a file that can be written like the corpus; else .jsonl."""
    from postil.corpus.writing import output_format

    name = Path(corpus[0]).name
    extensions = "." + name.partition(".")[2]
    try:
        is_table = len(corpus) == 1 and output_format(f"a{extensions}").write_rows is not None
    except UsageError:
        is_table = False
    return extensions if is_table and Path(corpus[0]).is_file() else ".jsonl"


def _found_by_values(reading: Reading, form: TableForm | None, labels: Path | None) -> list[str]:
    """Return the option for a column of labels that may have been found by a label vocabulary."""
    columns = None if form is None or labels is None else form.columns
    given = reading.values["label_column"] is not None
    return [] if given or not columns or not columns.labels else ["--label-column", columns.labels]


def _arguments_after(
    reading: Reading, form: TableForm | None, labels: Path | None, write: str
) -> list[str]:
    """Return the options that read what was written: those of columns, if these were kept."""
    from postil.check.cleaning import keeps_rows
    from postil.corpus.formats.records import TABLE_OPTIONS
    from postil.corpus.writing import output_format

    if not keeps_rows(form, write):
        return []
    is_like = form is not None and form.format == output_format(write).name
    own = reading.arguments(TABLE_OPTIONS | ({"delimiter", "quote"} if is_like else set()))
    return [*own, *_found_by_values(reading, form, labels)]
