"""Web pages of the nineties → title and text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.corpus.files.html import Page, parse_page


def body(markup: str) -> str:
    return parse_page(markup).body


def test_a_page():
    page = parse_page(
        "<!DOCTYPE HTML><html><head><TITLE>\n Tea &amp;\tmilk </TITLE>"
        "<style>b {x: <y>}</style></head><BODY bgcolor=#ffffff>\n<h1>Hello,  <i>you</i></h1>"
        '<p align="center">One<br>two&nbsp;three <!-- <b>gone</b> > --> four'
        "<SCRIPT language=js>if (a<b) document.write('<p>no</p>')</SCRIPT></body></html>"
    )
    assert page == Page("Tea & milk", "Hello, you\nOne\ntwo three four")


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("un<b>der</b>line", "underline"),
        ("a<td>b<li>c", "a\nb\nc"),
        ('<img alt="a > b">x', "x"),
        ('<a href="unclosed>link</a> text', "link text"),
        ('<a href="a>b</a> <a href="c">d</a>', "b d"),
        ("<a\nhref='x'\n>link</a>", "link"),
        ("a<p <b>c</b>", "a\nc"),
        ('a<img src="x.gif" <p>c', "a\nc"),
        ("end</ul", "end"),
        ("2 < 3 and x <y, z", "2 < 3 and x <y, z"),
        ("if a <b then c", "if a <b then c"),
        ("&lt;b&gt; &#65;&#8364; &copy; &bogus;", "<b> A€ © &bogus;"),
        ("</3>x<!WA0>y<?z?>", "x\ny"),
        ("a<!-- b --!>c<!-- d -- >e", "ace"),
        ("a<!-- never closed > b", "a\nb"),
        ("a<script>never closed", "a\nnever closed"),
        ("a<!--b--><!-- c > d", "a\nd"),
        ("tab\tand\x00nul \r\n\r\n\r\n next", "tab and nul\nnext"),
        ("", ""),
    ],
)
def test_markup_as_it_is_found(markup, text):
    assert body(markup) == text


@pytest.mark.parametrize(
    ("markup", "title"),
    [
        ("<title>A</title><title>B</title>", "A"),
        ("<title>never closed <h1>x</h1>", "never closed"),
        ("<title></title>", ""),
        ("<b>none</b>", ""),
        ("<!-- <title>no</title> --><TITLE >yes</TITLE >", "yes"),
    ],
)
def test_titles(markup, title):
    assert parse_page(markup).title == title


def test_the_title_is_not_in_the_body():
    assert body("before<title>A</title>after") == "before\nafter"


PIECES = st.sampled_from(
    [
        *"<>;/ \n\x00é\"'",
        "<!--",
        "-->",
        "<a ",
        "href=",
        "</b>",
        "<script>",
        "</script>",
        "<title>",
        "</title>",
        "&amp;",
        "&#",
        "word",
        "<!",
        "<?",
    ]
)


@given(st.lists(PIECES, max_size=40).map("".join))
def test_any_page_is_read(markup):
    page = parse_page(markup)
    assert "\x00" not in page.body
    assert "\n" not in page.title
    assert all(line == line.strip() != "" for line in page.body.split("\n") if page.body)


@pytest.mark.parametrize(
    "unit", ["<!--", "<script>", '<a href="', "<", "</", "<a ", "<!", "&#", "<title>", "<p"]
)
def test_pathological_pages_are_read(unit):
    # Were the time to grow with the square of the page, this would take minutes.
    assert len(body(unit * 200_000)) <= len(unit) * 200_000
