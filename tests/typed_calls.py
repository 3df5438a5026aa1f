"""Calls of the public interface that mypy must take, and others that it must refuse.

``make check`` runs mypy over this file: an error that does not occur is an unused ignore, which is
an error. Nothing here is called.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from numpy.typing import NDArray

import postil


def taken(
    model: postil.TextCategorizer,
    texts: list[str],
    names: NDArray[np.str_],
    indicator: NDArray[np.int64],
    sparse: sp.csr_matrix[Any],
    frame: pl.DataFrame,
) -> None:
    model.fit(texts, ["a", "b"])
    model.fit(names, [1, 2])
    model.fit([b"x"], np.array(["a"]))
    model.fit({"title": texts, "body": texts}, [["a"], ["b", "c"]])
    model.fit(tuple(texts), [("a",), ()])
    model.fit(texts, [{"a"}, set()])
    model.fit(texts, indicator)
    model.fit(texts, sparse)
    model.fit(frame, "topic")
    model.fit(frame).score(frame)
    model.predict(texts)
    model.explain("x", "a")
    postil.open_corpus("demo")
    postil.open_corpus({"train": frame, "test": frame})


def refused(model: postil.TextCategorizer, texts: list[str]) -> None:
    model.fit("one text", ["a"])  # type: ignore[arg-type]
    model.fit(None, ["a"])  # type: ignore[arg-type]
    model.fit([1, 2], ["a", "b"])  # type: ignore[list-item]
    model.fit({"a", "b"}, ["a", "b"])  # type: ignore[arg-type]
    model.fit(texts, [None, None])  # type: ignore[arg-type]
    model.fit(texts, ["a", "b"], sample_weight="ab", groups=3)  # type: ignore[arg-type]
    model.predict("one text")  # type: ignore[arg-type]
    model.predict(None)  # type: ignore[arg-type]
    model.explain(texts)  # type: ignore[arg-type]
    model.load(3)  # type: ignore[arg-type]
    postil.TextCategorizer(3)  # type: ignore[arg-type]
    postil.open_corpus({"text": texts})  # type: ignore[dict-item]
