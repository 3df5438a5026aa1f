"""`postil inspect` with intervals of weights, and the doors of moderated probabilities."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import norm

from postil.categorizer import TextCategorizer
from postil.corpus.opening import open_corpus
from postil.errors import UsageError
from postil.model.load import load_model
from postil.recipes.recipe import Recipe

LEARN = {
    "loss": "logistic",
    "prior": "laplace",
    "solver": "newton-coordinate",
    "prior_variance": 20.0,
    "posterior": True,
}


def trained(path, learn=LEARN, **decide):
    recipe = Recipe.from_dict({"name": "sure", "learn": learn, "decide": decide}, "a test")
    TextCategorizer(recipe).fit_documents(open_corpus("demo"), corpus="demo").save(path)
    return str(path)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("models") / "sure.postil")


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    learn = {name: value for name, value in LEARN.items() if name != "posterior"}
    return trained(tmp_path_factory.mktemp("models") / "plain.postil", learn)


def told(postil, *arguments):
    return json.loads(postil("inspect", *arguments, "--json").out)


@pytest.mark.parametrize("level", [None, 0.5, 0.99])
def test_intervals_are_the_weight_and_its_deviations(postil, model, level):
    options = [] if level is None else ["--interval", str(level)]
    found = told(postil, model, "--category", "sport", *options)
    level = level or 0.95
    assert found["interval"] == level
    (facts,) = found["categories"]
    assert facts["up"]
    z = norm.ppf((1 + level) / 2)
    for term in facts["up"] + facts["down"]:
        reach = z * term["deviation"]
        assert term["interval"] == pytest.approx([term["weight"] - reach, term["weight"] + reach])
        assert term["holds_zero"] == (abs(term["weight"]) <= reach)
    reach = z * facts["intercept_deviation"]
    middle = facts["intercept"]
    assert facts["intercept_interval"] == pytest.approx([middle - reach, middle + reach])


def test_a_person_sees_them_and_which_hold_zero(postil, model):
    shown = postil("inspect", model, "--category", "sport", "--top", "200")
    assert shown.code == 0
    assert "0.95 interval" in shown.out
    (facts,) = told(postil, model, "--category", "sport", "--top", "200")["categories"]
    lines = {line.split()[0]: line for line in shown.out.splitlines() if " to " in line}
    marks = set()
    for term in facts["up"] + facts["down"]:
        low, high = term["interval"]
        line = lines[term["term"]]
        assert f"{low:+.4f} to {high:+.4f}" in line
        assert line.endswith("?") == term["holds_zero"]
        marks.add(term["holds_zero"])
    assert marks == {True, False}
    assert "?: the interval holds 0" in shown.out
    assert "probabilities by moderated" in shown.out


def test_a_narrow_interval_holds_zero_less_often(postil, model):
    def doubtful(level):
        found = told(postil, model, "--interval", str(level), "--top", "1000")["categories"]
        return sum(t["holds_zero"] for facts in found for t in facts["up"] + facts["down"])

    assert doubtful(0.5) < doubtful(0.99)


def test_weights_over_the_mean_have_intervals_too(postil, tmp_path):
    path = trained(tmp_path / "best.postil", rule="best")
    loaded = load_model(path)
    (facts,) = told(postil, path, "--category", "sport", "--top", "5")["categories"]
    column = loaded.names.index("sport")
    variances = loaded.variances.toarray().astype(float)
    k = loaded.categories
    others = np.delete(variances, column, axis=0).sum(axis=0) / k**2
    expected = np.sqrt(variances[column] * (1 - 1 / k) ** 2 + others)
    names = loaded.vectorizer.vocabulary.names
    for term in facts["up"]:
        assert term["deviation"] == pytest.approx(expected[names.index(term["term"])])


def test_a_model_without_variances_shows_none(postil, plain):
    found = told(postil, plain, "--category", "sport")
    assert "interval" not in found
    assert set(found["categories"][0]["up"][0]) == {"term", "weight"}
    assert "interval" not in postil("inspect", plain, "--category", "sport").out


def test_bad_input_gets_a_sentence(postil, model, plain):
    refused = postil("inspect", plain, "--category", "sport", "--interval", "0.9")
    assert refused.code == 2
    assert "keeps no variances of its weights" in refused.err
    assert "posterior = true" in refused.err
    for level in ("0", "1", "95", "-1"):
        refused = postil("inspect", model, "--interval", level)
        assert refused.code == 2
        assert "a level between 0 and 1" in refused.err


def test_decisions_are_those_of_plain_scores_and_probabilities_are_nearer_to_a_half(
    postil, model, plain
):
    lines = [
        [json.loads(line) for line in postil("predict", path, "demo").out.splitlines()]
        for path in (model, plain)
    ]
    drawn = 0
    for sure, usual in zip(*lines, strict=True):
        assert sure["labels"] == usual["labels"]
        for name, probability in sure["probabilities"].items():
            assert 0.5 <= probability <= usual["probabilities"][name]
            drawn += probability < usual["probabilities"][name]
    assert drawn


def test_predicting_evaluating_and_explaining_say_the_same(postil, model):
    told_why = postil("explain", model, "demo", "--id", "gz-101", "--json").out
    (document,) = json.loads(told_why)["documents"]
    lines = map(json.loads, postil("predict", model, "demo").out.splitlines())
    predicted = next(line for line in lines if line["id"] == "gz-101")["probabilities"]
    explained = {each["category"]: each["probability"] for each in document["explanations"]}
    assert predicted
    for name, probability in predicted.items():
        assert explained[name] == pytest.approx(probability, abs=1e-6)
    tested = list(open_corpus("demo").only("test"))
    categorizer = TextCategorizer.load(model)
    names = ("title", "body")
    texts = {name: [document.fields.get(name, "") for document in tested] for name in names}
    found = categorizer.predict_proba(texts)
    inside = np.array([[name in d.labels for name in categorizer.categories] for d in tested])
    loss = -np.log(np.where(inside, found, 1 - found)).mean()
    report = json.loads(postil("evaluate", model, "demo", "--json").out)
    assert report["calibration"]["pooled"]["log_loss"] == pytest.approx(loss, rel=1e-6)


def test_vectors_are_moderated_too(postil, tmp_path):
    (tmp_path / "sure.toml").write_text(
        'name = "sure"\n[learn]\nloss = "logistic"\nprior = "laplace"\n'
        'solver = "newton-coordinate"\nprior_variance = 20.0\nposterior = true\n'
    )
    rows = ["1 1:1 2:0.5", "1 1:2", "-1 3:1", "-1 2:0.5 3:2", "1 1:1 3:0.5", "-1 2:1"] * 4
    (tmp_path / "some.svm").write_text("\n".join(rows) + "\n")
    assert postil("train", "some.svm", "--recipe", "sure.toml", "-o", "v.postil").code == 0
    loaded = load_model("v.postil")
    first = json.loads(
        postil("predict", "v.postil", "some.svm", "--top", "1", "--scores").out.split("\n")[0]
    )
    x = np.zeros(loaded.weights.shape[1])
    x[:2] = 1.0, 0.5
    score = loaded.weights.toarray()[0] @ x + loaded.intercepts[0]
    variance = loaded.variances.toarray()[0] @ x**2 + loaded.intercept_variances[0]
    assert first["top"]["1"] == pytest.approx(score, abs=1e-5)
    expected = 1 / (1 + np.exp(-score / np.sqrt(1 + np.pi * variance / 8)))
    assert first["probabilities"]["1"] == pytest.approx(expected, abs=1e-5)
    assert postil("evaluate", "v.postil", "some.svm").code == 0


def test_who_is_moderated_unasked():
    def kind(learn, **decide):
        recipe = Recipe.from_dict({"name": "x", "learn": learn, "decide": decide}, "a test")
        return TextCategorizer(recipe).fit_documents(open_corpus("demo")).model.calibration.kind

    ridge = LEARN | {"prior": "gaussian"}
    assert kind(LEARN) == "moderated"
    assert kind(LEARN, calibration="logistic") == "logistic"
    assert kind(ridge) == "logistic"
    assert kind(ridge, calibration="moderated") == "moderated"


def test_moderated_probabilities_need_a_posterior():
    for learn in ({}, {"loss": "logistic"}, {"learner": "naive-bayes"}):
        with pytest.raises(UsageError, match='"moderated" needs the variances of weights'):
            Recipe.from_dict({"name": "x", "learn": learn, "decide": {"calibration": "moderated"}})


def test_a_loss_without_likelihood_has_no_posterior():
    with pytest.raises(
        UsageError, match="posterior: there are no variances for the loss modified-squared"
    ):
        Recipe.from_dict({"name": "x", "learn": {"posterior": True}})


def test_what_has_no_variance_has_no_interval(postil, tmp_path):
    path = trained(tmp_path / "bare.postil", LEARN | {"intercept": "none"})
    found = told(postil, path, "--category", "sport")
    assert found["categories"][0]["intercept_deviation"] == 0
    assert found["categories"][0]["intercept_interval"] is None
    (line,) = [
        line
        for line in postil("inspect", path, "--category", "sport").out.splitlines()
        if line.startswith("  intercept")
    ]
    assert line.split() == ["intercept", "0"]


def test_a_weight_kept_at_its_mode_has_no_interval(postil, tmp_path):
    recipe = tmp_path / "sure.toml"
    settings = "\n".join(f"{name} = {json.dumps(value)}" for name, value in LEARN.items())
    recipe.write_text(f'name = "sure"\n[learn]\n{settings}\n')
    (tmp_path / "p.txt").write_text("harbour 3 0\n")
    options = ("-r", "sure.toml", "--priors", "p.txt", "--no-test")
    assert postil("train", "demo", "-o", "kept.postil", *options).code == 0
    shown = told(postil, "kept.postil", "--category", "sport", "--top", "1000")["categories"][0]
    kept = next(term for term in shown["up"] if term["term"] == "harbour")
    assert (kept["weight"], kept["deviation"]) == (3.0, 0.0)
    assert (kept["interval"], kept["holds_zero"]) == (None, False)
    shown = postil("inspect", "kept.postil", "--category", "sport", "--top", "1000").out
    lines = shown.splitlines()
    (line,) = [line for line in lines if line.startswith("  harbour ")]
    assert line.split() == ["harbour", "+3.0000", "-"]
    assert "-: nothing was learned about the weight" in shown


@pytest.mark.parametrize(
    ("rule", "origin"),
    [
        ("default", "default"),
        ("default(0.5)", "default"),
        ("best", "default"),
        ("training-error", "fitted"),
        ("f1", "fitted"),
        ("proportional", "fitted"),
    ],
)
def test_a_threshold_says_where_it_comes_from(postil, tmp_path, rule, origin):
    learn = {"loss": "logistic", "solver": "dual-coordinate"}
    path = trained(tmp_path / "rule.postil", learn, rule=rule, folds=2)
    assert told(postil, path, "--category", "sport")["categories"][0]["origin"] == origin
    assert f"({origin})\n" in postil("inspect", path, "--category", "sport").out
