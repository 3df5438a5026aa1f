"""The named corpora that are JSON Lines: the embedded demo and the arXiv sample."""

from __future__ import annotations

from pathlib import Path

from postil.corpus.corpus import DocumentSource
from postil.corpus.files.streams import Source
from postil.corpus.options import ReadOptions

DEMO = Path(__file__).parent.parent / "data" / "demo.jsonl"


def jsonl_corpus(path: Path) -> DocumentSource:
    """Read a file with the keys id, title, body, labels and split, maybe others."""
    from postil.corpus.formats import jsonl

    columns = ReadOptions(
        id_column="id",
        text_columns={"title": "title", "body": "body"},
        label_column="labels",
        split_column="split",
    )
    return jsonl.read(Source(path), columns).documents
