"""The parts of a model that updates need: in memory, and in a file."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from postil.errors import ModelFileError, UsageError
from postil.features.selection import Selection
from postil.model import describe, load_model, model_to_bytes, save_model
from postil.model.parts import to_parts
from postil.model.save import packed
from postil.model.stored import Parts

from .samples import bucket_model, small_model

STARTS, TERMS, UNITS = "selection.starts", "selection.terms", "units"


def updatable(model):
    chosen = [np.array(ids, dtype=np.int32) for ids in ([0, 2, 13], [], [1, 3])]
    return replace(
        model,
        units=np.array([0.5, 0.01, 2.0]),
        selection=Selection.of(chosen, model.weights.shape[1]),
    )


def test_a_file_holds_them(tmp_path):
    made = updatable(small_model())
    save_model(made, tmp_path / "m.postil")
    again = load_model(tmp_path / "m.postil", threads=1)
    assert again.units.tolist() == [0.5, 0.01, 2.0]
    assert [ids.tolist() for ids in again.selection] == [[0, 2, 13], [], [1, 3]]
    assert again.selection.terms == 14
    assert model_to_bytes(again) == model_to_bytes(made)
    assert describe(made)["bytes"]["units"] == 24
    assert describe(made)["bytes"]["selection"] == 5 + 4


@pytest.mark.parametrize("make", [small_model, bucket_model])
def test_a_file_without_them_is_what_it_was(make):
    arrays = to_parts(make()).arrays
    assert not {UNITS, STARTS, TERMS} & arrays.keys()
    if make is small_model:
        assert to_parts(updatable(make())).arrays.keys() - arrays.keys() == {UNITS, STARTS, TERMS}


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda arrays: arrays.pop(TERMS), f"the tensor {TERMS!r} is missing"),
        (lambda arrays: arrays.pop(STARTS), f"the tensor {STARTS!r} is missing"),
        (lambda arrays: arrays.update({UNITS: np.ones(2)}), "should have 3 entries, has 2"),
        (lambda arrays: arrays.update({UNITS: np.ones(3, "f4")}), "should be of float64"),
        (lambda arrays: arrays.update({UNITS: np.array([1.0, 0, 1])}), "units must be one"),
        (lambda arrays: arrays.update({UNITS: np.array([1, np.nan, 1])}), "units must be"),
        (lambda arrays: arrays.update({TERMS: np.array([0, 2, 14, 1, 3], "u1")}), TERMS),
        (lambda arrays: arrays.update({TERMS: np.array([0, 2, 2, 1, 3], "u1")}), "does not rise"),
        (lambda arrays: arrays.update({STARTS: np.array([0, 3, 3, 4], "u1")}), STARTS),
        (lambda arrays: arrays.update({"selection.more": np.ones(3)}), "belongs to no part"),
    ],
)
def test_a_wrong_file_is_refused_in_a_sentence(tmp_path, damage, told):
    settings, arrays = to_parts(updatable(small_model()))
    damage(arrays)
    path = tmp_path / "wrong.postil"
    path.write_bytes(b"".join(packed(Parts(settings, arrays))))
    with pytest.raises(ModelFileError, match=told):
        load_model(path)


def test_what_does_not_fit_is_refused():
    model = small_model()
    for units in ([1.0, 1.0], [1.0, -1.0, 1.0], [1.0, np.inf, 1.0]):
        with pytest.raises(UsageError, match="one finite number above 0 for each"):
            replace(model, units=units)
    with pytest.raises(UsageError, match="the selection is for 1 categories of 14 columns"):
        replace(model, selection=Selection.of([np.array([1], dtype=np.int32)], 14))
