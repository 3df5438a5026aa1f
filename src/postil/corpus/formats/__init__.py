"""The corpus formats, in one table."""

from __future__ import annotations

from postil.corpus.formats.annotations import DOCCANO
from postil.corpus.formats.delimited import CSV, TSV
from postil.corpus.formats.documents import DOCUMENT, MAILBOX
from postil.corpus.formats.folders import FOLDERS
from postil.corpus.formats.format import Format
from postil.corpus.formats.jsonl import JSONL
from postil.corpus.formats.label_studio import LABEL_STUDIO
from postil.corpus.formats.lines import ANNIF, FASTTEXT, LINES
from postil.corpus.formats.parquet import PARQUET
from postil.corpus.formats.prodigy import PRODIGY
from postil.corpus.formats.xlsx import XLSX

# In the order in which content is tried: formats with a sharper sign come first.
FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        *(PARQUET, XLSX, LABEL_STUDIO, PRODIGY, DOCCANO, JSONL),
        *(FASTTEXT, ANNIF, TSV, CSV, FOLDERS, MAILBOX, LINES, DOCUMENT),
    )
}
