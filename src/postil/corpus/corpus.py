"""A corpus: a stream of documents with a name, which can be read again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from postil.corpus.document import Document, Problems, Split
from postil.corpus.files.streams import Pauses
from postil.errors import UsageError

if TYPE_CHECKING:
    from postil.corpus.formats.columns import Columns
    from postil.corpus.label_vocabulary import LabelVocabulary

DocumentSource = Callable[[Problems], Iterator[Document]]


@dataclass(frozen=True, slots=True)
class TableForm:
    """The form of a table that documents were read from, so that one like it can be written.

    Parameters
    ----------
    names : tuple of str
        The columns, in order.
    delimiter, quote, newline : str
        Of csv and tsv.
    mark : bool
        True if a csv or tsv file needs a byte order mark for spreadsheets to read it: it had one,
        or was not UTF-8.
    schema : object
        The schema of a Parquet file.
    widths : tuple of float
        The widths of the columns of a workbook, 0 for the usual one.
    columns : Columns, optional
        The part that each column plays.
    format : str
        The name of the format; empty if there are files of several.
    """

    names: tuple[str, ...]
    delimiter: str = ""
    quote: str = '"'
    newline: str = "\n"
    mark: bool = False
    schema: Any = None
    widths: tuple[float, ...] = ()
    columns: Columns | None = None
    format: str = ""


class Corpus:
    """A named stream of documents that can be read any number of times.

    Nothing is held in memory: each iteration calls ``source`` again, and only the document at
    hand exists.

    Parameters
    ----------
    name : str
        Name for messages.
    source : callable
        Returns the documents; bad ones go to the ``Problems`` it is called with.
    problems : Problems, optional
        Account of the bad documents of the last pass.
    description : str
        A sentence for the user.
    pauses : Pauses, optional
        Its listener is called before every wait for more documents of a stream.
    at_end : callable, optional
        Called with the number of documents of all splits when a pass has read the last one.
    split : {"train", "test"}, optional
        Read only the documents of this split.
    form : TableForm, optional
        The form of the table that the documents are read from.
    """

    def __init__(
        self,
        name: str,
        source: DocumentSource,
        *,
        problems: Problems | None = None,
        description: str = "",
        pauses: Pauses | None = None,
        at_end: Callable[[int], None] | None = None,
        split: Split | None = None,
        form: TableForm | None = None,
    ) -> None:
        self.name = name
        self.description = description
        self.problems = problems if problems is not None else Problems()
        self.pauses = pauses or Pauses()
        self.form = form
        self._source = source
        self._at_end = at_end
        self._split = split

    def __iter__(self) -> Iterator[Document]:
        self.problems.clear()
        count = 0
        for document in self._source(self.problems):
            count += 1
            if self._split is None or document.split == self._split:
                yield document
        if self._at_end is not None:
            self._at_end(count)

    def only(self, split: Split) -> Corpus:
        """Return the documents of one split, as a corpus that shares ``problems``."""
        if split not in get_args(Split):
            raise UsageError(f"a split is train or test, not {split!r}")
        part = copy(self)
        part.name, part._split = f"{self.name}[{split}]", split
        return part

    def with_labels(self, vocabulary: LabelVocabulary, *, ancestors: bool = False) -> Corpus:
        """Return the corpus with labels as :meth:`LabelVocabulary.applied` gives them."""
        changed, source = copy(self), self._source
        changed._source = lambda problems: vocabulary.applied(source(problems), ancestors=ancestors)
        return changed

    def __repr__(self) -> str:
        return f"Corpus({self.name!r})"
