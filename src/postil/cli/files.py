"""The files of a command: outputs are checked before the work, inputs are counted as they pass."""

from __future__ import annotations

import json
import os
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from postil.cli.console import counted, say
from postil.corpus.corpus import Corpus
from postil.corpus.document import Document, Problems
from postil.errors import CorpusError, PostilError, UsageError

STREAM = "-"
"""The name of standard input and of standard output."""

IN_MEMORY = 1 << 24  # bytes of documents in memory; beyond, they go to a temporary file
TO_MARK = (
    "name the column that says train or test with --split-column, or mark some with "
    "postil corpus split"
)


@contextmanager
def naming_errors(name: str | Path) -> Iterator[None]:
    """Put the name of the file into an error of the system that has none."""
    try:
        yield
    except BrokenPipeError:
        raise  # the reader of our output stopped reading, which is no fault of the file
    except OSError as error:
        if error.filename is None and error.errno is not None:
            error.filename = str(name)
        raise


def file_named(name: str) -> Path:
    """Return the path of a file that an option names; refuse the name of a folder."""
    if name.endswith(("/", os.sep)):
        raise UsageError(f"{name}: is the name of a folder; name a file in it")
    return Path(name)


def check_output(target: str | Path, *inputs: str | Path | None) -> None:
    """Refuse a target that cannot be written, or that is one of the inputs, before any work.

    Parameters
    ----------
    target : str or Path
        The file to write, or ``-`` for standard output.
    *inputs : str, Path or None
        The files, folders and corpora that the command reads; None stands for none.
    """
    if str(target) == STREAM:
        return
    keep_inputs(target, *inputs)
    file_named(str(target))
    path = Path(os.path.realpath(target))
    if not path.parent.is_dir():
        raise UsageError(f"{target}: the folder {path.parent} does not exist; make it first")
    if path.is_dir():
        raise UsageError(f"{target}: is a folder; name a file in it")
    if path.exists() and not path.is_file():
        return  # a pipe or a device
    try:
        # The folder has to be writable: a new file takes the place of an old one.
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise UsageError(
            f"{target}: cannot be written ({error.strerror}); name a file in a folder of yours"
        ) from None


def check_model_output(target: Path, *inputs: str | Path | None) -> None:
    """Refuse a model file that cannot be written, before the training."""
    from postil.common.compression import codec_of_name

    if str(target) == STREAM:
        raise UsageError(
            "-: a model is not written to standard output, where the report goes; name a file"
        )
    check_output(target, *inputs)
    if codec_of_name(target.name) is not None:
        raise UsageError(
            f"{target}: a model is mapped into memory and cannot be compressed; name it .postil"
        )


def keep_inputs(target: str | Path, *inputs: str | Path | None) -> None:
    """Refuse a target that is one of the inputs, by whatever name, or a file in one."""
    try:
        old = Path(target).stat()
    except (OSError, ValueError):
        return  # there is nothing to lose
    if str(target) == STREAM or not stat.S_ISREG(old.st_mode):
        return  # pipes and devices are not replaced; folders are refused where they are written
    for given in _expanded(inputs):
        if _is_same(old, given):
            raise UsageError(
                f"{target}: this command reads the file, and the output would replace it; name "
                "another file"
            )
        if _holds(given, target):
            raise UsageError(
                f"{target}: this command reads the folder {given}, and the output would replace a "
                "file in it; name a file outside"
            )


def _expanded(inputs: Iterable[str | Path | None]) -> Iterator[str | Path]:
    """Yield the inputs, with the files that a pattern matches in its place."""
    from postil.corpus.several import expanded

    for given in inputs:
        if given is not None:
            try:
                yield from expanded([given])
            except CorpusError:
                continue  # matches nothing: the reader reports it


def _is_same(old: os.stat_result, given: str | Path) -> bool:
    try:
        if given == STREAM:
            return os.path.samestat(old, os.fstat(sys.stdin.fileno()))
        return not _is_known_corpus(given) and os.path.samestat(old, Path(given).stat())
    except (OSError, ValueError):
        return False  # absent: the reader reports it


def _holds(given: str | Path, target: str | Path) -> bool:
    if given == STREAM or _is_known_corpus(given) or not Path(given).is_dir():
        return False
    return Path(os.path.realpath(target)).is_relative_to(os.path.realpath(given))


def _is_known_corpus(given: str | Path) -> bool:
    from postil.corpus.named.registry import NAMES

    return isinstance(given, str) and given in NAMES


def is_stream(*names: str) -> bool:
    """Return True if documents can be read only once: from standard input or a named pipe."""
    return any(name == STREAM or Path(name).is_fifo() for name in names)


class Spool:
    """Documents set aside in memory or a temporary file, to be read again in the same order."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed in __exit__

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def clear(self) -> None:
        """Drop all documents."""
        self._file.seek(0)
        self._file.truncate()

    def add(self, document: Document) -> None:
        """Append a document."""
        record = [getattr(document, each.name) for each in fields(Document)]
        with naming_errors(f"a temporary file in {tempfile.gettempdir()}"):
            self._file.write(json.dumps(record, default=_plain).encode("ascii") + b"\n")

    def __iter__(self) -> Iterator[Document]:
        self._file.seek(0)
        for line in self._file:
            values: list[Any] = json.loads(line)
            given: Any = (tuple(each) if isinstance(each, list) else each for each in values)
            yield Document(*given)


def _plain(value: object) -> object:
    """Return what JSON holds of a mapping, or of a value in a row, such as a date."""
    return dict(value) if isinstance(value, Mapping) else str(value)


def spooled_corpus(corpus: Corpus, spool: Spool) -> Corpus:
    """Return a corpus of the same documents that can be read any number of times.

    Problems in reading stay with the given corpus; problems in writing go to the returned one.
    """
    for document in corpus:
        spool.add(document)
    problems, form = Problems(corpus.problems.policy), corpus.form
    if form is not None and form.schema is not None:
        form = replace(form, format="")  # JSON does not hold the types of its rows
    return Corpus(corpus.name, lambda _: iter(spool), problems=problems, form=form)


class CountedCorpus(Corpus):
    """A corpus that counts the documents of its last pass.

    Attributes
    ----------
    documents, tested : int
        The documents of the last pass, and those of them that are marked test.
    needs_test : bool
        If set, a pass without a document marked test ends in an error.
    tests : Spool or None
        A place to keep the documents marked test, so that a stream need not be read again.
    """

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(
            corpus.name,
            lambda _: self._counted(corpus),
            problems=corpus.problems,
            description=corpus.description,
            pauses=corpus.pauses,
            form=corpus.form,
        )
        self.documents = 0
        self.tested = 0
        self.needs_test = False
        self.tests: Spool | None = None

    def _counted(self, corpus: Corpus) -> Iterator[Document]:
        self.documents = self.tested = 0
        if self.tests is not None:
            self.tests.clear()
        with naming_errors(self.name):
            for document in corpus:
                self._count(document)
                yield document
        if self.needs_test and self.documents and not self.tested:
            raise CorpusError(f"{self.name} has no document marked test: {TO_MARK}")

    def _count(self, document: Document) -> None:
        self.documents += 1
        if document.split == "test":
            self.tested += 1
            if self.tests is not None:
                self.tests.add(document)


@contextmanager
def reporting_problems(corpus: CountedCorpus) -> Iterator[None]:
    """Report skipped documents after the work, also if it fails; refuse if no other is left."""
    failure = None
    try:
        yield
    except PostilError as error:
        failure = error
    report_problems(corpus)
    count = corpus.problems.count
    if count and not corpus.documents:
        skipped = "its only document was" if count == 1 else f"all {count:,} documents were"
        raise CorpusError(
            f"{corpus.name}: {skipped} bad and skipped, so no document is left; correct them, or "
            "say how to read them (--format, --text-columns, --encoding, …)"
        )
    if failure is not None:
        raise failure


def report_problems(corpus: Corpus) -> None:
    """Print how many documents were skipped, and the first reasons; nothing if none was."""
    problems = corpus.problems
    if problems.count == 0:
        return
    say(f"skipped {counted(problems.count, 'bad document')}; the first:")
    for error in problems.first[:5]:
        say(f"  {error}")
