"""Fixtures for the tests of named corpora."""

from __future__ import annotations

import importlib.util
import io
import sys
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType

import pytest

from postil.corpus.corpus import DocumentSource
from postil.corpus.document import Document, Problems

Files = Mapping[str, bytes]


@pytest.fixture
def make_tar(tmp_path: Path) -> Callable[..., Path]:
    """Write files into a tar archive, gzipped unless its name says otherwise."""

    def make(files: Files, name: str = "archive.tar.gz") -> Path:
        path = tmp_path / name
        with tarfile.open(path, "w:gz" if name.endswith("gz") else "w") as archive:
            for member, content in files.items():
                info = tarfile.TarInfo(member)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
        return path

    return make


@pytest.fixture
def make_folder(tmp_path: Path) -> Callable[..., Path]:
    """Write files into a folder."""

    def make(files: Files, name: str = "folder") -> Path:
        for member, content in files.items():
            path = tmp_path / name / member
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return tmp_path / name

    return make


@pytest.fixture(params=["folder", "tar", "tar.gz"])
def store(request, make_tar, make_folder) -> Callable[[Files], Path]:
    """Write files in each of the ways a collection can be kept."""
    if request.param == "folder":
        return make_folder
    return lambda files: make_tar(files, f"archive.{request.param}")


@pytest.fixture
def no_corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder and an empty cache; the data folder is returned."""
    data = tmp_path / "data"
    monkeypatch.setenv("POSTIL_DATA", str(data))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return data


def read(source: DocumentSource, policy: str = "strict") -> tuple[list[Document], Problems]:
    """Walk a source to its end."""
    problems = Problems(policy)  # type: ignore[arg-type]
    return list(source(problems)), problems


@pytest.fixture(name="read")
def read_fixture() -> Callable[..., tuple[list[Document], Problems]]:
    """The function ``read``."""
    return read


@pytest.fixture(scope="session")
def regex_parser() -> ModuleType:
    """The straightforward parser of the benchmarks, as a second opinion."""
    path = Path(__file__).parents[3] / "benchmarks" / "reuters_regex.py"
    spec = importlib.util.spec_from_file_location("reuters_regex", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["reuters_regex"] = module
    spec.loader.exec_module(module)
    return module
