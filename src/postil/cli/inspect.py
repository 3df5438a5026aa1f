"""`postil inspect`: the facts of a model as text, as JSON, or as a model card."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Option

from postil.cli import inspect_text
from postil.cli.console import show_json
from postil.cli.options import AsJson, ModelFile, Reading, category_columns, reads_corpus
from postil.errors import ModelFileError, PostilError, UsageError

if TYPE_CHECKING:
    from postil.model.model import Model
    from postil.model.overview import Facts


OVERVIEW_TERMS = 5
DETAIL_TERMS = 10
USUAL_LEVEL = 0.95


@reads_corpus
def inspect(
    model: ModelFile,
    reading: Reading,
    categories: Annotated[
        list[str] | None, Option("--category", help="Category to show in detail; may be repeated.")
    ] = None,
    top: Annotated[
        int | None,
        Option(min=0, help="Number of terms for and against (default: 5, in detail and JSON: 10)."),
    ] = None,
    sort: Annotated[
        Literal["size", "name", "certificate"] | None,
        Option(
            help="Order of the categories: largest first, by name, or largest certificate first "
            "(default: size, or as named).",
        ),
    ] = None,
    interval: Annotated[
        float | None, Option(help="Level of the weights' intervals (default: 0.95).")
    ] = None,
    margins: Annotated[
        str | None,
        Option(
            metavar="CORPUS",
            help="Labelled documents to measure margins on; they tell which family of methods "
            "suits them.",
        ),
    ] = None,
    margin_at: Annotated[
        float | None, Option(help="Margin below which documents are counted (default: 1).")
    ] = None,
    card: Annotated[
        bool, Option("--card", help="Print a model card in Markdown, to publish with the model.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show what a model holds and how it was trained.

    Terms of a category in detail have intervals if the model was trained with posterior = true.
    --margins reads all documents of a corpus but those marked test, or those of --split.

    \b
    Examples:
      postil inspect demo.postil
      postil inspect demo.postil --category sport --top 20
      postil inspect demo.postil --sort certificate --json
      postil inspect sure.postil --category sport --interval 0.9
      postil inspect demo.postil --margins demo
      postil inspect demo.postil --card > README.md
    """
    from postil.model.load import load_model
    from postil.model.overview import gather
    from postil_papers.inspect_margins import (
        add_margins,
        measured_margins,
        refuse_without,
        show_margins,
    )

    if margins is None:
        refuse_without(reading, margin_at)
    alone = (categories, top, sort, interval, margins, as_json or None)
    if card and any(option is not None for option in alone):
        raise UsageError("--card describes the whole model: give it without other options")
    loaded = load_model(model)
    if card:
        from postil.model.card import model_card

        with _checking_facts(model):
            typer.echo(model_card(loaded, model.name), nl=False)
        return
    named = bool(categories)
    columns = category_columns(categories or loaded.names, loaded, str(model))
    if top is None:
        top = DETAIL_TERMS if named or as_json else OVERVIEW_TERMS
    with _checking_facts(model):
        whole, each = gather(loaded, top, columns, _level(loaded, interval))
    if margins is not None:
        add_margins(whole, each, measured_margins(loaded, margins, reading, columns, margin_at))
    if sort is not None or not named:
        each = _sorted(each, sort or "size")
    if as_json:
        show_json({"model": str(model)} | whole | {"categories": each})
        return
    with _checking_facts(model):
        typer.echo(inspect_text.headline(str(model), whole))
        if margins is not None:
            show_margins(whole, each)
        elif named:
            for facts in each:
                inspect_text.show_category(whole, facts)
        else:
            inspect_text.show_model(whole, each)


@contextmanager
def _checking_facts(model: Path) -> Iterator[None]:
    """Turn errors about the facts of a model into an error of its file.

    Decisions do not use these facts, and loading does not check them.
    """
    try:
        yield
    except PostilError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise ModelFileError(
            f"{model}: the record of its training is not as postil writes it ({error!r}); the "
            "model can be used, but not shown"
        ) from error


def _level(model: Model, wanted: float | None) -> float | None:
    """Return the level of the intervals; None if the model has none and none are asked for."""
    if wanted is not None and not 0 < wanted < 1:
        raise UsageError(f"--interval is a level between 0 and 1, such as 0.95, not {wanted:g}")
    if model.variances is not None:
        return USUAL_LEVEL if wanted is None else wanted
    if wanted is None:
        return None
    raise UsageError(
        "the model keeps no variances of its weights, so it has no intervals; train it with "
        'posterior = true and loss = "logistic" in the [learn] table of its recipe'
    )


def _sorted(each: list[Facts], order: str) -> list[Facts]:
    """Return the categories by size, name or certificate, those without a certificate last."""
    from postil.model.overview import title_of

    def key(facts: Facts) -> tuple[Any, ...]:
        if order == "size":
            return (-facts["members"], title_of(facts))
        if order == "name":
            return (title_of(facts),)
        certificate = inspect_text.certificate_of(facts)
        return (certificate is None, -(certificate or 0.0), facts["name"])

    return sorted(each, key=key)
