"""Peak memory of raw text to TFxIDF, with texts held and with texts streamed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.corpora import Texts, on_each_corpus
from benchmarks.harness import Cell, Line, Settings, Spread, benchmark, run_module
from benchmarks.memory_probe import Growth, Source

NAMES = ("scikit-learn", "postil")
TIMES = (1, 2, 4)
CHUNK = 1000
CHUNK_WHEN_QUICK = 250
MEGABYTE = 1e6


@benchmark("memory", "peak memory of raw text to TFxIDF: texts held, and texts streamed, in MB")
def run(settings: Settings) -> Iterator[Line]:
    """Each number from fresh processes, over what they held before vectorizing."""
    if sys.platform == "win32":
        yield "Left out: this system does not tell the peak memory of a process."
        return
    yield from on_each_corpus(settings, _measure)
    yield (
        "Growth is the peak of resident memory over what was held before; of held texts, the "
        "texts themselves are not in it. The limit is the result and 1.5 times the raw text: "
        "growth / limit leaves the texts that the caller holds out, (text + growth) / limit "
        "counts them too."
    )
    yield (
        "Streamed documents are made anew for each chunk, and the corpus comes once, twice and "
        "four times, so that documents grow and the vocabulary does not; scikit-learn reads a "
        "generator of texts. Its weights are float64, ours float32."
    )


def _measure(texts: Texts, settings: Settings) -> Iterator[Line]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "texts.jsonl"
        with path.open("w", encoding="utf-8") as lines:
            lines.writelines(json.dumps(text) + "\n" for text in texts.held)
        chunk = CHUNK_WHEN_QUICK if settings.quick else CHUNK
        yield from _held(texts, Source(path, 1, chunk), settings)
        yield from _streamed(texts, path, chunk, settings)


def _held(texts: Texts, source: Source, settings: Settings) -> Iterator[Line]:
    for name in NAMES:
        runs = _probe(f"{name}-held", source, settings)
        limits = [run.result / MEGABYTE + 1.5 * texts.megabytes for run in runs]
        peaks = [run.peak / MEGABYTE for run in runs]
        yield _row(texts, name, "held", 1, runs) | {
            "growth / limit": Spread.of_ratios(peaks, limits),
            "(text + growth) / limit": Spread.of_ratios(
                [peak + texts.megabytes for peak in peaks], limits
            ),
            **({"goal": "≤ 1"} if name == "postil" else {}),
        }


def _streamed(texts: Texts, path: Path, chunk: int, settings: Settings) -> Iterator[Line]:
    for name in NAMES:
        for times in TIMES:
            runs = _probe(f"{name}-streamed", Source(path, times, chunk), settings)
            yield _row(texts, name, f"{chunk} at a time", times, runs) | (
                {"goal": "growth − result is flat"} if name == "postil" else {}
            )


def _row(texts: Texts, name: str, how: str, times: int, runs: list[Growth]) -> dict[str, Cell]:
    return {
        "corpus": f"{texts.title}, {texts.megabytes:.1f} MB",
        "contender": name,
        "texts": how,
        "documents": times * len(texts.held),
        "result": runs[0].result / MEGABYTE,
        "growth": Spread.of([run.peak / MEGABYTE for run in runs]),
        "growth − result": Spread.of([(run.peak - run.result) / MEGABYTE for run in runs]),
    }


def _probe(contender: str, source: Source, settings: Settings) -> list[Growth]:
    arguments = [contender, str(source.path), str(source.times), str(source.chunk)]
    return [_measured(arguments) for _ in range(settings.processes)]


def _measured(arguments: list[str]) -> Growth:
    return Growth(**json.loads(run_module("benchmarks.memory_probe", arguments)))
