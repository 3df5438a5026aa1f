"""Check a corpus: read it, look for every kind of problem, and pick examples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from postil.check import copies, labels, texts
from postil.check.finding import Example, Finding
from postil.check.label_errors import Doubts, Suspect, likely_errors
from postil.check.quick_model import Measured, Measuring, NoModelError, QuickModel
from postil.check.reading import Facts, pick, read_facts
from postil.common.progress import StepProgress, no_progress
from postil.corpus.copies import whole_text
from postil.corpus.corpus import Corpus
from postil.corpus.document import Document, Problems, text_start
from postil.errors import InputError

if TYPE_CHECKING:
    from postil.corpus.label_vocabulary import LabelVocabulary

MOST_CHARACTERS = 200
WORDS_BEFORE = 8  # the first word that differs

NAMES = {
    "same_in_train_and_test": "the same text in train and test",
    "same_text_other_labels": "the same text under different labels",
    "label_errors": "likely label errors",
    "labels_alike": "labels that look like the same",
    "copies": "copies",
    "near_copies": "near copies",
    "repeated_passages": "passages that many documents share",
    "always_together": "labels that always come together",
    "unlabelled": "documents without a label",
    "empty": "documents without a word",
    "short_or_long": "very short and very long documents",
    "damaged": "signs of a wrong encoding",
    "languages": "several languages",
    "rare_labels": "rare labels",
}
"""The kinds of problems, in the order of what they do to the measured score."""


@dataclass(frozen=True, eq=False)
class CorpusCheck:
    """The findings of a check.

    Parameters
    ----------
    facts : Facts
        What was read of the documents.
    findings : tuple of Finding
        The problems, those that hurt the measured score most first.
    absent : tuple of str
        The names of the problems that were looked for and not found.
    skipped : tuple of str
        Sentences on what was not looked for, and why.
    suspects : tuple of Suspect
        All documents with likely label errors, the worst first.
    judged : int
        The number of documents whose labels were judged by a model.
    notes : tuple of str
        Notes on labels that the label vocabulary lacks, and on deprecated ones.
    """

    facts: Facts
    findings: tuple[Finding, ...]
    absent: tuple[str, ...]
    skipped: tuple[str, ...]
    suspects: tuple[Suspect, ...]
    judged: int
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the check for JSON."""
        facts = self.facts
        test = int(facts.tested.sum())
        return {
            "corpus": facts.source,
            "documents": facts.documents,
            "splits": {"train": facts.documents - test, "test": test} if facts.has_splits else None,
            "labels": len(facts.labels),
            "findings": [finding.to_dict() for finding in self.findings],
            "not_found": list(self.absent),
            "not_looked_for": list(self.skipped),
        }


def check_corpus(
    corpus: Corpus,
    *,
    quick: bool = False,
    vocabulary: LabelVocabulary | None = None,
    threads: int | None = None,
    seed: int = 0,
    progress: StepProgress | None = None,
) -> CorpusCheck:
    """Look for what a careful person would look for before training.

    Cost: some passes over the corpus; memory of at most a kilobyte for each document; and, unless
    ``quick``, six fits of a model to at most 20,000 documents.

    Parameters
    ----------
    corpus : Corpus
        The documents, which are read several times.
    quick : bool
        Train no model: likely label errors and the effect of copies on the score are left out.
    vocabulary : LabelVocabulary, optional
        The names of labels: those that name the same label are one, which is called by its name.
    threads : int, optional
        The number of threads.
    seed : int
        The seed of the folds.
    progress : callable, optional
        Called with the step, the work done, and the work in all.
    """
    progress = progress or no_progress
    title_of = {}
    if vocabulary is not None:
        ids = tuple(vocabulary.entries)
        title_of = dict(zip(ids, vocabulary.titles(ids), strict=True))
        corpus = _titled(corpus.with_labels(vocabulary), title_of)
    facts = read_facts(corpus, threads, progress)
    if not facts.documents:
        raise InputError(f"{corpus.name} has no document to check")
    problems = corpus.problems
    bad, first_bad = problems.count, list(problems.first)
    skipped: list[str] = []
    opinion = None
    if not facts.labels.members.nnz:
        found_none = "no document has a label"
        if corpus.form and corpus.form.columns and corpus.form.columns.labels is None:
            found_none = "no label column was read (name it with --label-column)"
        skipped.append(f"{found_none}, so that labels were not checked")
    elif quick:
        skipped.append("likely label errors: --quick trains no model")
    else:
        try:
            model = QuickModel(facts, corpus, threads, seed, progress)
            opinion = _Opinion.of(model, facts)
        except NoModelError as error:
            skipped.append(f"likely label errors: {error}")
    found = _findings(facts, corpus, opinion, skipped)
    by_kind = {finding.kind: finding for finding in found if finding is not None}
    passed_over = _not_looked_for(facts, opinion, skipped)
    told = _with_examples([by_kind[kind] for kind in NAMES if kind in by_kind], corpus)
    # Later passes end early: the problems are those of the first.
    problems.count, problems.first = bad, first_bad
    return CorpusCheck(
        facts,
        told,
        tuple(name for kind, name in NAMES.items() if kind not in {*by_kind, *passed_over}),
        tuple(skipped),
        () if opinion is None else tuple(opinion.suspects),
        0 if opinion is None else opinion.judged,
        () if vocabulary is None else _notes(vocabulary, title_of, facts.labels.names),
    )


def _titled(corpus: Corpus, title_of: Mapping[str, str]) -> Corpus:
    """Return the corpus with labels called by their titles."""

    def title(label: str) -> str:
        return title_of.get(label, label)

    def documents(_: Problems) -> Iterator[Document]:
        for each in corpus:
            lacking = each.not_labels
            yield replace(
                each,
                labels=tuple(map(title, each.labels)),
                not_labels=None if lacking is None else tuple(map(title, lacking)),
                probabilities={title(label): p for label, p in each.probabilities.items()},
            )

    return Corpus(corpus.name, documents, problems=corpus.problems, form=corpus.form)


def _notes(
    vocabulary: LabelVocabulary, title_of: Mapping[str, str], names: Iterable[str]
) -> tuple[str, ...]:
    id_of = {title: label for label, title in title_of.items()}
    return tuple(vocabulary.notes_on([id_of.get(name, name) for name in names]))


class _Opinion(NamedTuple):
    """Doubtful documents of so many judged, by a model of so many, and its score."""

    suspects: list[Suspect]
    judged: int
    learned: int
    measured: Measured | None

    @classmethod
    def of(cls, model: QuickModel, facts: Facts) -> _Opinion:
        doubts = Doubts(model.names, single=facts.single)
        measuring = Measuring(facts, copies.contaminated_tests(facts))
        for judged in model.judged():
            doubts.add(judged)
            measuring.add(judged)
        return cls(doubts.suspects(), doubts.judged, len(model.learned), measuring.measured())


def _findings(
    facts: Facts, corpus: Corpus, opinion: _Opinion | None, skipped: list[str]
) -> list[Finding | None]:
    found = [
        copies.same_in_train_and_test(facts, opinion and opinion.measured),
        copies.repeated(facts),
        copies.nearly_repeated(facts),
        texts.empty(facts),
        texts.short_or_long(facts),
        texts.damaged(facts),
        texts.repeated_passages(facts, corpus),
    ]
    if facts.labels.members.nnz:
        found += [
            copies.same_text_other_labels(facts),
            labels.alike(facts),
            labels.always_together(facts),
            labels.rare(facts),
            labels.unlabelled(facts),
        ]
    if opinion is not None:
        found.append(likely_errors(*opinion[:3], facts))
    try:
        found.append(texts.languages(facts, corpus))
    except texts.NoLanguagesError:
        skipped.append(f"languages: they are guessed by py3langid; {texts.INSTALL}")
    return found


def _not_looked_for(facts: Facts, opinion: _Opinion | None, skipped: list[str]) -> set[str]:
    """Return the kinds that were not looked for."""
    kinds = set()
    if not facts.has_splits:
        kinds.add("same_in_train_and_test")
    if opinion is None:
        kinds.add("label_errors")
    if not facts.labels.members.nnz:
        kinds |= {kind for kind in NAMES if "label" in kind} | {"always_together"}
    if any(sentence.startswith("languages") for sentence in skipped):
        kinds.add("languages")
    return kinds


def _with_examples(findings: Iterable[Finding], corpus: Corpus) -> tuple[Finding, ...]:
    """Return the findings with the documents of their examples, which are read in one pass."""
    findings = list(findings)
    rows = np.unique([example.row for each in findings for example in each.examples])
    documents = dict(pick(corpus, rows.astype(np.int64)))

    def told(example: Example, text: str) -> Example:
        document = documents[example.row]
        return replace(
            example,
            id=document.id,
            split=document.split or "",
            labels=document.labels,
            text=example.text or text,
        )

    found = []
    for finding in findings:
        examples: list[Example] = []
        for number, group in groupby(finding.examples, key=lambda each: each.group):
            some = list(group)
            shown = _texts([documents[each.row] for each in some], together=bool(number))
            examples += map(told, some, shown)
        found.append(replace(finding, examples=tuple(examples)))
    return tuple(found)


def _texts(documents: Sequence[Document], *, together: bool) -> list[str]:
    """Return the starts of texts, of near copies from where they differ if that is later."""
    if together:
        texts = [whole_text(document).split() for document in documents]
        plain = [[word.casefold() for word in words] for words in texts]
        pairs = zip(*plain, strict=False)
        same = sum(1 for _ in takewhile(lambda words: len(set(words)) == 1, pairs))
        skipped = sum(len(word) + 1 for word in texts[0][:same])
        if same < max(map(len, texts)) and skipped > MOST_CHARACTERS / 2:
            begin = max(0, same - WORDS_BEFORE)
            return ["… " + _cut(" ".join(words[begin:])) for words in texts]
    return [_cut(text_start(document, MOST_CHARACTERS + 1)) for document in documents]


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS] + "…"
