"""The three collections of section 5.2: their names, texts and categories.

Section 5.2.1 names the program that cut the texts of ModApte and OHSUMED, and how many distinct
terms it left: 18,978 in the training documents of ModApte, 21,989 in all. By the rules of that
program (``trec`` and ``porter-amended`` in an analyzer), on what stands in <TITLE> and <BODY> with
entities decoded, so that names of companies in angle brackets are lost as markup, there are 18,978
and 21,987 here; the other two are of eight stories with stray control characters, which part words
here and were dropped there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, cast

from postil.corpus.corpus import Corpus
from postil.corpus.opening import open_corpus
from postil.recipes.recipe import Recipe
from postil.train.assess import CategorySet
from postil_papers.cells import Json
from postil_papers.experiment import Settings


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection by the paper's name.

    ``categories`` says which count, and ``wanted`` how many the paper has. ModApte's 90 have
    training and test documents. RCV1-v2's 103 and OHSUMED's 77 are fixed lists, so that one of
    them may lack training documents, or test documents, or both. ``reading`` is what its texts
    want otherwise than a recipe's ``[representation]`` says, and ``choices`` what its reader is
    told.
    """

    name: str
    corpus: str
    categories: CategorySet
    wanted: int
    reading: Mapping[str, Any] = field(default_factory=dict)
    choices: Mapping[str, Json] = field(default_factory=dict)

    TOLD: ClassVar[tuple[str, ...]] = ("corpus", "choices", "categories", "wanted")

    def settings(self) -> dict[str, Json]:
        """What a run is told of it."""
        return {name: getattr(self, name) for name in self.TOLD}

    def read_by(self, recipe: Recipe) -> Recipe:
        """The recipe for the texts of this collection."""
        return replace(recipe, representation=replace(recipe.representation, **self.reading))


# Lemur's reader of TREC files, its stemmer, and the stop list that the paper names.
LEMUR = {"analyzer": "trec lower stop(smart) stem(porter-amended)"}
# Its documents are stems already, in one field.
STEMS = {"analyzer": "whitespace", "fields": ("body",)}

MODAPTE = Collection("ModApte", "reuters-modapte", "shared", 90, LEMUR, {"loose_text": False})
RCV1 = Collection("RCV1-v2", "rcv1-v2-sample", "all", 103, STEMS)
OHSUMED = Collection("OHSUMED", "ohsumed", "all", 77, LEMUR)

COLLECTIONS = (MODAPTE, RCV1, OHSUMED)


def corpus_of(settings: Settings) -> Corpus:
    """The documents that settings name."""
    choices = cast("Mapping[str, Json]", settings["choices"])
    return open_corpus(str(settings["corpus"]), choices=choices)
