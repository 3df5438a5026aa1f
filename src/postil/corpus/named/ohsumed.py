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
from postil.corpus.named.entry import Option, exists
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
    listed = path / LIST_IN_FOLDER if path.is_dir() else path.with_name(LIST_BESIDE_ARCHIVE)

    def read(problems: Problems) -> Iterator[Document]:
        wanted = _wanted(listed) if categories == "listed" else {}
        unmet = dict(wanted)
        seen, count = SeenIds(), 0
        file_of: dict[str, str] = {}
        for name, member in named_members(path, FILES):
            years = FILES[name]
            _note_years(path, name, years, file_of)
            for record in records(member, TAGS, problems):
                fault = _fault(record, years)
                if fault is None:
                    headings = _used_headings(record)
                    if not headings:
                        continue
                    count += 1
                    identity = record.fields[".U"]
                    earlier = seen.first_position(identity, count)
                    if earlier is not None:
                        fault = (
                            f"the Medline id {identity} was read before, in document {earlier:,}"
                        )
                if fault is not None:
                    problems.report(member.error(f"{fault}; get the file again", record.line))
                    continue
                labels = tuple(h for h in headings if h in wanted) if wanted else headings
                for label in labels:
                    unmet.pop(label, None)
                fields = {"title": record.fields[".T"], "body": record.fields[".W"]}
                year = years[0] if len(years) == 1 else identity[:2]
                yield Document(identity, fields, labels, YEARS[year])
        _check_years(path, file_of, problems)
        for heading, line in unmet.items():
            message = (
                f"no document has the heading {heading!r}; spell it as the .M fields do, or take "
                "it out"
            )
            problems.report(DocumentError(str(listed), f"line {line}", message))

    return read


def _wanted(path: Path) -> dict[str, int]:
    """Return the line of each heading in a list, in UTF-8, one a line; none without a list."""
    if not exists(path):
        return {}
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
    return lines


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


def _used_headings(record: Record) -> tuple[str, ...]:
    """Return the headings of a record that is a document, else none."""
    title, abstract, mesh = (record.fields.get(tag, "") for tag in _USED)
    return headings_of(mesh) if title and abstract else ()


OPTIONS = (
    Option(
        "categories",
        "which headings are labels: those of categories.txt, where there is one, or all",
        CATEGORIES[0],
        CATEGORIES,
    ),
)
