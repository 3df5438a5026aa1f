"""The corpora experiments read, known by their bytes."""

from __future__ import annotations

from postil.corpus.named.registry import find, named
from postil.errors import CorpusError
from postil.papers.fingerprint import data_fingerprint


class AbsentCorpusError(CorpusError):
    """A known corpus is not on this computer; the message says how to get it."""


def corpus_fingerprint(name: str) -> str:
    """SHA-256 over the files of a known corpus, each read once."""
    corpus = named(name)
    try:
        place = find(corpus)
    except CorpusError as error:
        # In a few words: many cells may say it.
        raise AbsentCorpusError(
            f"the corpus {name} is absent; get it with: postil corpus fetch {name} (from a copy "
            f"you have: postil corpus fetch {name} --from PATH)"
        ) from error
    return data_fingerprint(place)
