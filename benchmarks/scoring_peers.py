"""Other tools that categorize raw text, trained on the same documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.categorized import Categorized

Score = Callable[[list[str]], object]
"""Scores a list of texts, on one thread."""

KEPT = 5
"""The number of categories that the peers return for a document; returning all would be slow."""


def fasttext_scorer(data: Categorized) -> Score:
    """A fastText classifier of independent categories, with its default of 100 dimensions."""
    import fasttext

    lines = (
        " ".join([*(f"__label__{label}" for label in labels), _one_line(text)])
        for text, labels in zip(data.training, data.labels, strict=True)
        if labels
    )
    with TemporaryDirectory() as folder:
        path = Path(folder, "training.txt")
        path.write_text("\n".join(lines), encoding="utf-8")
        model = fasttext.train_supervised(str(path), loss="ova", lr=0.5, epoch=5, verbose=0)
    return lambda texts: model.predict(texts, KEPT)


def vowpal_wabbit_scorer(data: Categorized) -> Score:
    """A Vowpal Wabbit model of independent categories, in one pass."""
    import vowpalwabbit

    place = {name: number for number, name in enumerate(data.categories)}
    workspace = vowpalwabbit.Workspace(
        f"--multilabel_oaa {len(place)} --loss_function logistic --bit_precision 24 --quiet"
    )
    for text, labels in zip(data.training, data.labels, strict=True):
        members = ",".join(str(place[label]) for label in labels)
        workspace.learn(f"{members} {_example(text)}")
    return lambda texts: [workspace.predict(text) for text in texts]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _example(text: str) -> str:
    return "| " + _one_line(text.translate(str.maketrans(":|", "  ")))


PEERS: Mapping[str, tuple[str, Callable[[Categorized], Score], Callable[[str], str]]] = {
    "fastText": ("fasttext", fasttext_scorer, _one_line),
    "Vowpal Wabbit": ("vowpalwabbit", vowpal_wabbit_scorer, _example),
}
"""The package each peer needs, how it is trained, and how it wants a text to be written."""


def is_installed(peer: str) -> bool:
    """Return True if a peer is installed."""
    return find_spec(PEERS[peer][0]) is not None
