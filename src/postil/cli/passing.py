"""A corpus on its way through a command: what passed, what was skipped, what went wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from postil.cli.console import report_problems
from postil.cli.failures import naming
from postil.cli.spooling import Spool
from postil.corpus.corpus import Corpus
from postil.corpus.document import Document
from postil.corpus.files.streams import STDIN
from postil.errors import CorpusError, PostilError, UsageError

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
