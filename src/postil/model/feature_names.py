"""The names of numbered features: a file with a line for each, in the order of the numbers."""

from __future__ import annotations

import json
import re
from pathlib import Path

from postil.corpus.files.streams import Source
from postil.errors import InputError

# As ``postil vectorize`` writes them beside an svmlight file: number, tab, name as JSON.
_NUMBERED = re.compile(r'(\d+)\t(".*")')


def read_feature_names(path: str | Path) -> list[str]:
    """The names from number 1 on; linear in the file.

    A line is a name, or a number, a tab and the name as a JSON text: then the numbers are those of
    the lines.
    """
    source = Source(Path(path))
    with source.open() as stream:
        content = stream.read()
    try:
        lines = content.decode("utf-8-sig").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        at = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{source.name}, line {at}: is not UTF-8; convert the file") from None
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        name = _name(line.removesuffix("\r"), number, source.name)
        if not name:
            raise InputError(f"{source.name}, line {number}: there is no name on it")
        before = seen.setdefault(name, number)
        if before != number:
            raise InputError(
                f"{source.name}, line {number}: {name!r} stands in line {before} already"
            )
    return list(seen)


def _name(line: str, number: int, source: str) -> str:
    match = _NUMBERED.fullmatch(line)
    if match is None:
        return line.strip()
    if int(match.group(1)) != number:
        raise InputError(
            f"{source}, line {number}: it says number {match.group(1)}; names stand in the order "
            "of their numbers, from 1 on"
        )
    try:
        return str(json.loads(match.group(2)))
    except ValueError:
        raise InputError(f"{source}, line {number}: {match.group(2)} is not JSON") from None
