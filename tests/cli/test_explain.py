"""`postil explain`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from postil.categorizer import TextCategorizer
from postil.corpus.opening import open_corpus

from .helpers import save_model, shown_on

COMMAND = [sys.executable, "-c", "from postil.cli.main import run; run()", "explain"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return save_model(tmp_path_factory.mktemp("models") / "demo.postil")


@pytest.fixture(scope="module")
def fields_apart(tmp_path_factory):
    return save_model(tmp_path_factory.mktemp("models") / "svm.postil", "svm", "default")


def predicted(path, document):
    (names,) = TextCategorizer.load(path).predict(["\n".join(document.fields.values())])
    return list(names)


def test_the_first_document_with_the_given_and_the_nearest_category(postil, model):
    result = postil("explain", model, "demo")
    first = next(iter(open_corpus("demo")))
    given = predicted(model, first)
    assert result.code == 0
    lines = result.out.splitlines()
    labels = ", ".join(first.labels)
    assert lines[0] == f"{first.id}: given {', '.join(given)}; labelled {labels}"
    verdicts = [line for line in lines if " (margin " in line and "threshold" in line]
    assert [line.split(":")[0] for line in verdicts[: len(given)]] == given
    assert [": yes (" in line for line in verdicts] == [True] * len(given) + [False]
    assert all("probability" in line for line in verdicts)
    for part in ("Pushed up", "Pushed down", "What would flip it", "intercept"):
        assert result.out.count(part) == len(verdicts)
    assert "\x1b" not in result.out


def test_json_adds_up(postil, model):
    result = postil("explain", model, "demo", "--id", "gz-110", "--json")
    told = json.loads(result.out)
    (document,) = told["documents"]
    assert told["model"] == model
    assert document["id"] == "gz-110"
    texts = {part["field"]: part["text"] for part in document["fields"]}
    categorizer = TextCategorizer.load(model)
    whole = ["\n".join(texts.values())]
    scores = dict(zip(categorizer.categories, categorizer.decision_function(whole)[0], strict=True))
    chances = dict(zip(categorizer.categories, categorizer.predict_proba(whole)[0], strict=True))
    assert document["given"] == list(categorizer.predict(whole)[0])
    for each in document["explanations"]:
        added = sum(term["added"] for term in each["terms"])
        assert each["margin"] == pytest.approx(each["intercept"] + each["constant"] + added)
        assert each["margin"] == pytest.approx(scores[each["category"]], abs=1e-5)
        assert each["probability"] == pytest.approx(chances[each["category"]])
        assert each["decision"] == (each["category"] in document["given"])
        assert each["rather_than"] is None
        for term in each["terms"]:
            for field, start, end in term["places"]:
                assert texts[field][start:end].lower() == term["term"]


def test_documents_and_categories_come_in_the_order_asked_for(postil, model):
    ids = ("--id", "gz-120", "--id", "gz-103", "--id", "gz-120")
    wanted = ("--category", "sport", "--category", "council", "--category", "sport")
    told = json.loads(postil("explain", model, "demo", *ids, *wanted, "--json").out)
    assert [document["id"] for document in told["documents"]] == ["gz-120", "gz-103"]
    for document in told["documents"]:
        assert [each["category"] for each in document["explanations"]] == ["sport", "council"]


def test_top_bounds_the_terms_each_way(postil, model):
    ask = ("explain", model, "demo", "--category", "weather")
    shown = postil(*ask, "--top", "2").out
    assert shown.count("█") > 0
    assert shown.count("more terms") == 2
    (document,) = json.loads(postil(*ask, "--top", "2", "--json").out)["documents"]
    added = [term["added"] for term in document["explanations"][0]["terms"]]
    assert [value > 0 for value in added].count(True) == 2
    assert len(added) == 4
    assert [abs(value) for value in added] == sorted(map(abs, added), reverse=True)


@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [(("--text", "The committee met"), b""), (("--text", "-"), b"The committee met")],
)
def test_a_text_from_the_command_line_or_a_pipe(postil, model, arguments, stdin):
    ask = ("explain", model, *arguments, "--category", "council", "--json")
    (document,) = json.loads(postil(*ask, stdin=stdin).out)["documents"]
    assert document["labels"] is None
    assert document["fields"] == [{"field": "", "text": "The committee met"}]
    terms = {term["term"] for term in document["explanations"][0]["terms"]}
    assert terms == {"the", "committee", "met"}


def test_a_text_without_words_and_one_that_is_no_utf8(postil, model):
    empty = postil("explain", model, "--text", "", "--category", "sport")
    assert empty.code == 0
    assert empty.out.startswith("the text: given no category\n\nsport: no (margin")
    assert postil("explain", model, "--text", "-", stdin=b"\xff committee").code == 0


def test_fields_that_are_kept_apart_are_named(postil, fields_apart):
    refused = postil("explain", fields_apart, "--text", "rain and snow")
    assert refused.code == 2
    assert "--text title=… --text body=…" in refused.err
    texts = ("--text", "title=Rain", "--text", "body=snow = rain")
    (document,) = json.loads(postil("explain", fields_apart, *texts, "--json").out)["documents"]
    assert document["fields"] == [
        {"field": "title", "text": "Rain"},
        {"field": "body", "text": "snow = rain"},
    ]
    twice = postil("explain", fields_apart, "--text", "title=a", "--text", "title=b")
    assert "given twice for the field title" in twice.err


def test_a_corpus_from_a_pipe(postil, model):
    stream = b'{"id": "a", "text": "rain"}\n{"id": "b", "text": "snow fell"}\n'
    result = postil("explain", model, "-", "--id", "b", "--json", stdin=stream)
    assert json.loads(result.out)["documents"][0]["id"] == "b"


def test_a_page_with_all_categories_and_the_words_in_place(postil, model, tmp_path):
    wanted = ("--id", "gz-101", "--category", "sport", "--category", "weather")
    result = postil("explain", model, "demo", *wanted, "--html", "why.html")
    assert result.code == 0
    assert result.out == ""
    assert result.err.splitlines()[-1] == "wrote why.html"
    page = (tmp_path / "why.html").read_text(encoding="utf-8")
    assert page.count("<section") == 2
    assert 'id="tab1"' in page
    assert "<mark" in page
    assert "gz-101: given" in page
    piped = postil("explain", model, "demo", *wanted, "--html", "-")
    assert piped.out == page


def test_a_page_on_several_documents_has_an_index(postil, model, tmp_path, monkeypatch):
    monkeypatch.setattr("postil.cli.explain.MOST_ON_PAGE", 3)
    stream = "".join(
        json.dumps({"id": f"<i>{n}", "text": "snow", "labels": ["weather"] * (n % 2)}) + "\n"
        for n in range(5)
    )
    (tmp_path / "c.jsonl").write_text(stream + "{oops\n")
    result = postil("explain", model, "c.jsonl", "-o", "why.html")
    assert result.code == 0
    assert "These are the first 3 documents of c.jsonl. Name others with --id." in result.err
    page = (tmp_path / "why.html").read_text(encoding="utf-8")
    assert page.count("<section id=") == 3
    for number in (1, 2, 3):
        assert (
            page.count(f'href="#document-{number}"') == page.count(f'id="document-{number}"') == 1
        )
    assert "<i>" not in page
    assert page.count('class="differs"') == 1
    named = postil("explain", model, "demo", "--id", "gz-120", "--id", "gz-103", "-o", "-")
    assert named.out.index('"#document-1"><bdi>gz-120') < named.out.index(
        '"#document-2"><bdi>gz-103'
    )


def test_what_the_text_holds_cannot_reach_the_terminal_or_the_page(postil, model):
    text = "\x1b[31m<script>alert(1)</script> snow"
    assert "\x1b" not in postil("explain", model, "--text", text).out
    assert "<script>" not in postil("explain", model, "--text", text, "--html", "-").out


def test_page_and_json_together(postil, model, tmp_path):
    result = postil("explain", model, "demo", "--html", "why.html", "--json", "--top", "1")
    assert json.loads(result.out)["documents"][0]["id"] == "gz-101"
    assert (tmp_path / "why.html").exists()


def test_the_best_category_is_told_from_its_rival(postil, tmp_path):
    path = save_model(tmp_path / "nb.postil", "naive-bayes-1")
    shown = postil("explain", path, "demo").out
    assert " rather than " in shown
    assert "the model gives a document its best category" in shown
    (document,) = json.loads(postil("explain", path, "demo", "--json").out)["documents"]
    (best,) = document["explanations"]
    assert document["given"] == [best["category"]]
    other = ("--category", best["rather_than"])
    (document,) = json.loads(postil("explain", path, "demo", *other, "--json").out)["documents"]
    (second,) = document["explanations"]
    assert second["rather_than"] == best["category"]
    assert best["margin"] == pytest.approx(-second["margin"])


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("demo", "--category", "sprot"), 2, "has no category 'sprot'; did you mean 'sport'?"),
        (("demo", "--category", "zzz"), 2, "postil inspect"),
        (("demo", "--id", "gz-9999"), 1, "demo has no document with the id 'gz-9999'"),
        (("demo", "--id", "gz-101", "--split", "train"), 1, "no document with the id 'gz-101'"),
        (("no-such-corpus",), 1, "no-such-corpus"),
        ((), 2, "name a corpus, or give --text"),
        (("demo", "--text", "x"), 2, "give one or the other"),
        (("--text", "x", "--id", "1"), 2, "--id names a document of a corpus"),
        (("--text", "x", "--text", "y"), 2, "--text was given twice"),
        (("demo", "--json", "--html", "-"), 2, "both write to standard output"),
        (("demo", "--html", "p.html", "--top", "3"), 2, "--top is for text and JSON"),
        (("demo", "--top", "-1"), 2, "--top"),
        (("demo", "--html", "no/such/p.html"), 2, "no/such"),
    ],
)
def test_errors_say_the_way_out(postil, model, arguments, code, message):
    result = postil("explain", model, *arguments)
    assert result.code == code
    assert message in result.err
    assert result.out == ""
    assert "Traceback" not in result.err


@pytest.mark.skipif(os.name == "nt", reason="terminals")
@pytest.mark.parametrize("declined", [False, True])
def test_colours_on_a_terminal_unless_declined(model, declined):
    import pty

    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm"}
    if declined:
        environment["NO_COLOR"] = "1"
    ours, theirs = pty.openpty()
    command = [*COMMAND, model, "demo", "--category", "sport", "--top", "2"]
    process = subprocess.Popen(command, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    shown = shown_on(ours)
    assert process.wait(timeout=60) == 0
    assert b"Pushed up" in shown
    assert (b"\x1b[32m" in shown) is not declined


def test_no_more_is_read_than_needed(postil, model, tmp_path):
    (tmp_path / "c.jsonl").write_text('{"id": "a", "text": "rain"}\n{oops\n')
    assert postil("explain", model, "c.jsonl").code == 0
    assert postil("explain", model, "c.jsonl", "--id", "a").code == 0
    bad = postil("explain", model, "c.jsonl", "--id", "b")
    assert bad.code == 1
    assert "c.jsonl, line 2" in bad.err
    skipping = postil("explain", model, "c.jsonl", "--id", "b", "--on-error", "skip")
    assert "no document with the id 'b'; its first are 'a'" in skipping.err


def test_an_empty_corpus_has_nothing_to_explain(postil, model, tmp_path):
    (tmp_path / "e.jsonl").write_text('{"text": "a", "split": "train"}\n')
    empty = postil("explain", model, "e.jsonl", "--split", "test")
    assert empty.code == 1
    assert "holds no document to explain" in empty.err
    unknown = postil("explain", model, "e.jsonl", "--split", "test", "--id", "7")
    assert "it has no documents" in unknown.err


def test_a_model_that_cannot_be_explained_says_so(postil, tmp_path):
    shares = save_model(tmp_path / "shares.postil", rule="proportional")
    result = postil("explain", shares, "demo")
    assert result.code == 2
    assert "shares.postil: the model decides by 'proportional'" in result.err
    absent = postil("explain", "absent.postil", "demo")
    assert absent.code == 1
    assert absent.err.startswith("postil: absent.postil: the file does not exist; check the path")


def test_a_damaged_model_is_one_line(postil, model, tmp_path):
    content = bytearray(Path(model).read_bytes())
    content[-100] ^= 1
    (tmp_path / "bad.postil").write_bytes(content)
    result = postil("explain", "bad.postil", "demo")
    assert result.code == 1
    assert result.err.startswith("postil: bad.postil: the file is damaged")
    assert len(result.err.splitlines()) == 1
