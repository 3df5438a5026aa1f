"""`postil report`: a page on how good a model is, where it errs and what it learned."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from postil.cli.console import say
from postil.cli.files import (
    STREAM,
    Spool,
    check_output,
    is_stream,
    naming_errors,
    reporting_problems,
    spooled_corpus,
)
from postil.cli.options import (
    CorpusName,
    ModelFile,
    Reading,
    Seed,
    Threads,
    output_option,
    reads_corpus,
)
from postil.cli.progress import progress_bar
from postil.errors import UsageError


@reads_corpus
def report(
    model: ModelFile,
    corpus: CorpusName,
    output: Annotated[Path, output_option("HTML page to write; - is standard output.")],
    reading: Reading,
    threads: Threads = None,
    seed: Seed = 0,
) -> None:
    """Write a page on how good a model is and where it errs.

    The page measures the model on the documents marked test: headline numbers with intervals, the
    categories, confusions, curves and the worst mistakes with their words highlighted. If the
    corpus has training documents, the recipe of the model is learned from them again, out of fold,
    for the learning curve and for likely label errors. If no document is marked test, the numbers
    are out of fold if the model learned from these documents, and else those of all documents.

    The page is one file. It fetches nothing, and it can be printed.

    \b
    Examples:
      postil report demo.postil demo -o report.html
      postil report mails.postil mails.csv -o report.html --label-column folder
    """
    from postil.common.files import output_file
    from postil.model.load import load_model
    from postil.model.numbered import names_vectors
    from postil.report.page import render_report
    from postil.report.study import study

    check_output(output, model, *corpus)
    if any(names_vectors(name, reading.values["format"]) for name in corpus):
        raise UsageError(
            f"{' '.join(corpus)}: a report shows texts, and an svmlight file has none; measure "
            "the model with postil evaluate"
        )
    loaded = load_model(model, threads=threads)
    opened = reading.open(corpus, loaded)
    with Spool() as spool, reporting_problems(opened), progress_bar() as bar:
        documents = spooled_corpus(opened, spool) if is_stream(*corpus) else opened
        found = study(loaded, documents, threads=threads, seed=seed, progress=bar.update)
    page = render_report(found, model.name)
    with naming_errors(output), output_file(output) as file:
        file.write(page.encode("utf-8"))
    if str(output) != STREAM:
        say(f"wrote {output}")
