"""What `postil corpus convert` and `postil corpus split` write."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from postil.cli.console import counted, say
from postil.cli.progress import watched
from postil.cli.reading import Reading
from postil.corpus.corpus import Corpus
from postil.corpus.files.atomic import output_folder
from postil.corpus.options import WriteOptions
from postil.corpus.writing import output_format, write_corpus
from postil.errors import UsageError

if TYPE_CHECKING:
    from postil.corpus.document import Document, Split

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
