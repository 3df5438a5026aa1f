"""`postil analyze` and `postil vectorize`: texts as tokens, and a corpus as a file of vectors."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from typer import Argument, Option

from postil.cli.console import counted, say, show_json
from postil.cli.files import STREAM, check_output, naming_errors, reporting_problems
from postil.cli.options import (
    AsJson,
    CorpusName,
    Reading,
    Split,
    Threads,
    output_option,
    reads_corpus,
)
from postil.cli.progress import ProgressBar, progress_bar
from postil.common.escaping import visible
from postil.errors import UsageError

if TYPE_CHECKING:
    from postil.corpus.corpus import Corpus
    from postil.vectors.fields import Fields
    from postil.vectors.rows import RowFacts, VectorFile
    from postil.vectors.vectorizer import TextChunk


VectorFormat = Literal["npz", "svmlight"]


def analyze(
    text: Annotated[
        str | None, Argument(help="Text to analyze (default: each line of standard input).")
    ] = None,
    analyzer: Annotated[
        str, Option("--analyzer", "-a", help="Analyzer spec to try.")
    ] = "words lower",
    explain: Annotated[
        bool, Option("--explain", help="List the parts that a spec can be made of.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the tokens that an analyzer makes of a text.

    For the lines of standard input, --json prints one line of JSON each.

    \b
    Examples:
      postil analyze "Oil prices rose 3%" -a "words lower stop(snowball:en) stem(porter)"
      postil analyze --explain
      postil analyze --json < lines.txt
    """
    if explain:
        _show_parts(as_json=as_json)
        return
    from postil.text.analyzer import Analyzer

    chosen = Analyzer(analyzer)
    lines = [text] if text is not None else (line.rstrip("\n") for line in sys.stdin)
    for line in lines:
        tokens = chosen.tokens(line)
        if as_json:
            found = {"analyzer": str(chosen.spec), "tokens": tokens}
            show_json(found, in_a_line=text is None)
        else:
            typer.echo(visible(" | ".join(tokens)))


def _show_parts(*, as_json: bool) -> None:
    from postil.text.catalogue import describe

    groups = describe()
    if as_json:
        show_json(groups)
        return
    for group, items in groups.items():
        typer.echo(f"{group}:")
        for signature, help_text in items.items():
            typer.echo(f"  {signature:<24} {help_text}".rstrip())


@reads_corpus
def vectorize(
    corpus: CorpusName,
    output: Annotated[Path, output_option("File to write: .npz, or .svm for svmlight.")],
    reading: Reading,
    analyzer: Annotated[
        str, Option("--analyzer", "-a", help="Analyzer spec; see postil analyze --explain.")
    ] = "words lower min(2)",
    fields: Annotated[
        list[str] | None,
        Option("--field", help="Field to use; may be repeated (default: all, joined)."),
    ] = None,
    apart: Annotated[
        bool, Option("--apart", help="Keep fields apart: a word of the title is a term of its own.")
    ] = False,
    weights: Annotated[
        str,
        Option(help="Term weights: binary, counts, log, tfidf, log-tfidf, plain-tfidf or glm2004."),
    ] = "tfidf",
    norm: Annotated[
        Literal["none", "l1", "l2"], Option(help="Norm that vectors are scaled to; l2 is cosine.")
    ] = "l2",
    min_df: Annotated[
        str, Option(help="Least number of documents with a term, or a share such as 0.001.")
    ] = "1",
    max_df: Annotated[
        str, Option(help="Largest number of documents with a term, or a share.")
    ] = "1.0",
    max_terms: Annotated[
        int | None, Option(help="Number of terms to keep, the most frequent first.")
    ] = None,
    buckets: Annotated[int | None, Option(help="Number of buckets to hash terms into.")] = None,
    constant: Annotated[bool, Option("--constant", help="Add a last column of ones.")] = False,
    chunk: Annotated[
        int, Option(min=1, help="Number of documents held in memory at a time.")
    ] = 4096,
    threads: Threads = None,
    to: Annotated[
        VectorFormat | None, Option(help="Format to write (default: by the name of the file).")
    ] = None,
    compress: Annotated[bool, Option("--compress", help="Compress an .npz file.")] = False,
    only: Annotated[
        Split | None, Option(help="Split to write; all documents are read for the terms.")
    ] = None,
) -> None:
    """Turn a corpus into a file of weighted sparse vectors.

    Documents marked test get vectors too, but the vocabulary and idf come from the others only.

    An .npz file opens with scipy.sparse.load_npz; postil.vectors.rows.read_vectors also returns
    terms, ids and labels. An svmlight file holds numbers only (columns from 1, labels from 0); the
    names are written beside it as OUTPUT.terms.tsv and OUTPUT.labels.tsv, unless the output is
    standard output. It does not mark train and test: use --only to write one of them.

    \b
    Examples:
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
        raise UsageError(
            "--compress is for .npz; name an svmlight file .svm.gz or .svm.zst to compress it"
        )
    beside = format == "svmlight" and str(output) != STREAM
    for ending in ("", ".labels.tsv", ".terms.tsv") if beside else ("",):
        check_output(output.with_name(output.name + ending), *corpus)
    opened = reading.open(corpus)
    facts = RowFacts()
    with reporting_problems(opened), progress_bar("documents") as bar:
        chunks = _Chunks(opened, chosen, chunk, facts, bar)
        matrix = vectorizer.fit_transform_chunks(chunks)
    vectors = VectorFile.of(matrix, vectorizer, facts)
    if only is not None:
        vectors = vectors.only(only)
        if not vectors.ids:
            raise UsageError(f"{opened.name}: no document is marked {only}")
    with naming_errors(output):
        _write(output, format, vectors, compress=compress)
    if format == "svmlight" and only is None and "test" in facts.splits:
        marked = counted(facts.splits.count("test"), "document")
        say(f"svmlight does not mark the {marked} of the test split: write one with --only")
    unmarked = facts.splits.count("")
    if 0 < unmarked < len(facts.splits):
        documents = counted(unmarked, "document")
        say(f"the vocabulary includes {documents} marked neither train nor test")
    rows, columns = vectors.matrix.shape
    say(
        f"wrote {counted(rows, 'document')} × {counted(columns, 'column')}, "
        f"{counted(vectors.matrix.nnz, 'entry', 'entries')}, "
        f"{counted(len(vectors.categories), 'category', 'categories')} to {output}"
    )


class _Chunks:
    """The corpus as chunks of text; each walk replaces the facts of the one before."""

    def __init__(
        self, corpus: Corpus, fields: Fields, size: int, facts: RowFacts, bar: ProgressBar
    ) -> None:
        self._corpus = corpus
        self._fields = fields
        self._size = size
        self._facts = facts
        self._bar = bar

    def __iter__(self) -> Iterator[TextChunk]:
        from postil.vectors.rows import chunks_of

        self._facts.clear()
        step = f"vectorizing {self._corpus.name}"
        for chunk in chunks_of(self._corpus, self._fields, self._size, self._facts):
            yield chunk
            self._bar.update(step, len(self._facts.ids))


def _bound(option: str, value: str) -> float:
    try:
        return float(value) if "." in value or "e" in value else int(value)
    except ValueError:
        raise UsageError(
            f"{option} is a whole number of documents or a share such as 0.01, not {value!r}"
        ) from None


def _format_of(output: Path) -> VectorFormat:
    suffixes = set(output.suffixes)
    if ".npz" in suffixes:
        return "npz"
    if suffixes & {".svm", ".svmlight", ".libsvm"}:
        return "svmlight"
    raise UsageError(
        f"{output}: the format is not clear from the name; end it in .npz or .svm, or give --to"
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
    # The format holds numbers only: the names go into files beside it.
    write_names(output, "labels", vectors.categories, first=0)
    write_names(output, "terms", vectors.terms, first=1)
