"""A corpus on its way through a command: what passed, what was skipped, what went wrong.

Documents set aside while a corpus passes, so that it need not pass again.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from postil.cli.console import report_problems
from postil.cli.failures import naming
from postil.corpus.corpus import Corpus
from postil.corpus.document import Document, Problems
from postil.corpus.files.streams import STDIN
from postil.errors import CorpusError, PostilError, UsageError

IN_MEMORY = 1 << 24  # bytes; beyond, a temporary file


class Spool:
    """Documents in the order they were added; close it, or use it in a ``with``."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed at our end

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def clear(self) -> None:
        """Forget all documents."""
        self._file.seek(0)
        self._file.truncate()

    def add(self, document: Document) -> None:
        """Set a document aside."""
        record = (document.id, dict(document.fields), document.labels, document.split)
        with naming(f"a temporary file in {tempfile.gettempdir()}"):
            self._file.write(json.dumps(record).encode("ascii") + b"\n")

    def __iter__(self) -> Iterator[Document]:
        self._file.seek(0)
        for line in self._file:
            identity, fields, labels, split = json.loads(line)
            yield Document(identity, fields, tuple(labels), split)


class SpooledCorpus(Corpus):
    """The documents of a corpus that can be read once, to be walked any number of times.

    What was bad in reading stays in the corpus's account; what cannot be written goes to this one.
    """

    def __init__(self, corpus: Corpus, spool: Spool) -> None:
        for document in corpus:
            spool.add(document)
        problems = Problems(corpus.problems.policy)
        super().__init__(corpus.name, lambda _: iter(spool), problems=problems)


TO_MARK = (
    "name the column that says train or test with --split-column, or mark some with "
    "postil corpus split"
)


class PassingCorpus(Corpus):
    """A corpus that counts the documents of its last pass.

    With ``needs_test`` a pass that met no document marked test ends in an error: by then nothing
    but reading was done. Those marked test are set aside in ``tests``, if there is such a place:
    what can be read once is then enough.
    """

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(
            corpus.name,
            lambda _: self._counted(corpus),
            problems=corpus.problems,
            description=corpus.description,
            pauses=corpus.pauses,
        )
        self.documents = 0
        self.tested = 0
        self.needs_test = False
        self.tests: Spool | None = None

    def _counted(self, corpus: Corpus) -> Iterator[Document]:
        self.documents = self.tested = 0
        if self.tests is not None:
            self.tests.clear()
        with naming(self.name):
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

    @property
    def all_skipped(self) -> bool:
        """Whether there were documents, and none that could be read."""
        return self.documents == 0 and self.problems.count > 0


def comes_once(name: str) -> bool:
    """Whether what is named can be read once only."""
    return name == STDIN or Path(name).is_fifo()


def refuse_once(name: str, purpose: str) -> None:
    """Refuse what can be read once only, before it is read."""
    if comes_once(name):
        raise UsageError(
            f"{name}: {purpose} reads documents several times, and these come once; save them to "
            "a file"
        )


@contextmanager
def told(corpus: PassingCorpus) -> Iterator[None]:
    """Say what was skipped, whether reading went well or not; refuse to go on with nothing."""
    try:
        yield
    except PostilError:
        report_problems(corpus)
        if not corpus.all_skipped:
            raise
    else:
        report_problems(corpus)
    if corpus.all_skipped:
        count = corpus.problems.count
        skipped = "its only document was" if count == 1 else f"all {count:,} documents were"
        raise CorpusError(
            f"{corpus.name}: {skipped} bad and skipped, so that nothing is left; mend them, or "
            "say how they are to be read (--format, --text-columns, --encoding, …)"
        )
