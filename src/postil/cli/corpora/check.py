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
    Reading,
    Seed,
    Threads,
    output_option,
    reads_corpus,
)
from postil.cli.progress import progress_bar, with_progress
from postil.errors import UsageError

if TYPE_CHECKING:
    from postil.check.check import CorpusCheck
    from postil.corpus.corpus import Corpus

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
    one are dropped, and near copies have a group, which keeps them together in folds and splits.
    Nothing else is changed. Documents with likely label errors are listed in a file beside, such as
    clean.suspects.jsonl: the labels they have, those the model suggests, and the probabilities.

    \b
    Examples:
      postil corpus check mails.csv -o check.html
      postil corpus check mails.csv --label-column queue --write clean.jsonl
      postil corpus check mails.csv --json | jq '.findings[] | {kind, count}'
      postil corpus check large.jsonl.gz --quick
    """
    from postil.check.check import check_corpus
    from postil.check.page import render_check
    from postil.common.files import output_file

    if output is not None:
        check_output(output, *corpus)
        if as_json and str(output) == STREAM:
            raise UsageError("--json and -o - both take standard output; name a file for the page")
    if write is not None:
        _check_target(write, *corpus)
    opened = reading.open(corpus)
    with Spool() as spool, reporting_problems(opened):
        documents = spooled_corpus(opened, spool) if is_stream(*corpus) else opened
        with progress_bar() as bar:
            found = check_corpus(
                documents, quick=quick, threads=threads, seed=seed, progress=bar.update
            )
        told = [] if write is None else _write_cleaned(found, documents, write)
    if output is not None:
        with naming_errors(output), output_file(output) as file:
            file.write(render_check(found).encode("utf-8"))
    if as_json:
        show_json(found.to_dict())
    elif str(output) != STREAM:
        _show(found)
    if output is not None and str(output) != STREAM:
        told.append(f"wrote {output}")
    for line in told:
        say(line)
    if not as_json and str(output) != STREAM:
        source = "" if reading.given else shlex.join(corpus)
        if following := _next(source, output, write, found):
            say(f"next: {following}")


def _check_target(target: str, *corpus: str) -> None:
    """Refuse a target that cannot be written, before the work; say what its format loses."""
    from postil.check.cleaning import suspects_path
    from postil.corpus.writing import output_format

    if target == STREAM or target.endswith("/"):
        raise UsageError(
            f"--write {target}: a file of suspects is written beside the corpus; name a file"
        )
    check_output(target, *corpus)
    check_output(suspects_path(target), *corpus)
    chosen = output_format(target)
    if chosen.losses:
        say(chosen.losses)


def _write_cleaned(found: CorpusCheck, documents: Corpus, target: str) -> list[str]:
    from postil.check.cleaning import Cleaning, suspects_path, write_suspects
    from postil.corpus.writing import write_corpus

    cleaning = Cleaning.of(found)
    kept = cleaning.of_documents(with_progress(documents, f"writing {target}"))
    with naming_errors(target):
        count = write_corpus(kept, target)
    dropped = int(cleaning.dropped.sum())
    told = [
        f"wrote {counted(count, 'document')} to {target}: {dropped:,} dropped that repeat another, "
        f"{counted(cleaning.groups, 'group')} of near copies"
    ]
    if found.judged:
        beside = suspects_path(target)
        with naming_errors(beside):
            suspects = write_suspects(found, beside)
        told.append(f"wrote {counted(suspects, 'document')} with likely label errors to {beside}")
    return told


def _show(found: CorpusCheck) -> None:
    from postil.check.terminal import check_lines

    for line in check_lines(found, min(terminal_width() or WIDTH, WIDTH)):
        typer.echo(line)


def _next(source: str, output: Path | None, write: str | None, found: CorpusCheck) -> str:
    """Return the command that a user is likely to want next; nothing if it needs more options.

    ``source`` names the corpus, if no options are needed to read it.
    """
    kinds = {finding.kind for finding in found.findings}
    again = shlex.join(["postil", *sys.argv[1:]])
    has_leaks = not found.facts.has_splits or "same_in_train_and_test" in kinds
    if write is not None:
        source = shlex.quote(write)
    elif output is None and kinds:
        return f"{again} -o check.html shows examples of each"
    elif kinds & {"copies", "near_copies", "label_errors"}:
        return f"{again} --write clean.jsonl drops copies and lists suspects"
    if not source:
        return ""
    if has_leaks:
        return f"postil corpus split {source} split.jsonl"
    return f"postil train {source} -o model.postil"
