"""The container is safetensors: what the package writes we read, and the other way round."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import load, save

from postil.errors import InputError, ModelFileError
from postil.model import model_to_bytes
from postil.model.container import from_text, pack, read_header, read_tensors

from .samples import any_text, bucket_model, small_model, tiny_model

TYPES = ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "?"]
shapes = st.lists(st.integers(0, 4), min_size=1, max_size=2).map(tuple)
arrays = st.builds(
    lambda dtype, shape: (np.arange(np.prod(shape)) % 2).astype(dtype).reshape(shape),
    st.sampled_from(TYPES),
    shapes,
)
named_arrays = st.dictionaries(any_text.filter(lambda name: name != "__metadata__"), arrays)
metadata = st.dictionaries(any_text, any_text, min_size=1)


def assert_same_arrays(a, b):
    assert a.keys() == b.keys()
    for name, array in a.items():
        assert array.dtype == b[name].dtype
        assert array.shape == b[name].shape
        np.testing.assert_array_equal(array, b[name])


@settings(max_examples=80, deadline=None)
@given(named_arrays, metadata)
def test_both_read_what_the_other_writes(tensors, texts):
    ours, theirs = b"".join(pack(texts, tensors)), save(tensors, texts)
    assert len(ours) % 8 == sum(array.nbytes for array in tensors.values()) % 8
    assert_same_arrays(load(ours), tensors)
    for content in (ours, theirs):
        header = read_header(content)
        assert header.metadata == texts
        assert_same_arrays(read_tensors(content, header), tensors)


@pytest.mark.parametrize("make", [small_model, tiny_model, bucket_model])
def test_the_package_opens_a_model(make, tmp_path):
    path = tmp_path / "model.postil"
    path.write_bytes(model_to_bytes(make()))
    with safe_open(path, "np") as file:
        assert file.metadata()["format"] == "postil"
        assert file.metadata()["format_version"] == "1"
        assert from_text(file.metadata()["manifest"])["names"] == list(make().names)
        np.testing.assert_array_equal(file.get_tensor("intercepts"), make().intercepts)


def test_arrays_are_aligned_views():
    content = b"".join(pack({"a": "b"}, {"x": np.arange(3), "y": np.arange(5, dtype=np.uint8)}))
    read = read_tensors(content, read_header(content))
    for array in read.values():
        assert array.flags.aligned
        assert not array.flags.owndata
        assert not array.flags.writeable


def test_arrays_of_any_layout_are_written():
    tensors = {"turned": np.arange(12.0).reshape(3, 4).T, "every other": np.arange(9)[::2]}
    swapped = {name: array.astype(array.dtype.newbyteorder(">")) for name, array in tensors.items()}
    assert b"".join(pack({}, tensors)) == b"".join(pack({}, swapped))
    assert_same_arrays(load(b"".join(pack({}, tensors))), tensors)


def test_nothing_is_copied_to_be_written():
    array = np.arange(1000.0)
    *_, content = pack({}, {"x": array})
    assert np.shares_memory(np.frombuffer(content), array)


@pytest.mark.parametrize("text", ['{"a":1,"a":2}', "NaN", "[-Infinity]", "[" * 10**5, "{", ""])
def test_json_of_a_stranger(text):
    with pytest.raises(InputError, match="its JSON"):
        from_text(text)


def test_gaps_and_overlaps_are_refused():
    content = save({"a": np.zeros(2), "b": np.zeros(2)}, {"format": "postil"})
    for found, instead in ((b"[16,32]", b"[ 8,24]"), (b"[0,16]", b"[8,24]")):
        changed = content.replace(found, instead)
        assert changed != content
        with pytest.raises(ModelFileError, match="does not begin where"):
            read_tensors(changed, read_header(changed))
