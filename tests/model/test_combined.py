"""Models with a projection or a combination: scores, files, refusals, descriptions."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from postil.decide.calibration import Softmax
from postil.errors import ModelFileError, UsageError
from postil.learn.combining import JUST_BELOW, Rivals, Trees
from postil.model import describe, load_model, model_from_bytes, model_to_bytes, save_model
from postil.model.parts import to_parts
from postil.model.save import packed
from postil.model.stored import Parts
from postil.train.predict import Predictor
from postil.vectors.lsi import Lsi
from postil.vectors.projection import Projection

from .combined_samples import (
    COMBINED,
    FOREST,
    STORIES,
    forest_model,
    kernel_model,
    projected_model,
    rivals_model,
)
from .samples import lies_in_a_map, scores, small_model

KINDS = pytest.mark.parametrize("kind", COMBINED)
COLUMNS = [STORIES]


@KINDS
def test_scores_are_those_of_the_definition(kind):
    model = COMBINED[kind]()
    found = Predictor(model).scores(COLUMNS)
    assert found.shape == (len(STORIES), 2)
    np.testing.assert_allclose(found, scores(model, STORIES), rtol=1e-5, atol=1e-6)


@KINDS
def test_a_round_trip_gives_equal_bits(kind, tmp_path):
    model = COMBINED[kind]()
    save_model(model, tmp_path / "model.postil")
    loaded = load_model(tmp_path / "model.postil")
    assert model_to_bytes(loaded) == (tmp_path / "model.postil").read_bytes()
    np.testing.assert_array_equal(
        Predictor(loaded).scores(COLUMNS), Predictor(model).scores(COLUMNS)
    )
    if model.projection is not None:
        assert lies_in_a_map(loaded.projection.lsi.term_vectors)
        assert loaded.projection.length == model.projection.length


@KINDS
def test_texts_without_a_known_term_are_known_as_such(kind):
    model = COMBINED[kind]()
    predictor = Predictor(model)
    texts = [["zzz yyy", "", "wool", STORIES[3]]]
    unknown = predictor.unknown(texts, predictor.scores(texts))
    assert unknown.tolist() == [True, True, False, False]


def test_a_projection_without_a_length_is_not_kept():
    unscaled = projected_model(length=None)
    assert unscaled.projection is None
    assert unscaled.method["lsi"] == {"directions": 3}


def test_a_score_of_exactly_0_at_a_leaf_is_a_no_for_the_rule_too():
    trees = Trees([0, 1], [-1, 2, -1], [-1, -1, -1])
    combined = trees.combined(np.array([[0.0, 3.0, 0.0], [1.0, 0.0, 5.0]]))
    np.testing.assert_array_equal(combined, [[JUST_BELOW, JUST_BELOW], [1.0, JUST_BELOW]])
    assert (combined >= 0).tolist() == [[False, False], [True, False]]
    assert [step.accepted for step in trees.path(1, np.array([0.0, 3.0, 0.0]))] == [True, False]


def test_nodes_are_named_by_the_way_to_them():
    assert FOREST.node_names(0) == {0: "root", 2: "yes"}
    assert FOREST.node_names(1) == {1: "root", 3: "yes", 4: "yes/no"}


def projection_of(columns, length=1.0):
    dense = np.random.default_rng(0).random((columns + 2, columns)).astype(np.float32)
    return Projection(Lsi(2, scaled=True).fit(sp.csr_matrix(dense)), length)


@pytest.mark.parametrize(
    ("make", "changes", "sentence"),
    [
        (projected_model, {"projection": projection_of(5)}, "the projection is of 5 terms, and"),
        (rivals_model, {"combination": Rivals(3, 1.0)}, "for 3 categories, the names for 2"),
        (forest_model, {"combination": None}, "2 category names"),
        (
            forest_model,
            {"intercepts": np.zeros(2)},
            r"for each of 5 rows of weights, got .* \(2,\)",
        ),
        (rivals_model, {"combination": FOREST}, "5 rows of the combination"),
        (rivals_model, {"calibration": Softmax(2)}, r"combined \(rivals\): use platt or isotonic"),
        (rivals_model, {"units": np.ones(2)}, r"combined weights \(rivals\) cannot have units"),
        (projected_model, {"units": np.ones(2)}, "weights of a projection cannot have units"),
    ],
)
def test_parts_that_do_not_fit(make, changes, sentence):
    with pytest.raises(UsageError, match=sentence):
        replace(make(), **changes)


def test_a_projection_that_changes_nothing_is_left_out():
    model = projected_model()
    lsi = model.projection.lsi
    with pytest.raises(UsageError, match="fold its weights and leave it out"):
        replace(model, projection=Projection(lsi))


def refused(parts, sentence):
    with pytest.raises(ModelFileError, match=sentence) as caught:
        model_from_bytes(b"".join(packed(parts)))
    assert "\n" not in str(caught.value)


def changed(make, settings=None, arrays=None, without=()):
    own = to_parts(make())
    kept = {name: array for name, array in own.arrays.items() if name not in without}
    return Parts(json.loads(json.dumps(own.settings)) | (settings or {}), kept | (arrays or {}))


VECTORS, VALUES = "projection.term_vectors", "projection.singular_values"
RIVALS = {"kind": "rivals", "settings": {"categories": 2, "sharpness": 2.5, "capped": False}}


def rivals_with(**wrong):
    return {"combination": RIVALS | {"settings": RIVALS["settings"] | wrong}}


def kernel_named(spec):
    return {"combination": {"kind": "kernel", "settings": {"kernel": spec}}}


def kernel_with(name, first):
    """Return an array of a kernel's with other first numbers."""
    array = to_parts(kernel_model()).arrays[f"combination.{name}"].copy()
    if name == "starts" and len(first) < 3:
        return {"combination.starts": np.array(first)}
    array[: len(first)] = first
    return {f"combination.{name}": array}


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        (lambda: changed(projected_model, {"projection": None}), "belongs to no part"),
        (lambda: changed(projected_model, {"projection": {}}), "has no 'length'"),
        (lambda: changed(projected_model, {"projection": {"length": "3"}}), "should be a number"),
        (lambda: changed(projected_model, {"projection": {"length": -1.0}}), "above 0"),
        (lambda: changed(projected_model, {"projection": {"length": 1e300}}), "above 0"),
        (lambda: changed(projected_model, without=[VECTORS]), "'projection.term_vectors' is miss"),
        (lambda: changed(projected_model, without=[VALUES]), "is missing"),
        (lambda: changed(projected_model, arrays={VALUES: np.array([1.0, 2.0, 3.0])}), "damaged"),
        (lambda: changed(projected_model, arrays={VALUES: np.ones(2)}), "should have"),
        (lambda: changed(projected_model, arrays={"projection.more": np.ones(2)}), "no part"),
        (lambda: changed(forest_model, without=["combination.yes"]), "yes"),
        (
            lambda: changed(
                forest_model, arrays={"combination.yes": np.array([0, 0, 0, 0, 0], "i4")}
            ),
            "do not form trees",
        ),
        (
            lambda: changed(forest_model, arrays={"combination.no": np.full(5, 2**32 - 1, "i8")}),
            "32-bit",
        ),
        (lambda: changed(forest_model, arrays={"combination.more": np.ones(2)}), "not known"),
        (lambda: changed(forest_model, {"combination": {"kind": "trees"}}), "has no 'settings'"),
        (lambda: changed(rivals_model, {"combination": RIVALS | {"kind": "x"}}), "unknown way"),
        (lambda: changed(rivals_model, rivals_with(categories=3 * 10**9)), "the names for 2"),
        (lambda: changed(rivals_model, rivals_with(categories=True)), "rivals need a whole"),
        (lambda: changed(rivals_model, rivals_with(sharpness=0.0)), "sharpness must be from"),
        (lambda: changed(rivals_model, rivals_with(sharpness="1")), "rivals need a whole"),
        (lambda: changed(rivals_model, rivals_with(more=1)), "not known"),
        *(
            (lambda array=array: changed(kernel_model, arrays=kernel_with(*array)), sentence)
            for array, sentence in (
                (("starts", [0, 1]), "one row for each"),
                (("starts", [0, 9, 4]), "one row for each"),
                (("support", [9]), "rising support documents"),
                (("support", [-1]), "rising support documents"),
                (("factors", [np.nan]), "finite"),
                (("intercepts", [np.inf]), "finite"),
                (("id_ends", [99]), "'id_ends' of a kernel does not rise"),
            )
        ),
        (lambda: changed(kernel_model, without=["combination.factors"]), "factors"),
        (lambda: changed(kernel_model, arrays={"combination.support": np.ones(2)}), "int32"),
        (lambda: changed(kernel_model, arrays={"combination.id_bytes": np.ones(2, "u1")}), "rise"),
        (lambda: changed(kernel_model, kernel_named("rbf(1)")), "write exponential"),
        (lambda: changed(kernel_model, kernel_named("polynomial(2)")), "not known"),
        (lambda: changed(kernel_model, kernel_named(2)), "must be a text"),
    ],
)
def test_deceitful_files_are_refused(parts, sentence):
    refused(parts(), sentence)


def test_directions_that_are_no_numbers_are_refused():
    vectors = to_parts(projected_model()).arrays[VECTORS].copy()
    vectors[0, 0] = np.nan
    refused(changed(projected_model, arrays={VECTORS: vectors}), "finite")


@KINDS
def test_damage_is_found(kind):
    content = model_to_bytes(COMBINED[kind]())
    rng = np.random.default_rng(0)
    for place in rng.integers(8, len(content), 40).tolist():
        broken = bytearray(content)
        broken[place] ^= 0x55
        with pytest.raises(ModelFileError):
            model_from_bytes(bytes(broken))


def test_descriptions_say_how_scores_are_made():
    told = describe(forest_model())
    assert told["projection"] == {"directions": 3, "length": 3.0}
    assert told["combination"] == {"kind": "trees", "rows": 5}
    assert (told["weights"]["categories"], told["weights"]["rows"]) == (2, 5)
    boats, sheep = told["categories"]
    assert [node["node"] for node in boats["nodes"]] == ["root", "yes"]
    assert [node["node"] for node in sheep["nodes"]] == ["root", "yes", "yes/no"]
    assert [node["intercept"] for node in sheep["nodes"]] == [0.25, -0.125, 0.75]
    assert sheep["up"] == sheep["nodes"][0]["up"]
    assert sheep["nonzeros"] == sum(node["nonzeros"] for node in sheep["nodes"])
    assert told["bytes"]["total"] == len(model_to_bytes(forest_model()))
    told = describe(rivals_model())
    assert told["combination"]["sharpness"] == 2.5
    assert "projection" not in told
    assert all("nodes" not in each for each in told["categories"])
    assert "combination" not in describe(small_model())
    json.dumps(describe(forest_model()), allow_nan=False)


MISFITS = [np.inf, np.nan, -1, 0, 1, 3, 2**31 - 1]


@KINDS
def test_whatever_stands_in_a_file_it_is_refused_or_usable(kind):
    parts = to_parts(COMBINED[kind]())
    own = [name for name in parts.arrays if name.partition(".")[0] in ("projection", "combination")]
    for name in [*own, "intercepts", "weights.values"]:
        array = parts.arrays[name]
        changes = [array[:-1], array.astype("f8"), array.astype("i8"), array.reshape(-1)]
        for value in MISFITS:
            limits = None if array.dtype.kind == "f" else np.iinfo(array.dtype)
            if limits is None or limits.min <= value <= limits.max:
                changed_one = array.copy()
                changed_one.reshape(-1)[-1] = value
                changes.append(changed_one)
        for change in changes:
            content = b"".join(packed(Parts(parts.settings, parts.arrays | {name: change})))
            try:
                model = model_from_bytes(content, threads=1)
            except ModelFileError as error:
                assert "\n" not in str(error)  # noqa: PT017 - it may as well be usable
                continue
            assert np.isfinite(Predictor(model).scores(COLUMNS)).all()
            json.dumps(describe(model), allow_nan=False)
