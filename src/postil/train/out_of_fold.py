"""Measure a model on its training documents, out of fold."""

from __future__ import annotations

from postil.decide.held_out import HeldOut
from postil.evaluate import Counted, Options, Provenance, Report, measure_run
from postil.model.model import Model
from postil.train.assess import aimed, columns_measured

SEEN_NOTE = (
    "The thresholds were tuned on documents that the model had learned from, which flatters them."
)


def report_out_of_fold(
    model: Model, found: HeldOut, *, corpus: str = "", options: Options | None = None
) -> Report:
    """Measure the decisions that are made without a document on the document.

    Parameters
    ----------
    model : Model
        The model.
    found : HeldOut
        Decisions on its training documents, from
        :meth:`postil.train.run.TrainingRun.held_out`.
    corpus : str
        The name of the corpus.
    options : Options, optional
        The measures to take.
    """
    options, note = aimed(model, options)
    count = int(found.truth.shape[0])
    truth = found.truth if model.hierarchy is None else model.hierarchy.specific(found.truth)
    kept = columns_measured(model, found.decisions)
    return measure_run(
        truth[:, kept],
        found.decisions[:, kept],
        categories=[model.names[c] for c in kept],
        scores=found.rankings[:, kept],
        probabilities=None if found.probabilities is None else found.probabilities[:, kept],
        ranked=found.truth[:, kept],
        training_sizes=model.training.members[kept],
        training_documents=model.training.documents,
        provenance=Provenance(
            corpus=corpus,
            split=f"{count:,} training documents, out of fold in {found.folds} folds",
            method=str(model.recipe.get("name", "")),
            decision_rule=model.decision.spec,
            folds=found.folds,
            notes=tuple(filter(None, (note, SEEN_NOTE if found.seen else ""))),
        ),
        options=options,
        counted=Counted(known=None if found.known is None else found.known[:, kept]),
        labels=model.labels,
    )
