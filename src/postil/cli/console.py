"""Standard output for results, standard error for messages; neither lets text act on a terminal.

Nothing heavy is imported here: the entry point opens the streams before it loads the commands.
"""

from __future__ import annotations

import codecs
import io
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TextIO, TypedDict

from postil.common.escaping import escaped, escaped_json, visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


ESCAPES = "postil-escapes"
"""The name of the error handler for characters that an encoding lacks."""


def open_streams() -> tuple[TextIO, TextIO]:
    """Put an :class:`EscapingStream` in place of ``sys.stdout`` and ``sys.stderr``; return both."""
    codecs.register_error(ESCAPES, _json_escapes)
    sys.stdout = _opened(sys.stdout)
    sys.stderr = _opened(sys.stderr)
    return sys.stdout, sys.stderr


def styled(stream: TextIO) -> TextIO:
    """Return the stream that lets styles through, for text that was escaped before."""
    return stream.styled if isinstance(stream, EscapingStream) else stream


class EscapingStream(io.TextIOWrapper):
    """A text stream that writes control characters as escapes.

    It is buffered: Python's own stream, when unbuffered (PYTHONUNBUFFERED), loses what the system
    does not take in one write, as on a disk that fills up. It does not fail on characters that
    its encoding lacks. Bytes written to its ``buffer`` are left alone.
    """

    def __init__(self, stream: io.TextIOWrapper) -> None:
        encoding = codecs.lookup(stream.encoding).name
        options = _Options(
            # Nobody chooses ASCII: it is what Python falls back to.
            encoding="utf-8" if encoding == "ascii" else encoding,
            errors=ESCAPES,
            # An unbuffered stream is asked for to see each line at once.
            line_buffering=stream.line_buffering or stream.write_through,
            # The binary buffer keeps what comes by either wrapper in order.
            write_through=True,
        )
        binary = open(stream.fileno(), "wb", closefd=False)  # noqa: SIM115 - for the whole process
        super().__init__(binary, **options)
        self.styled = io.TextIOWrapper(binary, **options)

    def write(self, text: str, /) -> int:
        """Write the text with unsafe characters as escapes."""
        super().write(escaped(text))
        return len(text)


class _Options(TypedDict):
    encoding: str
    errors: str
    line_buffering: bool
    write_through: bool


def _opened(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):
        return stream  # None if it was closed before the start, or a caller's own
    stream.flush()
    return EscapingStream(stream)


def _json_escapes(error: UnicodeError) -> tuple[str, int]:
    """Return characters that cannot be encoded as JSON escapes them: ``\\u20ac``."""
    assert isinstance(error, UnicodeEncodeError)
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass").hex("u", 2)
    return "".join(f"\\u{unit}" for unit in units.split("u")), error.end


def say(message: str) -> None:
    """Print a line on standard error: a message about the work, not its result."""
    if sys.stderr is not None:  # closed before the start
        print(visible(message), file=sys.stderr, flush=True)


def show_bold(text: str) -> None:
    """Print a line, bold on a terminal."""
    console = _terminal()
    if console is None:
        print(visible(text), flush=True)
        return
    from rich.text import Text

    console.print(Text(visible(text), style="bold"), soft_wrap=True)


def show_json(value: object, *, in_a_line: bool = False) -> None:
    """Print a result as JSON, indented or, where there are many results, in a line."""
    print(json_text(value, indent=None if in_a_line else 2), flush=True)


def json_text(value: object, indent: int | None = None) -> str:
    """Return a value as JSON in which unsafe characters are escaped."""
    import json

    return escaped_json(json.dumps(value, ensure_ascii=False, indent=indent))


def show_table(header: Sequence[str], rows: Sequence[Sequence[str]], right: str = "") -> None:
    """Print rows under a header, on a terminal folded to its width if nothing is cut by that.

    Parameters
    ----------
    header : sequence of str
        The titles of the columns.
    rows : sequence of sequences of str
        The cells, which are escaped here.
    right : str
        An ``r`` at the position of each column that is flush right.
    """
    console = _terminal()
    if console is not None:
        table = _rich_table(header, rows, right)
        unbounded = console.options.update(width=sys.maxsize)
        if console.measure(table, options=unbounded).minimum <= console.width:
            console.print(table)
            return
    for line in table_lines(header, rows, right):
        print(line)
    sys.stdout.flush()


def _rich_table(header: Sequence[str], rows: Sequence[Sequence[str]], right: str) -> Table:
    """Return a table in which only the texts after the first column are folded."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column, title in enumerate(header):
        is_right = right[column : column + 1] == "r"
        table.add_column(
            Text(visible(title)),
            justify="right" if is_right else "left",
            no_wrap=is_right or column == 0,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))
    return table


def table_lines(
    header: Sequence[str], rows: Sequence[Sequence[str]], right: str = ""
) -> Iterator[str]:
    """Yield the lines of a plain table in columns as wide as their cells; see `show_table`."""
    lines = [[visible(cell) for cell in line] for line in (header, *rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    for line in lines:
        cells = [
            cell.rjust(width) if right[i : i + 1] == "r" else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def terminal_width() -> int | None:
    """Return the width of the terminal, or None if standard output is not a terminal."""
    console = _terminal()
    return None if console is None else console.width


def _terminal() -> Console | None:
    """Return a rich console on standard output, or None if that is not a terminal."""
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    from rich.console import Console

    return Console(file=styled(sys.stdout), highlight=False)


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, as 1 document or 1,200 documents."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def shortened(names: Sequence[str], most: int = 5) -> str:
    """Return the first names of a list with commas between, and … if it has more."""
    return ", ".join(map(visible, names[:most])) + (", …" if len(names) > most else "")
