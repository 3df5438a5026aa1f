"""`postil vectorize`: a corpus to a file of vectors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from postil.cli.console import counted, say
from postil.cli.failures import STREAM, check_output, file_named, naming
from postil.cli.output import told
from postil.cli.progress import Meter, meter
from postil.cli.reading import Reading, reads_corpus
from postil.corpus.document import Split
from postil.errors import UsageError

if TYPE_CHECKING:
    from postil.corpus.corpus import Corpus
    from postil.vectors.fields import Fields
    from postil.vectors.rows import RowFacts, VectorFile
    from postil.vectors.vectorizer import TextChunk


VectorFormat = Literal["npz", "svmlight"]


@reads_corpus
def vectorize(
    corpus: Annotated[str, typer.Argument(help="Name of a known corpus, a path, or - for stdin.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="File to write: .npz, or .svm for svmlight.",
            parser=file_named,
            metavar="FILE",
        ),
    ],
    reading: Reading,
    analyzer: Annotated[
        str, typer.Option("--analyzer", "-a", help="Analyzer spec; see postil analyze --explain.")
    ] = "words lower min(2)",
    fields: Annotated[
        list[str] | None,
        typer.Option("--field", help="Field to use, may be repeated (default: all, joined)."),
    ] = None,
    apart: Annotated[
        bool, typer.Option("--apart", help="Keep fields apart: a title word is another term.")
    ] = False,
    weights: Annotated[
        str,
        typer.Option(
            "--weights", help="binary, counts, log, tfidf, log-tfidf, plain-tfidf or glm2004."
        ),
    ] = "tfidf",
    norm: Annotated[
        Literal["none", "l1", "l2"], typer.Option("--norm", help="l2 is cosine.")
    ] = "l2",
    min_df: Annotated[
        str, typer.Option("--min-df", help="Least documents with a term: 3, or a share 0.001.")
    ] = "1",
    max_df: Annotated[str, typer.Option("--max-df", help="Most documents with a term.")] = "1.0",
    max_terms: Annotated[
        int | None, typer.Option("--max-terms", help="Keep the terms that occur most.")
    ] = None,
    buckets: Annotated[
        int | None, typer.Option("--buckets", help="Hash terms into so many buckets instead.")
    ] = None,
    constant: Annotated[
        bool, typer.Option("--constant", help="Add a last column of ones.")
    ] = False,
    chunk: Annotated[
        int, typer.Option("--chunk", min=1, help="Documents held in memory at a time.")
    ] = 4096,
    threads: Annotated[
        int | None, typer.Option("--threads", help="Threads (default: every processor).")
    ] = None,
    to: Annotated[
        VectorFormat | None, typer.Option("--to", help="Format, if the name does not say it.")
    ] = None,
    compress: Annotated[bool, typer.Option("--compress", help="Compress an .npz file.")] = False,
    only: Annotated[
        Split | None,
        typer.Option("--only", help="Write documents of one split; all are read, terms are alike."),
    ] = None,
) -> None:
    """Turn a corpus into weighted sparse vectors that any tool can read.

    Documents marked as test get vectors too, but vocabulary and idf are learned from the others
    alone. An .npz file opens with scipy.sparse.load_npz; postil.vectors.rows.read_vectors gives
    terms, ids and labels as well. A svmlight file holds numbers only (columns from 1, labels from
    0); the names go beside it, as OUTPUT.terms.tsv and OUTPUT.labels.tsv, unless it goes to
    standard output. Train and test are not marked in it: --only writes one of them.

    \b
    postil vectorize reuters-modapte -o modapte.npz -a "words lower stop(smart) stem(porter)"
    postil vectorize mails.csv -o mails.svm --weights glm2004 --min-df 3
    postil vectorize demo -o demo-test.svm --only test
    zcat mails.jsonl.gz | postil vectorize - -o mails.npz --chunk 10000
    """
    from postil.vectors.fields import Fields
    from postil.vectors.rows import RowFacts, VectorFile
    from postil.vectors.vectorizer import Vectorizer
    from postil.vectors.vocabulary import TermBounds
    from postil.vectors.weighting import Weighting

    chosen = Fields(tuple(fields or ()), apart)
    vectorizer = Vectorizer(
        analyzer,
        fields=chosen,
        weighting=Weighting.named(weights, norm=norm, constant=constant),
        bounds=TermBounds(_bound("--min-df", min_df), _bound("--max-df", max_df), max_terms),
        buckets=buckets,
        threads=threads,
    )
    format = to or _format_of(output)
    if compress and format != "npz":
        raise typer.BadParameter("--compress is for .npz; end a svmlight file in .gz or .zst")
    beside = format == "svmlight" and str(output) != STREAM
    for ending in ("", ".labels.tsv", ".terms.tsv") if beside else ("",):
        check_output(output.with_name(output.name + ending), corpus)
    opened = reading.open(corpus)
    facts = RowFacts()
    with told(opened), meter(f"vectorizing {opened.name}") as shown:
        stream = _Chunks(opened, chosen, chunk, facts, shown)
        matrix = vectorizer.fit_transform_chunks(stream)
    vectors = VectorFile.of(matrix, vectorizer, facts)
    if only is not None:
        vectors = vectors.only(only)
        if not vectors.ids:
            raise UsageError(f"{opened.name}: no document is marked {only}")
    with naming(output):
        _write(output, format, vectors, compress=compress)
    if format == "svmlight" and only is None and "test" in facts.splits:
        marked = counted(facts.splits.count("test"), "document")
        say(f"svmlight keeps no marks, and holds {marked} marked test: --only writes one split")
    unmarked = facts.splits.count("")
    if 0 < unmarked < len(facts.splits):
        fate = "is {} and was" if unmarked == 1 else "are {} and were"
        marked = fate.format("marked neither train nor test")
        say(f"{counted(unmarked, 'document')} {marked} learned from")
    rows, columns = vectors.matrix.shape
    say(
        f"wrote {counted(rows, 'document')} × {counted(columns, 'column')}, "
        f"{counted(vectors.matrix.nnz, 'entry', 'entries')}, "
        f"{counted(len(vectors.categories), 'category', 'categories')} to {output}"
    )


class _Chunks:
    """The corpus as chunks of text, walked anew each time; facts are of the last walk."""

    def __init__(
        self, corpus: Corpus, fields: Fields, size: int, facts: RowFacts, shown: Meter
    ) -> None:
        self._corpus = corpus
        self._fields = fields
        self._size = size
        self._facts = facts
        self._shown = shown

    def __iter__(self) -> Iterator[TextChunk]:
        from postil.vectors.rows import chunks_of

        self._facts.clear()
        self._shown.reach(0)
        for chunk in chunks_of(self._corpus, self._fields, self._size, self._facts):
            yield chunk
            self._shown.reach(len(self._facts.ids))


def _bound(option: str, value: str) -> float:
    try:
        return float(value) if "." in value or "e" in value else int(value)
    except ValueError:
        raise typer.BadParameter(
            f"{option} is a whole number of documents or a share such as 0.01, not {value!r}"
        ) from None


def _format_of(output: Path) -> VectorFormat:
    suffixes = set(output.suffixes)
    if ".npz" in suffixes:
        return "npz"
    if suffixes & {".svm", ".svmlight", ".libsvm"}:
        return "svmlight"
    raise typer.BadParameter(
        f"{output}: its name does not say which format is wanted; end it in .npz or .svm, or "
        "give --to"
    )


def _write(
    output: Path,
    format: VectorFormat,
    vectors: VectorFile,
    *,
    compress: bool,
) -> None:
    from postil.vectors.rows import write_names

    if format == "npz":
        from postil.vectors.rows import write_vectors

        write_vectors(output, vectors, compress=compress)
        return
    from postil.vectors.svmlight import write_svmlight

    numbers = {name: number for number, name in enumerate(vectors.categories)}
    write_svmlight(output, vectors.matrix, vectors.label_sets(), label_ids=numbers)
    if str(output) == STREAM:
        return
    # The format holds numbers only: the names go beside it.
    write_names(output, "labels", vectors.categories, first=0)
    write_names(output, "terms", vectors.terms, first=1)
