"""Learning from documents with weights, and with unknown or uncertain labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from postil.corpus.document import Document
from postil.learn.job import Design, Job, Labels, SampleWeights
from postil.learn.judged import certain_job
from postil.learn.methods import method_from
from postil.train.reading import labels_of

LEARNERS = {
    "linear": {"C": 1.0, "options": {"tolerance": 1e-9}},
    "naive-bayes": {"learner": "naive-bayes", "form": "one-vs-rest"},
    "sum": {
        "learner": "sum",
        "first": {"C": 1.0, "options": {"tolerance": 1e-9}},
        "second": {"learner": "naive-bayes", "form": "background", "smoothing": 0.5},
        "factor": 0.1,
    },
}


def design(documents=40, terms=12, seed=0):
    chance = np.random.default_rng(seed)
    matrix = sp.random_array((documents, terms), density=0.4, rng=chance, format="csr")
    return Design(sp.csr_matrix(matrix.astype(np.float32)))


def documents(labels, **facts):
    return [
        Document(
            str(number), {}, tuple(own), **{name: each[number] for name, each in facts.items()}
        )
        for number, own in enumerate(labels)
    ]


def some_labels(count=40, seed=1):
    chance = np.random.default_rng(seed)
    return [[name for name in "abc" if chance.random() < 0.4] for _ in range(count)]


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_category_is_learned_from_the_documents_that_were_judged_for_it(learner):
    method, x, labels = method_from(LEARNERS[learner]), design(), some_labels()
    judged = [None] * 20 + [("a",)] * 5 + [("b", "c")] * 5 + [()] * 10
    judged = [
        j if j is None else tuple(set(j) - set(own)) for j, own in zip(judged, labels, strict=True)
    ]
    found = method.fit(Job(x, labels_of(documents(labels, not_labels=judged))))
    for at, name in enumerate("abc"):
        rows = [
            number
            for number, (own, others) in enumerate(zip(labels, judged, strict=True))
            if others is None or name in own or name in others
        ]
        alone = labels_of(documents([[n for n in labels[row] if n == name] for row in rows]))
        expected = method.fit(Job(x.of_rows(np.array(rows)), alone))
        assert expected.names == (name,)
        np.testing.assert_allclose(
            found.weights[[at]].toarray(), expected.weights.toarray(), atol=2e-5
        )
        assert found.intercepts[at] == pytest.approx(expected.intercepts[0], abs=2e-5)


@pytest.mark.parametrize("learner", LEARNERS)
def test_an_uncertain_label_is_two_weighted_documents(learner):
    method, x, labels = method_from(LEARNERS[learner]), design(), some_labels()
    chances = [{} if "a" in own else {"a": 0.75} for own in labels]
    own = [
        ("a", *names) if chance else names for names, chance in zip(labels, chances, strict=True)
    ]
    found = method.fit(Job(x, labels_of(documents(own, probabilities=chances))))
    twice = np.repeat(np.arange(40), 2)
    weights = np.array([[0.75, 0.25] if chance else [0.5, 0.5] for chance in chances]).ravel()
    sets = [
        [*names, "a"] if chance and part == 0 else names
        for names, chance in zip(labels, chances, strict=True)
        for part in (0, 1)
    ]
    job = Job(x.of_rows(twice), Labels.of(sets), sample_weights=SampleWeights(weights))
    expected = method.fit(job)
    np.testing.assert_allclose(found.weights.toarray(), expected.weights.toarray(), atol=2e-5)


@pytest.mark.parametrize(
    "chances", [{"a": 0.8, "b": 0.2}, {"a": 0.9, "b": 0.7, "c": 0.1}, {"b": 0.3}]
)
def test_copies_add_up_to_the_probabilities(chances):
    likely = tuple(name for name, chance in chances.items() if chance >= 0.5)
    document = Document("1", {}, (*likely, "d"), weight=2.0, probabilities=chances)
    labels = labels_of([document, Document("2", {}, ("c",))])
    weights = SampleWeights(labels.weights)
    job = certain_job(Job(design(2), labels, sample_weights=weights))
    shares = job.document_weights()
    assert shares.sum() == pytest.approx(3.0)
    assert job.labels.uncertain is None
    sums = dict(zip(labels.names, shares[:-1] @ job.labels.members[:-1].toarray(), strict=True))
    assert sums == pytest.approx(
        {**dict.fromkeys(labels.names, 0.0), "d": 2.0}
        | {name: 2.0 * chance for name, chance in chances.items()}
    )
    if sum(chances.values()) <= 1:  # labels of which a document has one
        assert (job.labels.of_categories([0, 1]).members.sum(axis=1) <= 1).all()


def test_methods_that_compare_classes_leave_out_what_was_not_judged():
    method, x = method_from({"learner": "polychotomous", "C": 1.0}), design(30)
    labels = [[name] for name in "abc" * 10]
    whole = method.fit(Job(x.of_rows(np.arange(27)), labels_of(documents(labels[:27]))))
    judged = [None] * 20 + [()] * 10  # a document with a class is not in another
    partly = [*labels[:27], [], [], []]
    found = method.fit(Job(x, labels_of(documents(partly, not_labels=judged))))
    np.testing.assert_allclose(found.weights.toarray(), whole.weights.toarray(), atol=1e-3)


def test_labels_keep_what_is_known_of_some_documents_and_categories():
    facts = {
        "weight": [1.0, 2.0, 0.5],
        "group": ["x", None, "x"],
        "not_labels": [None, ("b",), ()],
        "probabilities": [{"b": 0.5}, {}, {}],
    }
    labels = labels_of(documents([["a", "b"], ["a"], ["c"]], **facts))
    assert labels.groups[0] == labels.groups[2] != labels.groups[1]
    assert labels.known().tolist() == [[True] * 3, [True, True, False], [False, False, True]]
    part = labels.of_documents(np.array([2, 1])).of_categories([1, 2])
    assert part.names == ("b", "c")
    assert part.weights.tolist() == [0.5, 2.0]
    assert part.known().tolist() == [[False, True], [True, False]]
    assert labels.uncertain.toarray().tolist() == [[0, 0.5, 0], [0, 0, 0], [0, 0, 0]]
    plain = labels_of(documents([["a"], ["b"]]))
    assert (plain.weights, plain.groups, plain.judged, plain.uncertain) == (None,) * 4


def test_weight_two_is_the_document_twice():
    x, labels = design(), some_labels()
    method = method_from(LEARNERS["linear"])
    weights = np.where(np.arange(40) < 10, 2.0, 1.0)
    found = method.fit(Job(x, Labels.of(labels), sample_weights=SampleWeights(weights)))
    rows = np.concatenate([np.arange(40), np.arange(10)])
    twice = method.fit(Job(x.of_rows(rows), Labels.of([labels[row] for row in rows])))
    np.testing.assert_allclose(found.weights.toarray(), twice.weights.toarray(), atol=2e-5)
    assert replace(found, reports=()).names == twice.names
