"""Prior files: every line as written, every bad line refused with its number."""

from __future__ import annotations

import gzip
import math

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from postil.errors import InputError, PostilError, UsageError
from postil.learn.job import Design, Job, Labels
from postil.learn.method import Method
from postil.learn.naive_bayes import NaiveBayes
from postil.learn.strength import Regularization
from postil.learn.term_priors.files import (
    CONSTANT,
    PriorLine,
    parse_prior_lines,
    read_prior_file,
    write_prior_file,
)
from postil.learn.term_priors.matching import match_priors
from postil.learn.term_priors.priors import LEAST_VARIANCE, MOST_MEAN, MOST_VARIANCE, TermPrior
from postil.vectors.fields import Fields
from postil.vectors.vocabulary import Vocabulary


def parsed(*lines: str) -> list[PriorLine]:
    return list(parse_prior_lines(lines, "p.txt"))


def refused(line: str, *before: str) -> str:
    with pytest.raises(InputError) as caught:
        parsed(*before, line)
    message = str(caught.value)
    assert "\n" not in message
    head = f"p.txt, line {len(before) + 1}: "
    assert message.startswith(head)
    return message.removeprefix(head)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("75 0.5 2", PriorLine("75", 0.5, 2.0)),
        ("  75\t0.5  2 ", PriorLine("75", 0.5, 2.0)),
        ("75 0.5 2\r", PriorLine("75", 0.5, 2.0)),
        ("75 -1e-3 inf 1", PriorLine("75", -1e-3, math.inf, skew=1)),
        ("75 0 INF -1", PriorLine("75", 0.0, math.inf, skew=-1)),
        ("75 0 1 0", PriorLine("75", 0.0, 1.0)),
        ("75 0 0.5 ABS", PriorLine("75", 0.0, 0.5, absolute=True)),
        ("75 0 0.5 ABS 1", PriorLine("75", 0.0, 0.5, absolute=True, skew=1)),
        ("0 -2 0", PriorLine("0", -2.0, 0.0)),
        ("class 3 75 1.5 0.1", PriorLine("75", 1.5, 0.1, "3")),
        ("class 3 75 1.5 0.1 ABS -1", PriorLine("75", 1.5, 0.1, "3", absolute=True, skew=-1)),
        ("class 0.5 1", PriorLine("class", 0.5, 1.0)),
        ("class 0.5 1 1", PriorLine("class", 0.5, 1.0, skew=1)),
        ("class 0.5 1 ABS 1", PriorLine("class", 0.5, 1.0, absolute=True, skew=1)),
        ("topic 0.5 1", PriorLine("topic", 0.5, 1.0)),
        ("new york\t0.5\t1", PriorLine("new york", 0.5, 1.0)),
        ("class\tlocal news\tnew york\t0\t1", PriorLine("new york", 0.0, 1.0, "local news")),
        ('"#sale"\t0.5\t1', PriorLine("#sale", 0.5, 1.0)),
        ('"class"\t3\t75\t1\t1', None),
        ("title:oil 1 1", PriorLine("title:oil", 1.0, 1.0)),
        ('"new york" 0.5 1', PriorLine("new york", 0.5, 1.0)),
        ('"new york"\t0.5 1', PriorLine("new york", 0.5, 1.0)),
        ('  "a \\"b\\" \\u00e9"   0.5\t1 ABS', PriorLine('a "b" é', 0.5, 1.0, absolute=True)),
        ('class "local news" "new york" 0 1', PriorLine("new york", 0.0, 1.0, "local news")),
        ('class 3 "class" 0 1', PriorLine("class", 0.0, 1.0, "3")),
        ('5" 0 1', PriorLine('5"', 0.0, 1.0)),
    ],
)
def test_a_line_is_read_as_it_says(line, expected):
    if expected is None:
        refused(line)
        return
    assert parsed(line) == [expected]


def test_comments_empty_lines_and_topics():
    found = parsed("# a b c", "", "  # d", "1 0 1", "topic grain", "2 0 1", "endoftopic", "3 0 1")
    assert [(line.feature, line.category, line.line) for line in found] == [
        ("1", None, 4),
        ("2", "grain", 6),
        ("3", None, 8),
    ]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("75 0.5", "'75 0.5' is too short"),
        ("75", "'75' is too short"),
        ("75 x 1", "the mode 'x' is not a finite number"),
        ("75 nan 1", "the mode 'nan'"),
        ("75 inf 1", "the mode 'inf'"),
        ("75 1_0 1", "the mode '1_0'"),
        ("75 0 -1", "the variance '-1' is not 0, from 1e-30 to 1e+30, or inf"),
        ("75 0 1e300", "the variance '1e300' is not 0"),
        ("75 1e20 1", "the mode '1e20' is not from -1e+06 to 1e+06"),
        ("75 0 nan", "the variance 'nan'"),
        ("75 0 -inf", "the variance '-inf'"),
        ("75 0 abs", "the variance 'abs'"),
        ("75 0 1 2", "the skew '2' is not 1"),
        ("75 0 1 x", "the skew 'x' is not 1"),
        ("75 0 1 nan", "the skew 'nan' is not 1"),
        ("75 0 1 1 1", "'1' is left over"),
        ("75 0 1 ABS 1 x", "'x' is left over"),
        ("new york 0 1", "the mode 'york'"),
        ('"a\t0\t1', 'the feature "a is not a JSON text'),
        ('""\t0\t1', 'the feature "" is not a JSON text'),
        ('"new york 0 1', 'the feature "new is not a JSON text: a name that begins'),
        ('"new york"s 0 1', 'the feature "new is not a JSON text'),
        ('"a" "b" 0 1', "the mode '\"b\"' is not a finite number (put a term of several words"),
    ],
)
def test_a_bad_line_is_refused_in_a_sentence(line, told):
    assert refused(line, "# first", "1 0 1").startswith(told)


def test_a_topic_may_have_a_name_of_several_words():
    found = parsed('topic "local news"', '"new york" 0 1', "endoftopic")
    assert found == [PriorLine("new york", 0.0, 1.0, "local news")]
    assert (found[0].source, found[0].line) == ("p.txt", 2)


def test_a_prior_that_stands_twice_is_refused():
    assert refused("7 1 1", "7 0 1") == "line 1 already gives the prior of 7"
    told = refused("class a 7 1 1", "7 0 1", "class a 7 0 1")
    assert told == "line 2 already gives the prior of 7 of class a"


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8) | st.sampled_from(
    ["class", "topic", "endoftopic", "a b", "#", '"', "\t", "0", CONSTANT, "ABS"]
)
MODES = st.floats(-MOST_MEAN, MOST_MEAN)
VARIANCES = st.sampled_from([0.0, math.inf]) | st.floats(LEAST_VARIANCE, MOST_VARIANCE)
LINES = st.builds(
    PriorLine,
    NAMES,
    MODES,
    VARIANCES,
    st.none() | NAMES,
    st.booleans(),
    st.sampled_from([-1, 0, 1]),
)


@given(st.lists(LINES, min_size=1, unique_by=lambda line: (line.category, line.feature)))
def test_what_is_written_is_read_again(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("priors") / "p.txt"
    write_prior_file(path, lines)
    again = read_prior_file(path)
    assert list(again.lines) == lines
    assert [line.line for line in again.lines] == list(range(1, len(lines) + 1))


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_in_a_sentence(text):
    told = ""
    try:
        parsed(*text.split("\n"))
    except PostilError as error:
        told = str(error)
    assert not told or told.startswith("p.txt, line ")
    assert "\n" not in told


def test_a_file_is_read_whole(tmp_path):
    path = tmp_path / "p.txt.gz"
    path.write_bytes(gzip.compress("\ufeffzoë\t1\t2\n".encode()))
    found = read_prior_file(path)
    assert found.lines == (PriorLine("zoë", 1.0, 2.0),)
    assert found.source == str(path)
    assert len(found.sha256) == 64
    with pytest.raises(PostilError, match=r"absent\.txt"):
        read_prior_file(tmp_path / "absent.txt")
    (tmp_path / "latin").write_bytes(b"1 0 1\nzo\xeb 0 1\n")
    with pytest.raises(InputError, match="latin, line 2: is not UTF-8"):
        read_prior_file(tmp_path / "latin")


def test_a_name_that_is_empty_cannot_be_written(tmp_path):
    with pytest.raises(UsageError, match="empty"):
        write_prior_file(tmp_path / "p", [PriorLine("", 0, 1)])


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (PriorLine("a", 1, 3), TermPrior(1, factor=3)),
        (PriorLine("a", 1, 3, absolute=True), TermPrior(1, 3)),
        (PriorLine("a", 1, 0), TermPrior(1, 0)),
        (PriorLine("a", 1, math.inf), TermPrior(1, math.inf)),
        (PriorLine("a", 1, 3, skew=1), TermPrior(1, factor=3, low=1)),
        (PriorLine("a", -2, 3, skew=-1), TermPrior(-2, factor=3, high=-2)),
    ],
)
def test_a_line_is_a_prior(line, expected):
    assert line.prior() == expected


def test_features_by_their_numbers():
    lines = parsed("1 1 1", "3 3 1", "4 0 1", "0 9 1", "x 0 1", "class b 2 2 1", "class z 2 2 1")
    found = match_priors(lines, ["a", "b"], numbers(3), numbered=True)
    assert {c: p.mean for c, p in found.priors.every.items()} == {0: 1.0, 2: 3.0, 3: 9.0}
    assert {c: p.mean for c, p in found.priors.own[1].items()} == {1: 2.0}
    assert (found.matched, found.unmatched) == (4, 3)
    assert found.unknown_features == ["4", "x"]
    assert found.unknown_categories == ["z"]
    assert found.note("p.txt") == (
        "p.txt: 4 of 7 lines matched; unknown terms: 4 (the data has features from 1 to 3), "
        "x; unknown categories: z"
    )


def test_features_by_terms_of_a_vocabulary():
    vocabulary = Vocabulary.of_terms(["title:oil", "body:oil"], Fields(("title", "body"), True))
    found = match_priors(parsed("body:oil 1 1", "oil 2 1", f"{CONSTANT} 3 1"), [], vocabulary)
    assert {column: prior.mean for column, prior in found.priors.every.items()} == {1: 1.0, 2: 3.0}
    assert found.unknown_features == ["oil"]
    with pytest.raises(UsageError, match="hash buckets do not keep"):
        match_priors(parsed("oil 1 1"), [], None)


def test_the_constant_cannot_be_said_twice():
    lines = parsed("0 1 1", f"{CONSTANT} 1 1")
    with pytest.raises(
        UsageError, match=r"^p\.txt, line 2: the prior of @constant is given twice$"
    ):
        match_priors(lines, [], numbers(3), numbered=True)


def numbers(count: int) -> Vocabulary:
    return Vocabulary.of_terms([str(number) for number in range(1, count + 1)])


def small_problem():
    rng = np.random.default_rng(4)
    matrix = sp.csr_matrix((rng.random((40, 5)) * (rng.random((40, 5)) < 0.6)).astype(np.float32))
    labels = Labels.of([["a"] * bool(i % 3 == 0) + ["b"] * bool(i % 2) for i in range(40)])
    return Design(matrix), labels


def learner(prior: str) -> Method:
    options = {"tolerance": 1e-10, "iterations": 100_000}
    return Method("logistic", prior, "primal-coordinate", Regularization(lam=1e-2), options=options)


@pytest.mark.parametrize("prior", ["gaussian", "laplace"])
def test_what_a_file_says_is_what_is_learned(prior):
    design, labels = small_problem()
    usual = learner(prior).fit(Job(design, labels))
    speaks = int(np.argmax(usual.weights[[0]].toarray()[0])) + 1
    lines = parsed("1 0.75 0", f"class b {speaks} -0.25 1 -1", "class b 2 0.5 1 1", "0 1.5 0")
    priors = match_priors(lines, labels.names, numbers(5), numbered=True).priors
    fit = learner(prior).fit(Job(design, labels, term_priors=priors))
    weights = fit.weights.toarray()
    assert weights[:, 0] == pytest.approx([0.75, 0.75])
    assert fit.intercepts == pytest.approx([1.5, 1.5])
    assert weights[1, 1] >= 0.5
    if speaks not in (1, 2):
        assert weights[1, speaks - 1] <= -0.25


@pytest.mark.parametrize("prior", ["gaussian", "laplace"])
def test_a_relative_variance_is_a_wider_column(prior):
    """σ²f on a weight is σ² on that of the column times √f."""
    design, labels = small_problem()
    priors = match_priors(parsed("2 0 9"), labels.names, numbers(5), numbered=True).priors
    fit = learner(prior).fit(Job(design, labels, term_priors=priors))
    scale = sp.diags([1.0, 3.0, 1.0, 1.0, 1.0])
    wide = learner(prior).fit(Job(Design(sp.csr_matrix(design.rows @ scale)), labels))
    expected = wide.weights.toarray() @ scale.toarray()
    assert fit.weights.toarray() == pytest.approx(expected, abs=1e-4)


SEVERAL = ("1 0.5 2", "2 0 0.3 1", "3 -0.2 5 -1", "4 1 0.7 ABS", "5 0.1 inf", "0 -0.4 1")


@pytest.mark.parametrize("prior", ["gaussian", "laplace"])
@pytest.mark.parametrize("category", [0, 1])
def test_the_minimum_is_that_of_bbr_s_sum(prior, category):
    """Σ ln(1 + exp(-y w·x)) + Σ (w - mode)²/2σ², or √2|w - mode|/σ, as L-BFGS-B has it."""
    design, labels = small_problem()
    lines = parsed(*SEVERAL)
    common = 1.7
    options = {"tolerance": 1e-10, "iterations": 100_000}
    method = Method(
        "logistic",
        prior,
        "primal-coordinate",
        Regularization(prior_variance=common),
        options=options,
    )
    priors = match_priors(lines, labels.names, numbers(5), numbered=True).priors
    fit = method.fit(Job(design, labels, term_priors=priors))
    found = np.append(fit.weights.toarray()[category], fit.intercepts[category])

    x = np.hstack([design.rows.toarray().astype(float), np.ones((design.documents, 1))])
    y = np.where(labels.members.toarray()[:, category], 1.0, -1.0)
    modes = np.array([line.mode for line in lines])
    variances = np.array([line.variance * (1 if line.absolute else common) for line in lines])

    def objective(parts):
        above, below = np.split(parts, 2)
        away = above - below
        loss = np.logaddexp(0, -y * (x @ (modes + away))).sum()
        if prior == "laplace":
            return loss + (np.sqrt(2 / variances) * (above + below)).sum()
        return loss + (away**2 / (2 * variances)).sum()

    limits = [(0, 0 if line.skew < 0 else None) for line in lines]  # how far above the mode
    limits += [(0, 0 if line.skew > 0 else None) for line in lines]
    best = scipy.optimize.minimize(
        objective, np.zeros(12), bounds=limits, method="L-BFGS-B", options={"ftol": 1e-15}
    )
    ours = np.concatenate([np.maximum(found - modes, 0), np.maximum(modes - found, 0)])
    assert objective(ours) <= best.fun + 1e-6
    assert found[1] >= 0
    assert found[2] <= -0.2


def test_learners_without_per_term_priors_refuse_them():
    design, labels = small_problem()
    priors = match_priors(parsed("2 0 9"), labels.names, numbers(5), numbered=True).priors
    with pytest.raises(UsageError, match="takes no per-term priors"):
        Method().fit(Job(design, labels, term_priors=priors))
    with pytest.raises(UsageError, match="Naive Bayes"):
        NaiveBayes().fit(Job(design, labels, term_priors=priors))
