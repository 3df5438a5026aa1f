"""`postil inspect --card`: the model card."""

from __future__ import annotations

from dataclasses import replace

from postil.categorizer import TextCategorizer
from postil.corpus.document import Document
from postil.model.card import model_card, plain_text


def test_a_card_has_the_facts_of_the_model_and_nothing_of_it_is_markup(postil, tmp_path):
    names = ("a_b*c*", "[x](y) <b>")
    documents = [
        Document(str(n), {"text": f"word{n % 2} common"}, (names[n % 2],)) for n in range(30)
    ]
    fitted = TextCategorizer().fit_documents([*documents[:13], *documents[13::2]], corpus="c|d")
    fitted.save(tmp_path / "my model.postil")
    result = postil("inspect", "my model.postil", "--card")
    assert result.code == 0
    card = result.out
    model = fitted.model
    assert card.startswith("# my model.postil\n")
    for fact in (
        "Corpus: c\\|d",
        model.training.sha256,
        "Training documents: 22",
        "Labels for each document: 1.00",
        "Categories with fewer than 10 training documents: a\\_b\\*c\\* (7)",
        "Gives each document one of 2 categories.",
        "Decision rule: best",
        "Probabilities: joint",
        "no stop list",
        "postil predict 'my model.postil' documents.csv",
        "**To fill in by whoever publishes this model:**",
    ):
        assert fact in card
    assert plain_text("a\n[x](y) `b`") == r"a\\n\[x\](y) \`b\`"
    row = {"name": "svm", "value": 0.87654, "low": 0.85, "high": 0.9, "chosen": True}
    board = {"measure": "micro-f1", "leaderboard": [row]}
    assert "svm; micro-f1 87.7 % (95 % interval 85.0 to 90.0) on held-out" in model_card(
        replace(model, method={"auto": board}), "m"
    )
    trained = postil("train", "demo", "-o", "demo.postil", "--budget", "none")
    assert trained.code == 0
    card = postil("inspect", "demo.postil", "--card").out
    first = trained.out.splitlines()[0].split()  # micro-F1, its value, %, its interval
    assert f"- Micro-F1: {first[1]} % (" in card
    assert "- Measured on: 100 test documents, learned from 252" in card
    assert ", here from 0." in card
    refused = postil("inspect", "my model.postil", "--card", "--json")
    assert (refused.code, refused.out) == (2, "")
    assert "--card describes the whole model" in refused.err
