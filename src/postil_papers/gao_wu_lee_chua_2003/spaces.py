"""Documents as the learners see them: terms, or points in the first directions of LSI."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import scipy.sparse as sp

from postil.common.types import Flags
from postil.errors import UsageError
from postil.features.inputs import Csr
from postil.learn.job import Design, Labels
from postil.recipes.parts import Representation
from postil.vectors.lsi import Lsi
from postil.vectors.projection import Projection
from postil_papers.cells import Json
from postil_papers.experiment import tell
from postil_papers.zhang_jin_yang_hauptmann_2003.collections import documents_of
from postil_papers.zhang_jin_yang_hauptmann_2003.tasks import Vectors, vectors_of


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """Training documents to learn from, and test documents to decide on."""

    design: Design
    labels: Labels
    unseen: Csr
    truth: Flags

    def only(self, category: str) -> Space:
        """The same with one category; the others' documents are all outside it."""
        if category not in self.labels.names:
            raise UsageError(f"no document is in {category}")
        place = self.labels.names.index(category)
        members = sp.csr_matrix(self.labels.members[:, [place]], dtype=bool)
        labels = Labels((category,), members)
        return Space(self.design, labels, self.unseen, self.truth[:, [place]])


class Spaces:
    """Vectors of a collection, and points of them in any number of directions.

    Directions are found once, as many as the representation has; fewer are the first of them.
    """

    def __init__(self, vectors: Vectors, representation: Representation) -> None:
        self.vectors = vectors
        self.representation = representation

    @cached_property
    def projection(self) -> Projection:
        """All directions that are asked for, found on the training documents."""
        wanted = self.representation.lsi
        if wanted is None:
            raise UsageError("the representation has no directions; give lsi")
        training = self.vectors.matrix[self.vectors.learned]
        return Projection.learned(training, wanted, self.representation.length, progress=tell)

    def of_terms(self) -> Space:
        """The vectors as they are."""
        return self._space(sp.csr_matrix(self.vectors.matrix))

    def of_directions(self, dimensions: int) -> Space:
        """Points in the first directions, each scaled to the representation's length there.

        Cost: non-zeros × directions; memory: documents × directions.
        """
        points = narrowed(self.projection, dimensions).points(self.vectors.matrix)
        return self._space(sp.csr_matrix(points))

    def whole(self) -> Space:
        """What the representation says: all its directions, or terms where it has none."""
        if self.representation.lsi is None:
            return self.of_terms()
        return self.of_directions(self.projection.directions)

    def _space(self, matrix: Any) -> Space:  # noqa: ANN401 - a scipy sparse matrix
        learned, tested = self.vectors.learned, self.vectors.tested
        return Space(
            Design(matrix[learned]),
            self.vectors.labels.of_documents(learned),
            matrix[tested],
            self.vectors.labels.of_documents(tested).members.toarray(),
        )


def narrowed(projection: Projection, dimensions: int) -> Projection:
    """The first directions of a projection, or all where it has no more."""
    count = min(dimensions, projection.directions)
    lsi = Lsi(count, scaled=True)
    known = projection.lsi
    lsi.set_directions(known.singular_values[:count], known.term_vectors[:, :count])
    return Projection(lsi, projection.length)


def spaces_of(settings: Mapping[str, Json], representation: Representation) -> Spaces:
    """The vectors of the collection that settings name; those used last are kept."""
    return _spaces(str(settings["corpus"]), str(settings["documents"]), representation)


@lru_cache(maxsize=2)
def _spaces(corpus: str, documents: str, representation: Representation) -> Spaces:
    tell("reading", 0, None)
    read = documents_of({"corpus": corpus, "documents": documents})
    return Spaces(vectors_of(read, representation), representation)


def forget() -> None:
    """Read collections anew from now on."""
    _spaces.cache_clear()
