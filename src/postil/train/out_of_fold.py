"""Measure a model on its training documents, out of fold."""

from __future__ import annotations

from postil.decide.held_out import HeldOut
from postil.evaluate import Counted, Options, Provenance, Report, measure_run
from postil.model.model import Model
from postil.train.assess import aimed

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
    return measure_run(
        found.truth,
        found.decisions,
        categories=model.names,
        scores=found.rankings,
        probabilities=found.probabilities,
        training_sizes=model.training.members,
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
        counted=Counted(known=found.known),
    )
