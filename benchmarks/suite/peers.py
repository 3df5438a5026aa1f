"""Raw text to TFxIDF, against the fastest general tools: a polars pipeline."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from benchmarks.contest import Contender, contest
from benchmarks.corpora import Texts, on_each_corpus
from benchmarks.registry import Line, benchmark
from benchmarks.settings import Settings
from postil import TextVectorizer

THREADS_VARIABLE = "POLARS_MAX_THREADS"


class PolarsVectorizer:
    """TFxIDF in data frame operations, as a good user of polars would write it."""

    def fit_transform(self, raw_documents: list[str]) -> Any:
        """Split, count and weigh; numpy has the last steps."""
        import polars as pl

        words = pl.col("text").str.to_lowercase().str.extract_all(r"\w\w+")
        counts = (
            pl.DataFrame({"text": raw_documents})
            .lazy()
            .with_row_index("document")
            .select("document", words.alias("term"))
            .explode("term")
            .drop_nulls("term")
            .with_columns(pl.col("term").cast(pl.Categorical))
            .group_by("document", "term")
            .len("count")
            .sort("document")
            .collect()
        )
        terms = counts["term"].to_physical().to_numpy()
        used, columns = np.unique(terms, return_inverse=True)
        first = np.unique(terms, return_index=True)[1]
        self._names = counts["term"].gather(first).cast(pl.String).to_list()
        rows = counts["document"].to_numpy()
        total = len(raw_documents)
        idf = np.log((total + 1) / (np.bincount(columns) + 1)) + 1
        values = counts["count"].to_numpy() * idf[columns]
        norms = np.sqrt(np.bincount(rows, values * values, minlength=total))
        starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=total))])
        return csr_matrix((values / norms[rows], columns, starts), shape=(total, len(used)))

    def get_feature_names_out(self) -> Sequence[str]:
        """Name the columns."""
        return self._names


@benchmark("peers", "raw text to TFxIDF: against a pipeline of polars and numpy")
def run(settings: Settings) -> Iterator[Line]:
    """Polars with as many threads as it takes, postil with one and with all."""
    if find_spec("polars") is None:
        yield "Left out: polars is not installed (pip install polars)."
        return
    yield from on_each_corpus(settings, _measure)
    threads = os.environ.get(THREADS_VARIABLE, "every processor")
    yield f"Polars on {threads} ({THREADS_VARIABLE} says otherwise)."


def _measure(texts: Texts, settings: Settings) -> Iterator[Line]:
    ours = (
        Contender("postil, 1 thread", partial(TextVectorizer, n_jobs=1)),
        Contender("postil, 2 threads", partial(TextVectorizer, n_jobs=2)),
    )
    return contest(texts, settings, Contender("polars", PolarsVectorizer), ours)
