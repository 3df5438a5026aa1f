"""Scores of finished trials on disk, from which a search that was killed goes on."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np

from postil import __version__
from postil.common.files import output_file
from postil.common.types import Floats
from postil.corpus.document import Document
from postil.model.model import DocumentDigest
from postil.recipes.recipe import Recipe


class SearchCache:
    """A folder with a file for each trial; without a folder nothing is kept.

    A file counts only for the same documents, recipe and version of postil.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._key = ""

    def begin(self, documents: Sequence[Document], recipe: Recipe) -> None:
        """Set the documents and the recipe of the search."""
        if self._folder is None:
            return
        digest = DocumentDigest()
        for document in documents:
            digest.add_document(document)
        self._key = f"{__version__} {digest.hexdigest()} {recipe.to_dict()}"

    def load(self, trial: str) -> list[Floats] | None:
        """Return the scores of a trial; None if they are not there or damaged."""
        if self._folder is None:
            return None
        try:
            with np.load(self._path(trial), allow_pickle=False) as stored:
                return [stored[name].astype(np.float64) for name in stored.files]
        except Exception:  # zipfile, zlib and NumPy have many for a damaged file
            return None

    def save(self, trial: str, scores: Sequence[Floats]) -> None:
        """Keep the scores of a trial."""
        if self._folder is None:
            return
        self._folder.mkdir(exist_ok=True)
        with output_file(self._path(trial)) as file:
            np.savez(file, *scores)

    def note(self) -> str:
        """Return how to go on from the finished trials; empty if there are none."""
        if self._folder is None or not self._folder.is_dir():
            return ""
        return (
            f"the trials so far are in {self._folder}: run the same command again to go on from "
            "them, or remove the folder"
        )

    def remove(self) -> None:
        """Remove the folder, after the model has been written."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _path(self, trial: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{sha256(f'{self._key} {trial}'.encode()).hexdigest()[:32]}.npz"
