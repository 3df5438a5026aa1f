"""The corpus formats, in one table."""

from __future__ import annotations

from postil.corpus.formats.delimited import CSV, TSV
from postil.corpus.formats.documents import DOCUMENT, MAILBOX
from postil.corpus.formats.folders import FOLDERS
from postil.corpus.formats.format import Format
from postil.corpus.formats.jsonl import JSONL
from postil.corpus.formats.lines import ANNIF, FASTTEXT, LINES
from postil.corpus.formats.parquet import PARQUET

# In the order in which content is tried: formats with a sharper sign come first.
FORMATS: dict[str, Format] = {
    format.name: format
    for format in (PARQUET, JSONL, FASTTEXT, ANNIF, TSV, CSV, FOLDERS, MAILBOX, LINES, DOCUMENT)
}
