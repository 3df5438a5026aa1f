"""Models with a projection, a combination, or both."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from postil.corpus.document import Document
from postil.decide.decision import DecisionRule, Thresholds
from postil.learn.combining import Rivals, Trees
from postil.model import Model
from postil.recipes.recipe import Recipe
from postil.train.train import train

from .samples import fingerprint, platt

STORIES = [
    "wool prices rise and fleece is dear",
    "the ferry leaves the harbour at nine",
    "fleece and wool and lambs in winter",
    "a harbour ferry in the winter storm",
    "lambs on the ferry, wool in the harbour",
    "nothing known here",
    "",
]
LABELS = [("sheep",), ("boats",), ("sheep",), ("boats",), ("boats", "sheep"), (), ()]
# Of "boats": the root and, where it says yes, another node. Of "sheep" three, one below the other.
FOREST = Trees(roots=[0, 1], yes=[2, 3, -1, -1, -1], no=[-1, -1, -1, 4, -1])


def documents() -> list[Document]:
    return [
        Document(str(number), {"text": text}, labels)
        for number, (text, labels) in enumerate(zip(STORIES, LABELS, strict=True))
    ]


def lsi_recipe(lsi: int | str = 3, length: float | None = 3.0, **changes: object) -> Recipe:
    table = {
        "name": "directions",
        "representation": {"analyzer": "words lower", "lsi": lsi}
        | ({} if length is None else {"length": length}),
        "learn": {"loss": "logistic", "lam": 0.01},
    }
    return Recipe.from_dict(table | changes)


def projected_model(**settings: object) -> Model:
    """Two categories learned in three directions of length 3."""
    return train(documents(), lsi_recipe(**settings), corpus="sheep and boats", threads=1)


def base_of(model: Model) -> dict[str, object]:
    """Return the parts that models of the same documents share."""
    return {
        "vectorizer": model.vectorizer,
        "names": model.names,
        "projection": model.projection,
        "decision": DecisionRule("default", Thresholds(np.zeros(2)), np.zeros(2, np.uint8)),
        "calibration": platt(2),
        "training": fingerprint([3, 3], 7),
        "recipe": model.recipe,
        "method": model.method,
        "created_by": "postil 0.1.0",
    }


def forest_model(**changes: object) -> Model:
    """Trees over directions: five nodes for two categories."""
    learned = projected_model()
    nodes = np.random.default_rng(3).standard_normal((5, learned.projection.directions))
    return Model(
        **base_of(learned)
        | {
            "weights": learned.projection.fold(sp.csr_matrix(nodes)),
            "intercepts": np.array([0.5, 0.25, -0.5, -0.125, 0.75]),
            "combination": FOREST,
        }
        | changes
    )


def rivals_model(**changes: object) -> Model:
    """Two rivals, by terms alone."""
    learned = projected_model()
    return Model(
        **base_of(learned)
        | {
            "projection": None,
            "weights": learned.weights,
            "intercepts": learned.intercepts,
            "combination": Rivals(2, 2.5),
        }
        | changes
    )


def kernel_recipe(kernel: str = "polynomial(2)", **changes: object) -> Recipe:
    table = {
        "name": "kernel",
        "representation": {"analyzer": "words lower"},
        "learn": {"learner": "kernel", "kernel": kernel, "loss": "hinge", "lam": 0.01},
    }
    return Recipe.from_dict(table | changes)


def kernel_model(kernel: str = "polynomial(2)") -> Model:
    """Sums of a kernel with support documents."""
    return train(documents(), kernel_recipe(kernel), corpus="sheep and boats", threads=1)


def best_of(model: Model) -> Model:
    """The same model, giving each document its best category."""
    rule = DecisionRule(
        "best", Thresholds(np.zeros(2)), np.zeros(2, np.uint8), at_least=1, at_most=1
    )
    return replace(model, decision=rule)


COMBINED = {
    "projection": projected_model,
    "forest": forest_model,
    "rivals": rivals_model,
    "projected rivals": lambda: rivals_model(projection=projected_model().projection),
    "forest of terms": lambda: forest_model(projection=None),
    "kernel": kernel_model,
    "exponential kernel": lambda: kernel_model("exponential(0.5)"),
}
