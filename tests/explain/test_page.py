"""The HTML page: whole in itself, escaped, readable, true to the text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from postil.errors import UsageError
from postil.explain.explainer import Explainer
from postil.explain.page import LEVELS, level_class, render_html
from postil.explain.rule import CategoryRule
from postil.vectors.fields import Fields
from postil.vectors.vectorizer import Vectorizer
from postil.vectors.weighting import Weighting

PLAIN = Weighting("counts", "none", "none")
HOSTILE = (
    "<script>alert(1)</script> </style> </title> </section> \"onmouseover='x' &amp; &lt; "
    "<img src=x onerror=alert(2)> ]]> <!-- --> javascript:x \u202e\x00\x1b[31m\ud800 {{x}} `${y}`"
)
VOID = {"meta", "input"}
SCRIPTLESS = {
    "html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "bdi", "div", "mark",
    "section", "table", "tr", "th", "td", "span", "ul", "li", "input", "label",
}  # fmt: skip


class Reader(HTMLParser):
    """Takes a page apart: the fields' texts, the marks, the tags; refuses what does not nest."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.fields: list[str] = []
        self.marks: list[tuple[str, str, str]] = []
        self.depth_of_field = 0
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag in VOID:
            return
        self.open.append(tag)
        if ("class", "field") in attrs:
            self.depth_of_field = len(self.open)
            self.fields.append("")
        if tag == "mark" and self.depth_of_field:
            self.marks.append((dict(attrs)["class"], dict(attrs)["title"], ""))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if len(self.open) < self.depth_of_field:
            self.depth_of_field = 0

    def handle_data(self, data):
        if self.depth_of_field:
            self.fields[-1] += data
            if self.open[-1] == "mark":
                classes, title, text = self.marks[-1]
                self.marks[-1] = (classes, title, text + data)


def shown(text: str) -> str:
    """Return a text as a page can show it."""
    unfit = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]"
    return re.sub(unfit, "\ufffd", text)


@settings(max_examples=75, deadline=None)
@given(
    st.text(st.one_of(st.characters(exclude_categories=()), st.sampled_from("<>&'\"/ab \n"))),
    st.sampled_from(["whitespace", "words lower fold-accents", "chars(1,2)", "words ngrams(1,2)"]),
)
@example(HOSTILE, "whitespace")
@example(HOSTILE, "chars(1,2)")
def test_the_text_stands_on_the_page_as_it_was(text: str, spec: str):
    vectorizer = Vectorizer(spec, buckets=31, weighting=PLAIN, threads=1)
    explainer = Explainer(vectorizer, sets=1)
    rules = [
        CategoryRule("up " + text, np.linspace(-1, 2, 31), note=text),
        CategoryRule(text, np.zeros(31)),
    ]
    document = explainer.read({text: text, "b": text}, document_id=text)
    page = render_html([explainer.explain(document, rule) for rule in rules], title=text)
    page.encode()
    read = Reader(page)
    parts = [part.text for part in document.parts if part.text.strip()]
    assert read.fields == [shown(part) for part in parts] * 2
    assert {tag for tag, _ in read.tags} <= SCRIPTLESS
    for _, attributes in read.tags:
        assert not any(name.startswith("on") or name in ("href", "src") for name in attributes)


def test_hostile_text_is_only_text():
    vectorizer = Vectorizer("whitespace", weighting=PLAIN).fit([HOSTILE])
    rule = CategoryRule(HOSTILE, np.ones(vectorizer.columns), note=HOSTILE)
    explainer = Explainer(vectorizer)
    page = render_html([explainer.explain(explainer.read({HOSTILE: HOSTILE}, HOSTILE), rule)])
    assert "<script" not in page
    assert "<img" not in page
    assert page.count("</style>") == page.count("</title>") == page.count("</section>") == 1
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "\x00" not in page
    assert "\x1b" not in page
    assert "default-src 'none'" in page


@pytest.fixture
def explained():
    fields = Fields(("title", "body"), apart=True)
    vectorizer = Vectorizer("words lower", fields=fields, weighting=PLAIN)
    vectorizer.fit({"title": ["oil price"], "body": ["oil wheat tax"]})
    column_of = vectorizer.vocabulary.column_of
    weights = np.zeros(vectorizer.columns)
    for term, weight in {"title:oil": 2.0, "body:oil": 0.5, "body:wheat": -1.0}.items():
        weights[column_of[term]] = weight
    rules = [CategoryRule("crude", weights), CategoryRule("grain", -weights, note="rare")]
    explainer = Explainer(vectorizer)
    document = explainer.read({"title": "OIL up", "body": "Wheat, oil & tax"}, "doc-7")
    return [explainer.explain(document, rule) for rule in rules]


def test_words_are_marked_where_they_stand(explained):
    page = Reader(render_html(explained[:1]))
    assert page.marks == [
        ("u u5", "title:oil +2.000 = 2 × 1", "OIL"),
        ("d d3", "body:wheat -1.000 = -1 × 1", "Wheat"),
        ("u u2", "body:oil +0.500 = 0.5 × 1", "oil"),
    ]
    assert page.fields == ["OIL up", "Wheat, oil & tax"]


def test_several_categories_have_a_tab_each_without_a_script(explained):
    page = render_html(explained)
    tabs = [attributes for tag, attributes in Reader(page).tags if tag == "input"]
    assert [tab["id"] for tab in tabs] == ["tab0", "tab1"]
    assert ["checked" in tab for tab in tabs] == [True, False]
    assert "#tab1:checked ~ #of1 { display: block; }" in page
    assert "crude</bdi>: yes</label>" in page
    assert "grain</bdi>: no</label>" in page


def test_one_category_needs_no_tab(explained):
    page = render_html(explained[:1])
    assert "<input" not in page
    assert "section.of { display: none" not in page


def test_nothing_is_fetched(explained):
    page = render_html(explained)
    assert "http:" not in page
    assert "https:" not in page
    assert "url(" not in page


def test_the_page_says_what_the_text_says(explained):
    page = render_html(explained)
    assert "crude</bdi>: yes (margin 1.500 ≥ threshold 0.000)" in page
    assert "Without title:oil the margin is -0.500: no." in page
    assert "1 term unknown to the model: title:up" in page
    assert "<p><bdi>rare</bdi></p>" in page
    assert "<td>threshold</td><td>+0.000</td>" in page
    assert "prefers-color-scheme: dark" in page


def test_a_page_is_on_one_document(explained):
    with pytest.raises(UsageError, match="at least one explanation"):
        render_html([])
    vectorizer = Vectorizer("words").fit(["a"])
    other = Explainer(vectorizer).explain("a", CategoryRule("x", [1.0]))
    with pytest.raises(UsageError, match="on one document"):
        render_html([explained[0], other])


def test_overlapping_terms_share_a_title():
    vectorizer = Vectorizer("words ngrams(1,4)", weighting=PLAIN).fit(["a b c d"])
    rule = CategoryRule("x", np.ones(vectorizer.columns))
    page = Reader(render_html([Explainer(vectorizer).explain("a b c d", rule)]))
    title = next(title for _, title, text in page.marks if text == "b")
    assert title.splitlines()[-2:] == ["… and 3 more", "together +6.000"]
    assert len(title.splitlines()) == 5


@pytest.mark.parametrize("spec", ["words lower ngrams(1,2)", "chars(3) lower"])
def test_a_long_document(spec: str):
    words = np.random.default_rng(5).integers(0, 4000, 20_000)
    text = " ".join(f"W{number}" for number in words)[:100_000]
    vectorizer = Vectorizer(spec, weighting=Weighting("log", "smooth", "l2")).fit([text])
    weights = np.random.default_rng(6).normal(size=vectorizer.columns)
    explanation = Explainer(vectorizer).explain(text, CategoryRule("x", weights))
    page = render_html([explanation])
    assert re.sub("<[^>]*>", "", page.partition('dir="auto">')[2].partition("</div>")[0]) == text
    score = (vectorizer.transform([text]) @ weights)[0]
    np.testing.assert_allclose(explanation.margin, score, rtol=1e-6, atol=1e-6)


def test_levels_go_from_a_line_to_the_strongest_colour():
    assert level_class(0.01, 1.0) == "u"
    assert level_class(-0.01, 1.0) == "d"
    assert level_class(0.0, 0.0) == "u"
    assert [level_class(part, 1.0) for part in (0.1, 0.3, 0.5, 0.7, 1.0)] == [
        f"u u{level}" for level in range(1, LEVELS + 1)
    ]


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_every_text_can_be_read(scheme: int, explained):
    declared = re.findall(r"--([\w-]+): (#[0-9a-f]{6});", render_html(explained))
    colours: dict[str, list[str]] = {}
    for name, colour in declared:
        colours.setdefault(name, []).append(colour)
    of = {name: both[scheme] for name, both in colours.items()}
    levels = [of.pop(f"{way}-{level}") for way in ("up", "down") for level in range(1, LEVELS + 1)]
    for behind in (of["page"], of["panel"], *levels):
        assert contrast(of["text"], behind) >= 4.5
    for behind in (of["page"], of["panel"]):
        assert contrast(of["quiet"], behind) >= 4.5
    # Lines and bars are no text: three to one.
    for line in (of["up-line"], of["down-line"]):
        assert contrast(line, of["panel"]) >= 3
    assert set(of) == {"text", "quiet", "page", "panel", "line", "up-line", "down-line"}
