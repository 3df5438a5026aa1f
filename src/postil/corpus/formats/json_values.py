"""The records of a JSON file that is one value: an array of objects, also within an object."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import BinaryIO

from postil.corpus.files import textlines
from postil.errors import CorpusError

PIECE = 1 << 18
SURE = 64
"""An error so many characters before the end of what was read is none of reading too little."""

_SPACE = re.compile(r"[ \t\n\r]*")
_ARRAY = re.compile(r"\s*\[\s*(?:\{|\]|\Z)")
_OBJECT = re.compile(r'\s*\{\s*(?:\n\s*"|\Z)')


def begins_value(text: str, *, is_json: bool, complete: bool = False) -> bool:
    """Return True if a text begins an array of objects, or an object of several lines.

    In a file ``.json`` it may also be an object whose first line is not a whole one, or whose only
    line holds an array of objects.
    """
    if _ARRAY.match(text) or (_OBJECT.match(text) and text.lstrip() != "{}"):
        return True
    if not is_json or not text.lstrip().startswith("{"):
        return False
    line, _, rest = text.strip().partition("\n")
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return True
    return complete and not rest and any(map(_is_array_of_objects, value.values()))


def _is_array_of_objects(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def records(stream: BinaryIO, source: str, encoding: str) -> Iterator[tuple[int, object]]:
    """Yield the elements of the array with their number, from 1.

    In an object the array is its one value that is an array of objects; an object without any is
    a record. Several values may follow each other. Memory is that of the largest record. JSON that
    is damaged is a ``CorpusError``, since nothing tells where the next record begins.
    """
    text = _Text(stream, source, encoding)
    while found := text.next_character():
        if found == "[":
            yield from text.elements()
        else:
            yield from _of_object(text)


def _of_object(text: _Text) -> Iterator[tuple[int, object]]:
    record: dict[str, object] = {}
    array: str | None = None
    for key in text.names():
        if not text.begins_array_of_objects():
            record[key] = text.value()
            continue
        if array is not None:
            raise text.error(
                f"holds two arrays of objects, {array!r} and {key!r}; write the one you want to a "
                f"file of its own (jq .{array} FILE)"
            )
        array = key
        yield from text.elements()
    if array is None:
        yield text.count(), record


class _Text:
    """The characters of a JSON text, read a piece at a time."""

    def __init__(self, stream: BinaryIO, source: str, encoding: str) -> None:
        self._source = source
        self._encoding = encoding
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._buffer = ""
        self._at = 0
        self._ended = False
        self._number = 0
        self._read_more()
        self._buffer = self._buffer.removeprefix("\ufeff")

    def count(self) -> int:
        """Return the number of the next record."""
        self._number += 1
        return self._number

    def next_character(self) -> str:
        """Return the next character that is no space, without taking it; empty at the end."""
        while True:
            match = _SPACE.match(self._buffer, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._buffer) or not self._read_more():
                return self._buffer[self._at : self._at + 1]

    def take(self, wanted: str) -> str:
        """Take the next character, which has to be one of those wanted."""
        found = self.next_character()
        if not found or found not in wanted:
            expected = " or ".join(wanted)
            raise self._not_json(f"expected {expected}, found {found or 'the end of the file'}")
        self._at += 1
        return found

    def elements(self) -> Iterator[tuple[int, object]]:
        """Take an array and yield its elements with their number."""
        self.take("[")
        if self.next_character() == "]":
            self.take("]")
            return
        while True:
            value = self.value()
            yield self.count(), value
            if self.take(",]") == "]":
                return

    def names(self) -> Iterator[str]:
        """Take an object and yield its keys; the caller takes each value."""
        self.take("{")
        if self.next_character() == "}":
            self.take("}")
            return
        while True:
            if self.next_character() != '"':
                self.take('"')
            key = self.value()
            self.take(":")
            yield str(key)
            if self.take(",}") == "}":
                return

    def begins_array_of_objects(self) -> bool:
        """Return True if the next value is an array whose first element is an object."""
        if self.next_character() != "[":
            return False
        begin = self._at
        self._at += 1
        is_object = self.next_character() == "{"
        self._at = begin
        return is_object

    def value(self) -> object:
        """Take the next value."""
        self.next_character()
        while True:
            try:
                value, end = json.JSONDecoder().raw_decode(self._buffer, self._at)
            except RecursionError:
                raise self._not_json("nested too deeply") from None
            except json.JSONDecodeError as error:
                is_cut = error.msg.startswith("Unterminated") or (
                    error.pos + SURE >= len(self._buffer)
                )
                where = f"{error.msg}, {error.pos - self._at} characters into it"
                if not is_cut or not self._read_more():
                    raise self._not_json(where) from None
                continue
            except ValueError as error:  # a number of thousands of digits
                raise self._not_json(str(error)) from None
            # A number might go on where the buffer ends.
            if end < len(self._buffer) or not self._read_more():
                self._check_length(end - self._at)
                self._at = end
                return value

    def _read_more(self) -> bool:
        """Read about as much as is left in the buffer, so that a long value costs linear time."""
        if self._ended:
            return False
        left = self._buffer[self._at :]
        self._check_length(len(left))
        try:
            piece = self._stream.read(max(PIECE, len(left)))
            more = self._decoder.decode(piece, final=not piece)
        except UnicodeError as error:
            raise self.error(
                f"is not valid {self._encoding} ({error}); name the encoding it has "
                "(--encoding latin-1)"
            ) from error
        self._ended = not piece
        self._buffer = left + more
        self._at = 0
        return not self._ended

    def _check_length(self, length: int) -> None:
        if length > textlines.LONGEST_LINE:
            raise self.error(
                f"a record of more than {textlines.LONGEST_LINE:,} characters, the most a document "
                "may have; split it into several or take it out"
            )

    def error(self, message: str) -> CorpusError:
        return CorpusError(f"{self._source}, after record {self._number}: {message}")

    def _not_json(self, reason: str) -> CorpusError:
        return self.error(f"is not valid JSON ({reason}); correct it")
