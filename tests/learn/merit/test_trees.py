"""Trees: how they grow, where they are cut, and what they decide."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

from postil.errors import UsageError
from postil.learn.combining import LEAF, Trees
from postil.learn.job import Job, SampleWeights
from postil.learn.merit.method import TreeMethod
from postil.learn.merit.naming import figure_named
from postil.learn.merit.objective import Merit, SparseProducts
from postil.learn.merit.starts import MeritTask
from postil.learn.merit.trees import Forest, Node, TreeGrower, figures_of
from postil.learn.search.folds import make_parts

from ..samples import labels_of
from .learner_samples import both, leaning

METHODS = {
    "l-bfgs": TreeMethod(depth=4, least=2, starts=("svm",), folds=3),
    "two starts": TreeMethod(depth=3, starts=("members-mean", "svm"), folds=2),
    "gpd": TreeMethod(solver="gpd", options={"iterations": 20, "rate": 0.3, "steepness": 4.0}),
    "perceptron": TreeMethod(solver="batch-perceptron", options={"iterations": 15}, least=1),
    "balanced": TreeMethod("balanced-error", depth=3),
}
EVERY_TREE = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)


def noisy(seed=3):
    """More than one level can learn."""
    x, truth = leaning(seed, documents=120, terms=6, categories=3)
    rng = np.random.default_rng(seed)
    return x, truth ^ (rng.random(truth.shape) < 0.08)


def data_of(x, truth, method):
    design, _ = both(x, truth)
    cases = np.where(truth, 1, -1).astype(np.int8)
    merit = Merit(figure_named(method.figure), cases, np.ones(len(x)))
    return MeritTask(design, SparseProducts(design, 1), merit, 1)


def grown(x, truth, method, documents=None) -> Forest:
    documents = np.ones(len(x)) if documents is None else documents
    return TreeGrower(data_of(x, truth, method), documents, method).grow()


def walk(nodes: list[Node], root: int, x):
    """Node by node and document by document; also who came to each node."""
    decided, came = np.zeros(len(x), bool), {n: [] for n in range(len(nodes))}
    for number, document in enumerate(x):
        at = root
        while at != LEAF:
            came[at].append(number)
            node = nodes[at]
            decided[number] = document @ node.weights + node.intercept > 0
            at = node.yes if decided[number] else node.no
    return decided, came


def roots_of(forest: Forest) -> dict[int, int]:
    return {node.category: at for at, node in enumerate(forest.nodes) if node.level == 1}


def f1(accepted, members):
    return 2 * (accepted & members).sum() / max(1, accepted.sum() + members.sum())


def crossed():
    """Members of one sign in both, or of none: no line has them on one side."""
    rng = np.random.default_rng(0)
    corners = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]])
    sides = np.repeat(np.arange(4), [30, 20, 30, 30])
    return corners[sides] + 0.1 * rng.normal(size=(110, 2)), (sides < 2)[:, None]


@pytest.mark.parametrize(
    "given",
    [
        {"starts": ("svm",)},
        {"starts": ("members-mean", "logistic"), "figure": "error"},
    ],
    ids=["f1", "error"],
)
def test_two_levels_separate_what_one_cannot(given):
    x, truth = crossed()

    def height(depth):
        method = TreeMethod(depth=depth, folds=3, **given)
        found = method.fit(Job(*both(x, truth), threads=1))
        return f1(found.scores(sp.csr_matrix(x))[:, 0] > 0, truth[:, 0])

    assert height(1) < 0.8  # two corners and one too many are the best of any line
    assert height(2) == height(3) == 1.0


def test_a_node_that_sends_all_its_documents_one_way_is_not_trained_again():
    # From the mean of such members everything is accepted: what follows would be the same.
    x, truth = crossed()
    steps = []
    method = TreeMethod()
    forest = TreeGrower(data_of(x, truth, method), np.ones(110), method).grow(
        lambda done, most: steps.append((done, most))
    )
    assert forest.accepted[0].all()
    assert len(forest.nodes) == 1
    assert max(done / most for done, most in steps) <= 1 / 3


@EVERY_TREE
def test_nodes_grow_by_the_stated_rule(method):
    x, truth = noisy()
    forest = grown(x, truth, method)
    figure = figure_named(method.figure)
    splits = 0
    for category, root in roots_of(forest).items():
        _, came = walk(forest.nodes, root, x)
        members = truth[:, category]
        mine = [n for n, node in enumerate(forest.nodes) if node.category == category]
        for number in mine:
            node = forest.nodes[number]
            assert node.level <= method.depth
            for child in (node.yes, node.no):
                if child == LEAF:
                    continue
                splits += 1
                assert forest.nodes[child].level == node.level + 1
                inside = members[came[child]]
                assert inside.sum() >= method.least
                assert (~inside).sum() >= method.least
        # Every level that was grown makes the figure of the training documents higher.
        decisions = [each[:, category] for each in forest.accepted]
        depth = max(forest.nodes[n].level for n in mine)
        heights = [value_of(figure, each, members) for each in decisions]
        assert all(b > a for a, b in pairwise(heights[:depth]))
        assert heights[depth:] == [heights[depth - 1]] * (len(heights) - depth)
    assert splits > 0


def value_of(figure, accepted, members):
    cases = np.where(members, 1, -1).astype(np.int8)[:, None]
    return float(figures_of(accepted[:, None], cases, np.ones(len(members)), figure)[0])


@EVERY_TREE
def test_decisions_of_each_level_are_those_of_walking_the_tree(method):
    x, truth = noisy()
    forest = grown(x, truth, method)
    for level in range(1, method.depth + 1):
        cut = forest.cut(np.full(3, level))
        assert max(node.level for node in cut.nodes) <= level
        for category, root in roots_of(cut).items():
            decided, _ = walk(cut.nodes, root, x)
            np.testing.assert_array_equal(decided, forest.accepted[level - 1][:, category])


def test_trees_are_cut_each_at_its_own_level():
    x, truth = noisy()
    forest = grown(x, truth, METHODS["l-bfgs"])
    cut = forest.cut(np.array([1, 4, 2]))
    for category, root in roots_of(cut).items():
        decided, _ = walk(cut.nodes, root, x)
        expected = forest.accepted[[0, 3, 1][category]][:, category]
        np.testing.assert_array_equal(decided, expected)


@EVERY_TREE
def test_the_fit_decides_as_walking_its_tree_does(method):
    x, truth = noisy()
    found = method.fit(Job(*both(x, truth), threads=1))
    trees, rows = found.combination, found.weights.toarray().astype(float)
    scores = found.scores(sp.csr_matrix(x))
    linear = x @ rows.T + found.intercepts
    for category in range(3):
        for document in range(len(x)):
            steps = trees.path(category, linear[document])
            assert steps[0].row == trees.roots[category]
            for step, following in pairwise(steps):
                side = trees.yes if step.accepted else trees.no
                assert following.row == side[step.row]
            assert steps[-1].score == pytest.approx(scores[document, category], abs=1e-9)
            assert steps[-1].accepted == (scores[document, category] > 0)


def held_out_values(x, truth, method):
    """The figure of documents that were not seen, of each level and category."""
    labels = labels_of(truth)
    part = make_parts(labels, method.folds, method.seed)
    decided = np.zeros((method.depth, *truth.shape), bool)
    for fold in range(method.folds):
        out = part == fold
        forest = grown(x, truth, method, np.where(out, 0.0, 1.0))
        for level in range(1, method.depth + 1):
            cut = forest.cut(np.full(truth.shape[1], level))
            for category, root in roots_of(cut).items():
                decided[level - 1, out, category] = walk(cut.nodes, root, x[out])[0]
    figure = figure_named(method.figure)
    return np.array(
        [
            [value_of(figure, level[:, c], truth[:, c]) for c in range(truth.shape[1])]
            for level in decided
        ]
    )


@EVERY_TREE
@pytest.mark.parametrize("seed", [3, 5])
def test_trees_are_cut_where_held_out_documents_say(method, seed):
    x, truth = noisy(seed)
    found = method.fit(Job(*both(x, truth), threads=1))
    whole = grown(x, truth, method)
    best = 1 + held_out_values(x, truth, method).argmax(axis=0)
    expected = whole.cut(best)
    assert found.combination.rows == len(expected.nodes)
    for category, root in roots_of(expected).items():
        decided, _ = walk(expected.nodes, root, x)
        np.testing.assert_array_equal(found.scores(sp.csr_matrix(x))[:, category] > 0, decided)


def test_trees_without_folds_are_left_as_they_grew():
    x, truth = noisy()
    method = TreeMethod(depth=4, least=2, starts=("svm",), folds=0)
    found = method.fit(Job(*both(x, truth), threads=1))
    assert found.combination.rows == len(grown(x, truth, method).nodes)
    assert found.combination.rows > 3
    notes = [report.note for report in found.reports]
    assert any(note.startswith("a tree of ") and "levels" in note for note in notes)


@EVERY_TREE
def test_pure_nodes_are_not_split(method):
    rng = np.random.default_rng(2)
    x = rng.normal(size=(60, 3))
    truth = np.column_stack([x[:, 0] > 0.3, x[:, 1] > 0.5])
    x[truth[:, 0], 0] += 3.0
    x[truth[:, 1], 1] += 3.0
    forest = grown(x, truth, method)
    for category, root in roots_of(forest).items():
        _, came = walk(forest.nodes, root, x)
        for number, node in enumerate(forest.nodes):
            if node.category == category and node.level > 1:
                inside = truth[came[number], category]
                assert 0 < inside.sum() < len(inside)
        if np.array_equal(forest.accepted[0][:, category], truth[:, category]):
            assert forest.nodes[root].yes == forest.nodes[root].no == LEAF
    np.testing.assert_array_equal(forest.accepted[-1], truth)


@pytest.mark.parametrize("documents", [2, 3, 4, 7])
@EVERY_TREE
def test_few_documents_make_few_folds(method, documents):
    x, _ = leaning(documents=documents, terms=5)
    truth = np.zeros((documents, 2), bool)
    truth[0, 0] = truth[1:, 1] = True
    found = method.fit(Job(*both(x, truth), threads=1))
    assert found.scores(sp.csr_matrix(x)).shape == (documents, 2)


def test_documents_of_no_weight_are_in_no_fold():
    x, truth = noisy()
    weights = np.where(np.arange(120) < 100, 1.0, 0.0)
    whole = TreeMethod().fit(Job(*both(x, truth), sample_weights=SampleWeights(weights), threads=1))
    fewer = TreeMethod().fit(Job(*both(x[:100], truth[:100]), threads=1))
    assert whole.combination.rows == fewer.combination.rows
    np.testing.assert_allclose(
        whole.scores(sp.csr_matrix(x)), fewer.scores(sp.csr_matrix(x)), rtol=1e-4, atol=1e-5
    )


def test_a_tree_of_depth_1_is_one_linear_decision():
    x, truth = noisy()
    found = TreeMethod(depth=1).fit(Job(*both(x, truth), threads=1))
    assert isinstance(found.combination, Trees)
    assert found.weights.shape[0] == 3
    assert [report.note for report in found.reports] == ["", "", ""]


def test_reports_say_how_nodes_were_trained():
    x, truth = noisy()
    found = TreeMethod(lam=1e-3, depth=2).fit(Job(*both(x, truth), threads=1))
    assert {(report.lam, report.kind) for report in found.reports} == {(1e-3, "slope left")}
    found = METHODS["perceptron"].fit(Job(*both(x, truth), threads=1))
    assert {report.kind for report in found.reports} == {"share of mistakes"}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"depth": 0}, "depth must be a whole number of at least 1, got 0"),
        ({"least": 0}, "least must be a whole number of at least 1, got 0"),
        ({"folds": 1}, "folds must be 2 or more, or 0 for uncut trees, got 1"),
        ({"folds": -1}, "folds must be a whole number of at least 0"),
        ({"seed": 0.5}, "seed must be a whole number"),
        ({"solver": "newton"}, "there is no solver 'newton'"),
        ({"figure": "micro-f1"}, "micro-f1 is one figure for all: use f1"),
        ({"solver": "batch-perceptron", "lam": 0.1}, "has no λ"),
        ({"solver": "batch-perceptron", "starts": ("svm",)}, "starts at the mean of the members"),
        ({"solver": "gpd", "lam": 0.1}, "gpd has no λ"),
        ({"options": {"rate": 0.1}}, "rate"),
    ],
)
def test_methods_that_make_no_sense_are_refused(wrong, words):
    with pytest.raises(UsageError, match=words):
        TreeMethod(**wrong)
