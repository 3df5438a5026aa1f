"""`postil update`: new documents on top of a model."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from postil.cli.console import counted, say, show_json
from postil.cli.failures import check_model_output, file_named, naming
from postil.cli.output import told
from postil.cli.progress import steps
from postil.cli.reading import ModelFields, Reading, reads_corpus

if TYPE_CHECKING:
    from postil.corpus.document import Document
    from postil.model.model import Model
    from postil.vectors.fields import Fields


SHOWN = 5


@reads_corpus
def update(
    model: Annotated[
        Path, typer.Argument(help="Model file; it is replaced, unless --output is given.")
    ],
    documents: Annotated[
        str, typer.Argument(help="New documents: name of a known corpus, a path, or - for stdin.")
    ],
    reading: Reading,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write the updated model here, and leave the old one as it is.",
            parser=file_named,
            metavar="FILE",
        ),
    ] = None,
    passes: Annotated[
        int | None,
        typer.Option(
            "--passes", min=1, help="Passes over the new documents (default: as in training)."
        ),
    ] = None,
    threads: Annotated[
        int | None, typer.Option("--threads", help="Threads (default: every processor).")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of random orders in learning.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="For a program to read.")] = False,
) -> None:
    """Learn new labelled documents on top of a model, without the old ones.

    Learning goes on where it ended, by the model's own recipe; it has to be one that learns from
    one document after the other: perceptron, svm-online, or a Winnow. New terms and new categories
    are taken in; a new document that lacks one of the known categories counts against it. Documents
    marked test are left out.

    The model file is replaced once all is done; until then, and after Ctrl-C, it is the old one.
    A second update of the same file waits for the first, and learns on top of it.
    Thresholds and probabilities that were tuned stay as they were, and new categories have a
    threshold of 0: from time to time, train anew on all documents.

    \b
    postil update mails.postil today.csv --label-column folder
    postil update mails.postil today.csv --label-column folder -o newer.postil
    postil update mails.postil corrected.jsonl --passes 1
    zcat today.jsonl.gz | postil update mails.postil -
    postil update vectors.postil more.svm
    """
    from postil.model.load import load_model
    from postil.model.save import locked_model, save_model
    from postil.recipes.entries import at
    from postil.train.update_run import UpdatePlan

    target = model if output is None else output
    in_place = os.path.realpath(target) == os.path.realpath(model)
    with locked_model(model, say) if in_place else nullcontext():
        old = load_model(model, threads=threads)
        with at(str(model)):
            UpdatePlan.of(old, passes, seed)
        check_model_output(target, documents)
        begun = time.monotonic()
        new = _updated(old, documents, reading, passes=passes, threads=threads, seed=seed)
        seconds = time.monotonic() - begun
        with naming(target):
            save_model(new, target)
    facts = _facts(new, target, seconds)
    if as_json:
        show_json(facts)
    else:
        _show(new, old, target, facts)


def _updated(
    model: Model,
    name: str,
    reading: Reading,
    *,
    passes: int | None,
    threads: int | None,
    seed: int,
) -> Model:
    from postil.train.update import update as learn
    from postil.train.update import update_vectors

    vectors = reading.vectors(name)
    if vectors is not None:
        with steps() as progress:
            return update_vectors(
                model,
                vectors,
                passes=passes,
                threads=threads,
                seed=seed,
                progress=progress.reach,
                notify=say,
            )
    opened = reading.open(name)
    with told(opened), steps() as progress:
        return learn(
            model,
            _looked_at(opened, model.vectorizer.fields),
            corpus=opened.name,
            passes=passes,
            threads=threads,
            seed=seed,
            progress=progress.reach,
            notify=say,
        )


def _looked_at(documents: Iterable[Document], fields: Fields) -> Iterator[Document]:
    """The documents, while it is said what of them the model does not read."""
    looking = ModelFields(fields)
    for document in documents:
        if document.split != "test":
            looking.look([document])
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
    before, terms = old.training.documents, counted(facts["new_terms"], "new term")
    learned = f"learned {counted(facts['documents'], 'document')} on top of {before}"
    worst = max((each["certificate"] or 0.0 for each in model.reports), default=0.0)
    say(
        f"{learned} in {facts['seconds']:.1f} s: {terms}, {_new(facts['new_categories'])}; "
        f"largest certificate {worst:.1e}"
    )
    size = output.stat().st_size
    say(f"wrote {output} ({size / 1e6:.1f} MB); see postil inspect {output}")


def _new(names: list[str]) -> str:
    if not names:
        return "no new category"
    shown = ", ".join(names[:SHOWN]) + (" …" if len(names) > SHOWN else "")
    return f"{counted(len(names), 'new category', 'new categories')} ({shown})"
