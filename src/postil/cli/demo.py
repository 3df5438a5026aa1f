"""`postil demo`: the embedded corpus on its way to vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from postil.cli.console import show_table

if TYPE_CHECKING:
    from postil.corpus.document import Document
    from postil.text.analyzer import Analyzer
    from postil.vectors.files import VectorFile

SPEC = "words lower stop(snowball:en) stem(porter)"
SHOWN_TERMS = 8


def demo() -> None:
    """Show the embedded corpus on its way to vectors: corpus, tokens, weights, features."""
    from postil.cli.corpus_info import gather, render
    from postil.corpus.opening import open_corpus
    from postil.text.analyzer import Analyzer
    from postil.vectors.fields import Fields
    from postil.vectors.gathering import RowFacts, chunks_of, vector_file
    from postil.vectors.vectorizer import Vectorizer
    from postil.vectors.weighting import Weighting

    corpus = open_corpus("demo")
    typer.secho("1. The corpus", bold=True)
    typer.echo(render(corpus.name, gather(corpus, SPEC), top=12))

    typer.secho("\n2. One of its documents, as tokens", bold=True)
    document = next(iter(corpus))
    _show_document(document, Analyzer(SPEC))

    typer.secho("\n3. All of them, as vectors", bold=True)
    vectorizer = Vectorizer(SPEC, weighting=Weighting.named("glm2004"))
    facts = RowFacts()
    matrix = vectorizer.fit_transform_chunks(chunks_of(corpus, Fields(), 4096, facts))
    vectors = vector_file(matrix, vectorizer, facts)
    rows, columns = matrix.shape
    typer.echo(
        f"{rows} documents × {columns} terms, {matrix.nnz} weights; vocabulary and idf from the "
        f"{vectorizer.documents} training documents"
    )
    _show_weights(vectors)

    typer.secho("\n4. The terms that tell each category, by chi-square", bold=True)
    _show_terms(vectors)
    typer.echo("\nTry: postil corpus info demo; postil vectorize demo -o demo.npz")


def _show_document(document: Document, analyzer: Analyzer) -> None:
    typer.echo(f"{document.id} [{', '.join(document.labels)}] {document.fields['title']}")
    typer.echo(f"  {document.fields['body']}")
    typer.echo(f"  {' | '.join(analyzer.tokens(document.fields['body']))}")


def _show_weights(vectors: VectorFile) -> None:
    row = vectors.matrix[0]
    heaviest = row.data.argsort()[::-1][:SHOWN_TERMS]
    weights = [f"{vectors.terms[row.indices[i]]} {row.data[i]:.3f}" for i in heaviest]
    typer.echo(f"{vectors.ids[0]}: {', '.join(weights)}, …")


def _show_terms(vectors: VectorFile) -> None:
    import numpy as np

    from postil.features.select import select_terms

    train = np.flatnonzero([split == "train" for split in vectors.splits])
    selection = select_terms(
        vectors.matrix[train],
        vectors.labels[train],
        measure="chi-square",
        k=SHOWN_TERMS,
        positive_only=True,
    )
    rows = [
        (name, " ".join(vectors.terms[term] for term in selection[category]))
        for category, name in enumerate(vectors.categories)
    ]
    show_table(("category", "terms"), rows)
