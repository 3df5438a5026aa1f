"""The corpora experiments read, known by their bytes."""

from __future__ import annotations

from postil.corpus.named.registry import find, named
from postil.papers.fingerprint import data_fingerprint


def corpus_fingerprint(name: str) -> str:
    """SHA-256 over the files of a known corpus; an error says how to get it if it is absent."""
    return data_fingerprint(find(named(name)))
