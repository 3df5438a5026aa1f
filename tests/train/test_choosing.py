"""The choice of documents that are worth a label, and of those drawn at random."""

from __future__ import annotations

from dataclasses import replace

import pytest

from postil.categorizer import TextCategorizer
from postil.corpus.document import Document
from postil.model.load import load_model
from postil.recipes.recipe import load_recipe
from postil.train.choosing import choose_documents
from postil.train.predict import Predictor

SURE = {"transport": "road traffic lorry", "weather": "snow rain frost"}


def trained(path, *more):
    documents = [
        Document(f"{label}-{n}", {"text": f"{words} report {n}"}, (label,))
        for label, words in SURE.items()
        for n in range(12)
    ]
    documents += more
    TextCategorizer(load_recipe("default")).fit_documents(documents).save(path)
    return Predictor(load_model(path))


@pytest.fixture(scope="module")
def predictor(tmp_path_factory):
    return trained(tmp_path_factory.mktemp("model") / "m.postil")


def pool(sure=200, unsure=10):
    """Return clear documents and a few that are of either category, or of none."""
    words = list(SURE.values())
    clear = [Document(f"s{n}", {"text": f"{words[n % 2]} item{n}"}) for n in range(sure)]
    mixed = [
        Document(f"u{n}", {"text": f"road snow {' '.join(f'w{n}x{k}' for k in range(8))}"})
        for n in range(unsure)
    ]
    return clear[: sure // 2] + mixed + clear[sure // 2 :]


def ids(documents):
    return [document.id for document in documents]


def test_the_unsure_are_chosen_and_told_what_the_model_thinks(predictor):
    choice = choose_documents(pool(), 8, at_random=0, predictor=predictor)
    assert len(choice.worth) == 8
    assert all(name.startswith("u") for name in ids(choice.worth))
    assert (choice.pool, choice.labelled) == (210, 0)
    assert choice.suggested.keys() == set(ids(choice.worth))
    assert all(set(labels) <= set(SURE) and labels for labels in choice.suggested.values())


def test_no_two_near_copies_are_chosen(predictor):
    original = pool(unsure=3)
    text = " ".join(f"word{k}" for k in range(40))
    copies = [Document(f"c{n}", {"text": f"road snow {text} end{n % 5}"}) for n in range(30)]
    choice = choose_documents(original + copies, 12, at_random=0, predictor=predictor)
    assert sum(name.startswith("c") for name in ids(choice.worth)) == 1
    without = choose_documents(original + copies, 12, at_random=0)
    assert sum(name.startswith("c") for name in ids(without.worth)) == 1


@pytest.mark.parametrize("trained", [True, False], ids=["model", "no model"])
def test_the_random_part_is_uniform_by_seed_and_never_chosen_twice(predictor, trained):
    model = predictor if trained else None
    documents = pool()
    first = choose_documents(documents, 20, predictor=model)
    assert len(first.at_random) == 4
    assert len(first.worth) == 16
    assert not set(ids(first.at_random)) & set(ids(first.worth))
    assert all(document.split == "test" for document in first.at_random)
    assert choose_documents(documents, 20, predictor=model) == first
    assert ids(choose_documents(documents, 20, predictor=model, seed=1).at_random) != ids(
        first.at_random
    )
    drawn = [
        name
        for seed in range(200)
        for name in ids(choose_documents(documents, 4, at_random=4, seed=seed).at_random)
    ]
    # 800 draws: each half of the pool has its share.
    place = {document.id: n for n, document in enumerate(documents)}
    assert 320 < sum(place[name] < 105 for name in drawn) < 480


def test_labelled_documents_are_left_out_unless_all_are_wanted(predictor):
    documents = [replace(document, labels=("weather",)) for document in pool(unsure=5)[:105]]
    documents += pool()[105:]
    choice = choose_documents(documents, 10, predictor=predictor)
    assert choice.labelled == 105
    assert not any(document.labels for document in (*choice.worth, *choice.at_random))
    every = choose_documents(documents, 10, predictor=predictor, every=True, at_random=0)
    assert every.labelled == 0
    assert any(document.labels for document in every.worth)


def test_what_is_marked_test_is_only_drawn_at_random(predictor):
    documents = [
        replace(document, split="test") if document.id.startswith("u") else document
        for document in pool()
    ]
    choice = choose_documents(documents, 10, predictor=predictor)
    assert not any(document.split == "test" for document in choice.worth)


def test_documents_that_were_judged_for_some_labels_may_be_worth_another(tmp_path):
    both = [Document(f"b{n}", {"text": " ".join(SURE.values())}, tuple(SURE)) for n in range(4)]
    predictor = trained(tmp_path / "m.postil", *both)
    (unsure,) = pool(sure=0, unsure=1)
    done = Document("done", {"text": "road snow and other words"}, not_labels=tuple(SURE))
    part = replace(unsure, id="part", labels=("transport",), not_labels=())
    choice = choose_documents([done, part], 9, at_random=0, predictor=predictor)
    assert choice.labelled == 0
    assert ids(choice.worth) == ["part", "done"], "there is nothing left to ask of the second"
    assert "transport" not in choice.suggested["part"]
    assert choice.suggested["done"] == {}


@pytest.mark.parametrize(("size", "drawn"), [(3, 1), (10, 2), (30, 6), (60, 10)])
def test_a_fifth_of_a_small_pool_is_drawn_and_the_rest_is_chosen(predictor, size, drawn):
    words = ["alpha beta", "gamma delta", "epsilon zeta", "eta theta"]
    documents = [
        Document(f"d{n}", {"text": f"{words[n % 4]} w{n} v{n} u{n} t{n} s{n}"}) for n in range(size)
    ]
    for model in (predictor, None):
        choice = choose_documents(documents, 50, predictor=model)
        assert len(choice.at_random) == drawn
        assert len(choice.documents) == min(50, size)
        assert sorted(ids(choice.documents)) == sorted(ids(choice.worth + choice.at_random))
        # The best stay in order, and a beginning of any length has its share.
        assert [d for d in choice.documents if d.split is None] == choice.worth
        half = sum(d.split == "test" for d in choice.documents[: len(choice.documents) // 2])
        assert abs(half - drawn / 2) <= 1


def test_a_small_pool_is_chosen_whole(predictor):
    documents = pool(sure=0, unsure=3)
    choice = choose_documents(documents, 50, predictor=predictor)
    assert sorted(ids(choice.worth) + ids(choice.at_random)) == ["u0", "u1", "u2"]
    assert choose_documents([], 5).worth == []
