"""`postil train`: a corpus to a model."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from postil.cli.console import counted, say, show_json
from postil.cli.failures import check_model_output, file_named, naming
from postil.cli.output import TO_MARK, Spool, told
from postil.cli.progress import steps
from postil.cli.reading import Reading, reads_corpus
from postil.cli.search import (
    SearchOptions,
    aim_sentence,
    aiming,
    search_lines,
    search_sentence,
    searching,
)

if TYPE_CHECKING:
    from postil.evaluate import Report
    from postil.learn.term_priors.files import PriorFile
    from postil.model.model import Model
    from postil.model.numbered import NumberedDocuments
    from postil.recipes.recipe import Recipe


@reads_corpus
def train(
    corpus: Annotated[str, typer.Argument(help="Name of a known corpus, a path, or - for stdin.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="Model file to write.", parser=file_named, metavar="FILE"
        ),
    ],
    reading: Reading,
    recipe: Annotated[
        str,
        typer.Option("--recipe", "-r", help="Name or TOML file; see postil recipes."),
    ] = "default",
    measure: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="MEASURE",
            help="What is cared about: f1, f0.5, micro-f1, error, balanced-error, "
            '"recall>=0.95", "precision>=0.9", "cost(fp=1, fn=5)", "utility(tp=2, fp=-1)" or t11u.',
        ),
    ] = None,
    compare: Annotated[
        bool | None,
        typer.Option(
            "--compare/--no-compare",
            help="With --for: see on held-out folds whether learning for the measure is better.",
            show_default="--compare",
        ),
    ] = None,
    priors: Annotated[
        Path | None,
        typer.Option(
            "--priors", help="File with what is believed of single terms.", metavar="FILE"
        ),
    ] = None,
    test: Annotated[
        bool, typer.Option("--test/--no-test", help="Measure on the documents marked test.")
    ] = True,
    threads: Annotated[
        int | None, typer.Option("--threads", help="Threads (default: every processor).")
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Of folds, and of random orders in learning.")
    ] = 0,
    search: Annotated[
        bool,
        typer.Option(
            "--search",
            help="Search for λ by cross-validation: 10^-k for k = 0..6, 5 folds, one for all.",
        ),
    ] = False,
    search_per_category: Annotated[
        bool, typer.Option("--search-per-category", help="Search for a λ for each category.")
    ] = False,
    search_folds: Annotated[
        int | None, typer.Option("--search-folds", min=2, help="Folds of the search.")
    ] = None,
    search_rounds: Annotated[
        int | None,
        typer.Option("--search-rounds", min=1, help="How many of the folds are run (all)."),
    ] = None,
    search_measure: Annotated[
        str | None,
        typer.Option(
            "--search-measure",
            help="f1, error, loss, break-even, log-likelihood, or a measure as of --for (default: "
            "that of --for; else f1, break-even where the recipe tunes thresholds, log-likelihood "
            "where one model has all classes).",
        ),
    ] = None,
    search_over: Annotated[
        str | None,
        typer.Option("--search-over", help="What is searched: lam, C or prior_variance."),
    ] = None,
    search_grid: Annotated[
        str | None,
        typer.Option("--search-grid", help="What to try, as 1e-2,1e-3,1e-4; or auto."),
    ] = None,
    most_terms: Annotated[
        int | None,
        typer.Option(
            "--most-terms", min=1, help="Search under a limit: so many terms a category at most."
        ),
    ] = None,
    exactly: Annotated[
        bool, typer.Option("--exactly", help="With --most-terms: exactly so many.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="For a program to read.")] = False,
) -> None:
    """Learn a categorizer from labelled documents and write it to a file.

    Documents marked test are never learned from; if there are any, the model is measured on them.
    Thresholds and probabilities come from training documents alone.

    A search chooses λ, the strength of regularization, by cross-validation on the training
    documents: it learns once for each fold and λ. With --search-grid auto nothing need be known of
    λ: each path begins where weights begin to move. Any option of a search asks for one; what they
    leave out is as the recipe's [search] table says, or else the paper's; but f1 and error look at
    decisions at a score of 0, so that a recipe that tunes its thresholds out of fold and has no
    such table is searched by break-even.

    With --for, the measure that is cared about goes everywhere: thresholds are tuned for it, a
    search goes by it, and the report shows it first. Held-out folds say whether to learn for it,
    too (maximal figure-of-merit learning), each category for itself or all as rivals, or to keep
    the recipe's learner; the model tells the numbers of all. "recall>=0.95" is the highest
    precision with at least that recall in each category, and cost(fp=1, fn=5) says that a missed
    document costs five times a wrongly accepted one.

    A prior file has a line for each term: TERM MODE VARIANCE [ABS] [SKEW], with "class NAME" in
    front where it is for one category; the variance is relative to that of all, unless ABS follows
    (docs/bbr.md). Of an svmlight file (.svm) vectors are taken as they are, and terms are numbers.

    \b
    postil train demo -o demo.postil
    postil train reuters-modapte -o modapte.postil --recipe mod-least-squares
    postil train mails.csv -o mails.postil --label-column folder --text-columns subject
    postil train demo -o searched.postil -r logistic --search
    postil train demo -o searched.postil --search-per-category --search-folds 3
    postil train demo -o searched.postil --search-grid auto --search-per-category
    postil train demo -o aimed.postil --for f1
    postil train demo -o aimed.postil --for "recall>=0.95"
    postil train demo -o aimed.postil --for "cost(fp=1, fn=5)" --no-compare
    postil train demo -o ten.postil -r lasso-logistic --most-terms 10
    postil train mails.csv -o mails.postil -r logistic --priors words.txt
    postil train vectors.svm -o vectors.postil -r logistic
    """
    from postil.learn.term_priors.files import read_prior_file
    from postil.model.save import save_model
    from postil.recipes.recipe import load_recipe
    from postil.train.assess import assessment
    from postil.train.train import train as learn

    chosen = searching(
        aiming(load_recipe(recipe), measure, compare),
        SearchOptions(
            search=search,
            per_category=search_per_category,
            folds=search_folds,
            rounds=search_rounds,
            measure=search_measure,
            over=search_over,
            grid=search_grid,
            most_terms=most_terms,
            exactly=exactly,
        ),
    )
    believed = None if priors is None else read_prior_file(priors)
    check_model_output(output, corpus, recipe, priors)
    begun = time.monotonic()
    vectors = reading.vectors(corpus)
    if vectors is not None:
        model = _from_vectors(vectors, chosen, believed, threads, seed)
        seconds = time.monotonic() - begun
        with naming(output):
            save_model(model, output)
        _tell(model, output, seconds, None, as_json=as_json)
        return
    opened = reading.open(corpus)
    with Spool() as tests:
        opened.tests = tests if test else None
        with told(opened), steps() as progress:
            model = learn(
                opened,
                chosen,
                corpus=opened.name,
                priors=believed,
                threads=threads,
                seed=seed,
                progress=progress.reach,
                notify=say,
            )
        seconds = time.monotonic() - begun
        with naming(output):
            save_model(model, output)
        report = None
        if test and opened.tested:
            with steps() as progress:
                tested = assessment(
                    model, tests, corpus=opened.name, threads=threads, progress=progress.reach
                )
            report = tested.report
            if tested.unknown:
                say(tested.unknown_note())
    if test and report is None:
        say(f"no document is marked test, so nothing was measured; {TO_MARK}")
    _tell(model, output, seconds, report, as_json=as_json)


def _from_vectors(
    vectors: NumberedDocuments,
    recipe: Recipe,
    priors: PriorFile | None,
    threads: int | None,
    seed: int,
) -> Model:
    from postil.train.train import train_vectors

    say(vectors.note(recipe.name, directions=recipe.representation.lsi is not None))
    with steps() as progress:
        return train_vectors(
            vectors,
            recipe,
            priors=priors,
            threads=threads,
            seed=seed,
            progress=progress.reach,
            notify=say,
        )


def _tell(
    model: Model, output: Path, seconds: float, report: Report | None, *, as_json: bool
) -> None:
    if as_json:
        show_json(_as_dict(model, output, seconds, report))
        return
    _show(model, output, seconds, report)


def _show(model: Model, output: Path, seconds: float, report: Report | None) -> None:
    if report is not None:
        typer.echo(report.to_text(), nl=False)
    size = output.stat().st_size
    worst = max((each["certificate"] or 0.0 for each in model.reports), default=0.0)
    say(
        f"learned {counted(len(model.names), 'category', 'categories')} from "
        f"{counted(model.training.documents, 'document')} and "
        f"{counted(model.vectorizer.terms, 'term')} in {seconds:.1f} s; "
        f"largest certificate {worst:.1e}"
    )
    found = model.method.get("search")
    if found:
        say(search_sentence(found))
        for line in search_lines(found):
            say(f"  {line}")
    if "aim" in model.method:
        say(aim_sentence(model.method["aim"]))
    kept = Counter(each["start"] for each in model.reports if each.get("start"))
    if kept:
        starts = ", ".join(f"{start} for {count}" for start, count in kept.most_common())
        say(f"of several starts the best was kept: {starts}")
    for each in model.reports:
        if each["note"]:
            say(f"  {each['category']}: {each['note']}")
    say(f"wrote {output} ({size / 1e6:.1f} MB); see postil inspect {output}")


def _as_dict(
    model: Model, output: Path, seconds: float, report: Report | None
) -> dict[str, object]:
    return {
        "model": str(output),
        "recipe": model.recipe.get("name"),
        "documents": model.training.documents,
        "categories": len(model.names),
        "terms": model.vectorizer.terms,
        "seconds": seconds,
        "search": model.method.get("search"),
        "priors": model.method.get("priors"),
        "aim": model.method.get("aim"),
        "reports": list(model.reports),
        "evaluation": None if report is None else report.to_dict(),
    }
