"""The three collections of section 5.2: their names here and in the paper, and their categories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from postil.assessment import CategorySet
from postil.recipes.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection by the paper's name.

    ``categories`` says which count, and ``wanted`` how many the paper has. ModApte's 90 have
    training and test documents. RCV1-v2's 103 and OHSUMED's 77 are fixed lists, so that one of
    them may lack training documents, or test documents, or both. ``reading`` is what its texts
    want otherwise than a recipe's ``[representation]`` says.
    """

    name: str
    corpus: str
    categories: CategorySet
    wanted: int
    reading: Mapping[str, Any] = field(default_factory=dict)

    def read_by(self, recipe: Recipe) -> Recipe:
        """The recipe for the texts of this collection."""
        return replace(recipe, representation=replace(recipe.representation, **self.reading))


MODAPTE = Collection("ModApte", "reuters-modapte", "shared", 90)
# Its documents are stems already, in one field.
STEMS = {"analyzer": "whitespace", "fields": ("body",)}
RCV1 = Collection("RCV1-v2", "rcv1-v2-sample", "all", 103, STEMS)
OHSUMED = Collection("OHSUMED", "ohsumed", "all", 77)

COLLECTIONS = (MODAPTE, RCV1, OHSUMED)
