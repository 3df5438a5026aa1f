"""The surface of a spec: items, arguments, quotes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postil.errors import SpecError
from postil.text.grammar import Item, RawItem, scan

names = st.from_regex(r"[a-z][a-z-]{0,8}", fullmatch=True)
arguments = st.lists(st.text(max_size=12), max_size=3).map(tuple)


def test_items_know_where_they_stand():
    assert list(scan("  words\n stop( iso:de )")) == [
        RawItem("words", (), 1, 3, "words"),
        RawItem("stop", ("iso:de",), 2, 10, "stop( iso:de )"),
    ]


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        ("x", ()),
        ("x()", ()),
        ("x( )", ()),
        ('x("")', ("",)),
        ("x(,)", ("", "")),
        ("x(1,2)", ("1", "2")),
        ("x( 1 , 2 )", ("1", "2")),
        (r"x(file:C:\lists\my words.txt)", (r"file:C:\lists\my words.txt",)),
        (r'x("a (\"b\", \\c)")', (r'a ("b", \c)',)),
        ('x( " a ",b)', (" a ", "b")),
    ],
)
def test_arguments_are_read(written, arguments):
    assert [item.arguments for item in scan(written)] == [arguments]


@given(st.lists(st.tuples(names, arguments), max_size=4))
def test_what_is_written_is_read_back(items):
    text = " ".join(str(Item(name, given_arguments)) for name, given_arguments in items)
    assert [(item.name, item.arguments) for item in scan(text)] == items


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("words (python)", "column 7: '(' where the name"),
        ("words)", "column 6: ')' right after 'words'"),
        ("stop(a)b", "column 8: 'b' right after 'stop(a)'"),
        ("stop(a", "column 7: the spec ends after '(' in column 5"),
        ("stop(a(b))", "column 7: '(' among the arguments"),
        ('stop("a"b)', "column 9: 'b' among the arguments"),
        ('stop("a)', "column 6: '\"' among the arguments"),
    ],
)
def test_a_broken_spec_is_refused_with_its_column(spec, message):
    with pytest.raises(SpecError) as caught:
        list(scan(spec))
    assert message in str(caught.value)
    assert repr(spec) in str(caught.value)


@given(st.text(st.sampled_from('ab(), "\\\n'), max_size=30))
def test_any_text_is_read_or_refused(text):
    try:
        items = list(scan(text))
    except SpecError:
        return
    again = " ".join(str(Item(item.name, item.arguments)) for item in items)
    assert [(i.name, i.arguments) for i in scan(again)] == [(i.name, i.arguments) for i in items]
