"""Explain the decisions of a model on documents."""

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
from postil.model.category_rules import DocumentFacts, category_rule, not_linear, rescored
from postil.model.description import column_name
from postil.model.model import Model
from postil.model.numbered import NAMES, VECTORS, NumberedDocuments
from postil.model.route import least_probability
from postil.train.predict import Decider, Predictor, VectorPredictor


class Cut(NamedTuple):
    """The bar that a category must reach to be given, with all other categories as they are.

    It is a threshold on the score; or, if a document gets a number of its best categories, on the
    score minus that of a ``rival``. An infinite threshold means that no score changes the decision.
    """

    threshold: float
    rival: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class DocumentReasons:
    """The categories given to a document, best first, and the reasons of decisions.

    ``referred`` is True if the model has a route and no category is sure enough for it.
    """

    document: DocumentTerms
    given: tuple[str, ...]
    reasons: tuple[Explanation, ...]
    referred: bool = False


class _DecisionReasons:
    """Explains decisions from the terms and scores of a document.

    Cost for each explained category: that of ``Explainer.explain``, and sorting the categories if
    the rule counts them.
    """

    empty: ClassVar[str]  # the note on a document without terms
    strange: ClassVar[str]  # the note on a document without known terms

    def __init__(self, decider: Decider, *, sets: int, additions: int) -> None:
        self.model = decider.model
        if self.model.decision.thresholds is None:
            raise UsageError(
                f"the model decides by {self.model.decision.spec!r}, which gives categories to "
                "shares of all documents and has no threshold to explain; train it with a rule "
                "that has thresholds, such as f1 or best"
            )
        self._decider = decider
        self._explainer = Explainer(self.model.vectorizer, sets=sets, additions=additions)

    def _explained(
        self,
        terms: DocumentTerms,
        facts: DocumentFacts,
        variances: Floats | None,
        columns: Sequence[int] | None,
    ) -> DocumentReasons:
        scores = facts.scores
        probabilities = self._decider.probabilities(scores, variances)
        (given,) = self._decider.names(scores)
        wanted = self._default_columns(scores[0], given) if columns is None else columns
        return DocumentReasons(
            terms,
            given,
            tuple(self._reason(terms, facts, probabilities, column) for column in wanted),
            self._is_referred(given, probabilities),
        )

    def _is_referred(self, given: Sequence[str], probabilities: Floats | None) -> bool:
        least = least_probability(self.model)
        if least is None or probabilities is None:
            return False
        return all(probabilities[0, self.model.names.index(name)] < least for name in given)

    def _default_columns(self, scores: Floats, given: Sequence[str]) -> list[int]:
        """Return the given categories and the nearest other one.

        If a document gets exactly one, the nearest other one is what it is compared with.
        """
        accepted = [self.model.names.index(name) for name in given]
        if accepted and self.model.decision.at_least == self.model.decision.at_most == 1:
            return accepted
        excess = self.model.decision.acceptance.excess(scores)
        others = set(range(len(scores))) - set(accepted)
        nearest = max(others, key=lambda c: (excess[c], scores[c], -c), default=None)
        return accepted if nearest is None else [*accepted, nearest]

    def _reason(
        self, terms: DocumentTerms, facts: DocumentFacts, probabilities: Floats | None, column: int
    ) -> Explanation:
        model, row = self.model, facts.scores[0]
        cut = cut_of(model.decision, row, column, model.titles)
        own = category_rule(model, facts, column)
        score = float(row[column])
        rule = replace(own, threshold=cut.threshold)
        if cut.rival is not None:
            score -= float(row[cut.rival])
            other = category_rule(model, facts, cut.rival)
            rule = replace(own.over(other), threshold=cut.threshold)
        if not_linear(model):
            rule = rescored(model, self._by_term, facts, rule, column, cut.rival)
        accepted = bool(model.decision.accept(facts.scores)[0, column])
        if rule.accepts(score) != accepted:
            # Equal scores go by the order of columns, and differences are rounded: the last
            # digit of the threshold gives way, so that an explanation never contradicts.
            rule = replace(rule, threshold=score if accepted else np.nextafter(score, np.inf))
        if probabilities is not None:
            probability = float(probabilities[0, column])
            rule = replace(rule, probability=lambda _: probability)
        state = SENTENCES.get(State(int(model.decision.states[column])), "")
        notes = [cut.reason, state, self._replaced(facts.scores, column), self._unread(terms)]
        rule = replace(rule, note="; ".join(filter(None, notes)))
        return self._explainer.explain(terms, rule, score=score)

    @cached_property
    def _by_term(self) -> sp.csc_matrix[Any]:
        """The weights by term, to score variants of a document."""
        return sp.csc_matrix(self.model.weights)

    def _replaced(self, scores: Floats, column: int) -> str:
        """Return a note if a category is accepted and, by the hierarchy, not given."""
        model, hierarchy = self.model, self.model.hierarchy
        if hierarchy is None or not model.decision.accept(scores)[0, column]:
            return ""
        given = np.flatnonzero(model.accept(scores)[0])
        if column in given:
            return ""
        below = [model.titles[c] for c in given.tolist() if hierarchy.above[c, column]]
        if below:
            return f"given as {', '.join(below)}, which is below it"
        if hierarchy.one:
            return "accepted, and not given: a document gets one category"
        return "accepted, and not given: a category above it is not accepted"

    def _unread(self, terms: DocumentTerms) -> str:
        """Return a note if no term of a document has a weight in the decision, or nothing."""
        alone = "the intercept alone decides"
        if self.model.combination is not None:
            alone = "intercepts alone decide"
        if not len(terms):
            return f"{self.empty}: {alone}"
        if (terms.columns == UNKNOWN).all():
            return f"{self.strange}: {alone}"
        return ""


class Reasons(_DecisionReasons):
    """Explains the decisions of a model on texts.

    Parameters
    ----------
    predictor : Predictor
        The model.
    sets, additions : int
        The number of sets of terms whose removal would change a decision, and of terms whose
        addition would.
    """

    empty = "the text holds no word that could be a term"
    strange = "the model knows no word of the text"

    def __init__(self, predictor: Predictor, *, sets: int = 3, additions: int = 10) -> None:
        super().__init__(predictor, sets=sets, additions=additions)
        self.predictor = predictor

    def explain(
        self, fields: Mapping[str, str], document_id: str = "", columns: Sequence[int] | None = None
    ) -> DocumentReasons:
        """Explain the decisions on categories of a document.

        Parameters
        ----------
        fields : mapping of str to str
            The text of each field.
        document_id : str
            The id of the document.
        columns : sequence of int, optional
            The columns of the categories; by default those of the given categories, best first,
            and of the nearest other one.
        """
        terms = self._explainer.read(fields, document_id)
        texts = self.model.vectorizer.fields.columns_of([Document(document_id, fields)])
        vectors = self.model.vectorizer.transform_columns(texts) if self.model.projection else None
        facts = DocumentFacts.of(self.model, self.predictor.rows(texts), vectors)
        return self._explained(terms, facts, self.predictor.variances(texts), columns)


class VectorReasons(_DecisionReasons):
    """Explains the decisions of a model on vectors of numbered features.

    Features have the names of the model, and unknown ones their numbers. A feature whose addition
    would change a decision has the value 1. The parameters are those of :class:`Reasons`.
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
        return self._explained(terms, facts, self.predictor.variances(vectors), columns)

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
    """Return the column of a feature by its number in svmlight data; None if unknown."""
    if model.method[VECTORS] == NAMES:
        return number - 1 if 0 < number <= model.vectorizer.terms else None
    assert model.vectorizer.vocabulary is not None
    return model.vectorizer.vocabulary.column_of.get(str(number))


def cut_of(rule: DecisionRule, scores: Floats, column: int, names: Sequence[str]) -> Cut:
    """Return the bar that a category must reach, given the scores of all others.

    With e = score - threshold and o₁ ≥ o₂ ≥ … those of the other categories, a rule of at least
    m and at most k ≥ m categories gives one if e ≥ oₘ, or if e ≥ 0 and e ≥ oₖ: the bar is
    min(oₘ, max(0, oₖ)), which is oₘ if that is under 0, else oₖ if that is over 0, else 0. Cost:
    sorting the categories.
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
        f"{said}: the category must come before {names[rival]}",
    )


def _limit(rule: DecisionRule, places: int) -> str:
    if rule.at_least == rule.at_most:
        return "its best category" if places == 1 else f"its best {places} categories"
    bound = "at least" if places == rule.at_least else "at most"
    return f"{bound} {places} {'category' if places == 1 else 'categories'}"
