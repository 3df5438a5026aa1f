"""Points of one length, factors of documents, and weights folded back to terms."""

from __future__ import annotations

import os

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from postil.corpus.opening import open_corpus
from postil.errors import InputError, UsageError
from postil.model import model_to_bytes
from postil.recipes.recipe import Recipe, load_recipe
from postil.train.train import train
from postil.vectors.lsi import Lsi
from postil.vectors.projection import STEP, DirectionsCache, Projection


def matrix_of(documents=30, terms=40, seed=0):
    made = sp.random(documents, terms, density=0.2, format="lil", dtype=np.float32, rng=seed)
    made[0] = 0
    return made.tocsr()


def projection_of(x, dimensions=8, length=3.0):
    return Projection.learned(x, dimensions, length)


@given(st.integers(0, 50), st.integers(1, 30), st.floats(0.1, 100.0))
@settings(max_examples=25, deadline=None)
def test_points_have_the_length_and_zeros_stay_zeros(seed, dimensions, length):
    x = matrix_of(seed=seed)
    projection = projection_of(x, dimensions, length)
    direct = x.toarray() @ projection.lsi.term_vectors
    norms = np.linalg.norm(direct, axis=1)
    points = projection.points(x)
    assert points.dtype == np.float32
    assert (points[0] == 0).all()
    some = norms > 0
    np.testing.assert_allclose(np.linalg.norm(points[some], axis=1), length, rtol=1e-5)
    np.testing.assert_allclose(
        points[some], direct[some] * (length / norms[some])[:, None], rtol=1e-4, atol=1e-5
    )
    factors = projection.factors(x)
    assert (factors[~some] == 0).all()
    np.testing.assert_allclose(factors[some], length / norms[some], rtol=1e-5)


@pytest.mark.parametrize("length", [None, 2.0])
def test_weights_of_directions_score_as_weights_of_terms(length):
    x = matrix_of()
    projection = projection_of(x, 8, length)
    weights = sp.csr_matrix(np.random.default_rng(1).standard_normal((5, 8)))
    folded = projection.fold(weights)
    assert folded.shape == (5, 40)
    by_points = projection.points(x) @ weights.toarray().T
    by_terms = (x @ folded.T).toarray() * projection.factors(x)[:, None]
    np.testing.assert_allclose(by_points, by_terms, atol=1e-5)


def test_without_a_length_points_are_as_projected():
    x = matrix_of()
    projection = projection_of(x, 8, None)
    np.testing.assert_array_equal(projection.points(x), Lsi(8, scaled=True).fit_transform(x))
    assert (projection.factors(x) == 1).all()
    assert projection.length is None


def test_factors_do_not_depend_on_the_documents_beside(monkeypatch):
    x = matrix_of()
    projection = projection_of(x)
    together = projection.factors(x)
    monkeypatch.setattr("postil.vectors.projection.BLOCK", 7)
    np.testing.assert_array_equal(projection.factors(x), together)
    np.testing.assert_array_equal(
        [projection.factors(x[[row]])[0] for row in range(x.shape[0])], together
    )


def test_full_is_all_directions_there_are():
    x = matrix_of(20, 40)
    assert projection_of(x, "full").directions == np.linalg.matrix_rank(x.toarray())
    assert projection_of(x, 10_000).directions == np.linalg.matrix_rank(x.toarray())


def test_arrays_round_trip():
    projection = projection_of(matrix_of())
    restored = Projection.from_arrays(**projection.to_arrays(), length=projection.length)
    x = matrix_of(seed=5)
    np.testing.assert_array_equal(restored.factors(x), projection.factors(x))
    assert (restored.directions, restored.length) == (8, 3.0)


def test_the_step_is_told():
    told = []
    Projection.learned(matrix_of(), 3, progress=lambda *step: told.append(step))
    assert told[0] == (STEP, 0, None)
    assert {name for name, *_ in told} == {STEP}


def test_refusals():
    x = matrix_of()
    with pytest.raises(UsageError, match="scaled=True"):
        Projection(Lsi(3).fit(x), 3.0)
    for length in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(UsageError, match="finite number above 0"):
            Projection(Lsi(3, scaled=True).fit(x), length)
    with pytest.raises(UsageError, match='a number of directions or "full"'):
        Projection.learned(x, "all")
    with pytest.raises(InputError, match="no direction to learn in"):
        Projection.learned(sp.csr_matrix((3, 4), dtype=np.float32), 2)
    projection = projection_of(x)
    with pytest.raises(UsageError, match="of 5 directions, and the projection has 8"):
        projection.fold(sp.csr_matrix((2, 5)))
    vectors, values = projection.to_arrays().values()
    with pytest.raises(InputError, match="not all finite"):
        Projection.from_arrays(vectors * np.nan, values, 1.0)
    with pytest.raises(InputError, match="do not belong together"):
        Projection.from_arrays(vectors, np.ones(3), 1.0)
    with pytest.raises(InputError, match="no direction"):
        Projection.from_arrays(np.empty((40, 0), np.float32), np.empty(0), 1.0)


@pytest.fixture
def cache(tmp_path):
    return DirectionsCache(tmp_path / "directions", least_numbers=0)


@pytest.fixture
def counted(monkeypatch):
    """Record every computation of directions."""
    calls = []
    fit = Lsi.fit

    def counting(self, X, y=None, **told):  # noqa: N803
        calls.append(self.dimensions)
        return fit(self, X, y, **told)

    monkeypatch.setattr(Lsi, "fit", counting)
    return calls


def found(cache, x, dimensions):
    return cache.fit(Lsi(dimensions, scaled=True), x)


def same(one, other):
    np.testing.assert_array_equal(one.term_vectors, other.term_vectors)
    np.testing.assert_array_equal(one.singular_values, other.singular_values)


def test_directions_are_computed_once(cache, counted):
    x = matrix_of()
    same(found(cache, x, 8), found(cache, x.copy(), 8))
    assert counted == [8]
    changed = x.copy()
    changed.data[3] *= 1.5
    found(cache, changed, 8)
    assert counted == [8, 8]
    assert len(list(cache.folder.iterdir())) == 2


def test_what_was_computed_before_changes_no_bit(cache, counted):
    x = matrix_of()
    alone = Lsi(5, scaled=True).fit(x)
    counted.clear()
    found(cache, x, 8)
    same(found(cache, x, 5), alone)
    same(found(cache, x, 5), alone)
    assert counted == [8, 5]
    assert len(list(cache.folder.iterdir())) == 2


def test_all_there_are_serve_whoever_wants_more(cache, counted):
    x = matrix_of(12, 40)
    rank = np.linalg.matrix_rank(x.toarray())
    assert rank < 12  # one document is empty
    for wanted in (None, 500, 12):
        assert len(found(cache, x, wanted).singular_values) == rank
    assert counted == [None]


@pytest.mark.parametrize("damage", ["cut", "flip", "flag", "empty", "foreign", "folder"])
def test_damaged_files_are_made_anew(cache, counted, damage):
    x = matrix_of()
    good = found(cache, x, 8)
    (path,) = cache.folder.iterdir()
    content = path.read_bytes()
    middle, last = len(content) // 2, content.rindex(b"PK\x01\x02")
    path.unlink()
    if damage == "folder":
        path.mkdir()
    else:
        path.write_bytes(
            {
                "cut": content[:middle],
                "flip": content[:middle] + bytes([content[middle] ^ 255]) + content[middle + 1 :],
                # The flags of the second file in the directory: it is said to be encrypted.
                "flag": content[: last + 8] + b"\x01" + content[last + 9 :],
                "empty": b"",
                "foreign": b"no directions",
            }[damage]
        )
    same(found(cache, x, 8), good)
    assert counted == [8, 8]
    if damage != "folder":
        same(found(cache, x, 8), good)
        assert counted == [8, 8]
        assert path.read_bytes() == content


@pytest.mark.parametrize(
    "other",
    [
        {"term_vectors": np.ones((40, 8))},
        {"term_vectors": np.ones((41, 8), np.float32)},
        {"term_vectors": np.full((40, 8), np.nan, np.float32)},
        {"singular_values": np.arange(8.0) + 1},
        {"singular_values": np.full(8, np.nan)},
        {"singular_values": np.arange(9.0)[::-1] + 1, "term_vectors": np.ones((40, 9), np.float32)},
    ],
)
def test_files_that_hold_something_else_are_made_anew(cache, counted, other):
    x = matrix_of()
    good = found(cache, x, 8)
    (path,) = cache.folder.iterdir()
    kept = {"term_vectors": good.term_vectors, "singular_values": good.singular_values}
    np.savez(path, **kept)
    same(found(cache, x, 8), good)
    assert counted == [8]
    np.savez(path, **kept | other)
    same(found(cache, x, 8), good)
    assert counted == [8, 8]


def test_the_cache_is_bounded_and_keeps_what_was_used_last(tmp_path, counted):
    cache = DirectionsCache(tmp_path, least_numbers=0)
    matrices = [matrix_of(seed=seed) for seed in range(3)]
    for age, x in enumerate(matrices[:2]):
        found(cache, x, 8)
        newest = max(tmp_path.iterdir(), key=lambda path: path.stat().st_mtime_ns)
        os.utime(newest, (1000 + age, 1000 + age))
    size = next(tmp_path.iterdir()).stat().st_size
    bounded = DirectionsCache(tmp_path, most_bytes=int(2.5 * size), least_numbers=0)
    found(bounded, matrices[0], 8)  # used now
    found(bounded, matrices[2], 8)
    assert len(list(tmp_path.iterdir())) == 2
    counted.clear()
    found(bounded, matrices[0], 8)
    assert counted == []
    found(bounded, matrices[1], 8)
    assert counted == [8]
    small = DirectionsCache(tmp_path / "none", most_bytes=10, least_numbers=0)
    found(small, matrices[0], 8)
    assert not small.folder.exists()


def test_what_cannot_be_kept_is_not(tmp_path, counted):
    (tmp_path / "file").write_text("in the way")
    cache = DirectionsCache(tmp_path / "file" / "directions", least_numbers=0)
    assert len(found(cache, matrix_of(), 8).singular_values) == 8
    assert counted == [8]


def test_what_is_quickly_computed_is_not_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found(DirectionsCache(), matrix_of(), 8)
    assert not list(tmp_path.iterdir())
    found(DirectionsCache(least_numbers=0), matrix_of(), 8)
    (kept,) = (tmp_path / "postil" / "directions").iterdir()
    assert kept.suffix == ".npz"


def test_a_model_does_not_depend_on_the_threads_of_blas(tmp_path, monkeypatch):
    table = load_recipe("mfom-f1").to_dict()
    table["learn"]["options"]["iterations"] = 3
    recipe = Recipe.from_dict({**table, "expect": []})
    made = []
    for threads in (1, 2):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / str(threads)))
        with threadpool_limits(threads, user_api="blas"):
            made.append(model_to_bytes(train(open_corpus("demo"), recipe)))
    assert made[0] == made[1]
