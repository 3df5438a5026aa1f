"""Label vocabularies: names, hierarchy, what a text names, and what a file may hold."""

from __future__ import annotations

import pytest

from postil.corpus.document import Document
from postil.corpus.label_vocabulary import LabelEntry, LabelVocabulary
from postil.errors import InputError, UsageError

ENTRIES = (
    LabelEntry("0", {"en": "Everything", "de": "Alles"}),
    LabelEntry("1", {"en": "Science", "de": "Wissenschaft"}, "S", broader=("0",)),
    LabelEntry("11", {"en": "Physics", "de": "Physik"}, "S1", ("natural philosophy",), ("1",)),
    LabelEntry("12", {"en": "Planets"}, "S2", ("Mercury",), ("1",)),
    LabelEntry("2", {"en": "Metals"}, "M", broader=("0",)),
    LabelEntry("21", {"en": "Mercury"}, "Hg", broader=("2", "1")),
    LabelEntry("22", {"en": "Quicksilver"}, broader=("21",), deprecated=True),
)


@pytest.fixture
def vocabulary():
    return LabelVocabulary(ENTRIES)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("11", "11"),
        ("s1", "11"),
        (" PHYSIK ", "11"),
        ("Natural Philosophy", "11"),
        ("mercury", "21"),  # a preferred name comes before an alternative one
        ("quicksilver", "22"),
    ],
)
def test_a_text_names_a_label(vocabulary, text, found):
    assert vocabulary.find(text) == found


def test_what_names_no_label_or_several(vocabulary):
    with pytest.raises(UsageError, match=r"'Phsics'; did you mean 'Physics'"):
        vocabulary.find("Phsics")
    both = LabelVocabulary([LabelEntry("a", {"": "x"}), LabelEntry("b", {"": "X"})])
    assert both.match("x") is None
    with pytest.raises(UsageError, match="'x' names 2 labels: give an id, of a, b"):
        both.find("x")
    # A deprecated label gives way to one that is not.
    old = LabelVocabulary([LabelEntry("a", {"": "x"}, deprecated=True), LabelEntry("b", {"": "x"})])
    assert old.find("x") == "b"


def test_what_is_above_and_below(vocabulary):
    assert vocabulary.ancestors("22") == ("21", "2", "1", "0")
    assert set(vocabulary.descendants("1")) == {"11", "12", "21", "22"}
    assert vocabulary.lineage("22") == ("21", "2", "1")  # 0 is above everything
    assert vocabulary.ancestors("unknown") == vocabulary.descendants("unknown") == ()


def test_names_to_show(vocabulary):
    assert vocabulary.language == "en"
    assert vocabulary.name("11") == "Physics"
    assert vocabulary.name("11", "de") == vocabulary.name("11", "de-at") == "Physik"
    assert vocabulary.name("12", "de") == "Planets"
    assert vocabulary.name("unknown") == "unknown"
    german = LabelVocabulary(ENTRIES, "de")
    assert german.titles(["11", "12", "x"]) == ("Physik", "Planets", "x")
    with pytest.raises(UsageError, match="'fr'; there are: en, de"):
        LabelVocabulary(ENTRIES, "fr")
    same = LabelVocabulary([LabelEntry("a", {"": "x"}), LabelEntry("b", {"": "x"})])
    assert same.titles(["a", "b"]) == ("x (a)", "x (b)")
    assert LabelVocabulary([LabelEntry("a", {}, "N1")]).name("a") == "N1"


def test_documents_get_ids(vocabulary):
    documents = [Document("d", {"": "text"}, ("Physics", "s1", "unheard", "Metals"), "test")]
    (found,) = vocabulary.applied(documents)
    assert found.labels == ("11", "unheard", "2")
    assert found.split == "test"
    (found,) = vocabulary.applied([Document("d", {}, ("22",))], ancestors=True)
    assert found.labels == ("22", "21", "2", "1")


def test_uncertain_and_known_negative_labels(vocabulary):
    document = Document(
        "d", {}, ("Physics", "Metals"), not_labels=("Planets",), probabilities={"Physics": 0.6}
    )
    (found,) = vocabulary.applied([document])
    assert (found.not_labels, found.probabilities) == (("12",), {"11": 0.6})
    # What is above a label is at least as probable, and what is below a lacking one lacks too.
    soft = {"Physics": 0.6, "Mercury": 0.2}
    document = Document("d", {}, ("Physics",), not_labels=("Metals",), probabilities=soft)
    (found,) = vocabulary.applied([document], ancestors=True)
    assert found.labels == ("11", "1")
    assert found.probabilities == {"11": 0.6, "1": 0.6, "21": 0.2, "2": 0.2}
    assert found.not_labels == ("2", "21", "22")


def test_notes_on_categories(vocabulary):
    absent, old = vocabulary.notes_on(["11", "22", "x", "y"])
    assert absent.startswith("2 labels of the documents, of 4, are not in the label vocabulary")
    assert old.endswith("deprecated in the label vocabulary: 'Quicksilver'")
    assert vocabulary.notes_on(["11"]) == []


def test_a_part_has_what_is_above(vocabulary):
    part = vocabulary.of(["11", "unknown"])
    assert list(part.entries) == ["0", "1", "11"]
    # 1 is the only label below the root that is left, and still says something.
    assert part.lineage("11") == ("1",)


def test_through_json(vocabulary):
    vocabulary = LabelVocabulary(ENTRIES, "de").of(["11", "22"])
    read = LabelVocabulary.from_json(vocabulary.to_json())
    assert read == vocabulary
    assert read.to_json() == vocabulary.to_json()
    assert read.name("11") == "Physik"
    assert read.lineage("22") == vocabulary.lineage("22")


@pytest.mark.parametrize(
    ("entries", "sentence"),
    [
        ([LabelEntry("a"), LabelEntry("a")], "'a' is given twice"),
        ([LabelEntry("")], "an empty id"),
        ([LabelEntry("a", {"": "\ud800"})], "a lone surrogate"),
        ([LabelEntry("a", broader=("a",))], "'a' is above itself: a → a"),
        (
            [LabelEntry(each, broader=(above,)) for each, above in ("xa", "ab", "bc", "ca")],
            "is above itself: a → b → c → a",
        ),
    ],
)
def test_what_is_no_vocabulary(entries, sentence):
    with pytest.raises(InputError, match=sentence):
        LabelVocabulary(entries)


def test_unknown_broader_labels_are_counted():
    found = LabelVocabulary([LabelEntry("a", broader=("b", "c")), LabelEntry("d", broader=("a",))])
    assert found.notes == (
        "2 broader labels are not in the label vocabulary, and left out: 'b', 'c'",
    )
    assert found.ancestors("d") == ("a",)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[" * 100_000,
        b"[]",
        b'{"language": "en", "labels": []}',
        b'{"language": 1, "root": null, "labels": []}',
        b'{"language": "", "root": null, "labels": [1]}',
        b'{"language": "", "root": null, "labels": [{"id": 1}]}',
        b'{"language": "", "root": null, "labels": [{"id": "a"}, {"id": "a"}]}',
        b'{"language": "", "root": null, "labels": [{"id": "a", "names": {"en": 1}}]}',
        b'{"language": "", "root": null, "labels": [{"id": "a", "broader": ["a"]}]}',
        b'{"language": "", "root": null, "labels": [{"id": "a", "broader": [1]}]}',
        b'{"language": "", "root": null, "labels": [{"id": "a", "deprecated": 1}]}',
        b'{"language": "", "root": null, "labels": [{"id": "a", "more": "x"}]}',
        b'{"language": "", "root": null, "labels": [{"id": "\\ud800"}]}',
        b'{"language": "", "root": null, "labels": [], "more": 1}',
    ],
)
def test_json_of_another_hand(content):
    with pytest.raises(InputError, match="the label vocabulary that the model keeps"):
        len(LabelVocabulary.from_json(content))
