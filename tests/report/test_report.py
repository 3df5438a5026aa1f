"""The report of a model: what it measures, what it shows, and that its page is complete."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from postil.categorizer import TextCategorizer
from postil.corpus.corpus import Corpus
from postil.corpus.document import Document
from postil.errors import InputError
from postil.plots.svg import round_ticks
from postil.report.page import render_report
from postil.report.study import study

WORDS = {"road": "bus lorry lane bridge", "snow": "ice frost cold hail", "<b>": "goal team cup win"}
HOSTILE = "<script>alert(1)</script> \x1b[31m \ud800 http://example.com/x.js"


def documents(split=None, start=0):
    """Return documents of three categories; the label of one in ten is another's."""
    names = list(WORDS)
    for number in range(start, start + 60):
        category = number % 3
        words = WORDS[names[category]].split()
        own = f"w{number} x{number} y{number} z{number}"  # so that no text is a copy of another
        text = f"{words[number % 4]} {words[number // 3 % 4]} {own} {HOSTILE if number % 7 else ''}"
        shifted = category + 1 if number % 10 == 0 else category
        yield Document(f"d{number}", {"text": text}, (names[shifted % 3],), split)


def corpus(*parts):
    listed = [document for part in parts for document in part]
    return Corpus("small", lambda _: iter(listed))


@pytest.fixture(scope="module")
def whole():
    return corpus(documents("train"), documents("test", 60))


@pytest.fixture(scope="module")
def model(whole):
    return TextCategorizer().fit_documents(whole, corpus="small").model


class Reader(HTMLParser):
    """Collects the tags and the headings of a page, and refuses tags that do not nest."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.headings = [], [], []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "wbr"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("h2", "h3"):
            self.headings.append(data)


def test_a_page_with_every_section_that_runs_and_fetches_nothing_foreign(model, whole):
    auto = {"leaderboard": [{"name": "svm", "value": 0.91234, "chosen": True}]}
    found = study(replace(model, method={**model.method, "auto": auto}), whole)
    page = render_report(found, "small.postil")
    read = Reader(page)
    for heading in (
        "Categories", "One label missed, another given instead", "Precision against recall",
        "Precision against coverage", "Reliability", "The worst mistakes", "Learning curve",
        "Likely label errors", "Leaderboard of the automatic search", "Terms",
        "Certificates of the fits",
    ):  # fmt: skip
        assert heading in read.headings
    assert "svm (chosen)" in page
    assert "91.2" in page
    assert "Wilson" in page
    assert [attributes for tag, attributes in read.tags if tag == "script"] == [{}]
    addresses = {"src", "srcset", "href", "xlink:href", "action", "data"}
    links = [a[name] for _, a in read.tags for name in addresses & a.keys()]
    assert all(link.startswith("#") for link in links)
    assert not re.search(
        r"url\(|@import|https?://(?!example\.com/x\.js)", page.replace("<wbr>", "")
    )
    assert "<script>alert" not in page
    assert "\x1b" not in page
    targets = {attributes.get("id") for _, attributes in read.tags}
    assert all(link[1:] in targets for link in links)


def test_documents_marked_test_are_measured_and_wrong_labels_found(model, whole):
    found = study(model, whole)
    assert found.measured.folds == 0
    assert found.measured.report.counts.cases == 60
    wrong = {document.id for document in documents("train") if int(document.id[1:]) % 10 == 0}
    doubted = {doubt.document.id for doubt in found.doubts}
    assert len(doubted) >= 3
    assert doubted <= wrong
    # Of two labels of which one took the other's place, the missed one lost to the given one.
    assert found.mistakes
    for mistake in found.mistakes:
        assert mistake.document.labels == (mistake.category,)
        assert mistake.explanation.title == f"{mistake.category} rather than {mistake.given[0]}"
    assert found.curve.documents == [6, 12, 24, 48]


def test_without_test_documents_the_numbers_are_out_of_fold(model, whole):
    found = study(model, corpus(documents("train")))
    assert found.measured.folds == 5
    assert "out of fold" in render_report(found, "m")
    assert found.mistakes
    assert all(mistake.explanation is None for mistake in found.mistakes)
    # Each tenth label is wrong, and no fit learned the document that has it.
    assert found.measured.report.accuracy == pytest.approx(0.9, abs=0.05)


def test_documents_of_another_corpus_are_all_measured(model):
    found = study(model, corpus(documents(None, 60)))
    assert found.measured.report.counts.cases == 60
    assert found.curve is None
    assert "did not learn from these documents" in found.absent
    only_tests = study(model, corpus(documents("test", 60)))
    assert only_tests.absent == "the corpus has none"
    assert "the corpus has none" in render_report(only_tests, "m")


def test_labels_that_the_recipe_does_not_know_are_not_doubted():
    rare = [replace(each, labels=(each.labels[0], "rare")) for each in list(documents("train"))[:2]]
    some = corpus(rare, list(documents("train"))[2:])
    found = study(TextCategorizer(budget="none").fit_documents(some).model, some)
    assert found.doubts
    assert not [doubt for doubt in found.doubts for name, _ in doubt.has if name == "rare"]


def test_a_model_without_a_mistake_has_a_report(whole):
    right = corpus(replace(each, labels=(list(WORDS)[int(each.id[1:]) % 3],)) for each in whole)
    found = study(TextCategorizer(budget="none").fit_documents(right).model, right)
    assert found.measured.report.accuracy == 1
    assert found.mistakes == []
    assert "Every decision is right" in render_report(found, "m")


def test_five_documents_have_a_report():
    few = corpus(list(documents("train"))[:5])
    found = study(TextCategorizer().fit_documents(few).model, few)
    assert found.curve is None or min(found.curve.documents) > 0
    assert "Likely label errors" in render_report(found, "m")


def test_numbers_that_cannot_be_honest_are_refused(model):
    priors = replace(model, method={"priors": {}})
    with pytest.raises(InputError, match="out of fold, and the model was trained with per-term"):
        study(priors, corpus(documents("train")))


def test_ticks_are_round():
    assert round_ticks(0.31, 0.72) == (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
    assert round_ticks(5.0, 5.0)[0] <= 5.0 <= round_ticks(5.0, 5.0)[-1]
