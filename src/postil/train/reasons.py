"""Why a model gave a document its categories: the model's decisions as rules to explain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp

from postil.common.types import Floats
from postil.corpus.document import Document
from postil.decide.decision import SENTENCES, DecisionRule, State
from postil.errors import UsageError
from postil.explain.explainer import Explainer
from postil.explain.explanation import Explanation
from postil.explain.reading import UNKNOWN, DocumentTerms, given_terms
from postil.model.category_rules import DocumentFacts, category_rule, not_linear, scored_anew
from postil.model.description import column_name
from postil.model.model import Model
from postil.model.numbered import NAMES, VECTORS, NumberedDocuments
from postil.train.predict import Decider, Predictor, VectorPredictor


class Cut(NamedTuple):
    """What a category has to reach to be given, all other categories left as they are.

    It is a threshold on its own score; or, where a document gets so many of its best categories,
    a ``rival`` it has to come before. An infinite threshold: no score has any part in it.
    """

    threshold: float
    rival: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reason:
    """An explanation of a decision on a category, told from ``rival`` where that decided."""

    category: str
    rival: str | None
    explanation: Explanation


@dataclass(frozen=True, slots=True)
class DocumentReasons:
    """What a model decided on a document, and why: ``given`` best first, ``reasons`` as asked."""

    document: DocumentTerms
    given: tuple[str, ...]
    reasons: tuple[Reason, ...]


class _DecisionReasons:
    """Explains what a model decides, once a document's terms and scores are known.

    Cost for each category that is explained: that of ``Explainer.explain``, and sorting the
    categories where a rule counts them.
    """

    empty: ClassVar[str]
    """What is said of a document without a term, and ``strange`` of one without a known one."""
    strange: ClassVar[str]

    def __init__(self, decider: Decider, *, sets: int, additions: int) -> None:
        self.model = decider.model
        if self.model.decision.thresholds is None:
            raise UsageError(
                f"the model decides by {self.model.decision.spec!r}: shares of all documents at "
                "hand, so that no document has a threshold of its own to explain; train it with a "
                "rule that has thresholds, such as f1 or best"
            )
        self._decider = decider
        self._explainer = Explainer(self.model.vectorizer, sets=sets, additions=additions)

    def _told(
        self,
        terms: DocumentTerms,
        facts: DocumentFacts,
        variances: Floats | None,
        columns: Sequence[int] | None,
    ) -> DocumentReasons:
        scores = facts.scores
        probabilities = self._decider.probabilities(scores, variances)
        (given,) = self._decider.names(scores)
        wanted = self._told_of(scores[0], given) if columns is None else columns
        return DocumentReasons(
            terms,
            given,
            tuple(self._reason(terms, facts, probabilities, column) for column in wanted),
        )

    def _told_of(self, scores: Floats, given: Sequence[str]) -> list[int]:
        accepted = [self.model.names.index(name) for name in given]
        excess = self.model.decision.acceptance.excess(scores)
        others = set(range(len(scores))) - set(accepted)
        nearest = max(others, key=lambda c: (excess[c], scores[c], -c), default=None)
        return accepted if nearest is None else [*accepted, nearest]

    def _reason(
        self, terms: DocumentTerms, facts: DocumentFacts, probabilities: Floats | None, column: int
    ) -> Reason:
        model, row = self.model, facts.scores[0]
        cut = cut_of(model.decision, row, column, model.names)
        own = category_rule(model, facts, column)
        score = float(row[column])
        rule = replace(own, threshold=cut.threshold)
        if cut.rival is not None:
            score -= float(row[cut.rival])
            other = category_rule(model, facts, cut.rival)
            rule = replace(own.over(other), threshold=cut.threshold)
        if not_linear(model):
            rule = scored_anew(model, self._by_term, facts, rule, column, cut.rival)
        accepted = bool(model.decision.accept(facts.scores)[0, column])
        if rule.accepts(score) != accepted:
            # Equal scores go by the order of columns, and differences are rounded: the last
            # digit of the threshold gives way, so that an explanation never contradicts.
            rule = replace(rule, threshold=score if accepted else np.nextafter(score, np.inf))
        if probabilities is not None:
            probability = float(probabilities[0, column])
            rule = replace(rule, probability=lambda _: probability)
        state = SENTENCES.get(State(int(model.decision.states[column])), "")
        rule = replace(rule, note="; ".join(filter(None, [cut.reason, state, self._unread(terms)])))
        rival = None if cut.rival is None else model.names[cut.rival]
        return Reason(model.names[column], rival, self._explainer.explain(terms, rule, score=score))

    @cached_property
    def _by_term(self) -> sp.csc_matrix[Any]:
        """The weights by term, for scoring variants of a document."""
        return sp.csc_matrix(self.model.weights)

    def _unread(self, terms: DocumentTerms) -> str:
        """Say that no word of a document has a part in anything, if that is so."""
        alone = "the intercept alone decides"
        if self.model.combination is not None:
            alone = "intercepts alone decide"
        if not len(terms):
            return f"{self.empty}: {alone}"
        if (terms.columns == UNKNOWN).all():
            return f"{self.strange}: {alone}"
        return ""


class Reasons(_DecisionReasons):
    """Explains what a model decides on texts.

    Cost for each document: scoring it, then that of ``Explainer.explain`` for each category that is
    explained, and sorting the categories where a rule counts them.
    """

    empty = "the text holds no word that could be a term"
    strange = "the model knows no word of the text"

    def __init__(self, predictor: Predictor, *, sets: int = 3, additions: int = 10) -> None:
        super().__init__(predictor, sets=sets, additions=additions)
        self.predictor = predictor

    def explain(
        self, fields: Mapping[str, str], document_id: str = "", columns: Sequence[int] | None = None
    ) -> DocumentReasons:
        """Explain the decisions on a document's categories, given by their columns.

        Without ``columns``: on those the model gives it, best first, and on the nearest that it
        does not give.
        """
        terms = self._explainer.read(fields, document_id)
        texts = self.model.vectorizer.fields.columns_of([Document(document_id, fields)])
        vectors = self.model.vectorizer.transform_columns(texts) if self.model.projection else None
        facts = DocumentFacts.of(self.model, self.predictor.rows(texts), vectors)
        return self._told(terms, facts, self.predictor.variances(texts), columns)


class VectorReasons(_DecisionReasons):
    """Explains what a model decides on vectors of numbered features; cost as of :class:`Reasons`.

    A feature is called what the model calls it, or by its number where it is unknown. A feature
    that would flip a decision is one of value 1.
    """

    empty = "the document has no feature"
    strange = "the model knows no feature of the document"

    def __init__(self, predictor: VectorPredictor, *, sets: int = 3, additions: int = 10) -> None:
        super().__init__(predictor, sets=sets, additions=additions)
        self.predictor = predictor

    def explain(
        self, documents: NumberedDocuments, row: int, columns: Sequence[int] | None = None
    ) -> DocumentReasons:
        """Explain the decisions on one of the documents, as :meth:`Reasons.explain` does."""
        one = NumberedDocuments(documents.matrix[[row]], [documents.labels[row]], documents.source)
        vectors = self.predictor.vectors(one)
        facts = DocumentFacts.of(self.model, self.predictor.rows(vectors), vectors)
        terms = self._read(one, documents.ids[row])
        return self._told(terms, facts, self.predictor.variances(vectors), columns)

    def _read(self, document: NumberedDocuments, document_id: str) -> DocumentTerms:
        row = document.matrix
        present = row.data != 0
        numbers = row.indices[present].tolist()
        known = [_numbered_column(self.model, number) for number in numbers]
        names = [
            str(number) if column is None else column_name(self.model.vectorizer, column)
            for number, column in zip(numbers, known, strict=True)
        ]
        found = np.array([UNKNOWN if c is None else c for c in known], dtype=np.int64)
        return given_terms(names, found, row.data[present].astype(np.float64), document_id)


def _numbered_column(model: Model, number: int) -> int | None:
    """The column of a feature by its number in svmlight data; None where there is none."""
    if model.method[VECTORS] == NAMES:
        return number - 1 if 0 < number <= model.vectorizer.terms else None
    assert model.vectorizer.vocabulary is not None
    return model.vectorizer.vocabulary.column_of.get(str(number))


def cut_of(rule: DecisionRule, scores: Floats, column: int, names: Sequence[str]) -> Cut:
    """What a category has to reach, given how the document scores for all others.

    With e = score - threshold and o₁ ≥ o₂ ≥ … those of the other categories, a rule of at least
    m and at most k ≥ m categories gives one where e ≥ oₘ, or where e ≥ 0 and e ≥ oₖ: it has to
    reach min(oₘ, max(0, oₖ)), which is oₘ where that is under 0, else oₖ where that is over 0,
    else 0. Cost: sorting the categories.
    """
    thresholds = rule.thresholds
    assert thresholds is not None
    if rule.acceptance.never[column]:
        return Cut(np.inf)
    excess = rule.acceptance.excess(scores)
    others = np.flatnonzero(~rule.acceptance.never)
    others = others[others != column]
    ranked = others[np.argsort(-excess[others], kind="stable")].tolist()
    least, most = rule.at_least, rule.at_most
    if least > len(ranked):
        return Cut(-np.inf, reason=f"the model gives every document {_limit(rule, least)}")
    rival, places = None, 0
    if least > 0 and excess[ranked[least - 1]] < 0:
        rival, places = ranked[least - 1], least
    elif most is not None and most <= len(ranked) and excess[ranked[most - 1]] >= 0:
        rival, places = ranked[most - 1], most
    if rival is None:
        return Cut(float(thresholds[column]))
    said = f"the model gives a document {_limit(rule, places)}"
    if np.isinf(thresholds[[column, rival]]).any():
        always = bool(rule.accept(scores[np.newaxis])[0, column])
        return Cut(
            -np.inf if always else np.inf,
            reason=f"{said}, and some are given to every document",
        )
    return Cut(
        float(thresholds[column] - thresholds[rival]),
        rival,
        f"{said}: what counts here, and what would flip it, is to come before {names[rival]}",
    )


def _limit(rule: DecisionRule, places: int) -> str:
    if rule.at_least == rule.at_most:
        return "its best category" if places == 1 else f"its best {places} categories"
    bound = "at least" if places == rule.at_least else "at most"
    return f"{bound} {places} {'category' if places == 1 else 'categories'}"
