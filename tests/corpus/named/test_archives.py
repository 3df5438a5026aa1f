"""Folders and tar archives, whole and damaged."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil.corpus.files import archives
from postil.corpus.files.archives import members
from postil.errors import CorpusError, DocumentError, InputError

FILES = {"b/2": b"two", "a/1": b"one" * 500, "a/empty": b"", "a/deep/er/file": b"x"}


def contents(path) -> dict[str, bytes]:
    return {member.name: member.read() for member in members(path)}


def test_every_file_is_there_with_its_path(store):
    assert contents(store(FILES)) == FILES


def test_a_folder_is_walked_by_name(make_folder):
    assert [m.name for m in members(make_folder(FILES))] == [
        "a/1",
        "a/empty",
        "a/deep/er/file",
        "b/2",
    ]


def test_an_archive_is_walked_in_its_order_and_members_may_be_passed_over(make_tar):
    names = []
    for member in members(make_tar(FILES)):
        names.append(member.name)
        if member.name == "a/empty":
            assert member.read() == b""
    assert names == list(FILES)


def test_hidden_files_and_leading_dots(store):
    assert contents(store({"./a/x": b"1", "a/.DS_Store": b"2", "._b": b"3"})) == {"a/x": b"1"}


def test_names_that_are_not_unicode_can_be_printed(make_tar):
    ((name, content),) = contents(make_tar({"a/\udce9t\udce9": b"x"})).items()
    assert name == "a/\ufffdt\ufffd"
    assert content == b"x"


def test_what_is_absent_or_no_archive_is_an_error(tmp_path):
    with pytest.raises(CorpusError, match="no such file"):
        contents(tmp_path / "absent")
    (tmp_path / "text").write_text("not a tar archive at all")
    with pytest.raises(CorpusError, match="not a tar archive, or damaged, at its beginning"):
        contents(tmp_path / "text")


def test_a_truncated_gzip_is_an_error(make_tar):
    path = make_tar({"a/1": os.urandom(50_000), "a/2": os.urandom(50_000)})
    path.write_bytes(path.read_bytes()[:70_000])
    with pytest.raises(CorpusError, match="truncated"):
        contents(path)


@pytest.mark.parametrize("size", [700, 1024 + 100, 1024 + 512 + 3])
def test_a_truncated_tar_is_an_error_wherever_it_is_cut(make_tar, size):
    path = make_tar({"a/1": b"x" * 600, "a/2": b"y" * 600}, "plain.tar")
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(CorpusError, match=r"plain.tar: .*damaged, at a/1"):
        contents(path)


def test_a_damaged_header_is_an_error_not_the_end(make_tar):
    path = make_tar({"a/1": b"x", "a/2": b"y", "a/3": b"z"}, "plain.tar")
    raw = bytearray(path.read_bytes())
    raw[1024 + 10] ^= 0xFF
    path.write_bytes(raw)
    with pytest.raises(CorpusError, match="damaged, at a/1"):
        contents(path)


def test_a_header_too_large_to_be_one_is_an_error(tmp_path):
    path = tmp_path / "long.tar"
    with tarfile.open(path, "w") as archive:
        info = tarfile.TarInfo("attributes")
        info.type, info.size = tarfile.XHDTYPE, (1 << 20) + 1
        archive.addfile(info, io.BytesIO(bytes(info.size)))
    with pytest.raises(CorpusError, match="a header of 1,048,577 bytes"):
        contents(path)


def test_damaged_gzip_data_are_an_error(make_tar):
    path = make_tar({"a/1": os.urandom(20_000)})
    raw = bytearray(path.read_bytes())
    raw[10_000] ^= 0xFF
    path.write_bytes(raw)
    with pytest.raises(CorpusError, match="damaged"):
        contents(path)


def test_a_link_in_an_archive_says_what_to_do(tmp_path):
    path = tmp_path / "links.tar"
    with tarfile.open(path, "w") as archive:
        info = tarfile.TarInfo("a/link")
        info.type, info.linkname = tarfile.SYMTYPE, "a/1"
        archive.addfile(info)
    walk = members(path)
    member = next(walk)
    with pytest.raises(DocumentError, match=r"a/link: cannot be read .*unpack the archive"):
        member.read()


def test_a_pipe_in_a_folder_is_not_opened(make_folder):
    folder = make_folder({"a/1": b"x"})
    os.mkfifo(folder / "a/pipe")
    _, member = members(folder)
    with pytest.raises(DocumentError, match=r"a/pipe: cannot be read .*pipe or a device"):
        member.read()


def test_a_folder_that_may_not_be_listed_is_an_error(make_folder, monkeypatch):
    folder = make_folder({"a/1": b"x"})

    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(CorpusError, match=r"folder: cannot be read \(Permission denied\)"):
        contents(folder)


def test_a_file_that_is_gone_is_a_document_error(make_folder):
    folder = make_folder({"a/1": b"x"})
    (member,) = members(folder)
    (folder / "a/1").unlink()
    with pytest.raises(DocumentError, match="a/1: cannot be read"):
        member.read()


def test_a_document_too_large_to_be_one_is_an_error(store, monkeypatch):
    monkeypatch.setattr(archives, "LARGEST_DOCUMENT", 10)
    walk = members(store({"a/1": b"x" * 11}))
    member = next(walk)
    with pytest.raises(DocumentError, match="more than 10 bytes"):
        member.read()


@given(st.integers(0, 4000), st.binary(min_size=1, max_size=3))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_damage_is_an_input_error_or_harmless(make_tar, at, damage):
    path = make_tar({"a/1": b"x" * 600, "a/2": b"y" * 600}, "plain.tar")
    raw = bytearray(path.read_bytes())
    raw[at : at + len(damage)] = damage
    for name, content in (("damaged.tar", bytes(raw)), ("damaged.tar.gz", gzip.compress(raw)[:at])):
        damaged = path.with_name(name)
        damaged.write_bytes(content)
        with suppress(InputError):
            contents(damaged)
