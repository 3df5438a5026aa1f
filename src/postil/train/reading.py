"""Read training documents once: choose the fields to read, make vectors, and check labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from postil.common.progress import Notify, StepProgress, no_progress, notify_or_warn
from postil.corpus.document import Document
from postil.corpus.likeness import spelled_alike
from postil.decide.decision import DecisionRule, State
from postil.errors import CorpusError, InputError
from postil.features.inputs import Csr
from postil.learn.job import Labels
from postil.learn.search.grids import AUTO
from postil.model.model import DocumentDigest, TrainingFingerprint
from postil.model.numbered import (
    FIELDS,
    IDS,
    MEMBER,
    VECTORS,
    NumberedDocuments,
    TrainingVectors,
    columns_numbered,
    number_vectorizer,
)
from postil.recipes.entries import prefix_errors
from postil.recipes.parts import Decide
from postil.recipes.recipe import Recipe
from postil.vectors.rows import RowFacts, chunks_of
from postil.vectors.vectorizer import TextChunk, Vectorizer

CHUNK = 4096
# The fields are chosen by so many documents, which are held in memory.
LOOKED_AT = 4096
MOST_FIELDS = 64  # names that a model keeps of the fields it learned from
SEPARATORS = (",", ";", "|")
SHOWN = 3


class FieldsWarning(UserWarning):
    """A recipe reads other fields than it wants."""


class LabelsWarning(UserWarning):
    """Labels look like a mistake."""


class DocumentReader:
    """Reads training documents in one pass, and keeps their labels, number and digest.

    Parameters
    ----------
    corpus : str
        The name of the corpus, for errors and for the model.
    progress : callable, optional
        Called with the step and the number of documents.
    """

    def __init__(self, corpus: str, progress: StepProgress | None) -> None:
        self.corpus = corpus
        self.source = corpus or "the corpus"
        self.facts = RowFacts()
        self.fields: dict[str, None] = {}
        self._digest = DocumentDigest()
        self._progress = progress or no_progress

    def chunks(
        self,
        documents: Iterable[Document],
        vectorizer: Vectorizer,
        *,
        recipe: Recipe | None = None,
        unread: frozenset[str] = frozenset(),
    ) -> Iterator[TextChunk]:
        """Yield the texts of the documents that are not marked test.

        Parameters
        ----------
        documents : iterable of Document
            The documents to read.
        vectorizer : Vectorizer
            The vectorizer whose fields are read.
        recipe : Recipe, optional
            The recipe of a new model: documents must have all fields, and be as many as its
            bounds on terms need. Without a recipe, one of the fields is enough.
        unread : frozenset of str
            Fields that no document may have, because they are not read.
        """
        training = self._training(documents, vectorizer, recipe, unread)
        for chunk in chunks_of(
            training, vectorizer.fields, CHUNK, self.facts, any_field=recipe is None
        ):
            yield chunk
            self._progress("reading", len(self.facts.ids), None)

    def _training(
        self,
        documents: Iterable[Document],
        vectorizer: Vectorizer,
        recipe: Recipe | None,
        unread: frozenset[str],
    ) -> Iterator[Document]:
        for document in documents:
            if document.split == "test":
                continue
            if not unread.isdisjoint(document.fields):
                name = min(unread.intersection(document.fields))
                raise CorpusError(
                    f"{self.source}, document {document.id}: has the field {name}, which the first "
                    f"{LOOKED_AT} documents lack, so postil does not read it; put a document that "
                    "has it among the first"
                )
            self._digest.add_document(document)
            if len(self.fields) < MOST_FIELDS:
                self.fields.update(dict.fromkeys(document.fields))
            yield document
        check_any(self._digest.documents, self.source)
        if recipe is not None and vectorizer.buckets is None:
            with prefix_errors(f"recipe {recipe.name}: [representation]"):
                vectorizer.bounds.limits(self._digest.documents)

    def fingerprint(self, labels: Labels) -> TrainingFingerprint:
        """Return the fingerprint of the documents; raise InputError if none has a label."""
        check_labelled(bool(self.facts.categories), self._digest.documents, self.source)
        digest = self._digest
        return TrainingFingerprint(
            self.corpus, digest.documents, digest.hexdigest(), labels.sizes()
        )


def read_training(
    documents: Iterable[Document],
    recipe: Recipe,
    *,
    corpus: str = "",
    threads: int | None = None,
    progress: StepProgress | None = None,
    notify: Notify | None = None,
) -> tuple[Recipe, TrainingVectors]:
    """Make vectors of all documents not marked test, in one pass.

    The parameters are those of :func:`postil.train.train.train`.

    Returns
    -------
    recipe : Recipe
        The recipe with the fields that were read.
    vectors : TrainingVectors
        The vectors and labels of the documents.
    """
    reader = DocumentReader(corpus, progress)
    recipe, documents, unread, note = look_for_fields(recipe, documents, reader.source)
    if note:
        notify_or_warn(note, notify, FieldsWarning, depth=4)  # at the line that calls train
    vectorizer = recipe.representation.vectorizer(threads)
    matrix = vectorizer.fit_transform_chunks(
        reader.chunks(documents, vectorizer, recipe=recipe, unread=unread)
    )
    labels = Labels.of_facts(reader.facts)
    training = reader.fingerprint(labels)
    method = {} if recipe.representation.fields else {FIELDS: list(reader.fields)}
    return recipe, TrainingVectors(
        matrix, labels, vectorizer, training, method=method, ids=reader.facts.ids
    )


def labels_of(documents: Iterable[Document]) -> Labels:
    """Return the labels, weights and groups of documents."""
    facts = RowFacts()
    for document in documents:
        facts.add(document)
    return Labels.of_facts(facts)


def numbered_training(documents: NumberedDocuments, threads: int | None = None) -> TrainingVectors:
    """Return the vectors of an svmlight file; terms are the numbers that some document has.

    If the labels are 1 and -1 alone, the only category is ``1``.
    """
    names = (MEMBER,) if documents.binary else None
    sets = documents.labels_for(names) if names else documents.labels
    if not any(sets):
        raise InputError(f"{documents.source}: none of the documents ({len(sets)}) has a label")
    used = np.unique(documents.matrix.indices)
    if not len(used):
        raise InputError(f"{documents.source}: none of the documents has a feature")
    labels = Labels.of(sets, names)
    matrix = columns_numbered(documents.matrix, used)
    vectorizer = number_vectorizer([str(number) for number in used.tolist()], threads, matrix)
    digest = documents.digest(sets)
    training = TrainingFingerprint(
        documents.source, digest.documents, digest.hexdigest(), labels.sizes()
    )
    return TrainingVectors(
        matrix, labels, vectorizer, training, numbered=True, method={VECTORS: IDS}
    )


def check_any(documents: int, source: str) -> None:
    """Raise InputError if there is no training document."""
    if documents == 0:
        raise InputError(
            f"{source} has no training document (documents marked test are left out): check "
            "--split-column and --split, or split it with postil corpus split"
        )


def check_labelled(labelled: bool, documents: int, source: str) -> None:
    """Raise InputError if no training document has a label."""
    if not labelled:
        raise InputError(
            f"{source}: none of the training documents ({documents}) has a label: name the column "
            "of labels with --label-column, or use a corpus with labels"
        )


class ChosenFields(NamedTuple):
    """A recipe with the fields to read, all documents, the wanted fields not read, and a note."""

    recipe: Recipe
    documents: Iterable[Document]
    unread: frozenset[str]
    note: str


def look_for_fields(recipe: Recipe, documents: Iterable[Document], source: str) -> ChosenFields:
    """Choose the fields to read by the first documents that are not marked test.

    Documents are read until they have every wanted field, at most ``LOOKED_AT`` of them. The note
    is empty if all wanted fields are read.
    """
    wanted = recipe.representation.fields
    stream = iter(documents)
    held: list[Document] = []
    present: dict[str, None] = {}
    while wanted and len(held) < LOOKED_AT and not present.keys() >= set(wanted):
        document = next(stream, None)
        if document is None:
            break
        if document.split != "test":
            held.append(document)
            present.update(dict.fromkeys(document.fields))
    if not held:
        return ChosenFields(recipe, stream, frozenset(), "")
    names, note = choose_fields(wanted, tuple(present), f"recipe {recipe.name}", source)
    apart = recipe.representation.apart and len(names) > 1
    representation = replace(recipe.representation, fields=names, apart=apart)
    return ChosenFields(
        replace(recipe, representation=representation),
        chain(held, stream),
        frozenset(wanted) - frozenset(names),
        note,
    )


def choose_fields(
    wanted: Sequence[str], present: Sequence[str], reader: str, source: str
) -> tuple[tuple[str, ...], str]:
    """Return the fields to read, and a note if some of the wanted ones are missing.

    These are the wanted fields that are present; if none is present, the only other field.
    """
    found = tuple(name for name in wanted if name in present)
    if len(found) == len(wanted):
        return found, ""
    others = [name for name in present if name not in wanted]
    if not found and len(others) != 1:
        way_out = "the documents have no field: name the columns of text with --text-columns"
        if others:
            shown = " ".join(f"--text-columns {name}=FIELD" for name in others)
            way_out = f"the fields are {', '.join(others)}: map them, as in {shown}, or name one"
        raise CorpusError(
            f"{source}: no document has the field {', '.join(wanted)}, which {reader} reads; "
            f"{way_out}"
        )
    wants = f"{reader} wants the fields {', '.join(wanted)}"
    if not found:
        return tuple(others), f"{wants}; {source} has only {others[0]}, which is read instead"
    missing = [name for name in wanted if name not in found]
    are = "is" if len(found) == 1 else "are"
    note = (
        f"{wants}; {source} has no {' and no '.join(missing)}, so {' and '.join(found)} {are} read"
    )
    if others:
        note += f" and {', '.join(others)} not; to read it, --text-columns {others[0]}={missing[0]}"
    return found, note


def label_notes(names: Sequence[str]) -> list[str]:
    """Return notes on labels that look like several in one, or that are spelled alike.

    Cost: linear in the characters of the distinct labels.
    """
    return [*_separator_notes(names), *_likeness_notes(names)]


FEW_DOCUMENTS = 3
STRAY = 0.1  # of documents without exactly one label, where all others have one


def document_notes(labels: Labels, rows: Csr, decide: Decide, resolved: Decide) -> list[str]:
    """Return notes on what training documents lack, and on what their labels lead to.

    Parameters
    ----------
    labels : Labels
        The categories of the documents.
    rows : sparse matrix
        Documents × terms.
    decide : Decide
        The decisions that the recipe asks for.
    resolved : Decide
        The same as these documents resolve them.
    """
    notes = []
    counts = np.diff(labels.members.indptr)
    none, several = int((counts == 0).sum()), int((counts > 1).sum())
    lacking = _counted(none, "document has no label", "documents have no label")
    double = _counted(several, "document has several", "documents have several")
    if decide.labels == "one":
        if several:
            notes.append(f"{double} labels, and the model gives each document one")
        if none:
            notes.append(f"{lacking}, and the model gives each document one")
    elif decide.labels == AUTO and none + several == 0:
        spec = resolved.tuned_rule()
        if decide.rule != AUTO and not spec.rule.counts and not spec.at_least == spec.at_most == 1:
            given = "none" if spec.at_most == 1 else "several or none"
            notes.append(
                f"each document has exactly one label, but the rule {decide.rule} may give {given}"
                "; to give exactly one, train with --one-label"
            )
    elif (
        decide.labels == AUTO
        and len(labels) > 1
        and (not several or none + several <= STRAY * len(counts))
    ):
        stray = " and ".join([lacking] * bool(none) + [f"{double} labels"] * bool(several))
        notes.append(
            f"{stray}, so that a document may get any number; if each should get exactly one, "
            "leave them out or train with --one-label"
        )
    notes += _judged_notes(labels)
    empty = int((np.diff(rows.indptr) == 0).sum())
    if empty:
        notes.append(
            _counted(empty, "document has no term", "documents have no term")
            + " to learn from: is a text empty, or a field not read?"
        )
    sizes = labels.sizes()
    if len(sizes) == 1 and sizes[0] == len(counts):
        notes.append(
            f"{labels.names[0]!r} is the only category, and all documents have it: there is "
            "nothing to learn, and every document will get it"
        )
    few = np.flatnonzero(sizes < FEW_DOCUMENTS)
    if len(few):
        shown = ", ".join(repr(labels.names[category]) for category in few[:SHOWN].tolist())
        more = f", … and {len(few) - SHOWN} more" if len(few) > SHOWN else ""
        notes.append(
            _counted(len(few), "category has", "categories have")
            + f" fewer than {FEW_DOCUMENTS} documents, too few to learn well: {shown}{more}"
        )
    return notes


def _judged_notes(labels: Labels) -> list[str]:
    """Return notes on documents that were judged for some categories only."""
    if labels.judged is None:
        return []
    notes = [
        _counted(
            int(labels.judged.partly.sum()),
            "document was judged for some categories only, and takes",
            "documents were judged for some categories only, and take",
        )
        + " no part in the others"
    ]
    known = (~labels.judged.partly).sum() + np.asarray(labels.judged.known.sum(axis=0)).ravel()
    only = np.flatnonzero(known == labels.sizes()).tolist()
    if only:
        notes.append(
            _counted(len(only), "category has", "categories have")
            + " no document that is known not to be in it, and will be given to every "
            f"document: {', '.join(repr(labels.names[c]) for c in only[:SHOWN])}"
        )
    return notes


def _counted(number: int, one: str, several: str) -> str:
    return f"1 {one}" if number == 1 else f"{number:,} {several}"


def rare_note(rule: DecisionRule, sizes: NDArray[np.int64], folds: int) -> str:
    """Return a note on categories with too few documents to tune a threshold, or nothing."""
    rare = int(((rule.states == State.FALLBACK) & (sizes < folds)).sum())
    if not rare:
        return ""
    subject = "1 category has" if rare == 1 else f"{rare} categories have"
    return (
        f"{subject} fewer than {folds} documents, too few to tune a threshold, so the fallback "
        "decides; postil inspect lists them"
    )


def _separator_notes(names: Sequence[str]) -> Iterator[str]:
    known = set(names)
    for separator in SEPARATORS:
        held = {name: pieces for name in names if len(pieces := _pieces(name, separator)) > 1}
        used = Counter(piece for pieces in held.values() for piece in set(pieces))
        combined = [
            name
            for name, pieces in held.items()
            # One piece alone may repeat by chance, as the second in "Lund, town" does.
            if not known.isdisjoint(pieces) or all(used[piece] > 1 for piece in pieces)
        ]
        sure = any(known.issuperset(held[name]) for name in combined)
        if len(combined) > 1 or sure:
            count = "1 label holds" if len(held) == 1 else f"{len(held)} labels hold"
            yield (
                f"{count} {separator!r}, as {combined[0]!r}; did you mean "
                f"--label-separator {separator!r}?"
            )


def _pieces(name: str, separator: str) -> list[str]:
    return [piece for part in name.split(separator) if (piece := part.strip())]


def _likeness_notes(names: Sequence[str]) -> Iterator[str]:
    groups = [" and ".join(map(repr, group)) for group in spelled_alike(names)]
    if groups:
        more = f"; … and {len(groups) - SHOWN} more" if len(groups) > SHOWN else ""
        yield (
            "labels that differ only by case, space or separators are different categories: "
            f"{'; '.join(groups[:SHOWN])}{more}"
        )
