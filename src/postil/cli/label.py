"""`postil label`: documents get their labels from a program."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from postil.cli.console import counted, say
from postil.cli.files import (
    STREAM,
    Spool,
    check_output,
    is_stream,
    naming_errors,
    report_problems,
    reporting_problems,
    spooled_corpus,
)
from postil.cli.options import (
    CorpusName,
    ModelFields,
    Reading,
    Threads,
    output_option,
    reads_corpus,
)
from postil.cli.progress import progress_bar
from postil.errors import DocumentError, UsageError

if TYPE_CHECKING:
    from postil.corpus.corpus import Corpus
    from postil.corpus.document import Document
    from postil.train.labelling import Labelling, Router

SHOWN_FAILURES = 3


@reads_corpus
def label(
    corpus: CorpusName,
    reading: Reading,
    command: Annotated[
        str, Option("--with", help="Command of the program that labels.", metavar="COMMAND")
    ],
    output: Annotated[Path, output_option("JSON Lines file to write.")],
    route: Annotated[
        Path | None,
        Option(help="Model that labels what it is sure of; only the rest goes to the program."),
    ] = None,
    min_probability: Annotated[
        float | None,
        Option(
            min=0,
            max=1,
            help="Least probability of a label for the model to be sure (default: that of its "
            "route, if it was trained with one).",
        ),
    ] = None,
    relabel: Annotated[
        bool, Option("--all", help="Label documents that have labels already, too.")
    ] = False,
    jobs: Annotated[int, Option(min=1, help="Number of processes that label at once.")] = 4,
    timeout: Annotated[
        float, Option(min=0.001, help="Seconds to wait for an answer of a process.")
    ] = 60.0,
    threads: Threads = None,
) -> None:
    """Let a program label documents: a model's client or a script.

    The program reads a document a line from standard input, as JSON with "id" and the fields. It
    writes a line for each to standard output: {"id": "7", "labels": {"sport": 0.9}}, or a list of
    labels; "not_labels" may list labels that the document does not have, and "error" in place of
    labels says why there are none. Answers may come in any order, and each must be flushed. The
    command is run without a shell, several times at once.

    Documents that have labels are written as they are. A document without an answer is asked about
    twice; then it is written as unlabelled, with the reason. The output is in the order of the
    documents, with the probabilities of labels, and "labelled_by" tells who gave them.

    Answers, also errors, are kept in a file beside the output (labelled.jsonl.answers) as they
    come: after Ctrl-C the same command asks only what is left. An answer holds while the command,
    the files that it names and the texts of the document are the same.

    \b
    Examples:
      postil label mails.csv --with "python rules.py" -o labelled.jsonl
      postil train labelled.jsonl -o mails.postil --route "precision>=0.95"
      postil label new.csv --with "python ask.py" --route mails.postil -o more.jsonl
      postil label mails.csv --with "./ask --prompt topics.txt" -o labelled.jsonl --jobs 16
    """
    from postil.corpus.formats.guessing import formats_of_name
    from postil.corpus.formats.jsonl import JSONL
    from postil.train.labelling import Answers, Labelling
    from postil.train.programs import Labeller, parsed_command

    parsed = parsed_command(command)
    if str(output) == STREAM:
        raise UsageError("-: answers are kept beside the output; name a file")
    check_output(output, *corpus, route)
    if JSONL not in (formats_of_name(output.name) or [JSONL]):
        raise UsageError(
            f"{output}: labels are written as JSON Lines; name a file .jsonl, and convert it "
            "afterwards (postil corpus convert)"
        )
    kept = output.with_name(output.name + ".answers")
    check_output(kept, *corpus, route)
    if min_probability is not None and route is None:
        raise UsageError("--min-probability is that of a model: name one with --route")
    router = None if route is None else _router(route, min_probability, threads)
    opened = reading.open(corpus, *([router.model] if router else []))
    with ExitStack() as held:
        held.enter_context(reporting_problems(opened))
        documents: Corpus = opened
        if is_stream(*corpus):
            documents = spooled_corpus(opened, held.enter_context(Spool()))
        answers = held.enter_context(Answers(kept, parsed))
        labelling = Labelling(
            Labeller(parsed, jobs, timeout), answers, shlex.join(parsed), router, relabel
        )
        total = _count(documents, output)
        try:
            with progress_bar("documents") as bar:
                labelling.ask(documents, bar.update, total)
        except BaseException:
            if len(answers):
                say(
                    f"{counted(len(answers), 'answer')} kept in {kept}: run the same command again "
                    "to ask only the rest"
                )
            raise
        _write(labelling, documents, output)
    if documents is not opened:
        report_problems(documents)
    _report(labelling, total, output)


def _router(path: Path, wanted: float | None, threads: int | None) -> Router | None:
    """Return the model that labels what it is sure of; None if it never is."""
    from math import isinf

    from postil.model.load import load_model
    from postil.model.route import least_probability
    from postil.train.labelling import Router
    from postil.train.predict import Predictor

    model = load_model(path, threads=threads)
    least = least_probability(model, wanted)
    if least is None:
        raise UsageError(
            f"--route {path}: the model was not trained with --route, so it is not known when it "
            "is sure; give --min-probability, or train it with --route"
        )
    if isinf(least):
        say(f"no probability keeps the precision of the route of {path}: it labels nothing")
        return None
    check = ModelFields(model.vectorizer.fields).check
    return Router(Predictor(model, threads), str(path), least, check)


def _count(documents: Iterable[Document], output: Path) -> int:
    """Return the number of documents; refuse any that cannot be written before it is paid for."""
    from postil.corpus.formats.format import UnwritableError
    from postil.corpus.formats.jsonl import record_of

    total = 0
    for total, document in enumerate(documents, start=1):
        try:
            record_of(document)
        except UnwritableError as error:
            where = f"document {total} ({document.id!r})"
            raise DocumentError(str(output), where, str(error)) from None
    return total


def _write(labelling: Labelling, documents: Iterable[Document], output: Path) -> None:
    from postil.common.files import output_file
    from postil.corpus.formats.jsonl import json_bytes

    with naming_errors(output), output_file(output) as file:
        for record in labelling.records(documents):
            file.write(json_bytes(record) + b"\n")


def _report(labelling: Labelling, total: int, output: Path) -> None:
    """Print who labelled how many documents, and why others have no labels."""
    parts = []
    if labelling.router is not None:
        parts.append(f"{labelling.routed:,} by {labelling.router.name}, which was sure")
    known = f" ({labelling.known:,} of them in an earlier run)" if labelling.known else ""
    parts.append(f"{labelling.asked:,} by {labelling.source}{known}")
    if labelling.labelled:
        parts.append(f"{labelling.labelled:,} had labels")
    if labelling.failures:
        parts.append(f"{len(labelling.failures):,} unlabelled")
    say(f"wrote {counted(total, 'document')} to {output}: {'; '.join(parts)}")
    if labelling.failures:
        say(f"no answer to {counted(len(labelling.failures), 'document')}; the first:")
        for name, reason in list(labelling.failures.items())[:SHOWN_FAILURES]:
            say(f"  {name}: {reason}")
