"""Labels that are perhaps not what was meant."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from postil.decide import OutOfFoldScores, fit_rule
from postil.decide.decision import DecisionRule, State
from postil.decide.folds import make_folds
from postil.learn.job import Labels
from postil.recipes.parts import Decide
from postil.train.reading import document_notes, label_notes, rare_note


@pytest.mark.parametrize(
    ("names", "note"),
    [
        (
            ("bug", "login, bug", "login, ui", "ui"),
            "2 labels hold ',', as 'login, bug'; did you mean --label-separator ','?",
        ),
        (
            ("a|b", "a|c", "b|c"),
            "3 labels hold '|', as 'a|b'; did you mean --label-separator '|'?",
        ),
        (
            ("login", "bug", "login; bug"),
            "1 label holds ';', as 'login; bug'; did you mean --label-separator ';'?",
        ),
        (
            ("Bug", "bug", "ui ", "ui", "x"),
            "labels that differ only by case, space or separators are different categories: "
            "'Bug' and 'bug'; 'ui ' and 'ui'",
        ),
    ],
)
def test_what_looks_wrong_is_said_in_a_line(names, note):
    assert label_notes(names) == [note]


@pytest.mark.parametrize(
    "names",
    [
        (),
        ("a", "b"),
        ("one, two", "three, four"),
        ("Lund, town", "Visby, town", "Kiruna, town"),
        ("trailing,", "other,"),
        ("news, general", "sport"),
    ],
)
def test_what_may_be_a_name_is_left_alone(names):
    assert label_notes(names) == []


def test_of_many_alike_a_few_are_shown():
    names = [name for letter in "abcde" for name in (letter, letter.upper())]
    (note,) = label_notes(names)
    assert note.endswith("'c' and 'C'; … and 2 more")


def tuned(members: int) -> tuple[DecisionRule, np.ndarray]:
    """A rule for a category whose few members score like the crowd."""
    sets = [["rare"] if i < members else ["common"] for i in range(100)]
    labels = Labels.of(sets)
    scores = np.zeros((100, 2))
    scores[:, 0] = labels.members.toarray()[:, 0]
    folds = make_folds(labels.members, 5, 0)
    rule = fit_rule("f1", OutOfFoldScores(scores, folds), labels.members)
    return rule, labels.sizes()


def test_categories_too_small_to_tune_are_counted():
    rule, sizes = tuned(2)
    assert rule.states.tolist() == [State.FITTED, State.FALLBACK]
    assert rare_note(rule, sizes, 5).startswith("1 category has fewer than 5 documents, too few to")
    assert rare_note(rule, sizes, 2) == ""
    assert rare_note(*tuned(9), 5) == ""


ONE = [["a"], ["b"]] * 15


@pytest.mark.parametrize(
    ("sets", "decide", "notes"),
    [
        (ONE, Decide(rule="auto"), []),
        (ONE, Decide(rule="best"), []),
        (
            ONE,
            Decide(rule="f1"),
            [
                "each document has exactly one label, but the rule f1 may give several or none; to "
                "give exactly one, train with --one-label"
            ],
        ),
        (
            [*ONE, [], ["a", "b"]],
            Decide(rule="auto"),
            [
                "1 document has no label and 1 document has several labels, so that a document may "
                "get any number; if each should get exactly one, leave them out or train with "
                "--one-label"
            ],
        ),
        ([*ONE, [], ["a", "b"]], Decide(labels="many"), []),
        ([*ONE, *[["a", "b"]] * 10], Decide(rule="auto"), []),
        (
            [*ONE, *[[]] * 10],
            Decide(rule="auto"),
            [
                "10 documents have no label, so that a document may get any number; if each should "
                "get exactly one, leave them out or train with --one-label"
            ],
        ),
        (
            [*ONE, ["a", "b"], ["a", "b"], []],
            Decide(labels="one"),
            [
                "2 documents have several labels, and the model gives each document one",
                "1 document has no label, and the model gives each document one",
            ],
        ),
        (
            [["a"]] * 4,
            Decide(rule="auto"),
            [
                "'a' is the only category, and all documents have it: there is nothing to learn, "
                "and every document will get it"
            ],
        ),
        (
            [*ONE, ["c"]],
            Decide(rule="auto"),
            ["1 category has fewer than 3 documents, too few to learn well: 'c'"],
        ),
    ],
)
def test_what_documents_lack_is_said(sets, decide, notes):
    rows = sp.csr_matrix(np.ones((len(sets), 2)))
    labels = Labels.of(sets)
    resolved = decide.resolved(labels.is_single_label, None)
    assert document_notes(labels, rows, decide, resolved) == notes


def test_a_rule_that_becomes_the_best_category_is_not_doubted():
    rows = sp.csr_matrix(np.ones((len(ONE), 2)))
    assert document_notes(Labels.of(ONE), rows, Decide(rule="error"), Decide(rule="best")) == []
    (note,) = document_notes(
        Labels.of(ONE), rows, Decide(rule="f1"), Decide(rule="f1 at-most(1)", calibration="platt")
    )
    assert "the rule f1 may give none;" in note


def test_documents_without_terms_are_counted():
    rows = sp.csr_matrix(np.repeat([[1.0], [0.0]], [27, 3], axis=0))
    decide = Decide(rule="auto")
    (note,) = document_notes(Labels.of(ONE), rows, decide, decide.resolved(True, None))
    assert note.startswith("3 documents have no term to learn from")
