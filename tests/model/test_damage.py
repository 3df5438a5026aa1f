"""Files that are not what they were: a clear sentence, or the same model; nothing else."""

from __future__ import annotations

import os
import pickle
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save

from postil.errors import InputError, ModelFileError, PostilError, UsageError
from postil.model import load_model, model_from_bytes, model_to_bytes, save_model
from postil.model.container import LONGEST_HEADER

from .samples import small_model, tiny_model

TINY = model_to_bytes(tiny_model())
LENGTH = int.from_bytes(TINY[:8], "little")


def refused_or_same(content: bytes) -> str:
    """The sentence a file gets, empty if it loads: then the model is the same."""
    try:
        model = model_from_bytes(content, name="x.postil", threads=1)
    except ModelFileError as error:
        sentence = str(error)
        assert sentence.startswith("x.postil: ")
        assert "\n" not in sentence
        return sentence
    assert model_to_bytes(model) == TINY
    return ""


def flipped(position: int, mask: int) -> bytes:
    content = bytearray(TINY)
    content[position] ^= mask
    return bytes(content)


def with_header(text: str) -> bytes:
    encoded = text.encode()
    return len(encoded).to_bytes(8, "little") + encoded + TINY[8 + LENGTH :]


def header_text() -> str:
    return TINY[8 : 8 + LENGTH].decode()


def test_where_errors_stand():
    assert issubclass(ModelFileError, InputError)
    assert issubclass(ModelFileError, PostilError)


@pytest.mark.parametrize("offset", [0, 3])
def test_every_byte_flipped(offset):
    for position in range(len(TINY)):
        refused_or_same(flipped(position, 1 << (position + offset) % 8))


def test_every_byte_of_the_data_is_watched():
    for position in range(8 + LENGTH, len(TINY)):
        for mask in (0x01, 0x80, 0xFF):
            assert "checksum" in refused_or_same(flipped(position, mask))


def test_bytes_changed_at_random():
    chance = random.Random(5)
    for _ in range(3000):
        content = bytearray(TINY)
        for _ in range(chance.randint(1, 4)):
            content[chance.randrange(len(content))] = chance.randrange(256)
        refused_or_same(bytes(content))


def test_every_truncation():
    for length in range(len(TINY)):
        assert refused_or_same(TINY[:length])
    for length in range(8 + LENGTH, len(TINY)):
        assert "is cut short" in refused_or_same(TINY[:length])
    for length in range(48, 8 + LENGTH, 97):
        assert "is cut short or damaged" in refused_or_same(TINY[:length])


@pytest.mark.parametrize("tail", [b"\0", b" ", b"x" * 100, TINY])
def test_anything_appended(tail):
    assert "continues after its end" in refused_or_same(TINY + tail)


@pytest.mark.parametrize("length", [LONGEST_HEADER + 1, 2**31, 2**63, 2**64 - 1])
def test_a_huge_header_is_refused_before_anything_is_allocated(length):
    head = length.to_bytes(8, "little")
    assert "its header should have" in refused_or_same(head + TINY[8:])
    assert "is not a postil model" in refused_or_same(head + b"{" * 100)


def test_a_long_header_that_is_there_is_refused(tmp_path):
    path = tmp_path / "long.postil"
    with path.open("wb") as file:
        file.write((LONGEST_HEADER + 1).to_bytes(8, "little"))
        file.write(TINY[8:60])
        file.truncate(LONGEST_HEADER + 1000)  # a hole: it takes no room on the disk
    with pytest.raises(ModelFileError, match="its header should have"):
        load_model(path)


@pytest.mark.parametrize("depth", [10, 100_000])
@pytest.mark.parametrize("brackets", ["[]", ("{'a':", "}")])
def test_deep_headers(depth, brackets):
    opening, closing = brackets
    nested = opening.replace("'", '"') * depth + closing * depth
    assert "is not a postil model" in refused_or_same(with_header(nested))
    text = '{"__metadata__":{"format":"postil","x":' + nested + "}}"
    assert "damaged header" in refused_or_same(with_header(text))


@pytest.mark.parametrize(
    ("found", "instead"),
    [
        ('"shape":[4]', '"shape":[-4]'),
        ('"shape":[4]', '"shape":[4.0]'),
        ('"shape":[4]', '"shape":[true,4]'),
        ('"shape":[4]', '"shape":[2,2]'),
        ('"shape":[4]', '"shape":[2,2,1]'),
        ('"shape":[4]', '"shape":4'),
        ("[1]}}", '[1]},"z":{"data_offsets":[0,0],"dtype":"U8","shape":[0,9223372036854775808]}}'),
        ("[1]}}", '[1]},"z":{"data_offsets":[0,0],"dtype":"F64","shape":[4611686018427387904,0]}}'),
        ('"shape":[4]', '"shape":[4],"shape":[4]'),
        ('"shape":[4]', '"shape":[4],"more":1'),
        ('"data_offsets":[24,56]', '"data_offsets":[25,57]'),
        ('"data_offsets":[24,56]', '"data_offsets":[56,88]'),
        ('"data_offsets":[24,56]', '"data_offsets":[24]'),
        ('"data_offsets":[24,56]', '"data_offsets":[1e1,56]'),
        ('"dtype":"F64"', '"dtype":"I64"'),
        ('"dtype":"F64"', '"dtype":"U64"'),
        ('"dtype":"F64"', '"dtype":"X64"'),
        ('"dtype":"F64"', '"dtype":8'),
        ('"dtype":"F64"', '"dtype":NaN'),
        ('"calibration.scores"', '"calibration.values"'),
        ('"calibration.scores"', '"calibration.Scores"'),
        ('"calibration.scores":', '"calibration.scores":0,"other":'),
        ('"format_version":"1"', '"format_version":1'),
        ('"checksum":"', '"checksum":"0'),
        ('"manifest":', '"Manifest":'),
    ],
)
def test_headers_that_say_something_else(found, instead):
    assert found in header_text()
    text = header_text().replace(found, instead, 1)
    text += " " * (-len(text) % 8)
    assert refused_or_same(with_header(text))


@pytest.mark.parametrize(
    ("version", "sentence"),
    [
        ("2", "was written by a newer postil, in format version 2; .* reads version 1: upgrade"),
        ("900", "newer postil"),
        ("0", "damaged header"),
        ("1.5", "damaged header"),
        ("-1", "damaged header"),
        ("", "damaged header"),
        ("1" * 5000, "damaged header"),
        ("١", "damaged header"),
    ],
)
def test_versions(version, sentence):
    text = header_text().replace('"format_version":"1"', f'"format_version":"{version}"')
    with pytest.raises(ModelFileError, match=sentence):
        model_from_bytes(with_header(text))


def test_a_newer_version_may_have_other_metadata():
    text = '{"__metadata__":{"format":"postil","format_version":"7","summary":"none"}}'
    with pytest.raises(ModelFileError, match="newer postil"):
        model_from_bytes(with_header(text))


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(save({"weights": np.zeros(3)}), id="safetensors"),
        pytest.param(save({"weights": np.zeros(3)}, {"format": "pt"}), id="another's safetensors"),
        pytest.param(save({}), id="safetensors of nothing"),
        pytest.param(pickle.dumps({"weights": [1, 2, 3]}), id="pickle"),
        pytest.param(b"PK\x03\x04" + bytes(100), id="zip"),
        pytest.param(b'{"format": "postil"}', id="JSON"),
        pytest.param(b"just a text, and longer than a few bytes", id="text"),
        pytest.param(bytes(64), id="zeros"),
        pytest.param(b"\xff" * 64, id="ones"),
        pytest.param(b"", id="nothing"),
        pytest.param(b"abc", id="three bytes"),
        pytest.param(b"\x02" + bytes(7) + b"{}", id="an empty header"),
        pytest.param(b"\x02" + bytes(7) + b"[]", id="a header that is a list"),
        pytest.param(b"\x04" + bytes(7) + "{}".encode("utf-16-le"), id="UTF-16"),
    ],
)
def test_foreign_files(content, tmp_path):
    path = tmp_path / "foreign.postil"
    path.write_bytes(content)
    with pytest.raises(
        ModelFileError,
        match=r"foreign\.postil: the file is (not a postil model|empty)",
    ):
        load_model(path)
    with pytest.raises(ModelFileError, match=r"<bytes>: the file is not a postil model"):
        model_from_bytes(content)


def test_what_is_no_file(tmp_path):
    with pytest.raises(ModelFileError, match="is a folder; name a file"):
        load_model(tmp_path)
    with pytest.raises(ModelFileError, match="the file does not exist"):
        load_model(tmp_path / "absent.postil")
    with pytest.raises(ModelFileError, match="cannot be read"):
        load_model(tmp_path / "absent.postil" / "x\0y")
    (tmp_path / "file").write_bytes(b"x")
    with pytest.raises(ModelFileError, match=r"cannot be read \(Not a directory\)"):
        load_model(tmp_path / "file" / "below")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="is not a regular file"):
        load_model(tmp_path / "pipe")


def test_what_may_not_be_read(tmp_path, monkeypatch):
    path = tmp_path / "model.postil"
    save_model(small_model(), path)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ModelFileError, match="Permission denied"):
        load_model(path)


def test_wrong_usage_is_no_damage(tmp_path):
    save_model(tiny_model(), tmp_path / "model.postil")
    with pytest.raises(UsageError, match="threads must be from 1"):
        load_model(tmp_path / "model.postil", threads=0)
    with pytest.raises(UsageError, match="threads must be from 1"):
        model_from_bytes(TINY, threads=1000)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes(content):
    with pytest.raises(ModelFileError):
        model_from_bytes(content)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_pieces_cut_out_moved_and_repeated(data):
    places = st.integers(0, len(TINY))
    a, b, c = sorted(data.draw(st.tuples(places, places, places)))
    pieces = [TINY[:a], TINY[a:b], TINY[b:c], TINY[c:]]
    order = data.draw(st.lists(st.integers(0, 3), max_size=6))
    refused_or_same(b"".join(pieces[at] for at in order))
