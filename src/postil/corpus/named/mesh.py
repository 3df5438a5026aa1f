"""Medical Subject Headings: those of a record, and a list of those wanted."""

from __future__ import annotations

from pathlib import Path

from postil.errors import CorpusError, DocumentError


def headings_of(field: str) -> tuple[str, ...]:
    """The main headings of a MeSH field, each once, in its order.

    Headings are divided by semicolons and a full stop ends the field; subheadings follow a
    slash, and an asterisk marks what a paper is mainly about. These are left out.

    >>> headings_of("Human; Heart Arrest/*TH; Support, U.S. Gov't, P.H.S.; Heart Arrest/CO.")
    ('Human', 'Heart Arrest', "Support, U.S. Gov't, P.H.S.")
    """
    found = field.strip().removesuffix(".").split(";")
    cleaned = (heading.partition("/")[0].replace("*", "").strip() for heading in found)
    return tuple(dict.fromkeys(heading for heading in cleaned if heading))


class WantedHeadings:
    """The headings of a list, and which of them were met."""

    def __init__(self, path: Path, lines: dict[str, int]) -> None:
        self._path = path
        self._unmet = dict(lines)
        self._wanted = frozenset(lines)

    @classmethod
    def read(cls, path: Path) -> WantedHeadings:
        """Read a file with a heading a line, in UTF-8; blank lines are passed over."""
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
        """Those of ``headings`` that are wanted."""
        kept = tuple(heading for heading in headings if heading in self._wanted)
        for heading in kept:
            self._unmet.pop(heading, None)
        return kept

    def unmet(self) -> list[DocumentError]:
        """An error for every heading that no document had, such as one misspelt."""
        return [
            DocumentError(
                str(self._path),
                f"line {line}",
                f"no document has the heading {heading!r}; spell it as the .M fields do, or "
                "take it out",
            )
            for heading, line in self._unmet.items()
        ]
