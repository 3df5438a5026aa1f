"""`postil corpus choose`: the documents of a pool that are worth a label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from postil.cli.console import counted, say
from postil.cli.files import check_output, naming_errors, reporting_problems
from postil.cli.options import (
    CorpusName,
    ModelFields,
    Reading,
    Threads,
    output_option,
    reads_corpus,
)
from postil.cli.progress import with_progress
from postil.errors import CorpusError, UsageError

if TYPE_CHECKING:
    from postil.corpus.document import Document
    from postil.train.choosing import Choice

JUDGED = frozenset({"label-studio", "prodigy"})
"""Formats in which uncertain labels are suggestions for a person."""


@reads_corpus
def choose(
    pool: CorpusName,
    reading: Reading,
    output: Annotated[Path, output_option("File to write.")],
    count: Annotated[
        int, Option("--number", "-n", min=1, help="Number of documents to choose.")
    ] = 50,
    model: Annotated[
        Path | None,
        Option("--model", "-m", help="Model that is to learn; it shows what it is unsure of."),
    ] = None,
    random: Annotated[
        int | None,
        Option(
            min=0,
            help="How many of them to draw at random and mark test (default: a fifth).",
        ),
    ] = None,
    every: Annotated[
        bool, Option("--all", help="Choose among documents that have labels, too.")
    ] = False,
    to: Annotated[
        str | None, Option(help="Format to write (default: by the name of the output).")
    ] = None,
    seed: Annotated[int, Option(min=0, help="Random seed of the draw.")] = 0,
    threads: Threads = None,
) -> None:
    """Choose the documents of a pool that are worth a label.

    With a model, these are documents near its thresholds, of rare categories before others, and
    unlike each other: no two near copies. "suggested" has the labels that the model would give.
    Without a model, they are typical of the pool and unlike each other.

    A fifth is drawn at random and marked test, without suggestions: label these, too, and measure
    by them alone, since the others were chosen for being hard. They are spread among the others.
    Documents that have labels are left out, unless they were only judged for some. The pool is
    read once, and most of it is not held in memory.

    \b
    Examples:
      postil corpus choose pool.jsonl -o first.jsonl -n 100
      postil corpus choose pool.jsonl --model mails.postil -o next.jsonl -n 50 --random 20
      postil corpus choose pool.jsonl --model mails.postil -o tasks.json --to label-studio
    """
    from postil.corpus.writing import output_format
    from postil.model.load import load_model
    from postil.train.choosing import choose_documents
    from postil.train.predict import Predictor

    check_output(output, *pool, model)
    if random is not None and random > count:
        raise UsageError(f"--random {random} is more than the {count} documents to choose (-n)")
    format = output_format(output, to)
    loaded = None if model is None else load_model(model, threads=threads)
    opened = reading.open(pool, *([loaded] if loaded else []))
    with reporting_problems(opened), naming_errors(output):
        choice = choose_documents(
            with_progress(opened, f"choosing from {opened.name}"),
            count,
            at_random=random,
            predictor=None if loaded is None else Predictor(loaded, threads),
            every=every,
            seed=seed,
            check=(lambda _: None)
            if loaded is None
            else ModelFields(loaded.vectorizer.fields).check,
        )
        if not choice.worth and not choice.at_random:
            why = "has no document" if not choice.pool else "has only documents with labels"
            raise CorpusError(f"{pool}: {why}; name a pool without labels, or give --all")
        _write(choice, output, format.name)
    chosen = len(choice.worth) + len(choice.at_random)
    left_out = f"; {choice.labelled:,} have labels and are left out" if choice.labelled else ""
    say(
        f"wrote {counted(chosen, 'document')} of {choice.pool:,} to {output}: "
        f"{len(choice.worth):,} worth a label, {len(choice.at_random):,} at random, marked "
        f"test{left_out}"
    )


def _write(choice: Choice, output: Path, format: str) -> None:
    """Write the chosen documents, with suggestions where the format has a place for them."""
    from postil.common.files import output_file
    from postil.corpus.formats.jsonl import json_bytes, record_of
    from postil.corpus.writing import write_corpus
    from postil.train.choosing import SUGGESTED

    if format == "jsonl":
        with output_file(output) as file:
            for document in choice.documents:
                suggested = choice.suggested.get(document.id)
                more = {SUGGESTED: suggested} if suggested and document.split != "test" else {}
                file.write(json_bytes(record_of(document) | more) + b"\n")
        return
    documents = _suggesting(choice) if format in JUDGED else choice.documents
    write_corpus(documents, output, format)
    if choice.suggested and format not in JUDGED:
        say(
            f"{format} has no place for the suggestions of the model; jsonl, "
            f"{' and '.join(sorted(JUDGED))} have (--to)"
        )


def _suggesting(choice: Choice) -> Iterator[Document]:
    """Yield the documents with the suggestions as uncertain labels."""
    for document in choice.documents:
        suggested = choice.suggested.get(document.id, {})
        # A probability of 1 would be no suggestion.
        chances = {label: min(chance, 0.999) for label, chance in suggested.items() if chance}
        if document.labels or not chances:
            yield document
        else:
            likely = tuple(label for label, chance in chances.items() if chance >= 0.5)
            yield replace(document, labels=likely, probabilities=chances)
