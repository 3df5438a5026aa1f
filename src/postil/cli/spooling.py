"""Documents set aside while a corpus passes, so that it need not pass again."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator

from postil.cli.failures import naming
from postil.corpus.corpus import Corpus
from postil.corpus.document import Document
from postil.corpus.problems import Problems

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
