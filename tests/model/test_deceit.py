"""Files whose checksums are right and whose contents are not: made, not damaged."""

from __future__ import annotations

import copy
import json
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from postil.errors import InputError, ModelFileError
from postil.model import describe, model_from_bytes
from postil.model.container import pack, read_header, read_tensors, text_checksum
from postil.model.parts import to_parts
from postil.model.save import packed
from postil.model.stored import Parts

from .samples import bucket_model, json_values, labelled_model, scores, small_model, tiny_model

MODELS = {"small": small_model, "tiny": tiny_model, "buckets": bucket_model}
MODELS["labelled"] = labelled_model
PARTS = {name: to_parts(make()) for name, make in MODELS.items()}


def sealed(parts: Parts) -> bytes:
    return b"".join(packed(parts))


def taken_apart(name: str) -> Parts:
    settings, arrays = PARTS[name]
    return Parts(json.loads(json.dumps(settings)), dict(arrays))


def refused_or_usable(content: bytes) -> None:
    """A file that loads must also work."""
    try:
        model = model_from_bytes(content, threads=1)
    except ModelFileError:
        return
    names = model.vectorizer.fields.names
    texts = ["a wool é", ""]
    found = scores(model, dict.fromkeys(names, texts) if names else texts)
    assert np.isfinite(found).all()
    model.accept(found)
    if model.calibration is not None:
        model.calibration.probabilities(found)
    with suppress(InputError):  # labels are checked when they are first read
        json.dumps(describe(model), allow_nan=False)


def refused(parts: Parts, sentence: str) -> None:
    with pytest.raises(ModelFileError, match=sentence):
        model_from_bytes(sealed(parts))


EXTREMES = [0, 1, 2, 7, 255, 2**16 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1]
NUMBERS = [0.0, -1.0, 1e30, 1e300, np.inf, -np.inf, np.nan]
TYPES = ["u1", "u2", "u4", "u8", "i1", "i8", "f2", "f4", "f8", "?"]


def _element(array, data):
    values = array.copy()
    if values.size:
        extreme = data.draw(st.sampled_from(NUMBERS if values.dtype.kind == "f" else EXTREMES))
        with np.errstate(over="ignore"):
            value = np.array(extreme).astype(values.dtype)
        values.reshape(-1)[data.draw(st.integers(0, values.size - 1))] = value
    return values


def _type(array, data):
    with np.errstate(all="ignore"):
        return array.astype(data.draw(st.sampled_from(TYPES)))


CHANGES = {
    "element": _element,
    "type": _type,
    "shorter": lambda array, _: array[:-1],
    "longer": lambda array, _: np.concatenate([array, array[:1]]),
    "empty": lambda array, _: array[:0],
    "turned round": lambda array, _: array[::-1],
    "flat": lambda array, _: array.reshape(-1),
    "deep": lambda array, _: array.reshape(1, -1),
    "no dimension": lambda array, _: np.array(1, array.dtype),
    "as it is": lambda array, _: array,
}


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_arrays_that_were_changed(data):
    parts = taken_apart(data.draw(st.sampled_from(sorted(MODELS))))
    for _ in range(data.draw(st.integers(1, 2))):
        name = data.draw(st.sampled_from(sorted(parts.arrays)))
        array = np.atleast_1d(parts.arrays.pop(name))
        what = data.draw(st.sampled_from([*CHANGES, "left out"]))
        if what != "left out":
            other = data.draw(st.sampled_from([name, name, name, "intercepts", "decision.more"]))
            with np.errstate(all="ignore"):
                parts.arrays[other] = CHANGES[what](array, data)
    refused_or_usable(sealed(parts))


def places(value: object) -> list[tuple]:
    """Every place in a JSON value, as the keys that lead to it."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found: list[tuple] = []
    for key, inner in items:
        found.append((key,))
        if isinstance(inner, (dict, list)):
            found.extend((key, *rest) for rest in places(inner))
    return found


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_manifests_that_were_changed(data):
    parts = taken_apart(data.draw(st.sampled_from(sorted(MODELS))))
    *road, last = data.draw(st.sampled_from(places(parts.settings)))
    holder = parts.settings
    for key in road:
        holder = holder[key]
    what = data.draw(st.sampled_from(["value", "value", "nearby", "left out", "twice"]))
    if what == "value":
        value = data.draw(json_values)
        # Not finite is nothing that JSON can say.
        holder[last] = json.loads(json.dumps(value).replace("NaN", "0").replace("Infinity", "1"))
    elif what == "nearby":
        value = holder[last]
        if isinstance(value, (int, float)):
            holder[last] = value + data.draw(st.sampled_from([-1, 1, 2**31, 2**63]))
        elif isinstance(value, str):
            holder[last] = value + data.draw(st.text(max_size=2))
    elif what == "left out":
        del holder[last]
    elif isinstance(holder, dict):
        holder[f"{last}2"] = copy.deepcopy(holder[last])
    else:
        holder.append(copy.deepcopy(holder[last]))
    refused_or_usable(sealed(parts))


@pytest.mark.parametrize(
    ("model", "name", "array", "sentence"),
    [
        ("tiny", "vocabulary.bytes", np.frombuffer(b"a\xc3\x28", np.uint8), "utf-8"),
        ("tiny", "vocabulary.bytes", np.frombuffer(b"aaa", np.uint8), None),
        ("tiny", "vocabulary.ends", np.array([3, 3], np.uint8), "empty term"),
        ("tiny", "vocabulary.ends", np.array([2, 3], np.uint8), "utf-8"),
        ("tiny", "vocabulary.ends", np.array([3, 1], np.uint8), "does not rise"),
        ("tiny", "vocabulary.ends", np.array([2**63, 3], np.uint64), "does not rise"),
        ("tiny", "vocabulary.ends", np.array([1, 4], np.uint8), "does not rise from 0 to 3"),
        ("tiny", "vocabulary.documents", np.array([1, 0], np.uint8), "more documents than the 0"),
        ("tiny", "vectorizer.idf", np.array([1.0, np.nan]), "not from 0 to 64"),
        ("tiny", "vectorizer.idf", np.array([1.0, -1.0]), "not from 0 to 64"),
        ("tiny", "vectorizer.idf", np.array([1.0, 1e300]), "not from 0 to 64"),
        ("tiny", "vectorizer.idf", np.array([1.0]), "should have 2 entries, has 1"),
        ("tiny", "weights.values", np.array([np.inf], np.float32), "finite"),
        ("tiny", "weights.indices", np.array([2], np.uint8), "2 is beyond its end"),
        ("tiny", "weights.starts", np.array([0, 2, 1], np.uint8), "does not rise"),
        ("tiny", "weights.starts", np.array([1, 1, 1], np.uint8), "does not rise"),
        ("tiny", "intercepts", np.array([0.0, np.inf]), "finite"),
        ("tiny", "intercepts", np.zeros((2, 1)), "should have 2 entries, has 2 × 1"),
        ("tiny", "training.members", np.array([1, 3], np.uint8), "from 0 to 2 members"),
        ("tiny", "decision.values", np.array([0.0, np.nan]), "none of them NaN"),
        ("tiny", "decision.states", np.array([0, 9], np.uint8), "state"),
        ("tiny", "calibration.values", np.array([0.5, 0.1, 0.1, 0.5]), "isotonic"),
        ("tiny", "calibration.more", np.zeros(2), "not known"),
        ("tiny", "decision.more", np.zeros(2), "not known"),
        ("tiny", "hidden", np.zeros(2), "'hidden' belongs to no part"),
        ("small", "vocabulary.spaces", np.full(13, 2, np.uint8), "2 is beyond its end"),
        ("small", "weights.indices", np.array([2, 0, 13, 1, 3], np.uint8), "within every row"),
        ("small", "weights.indices", np.array([0, 0, 13, 1, 3], np.uint8), "within every row"),
        ("buckets", "weights.values", np.zeros((5, 2), np.float32), "2 × 5 entries, has 5 × 2"),
        ("buckets", "weights.values", np.zeros((2, 5), np.float64), "float32, is of float64"),
    ],
)
def test_arrays_that_do_not_fit(model, name, array, sentence):
    parts = taken_apart(model)
    parts.arrays[name] = array
    if sentence is None:
        refused_or_usable(sealed(parts))
    else:
        refused(parts, sentence)


def test_indices_may_fall_from_row_to_row():
    parts = taken_apart("small")
    parts.arrays["weights.indices"] = np.array([1, 2, 13, 0, 3], np.uint8)
    assert model_from_bytes(sealed(parts)).weights.has_sorted_indices


@pytest.mark.parametrize("storage", ["sparse", "dense"])
def test_hash_buckets_that_nothing_in_the_file_bears_out(storage):
    parts = taken_apart("buckets")
    columns, rows = 2**31 - 2, {"sparse": 2, "dense": 0}[storage]
    parts.settings["vectorizer"]["buckets"] = columns
    parts.settings["vectorizer"]["weighting"]["idf"] = "none"
    parts.settings["weights"]["storage"] = storage
    parts.settings["names"] = parts.settings["names"][:rows]
    parts.arrays.pop("vectorizer.idf", None)
    parts.arrays["weights.values"] = np.zeros((rows, columns)[: 2 - rows], np.float32)
    parts.arrays["weights.indices"] = np.zeros(0, np.uint32)
    parts.arrays["weights.starts"] = np.zeros(rows + 1, np.uint8)
    refused(parts, "buckets is 2147483646, and a model has at most 16777216")


def test_a_term_that_stands_twice():
    parts = taken_apart("tiny")
    parts.arrays["vocabulary.bytes"] = np.frombuffer(b"aa", np.uint8)
    parts.arrays["vocabulary.ends"] = np.array([1, 2], np.uint8)
    refused(parts, "stands twice")


@pytest.mark.parametrize(
    ("road", "value", "sentence"),
    [
        (("names",), ["x", "x"], "given twice"),
        (("names",), ["x"], "intercepts|weights|training"),
        (("names",), "xy", "names should be a list, is a text"),
        (("names", 0), 7, r"names\[0\] should be a text"),
        (("unknown",), 1, "has 'unknown', which is unknown"),
        (("reports",), [1], r"reports\[0\] should be a mapping"),
        (("vectorizer", "documents"), -1, "from 0 to"),
        (("vectorizer", "documents"), True, "a whole number, is true or false"),
        (("vectorizer", "buckets"), 4, "either a vocabulary or hash buckets"),
        (("vectorizer", "weighting", "tf"), "cubed", "tf must be one of"),
        (("vectorizer", "weighting", "idf"), "none", "vectorizer.idf"),
        (("vectorizer", "analyzer", "spec"), "words fly", "no such item"),
        (("vectorizer", "fields", "names"), ["a", "a"], "must differ"),
        (("vectorizer", "bounds", "min_df"), -3.5, "min_df"),
        (("weights", "order"), "sideways", "unknown way"),
        (("weights", "storage"), "dense", "should have 2 × 2 entries"),
        (("decision", "kind"), "luck", "unknown kind"),
        (("decision", "more"), "luck", "not known"),
        (("calibration", "kind"), "luck", "'luck'"),
        (("calibration",), None, "belongs to no part"),
        (("training", "sha256"), "0", "64 hexadecimal digits"),
    ],
)
def test_settings_that_do_not_fit(road, value, sentence):
    parts = taken_apart("tiny")
    holder = parts.settings
    for key in road[:-1]:
        holder = holder[key]
    holder[road[-1]] = value
    refused(parts, sentence)
    refused(parts, "cannot be used by postil .* written by 'postil 0.1.0'")


def test_a_stop_list_is_never_read_from_where_a_file_says(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("secret words")
    parts = taken_apart("tiny")
    parts.settings["vectorizer"]["analyzer"]["spec"] = f"letters stop(file:{secret})"
    refused(parts, "exactly its stop lists")
    parts.settings["vectorizer"]["analyzer"]["stop_lists"] = {f"file:{secret}": ["a"]}
    model = model_from_bytes(sealed(parts))
    assert model.vectorizer.analyzer.tokens("secret a words é") == ["secret", "words", "é"]


def test_a_manifest_that_is_none():
    for content in ([], {"checksums": []}, 7):
        parts = taken_apart("tiny")
        manifest = json.dumps(content)
        metadata = {
            "format": "postil",
            "format_version": "1",
            "checksum": text_checksum(manifest),
            "manifest": manifest,
        }
        with pytest.raises(ModelFileError, match="manifest without checksums"):
            model_from_bytes(b"".join(pack(metadata, parts.arrays)))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"created":null', '"created":null,"created":null'),
        ('"created":null', '"created":NaN'),
        ('"created":null', f'"created":{"9" * 5000}'),
        ('"created":null', f'"created":{"[" * 100_000}'),
        ('"created":null', '"created":'),
    ],
)
def test_manifests_that_are_no_json_of_ours(before, after):
    content = sealed(taken_apart("tiny"))
    header = read_header(content)
    text = header.metadata["manifest"]
    assert before in text
    metadata = {**header.metadata, "manifest": text.replace(before, after)}
    metadata["checksum"] = text_checksum(metadata["manifest"])
    changed = b"".join(pack(metadata, read_tensors(content, header)))
    with pytest.raises(ModelFileError, match=r"^given: has a manifest that cannot be read"):
        model_from_bytes(changed, name="given")
