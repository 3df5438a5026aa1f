"""The corpus formats: one module each, all in one table."""

from __future__ import annotations

from postil.corpus.formats.annif import ANNIF
from postil.corpus.formats.delimited import CSV, TSV
from postil.corpus.formats.fasttext import FASTTEXT
from postil.corpus.formats.folders import FOLDERS
from postil.corpus.formats.format import Format, Reading, UnwritableError, Writing
from postil.corpus.formats.jsonl import JSONL
from postil.corpus.formats.lines import LINES
from postil.corpus.formats.parquet import PARQUET

# In the order in which content is tried: what is recognised by a sharper sign comes first.
FORMATS: dict[str, Format] = {
    format.name: format for format in (PARQUET, JSONL, FASTTEXT, ANNIF, TSV, CSV, FOLDERS, LINES)
}

__all__ = ["FORMATS", "Format", "Reading", "UnwritableError", "Writing"]
