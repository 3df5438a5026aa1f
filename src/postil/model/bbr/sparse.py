"""BXR's form of one weight a line: the model's name, the class, the feature, the weight.

::

    Sparse Model File ver 1
    mine 1 @constant -0.5
    mine 1 75 0.3
    mine 2 98 0.2

A first line ``@allmodels CLASS`` names a reference class, which has no weights.
"""

from __future__ import annotations

from collections.abc import Iterable

from postil.model.bbr.parsed import CONSTANT_IDS, ParsedClass, ParsedModel, refuse
from postil.model.bbr.statements import COMMENT, Statement

TITLE = "Sparse Model File"
ALL_MODELS = "@allmodels"


def read_sparse(lines: Iterable[tuple[int, str]], source: str, title: str) -> ParsedModel:
    """Read the lines that follow the title; time and memory are linear in the weights."""
    model = ParsedModel(polytomous=True, title=title)
    name = ""
    last = 1
    for number, line in lines:
        words = line.split()
        if not words or words[0].startswith(COMMENT):
            continue
        last = number
        if words[0] == ALL_MODELS and len(words) == 2 and not model.classes:
            model.classes[words[1]] = ParsedClass()
            continue
        if len(words) != 4:
            raise refuse(source, number, "a line is a model's name, a class, a feature, a weight")
        if name and words[0] != name:
            raise refuse(
                source,
                number,
                f"the file holds the models {name} and {words[0]}: part it into a file for each",
            )
        name = words[0]
        _take(model, Statement(source, number, words[1], words[2:]))
    if len(model.classes) < 2:
        raise refuse(source, last, "there are not two classes with weights: it is cut short")
    return model


def _take(model: ParsedModel, statement: Statement) -> None:
    feature, word = statement.words
    own = model.classes.setdefault(statement.keyword, ParsedClass())
    value = statement.number(word)
    if feature in CONSTANT_IDS:
        own.intercept += value
    elif feature in own.weights:
        raise statement.refusal(f"the feature {feature} stands twice")
    else:
        own.weights[feature] = value
