"""The collections of section 5: which documents they have, in which categories, and how read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from postil.corpus.corpus import Corpus
from postil.corpus.document import Document
from postil.corpus.named.webkb import MISCELLANEOUS
from postil.corpus.opening import open_corpus
from postil.recipes.recipe import Recipe
from postil_papers.cells import Json

Documents: TypeAlias = Iterable[Document]
DEPARTMENT, OTHER = "department", "other"


def labelled(corpus: Corpus) -> Iterator[Document]:
    """Documents with a category that training and test documents share, and only such labels.

    That leaves 90 categories of Reuters. Costs two passes.
    """
    seen: dict[str | None, set[str]] = {}
    for document in corpus:
        seen.setdefault(document.split, set()).update(document.labels)
    shared = seen.get("train", set()) & seen.get("test", set())
    for document in corpus:
        labels = tuple(label for label in document.labels if label in shared)
        if labels:
            yield replace(document, labels=labels)


def as_published(corpus: Corpus) -> Iterator[Document]:
    """The same, with < and & written as in the published copy of the 90 categories (ApteMod).

    That was cut out of the marked-up files as they are: ``GAF Corp &lt;GAF>``. So lt is a word
    there, of stories on companies.
    """
    for document in labelled(corpus):
        yield replace(document, fields={n: marked_up(text) for n, text in document.fields.items()})


def marked_up(text: str) -> str:
    """The signs of markup as the files of Reuters-21578 write them; > is itself there."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def with_titles_twice(corpus: Corpus) -> Iterator[Document]:
    """The same, with the headline in the story, too."""
    for document in labelled(corpus):
        fields = document.fields
        body = f"{fields.get('title', '')}\n{fields.get('body', '')}"
        yield replace(document, fields={**fields, "body": body})


def swapped(corpus: Corpus) -> Iterator[Document]:
    """Test documents to learn from, and training documents to test on (section 5, RCV1)."""
    for document in corpus:
        yield replace(document, split="train" if document.split == "test" else "test")


def with_archives(corpus: Corpus) -> Iterator[Document]:
    """Training documents of arXiv, those of ``math.AG`` in ``math.*`` too.

    The archives are the top of a hierarchy, as the four codes of RCV1 are.
    """
    for document in corpus:
        if document.split != "test":
            above = (f"{label.partition('.')[0]}.*" for label in document.labels if "." in label)
            yield replace(document, labels=tuple(dict.fromkeys([*document.labels, *above])))


def four_universities(pages: Documents) -> Iterator[Document]:
    """The pages of the four universities, without those from elsewhere."""
    return (page for page in pages if page.id.split("/")[1] != MISCELLANEOUS)


def without(pages: Documents, label: str) -> Iterator[Document]:
    """The pages of all classes but one."""
    return (page for page in pages if label not in page.labels)


def univ_6(corpus: Corpus) -> Iterator[Document]:
    """The reading taken for Univ-6: the four universities, without department."""
    return without(four_universities(corpus), DEPARTMENT)


def department_as_other(corpus: Corpus) -> Iterator[Document]:
    """The four universities, with the pages of departments among the others."""
    for page in four_universities(corpus):
        yield replace(page, labels=(OTHER,)) if DEPARTMENT in page.labels else page


def all_but_department(corpus: Corpus) -> Iterator[Document]:
    """The pages from everywhere, without department."""
    return without(corpus, DEPARTMENT)


def all_but_other(corpus: Corpus) -> Iterator[Document]:
    """The pages from everywhere, without other."""
    return without(corpus, OTHER)


READERS: dict[str, Callable[[Corpus], Documents]] = {
    "labelled": labelled,
    "as published": as_published,
    "titles twice": with_titles_twice,
    "swapped": swapped,
    "with archives": with_archives,
    "four universities, without department": univ_6,
    "four universities, department as other": department_as_other,
    "all pages, without department": all_but_department,
    "all pages, without other": all_but_other,
}


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection by the paper's name: a corpus, what is taken of it, and its categories.

    ``reading`` is what its texts want otherwise than a recipe's ``[representation]`` says.
    """

    name: str
    corpus: str
    documents: str
    categories: tuple[str, ...] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)

    def read_by(self, recipe: Recipe) -> Recipe:
        """The recipe for the texts of this collection."""
        return replace(recipe, representation=replace(recipe.representation, **self.reading))

    def settings(self) -> dict[str, Json]:
        """What an experiment is told of it."""
        return {
            "corpus": self.corpus,
            "documents": self.documents,
            "categories": list(self.categories),
        }


def documents_of(settings: Mapping[str, Json]) -> Documents:
    """The documents that settings name; each call walks the corpus anew."""
    return READERS[str(settings["documents"])](open_corpus(str(settings["corpus"])))


# Headlines and stories; the words that a reader of a page sees, its title among them; titles and
# abstracts. The paper does not say how its texts were read: this was chosen before any result was
# seen. studies.py has other readings, and what training documents say of each.
WORDS = "letters lower stop(smart) stem(porter)"
TEXTS = {"analyzer": WORDS, "fields": ("title", "body"), "apart": False}
# Its documents are stems already, in one field, in which nothing stands apart.
STEMS = {"analyzer": "whitespace", "fields": ("body",), "apart": False}

REUTERS = Collection(
    "Reuters-21578", "reuters-modapte", "labelled", ("earn", "acq", "money-fx", "grain"), TEXTS
)
RCV1 = Collection("RCV1", "rcv1-v2", "swapped", ("CCAT", "ECAT", "GCAT", "MCAT"), STEMS)
UNIV_6 = Collection("Univ-6", "webkb", "four universities, without department", (), TEXTS)
# Not in the paper: its largest archive, and its largest category that is not one of that.
ARXIV = Collection("arXiv", "arxiv-120k", "with archives", ("math.*", "math-ph"), TEXTS)
