"""The first bytes of a source, for guessing its format."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from postil.corpus.files.streams import Source
from postil.corpus.files.textlines import encoding_of, without_ending
from postil.corpus.options import ReadOptions

HEAD_BYTES = 1 << 16


@dataclass(frozen=True)
class Head:
    """The first bytes, decompressed, and the lines in them.

    ``complete`` says that the source ends here.
    """

    data: bytes
    complete: bool
    encoding: str

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Its lines that are not blank, decoded as well as may be.

        An unfinished last line is left out unless it is the only one.
        """
        text = self.data.decode(self.encoding, errors="replace").removeprefix("\ufeff")
        lines = text.split("\n")
        if not self.complete and len(lines) > 1:
            lines.pop()
        return tuple(without_ending(line + "\n") for line in lines if line.strip())


def head_of(source: Source, options: ReadOptions, lines: int = 1) -> Head:
    """Look at the beginning of ``source``: of a stream that pauses, so many lines at least."""
    with source.preview(lines) as stream:
        data = stream.read(HEAD_BYTES)
        complete = (len(data) < HEAD_BYTES or not stream.read(1)) and not source.paused
    return Head(data, complete, encoding_of(data, options.encoding))
