"""`postil evaluate` and its files; `postil compare` with models and without labels."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from postil.categorizer import TextCategorizer
from postil.corpus.document import Document
from postil.corpus.opening import open_corpus
from postil.evaluate import Options, Plan, precision_recall_curve, roc_curve
from postil.evaluate.curves import cuts_of_categories
from postil.model.load import load_model
from postil.model.save import save_model
from postil.recipes.recipe import load_recipe
from postil.train.assess import assessment
from postil.train.train import train

from .helpers import save_model as save_demo_model


@pytest.fixture(scope="module")
def trained():
    return train(open_corpus("demo"), load_recipe("default"))


@pytest.fixture
def model(trained, tmp_path):
    save_model(trained, tmp_path / "m.postil")
    return "m.postil"


@pytest.fixture(scope="module")
def measured(trained):
    options = Options(plan=Plan(50, 3), betas=(0.5, 2.0))
    return assessment(trained, open_corpus("demo"), options=options)


def test_intervals_and_f_beta(postil, model, measured):
    arguments = ("--bootstrap", "50", "--seed", "3", "--beta", "0.5", "--beta", "2")
    told = json.loads(postil("evaluate", model, "demo", "--json", *arguments).out)
    expected = measured.report.to_dict()
    assert told["intervals"] == expected["intervals"]
    assert told["micro"]["f0.5"] == expected["micro"]["f0.5"]
    assert set(told["intervals"]) >= {"micro_f1", "macro_f2", "exact_match"}
    other = json.loads(
        postil("evaluate", model, "demo", "--json", *arguments[:3], "4", *arguments[4:]).out
    )
    assert other["intervals"] != told["intervals"]
    text = postil("evaluate", model, "demo", *arguments).out
    interval = measured.report.intervals["micro_f0.5"]
    shown = f"{100 * interval.value:.1f} [{100 * interval.low:.1f}, {100 * interval.high:.1f}]"
    row = next(line for line in text.splitlines() if line.strip().startswith("F0.5"))
    assert shown in row
    assert "95% bootstrap intervals over documents, 50 resamples, seed 3" in text


def test_suggestions_at_any_number_of_labels(postil, model, measured):
    told = json.loads(postil("evaluate", model, "demo", "--at", "2,12", "--json").out)
    assert [at["k"] for at in told["suggestions"]["at"]] == [2, 12]
    assert told["suggestions"]["at"][1]["recall"] == 1.0
    plain = json.loads(postil("evaluate", model, "demo", "--json").out)["suggestions"]
    assert plain["r_precision"] == measured.report.suggestions.r_precision
    rows = postil("evaluate", model, "demo").out.partition("as suggestions, in %")[2]
    assert f"{100 * plain['at'][2]['propensity_scored_precision']:.1f}" in rows
    for wrong, message in (("1,x", "whole numbers, as in 1,3,5"), ("0", "at least 1")):
        refused = postil("evaluate", model, "demo", "--at", wrong)
        assert refused.code == 2
        assert message in refused.err


def test_without_them_nothing_is_drawn(postil, model):
    assert json.loads(postil("evaluate", model, "demo", "--json").out)["intervals"] == {}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--beta", "-1"), "F-beta needs a finite beta of at least 0"),
        (("--bootstrap", "-1"), "--bootstrap"),
        (("--curves", "c.txt"), "--curves is a file .csv or .json"),
        (("--curves", "no/c.csv"), "make it first"),
        (("--errors", "c.xlsx"), "--errors is a file .csv or .jsonl"),
        (("--plot", "c.pdf"), "--plot is a file .svg or .png"),
        (("--json", "--table", "csv"), "both choose the output"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_reading(
    postil, model, monkeypatch, options, told
):
    monkeypatch.setattr("postil.train.assess.assessment", None)
    result = postil("evaluate", model, "demo", *options)
    assert result.code == 2
    assert told in result.err


class TestCurves:
    def test_as_csv(self, postil, model, measured, tmp_path):
        assert postil("evaluate", model, "demo", "--curves", "c.csv").code == 0
        with (tmp_path / "c.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        averaged = {(row["curve"], row["averaging"]) for row in rows if row["averaging"]}
        assert averaged == {
            ("precision_recall", "pooled"),
            ("precision_recall", "shifted"),
            ("precision_recall", "proportional"),
            ("roc", "pooled"),
            ("coverage", "given"),
        }
        names = list(dict.fromkeys(row["category"] for row in rows if row["category"]))
        assert names == list(measured.report.categories)
        cuts = next(cuts_of_categories(measured.truth, measured.scores))
        curve, roc = precision_recall_curve(cuts), roc_curve(cuts)
        mine = [row for row in rows if row["category"] == names[0]]
        points = [row for row in mine if row["curve"] == "precision_recall"]
        assert [float(row["recall"]) for row in points] == curve.recall.tolist()
        assert [float(row["precision"]) for row in points] == curve.precision.tolist()
        assert all(row["false_positive_rate"] == "" for row in points)
        points = [row for row in mine if row["curve"] == "roc"]
        rates = [float(row["false_positive_rate"]) for row in points]
        assert rates == roc.false_positive_rate.tolist()
        assert [float(row["recall"]) for row in points] == roc.true_positive_rate.tolist()

    def test_as_json(self, postil, model, measured, tmp_path):
        assert postil("evaluate", model, "demo", "--curves", "c.json").code == 0
        curves = json.loads((tmp_path / "c.json").read_text())
        assert len(curves) == 5 + 2 * 12
        pooled = next(c for c in curves if (c["curve"], c["averaging"]) == ("roc", "pooled"))
        assert pooled["area"] == measured.report.ranking.roc.area
        for curve in curves:
            if curve["category"] and curve["curve"] == "precision_recall":
                at = measured.report.categories.index(curve["category"])
                expected = measured.report.ranking.average_precisions[at]
                assert np.isclose(curve["average_precision"], expected)

    def test_a_category_without_members_has_empty_curves(self, postil, model, tmp_path):
        rows = [{"title": "a", "body": "snow on the road", "labels": ["weather"]}] * 3
        (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
        assert postil("evaluate", model, "t.jsonl", "--curves", "c.csv").code == 0
        text = (tmp_path / "c.csv").read_text()
        assert "nan" not in text.casefold().replace("finance", "")


def test_wrong_documents_are_listed_the_most_confident_first(postil, model, measured, tmp_path):
    assert postil("evaluate", model, "demo", "--errors", "e.jsonl").code == 0
    told = [json.loads(line) for line in (tmp_path / "e.jsonl").read_text().splitlines()]
    documents = {document.id: document for document in open_corpus("demo")}
    assert len(told) == round((1 - measured.report.exact_match) * 100)
    for each in told:
        document = documents[each["id"]]
        assert set(each["true"]) == set(document.labels) != set(each["given"])
        assert set(each["missed"]) == set(each["true"]) - set(each["given"])
        assert each["text"].startswith(document.fields["title"])
        assert len(each["text"]) <= 200
        wrong = [
            p
            for name, p in zip(each["given"], each["given_probabilities"], strict=True)
            if name not in each["true"]
        ]
        missed = [1 - p for p in each["missed_probabilities"]]
        swapped = len(each["true"]) == len(each["given"]) == 1
        surest = max(wrong if swapped else wrong + missed)
        assert each["confidence"] == pytest.approx(surest, abs=1e-6)
    confidence = [each["confidence"] for each in told]
    assert confidence == sorted(confidence, reverse=True)
    assert "wrong documents to e.csv" in postil("evaluate", model, "demo", "--errors", "e.csv").err
    with (tmp_path / "e.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == [each["id"] for each in told]
    assert rows[0]["given"] == ";".join(told[0]["given"])


def test_a_table_for_another_program(postil, tmp_path):
    rows = [{"text": f"word{i % 2}", "labels": [("a_b & c", "50% | x")[i % 2]]} for i in range(20)]
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert postil("train", "c.jsonl", "-o", "c.postil").code == 0
    shown = {
        form: postil("evaluate", "c.postil", "c.jsonl", "--table", form).out
        for form in ("csv", "markdown", "latex")
    }
    table = list(csv.DictReader(shown["csv"].splitlines()))
    assert {row["category"]: row["members"] for row in table} == {"a_b & c": "10", "50% | x": "10"}
    assert shown["markdown"].startswith("- accuracy 100.0 % 95% interval")
    assert "| a\\_b \\& c | 100.0 | 100.0 | 100.0 | 10 |" in shown["markdown"]
    assert "| 50% \\| x | 100.0" in shown["markdown"]
    assert r"a\_b \& c & 100.0 & 100.0 & 100.0 & 10 \\" in shown["latex"]
    assert r"50\% \textbar{} x & " in shown["latex"]


def test_coverage_is_drawn(postil, model, tmp_path):
    pytest.importorskip("matplotlib")
    assert postil("evaluate", model, "demo", "--plot", "c.svg").code == 0
    drawn = (tmp_path / "c.svg").read_text()
    assert re.search(r"90%: \d+\.\d% of documents", drawn)


class TestExpected:
    @pytest.fixture
    def promising(self, trained, measured, tmp_path):
        near = round(100 * measured.report.micro["f1"]) - 0.5
        expect = [
            {"corpus": "demo", "measure": "micro-f1", "value": near, "tolerance": 1.0},
            {"corpus": "demo", "measure": "micro-break-even", "value": 80.0, "tolerance": 1.0},
            {"corpus": "other", "measure": "micro-f1", "value": 1.0, "tolerance": 1.0},
        ]
        recipe = {**trained.recipe, "paper": "somebody-1999", "expect": expect}
        save_model(replace(trained, recipe=recipe), tmp_path / "p.postil")
        return "p.postil"

    def test_printed_beside_ours(self, postil, promising, measured):
        ours = 100 * measured.report.micro["f1"]
        text = postil("evaluate", promising, "demo").out
        after = text[text.index("what the recipe expects") :].splitlines()
        assert after[1].split() == [
            *("measure", "somebody-1999", "ours", "difference", "tolerance", "within")
        ]
        near = round(ours) - 0.5
        first = ["micro-f1", f"{near:.1f}", f"{ours:.1f}", f"{ours - near:+.1f}", "1", "yes"]
        assert after[2].split() == first
        assert after[3].split()[0] == "micro-break-even"
        assert after[3].split()[-1] == "no"
        assert len(after) == 4

    def test_in_json(self, postil, promising):
        told = json.loads(postil("evaluate", promising, "demo", "--json").out)["expected"]
        assert [each["measure"] for each in told] == ["micro-f1", "micro-break-even"]
        assert [each["near"] for each in told] == [True, False]
        assert told[0]["difference"] == pytest.approx(told[0]["ours"] - told[0]["printed"])

    def test_not_of_documents_learned_from_nor_of_another_corpus(self, postil, promising):
        for options in (("demo", "--split", "train"), ("./demo.jsonl",)):
            if options[0] != "demo":
                assert postil("corpus", "convert", "demo", "demo.jsonl").code == 0
            told = json.loads(postil("evaluate", promising, *options, "--json").out)
            assert told["expected"] == []

    def test_a_model_without_expectations(self, postil, model):
        assert json.loads(postil("evaluate", model, "demo", "--json").out)["expected"] == []
        assert "expects" not in postil("evaluate", model, "demo").out

    def test_recipes_say_it_beside_the_toml(self, postil):
        result = postil("recipes", "logistic")
        assert "[[expect]]" in result.out
        assert "expected on" not in result.out
        assert result.err == (
            "expected on reuters-modapte: micro-f1 86.4 ± 1.5, micro-break-even 86.9 ± 1.5 "
            "(zhang-oles-2001)\n"
        )
        assert postil("recipes", "default").err == ""


def test_one_of_anything_is_one(postil, tmp_path):
    rows = [{"text": f"word{i % 2}", "labels": ["c0"] if i % 2 else []} for i in range(8)]
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert postil("train", "c.jsonl", "-o", "c.postil").code == 0
    (tmp_path / "t.jsonl").write_text(json.dumps({"text": "word1", "labels": ["c0"]}))
    text = postil("evaluate", "c.postil", "t.jsonl", "--bootstrap", "1", "--full").out
    assert "1 document (0 without category), 1 category (0 without members)" in text
    assert "\n1 membership, " in text
    assert "1 resample, seed 0" in " ".join(text.split())


def test_inspect_tells_no_time_that_was_not_kept(postil, model):
    told = json.loads(postil("inspect", model, "--json").out)
    assert "seconds" not in told["report"]
    assert "seconds" not in postil("inspect", model).out
    assert load_model(model).reports


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    save_demo_model(folder / "a.postil")
    save_demo_model(folder / "b.postil", "mod-svm")
    return folder


@pytest.fixture
def models(postil, folder, tmp_path):
    (tmp_path / "a.postil").symlink_to(folder / "a.postil")
    (tmp_path / "b").symlink_to(folder / "b.postil")  # known by what it holds
    documents = [replace(each, labels=()) for each in open_corpus("demo")]
    rows = [{"id": each.id, **each.fields} for each in documents[:60]]
    (tmp_path / "bare.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return ("a.postil", "b")


def test_models_and_recipes_side_by_side(postil, models):
    told = json.loads(postil("compare", "demo", *models, "default", "--json").out)
    assert [run.get("model", run.get("recipe")) for run in told["runs"]] == [*models, "default"]
    scores = [run["evaluation"]["micro"] for run in told["runs"]]
    assert scores[0] == scores[2] != scores[1]
    assert told["runs"][0]["seconds"] is None
    raw = [each["tests"]["wilcoxon_f1"]["p_value"] for each in told["comparisons"]]
    corrected = [each["corrected"]["p_values"]["wilcoxon_f1"] for each in told["comparisons"]]
    assert corrected[0] == pytest.approx(min(1, 2 * raw[0]))
    shown = postil("compare", "demo", *models, "--table", "markdown").out
    assert "| model | precision |" in shown
    assert "micro sign p (Holm)" in shown
    assert "corrected for 1 comparison" in shown


def test_categories_of_all_models_count_and_accuracy_is_shown(postil, tmp_path):
    def learned(name, *labels):
        rows = [
            Document(f"{label}{i}", {"text": f"{label} here"}, (label,))
            for i in range(8)
            for label in labels
        ]
        TextCategorizer("default").fit_documents(rows).save(tmp_path / name)
        return rows

    rows = learned("two.postil", "oil", "tin")
    learned("three.postil", "oil", "tin", "gas")
    lines = [{"text": each.fields["text"], "labels": each.labels} for each in rows]
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, lines)))
    result = postil("compare", "c.jsonl", "two.postil", "three.postil")
    assert result.out.splitlines()[0].split()[:2] == ["model", "accuracy"]
    assert "16 documents, 3 categories" in result.err
    assert "documents that two.postil learned from" in result.err
    assert "documents that three.postil learned from" not in result.err


def test_without_labels_the_changes_are_shown_and_explained(postil, models, tmp_path):
    result = postil("compare", "bare.jsonl", *models, "--top", "2", "--changes", "c.jsonl")
    changes = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()]
    assert f"a.postil → b: {len(changes)} of 60 documents change" in result.out
    assert f"{changes[1]['id']}: " in result.out
    assert f"{changes[2]['id']}: " not in result.out
    given = []
    for model in models:
        lines = map(json.loads, postil("predict", model, "bare.jsonl").out.splitlines())
        given.append({line["id"]: line["labels"] for line in lines})
    assert [each["id"] for each in changes] == [
        i for i in given[0] if set(given[0][i]) != set(given[1][i])
    ]
    for change in changes:
        assert [change["before"], change["after"]] == [each[change["id"]] for each in given]
        for reason in change["reasons"]:
            gained = reason["change"] == "gained"
            assert (reason["category"] in change["after"]) == gained
            assert (reason["margin_after"] >= 0) == gained
            assert (reason["margin_before"] >= 0) != gained
            assert all((term["difference"] > 0) == gained for term in reason["terms"])
    told = json.loads(postil("compare", "bare.jsonl", *models, "--json", "--top", "1").out)
    assert (told["documents"], told["changed"], len(told["changes"])) == (60, len(changes), 1)
    lost = sum(each["lost"] for each in told["categories"])
    assert lost == sum(r["change"] == "lost" for each in changes for r in each["reasons"])


def test_changes_of_labelled_documents_are_those_of_the_test(postil, models, tmp_path):
    assert postil("compare", "demo", *models, "--changes", "c.jsonl").code == 0
    tested = {each.id: each for each in open_corpus("demo") if each.split == "test"}
    changes = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()]
    assert {each["id"] for each in changes} <= set(tested)
    assert all(each.get("labels", []) == list(tested[each["id"]].labels) for each in changes)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("bare.jsonl", "a.postil", "default"), "no document marked test"),
        (("bare.jsonl", "a.postil", "b", "./b"), "without labels two models are compared"),
        (("demo", "a.postil", "b", "svm", "--changes", "c.jsonl"), "--changes compares two"),
        (("demo", "a.postil", "no.postil"), "no.postil"),
        (("demo", "a.postil", "b", "--json", "--table", "csv"), "both choose the output"),
    ],
)
def test_what_cannot_be_compared(postil, models, arguments, told):
    result = postil("compare", *arguments)
    assert result.code in (1, 2)
    assert told in result.err
    assert "Traceback" not in result.err
