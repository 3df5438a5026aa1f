"""New documents learned on top of a categorizer."""

from __future__ import annotations

from itertools import chain, repeat

import pytest

from postil.categorizer import TextCategorizer
from postil.errors import InputError, PostilError, UsageError
from postil.model import model_to_bytes
from postil.train.update import update

from .update_samples import NEW, OLD, documents, recipe


class TestCategorizer:
    TEXTS = tuple(text for text, _ in OLD)
    LABELS = tuple(list(labels) for _, labels in OLD)

    def made(self, **representation):
        chosen = recipe(representation={"weights": "counts", "norm": "none", **representation})
        return TextCategorizer(chosen, threads=1).fit(self.TEXTS, self.LABELS)

    def test_it_learns_more(self, tmp_path):
        categorizer = self.made()
        new, labels = [text for text, _ in NEW], [names for _, names in NEW]
        assert categorizer.update(new, labels, passes=30) is categorizer
        assert categorizer.categories == ("boats", "sheep", "weather")
        assert [set(given) for given in categorizer.predict(new)] == [
            set(names) for names in labels
        ]
        categorizer.save(tmp_path / "m.postil")
        loaded = TextCategorizer.load(tmp_path / "m.postil").update(["wool"], [["sheep"]])
        assert loaded.model.training.documents == 13
        assert len(loaded.model.method["updates"]) == 2

    def test_it_is_what_update_does(self):
        categorizer = self.made()
        model = categorizer.model
        documents_ = documents(NEW)
        categorizer.update_documents(documents_, corpus="new")
        expected = update(model, documents_, corpus="new", threads=1)
        assert model_to_bytes(categorizer.model) == model_to_bytes(expected)

    def test_fields_of_texts(self):
        plain = self.made(fields=["text"])
        new = {"text": ["wool", "ice"]}
        plain.update(["wool rises"], [["sheep"]]).update(new, [["sheep"], ["weather"]])
        assert plain.model.vectorizer.vocabulary.names[-1] == "ice"
        chosen = recipe(representation={"fields": ["title", "body"], "weights": "counts"})
        both = TextCategorizer(chosen, threads=1)
        both.fit({"title": ["wool", "sea"], "body": ["a", "b"]}, [["sheep"], ["boats"]])
        both.update({"title": ["ice", "sea"], "body": ["c", "b"]}, [["weather"], ["boats"]])
        assert both.categories == ("boats", "sheep", "weather")
        with pytest.raises(UsageError, match="each field to its texts"):
            both.update(["ice"], [["weather"]])

    @pytest.mark.parametrize(
        "ask",
        [
            lambda asked: asked.decision_function(["wool"]).tolist(),
            lambda asked: asked.predict(["wool"]),
            lambda asked: asked.predict_proba(["wool"]).tolist(),
            lambda asked: asked.explain("wool", "sheep")[0].to_dict(),
        ],
    )
    def test_an_update_meanwhile_does_not_mix_two_models(self, ask, monkeypatch):
        chosen = recipe(
            representation={"weights": "counts"}, decide={"calibration": "platt", "folds": 2}
        )
        categorizer = TextCategorizer(chosen, threads=1).fit(self.TEXTS, self.LABELS)
        expected, old = ask(categorizer), categorizer.predictor
        categorizer.update(*zip(*NEW, strict=True))
        versions = chain([old], repeat(categorizer.predictor))
        monkeypatch.setattr(TextCategorizer, "predictor", property(lambda _: next(versions)))
        assert ask(categorizer) == expected

    def test_a_new_category_needs_documents_without_it(self):
        plain = self.made(fields=["text"])
        with pytest.raises(InputError, match="new category weather, so the model"):
            plain.update(["ice"], [["weather"]])

    def test_what_fails_leaves_what_was_learned(self):
        categorizer = self.made()
        before = categorizer.model
        for texts, labels, told in (
            ("one text", [["a"]], "received one text"),
            (["wool"], [], "texts and labels differ, 1 and 0"),
            (["wool"], [[None]], "one of its labels is None"),
            ([float("nan")], [["a"]], "a text must be a str"),
            ([], [], "there is no text: give texts"),
            (["wool"], [[]], "has a label"),
        ):
            with pytest.raises(PostilError, match=told):
                categorizer.update(texts, labels)
        with pytest.raises(UsageError, match="update_documents takes documents, not a path"):
            categorizer.update_documents("new.csv")
        with pytest.raises(UsageError, match="give texts and labels to update"):
            categorizer.update_documents(["wool"])
        assert categorizer.model is before

    def test_it_has_to_have_learned_something(self):
        with pytest.raises(UsageError, match="has learned nothing yet: call fit first"):
            TextCategorizer(recipe()).update(["wool"], [["sheep"]])
        other = TextCategorizer("default", threads=1).fit(self.TEXTS, self.LABELS)
        with pytest.raises(UsageError, match="cannot be updated"):
            other.update(["wool"], [["sheep"]])
