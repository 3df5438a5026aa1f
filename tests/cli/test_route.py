"""Labels that are given only if they are sure, and reports out of fold."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from postil.categorizer import TextCategorizer
from postil.corpus.opening import open_corpus
from postil.errors import UsageError
from postil.model.load import load_model

ASKED = "precision>=0.9"


def lines_of(text):
    return [json.loads(line) for line in text.splitlines()]


def train(postil, name, *options, corpus="demo"):
    result = postil("train", corpus, "-o", name, "--budget", "none", *options)
    assert result.code == 0, result.err
    return result


@pytest.fixture
def routed(postil):
    train(postil, "routed.postil", "--route", ASKED)
    return "routed.postil"


class TestRoute:
    def test_training_says_what_it_gives_and_the_model_keeps_it(self, postil):
        told = train(postil, "r.postil", "--route", ASKED)
        sentence = next(line for line in told.err.splitlines() if "gives a label" in line)
        assert "(at least 90 % with 95 % confidence)" in sentence
        assert sentence.endswith("out of fold; the others are referred")
        kept = load_model(Path("r.postil")).method["route"]
        assert kept["precision"] > kept["floor"] == 0.9
        assert f"{100 * kept['precision']:.1f} %" in sentence
        shown = " ".join(postil("inspect", "r.postil").out.split())
        assert sentence in shown
        assert "- Route: gives a label" in postil("inspect", "r.postil", "--card").out
        again = train(postil, "r.postil", "--route", ASKED, "--json")
        assert json.loads(again.out)["route"] == kept

    def test_an_explanation_says_who_is_referred(self, postil, routed):
        predicted = lines_of(postil("predict", routed, "demo", "--split", "test").out)
        for refer in (True, False):
            name = next(line["id"] for line in predicted if line.get("refer", False) == refer)
            shown = postil("explain", routed, "demo", "--id", name)
            assert ("referred: no label is sure enough" in shown.out) == refer
            told = json.loads(postil("explain", routed, "demo", "--id", name, "--json").out)
            assert told["documents"][0].get("refer", False) == refer

    def test_one_that_cannot_be_kept_refers_all_and_names_one_that_can(self, postil):
        told = train(postil, "never.postil", "--route", "precision>=0.995", "--no-test").err
        assert "at no probability does a precision of 99.5 % hold with 95 % confidence" in told
        predicted = postil("predict", "never.postil", "demo", "--split", "test")
        assert all(line["refer"] for line in lines_of(predicted.out))
        assert "referred 100 of 100 documents, because no probability keeps" in predicted.err
        highest = load_model(Path("never.postil")).method["route"]["highest"]
        assert f'--route "precision>={highest:g}" would hold' in told
        able = train(postil, "able.postil", "--route", f"precision>={highest}", "--no-test").err
        assert "gives a label from probability" in able
        assert postil("evaluate", "never.postil", "demo", "--json").code == 0

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            (("--route", "recall>=0.9"), "a route is a precision"),
            (("--route", "precise"), "--route 'precise': "),
            (("--route", ASKED, "-r", "missing.toml"), "does not exist"),
        ],
    )
    def test_what_cannot_be_is_refused(self, postil, options, said):
        result = postil("train", "demo", "-o", "x.postil", *options)
        assert result.code == 2
        assert said in result.err

    @pytest.mark.parametrize("recipe", ["svm", "lasso-logistic"])
    def test_recipes_without_fitted_probabilities_can_have_one(self, postil, recipe):
        told = train(postil, "x.postil", "-r", recipe, "--route", "precision>=0.5", "--no-test")
        assert "with 95 % confidence" in told.err


class TestRefer:
    def test_predict_marks_or_sorts_out_what_evaluate_counts(self, postil, routed):
        marked = postil("predict", routed, "demo", "--split", "test")
        lines = lines_of(marked.out)
        referred = [line for line in lines if line.get("refer")]
        least = load_model(Path(routed)).method["route"]["min_probability"]
        for line in lines:
            assert line.get("refer", False) == (not line["labels"])
            assert all(each >= least for each in line["probabilities"].values())
            assert all(each < least for each in line.get("withheld", {}).values())
        assert f"referred {len(referred)} of 100 documents, without a label" in marked.err
        sorted_out = postil(
            "predict", routed, "demo", "--split", "test", "--refer", "unsure.jsonl", "-o", "s.jsonl"
        )
        assert "written to unsure.jsonl" in sorted_out.err
        assert lines_of(Path("unsure.jsonl").read_text()) == referred
        assert lines_of(Path("s.jsonl").read_text()) == [x for x in lines if x not in referred]
        measured = postil("evaluate", routed, "demo")
        found = json.loads(postil("evaluate", routed, "demo", "--json").out)["coverage"]["route"]
        assert found["coverage"] == pytest.approx(1 - len(referred) / 100)
        labels = {document.id: set(document.labels) for document in open_corpus("demo")}
        given = [label in labels[line["id"]] for line in lines for label in line["labels"]]
        assert found["labels_given"] == len(given)
        assert found["precision"]["value"] == pytest.approx(sum(given) / len(given))
        assert "routed" in measured.out.splitlines()[2]

    def test_min_probability_overrules_the_route(self, postil, routed):
        off = postil("predict", routed, "demo", "--min-probability", "0")
        assert "refer" not in off.out + off.err
        assert "withheld" not in off.out
        train(postil, "plain.postil")
        plain = postil("predict", "plain.postil", "demo")
        assert plain.out == off.out
        high = ("demo", "--min-probability", "0.99")
        assert postil("predict", "plain.postil", *high).out == postil("predict", routed, *high).out
        shown = postil("evaluate", "plain.postil", *high).out
        assert "from probability 0.99 on" in shown.splitlines()[2]

    def test_vectors(self, postil):
        rows = [f"{'+1' if i % 2 else '-1'} {1 + i % 2}:1 {3 + i % 5}:1" for i in range(60)]
        Path("v.svm").write_text("\n".join(rows) + "\n")
        train(postil, "v.postil", corpus="v.svm")
        low, high = ("--min-probability", "0.5"), ("--min-probability", "1")
        given = lines_of(postil("predict", "v.postil", "v.svm", *low, "--refer", "no.jsonl").out)
        assert [line["id"] for line in given] == [str(i) for i in range(2, 61, 2)]
        unsure = lines_of(Path("no.jsonl").read_text())
        assert [line["id"] for line in unsure] == [str(i) for i in range(1, 60, 2)]
        none = postil("predict", "v.postil", "v.svm", *high, "--refer", "no.jsonl")
        assert none.out == ""
        assert len(lines_of(Path("no.jsonl").read_text())) == 60

    def test_what_cannot_be_is_refused_and_writes_nothing(self, postil, routed):
        train(postil, "bare.postil", "-r", "svm", "--no-test")
        for arguments, said in {
            ("bare.postil", "demo", "--min-probability", "0.5"): "the model has none",
            ("bare.postil", "demo", "--refer", "r.jsonl"): "--refer needs a minimum probability",
            (routed, "demo", "--refer", "o.jsonl", "-o", "o.jsonl"): "o.jsonl",
            (routed, "demo", "--min-probability", "1.5"): "--min-probability",
        }.items():
            result = postil("predict", *arguments)
            assert result.code == 2, arguments
            assert said in result.err
        assert postil("evaluate", "bare.postil", "demo", "--min-probability", "0.5").code == 2
        assert not Path("r.jsonl").exists()
        assert not Path("o.jsonl").exists()


def test_the_categorizer_says_which_texts_to_refer():
    texts = [f"{'rain' if i % 3 else 'goal'} n{i} m{i}" for i in range(120)]
    labels = ["weather" if i % 3 else "sport" for i in range(120)]
    model = TextCategorizer("default", route="precision>=0.9").fit(texts, labels)
    assert model.referred(["rain", "goal", "unheard of"]).tolist() == [False, False, True]
    with pytest.raises(UsageError, match="route="):
        model.referred(["rain"], min_probability=0)


class TestOutOfFold:
    def write(self, count=60):
        """Labels by chance, and words that occur once: nothing can be learned, but all by heart."""
        rng = random.Random(3)
        rows = [
            {"id": str(i), "text": f"a{i} b{i} c{i} d{i}", "labels": [rng.choice("xy")]}
            for i in range(count)
        ]
        Path("chance.jsonl").write_text("\n".join(map(json.dumps, rows)))

    @pytest.mark.parametrize("options", [(), ("--rule", "f1", "--many-labels")])
    def test_no_document_is_measured_by_what_learned_from_it(self, postil, options):
        self.write()
        result = train(postil, "c.postil", *options, corpus="chance.jsonl")
        first = result.out.splitlines()[0]
        assert first.startswith("out of fold on 60 training documents: each is decided by one of 5")
        told = train(postil, "c.postil", "--json", *options, corpus="chance.jsonl")
        report = json.loads(told.out)["evaluation"]
        assert report["measured"]["folds"] == 5
        assert report["exact_match"] < 0.65
        remembered = json.loads(postil("evaluate", "c.postil", "chance.jsonl", "--json").out)
        assert remembered["exact_match"] > report["exact_match"]
        assert "folds" not in json.loads(postil("inspect", "c.postil", "--json").out)

    def test_test_documents_come_first_and_no_test_means_none(self, postil):
        assert "out of fold" not in train(postil, "d.postil").out
        self.write()
        none = train(postil, "c.postil", "--no-test", corpus="chance.jsonl")
        assert none.out == ""

    def test_a_recipe_that_tunes_nothing_says_how_to_measure(self, postil):
        self.write()
        result = train(postil, "c.postil", "-r", "svm", corpus="chance.jsonl")
        assert result.out == ""
        assert "tunes nothing out of fold, so nothing was measured" in result.err
        assert "--calibration auto" in result.err
        measured = train(
            postil, "c.postil", "-r", "svm", "--calibration", "auto", corpus="chance.jsonl"
        )
        assert "out of fold on 60" in measured.out
