"""`postil update`: new documents on top of a model."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from postil.cli.console import counted, say, shortened, show_json
from postil.cli.files import check_model_output, naming_errors, reporting_problems
from postil.cli.options import (
    AsJson,
    CorpusName,
    Inputs,
    ModelFields,
    Reading,
    Seed,
    Threads,
    output_option,
    reads_corpus,
)
from postil.cli.progress import progress_bar
from postil.cli.train import say_written

if TYPE_CHECKING:
    from postil.corpus.document import Document
    from postil.model.model import Model
    from postil.vectors.fields import Fields


@reads_corpus
def update(
    model: Annotated[Path, Argument(help="Model file; it is replaced, unless --output is given.")],
    documents: CorpusName,
    reading: Reading,
    output: Annotated[
        Path | None,
        output_option("Model file to write, so that the old one stays (default: replace it)."),
    ] = None,
    passes: Annotated[
        int | None,
        Option(min=1, help="Number of passes over the new documents (default: as in training)."),
    ] = None,
    threads: Threads = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Learn new labelled documents on top of a model.

    The old documents are not needed. Learning resumes by the model's own recipe, which has to be
    one that learns from one document after the other: perceptron, svm-online, or a Winnow. New
    terms and new categories are added. A new document that lacks a known category counts against
    it. Documents marked test are left out.

    The model file is replaced at the end; until then, and after Ctrl-C, the old one stays. A
    second update of the same file waits for the first and learns on top of it.

    Tuned thresholds and probabilities stay, and new categories get a threshold of 0: from time to
    time, train again on all documents.

    \b
    Examples:
      postil update mails.postil today.csv --label-column folder
      postil update mails.postil today.csv --label-column folder -o newer.postil
      postil update mails.postil corrected.jsonl --passes 1
      zcat today.jsonl.gz | postil update mails.postil -
      postil update vectors.postil more.svm
    """
    from postil.model.load import load_model
    from postil.model.save import locked_model, save_model
    from postil.recipes.entries import prefix_errors
    from postil.train.update_run import UpdatePlan

    target = model if output is None else output
    in_place = os.path.realpath(target) == os.path.realpath(model)
    with locked_model(model, say) if in_place else nullcontext():
        old = load_model(model, threads=threads)
        with prefix_errors(str(model)):
            UpdatePlan.of(old, passes, seed)
        check_model_output(target, *documents)
        begun = time.monotonic()
        settings = {"passes": passes, "threads": threads, "seed": seed, "notify": say}
        new = _updated(old, documents, reading, settings)
        seconds = time.monotonic() - begun
        with naming_errors(target):
            save_model(new, target)
    facts = _facts(new, target, seconds)
    if as_json:
        show_json(facts)
    else:
        _show(new, old, target, facts)


def _updated(model: Model, name: Inputs, reading: Reading, settings: dict[str, Any]) -> Model:
    from postil.train.update import update as update_model
    from postil.train.update import update_vectors

    vectors = reading.vectors(name)
    if vectors is not None:
        with progress_bar() as bar:
            return update_vectors(model, vectors, progress=bar.update, **settings)
    opened = reading.open(name, model)
    with reporting_problems(opened), progress_bar() as bar:
        documents = _checked(opened, model.vectorizer.fields)
        return update_model(model, documents, corpus=opened.name, progress=bar.update, **settings)


def _checked(documents: Iterable[Document], fields: Fields) -> Iterator[Document]:
    """Yield the documents while their fields are checked against those of the model."""
    model_fields = ModelFields(fields)
    for document in documents:
        if document.split != "test":
            model_fields.check([document])
        yield document


def _facts(model: Model, output: Path, seconds: float) -> dict[str, Any]:
    done = model.method["updates"][-1]
    return {
        "model": str(output),
        "recipe": model.recipe.get("name"),
        "documents": done["documents"],
        "documents_in_all": model.training.documents,
        "passes": done["passes"],
        "categories": len(model.names),
        "new_categories": done["new_categories"],
        "terms": model.vectorizer.terms,
        "new_terms": done["new_terms"],
        "seconds": seconds,
        "reports": list(model.reports),
    }


def _show(model: Model, old: Model, output: Path, facts: dict[str, Any]) -> None:
    names = facts["new_categories"]
    new_categories = "no new category"
    if names:
        count = counted(len(names), "new category", "new categories")
        new_categories = f"{count} ({shortened(names)})"
    worst = max((each["certificate"] or 0.0 for each in model.reports), default=0.0)
    say(
        f"learned {counted(facts['documents'], 'document')} on top of {old.training.documents} in "
        f"{facts['seconds']:.1f} s: {counted(facts['new_terms'], 'new term')}, {new_categories}; "
        f"largest certificate {worst:.1e}"
    )
    say_written(output)
