"""What there is to know about a corpus with a name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from postil.corpus.corpus import DocumentSource
from postil.corpus.document import Document
from postil.corpus.named.choices import Option, parse_options
from postil.corpus.named.distributions import Distribution
from postil.corpus.problems import Problems
from postil.errors import DocumentError


@dataclass(frozen=True, slots=True)
class NamedCorpus:
    """A corpus with a name: what it is, on what terms, where it comes from, how it is read.

    ``distribution`` is ``None`` for a corpus that is shipped with postil. ``sizes`` are the
    numbers of documents a complete copy can have. ``opener`` takes the path and the options.
    """

    name: str
    title: str
    description: str
    terms: str
    distribution: Distribution | None
    sizes: frozenset[int]
    opener: Callable[..., DocumentSource]
    options: tuple[Option, ...] = ()

    def read(self, path: Path, choices: Mapping[str, object] | None = None) -> DocumentSource:
        """Read the copy at ``path``; that it is not complete is a problem at its end.

        ``choices`` are values of ``options``, or words for them.
        """
        values = parse_options(self.name, self.options, choices or {})
        source = self.opener(path, **values)
        # Whoever asks for the unused stories gets more documents than the split has.
        return source if values.get("unused") else _counted(source, self, path)


def _counted(source: DocumentSource, corpus: NamedCorpus, path: Path) -> DocumentSource:
    """Add a problem at the end where documents are missing or too many."""

    def read(problems: Problems) -> Iterator[Document]:
        count = 0
        for count, document in enumerate(source(problems), 1):  # noqa: B007 - used at the end
            yield document
        if corpus.sizes and count + problems.count not in corpus.sizes:
            expected = " or ".join(f"{size:,}" for size in sorted(corpus.sizes))
            problems.report(
                DocumentError(
                    str(path),
                    "at its end",
                    f"{corpus.name} has {expected} documents, this copy {count:,}; get it again",
                )
            )

    return read
