"""The fields that a recipe reads if documents lack some that it names."""

from __future__ import annotations

import pytest

from postil.corpus.document import Document
from postil.errors import CorpusError
from postil.recipes.recipe import Recipe, load_recipe
from postil.train import reading as module
from postil.train.reading import FieldsWarning, choose_fields, look_for_fields, read_training
from postil.train.train import train

WANTED = ("title", "body")


def documents(*fields, count=12):
    return [
        Document(str(i), dict.fromkeys(fields, f"word{i % 2} other"), (f"c{i % 2}",))
        for i in range(count)
    ]


def chosen(present, wanted=WANTED):
    return choose_fields(wanted, present, "recipe r", "c.csv")


@pytest.mark.parametrize(
    ("present", "read"),
    [
        (("title", "body"), ("title", "body")),
        (("body", "author", "title"), ("title", "body")),
        (("body",), ("body",)),
        (("title", "abstract"), ("title",)),
        (("text",), ("text",)),
    ],
)
def test_those_that_are_there_or_the_only_one(present, read):
    names, note = chosen(present)
    assert names == read
    assert bool(note) == (read != WANTED)
    for name in read if note else ():
        assert name in note


def test_a_note_says_what_is_left_out_and_how_to_have_it():
    assert chosen(("title", "abstract"))[1] == (
        "recipe r wants the fields title, body; c.csv has no body, so title is read and abstract "
        "not; to read it, --text-columns abstract=body"
    )
    assert chosen(("text",))[1] == (
        "recipe r wants the fields title, body; c.csv has only text, which is read instead"
    )


@pytest.mark.parametrize("present", [(), ("subject", "message")])
def test_several_others_are_not_guessed_among(present):
    with pytest.raises(CorpusError, match="no document has the field title, body") as caught:
        chosen(present)
    assert "--text-columns" in str(caught.value)


def test_looking_stops_as_soon_as_all_are_seen():
    seen = []

    def stream():
        for document in documents("title", "body"):
            seen.append(document.id)
            yield document

    recipe, given, _, note = look_for_fields(load_recipe("logistic"), stream(), "c")
    assert seen == ["0"]
    assert [d.id for d in given] == [d.id for d in documents("title", "body")]
    assert (recipe, note) == (load_recipe("logistic"), "")


def test_a_recipe_that_wants_no_field_in_particular_looks_at_nothing():
    recipe, given, _, note = look_for_fields(load_recipe("default"), documents("a", "b"), "c")
    assert recipe == load_recipe("default")
    assert len(list(given)) == 12
    assert not note


def test_a_wanted_field_that_comes_too_late_is_an_error(monkeypatch):
    monkeypatch.setattr(module, "LOOKED_AT", 5)
    mixed = [*documents("body", count=6), *documents("title", count=1)]
    with pytest.raises(CorpusError, match=r"c\.csv, document 0: has the field title"):
        read_training(mixed, load_recipe("logistic"), corpus="c.csv", notify=print)
    # Within those looked at it is no matter.
    mixed = [*documents("body", count=4), *documents("title", count=1)]
    recipe, given, _, note = look_for_fields(load_recipe("logistic"), mixed, "c.csv")
    assert (recipe.representation.fields, len(list(given)), note) == (WANTED, 5, "")


@pytest.mark.parametrize(
    ("fields", "read", "apart"),
    [
        (("title", "body"), ["title", "body"], True),
        (("body",), ["body"], False),
        (("text",), ["text"], False),
    ],
)
def test_the_model_keeps_the_fields_that_were_read(fields, read, apart):
    told = []
    model = train(documents(*fields), load_recipe("logistic"), corpus="c.csv", notify=told.append)
    assert model.vectorizer.fields.names == tuple(read)
    assert model.recipe["representation"]["fields"] == read
    assert model.recipe["representation"]["apart"] is apart
    assert model.vectorizer.terms > 0
    assert sum("wants the fields" in note for note in told) == (read != ["title", "body"])
    Recipe.from_dict(model.recipe)


def test_three_fields_of_which_two_are_there_stay_apart():
    table = load_recipe("logistic").to_dict()
    table["representation"]["fields"] = ["title", "lead", "body"]
    recipe, _, _, note = look_for_fields(Recipe.from_dict(table), documents("lead", "body"), "c")
    assert note.endswith("c has no title, so lead and body are read")
    assert recipe.representation.fields == ("lead", "body")
    assert recipe.representation.apart


def test_without_anybody_to_tell_it_is_a_warning():
    with pytest.warns(FieldsWarning, match="has no title, so body is read") as caught:
        train(documents("body"), load_recipe("logistic"))
    assert caught[0].filename == __file__


def test_documents_marked_test_do_not_count():
    test = Document("t", {"title": "word1"}, ("c1",), "test")
    told = []
    model = train([*documents("body"), test], load_recipe("logistic"), notify=told.append)
    assert model.vectorizer.fields.names == ("body",)
