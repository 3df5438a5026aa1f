"""A check finds each problem in a corpus that has it, and none in a corpus without."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from postil.check.check import NAMES, check_corpus
from postil.check.cleaning import Cleaning
from postil.check.page import render_check
from postil.check.terminal import check_lines
from postil.corpus.corpus import Corpus
from postil.corpus.document import Document
from postil.corpus.label_vocabulary import LabelEntry, LabelVocabulary
from postil.errors import InputError

WORDS = {
    "sport": "goal match team player league striker keeper cup",
    "weather": "snow rain cloud wind storm sun frost gale",
    "courts": "judge law trial jury fine verdict appeal lawyer",
}
COMMON = [
    "the",
    "a",
    "of",
    "to",
    "and",
    "in",
    "on",
    "for",
    "with",
    "at",
    "by",
    "was",
    "were",
    "said",
]


def made(count=240, seed=1, test=5):
    """Documents of three labels, each with words of its own, every fifth marked test."""
    chance = random.Random(seed)
    documents = []
    for number in range(count):
        label = list(WORDS)[number % 3]
        own = WORDS[label].split()
        words = [
            chance.choice(chance.choice([own, COMMON, [f"word{chance.randrange(500)}"]]))
            for _ in range(30)
        ]
        split = "test" if test and number % test == 0 else "train"
        documents.append(Document(f"d{number}", {"body": " ".join(words)}, (label,), split))
    return documents


def body(document, text):
    return replace(document, fields={"body": text})


def nearly(document):
    words = document.fields["body"].split()
    words[4] = "otherwise"
    return " ".join(words)


def corpus_of(documents):
    return Corpus("made", lambda _: iter(documents))


def check_of(documents, *, quick=True):
    return check_corpus(corpus_of(documents), quick=quick, threads=2)


def found_in(documents, kind, *, quick=True):
    (finding,) = (each for each in check_of(documents, quick=quick).findings if each.kind == kind)
    return finding


def test_a_corpus_without_problems_has_none():
    check = check_of(made(), quick=False)
    assert check.findings == ()
    assert check.suspects == check.skipped == ()
    assert check.absent == tuple(NAMES.values())


def test_the_same_text_in_train_and_test_and_its_effect_on_the_score():
    documents = made()
    for number in (0, 15, 30):
        documents[number + 1] = replace(documents[number], id=f"copy{number}", split="train")
    documents[46] = body(documents[46], nearly(documents[45]))
    finding = found_in(documents, "same_in_train_and_test", quick=False)
    assert (finding.count, finding.numbers["exact"]) == (4, 3)
    assert "4 documents marked test (8.3 %) have a copy or near copy in training" in finding.summary
    assert "A quick model scores accuracy" in finding.summary
    assert 0.9 < finding.numbers["score_without_copies"] <= 1
    first, second = finding.examples[:2]
    assert (first.group, first.split, second.group, second.split) == (1, "train", 1, "test")
    assert second.note == "the same text"
    assert finding.examples[7].note.endswith("of the runs of three words are shared")


def test_the_same_text_under_different_labels():
    documents = made()
    documents[1] = body(documents[1], documents[2].fields["body"].upper())
    documents[4] = body(documents[4], nearly(documents[3]))
    finding = found_in(documents, "same_text_other_labels")
    assert (finding.count, finding.numbers) == (2, {"texts": 1, "groups_of_near_copies": 2})
    assert {example.labels for example in finding.examples} == {("weather",), ("courts",)}


def test_likely_label_errors():
    documents = made()
    documents[7] = replace(documents[7], labels=("sport",))
    documents[10] = replace(documents[10], labels=("courts",))
    check = check_of(documents, quick=False)
    assert [check.facts.ids[each.row] for each in check.suspects] in (["d7", "d10"], ["d10", "d7"])
    finding = found_in(documents, "label_errors", quick=False)
    assert finding.count == 2
    assert finding.numbers == {"marked_test": 1}
    assert {"probably weather" in example.note for example in finding.examples} == {True}


def test_labels_that_look_alike():
    documents = made()
    documents[3] = replace(documents[3], labels=("Sport",))
    documents[4] = replace(documents[4], labels=("wether",))
    finding = found_in(documents, "labels_alike")
    assert finding.rows == (
        ("Sport", "1", "sport", "79", "spelled alike"),
        ("wether", "1", "weather", "79", "mistyped?"),
    )


def test_copies_and_near_copies():
    documents = made()
    documents[3] = replace(documents[9], id="same")
    documents[4] = replace(documents[7], id="relabelled", labels=("sport",))
    documents[12] = body(documents[12], nearly(documents[6]))
    check = check_of(documents)
    copies, near = (each for each in check.findings if each.kind in ("copies", "near_copies"))
    assert (copies.count, copies.numbers) == (2, {"droppable": 1})
    assert (near.count, near.numbers) == (2, {"groups": 1, "largest": 2})
    assert copies.groups == (("same", "d9"), ("relabelled", "d7"))
    assert near.groups == (("d6", "d12"),)
    assert near.examples[0].note == "a group of 2 texts: d6, d12"


def test_the_page_tells_where_copies_are_and_how_many_it_shows():
    documents = made()
    for number in range(0, 90, 3):
        documents[number + 1] = replace(documents[number], id=f"copy{number}")
    documents += [replace(documents[0], id=f"again{n}") for n in range(23)]
    page = render_check(check_of(documents))
    assert "<h3>Examples (5 of 30)</h3>" in page
    listed = ", ".join(["d0", "copy0", *(f"again{n}" for n in range(8))])
    assert f"25 documents have this text: {listed} and 15 more" in page


def test_examples_of_near_copies_begin_where_they_differ():
    documents = made()
    words = [f"word{n}" for n in range(80)]
    documents[3] = body(documents[3], " ".join(words))
    documents[6] = body(documents[6], " ".join([*words[:60], "changed", *words[61:]]))
    first, second = found_in(documents, "near_copies").examples
    assert first.text.startswith("… word52 ")
    assert " word59 word60 word61 " in first.text
    assert " word59 changed word61 " in second.text


def test_labels_of_one_vocabulary_entry_are_one_and_have_its_name():
    documents = made()
    documents[3] = replace(documents[9], id="same", labels=("S1",))
    assert [each.labels for each in documents if each.id in ("same", "d9")] == [("S1",), ("sport",)]
    vocabulary = LabelVocabulary([LabelEntry("S1", {"en": "Sport"}), LabelEntry("W", {})])
    check = check_corpus(corpus_of(documents), vocabulary=vocabulary, threads=2)
    assert check.facts.labels.names == ("Sport", "courts", "weather")
    kinds = {each.kind: each for each in check.findings}
    assert kinds.keys() == {"copies"}
    assert kinds["copies"].examples[0].labels == ("Sport",)
    assert kinds["copies"].numbers == {"droppable": 1}
    assert "2 labels of the documents, of 3, are not in the label vocabulary" in check.notes[0]


def test_passages_that_many_documents_share():
    documents = made()
    for number in range(0, 60, 3):
        text = documents[number].fields["body"]
        documents[number] = body(documents[number], f"{text}.\nSent from a phone that writes this.")
    finding = found_in(documents, "repeated_passages")
    assert finding.rows == (("sent from a phone that writes this.", "20", "sport (100 %)"),)
    # Copies of one document are one document.
    documents = made() + [replace(made()[1], id=f"again{n}") for n in range(30)]
    assert "repeated_passages" not in {each.kind for each in check_of(documents).findings}


def test_labels_that_always_come_together():
    documents = [
        replace(each, labels=("sport", "ball", "play") if n % 6 == 0 else each.labels)
        for n, each in enumerate(made())
    ]
    finding = found_in(documents, "always_together")
    assert finding.rows[0] == ("ball", "40", "play", "40")
    assert ("ball", "40", "sport", "80") in finding.rows
    assert finding.numbers == {"same_documents": 1}


def test_documents_without_words_or_labels_and_of_strange_length():
    documents = made()
    documents[1] = body(documents[1], "…")
    documents[2] = replace(documents[2], labels=())
    documents[4] = body(documents[4], "Goal")
    documents[7] = body(documents[7], "rain and snow " * 500)
    kinds = {each.kind: each for each in check_of(documents).findings}
    assert kinds.keys() == {"empty", "unlabelled", "short_or_long"}
    assert kinds["empty"].examples[0].text == "…"
    assert kinds["unlabelled"].count == 1
    assert [example.note for example in kinds["short_or_long"].examples] == [
        "1 word",
        "1,500 words",
    ]


def test_signs_of_a_wrong_encoding():
    documents = made()
    right = "Dürre, café, Â and naïveté — “quoted”: ÃO"
    for number, text in enumerate(
        (right.encode().decode("cp1252", "ignore"), "caf\ufffd", "a\x00b")
    ):
        documents[number] = body(documents[number], text + " " + documents[number].fields["body"])
    documents[3] = body(documents[3], right + " " + documents[3].fields["body"])
    finding = found_in(documents, "damaged")
    assert sorted(finding.numbers.values()) == [1, 1, 1]
    assert {example.id for example in finding.examples} == {"d0", "d1", "d2"}


def test_several_languages():
    pytest.importorskip("py3langid")
    english = "The council met on Monday evening to talk about the new bridge over the river"
    german = "Der Rat der Stadt kam am Montag zusammen und sprach über die neue Brücke am Fluss"
    documents = [
        body(each, f"{german if n % 10 == 0 else english} on day {n}, and they said so {n} times")
        for n, each in enumerate(made())
    ]
    finding = found_in(documents, "languages")
    assert finding.count == 24
    assert finding.numbers == {"English": 216, "German": 24}


def test_rare_labels_tell_how_many_more_they_need():
    documents = made()
    documents[1] = replace(documents[1], labels=("rare",))
    documents[5] = replace(documents[5], labels=("unseen",))
    finding = found_in(documents, "rare_labels")
    assert finding.rows == (("unseen", "0", "10"), ("rare", "1", "9"))
    assert finding.numbers == {"needed": 19, "without_training_documents": 1}


def test_what_cannot_be_looked_for_is_said():
    no_labels = check_of([replace(each, labels=(), split=None) for each in made(30)], quick=False)
    assert no_labels.findings == ()
    assert "no document has a label" in no_labels.skipped[0]
    assert "labels" not in " ".join(no_labels.absent)
    few = check_of(made(9, test=0), quick=False)
    assert "fewer than 20 labelled training documents" in few.skipped[0]
    assert "likely label errors" not in few.absent
    assert "the same text in train and test" not in few.absent
    with pytest.raises(InputError, match="made has no document"):
        check_of([])


def problematic():
    """Documents with problems of many kinds, and names that are markup and controls."""
    documents = made()
    documents[1] = replace(documents[0], id="<i>id</i>", split="train")
    documents[2] = replace(documents[9], id="again", split="train")
    documents[3] = body(documents[3], nearly(documents[6]))
    documents[4] = replace(documents[4], labels=("<b>x</b>\x1b[31m",), group="thread")
    documents[7] = body(documents[7], "<script>alert(1)</script> & \x1b[31m \x00")
    return documents


def test_the_page_escapes_what_comes_from_outside():
    page = render_check(check_of(problematic()))
    assert "<script" not in page
    assert "<b>x" not in page
    assert "<i>id" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "\x1b" not in page
    assert "\x00" not in page


def test_text_and_json_tell_the_same():
    check = check_of(problematic())
    told = json.loads(json.dumps(check.to_dict()))
    assert told == check.to_dict()
    assert told["splits"] == {"train": 192, "test": 48}
    kinds = [finding["kind"] for finding in told["findings"]]
    assert kinds == [kind for kind in NAMES if kind in kinds]  # those that hurt most come first
    lines = list(check_lines(check, width=80))
    assert "\x1b" not in "".join(lines)
    assert all(len(line) <= 80 for line in lines)
    for number, finding in enumerate(told["findings"], 1):
        assert f"{number:>2}  {finding['title']}" in lines
    assert lines[-1].startswith("not looked for: likely label errors")


def test_fixes_drop_copies_and_group_near_copies():
    documents = problematic()
    cleaning = Cleaning.of(check_of(documents))
    kept = {each.id: each for each in cleaning.of_documents(documents)}
    assert len(kept) == 239
    # The first is in another split, so it stays; the third repeats the tenth, which comes later.
    assert "d9" not in kept
    assert kept["d0"].group == kept["<i>id</i>"].group == "copies of d0"
    assert kept["d3"].group == kept["d6"].group == "copies of d3"
    assert kept["d4"].group == "thread"
    assert kept["again"].group is None
    assert all(replace(each, group=None) in map(ungrouped, documents) for each in kept.values())


def ungrouped(document):
    return replace(document, group=None)


def test_near_copies_join_groups_and_documents_keep_their_own():
    documents = made()
    documents[3] = replace(documents[3], group="a")
    documents[4] = replace(body(documents[4], nearly(documents[3])), group=None)
    documents[5] = replace(body(documents[5], nearly(documents[3])), group="b")
    documents[6] = replace(documents[6], group="b")
    kept = list(Cleaning.of(check_of(documents)).of_documents(documents))
    assert [kept[number].group for number in (3, 4, 5, 6, 7)] == ["a", "a", "b", "b", None]
