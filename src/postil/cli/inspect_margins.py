"""`postil inspect --margins`: margins on labelled documents, and the bounds they give."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from postil.cli.console import counted, say
from postil.cli.inspect_facts import Facts
from postil.cli.passing import PassingCorpus, told
from postil.cli.progress import steps
from postil.cli.reading import Reading

if TYPE_CHECKING:
    from postil.corpus.document import Document
    from postil.evaluate.margins import Margins
    from postil.margins import MeasuredMargins
    from postil.model.model import Model

USUAL_GAMMA = 1.0


def refuse_without(reading: Reading, gamma: float | None) -> None:
    """Refuse options that say how to measure margins where none are asked for."""
    from postil.errors import UsageError

    given = [*reading.given, *(["--margin-at"] if gamma is not None else [])]
    if given:
        raise UsageError(f"{', '.join(given)}: nothing is read without --margins CORPUS")


def measured_margins(
    model: Model, corpus: str, reading: Reading, columns: Sequence[int], gamma: float | None
) -> Facts:
    """Read a corpus and measure; what is odd about its labels is said on stderr."""
    from postil.margins import measure_margins, measure_vector_margins

    gamma = USUAL_GAMMA if gamma is None else gamma
    vectors = reading.vectors(corpus)
    if vectors is not None:
        source = vectors.source
        with steps() as watch:
            measured = measure_vector_margins(
                model, vectors, columns=columns, gamma=gamma, watch=watch.reach
            )
    else:
        opened = reading.open(corpus)
        source = opened.name
        documents = opened if reading.values["split"] else _learnable(opened)
        with told(opened), steps() as watch:
            measured = measure_margins(
                model, documents, columns=columns, gamma=gamma, source=source, watch=watch.reach
            )
    _say_odd_labels(measured, source)
    return {"corpus": source} | _facts(measured)


def _learnable(corpus: PassingCorpus) -> Iterator[Document]:
    """The documents that a model would learn from: all that are not marked test."""
    from postil.errors import CorpusError

    for document in corpus:
        if document.split != "test":
            yield document
    if corpus.documents and corpus.tested == corpus.documents:
        raise CorpusError(
            f"{corpus.name}: every document is marked test, and margins are of documents that a "
            "model learns from; for those of the test say --split test"
        )


def _say_odd_labels(measured: MeasuredMargins, source: str) -> None:
    from postil.margins import few

    if measured.unknown:
        say(
            f"{counted(len(measured.unknown), 'label')} unknown to the model: "
            f"{few(measured.unknown)} (not counted)"
        )
    memberless = measured.margins.memberless
    if memberless:
        say(
            f"{counted(len(memberless), 'category', 'categories')} without a member in {source}: "
            f"{few(memberless)} (margins are those of other documents alone)"
        )


def _facts(measured: MeasuredMargins) -> Facts:
    """Margins in plain values: those of the whole, and of each ``category`` by name."""
    from postil.evaluate.margin_bounds import ADDITIVE, MULTIPLICATIVE, NEITHER

    margins = measured.margins
    rows = list(_rows(margins))
    families = (ADDITIVE, MULTIPLICATIVE, NEITHER)
    return {
        "documents": margins.documents,
        "learned_from": measured.learned_from,
        "constant": margins.constant,
        "gamma": margins.gamma,
        "norms": {
            name: {"largest": norm.largest, "mean": norm.mean}
            for name, norm in margins.norms._asdict().items()
        },
        "separated": int((margins.least > 0).sum()),
        "favours": {family: margins.favoured.count(family) for family in families},
        "median": _medians(rows),
        "unknown_labels": list(measured.unknown),
        "category": dict(zip(margins.names, rows, strict=True)),
    }


def _rows(margins: Margins) -> Iterator[Facts]:
    columns = {
        "members": margins.members,
        "one_norm": margins.sizes.one,
        "two_norm": margins.sizes.two,
        "entropy": margins.sizes.entropy,
        "least_margin": margins.least,
        "under": margins.under,
        "perceptron_mistakes": margins.perceptron_mistakes,
        "winnow_mistakes": margins.winnow_mistakes,
        "additive": margins.additive,
        "multiplicative": margins.multiplicative,
        "ratio": margins.ratio,
    }
    values = zip(*(column.tolist() for column in columns.values()), strict=True)
    for row, favoured in zip(values, margins.favoured, strict=True):
        yield dict(zip(columns, map(_finite, row), strict=True)) | {"favours": favoured}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _medians(rows: list[Facts]) -> Facts:
    """The median of each number over the categories that have it; None where none has."""
    from statistics import median

    names = [name for name in (rows[0] if rows else {}) if name != "favours"]
    known = {name: [row[name] for row in rows if row[name] is not None] for name in names}
    return {name: float(median(values)) if values else None for name, values in known.items()}


def add_margins(whole: Facts, each: list[Facts], measured: Facts) -> None:
    """Put what was measured where it belongs: beside the whole, and into each category."""
    by_name: dict[str, Any] = measured.pop("category")
    whole["margins"] = measured
    for facts in each:
        facts["margins"] = by_name[facts["name"]]
