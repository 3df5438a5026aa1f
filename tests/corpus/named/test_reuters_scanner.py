"""The native scanner: what it makes of good SGML, and what it says of bad."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from postil._native import scan_reuters
from postil.corpus.named.reuters import LABEL_SETS, Story


def story(inside: str, attributes: str = 'NEWID="7"') -> bytes:
    return f"<REUTERS {attributes}>\n{inside}\n</REUTERS>\n".encode("latin-1")


def scan_one(sgml: bytes) -> Story:
    (record,), problems = scan_reuters(sgml)
    assert problems == []
    return Story(*record)


def scan_text(text: str) -> Story:
    return scan_one(story(f"<TEXT>{text}</TEXT>"))


def messages(sgml: bytes) -> list[tuple[int, str]]:
    return [(line, message) for _, line, message in scan_reuters(sgml)[1]]


def test_all_parts_of_a_story():
    found = scan_one(
        b'<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'
        b'<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" OLDID="5" NEWID="1">\n'
        b"<DATE> 1-JAN-2000</DATE>\n<MKNOTE>a note</MKNOTE>\n"
        b"<TOPICS><D>tea</D><D>milk</D></TOPICS>\n<PLACES><D>norway</D></PLACES>\n"
        b"<PEOPLE></PEOPLE>\n<ORGS><D>who</D></ORGS>\n<EXCHANGES><D>x</D></EXCHANGES>\n"
        b"<COMPANIES></COMPANIES>\n<UNKNOWN>&#5;noise <TITLE>not this</TITLE></UNKNOWN>\n"
        b"<TEXT>&#2;\n<TITLE>Tea  is up</TITLE>\n<AUTHOR>by nobody</AUTHOR>\n"
        b"<DATELINE>  OSLO, Jan 1 - </DATELINE><BODY>It rose.\n    A lot.\n&#3;</BODY></TEXT>\n"
        b"</REUTERS>\n"
    )
    assert found == Story(
        line=2,
        newid="1",
        oldid="5",
        lewis_split="TRAIN",
        cgi_split="TRAINING-SET",
        topics_flag="YES",
        title="Tea  is up",
        dateline="OSLO, Jan 1 -",
        body="It rose.\n    A lot.",
        labels=(("tea", "milk"), ("norway",), (), ("who",), ("x",)),
    )


def test_label_sets_are_in_the_documented_order():
    lists = "".join(f"<{name.upper()}><D>{name}</D></{name.upper()}>" for name in LABEL_SETS)
    found = scan_one(story(f"{lists}<TEXT></TEXT>"))
    assert found.labels == tuple((name,) for name in LABEL_SETS)


@pytest.mark.parametrize(
    ("kind", "text", "title", "body"),
    [
        ("", "<TITLE>T</TITLE><BODY>B</BODY>", "T", "B"),
        ("", "<TITLE>T</TITLE>\nHEAD\n<BODY>B</BODY>", "T", "HEAD\nB"),
        ("", "<TITLE>T</TITLE>", "T", ""),
        (' TYPE="UNPROC"', "&#2;\nall of it\n&#3;\n", "", "all of it"),
        (' TYPE="BRIEF"', "***<TITLE>T\n</TITLE>filler\n&#3;", "T", ""),
        ("", "", "", ""),
    ],
)
def test_text_types(kind, text, title, body):
    found = scan_one(story(f"<TEXT{kind}>{text}</TEXT>"))
    assert (found.title, found.body) == (title, body)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("a &lt;b&gt; &amp; &quot;c&quot; &apos;", 'a <b> & "c" \''),
        ("&amp;lt;", "&lt;"),
        ("&#65;&#x42;&#X43;", "ABC"),
        ("&#8364;&#128512;", "€\N{GRINNING FACE}"),
        ("x&#0;x&#55296;x&#1114112;", "x\ufffdx\ufffdx\ufffd"),
        (
            "a&b &; &#; &#x; &#12 &nbsp; &#99999999999;",
            "a&b &; &#; &#x; &#12 &nbsp; &#99999999999;",
        ),
        ("a&#3;b\x01c\x7fd\x85e", "a b c d e"),
        ("a\r\nb\rc\td", "a\nb\nc\td"),
        ("Z\xfcrich\xa0", "Z\xfcrich\xa0"),
        ("  \t\n&#10; trimmed &#31;\n", "trimmed"),
        ("1 < 2 and <b>bold</b>", "1 < 2 and <b>bold</b>"),
    ],
)
def test_character_data(raw, text):
    assert scan_text(f"<BODY>{raw}</BODY>").body == text


def test_attributes_in_other_shapes():
    found = scan_one(story("<TEXT></TEXT>", "NEWID = '12'\n OLDID=4 CGISPLIT=\"a b\" X"))
    assert (found.newid, found.oldid, found.cgi_split) == ("12", "4", "a b")


def test_what_may_stand_between_stories():
    sgml = b"<?x?><LEWIS><!-- > <b> -->" + story("<TEXT></TEXT>") + b"\n\x1a</LEWIS>"
    assert scan_one(sgml).newid == "7"


@pytest.mark.parametrize(
    ("sgml", "problems"),
    [
        (b"\n</REUTERS>", [(2, "</REUTERS> closes nothing")]),
        (b'\n\n<REUTERS NEWID="1"><TEXT></TEXT>', [(3, "<REUTERS> is never closed")]),
        (story("<TEXT></TEXT>", 'OLDID="1"'), [(1, "<REUTERS> has no NEWID")]),
        (story("<TEXT></TEXT>", 'NEWID="1'), [(1, "<REUTERS> has no NEWID")]),
        (story("no text"), [(1, "<REUTERS> has no <TEXT>")]),
        (story("<TEXT>\n<BODY>x</TEXT>"), [(3, "<BODY> is never closed")]),
        (story("<TEXT>x"), [(2, "<TEXT> is never closed")]),
        (story("<TEXT></BODY></TEXT>"), [(2, "</BODY> closes nothing")]),
        (story("<TOPICS><TEXT></TEXT>"), [(2, "<TEXT> stands in the wrong place")]),
        (story("<D>x</D><TEXT></TEXT>"), [(2, "<D> stands in the wrong place")]),
        (story("<TOPICS><D> </D></TOPICS><TEXT></TEXT>"), [(2, "<D> is empty")]),
    ],
)
def test_broken_stories_are_problems_with_their_line(sgml, problems):
    assert scan_reuters(sgml)[0] == []
    assert messages(sgml) == problems


def test_a_broken_story_does_not_take_its_neighbours_along():
    good = story("<TEXT>x</TEXT>", 'NEWID="good"')
    sgml = good + story("<TEXT>x</BODY></TITLE>") + good + b"<REUTERS NEWID='cut'>" + good
    documents, problems = scan_reuters(sgml)
    assert [record[1] for record in documents] == ["good", "good", "good"]
    assert [(offset, line) for offset, line, _ in problems] == [
        (sgml.index(b"</BODY>"), 5),
        (sgml.index(b"<REUTERS NEWID='cut'>"), 10),
    ]


def test_a_damaged_start_tag_is_text_outside():
    sgml = b'<REUTERS NEWID="1"\n<TEXT>x</TEXT>\n</REUTERS>\n' + story("<TEXT>y</TEXT>")
    assert len(scan_reuters(sgml)[0]) == 1
    assert messages(sgml) == [
        (1, "text outside any <REUTERS> element: a start tag is missing or damaged")
    ]


TAGS = ["REUTERS NEWID='1'", "TEXT", "TITLE", "BODY", "TOPICS", "D", "UNKNOWN"]
FRAGMENTS = st.sampled_from(
    [f"<{tag}>".encode() for tag in TAGS]
    + [f"</{tag.split()[0]}>".encode() for tag in TAGS]
    + [b"<REUTERS", b"<!--", b"-->", b"<!x>", b"&#3;", b"&lt;", b"&", b"<", b">", b"\n", b"\r\n"]
)


@given(st.lists(st.one_of(FRAGMENTS, st.binary(max_size=4)), max_size=40).map(b"".join))
@settings(max_examples=400)
def test_any_bytes_are_read_without_a_crash(sgml):
    documents, problems = scan_reuters(sgml)
    assert len(documents) <= sgml.count(b"<REUTERS")
    offsets = [offset for offset, _, _ in problems]
    assert offsets == sorted(offsets)
    for offset, line, _ in problems:
        assert line == sgml.count(b"\n", 0, offset) + 1
    if not documents and not problems:
        assert b"</REUTERS>" not in sgml


TEXTS = st.lists(
    st.sampled_from(
        ["word", " ", "\n", "&lt;", "&amp;", "&#3;", "&#233;", "é", "\r\n", "&x;", "7"]
    ),
    max_size=8,
).map("".join)
LABELS = st.lists(st.sampled_from(["tea", "milk", "a-b", "tea"]), max_size=3)


@st.composite
def well_formed_texts(draw) -> str:
    """Texts as the collection has them: loose text all alone, or between TITLE and DATELINE."""
    if draw(st.booleans()):
        return f'<TEXT TYPE="UNPROC">{draw(TEXTS)}</TEXT>'
    kind = draw(st.sampled_from(["", ' TYPE="BRIEF"']))
    parts = (
        f"<{part}>{draw(TEXTS)}</{part}>" for part in ("DATELINE", "BODY") if draw(st.booleans())
    )
    return f"<TEXT{kind}>&#2;\n<TITLE>{draw(TEXTS)}</TITLE>{draw(TEXTS)}{''.join(parts)}</TEXT>"


@st.composite
def well_formed_stories(draw) -> str:
    lists = "".join(
        f"<{name.upper()}>{''.join(f'<D>{label}</D>' for label in draw(LABELS))}</{name.upper()}>\n"
        for name in LABEL_SETS
    )
    number = draw(st.integers(1, 99))
    return (
        f'<REUTERS TOPICS="YES" LEWISSPLIT="TEST" CGISPLIT="x" OLDID="1" NEWID="{number}">\n'
        f"{lists}<UNKNOWN>{draw(TEXTS)}</UNKNOWN>\n{draw(well_formed_texts())}\n</REUTERS>\n"
    )


def as_story(record: tuple) -> tuple:
    return record[1:9], dict(zip((name.upper() for name in LABEL_SETS), record[9], strict=True))


def as_seen_by_regex(story) -> tuple:
    labels = {name: tuple(values) for name, values in story.labels.items()}
    texts = (story.title, story.dateline, story.body)
    flags = (story.newid, story.oldid, story.lewis_split, story.cgi_split, story.topics_flag)
    return (*flags, *texts), labels


@given(st.lists(well_formed_stories(), max_size=4).map("".join))
def test_agrees_with_the_regex_parser_on_well_formed_stories(regex_parser, sgml):
    raw = sgml.encode("latin-1")
    documents, problems = scan_reuters(raw)
    assert problems == []
    expected = [as_seen_by_regex(found) for found in regex_parser.stories(raw)]
    assert [as_story(record) for record in documents] == expected
