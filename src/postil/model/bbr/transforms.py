"""What a model file says was done to vectors before they were used."""

from __future__ import annotations

from postil.model.bbr.parsed import ParsedModel
from postil.model.bbr.statements import Statement

TRANSFORMS = ("tfMethod", "idfMethod", "cosineNormalize")
IDF = "idf"
# Which features there were, and how many: said again by those that have weights.
PASSED_OVER = ("featRestrict", "featRestrictRange", "nclasses")

_SENTENCES = {
    "tfMethod": "the logarithm of counts was taken (tfMethod {})",
    "idfMethod": "weights were multiplied by an idf (idfMethod {})",
    "cosineNormalize": "vectors were divided by their norm (cosineNormalize {})",
}


def note_transform(model: ParsedModel, statement: Statement) -> None:
    """Keep what was done, as a sentence, where it was anything."""
    method = statement.whole()
    if method:
        model.transformed[statement.keyword] = _SENTENCES[statement.keyword].format(method)


def check_design(statement: Statement) -> None:
    """Refuse features that the program made of several."""
    if statement.whole() != 0:
        raise statement.refusal("only 0, features as they are, can be read; not interactions")
