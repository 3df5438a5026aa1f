"""Raw text to TFxIDF, against the fastest general tools: a polars pipeline."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from benchmarks.contest import Contender, contest
from benchmarks.corpora import Texts, on_each_corpus
from benchmarks.harness import Line, Settings, benchmark
from postil import TextVectorizer

THREADS_VARIABLE = "POLARS_MAX_THREADS"

# Python's \w in the words of polars, whose own leaves out numerals such as ² and takes marks in.
PYTHON_WORD = r"[\p{L}\p{N}_]{2,}"


class PolarsVectorizer:
    """TFxIDF in data frame operations, as a good user of polars would write it."""

    def fit_transform(self, raw_documents: list[str]) -> Any:
        """Split and number the words in polars, count and weigh them in scipy and numpy."""
        import polars as pl

        found = pl.col("text").str.to_lowercase().str.extract_all(PYTHON_WORD)
        words = (
            pl.DataFrame({"text": raw_documents})
            .lazy()
            .with_row_index("document")
            .select("document", found.alias("word"))
            .explode("word")
            .drop_nulls("word")
            .with_columns(pl.col("word").cast(pl.Categorical))
            .collect()
        )
        codes = words["word"].to_physical().to_numpy()
        # Polars numbers words once for a process: those of other texts are in between.
        used = np.bincount(codes) > 0
        columns = (np.cumsum(used, dtype=np.int32) - 1)[codes]
        self._words = words["word"]
        lengths = np.bincount(words["document"].to_numpy(), minlength=len(raw_documents))
        counts = csr_matrix(
            (np.ones(len(codes)), columns, np.concatenate([[0], np.cumsum(lengths)])),
            shape=(len(raw_documents), int(used.sum())),
        )
        counts.sum_duplicates()
        return _weighted(counts)

    def get_feature_names_out(self) -> list[str]:
        """Name the columns."""
        _, occurrences = np.unique(self._words.to_physical().to_numpy(), return_index=True)
        return list(self._words.gather(occurrences).to_list())


def _weighted(counts: csr_matrix[Any]) -> csr_matrix[Any]:
    total = counts.shape[0]
    frequencies = np.bincount(counts.indices)
    counts.data *= (np.log((total + 1) / (frequencies + 1)) + 1)[counts.indices]
    rows = np.repeat(np.arange(total), np.diff(counts.indptr))
    counts.data /= np.sqrt(np.bincount(rows, counts.data**2, minlength=total))[rows]
    return counts


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
