"""Measure a categorizer on test documents."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from postil.common.progress import StepProgress
from postil.common.types import Flags, Floats, Ints
from postil.corpus.document import Document
from postil.errors import CorpusError, InputError, SpecError
from postil.evaluate import Counted, Options, Provenance, Report, measure_run
from postil.learn.job import Labels
from postil.learn.tasks import NEVER
from postil.model.model import DocumentDigest, Model
from postil.model.numbered import NumberedDocuments
from postil.model.route import least_probability
from postil.train.predict import Decider, Predictor, VectorPredictor
from postil.train.reading import CHUNK
from postil.vectors.rows import RowFacts, chunks_of

CategorySet = Literal["all", "trained", "shared"]

UNKNOWN_SHOWN = 10


class Assessment(NamedTuple):
    """A report, with the memberships, decisions and scores behind it.

    Parameters
    ----------
    report : Report
        The measures.
    truth, decisions, scores
        Documents × categories of the report.
    learned_from : bool
        True if the documents are those of the training or of an update.
    unknown : tuple of str
        Labels of the documents that the model has not learned.
    probabilities : array, optional
        Documents × categories of the report, if the model is calibrated.
    ids : sequence of str
        The ids of the documents.
    """

    report: Report
    truth: sp.csr_matrix[Any]
    decisions: sp.csr_matrix[Any]
    scores: Floats
    learned_from: bool = False
    unknown: tuple[str, ...] = ()
    probabilities: Floats | None = None
    ids: Sequence[str] = ()

    def unknown_note(self) -> str:
        """Return a line about the labels that the model has not learned, or nothing."""
        if not self.unknown:
            return ""
        count = len(self.unknown)
        counted = not set(self.report.categories).isdisjoint(self.unknown)
        return (
            f"{count} label{'' if count == 1 else 's'} unknown to the model: "
            f"{_few(self.unknown, UNKNOWN_SHOWN)} "
            f"({'counted as missed' if counted else 'not counted'})"
        )


def assess(
    model: Model,
    documents: Iterable[Document],
    *,
    corpus: str = "",
    categories: CategorySet = "all",
    options: Options | None = None,
    threads: int | None = None,
    progress: StepProgress | None = None,
) -> Report:
    """Return the report of :func:`assessment`, which has the same parameters."""
    return assessment(
        model,
        documents,
        corpus=corpus,
        categories=categories,
        options=options,
        threads=threads,
        progress=progress,
    ).report


def assessment(
    model: Model,
    documents: Iterable[Document],
    *,
    corpus: str = "",
    categories: CategorySet = "all",
    also: Collection[str] = (),
    weighted: bool = False,
    options: Options | None = None,
    threads: int | None = None,
    progress: StepProgress | None = None,
) -> Assessment:
    """Measure a categorizer on the documents marked test, or on all if none is marked.

    Cost: one pass over the documents; memory is the scores.

    Parameters
    ----------
    model : Model
        The categorizer.
    documents : iterable of Document
        The documents, which are read once.
    corpus : str
        The name of the corpus.
    categories : {"all", "trained", "shared"}
        The categories that count: those of the training or the test documents (a category that
        only the test documents have is always missed), those of the training documents, or those
        of both.
    also : collection of str
        Further categories that count, such as those of a model to compare with.
    weighted : bool
        Count each document by its sample weight. Then only decisions are measured.
    options : Options, optional
        The measures to take.
    threads : int, optional
        The number of threads.
    progress : callable, optional
        Called with the step and the number of documents.
    """
    facts = RowFacts()
    digests = _Digests()
    source = corpus or "the corpus"
    blocks: list[Floats] = []
    probabilities: list[Floats | None] = []
    predictor = Predictor(model, threads)
    fields = model.vectorizer.fields
    documents = model.with_ancestors(documents)
    checked = with_fields(digests.of(documents), fields.names, source)
    for chunk in chunks_of(checked, fields, CHUNK, facts):
        scores = predictor.scores(chunk.columns)
        blocks.append(scores)
        probabilities.append(predictor.probabilities(scores, predictor.variances(chunk.columns)))
        if progress is not None:
            progress("testing", len(facts.ids), None)
    if not blocks:
        raise InputError(
            f"{source} has no test document: name the column of splits with --split-column, mark "
            "test documents with postil corpus split, or leave --split out"
        )
    rows = _tested(facts)
    seen = Labels.of_facts(facts, sorted({*facts.categories, *model.names})).of_documents(rows)
    known = [block for block in probabilities if block is not None]
    calibrated = np.vstack(known)[rows] if known else None
    ids = [facts.ids[row] for row in rows.tolist()]
    tested = _Tested(source, np.vstack(blocks)[rows], calibrated, seen, digests, ids, weighted)
    return _assessed(model, tested, corpus, categories, options, also)


def assess_vectors(
    model: Model,
    documents: NumberedDocuments,
    *,
    categories: CategorySet = "all",
    options: Options | None = None,
) -> Assessment:
    """Measure a model of numbered features on all documents of an svmlight file.

    The parameters are those of :func:`assessment`.
    """
    predictor = VectorPredictor(model)
    labels = documents.labels_for(model.names)
    digests = _Digests()
    digests.others = documents.digest(labels)
    vectors = predictor.vectors(documents)
    scores = predictor.scores(vectors)
    calibrated = predictor.probabilities(scores, predictor.variances(vectors))
    seen = Labels.of(labels)
    tested = _Tested(documents.source, scores, calibrated, seen, digests, documents.ids)
    if not len(scores):
        raise InputError(f"{documents.source} has no test document")
    return _assessed(model, tested, documents.source, categories, options)


class _Tested(NamedTuple):
    """Test documents: their source, scores, probabilities, labels, digests and ids."""

    source: str
    scores: Floats
    probabilities: Floats | None
    seen: Labels
    digests: _Digests
    ids: Sequence[str]
    weighted: bool = False


def _assessed(
    model: Model,
    tested: _Tested,
    corpus: str,
    categories: CategorySet,
    options: Options | None,
    also: Collection[str] = (),
) -> Assessment:
    source, scores, calibrated, within, digests, ids, weighted = tested
    _refuse_unlabelled(source, within)
    accepted, seen = model.accept(scores), within
    if model.hierarchy is not None and model.labels is not None:
        seen = Labels.of([model.labels.most_specific(each) for each in _label_sets(within)])
    trained = tuple(model.names[c] for c in columns_measured(model, accepted))
    names = tuple(sorted({*_names(trained, seen, categories), *also}))
    if not names:
        raise InputError(
            f"{source} shares no category with the model: it has "
            f"{_few(sorted(_members(seen)))}, the model has {_few(model.names)}; check "
            "--label-column and --label-separator"
        )
    truth = Labels.of(_label_sets(seen), names).members
    known = within.known()
    if known is not None:
        known = _widened(known, within.names, names, True)
    # A category that is never given comes last in a ranking of all pairs, too.
    ranked = Decider(model).rankings(scores)
    wide = _widened(ranked, model.names, names, min(NEVER, float(ranked.min())))
    decisions = sp.csr_matrix(_widened(accepted, model.names, names, False), dtype=bool)
    probabilities = None
    if calibrated is not None:
        probabilities = _widened(calibrated, model.names, names, 0.0)
    options, note = aimed(model, options)
    report = measure_run(
        truth,
        decisions,
        categories=names,
        scores=wide,
        scored=np.isin(names, model.names),
        probabilities=probabilities,
        ranked=truth if seen is within else Labels.of(_label_sets(within), names).members,
        training_sizes=_training_sizes(model, names),
        training_documents=model.training.documents,
        provenance=Provenance(
            corpus=corpus,
            split=_split(digests, model),
            method=str(model.recipe.get("name", "")),
            decision_rule=model.decision.spec,
            notes=tuple(filter(None, (note, _partly_note(known)))),
        ),
        options=options,
        counted=Counted(_weights(within) if weighted else None, known),
        labels=model.labels,
    )
    if known is not None:
        decisions = sp.csr_matrix(decisions.multiply(known), dtype=bool)
    unknown = tuple(sorted(_members(seen).difference(model.names)))
    learned_from = digests.learned_from(model)
    return Assessment(report, truth, decisions, wide, learned_from, unknown, probabilities, ids)


def columns_measured(model: Model, accepted: Flags | sp.csr_matrix[Any]) -> Ints:
    """Return the categories of a model that a report is on.

    With a hierarchy these are the labels of training documents, and what is given: another category
    is there for those below it.
    """
    if model.hierarchy is None:
        return np.arange(model.categories)
    given = np.asarray(accepted.sum(axis=0)).ravel() > 0
    return np.flatnonzero((model.hierarchy.members > 0) | given)


def aimed(model: Model, options: Options | None) -> tuple[Options, str]:
    """Return the options with the aim and the route of the model, and a note on an unknown aim."""
    options = options or Options()
    least = least_probability(model, options.min_probability)
    options = replace(options, min_probability=least)
    aim = model.recipe.get("aim")
    if options.aim is not None or not isinstance(aim, Mapping) or "measure" not in aim:
        return options, ""
    try:
        return replace(options, aim=str(aim["measure"])), ""
    except SpecError:
        return options, f"the model aims at {aim['measure']}, a measure that is not registered"


class _Digests:
    """Digests of the documents marked test, and of all others."""

    def __init__(self) -> None:
        self.marked = DocumentDigest()
        self.others = DocumentDigest()

    def of(self, documents: Iterable[Document]) -> Iterator[Document]:
        for document in documents:
            digest = self.marked if document.split == "test" else self.others
            digest.add_document(document)
            yield document

    @property
    def tested(self) -> DocumentDigest:
        """The digest of the documents that are measured."""
        return self.marked if self.marked.documents else self.others

    def learned_from(self, model: Model) -> bool:
        return self.tested.hexdigest() in model.learned_digests()


def _split(digests: _Digests, model: Model) -> str:
    count, learned = digests.tested.documents, model.training.documents
    if digests.learned_from(model):
        return f"the {count:,} document{'' if count == 1 else 's'} it learned from"
    what = "test " if digests.marked.documents else ""
    return f"{count:,} {what}document{'' if count == 1 else 's'}, learned from {learned:,}"


def with_fields(
    documents: Iterable[Document], wanted: Sequence[str], source: str
) -> Iterator[Document]:
    """Yield all documents; then raise CorpusError if none has a field that the model reads."""
    present: dict[str, None] = {}
    for document in documents:
        present.update(dict.fromkeys(document.fields))
        yield document
    missing = [name for name in wanted if name not in present]
    if present and missing:
        raise CorpusError(
            f"{source}: no document has the field {', '.join(missing)}, which the model reads; "
            f"the fields are {', '.join(present)}; {_way_out(wanted, tuple(present))}"
        )


def _way_out(wanted: Sequence[str], present: Sequence[str]) -> str:
    """Return the options that give a column to each field that the model reads."""
    others = iter([name for name in present if name not in wanted])
    columns = {name: name if name in present else next(others, "COLUMN") for name in wanted}
    shown = " ".join(
        f"--text-columns {column}" + ("" if column == name else f"={name}")
        for name, column in columns.items()
    )
    return f"name the columns, as in {shown}"


def _weights(seen: Labels) -> Floats:
    return np.ones(seen.documents) if seen.weights is None else seen.weights


def _partly_note(known: Flags | None) -> str:
    """Return a note on documents that were judged for some categories only, or nothing."""
    if known is None:
        return ""
    partly = int((~known.all(axis=1)).sum())
    are = "1 document was" if partly == 1 else f"{partly:,} documents were"
    return f"{are} judged for some categories only, and what is not known does not count."


def _refuse_unlabelled(source: str, seen: Labels) -> None:
    if seen.members.nnz:
        return
    count = seen.documents
    none = "the only document has no" if count == 1 else f"none of the {count} documents has a"
    raise InputError(
        f"{source}: {none} label to measure against; name the column of labels with "
        "--label-column, or get decisions with postil predict"
    )


def _few(names: Sequence[str], shown: int = 3) -> str:
    return ", ".join(names[:shown]) + (", …" if len(names) > shown else "")


def _tested(facts: RowFacts) -> NDArray[np.intp]:
    marked = np.flatnonzero([split == "test" for split in facts.splits])
    return marked if len(marked) else np.arange(len(facts.ids))


def _label_sets(labels: Labels) -> list[list[str]]:
    matrix = labels.members
    return [
        [labels.names[c] for c in matrix.indices[matrix.indptr[i] : matrix.indptr[i + 1]]]
        for i in range(labels.documents)
    ]


def _members(seen: Labels) -> set[str]:
    """Return the categories that some document has."""
    return {seen.names[c] for c in np.flatnonzero(seen.sizes())}


def _names(trained: tuple[str, ...], seen: Labels, wanted: CategorySet) -> set[str]:
    here = _members(seen)
    there = set(trained)
    return {"all": there | here, "trained": there, "shared": there & here}[wanted]


def _widened(values: NDArray[Any], have: tuple[str, ...], want: tuple[str, ...], fill: Any) -> Any:  # noqa: ANN401
    """Return the columns of other categories; ``fill`` is for those that are missing."""
    place = {name: column for column, name in enumerate(have)}
    wide = np.full((len(values), len(want)), fill, dtype=values.dtype)
    for column, name in enumerate(want):
        if name in place:
            wide[:, column] = values[:, place[name]]
    return wide


def _training_sizes(model: Model, names: tuple[str, ...]) -> NDArray[np.int64]:
    members = dict(zip(model.names, model.training.members.tolist(), strict=True))
    return np.array([members.get(name, 0) for name in names], dtype=np.int64)
