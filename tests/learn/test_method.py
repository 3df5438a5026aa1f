"""Methods and regularization: what is legal, and what refusals say."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.errors import UsageError
from postil.learn.losses import LOSSES
from postil.learn.method import Method
from postil.learn.priors import PRIORS
from postil.learn.solvers import SOLVERS
from postil.learn.strength import Regularization

from .samples import EVERY_SOLVER, lambda_of, method_of
from .samples import LEGAL as LEGAL_PARTS

TRIPLES = list(product(LOSSES, PRIORS, SOLVERS))
LEGAL = {parts[:3] for parts in LEGAL_PARTS}
ONE_TRIPLE_OF_EACH_SOLVER = sorted({triple[2]: triple for triple in sorted(LEGAL)}.values())
POSITIVE = st.floats(1e-9, 1e9)


def refusal(*given, **settings) -> str:
    with pytest.raises(UsageError) as caught:
        Method(*given, **settings)
    return str(caught.value)


def test_a_triple_is_legal_where_the_needs_are_provided():
    for names in TRIPLES:
        loss, prior, solver = LOSSES[names[0]], PRIORS[names[1]], SOLVERS[names[2]]
        provided = solver.loss_needs <= loss.provides and solver.prior_needs <= prior.provides
        assert provided == (names in LEGAL), names


def test_an_illegal_triple_is_refused_with_what_is_missing_and_what_works():
    for loss, prior, solver in set(TRIPLES) - LEGAL:
        check_refusal(loss, prior, solver)


def check_refusal(loss, prior, solver):
    message = refusal(loss, prior, solver, intercept=min(SOLVERS[solver].intercepts))
    needs = SOLVERS[solver].loss_needs | SOLVERS[solver].prior_needs
    missing = needs - (LOSSES[loss].provides | PRIORS[prior].provides)
    assert any(f"the solver {solver} needs a {need}" in message for need in missing)
    able = [name for name in SOLVERS if (loss, prior, name) in LEGAL]
    assert message.endswith(f"works with {' or '.join(able)}" if able else "")
    assert able or "no solver takes" in message


def test_a_hinge_in_the_primal_reads_like_this():
    assert refusal("hinge", solver="primal-coordinate") == (
        "the solver primal-coordinate needs a curvature bound, which the loss hinge does not "
        "have; hinge with gaussian works with dual-coordinate or smo or dual-gradient or "
        "smoothed-conjugate-gradient"
    )


@pytest.mark.parametrize("triple", ONE_TRIPLE_OF_EACH_SOLVER, ids="/".join)
def test_intercepts_that_a_solver_cannot_have_are_refused(triple):
    allowed = SOLVERS[triple[2]].intercepts
    for intercept in {"none", "penalised", "free", "fixed"} - allowed:
        message = refusal(*triple, intercept=intercept)
        assert f"the solver {triple[2]} cannot have intercept={intercept!r}" in message
        assert " or ".join(sorted(allowed)) in message


@pytest.mark.parametrize(
    ("kind", "parts"), [("loss", LOSSES), ("prior", PRIORS), ("solver", SOLVERS)]
)
def test_unknown_names_are_refused_with_those_there_are(kind, parts):
    some = next(iter(parts))
    message = refusal(**{kind: some + "x"})
    assert f"there is no {kind} {some + 'x'!r}" in message
    assert f"did you mean {some!r}" in message
    assert all(name in message for name in parts)


@pytest.mark.parametrize("triple", ONE_TRIPLE_OF_EACH_SOLVER, ids="/".join)
def test_unknown_options_are_refused_with_those_there_are(triple):
    intercept = min(SOLVERS[triple[2]].intercepts)
    message = refusal(*triple, intercept=intercept, options={"tol": 1e-3})
    assert f"the solver {triple[2]} has no option 'tol'" in message
    assert "tolerance" in message
    assert "iterations" in message


@EVERY_SOLVER
@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"tolerance": -1e-3}, "tolerance must be at least 0 and under 1, not -0.001"),
        ({"tolerance": 1.0}, "tolerance must be at least 0 and under 1, not 1.0"),
        ({"tolerance": float("nan")}, "tolerance must be at least 0 and under 1, not nan"),
        ({"iterations": 0}, "iterations must be a whole number of at least 1, not 0"),
        ({"iterations": 10.0}, "iterations must be a whole number of at least 1, not 10.0"),
        ({"iterations": "many"}, "iterations must be a whole number of at least 1, not 'many'"),
    ],
    ids=str,
)
def test_options_that_mean_nothing_are_refused(parts, options, rule):
    with pytest.raises(UsageError) as caught:
        method_of(parts, **options)
    assert str(caught.value) == rule


PRIMAL = ("logistic", "gaussian", "primal-coordinate", "penalised")
DUAL = ("hinge", "gaussian", "dual-coordinate", "penalised")
SMO = ("hinge", "gaussian", "smo", "free")
NEWTON = ("logistic", "laplace", "newton-coordinate", "penalised")


@pytest.mark.parametrize(
    ("parts", "options"),
    [
        (PRIMAL, {"trust_region": "tripled"}),
        (PRIMAL, {"bound": "loose"}),
        (PRIMAL, {"constant_visits": 0}),
        (PRIMAL, {"truncation": -1.0}),
        (PRIMAL, {"initial_reach": 0.0}),
        (PRIMAL, {"initial_reach": float("nan")}),
        (PRIMAL, {"reach_slack": -1.0}),
        (PRIMAL, {"movement": -1.0}),
        (PRIMAL, {"continuation": -1}),
        (PRIMAL, {"seed": -1}),
        (PRIMAL, {"tolerance": "small"}),
        (DUAL, {"rate": 0.0}),
        (DUAL, {"rate": -1.0}),
        (DUAL, {"rate": float("nan")}),
        (SMO, {"cache_megabytes": -1}),
        (NEWTON, {"passes": 0}),
        (NEWTON, {"least_set": 0}),
    ],
    ids=str,
)
def test_more_options_that_mean_nothing_are_refused(parts, options):
    with pytest.raises(UsageError):
        method_of(parts, **options)


@pytest.mark.parametrize("solver", SOLVERS)
def test_how_many_iterations_there_may_be(solver):
    # The pairs of SMO are counted in 64 bits, what others count in 32.
    most = 2**63 - 1 if solver == "smo" else 2**32 - 1
    assert SOLVERS[solver].options(iterations=most).iterations == most
    with pytest.raises(UsageError, match="iterations must be"):
        SOLVERS[solver].options(iterations=most + 1)


@pytest.mark.parametrize("constant", [0.0, float("nan"), float("inf")])
def test_a_constant_that_means_nothing_is_refused(constant):
    with pytest.raises(UsageError):
        method_of(PRIMAL, constant=constant)


@pytest.mark.parametrize("loss", LOSSES)
def test_probabilities_come_from_losses_that_give_them(loss):
    parts = next(p for p in LEGAL_PARTS if p[0] == loss)
    assert method_of(parts).gives_probabilities == ("probability" in LOSSES[loss].provides)


def test_the_registries_name_their_parts():
    for registry in (LOSSES, PRIORS, SOLVERS):
        assert registry
        for name, part in registry.items():
            assert part.name == name
            assert part.title


@given(POSITIVE, st.floats(1, 1e6))
def test_three_ways_to_say_one_thing(value, documents):
    lam = lambda_of(Regularization(lam=value), documents)
    assert lam == value
    by_c = lambda_of(Regularization(C=value), documents)
    assert by_c == pytest.approx(1 / (2 * value * documents))
    assert lambda_of(Regularization(prior_variance=value), documents) == by_c
    back = lambda_of(Regularization(C=1 / (2 * value * documents)), documents)
    assert back == pytest.approx(value)


def test_nothing_said_is_c_of_one():
    assert lambda_of(Regularization(), 40) == lambda_of(Regularization(C=1.0), 40)
    assert Regularization().given() == {}


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ({"lam": 1.0, "C": 1.0}, "lam and C"),
        ({"C": 1.0, "prior_variance": 2.0}, "C and prior_variance"),
        ({"lam": 1.0, "C": 1.0, "prior_variance": 1.0}, "lam and C and prior_variance"),
    ],
)
def test_two_ways_at_once_are_refused(said, names):
    with pytest.raises(UsageError) as caught:
        Regularization(**said)
    assert str(caught.value).startswith(f"{names} set the same strength in different ways")


@pytest.mark.parametrize("name", ["lam", "C", "prior_variance"])
@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_strengths_that_mean_nothing_are_refused(name, value):
    with pytest.raises(UsageError) as caught:
        Regularization(**{name: value})
    also = ", or 'norm'" if name == "prior_variance" else ""
    assert str(caught.value) == f"{name} must be a finite number above 0{also}, not {value!r}"


@pytest.mark.parametrize("name", ["lam", "C"])
def test_only_a_variance_has_a_rule(name):
    with pytest.raises(UsageError, match=f"{name} must be a finite number above 0, not 'norm'"):
        Regularization(**{name: "norm"})
    assert Regularization(prior_variance="norm").is_norm_based
    with pytest.raises(UsageError, match="a finite number above 0, or 'norm', not 'cross'"):
        Regularization(prior_variance="cross")


@pytest.mark.parametrize("prior", [p.name for p in PRIORS.values() if "step" in p.provides])
def test_a_mix_is_of_the_elastic_net(prior):
    if PRIORS[prior].mix is None:
        for mix in (0.0, 0.3, 1.0):
            assert Method("logistic", prior, "newton-coordinate", mix=mix).share == mix
        for mix in (-0.1, 1.1, float("nan")):
            with pytest.raises(UsageError, match=r"mix must be from 0 .ridge. to 1 .lasso., not"):
                Method("logistic", prior, "newton-coordinate", mix=mix)
    else:
        message = refusal("logistic", prior, "newton-coordinate", mix=0.5)
        assert message == f"mix is an option of the prior elastic-net, and this is {prior}"
