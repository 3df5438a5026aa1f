"""A corpus: a re-iterable stream of documents with a name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import get_args

from postil.corpus.document import Document, Problems, Split
from postil.corpus.files.streams import Pauses
from postil.errors import UsageError

DocumentSource = Callable[[Problems], Iterator[Document]]


class Corpus:
    """A named stream of documents that can be walked any number of times.

    Nothing is held in memory: each iteration calls ``source`` anew, and only the document at
    hand exists. ``problems`` is the account of the last pass. Where documents come from a stream,
    the listener of ``pauses`` is called before every wait for more of it.
    """

    def __init__(
        self,
        name: str,
        source: DocumentSource,
        *,
        problems: Problems | None = None,
        description: str = "",
        pauses: Pauses | None = None,
    ) -> None:
        self.name = name
        self.description = description
        self.problems = problems if problems is not None else Problems()
        self.pauses = pauses or Pauses()
        self._source = source

    def __iter__(self) -> Iterator[Document]:
        self.problems.clear()
        return self._source(self.problems)

    def only(self, split: Split) -> Corpus:
        """The documents of one split, as a corpus of its own (sharing the account)."""
        if split not in get_args(Split):
            raise UsageError(f"a split is train or test, not {split!r}")
        return Corpus(
            f"{self.name}[{split}]",
            lambda problems: (d for d in self._source(problems) if d.split == split),
            problems=self.problems,
            description=self.description,
            pauses=self.pauses,
        )

    def __repr__(self) -> str:
        return f"Corpus({self.name!r})"
