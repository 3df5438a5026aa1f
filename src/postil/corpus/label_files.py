"""Label vocabularies from files: CSV, TSV and JSON by the names of columns, and SKOS."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from postil.common.compression import decompressed, without_compression_suffix
from postil.corpus.label_vocabulary import ANY, LabelEntry, LabelVocabulary
from postil.errors import InputError, MissingExtraError, UsageError

SEPARATOR = ";"
"""Separates alternative names, and broader labels, in a cell."""

COLUMNS = {
    "id": ("id", "uri", "iri", "identifier", "label_id", "subject"),
    "names": ("name", "label", "preflabel", "preferred", "title", "names"),
    "notation": ("notation", "code"),
    "alternatives": ("alternatives", "altlabel", "alternative", "alt", "synonyms", "altlabels"),
    "broader": ("broader", "parent", "parents"),
    "deprecated": ("deprecated",),
}
# The formats of rdflib by the ending of the file.
SKOS_FORMATS = {
    ".ttl": "turtle",
    ".rdf": "xml",
    ".xml": "xml",
    ".owl": "xml",
    ".nt": "nt",
    ".n3": "n3",
    ".jsonld": "json-ld",
}
_YES, _NO = ("true", "yes", "1", "x"), ("", "false", "no", "0")
_LANGUAGE = re.compile(r"[@_]([a-z]{2,3}(?:-[a-z0-9-]+)?)$", re.IGNORECASE)

Cells = Iterator[tuple[str, Mapping[str, Any]]]


class _Column(NamedTuple):
    """The field of a label that a column holds, and the language of its names."""

    field: str
    language: str = ANY


def read_label_file(path: str | Path, language: str | None = None) -> LabelVocabulary:
    """Return the label vocabulary of a file, by its ending; it may be compressed.

    - CSV and TSV have a header, or are the TSV of Annif: ``<uri>``, name, notation.
    - JSON is a list of mappings, or a mapping of ids to names or to mappings. Keys are those of
      columns; several alternatives or broader labels are a list, names may be by language.
    - SKOS is Turtle, RDF/XML, N-Triples or JSON-LD, and needs the package rdflib.

    The columns are the id (``id``, ``uri``), the name (``name``, ``label``, ``prefLabel``; with a
    language as in ``label@de`` or ``label_de``), ``notation``, ``altLabel``, ``broader`` and
    ``deprecated``. Others are left out, with a note.

    Parameters
    ----------
    path : str or Path
        The file.
    language : str, optional
        The language of the names to show, as for :class:`LabelVocabulary`.
    """
    source = str(path)
    suffix = Path(without_compression_suffix(Path(path).name)).suffix.lower()
    try:
        with Path(path).open("rb") as file, decompressed(file, source) as stream:
            content = stream.read()
    except FileNotFoundError:
        raise InputError(f"{source}: the file of labels does not exist; check the path") from None
    except OSError as error:
        raise InputError(
            f"{source}: the file of labels cannot be read ({error.strerror})"
        ) from None
    notes: list[str] = []
    if suffix in SKOS_FORMATS:
        entries: Iterable[LabelEntry] = _skos(content, SKOS_FORMATS[suffix], source)
    elif suffix == ".json":
        entries = _labels(_json_records(_text(content, source), source), source, notes)
    elif suffix in (".csv", ".tsv"):
        delimiter = "\t" if suffix == ".tsv" else None
        entries = _labels(_table(_text(content, source), delimiter, source), source, notes)
    else:
        raise UsageError(
            f"{source}: labels are read from .csv, .tsv, .json or SKOS "
            f"({', '.join(SKOS_FORMATS)}), not from {suffix or 'a file without an ending'}"
        )
    try:
        vocabulary = LabelVocabulary(entries, language, notes)
    except (InputError, UsageError) as error:
        message = str(error)
        raise type(error)(
            message if message.startswith(source) else f"{source}: {message}"
        ) from None
    if not len(vocabulary):
        raise InputError(f"{source}: holds no label")
    return vocabulary


def _text(content: bytes, source: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InputError(f"{source}, line {line}: is not UTF-8; save the file as UTF-8") from None


def _table(text: str, delimiter: str | None, source: str) -> Cells:
    """Yield the rows of a table by the names of its columns, each with its place."""
    first = text.partition("\n")[0]
    if delimiter is None:
        delimiter = max(",;\t", key=first.count)
    header: list[str] | None = None
    if delimiter == "\t" and first.startswith("<"):
        header = ["uri", "label", "notation"]  # as Annif writes it
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=delimiter == ",")
    try:
        for row in rows:
            place = f"line {rows.line_num}"
            if header is None:
                header = row
                continue
            if not any(cell.strip() for cell in row):
                continue
            if len(row) > len(header):
                raise InputError(
                    f"{source}, {place}: has {len(row)} cells, and there are {len(header)} columns"
                )
            yield place, dict(zip(header, row, strict=False))
    except csv.Error as error:
        raise InputError(f"{source}, line {rows.line_num}: {error}") from None


def _json_records(text: str, source: str) -> Cells:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source}: is not JSON ({error})") from None
    if isinstance(whole, dict) and isinstance(whole.get("labels"), list):
        whole = whole["labels"]
    if isinstance(whole, dict):
        whole = [
            {"id": label, **(value if isinstance(value, dict) else {"name": value})}
            for label, value in whole.items()
        ]
    if not isinstance(whole, list):
        raise InputError(f"{source}: must hold a list of labels, or a mapping of ids to names")
    for number, record in enumerate(whole, 1):
        if not isinstance(record, dict):
            raise InputError(f"{source}, label {number}: must be a mapping, is {record!r:.60}")
        yield f"label {number}", record


def _labels(records: Cells, source: str, notes: list[str]) -> Iterator[LabelEntry]:
    """Yield a label for each record; add a note on columns that are not read."""
    columns: dict[str, _Column | None] = {}
    places: dict[str, str] = {}
    for place, record in records:
        for title in record:
            if title not in columns:
                columns[title] = _column_of(title)
        entry = _label(record, columns, f"{source}, {place}")
        if entry.id in places:
            raise InputError(
                f"{source}, {place}: the id {entry.id!r} is in {places[entry.id]} too; give each "
                "label one entry. If this is a table of documents, give a file of labels instead"
            )
        places[entry.id] = place
        yield entry
    unread = [title for title, column in columns.items() if column is None]
    if unread:
        notes.append(f"{source}: not read: {', '.join(unread)}")


def _column_of(title: str) -> _Column | None:
    bare, language = title.strip(), ANY
    tagged = _LANGUAGE.search(bare)
    if tagged and bare.lower() not in ("label_id",):
        bare, language = bare[: tagged.start()], tagged[1].lower()
    for name, known in COLUMNS.items():
        if bare.lower() in known:
            return _Column(name, language)
    return None


def _label(
    record: Mapping[str, Any], columns: Mapping[str, _Column | None], place: str
) -> LabelEntry:
    """Return the label of a record."""
    label, notation, deprecated = "", "", False
    names: dict[str, str] = {}
    lists: dict[str, list[str]] = {"alternatives": [], "broader": []}
    for title, value in record.items():
        column = columns[title]
        if column is None or value is None:
            continue
        if column.field == "deprecated":
            deprecated = _flag(value, place)
        elif column.field in lists:
            lists[column.field] += [_bare(each) for each in _several(value, title, place)]
        elif column.field == "names" and isinstance(value, dict):
            for language, name in value.items():
                names[language.lower()] = _one(name, title, place)
        elif text := _one(value, title, place):
            if column.field == "id":
                label = _bare(text)
            elif column.field == "notation":
                notation = text
            else:
                names[column.language] = text
    if not label:
        raise InputError(
            f"{place}: has no id; name the column of ids id or uri, and fill it for every label"
        )
    return LabelEntry(
        label,
        names,
        notation,
        tuple(dict.fromkeys(lists["alternatives"])),
        tuple(dict.fromkeys(lists["broader"])),
        deprecated,
    )


def _one(value: object, title: str, place: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InputError(f"{place}: {title} must be a text, is {value!r:.60}")
    return str(value).strip()


def _several(value: object, title: str, place: str) -> list[str]:
    """Return the texts of a list, or of a cell that separates them."""
    parts = value if isinstance(value, list) else str(_one(value, title, place)).split(SEPARATOR)
    return [text for part in parts if (text := _one(part, title, place))]


def _bare(text: str) -> str:
    """Return a URI without the angle brackets of Annif's TSV."""
    return text[1:-1] if text.startswith("<") and text.endswith(">") else text


def _flag(value: object, place: str) -> bool:
    text = str(value).strip().casefold()
    if text not in (*_YES, *_NO):
        raise InputError(f"{place}: deprecated is true or false, not {value!r:.60}")
    return text in _YES


def _skos(content: bytes, form: str, source: str) -> list[LabelEntry]:
    """Return the concepts of a SKOS vocabulary; collections and schemes are no labels."""
    try:
        import rdflib
        from rdflib.namespace import DCTERMS, OWL, RDF, SKOS
    except ImportError:
        raise MissingExtraError("reading SKOS", "rdflib", "skos") from None
    graph = rdflib.Graph()
    try:
        graph.parse(data=content, format=form)
    except Exception as error:  # rdflib raises many kinds, some of them Exception itself
        reason = " ".join(str(error).split())
        raise InputError(f"{source}: is not {form} that rdflib reads ({reason:.200})") from None
    broader: dict[str, dict[str, None]] = {}
    for child, parent in graph.subject_objects(SKOS.broader):
        broader.setdefault(str(child), {})[str(parent)] = None
    for parent, child in graph.subject_objects(SKOS.narrower):
        broader.setdefault(str(child), {})[str(parent)] = None
    names = _literals(graph.subject_objects(SKOS.prefLabel))
    others = _literals(graph.subject_objects(SKOS.altLabel))
    codes = _literals(graph.subject_objects(SKOS.notation))
    old = {
        str(concept)
        for concept, value in graph.subject_objects(OWL.deprecated)
        if str(value).lower() in _YES
    }
    # What another concept replaces is deprecated too, where the vocabulary says no more.
    old |= {str(concept) for concept, _ in graph.subject_objects(DCTERMS.isReplacedBy)}
    concepts = sorted({str(concept) for concept in graph.subjects(RDF.type, SKOS.Concept)})
    return [
        LabelEntry(
            concept,
            dict(reversed(names.get(concept, []))),
            min((text for _, text in codes.get(concept, [])), default=""),
            tuple(dict.fromkeys(text for _, text in others.get(concept, []))),
            tuple(sorted(broader.get(concept, {}))),
            concept in old,
        )
        for concept in concepts
    ]


def _literals(pairs: Iterable[tuple[Any, Any]]) -> dict[str, list[tuple[str, str]]]:
    """Return language and text of the literals of each subject, sorted: a graph has no order."""
    found: dict[str, list[tuple[str, str]]] = {}
    for subject, literal in pairs:
        language = (getattr(literal, "language", None) or ANY).lower()
        found.setdefault(str(subject), []).append((language, str(literal).strip()))
    return {subject: sorted(texts) for subject, texts in found.items()}
