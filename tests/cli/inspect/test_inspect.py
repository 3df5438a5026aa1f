"""`postil inspect`."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from postil.categorizer import TextCategorizer
from postil.cli.inspect_text import show_report
from postil.model.description import summary
from postil.model.load import load_model
from postil.model.save import save_model as write_model

from ..helpers import save_model


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return save_model(tmp_path_factory.mktemp("models") / "demo.postil")


def table(out, title):
    """The rows of the table under a title, as lists of words."""
    lines = out.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(title))
    rows = lines[start + 2 :]
    end = rows.index("") if "" in rows else len(rows)
    return [row.split() for row in rows[:end]]


def test_everything_about_a_model(postil, model):
    result = postil("inspect", model)
    assert result.code == 0
    assert result.err == ""
    loaded = load_model(model)
    assert result.out.startswith(
        f"{model}: 12 categories, {loaded.vectorizer.terms:,} terms, trained on 252 documents"
    )
    for part in (
        "recipe      default: ",
        "analyzer    words lower min(2)",
        "; probabilities by hierarchical",
        "loss modified-squared, solver dual-coordinate",
        "stored dense by category",
        loaded.training.sha256,
        "stopped     certified: 12",
        "duality gap",
    ):
        assert part in result.out
    sizes = {row[0]: int(row[1].replace(",", "")) for row in table(result.out, "Bytes")}
    assert sizes["total"] == Path(model).stat().st_size
    assert sum(sizes.values()) >= 2 * sizes["total"] - 8 * len(sizes)


def test_categories_have_their_numbers_and_terms(postil, model):
    out = postil("inspect", model, "--top", "2").out
    loaded = load_model(model)
    rows = {row[0]: row[1:] for row in table(out, "Categories")}
    assert set(rows) == set(loaded.names)
    for column, name in enumerate(loaded.names):
        members, weights, threshold, iterations, certificate, stopped = rows[name]
        report = loaded.reports[column]
        assert int(members) == loaded.training.members[column]
        assert int(weights.replace(",", "")) == np.count_nonzero(loaded.weights[[column]].toarray())
        assert float(threshold) == pytest.approx(loaded.decision.thresholds[column], abs=1e-4)
        assert int(iterations) == report["iterations"]
        assert float(certificate) == pytest.approx(report["certificate"], rel=0.05)
        assert stopped == report["stopped"]
    for name, *terms in table(out, "Terms that speak"):
        weights = loaded.weights[[loaded.names.index(name)]].toarray()[0]
        order = np.argsort(weights)
        named = loaded.vectorizer.vocabulary.names
        assert terms == [named[order[i]] for i in (-1, -2, 0, 1)]


@pytest.mark.parametrize(
    ("sort", "key"),
    [
        ("size", lambda row: (-int(row[1]), row[0])),
        ("name", lambda row: row[0]),
        ("certificate", lambda row: -float(row[5])),
    ],
)
def test_sorting(postil, model, sort, key):
    rows = table(postil("inspect", model, "--sort", sort).out, "Categories")
    assert rows == sorted(rows, key=key)
    told = json.loads(postil("inspect", model, "--sort", sort, "--json").out)
    assert [facts["name"] for facts in told["categories"]] == [row[0] for row in rows]


def test_the_largest_come_first_if_nothing_is_said(postil, model):
    assert postil("inspect", model).out == postil("inspect", model, "--sort", "size").out


def test_named_categories_in_detail_as_asked(postil, model):
    named = ("--category", "sport", "--category", "council")
    out = postil("inspect", model, *named, "--top", "3").out
    assert "Bytes" not in out
    assert out.index("\nsport\n") < out.index("\ncouncil\n")
    assert out.count("terms for it") == 2
    assert "(fitted)" in out
    assert "kind duality gap" in out
    told = json.loads(postil("inspect", model, *named, "--json").out)
    assert [facts["name"] for facts in told["categories"]] == ["sport", "council"]
    by_name = postil("inspect", model, *named, "--sort", "name", "--json").out
    assert [facts["name"] for facts in json.loads(by_name)["categories"]] == ["council", "sport"]


def test_json_holds_the_reports(postil, model):
    told = json.loads(postil("inspect", model, "--json").out)
    loaded = load_model(model)
    assert told["model"] == model
    assert told["recipe"]["name"] == "default"
    assert told["terms"] == "weight"
    reports = {report["category"]: dict(report) for report in loaded.reports}
    for facts in told["categories"]:
        assert facts["report"] == reports[facts["name"]]
        assert facts["given"] == "by score"
        assert len(facts["up"]) == len(facts["down"]) == 10


def test_where_only_differences_count_terms_are_told_by_them(postil, tmp_path):
    path = save_model(tmp_path / "nb.postil", "naive-bayes-1")
    told = json.loads(postil("inspect", path, "--category", "sport", "--top", "4", "--json").out)
    weights = load_model(path).weights.toarray().astype(float)
    names = load_model(path).vectorizer.vocabulary.names
    over = weights[load_model(path).names.index("sport")] - weights.mean(axis=0)
    assert told["terms"] == "weight over the mean of all categories"
    (facts,) = told["categories"]
    for way, sign in (("up", 1), ("down", -1)):
        expected = np.sort(sign * over)[::-1][:4]
        assert [sign * term["weight"] for term in facts[way]] == pytest.approx(expected, abs=1e-5)
        for term in facts[way]:
            assert over[names.index(term["term"])] == pytest.approx(term["weight"], abs=1e-5)
    shown = postil("inspect", path, "--top", "0").out
    assert "Terms that speak" not in shown
    assert "no probabilities" in shown


def test_categories_that_were_constant_are_noted(postil, tmp_path):
    texts = ["red apple", "green apple", "red pear", "green pear"] * 3
    labels = [["fruit", "apple"], ["fruit", "apple"], ["fruit"], ["fruit"]] * 3
    TextCategorizer().fit(texts, labels).save(tmp_path / "m.postil")
    out = postil("inspect", "m.postil").out
    rows = {row[0]: row[1:] for row in table(out, "Categories")}
    assert rows["fruit"][2] == "always"
    assert rows["fruit"][-1] == "constant"
    assert "note: fruit: every training document has it" in out
    assert "trained on 12 documents\n" in out
    told = json.loads(postil("inspect", "m.postil", "--category", "fruit", "--json").out)
    assert told["categories"][0]["given"] == "always"
    assert told["categories"][0]["threshold"] is None


def test_a_model_without_reports_or_thresholds(postil, tmp_path):
    path = Path(save_model(tmp_path / "shares.postil", rule="proportional"))
    write_model(dataclasses.replace(load_model(path), reports=(), recipe={}), tmp_path / "m.postil")
    result = postil("inspect", "m.postil")
    assert result.code == 0
    assert "the model keeps none" in result.out
    assert "share" in result.out
    rows = table(result.out, "Categories")
    assert all(row[-3:] == ["-", "-", "-"] for row in rows)
    detail = postil("inspect", "m.postil", "--category", "sport", "--sort", "certificate").out
    assert "share" in detail
    assert "the model keeps none" in detail


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--category", "Sport"), "has no category 'Sport'; did you mean 'sport'"),
        (("--category", "qqq"), "lists its 12"),
        (("--sort", "weight"), "--sort"),
        (("--top", "-3"), "--top"),
    ],
)
def test_wrong_usage_exits_with_two(postil, model, arguments, message):
    result = postil("inspect", model, *arguments)
    assert result.code == 2
    assert message in result.err
    assert result.out == ""


@pytest.mark.parametrize("content", [b"", b"not a model at all", None])
def test_what_is_no_model_is_one_line(postil, tmp_path, content):
    if content is not None:
        (tmp_path / "m.postil").write_bytes(content)
    result = postil("inspect", "m.postil")
    assert result.code == 1
    assert result.err.startswith("postil: m.postil: ")
    assert len(result.err.splitlines()) == 1


@pytest.mark.parametrize(
    "told",
    [
        {"method": {"aim": {"taken": 3}}},
        {"method": {"search": {"x": 1}}},
        {"method": {"updates": "abc"}},
        {"reports": [{"certificate": "x"}]},
        {"recipe": {"aim": 5}},
    ],
)
def test_a_record_that_nobody_here_wrote_is_refused_and_harms_nothing(postil, tmp_path, told):
    path = tmp_path / "m.postil"
    save_model(path)
    model = load_model(path)
    reports = tuple(each | told.get("reports", [{}])[0] for each in model.reports)
    made = dataclasses.replace(model, **(told | {"reports": reports}))
    write_model(made, tmp_path / "made.postil")
    shown = postil("inspect", "made.postil")
    assert shown.code in (0, 1)
    assert "Traceback" not in shown.err
    if shown.code:
        assert "made.postil: the record of its training is not as postil writes it" in shown.err
    assert postil("predict", "made.postil", "--text", "rain").code == 0
    assert postil("evaluate", "made.postil", "demo").code == 0


REPORT = {
    "category": "a",
    "iterations": 200,
    "certificate": 1e-3,
    "kind": "duality gap",
    "stopped": "iterations",
}


def shown_report(capsys, reports):
    show_report({"report": summary(reports), "decision": {"notes": []}})
    return capsys.readouterr().out


def test_the_largest_is_shown(capsys):
    reports = [REPORT | {"smoothing": 0.0036}, REPORT | {"smoothing": 0.001}]
    assert summary(reports)["smoothing"] == 0.0036
    assert "the smooth problem's minimum is at most 0.0036 above the SVM's" in shown_report(
        capsys, reports
    )


def test_others_say_nothing_of_it(capsys):
    assert "smoothing" not in summary([REPORT])
    assert "smooth" not in shown_report(capsys, [REPORT])


@pytest.mark.parametrize("value", [None, "much"])
def test_what_is_no_number_is_nothing(value):
    assert "smoothing" not in summary([REPORT | {"smoothing": value}])
