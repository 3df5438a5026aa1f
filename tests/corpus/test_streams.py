"""Bytes in and out: compression, pipes, decoding, atomic writing."""

from __future__ import annotations

import gzip
import io
import os
import stat
import subprocess
import sys
import threading
import tracemalloc
import zlib
from pathlib import Path

import pytest
import zstandard

from postil.common import compression
from postil.common import files as atomic
from postil.common.files import output_file, output_folder
from postil.corpus.document import Problems
from postil.corpus.files import textlines
from postil.corpus.files.streams import Source
from postil.corpus.files.textlines import TextLines
from postil.errors import CorpusError, DocumentError, MissingExtraError, UsageError

TEXT = b"".join(b"line %d with some words\n" % number for number in range(5000))
COMPRESS = {"gzip": gzip.compress, "zstd": zstandard.compress}


def stdin(monkeypatch, data):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def read(path):
    with Source(path).open() as stream:
        return stream.read()


@pytest.mark.parametrize("compress", COMPRESS.values(), ids=COMPRESS)
class TestCompression:
    def test_one_member_whatever_the_name(self, compress, tmp_path):
        path = tmp_path / "plain.txt"
        path.write_bytes(compress(TEXT))
        assert read(path) == TEXT

    def test_several_members_are_one_text(self, compress, tmp_path):
        path = tmp_path / "x"
        path.write_bytes(compress(TEXT) + compress(b"") + compress(b"more\n"))
        assert read(path) == TEXT + b"more\n"

    @pytest.mark.parametrize("missing", [1, 7, 200])
    def test_truncated(self, compress, missing, tmp_path):
        path = tmp_path / "x.gz"
        path.write_bytes(compress(TEXT)[:-missing])
        with pytest.raises(CorpusError, match=r"x\.gz.*truncated"):
            read(path)

    def test_truncated_in_the_second_member(self, compress, tmp_path):
        path = tmp_path / "x"
        path.write_bytes(compress(TEXT) + compress(TEXT)[:-20])
        with pytest.raises(CorpusError, match="truncated"):
            read(path)

    def test_damaged(self, compress, tmp_path):
        data = bytearray(compress(TEXT))
        data[12:40] = bytes(28)
        path = tmp_path / "x"
        path.write_bytes(data)
        with pytest.raises(CorpusError, match=r"damaged|truncated"):
            read(path)

    def test_a_line_without_end_does_not_fill_the_memory(self, compress, tmp_path, monkeypatch):
        monkeypatch.setattr(textlines, "LONGEST_LINE", 1 << 20)
        path = tmp_path / "x"
        path.write_bytes(compress(bytes(1 << 28)) + compress(b"\nnext\n"))
        problems = Problems("skip")
        tracemalloc.start()
        with Source(path).open() as stream:
            lines = TextLines(stream, "x")
            found = [(lines.number, line) for line in lines.good(problems)]
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 1 << 27
        assert found == [(2, "next")]
        assert "longer than 1,048,576 bytes" in str(problems.first[0])

    def test_garbage_after_the_end(self, compress, tmp_path):
        path = tmp_path / "x"
        path.write_bytes(compress(TEXT) + b"garbage that is no member")
        with pytest.raises(CorpusError, match="damaged"):
            read(path)


def test_zeros_after_gzip_are_padding(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(gzip.compress(TEXT) + bytes(100_000))
    assert read(path) == TEXT


def test_zstd_that_begins_with_a_skippable_frame(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"\x50\x2a\x4d\x18\x04\0\0\0abcd" + zstandard.compress(TEXT))
    assert read(path) == TEXT


def test_zstd_with_a_long_window(tmp_path):
    parameters = zstandard.ZstdCompressionParameters(window_log=28, enable_ldm=True)
    compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    path = tmp_path / "x"
    path.write_bytes(compressor.compress(TEXT) + compressor.flush())
    assert read(path) == TEXT


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python has zstd itself")
def test_zstd_without_its_package(tmp_path, monkeypatch):
    path = tmp_path / "x.zst"
    path.write_bytes(zstandard.compress(TEXT))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(
        MissingExtraError, match=r"reading zstd .*pip install zstandard .*extra zstd"
    ):
        read(path)
    with pytest.raises(MissingExtraError, match="writing zstd"), output_file(tmp_path / "y.zst"):
        pass
    assert sorted(tmp_path.iterdir()) == [path]


def test_suffixes_come_off():
    assert compression.without_compression_suffix("a/docs.jsonl.ZST") == "a/docs.jsonl"
    assert compression.without_compression_suffix("docs.csv") == "docs.csv"


class TestPipes:
    @pytest.mark.parametrize("data", [TEXT, gzip.compress(TEXT), b"", b"x"])
    def test_preview_loses_nothing(self, data, monkeypatch):
        stdin(monkeypatch, data)
        source = Source(None)
        assert source.once
        for size in (3, 100, 50):
            with source.preview() as stream:
                stream.read(size)
        with source.open() as stream:
            result = stream.read()
        assert result == (TEXT if len(data) > 1 else data)

    def test_second_opening(self, monkeypatch):
        stdin(monkeypatch, TEXT)
        source = Source(None)
        source.open().close()
        with pytest.raises(CorpusError, match=r"<stdin>.*second time.*save it to a file"):
            source.open()
        with pytest.raises(CorpusError, match="second time"):
            source.preview()

    def test_standard_input_stays_open(self, monkeypatch):
        stdin(monkeypatch, b"x\n")
        with Source(None).open() as stream:
            stream.read()
        assert not sys.stdin.closed

    def test_named_pipe_that_trickles(self, tmp_path):
        path = tmp_path / "pipe"
        os.mkfifo(path)

        def feed():
            with path.open("wb", buffering=0) as pipe:
                for byte in gzip.compress(b"a line\n"):
                    pipe.write(bytes([byte]))

        thread = threading.Thread(target=feed)
        thread.start()
        source = Source(path)
        assert source.once
        with source.preview() as stream:
            assert stream.read(2) == b"a "
        with source.open() as stream:
            assert stream.read() == b"a line\n"
        thread.join()

    def test_seekable_copy_can_be_opened_often(self, monkeypatch):
        stdin(monkeypatch, TEXT)
        source = Source(None)
        with source.open_seekable() as first, source.open_seekable() as second:
            first.seek(-5, os.SEEK_END)
            assert second.read(4) == b"line"
            assert first.read() == TEXT[-5:]


class TestAbsence:
    def test_no_such_file(self, tmp_path):
        with pytest.raises(CorpusError, match="no such file"):
            Source(tmp_path / "absent")

    def test_unreadable(self, tmp_path, monkeypatch):
        path = tmp_path / "x"
        path.write_bytes(b"x")
        source = Source(path)

        def refuse(*_args, **_options):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "open", refuse)
        with pytest.raises(CorpusError, match=r"x: cannot be read \(Permission denied\)"):
            source.open()

    def test_nul_in_the_path(self):
        with pytest.raises(CorpusError, match="cannot be read"):
            Source(Path("a\0b"))


def lines_of(data, encoding=None, policy="strict"):
    problems = Problems(policy)
    lines = TextLines(io.BufferedReader(io.BytesIO(data)), "f", encoding)
    return [(lines.number, line) for line in lines.good(problems)], problems


class TestTextLines:
    def test_only_line_feeds_end_lines(self):
        data = "a\u2028b\x85c\x0cd\re\r\nf".encode()
        assert lines_of(data)[0] == [(1, "a\u2028b\x85c\x0cd\re"), (2, "f")]

    @pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
    def test_byte_order_marks_say_the_encoding(self, encoding):
        assert lines_of("zwölf\n字\r\n".encode(encoding))[0] == [(1, "zwölf"), (2, "字")]

    @pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16-le", "utf-8-sig", "gb18030"])
    def test_named_encodings(self, encoding):
        assert lines_of("zwölf\nä\n".encode(encoding), encoding)[0] == [(1, "zwölf"), (2, "ä")]

    @pytest.mark.parametrize("order", ["le", "be"])
    @pytest.mark.parametrize("width", ["utf-16", "utf-32"])
    @pytest.mark.parametrize("first", ["twelve", "zwölf"])
    def test_wide_text_without_a_byte_order_mark(self, first, width, order):
        expected = [(1, first), (2, "字")]
        data = f"{first}\n字\n".encode(f"{width}-{order}")
        assert lines_of(data, width)[0] == expected
        with pytest.raises(DocumentError, match="--encoding") as caught:
            lines_of(data)
        advised = str(caught.value).rpartition("--encoding ")[2].rstrip(")")
        assert lines_of(data, advised)[0] == expected

    def test_wrong_encoding_names_line_and_way_out(self):
        with pytest.raises(DocumentError, match=r"f, line 2: .*0xf6 at byte 3.*--encoding latin-1"):
            lines_of(b"one\nzw\xf6lf\n")

    def test_skipping_goes_on_with_the_next_line(self):
        found, problems = lines_of(b"a\n\xff\nb\0\nc\n", policy="skip")
        assert found == [(1, "a"), (4, "c")]
        assert [error.position for error in problems.first] == ["line 2", "line 3"]

    def test_nul_byte(self):
        with pytest.raises(DocumentError, match="line 1: the line holds a NUL byte"):
            lines_of(b"a\0b\n")

    def test_lone_surrogate_in_utf_7(self):
        assert lines_of("zwölf".encode("utf-7"), "utf-7")[0] == [(1, "zwölf")]
        with pytest.raises(
            DocumentError, match=r"line 2: the line is not valid utf-7: .*surrogate"
        ):
            lines_of(b"one\n+2AA-\n", "utf-7")

    def test_broken_utf_16(self):
        data = "one\ntwo".encode("utf-16") + b"\x00\xd8"
        with pytest.raises(CorpusError, match="not valid utf-16"):
            lines_of(data)

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
    def test_a_line_that_is_too_long_is_passed_over(self, encoding, monkeypatch):
        monkeypatch.setattr(textlines, "LONGEST_LINE", 20)
        text = f"{'x' * 20}\n{'x' * 21}\nb\n{'x' * 50}"
        found, problems = lines_of(text.encode(encoding), policy="skip")
        assert found == [(1, "x" * 20), (3, "b")]
        assert [error.position for error in problems.first] == ["line 2", "line 4"]

    def test_a_long_line(self):
        size = 10 << 20
        found, _ = lines_of(b"a" * size + b"\nb\n")
        assert [len(line) for _, line in found] == [size, 1]


class TestAtomicFiles:
    def test_file_appears_when_complete(self, tmp_path):
        path = tmp_path / "x"
        with output_file(path) as stream:
            stream.write(b"new")
            assert not path.exists()
        assert path.read_bytes() == b"new"

    @pytest.mark.parametrize("name", ["x", "x.gz", "x.zst"])
    @pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
    def test_error_leaves_the_old_file_alone(self, error, name, tmp_path):
        path = tmp_path / name
        path.write_bytes(b"old")
        with pytest.raises(error), output_file(path) as stream:  # noqa: PT012
            stream.write(b"new")
            raise error
        assert path.read_bytes() == b"old"
        assert list(tmp_path.iterdir()) == [path]

    def test_equal_bytes_at_any_time(self, tmp_path, monkeypatch):
        contents = []
        for moment in (0.0, 1e9):
            monkeypatch.setattr("time.time", lambda moment=moment: moment)
            with output_file(tmp_path / "x.gz") as stream:
                stream.write(TEXT)
            contents.append((tmp_path / "x.gz").read_bytes())
        assert contents[0] == contents[1]
        assert zlib.decompress(contents[0], wbits=31) == TEXT

    def test_links_are_followed_and_modes_kept(self, tmp_path):
        path = tmp_path / "x"
        path.write_bytes(b"old")
        path.chmod(0o640)
        link = tmp_path / "link"
        link.symlink_to(path)
        with output_file(link) as stream:
            stream.write(b"new")
        assert link.is_symlink()
        assert path.read_bytes() == b"new"
        assert stat.S_IMODE(path.stat().st_mode) == 0o640

    def test_devices_are_written_directly(self):
        with output_file("/dev/null") as stream:
            stream.write(b"gone")
        assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)

    def test_standard_output(self, capfdbinary):
        with output_file("-") as stream:
            stream.write(b"out")
        assert capfdbinary.readouterr().out == b"out"

    def test_no_folder(self, tmp_path):
        with pytest.raises(UsageError, match="does not exist"), output_file(tmp_path / "a" / "b"):
            pass

    def test_a_folder_is_no_file(self, tmp_path):
        with pytest.raises(UsageError, match="is a folder"), output_file(tmp_path):
            pass

    def test_unwritable(self, tmp_path, monkeypatch):
        def refuse(*_args, **_options):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "open", refuse)
        with pytest.raises(UsageError, match="cannot be written"), output_file(tmp_path / "x"):
            pass


KILLED = """
import os, signal, sys
from postil.common.files import {output}
with {output}(sys.argv[1]):
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("output", [output_file, output_folder])
class TestLeftovers:
    def test_the_next_write_removes_what_a_killed_one_left(self, output, tmp_path):
        path = tmp_path / "x"
        code = KILLED.format(output=output.__name__)
        subprocess.run([sys.executable, "-c", code, str(path)], check=False)
        (left,) = tmp_path.iterdir()
        assert left.name.endswith(".part")
        with output(tmp_path / "x.other"):
            pass
        assert left.exists()
        with output(path):
            pass
        assert sorted(tmp_path.iterdir()) == [path, tmp_path / "x.other"]

    def test_what_is_being_written_is_left_alone(self, output, tmp_path):
        path = tmp_path / "x"
        with output(path):
            (being_written,) = tmp_path.iterdir()
            with output(path):
                assert being_written.exists()
        assert list(tmp_path.iterdir()) == [path]


class TestAtomicFolders:
    def test_folder_appears_when_complete(self, tmp_path):
        path = tmp_path / "x"
        with output_folder(path) as folder:
            (folder / "a").write_bytes(b"1")
            assert not path.exists()
        assert [file.name for file in path.iterdir()] == ["a"]

    def test_error_leaves_nothing(self, tmp_path):
        with pytest.raises(KeyboardInterrupt), output_folder(tmp_path / "x") as folder:  # noqa: PT012
            (folder / "a").write_bytes(b"1")
            raise KeyboardInterrupt
        assert list(tmp_path.iterdir()) == []

    def test_an_empty_folder_may_be_there_and_a_full_one_not(self, tmp_path):
        path = tmp_path / "x"
        path.mkdir()
        with output_folder(path) as folder:
            (folder / "a").write_bytes(b"1")
        with pytest.raises(UsageError, match="not an empty folder"), output_folder(path):
            pass

    def test_not_to_standard_output(self):
        with pytest.raises(UsageError, match="standard output"), output_folder(atomic.STDOUT):
            pass
