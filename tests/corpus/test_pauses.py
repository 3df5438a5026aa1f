"""Streams that pause: a guess is made from what has come, and who waits is told."""

from __future__ import annotations

import gzip
import io
import os
import time
from contextlib import suppress

import pytest

from postil.corpus.files import streams as pipes
from postil.corpus.files.streams import Pauses, Pipe
from postil.corpus.opening import open_corpus
from postil.errors import DocumentError


@pytest.fixture
def stream(tmp_path):
    """A named pipe that is open at both ends, and a way to write into it."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    end = os.open(path, os.O_RDWR)
    return path, lambda data: os.write(end, data), lambda: os.close(end)


def pipe_of(reading):
    return Pipe(os.fdopen(reading, "rb"), Pauses())


@pytest.fixture
def ends():
    reading, writing = os.pipe()
    pipe = pipe_of(reading)
    yield pipe, writing
    pipe._stream.close()
    with suppress(OSError):  # a test may have closed it
        os.close(writing)


class TestGathering:
    def test_whole_lines_are_enough(self, ends):
        pipe, writing = ends
        os.write(writing, b"\n\none\ntw")
        assert pipe.gather(1)
        assert (pipe.whole_lines(), bytes(pipe.head)) == (b"\n\none\n", b"\n\none\ntw")

    def test_blank_lines_do_not_count(self, ends):
        pipe, writing = ends
        os.write(writing, b"one\n\n")
        assert not pipe._holds(1)
        assert pipe.gather(1)
        assert not pipe._holds(2)

    def test_the_end_is_no_pause(self, ends):
        pipe, writing = ends
        os.write(writing, b"one\ntw")
        os.close(writing)
        assert not pipe.gather(1)
        assert bytes(pipe.head) == b"one\ntw"
        assert pipe.read1() == b""

    @pytest.mark.parametrize(
        "data",
        [
            pytest.param("one\ntwo\n".encode("utf-16"), id="utf-16"),
            pytest.param(gzip.compress(b"one\ntwo\n" * 9, 0, mtime=0), id="gzip"),
        ],
    )
    def test_what_has_no_lines_is_read_on(self, ends, data):
        pipe, writing = ends
        os.write(writing, data)
        os.close(writing)
        assert not pipe.gather(1)
        assert not pipe._holds(1)

    def test_a_trickle_is_not_waited_for(self, ends, monkeypatch):
        pipe, writing = ends
        os.write(writing, b"one\n")
        monkeypatch.setattr(pipes, "PATIENCE", 0.0)
        begun = time.monotonic()
        assert pipe.gather(1)
        assert time.monotonic() - begun < 5

    def test_no_more_than_needed(self, monkeypatch):
        monkeypatch.setattr(pipes, "MOST_GATHERED", 3)
        monkeypatch.setattr(pipes, "BUFFER", 2)
        pipe = Pipe(io.BufferedReader(io.BytesIO(b"a\nb\nc\nd\n")), Pauses())
        assert not pipe.gather(1)
        assert bytes(pipe.head) == b"a\nb\n"


class TestCorpora:
    @pytest.mark.parametrize(
        ("first", "second", "format"),
        [
            (b'{"text": "one"}\n', b'{"text": "two"}\n', "jsonl"),
            (b"one\n", b"two\n", "lines"),
            (b"text,label\none,x\n", b"two,y\n", "csv"),
            (b"text,label\n\none,x\n", b"two,y\n", "csv"),
            (b"__label__x one\n", b"__label__y two\n", "fasttext"),
        ],
    )
    def test_pauses_are_heard_of(self, stream, first, second, format):
        path, write, close = stream
        write(first)
        corpus = open_corpus(path)
        assert f" as {format}: " in corpus.description
        seen: list[str] = []
        heard: list[list[str]] = []

        def hear() -> None:
            heard.append(list(seen))
            if len(heard) == 1:
                write(second)
            else:
                close()

        corpus.pauses.listener = hear
        seen.extend(document.fields["text"].strip() for document in corpus)
        assert (seen, heard) == (["one", "two"], [["one"], ["one", "two"]])

    @pytest.mark.parametrize("late", ['"labels": ["x"]', '"title": "x"', '"split": "test"'])
    def test_what_a_guess_could_not_see_is_an_error(self, stream, late):
        path, write, _ = stream
        write(b'{"text": "one", "set": "of spoons"}\n')
        corpus = open_corpus(path)
        write(b'{"text": "two", %s}\n' % late.encode())
        with pytest.raises(DocumentError, match="too late to be guessed; name the columns"):
            list(corpus)

    def test_a_part_hears_of_them_too(self):
        corpus = open_corpus("demo")
        assert corpus.only("test").pauses is corpus.pauses
