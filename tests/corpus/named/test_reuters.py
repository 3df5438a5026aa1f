"""Reuters-21578 as a corpus: splits, label sets, folders and archives, bad input."""

from __future__ import annotations

import pytest

from postil.corpus.corpus import Corpus
from postil.corpus.document import Document
from postil.corpus.named import reuters as reuters_module
from postil.corpus.named.registry import open_named
from postil.corpus.named.reuters import LABEL_SETS, SPLIT_RULES, reuters
from postil.errors import CorpusError, DocumentError


def story(number: int, lewis: str, topics: str, cgi: str = "TRAINING-SET", text: str = "x") -> str:
    return (
        f'<REUTERS TOPICS="{topics}" LEWISSPLIT="{lewis}" CGISPLIT="{cgi}" NEWID="{number}">\n'
        "<TOPICS><D>tea</D><D>milk</D><D>tea</D></TOPICS>\n<PLACES><D>norway</D></PLACES>\n"
        f"<TEXT><TITLE>Title {number}</TITLE><BODY>{text}</BODY></TEXT>\n</REUTERS>\n"
    )


STORIES = [
    (lewis, topics, cgi)
    for lewis in ("TRAIN", "TEST", "NOT-USED")
    for topics in ("YES", "NO", "BYPASS")
    for cgi in ("TRAINING-SET", "PUBLISHED-TESTSET")
]
ALL = "".join(
    story(number, lewis, topics, cgi) for number, (lewis, topics, cgi) in enumerate(STORIES)
)


def expected_split(rule: str, lewis: str, topics: str, cgi: str) -> str | None:
    """Section VIII of the collection's README, written out."""
    lewis_split = {"TRAIN": "train", "TEST": "test", "NOT-USED": None}[lewis]
    if rule == "modapte":
        return lewis_split if topics == "YES" else None
    if rule == "modlewis":
        return lewis_split if topics in {"YES", "NO"} else None
    return "train" if cgi == "TRAINING-SET" else "test"


@pytest.mark.parametrize("rule", SPLIT_RULES)
def test_splits_are_those_of_the_readme(rule, store, read):
    path = store({"reut2-000.sgm": ALL.encode()})
    expected = {str(i): expected_split(rule, *attributes) for i, attributes in enumerate(STORIES)}
    documents, _ = read(reuters(path, rule, unused=True))
    assert {d.id: d.split for d in documents} == expected
    used, _ = read(reuters(path, rule))
    assert {d.id: d.split for d in used} == {k: v for k, v in expected.items() if v is not None}


def test_text_outside_title_and_body_may_be_left_out(store, read):
    head = '<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" NEWID='
    stories = (
        f'{head}"1"><TEXT TYPE="UNPROC">all of it</TEXT></REUTERS>'
        f'{head}"2"><TEXT>a table<TITLE>t</TITLE><BODY>b</BODY></TEXT></REUTERS>'
    )
    path = store({"reut2-000.sgm": stories.encode()})
    bodies = {
        loose: [d.fields["body"] for d in read(reuters(path, "modapte", loose_text=loose))[0]]
        for loose in (True, False)
    }
    assert bodies == {True: ["all of it", "a table\nb"], False: ["", "b"]}


def test_a_document_has_three_fields_and_each_label_once(store, read):
    path = store({"a/reut2-000.sgm": story(3, "TEST", "YES", text="&lt;b&gt;").encode()})
    assert read(reuters(path, "modapte"))[0] == [
        Document("3", {"title": "Title 3", "dateline": "", "body": "<b>"}, ("tea", "milk"), "test")
    ]


@pytest.mark.parametrize("label_set", LABEL_SETS)
def test_label_sets(label_set, make_folder, read):
    path = make_folder({"reut2-000.sgm": story(1, "TRAIN", "YES").encode()})
    ((document,), _) = read(reuters(path, "modapte", label_set=label_set))
    expected = {"topics": ("tea", "milk"), "places": ("norway",)}
    assert document.labels == expected.get(label_set, ())


def test_files_are_read_in_order_and_others_left_alone(make_folder, read):
    files = {
        "reut2-001.SGM": story(2, "TRAIN", "YES").encode(),
        "reut2-000.sgm": story(1, "TRAIN", "YES").encode(),
        "README.txt": b"</REUTERS> is an end tag",
        "._reut2-000.sgm": b"\0\0",
    }
    assert [d.id for d in read(reuters(make_folder(files), "modapte"))[0]] == ["1", "2"]


@pytest.mark.parametrize("size", [1, 7, 100, 1000])
def test_blocks_do_not_change_what_is_read(size, make_folder, read, monkeypatch):
    path = make_folder({"reut2-000.sgm": ALL.encode()})
    whole = read(reuters(path, "modhayes"))
    monkeypatch.setattr(reuters_module, "BLOCK", size)
    assert read(reuters(path, "modhayes"))[0] == whole[0]


def test_an_endless_story_is_cut(make_folder, read, monkeypatch):
    good = story(1, "TRAIN", "YES")
    endless = good + "<REUTERS NEWID='2'>" + "x" * 1000 + "\n" + good
    path = make_folder({"reut2-000.sgm": endless.encode()})
    monkeypatch.setattr(reuters_module, "BLOCK", 64)
    monkeypatch.setattr(reuters_module, "LARGEST_STORY", 500)
    documents, problems = read(reuters(path, "modapte"), "skip")
    assert [d.id for d in documents] == ["1", "1"]
    assert problems.count > 0


def test_a_broken_story_names_archive_file_and_line(make_tar, read):
    good = story(1, "TRAIN", "YES")
    path = make_tar({"reut2-007.sgm": (good + good.replace("</BODY>", "") + good).encode()})
    with pytest.raises(
        DocumentError, match=r"reut2-007.sgm line 9: <BODY> is never closed"
    ) as info:
        read(reuters(path, "modapte"))
    assert info.value.source == str(path)
    documents, problems = read(reuters(path, "modapte"), "skip")
    assert len(documents) == 2
    assert problems.count == 1


def test_lines_are_counted_across_blocks(make_folder, read, monkeypatch):
    good = story(1, "TRAIN", "YES")
    path = make_folder({"reut2-007.sgm": (5 * good + good.replace("</BODY>", "")).encode()})
    monkeypatch.setattr(reuters_module, "BLOCK", 300)
    with pytest.raises(DocumentError, match="line 29:"):
        read(reuters(path, "modapte"))


@pytest.mark.parametrize(
    ("attribute", "split"),
    [("LEWISSPLIT", "modapte"), ("TOPICS", "modhayes"), ("CGISPLIT", "modhayes")],
)
def test_an_attribute_with_a_strange_value_is_a_problem(attribute, split, make_folder, read):
    strange = story(1, "TRAIN", "YES").replace(f"{attribute}=", f"{attribute}=x NOT=")
    path = make_folder({"reut2-000.sgm": strange.encode()})
    with pytest.raises(DocumentError, match=f"line 1: {attribute} must be .*, received 'x'"):
        read(reuters(path, split))


def test_a_folder_without_sgml_is_an_error(make_folder, read):
    with pytest.raises(CorpusError, match=r"holds no \.sgm file"):
        read(reuters(make_folder({"README.txt": b""}), "modapte"))


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("split", "train", "test"),
    [("modapte", 9603, 3299), ("modlewis", 13625, 6188), ("modhayes", 20856, 722)],
)
def test_the_real_splits_count_as_the_readme_says(corpus_file, split, train, test):
    corpus = open_named(f"reuters-{split}", path=corpus_file("reuters"))
    splits = [document.split for document in corpus]
    assert (splits.count("train"), splits.count("test")) == (train, test)
    assert corpus.problems.count == 0


def topics_of(corpus: Corpus, split: str) -> tuple[set[str], int]:
    labels = [d.labels for d in corpus if d.split == split]
    return {label for each in labels for label in each}, sum(bool(each) for each in labels)


@pytest.mark.corpus
def test_the_real_modapte_topics(corpus_file):
    corpus = open_named("reuters-modapte", path=corpus_file("reuters"))
    train, labelled_train = topics_of(corpus, "train")
    test, labelled_test = topics_of(corpus, "test")
    assert (len(train), len(test)) == (115, 93)
    assert (len(train | test), len(train & test)) == (118, 90)
    assert (labelled_train, labelled_test) == (7775, 3019)


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("label_set", "count"),
    [("topics", 120), ("places", 147), ("people", 114), ("orgs", 32), ("exchanges", 32)],
)
def test_the_real_label_sets_have_the_categories_of_the_readme(corpus_file, label_set, count):
    choices = {"label_set": label_set}
    corpus = open_named("reuters-modhayes", None, choices, path=corpus_file("reuters"))
    assert len({label for document in corpus for label in document.labels}) == count


@pytest.mark.corpus
def test_agrees_with_the_regex_parser_on_the_real_files(corpus_file, regex_parser, read):
    from postil.corpus.files.archives import members

    path = corpus_file("reuters")
    expected = [
        document
        for member in members(path)
        if member.name.endswith(".sgm")
        for document in regex_parser.modapte(member.read())
    ]
    assert read(reuters(path, "modapte"))[0] == expected
