"""OHSUMED: records of Medline from 1987 to 1991, in files of the SMART system.

Documents are the records whose title, abstract and MeSH fields all hold something, as in
genkin-lewis-madigan-2004, section 5.2.3; the others are left out. The Medline id is the id, the
fields are ``title`` and ``body`` (the abstract), the labels are MeSH headings. 1987 and 1988 are
for training, 1989 to 1991 for testing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from postil.corpus.corpus import DocumentSource
from postil.corpus.document import Document, Problems, SeenIds, Split
from postil.corpus.files.archives import named_members
from postil.corpus.named.entry import Choice, exists
from postil.corpus.named.smart_records import Record, records
from postil.errors import CorpusError, DocumentError


def headings_of(field: str) -> tuple[str, ...]:
    """Return the main headings of a MeSH field, each once, in its order.

    Headings are divided by semicolons and a full stop ends the field; subheadings follow a
    slash, and an asterisk marks what a paper is mainly about. These are left out.

    >>> headings_of("Human; Heart Arrest/*TH; Support, U.S. Gov't, P.H.S.; Heart Arrest/CO.")
    ('Human', 'Heart Arrest', "Support, U.S. Gov't, P.H.S.")
    """
    found = field.strip().removesuffix(".").split(";")
    cleaned = (heading.partition("/")[0].replace("*", "").strip() for heading in found)
    return tuple(dict.fromkeys(heading for heading in cleaned if heading))


class WantedHeadings:
    """A list of headings that are labels, and those of them that no document had so far."""

    def __init__(self, path: Path, lines: dict[str, int]) -> None:
        self._path = path
        self._unmet = dict(lines)
        self._wanted = frozenset(lines)

    @classmethod
    def read(cls, path: Path) -> WantedHeadings:
        """Read a file with a heading a line, in UTF-8; blank lines are ignored."""
        if not path.is_file():
            raise CorpusError(f"{path}: is no file, and should be a list of headings; remove it")
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise CorpusError(f"{path}: cannot be read as UTF-8 text ({error})") from error
        lines: dict[str, int] = {}
        for number, line in enumerate(text.splitlines(), 1):
            if heading := line.strip():
                lines.setdefault(heading, number)
        if not lines:
            raise CorpusError(f"{path}: holds no heading; write one a line, or remove the file")
        return cls(path, lines)

    def among(self, headings: tuple[str, ...]) -> tuple[str, ...]:
        """Return the ``headings`` that are on the list."""
        kept = tuple(heading for heading in headings if heading in self._wanted)
        for heading in kept:
            self._unmet.pop(heading, None)
        return kept

    def unmet(self) -> list[DocumentError]:
        """Return an error for every heading that no document had, such as a misspelt one."""
        return [
            DocumentError(
                str(self._path),
                f"line {line}",
                f"no document has the heading {heading!r}; spell it as the .M fields do, or "
                "take it out",
            )
            for heading, line in self._unmet.items()
        ]


YEARS: dict[str, Split] = {"87": "train", "88": "train", "89": "test", "90": "test", "91": "test"}
FILES = {
    **{f"ohsumed.{year}": (year,) for year in YEARS},
    "ohsumed.88-91": ("88", "89", "90", "91"),
}
CATEGORIES = ("listed", "all")
LIST_IN_FOLDER = "categories.txt"
LIST_BESIDE_ARCHIVE = "ohsumed-categories.txt"

TAGS = frozenset({".U", ".S", ".M", ".T", ".P", ".W", ".A"})

_USED = (".T", ".W", ".M")


def ohsumed(path: Path, *, categories: str = "listed") -> DocumentSource:
    """Read a folder or tar archive with ``ohsumed.87`` and its kin, each plain or compressed.

    If there is a list of headings (``categories.txt`` in the folder, or
    ``ohsumed-categories.txt`` beside the archive), only these are labels, unless ``categories``
    is ``"all"``; documents with none of them stay. Memory holds one record, and 24 to 48 bytes
    for the id of every document.
    """

    def read(problems: Problems) -> Iterator[Document]:
        wanted = _wanted(path) if categories == "listed" else None
        seen, count = SeenIds(), 0
        file_of: dict[str, str] = {}
        for name, member in named_members(path, FILES):
            years = FILES[name]
            _note_years(path, name, years, file_of)
            for record in records(member, TAGS, problems):
                fault = _fault(record, years)
                if fault is None:
                    if not _is_used(record):
                        continue
                    count += 1
                    fault = _repeated(record, seen.first_position(record.fields[".U"], count))
                if fault is not None:
                    problems.report(member.error(f"{fault}; get the file again", record.line))
                    continue
                yield _document(record, years, wanted)
        _check_years(path, file_of, problems)
        for error in wanted.unmet() if wanted is not None else ():
            problems.report(error)

    return read


def _document(record: Record, years: tuple[str, ...], wanted: WantedHeadings | None) -> Document:
    labels = headings_of(record.fields[".M"])
    year = years[0] if len(years) == 1 else record.fields[".U"][:2]
    return Document(
        record.fields[".U"],
        {"title": record.fields[".T"], "body": record.fields[".W"]},
        labels if wanted is None else wanted.among(labels),
        YEARS[year],
    )


def _wanted(path: Path) -> WantedHeadings | None:
    folder = path.is_dir()
    place = path / LIST_IN_FOLDER if folder else path.with_name(LIST_BESIDE_ARCHIVE)
    return WantedHeadings.read(place) if exists(place) else None


def _note_years(path: Path, name: str, years: tuple[str, ...], file_of: dict[str, str]) -> None:
    twice = next((year for year in years if year in file_of), None)
    if twice is not None:
        raise CorpusError(
            f"{path}: both {file_of[twice]} and {name} hold the records of 19{twice}; "
            "keep one of them"
        )
    file_of.update(dict.fromkeys(years, name))


def _check_years(path: Path, file_of: dict[str, str], problems: Problems) -> None:
    if not file_of:
        raise CorpusError(
            f"{path}: holds no file of OHSUMED; expected ohsumed.87 with ohsumed.88-91, or with "
            "ohsumed.88 to ohsumed.91, each plain or .gz"
        )
    missing = [year for year in YEARS if year not in file_of]
    if missing:
        message = f"there is no file with the records of 19{', 19'.join(missing)}; add ohsumed."
        problems.report(DocumentError(str(path), "at its end", message + missing[0]))


def _fault(record: Record, years: tuple[str, ...]) -> str | None:
    """Return the fault of a record, else None."""
    identity = record.fields.get(".U", "")
    if not identity:
        return f"record {record.number} has no Medline id (.U)"
    if len(years) > 1 and identity[:2] not in years:
        return (
            f"the Medline id of record {record.number} must begin with its year "
            f"({', '.join(years)}), received {identity[:40]!r}"
        )
    if record.cut in _USED:
        return f"the file ends inside record {record.number}"
    return None


def _repeated(record: Record, earlier: int | None) -> str | None:
    if earlier is None:
        return None
    return f"the Medline id {record.fields['.U']} was read before, in document {earlier:,}"


def _is_used(record: Record) -> bool:
    title, abstract, mesh = (record.fields.get(tag, "") for tag in _USED)
    return bool(title and abstract and headings_of(mesh))


OPTIONS = (
    Choice(
        "categories",
        "which headings are labels: those of categories.txt, where there is one, or all",
        CATEGORIES,
        CATEGORIES[0],
    ),
)
