"""A file appears when it is complete, and only then."""

from __future__ import annotations

import errno
import os
from dataclasses import replace

import pytest

from postil.corpus.document import Document
from postil.errors import ModelFileError, UsageError
from postil.model import container, load_model, model_to_bytes, save_model
from postil.model import save as module
from postil.model.container import to_text
from postil.model.save import LeftOutWarning, check_names_fit
from postil.recipes.recipe import load_recipe
from postil.train.train import train

from .samples import bucket_model, small_model


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left")])
@pytest.mark.parametrize("before", [True, False])
def test_an_interrupted_save_leaves_what_was_there(error, before, tmp_path, monkeypatch):
    path = tmp_path / "model.postil"
    if before:
        save_model(bucket_model(), path)

    def never_all(*_):
        yield b"the beginning"
        raise error

    monkeypatch.setattr(module, "packed", never_all)
    with pytest.raises(type(error)):
        save_model(small_model(), path)
    assert [file.name for file in tmp_path.iterdir()] == (["model.postil"] if before else [])
    if before:
        assert load_model(path).names == bucket_model().names


def test_the_file_is_on_disk_before_it_has_its_name(tmp_path, monkeypatch):
    from postil.common import files as atomic

    calls = []
    monkeypatch.setattr(atomic.os, "fsync", lambda _: calls.append("fsync"))
    replace = atomic.Path.replace
    monkeypatch.setattr(
        atomic.Path, "replace", lambda self, other: calls.append("replace") or replace(self, other)
    )
    save_model(small_model(), tmp_path / "model.postil")
    assert calls == ["fsync", "replace"]


@pytest.mark.parametrize("name", ["model.gz", "model.postil.zst"])
def test_a_model_is_not_compressed(name, tmp_path):
    with pytest.raises(UsageError, match="cannot be compressed"):
        save_model(small_model(), tmp_path / name)


def test_what_could_not_be_read_again_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(container, "LONGEST_HEADER", 1000)
    with pytest.raises(UsageError, match="a model file has room for 1000"):
        save_model(small_model(), tmp_path / "model.postil")
    assert not list(tmp_path.iterdir())


def test_reports_without_room_are_left_out(tmp_path, monkeypatch):
    search = {"shared": False, "categories": [{"category": "sheep", "lam": 1e-4}]}
    model = small_model(method={"search": search})
    size = int.from_bytes(model_to_bytes(model)[: container.LENGTH_BYTES], "little")
    monkeypatch.setattr(container, "LONGEST_HEADER", size - 1)
    with pytest.warns(LeftOutWarning, match="no room for the reports of 3 categories"):
        save_model(model, tmp_path / "model.postil")
    shorter = load_model(tmp_path / "model.postil")
    assert shorter.reports == ()
    assert shorter.method == {"search": {"shared": False, "categories": None}}
    expected = replace(model, reports=(), method=shorter.method)
    assert model_to_bytes(shorter) == model_to_bytes(expected)


def test_names_without_room_are_refused_before_anything_is_learned(monkeypatch):
    names = [f'"é{number}"' for number in range(1000)]
    room = len(to_text(to_text(names)))
    monkeypatch.setattr(container, "LONGEST_HEADER", module.OTHER_BYTES + room)
    check_names_fit(names)
    with pytest.raises(UsageError, match=f"the names of the categories take .* room for {room}"):
        check_names_fit([*names, "more"])
    monkeypatch.setattr(container, "LONGEST_HEADER", module.OTHER_BYTES + 5)
    monkeypatch.setattr("postil.train.train.LearningSpace", None)  # who learns would ask for it
    documents = [Document("1", {"text": "wool"}, ("sheep",)), Document("2", {"text": "sea"}, ())]
    with pytest.raises(UsageError, match="use fewer categories or shorter names"):
        train(documents, load_recipe("default"))


@pytest.fixture
def loaded(tmp_path):
    """A model from a file that was written a while ago."""
    path = tmp_path / "model.postil"
    save_model(small_model(), path)
    os.utime(path, (1000, 1000))
    return load_model(path)


@pytest.mark.parametrize(
    "change", [lambda content: content[:-1] + b"\1", lambda _: b"", lambda content: content[:-9]]
)
def test_a_model_whose_file_was_written_into_is_not_saved(loaded, tmp_path, change):
    path = tmp_path / "model.postil"
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(ModelFileError, match=r"model\.postil: was written into .* load it again"):
        save_model(loaded, tmp_path / "copy.postil")
    assert not (tmp_path / "copy.postil").exists()


@pytest.mark.parametrize("size", [None, 1000])
def test_nor_under_another_name_or_with_its_old_times(loaded, tmp_path, size):
    moved = (tmp_path / "model.postil").rename(tmp_path / "moved.postil")
    save_model(bucket_model(), tmp_path / "model.postil")
    save_model(loaded, tmp_path / "copy.postil")  # the file is as it was
    os.truncate(moved, moved.stat().st_size if size is None else size)
    with moved.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"\1")
    os.utime(moved, (1000, 1000))
    with pytest.raises(ModelFileError, match="was written into"):
        save_model(loaded, tmp_path / "damaged.postil")


def test_nor_where_that_happens_meanwhile(loaded, tmp_path, monkeypatch):
    path = tmp_path / "model.postil"
    packed = module.packed

    def overwritten(*parts):
        yield from packed(*parts)
        path.write_bytes(path.read_bytes()[::-1])

    monkeypatch.setattr(module, "packed", overwritten)
    with pytest.raises(ModelFileError, match="was written into"):
        save_model(loaded, tmp_path / "copy.postil")
    assert [file.name for file in tmp_path.iterdir()] == ["model.postil"]


def test_a_model_whose_file_was_replaced_or_removed_is_saved(loaded, tmp_path):
    path = tmp_path / "model.postil"
    save_model(bucket_model(), path)
    save_model(loaded, tmp_path / "copy.postil")
    path.unlink()
    save_model(loaded, path)
    assert path.read_bytes() == (tmp_path / "copy.postil").read_bytes()
    assert load_model(path).names == small_model().names


def test_where_it_cannot_go(tmp_path):
    with pytest.raises(UsageError, match="is a folder"):
        save_model(small_model(), tmp_path)
    with pytest.raises(UsageError, match="does not exist"):
        save_model(small_model(), tmp_path / "absent" / "model.postil")


def test_standard_output(capfdbinary):
    save_model(small_model(), "-")
    assert capfdbinary.readouterr().out == model_to_bytes(small_model())
