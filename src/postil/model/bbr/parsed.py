"""What a model file of BBR, BMR or BXR says, whatever form it is written in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from postil.errors import ModelFileError

CONSTANT = "@constant"
# The constant's number in model files, and the one that some of them have instead.
CONSTANT_IDS = frozenset({CONSTANT, "0", "-1"})

LINKS: Mapping[str, str] = {"0": "probit", "1": "logistic", "2": "SVM"}
LOGISTIC = "logistic"


@dataclass(slots=True)
class ParsedClass:
    """The weights of one class by feature, without the constant."""

    weights: dict[str, float] = field(default_factory=dict)
    intercept: float = 0.0
    threshold: float = 0.0


@dataclass(slots=True)
class ParsedModel:
    """Classes by name, in order, and how the file says they came to be.

    ``polytomous``: scores of a document are compared, exp(score) over their sum is a probability.
    Otherwise each class is decided for itself, at its threshold. ``transformed`` holds what the
    program did to vectors before it used them, where that is more than nothing.
    """

    polytomous: bool
    title: str
    classes: dict[str, ParsedClass] = field(default_factory=dict)
    link: str = LOGISTIC
    transformed: dict[str, str] = field(default_factory=dict)


def refuse(source: str, line: int, message: str) -> ModelFileError:
    """The error for a line of a model file."""
    return ModelFileError(f"{source}, line {line}: {message}")
