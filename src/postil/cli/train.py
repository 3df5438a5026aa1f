"""`postil train`: a model from a corpus."""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Option

from postil.cli.console import counted, say, show_json
from postil.cli.files import (
    TO_MARK,
    Spool,
    check_model_output,
    naming_errors,
    reporting_problems,
)
from postil.cli.options import (
    AsJson,
    CorpusName,
    Inputs,
    Reading,
    RecipeName,
    Seed,
    Threads,
    Unit,
    output_option,
    reads_corpus,
)
from postil.cli.progress import progress_bar
from postil.cli.search_text import aim_sentence, search_lines, search_sentence
from postil.errors import SpecError, UsageError

if TYPE_CHECKING:
    from postil.corpus.label_vocabulary import LabelVocabulary
    from postil.evaluate import Report
    from postil.model.model import Model
    from postil.recipes.recipe import Recipe
    from postil.train.run import TrainingRun


AUTO = "auto"


@reads_corpus
def train(
    corpus: CorpusName,
    output: Annotated[Path, output_option("Model file to write.")],
    reading: Reading,
    recipe: RecipeName = "auto",
    budget: Annotated[
        str | None,
        Option(
            metavar="TIME",
            help="Time to search for the best recipe, such as 30s, 10m or 2h, or none.",
            show_default="about 45s",
        ),
    ] = None,
    measure: Annotated[
        str | None,
        Option(
            "--for",
            metavar="MEASURE",
            help="Measure to train for: accuracy, macro-f1, micro-f1, f0.5, balanced-error, "
            '"recall>=0.95", "precision>=0.9", "cost(fp=1, fn=5)", "utility(tp=2, fp=-1)" or t11u.',
        ),
    ] = None,
    one_label: Annotated[
        bool | None,
        Option(
            "--one-label/--many-labels",
            help="Give each document exactly one category, or any number of them.",
            show_default="one if every training document has exactly one label",
        ),
    ] = None,
    rule: Annotated[
        str | None,
        Option(help="Decision rule, such as best, probability(0.5), f1 or f1 at-least(1)."),
    ] = None,
    calibration: Annotated[
        str | None,
        Option(help="How scores become probabilities: hierarchical, joint, platt or isotonic."),
    ] = None,
    route: Annotated[
        str | None,
        Option(
            metavar="PRECISION",
            help='Precision of the labels given, such as "precision>=0.98": documents without so '
            "sure a label are referred to a person.",
        ),
    ] = None,
    compare: Annotated[
        bool | None,
        Option(
            "--compare/--no-compare",
            help="With --for: try on held-out folds whether learning for the measure is better.",
            show_default="--compare",
        ),
    ] = None,
    priors: Annotated[
        Path | None, Option(help="File with per-term priors.", metavar="FILE")
    ] = None,
    labels: Annotated[
        Path | None,
        Option(
            help="File with the names of labels (.csv, .tsv, .json, or SKOS): documents may hold "
            "ids, notations or names, and names are shown.",
            metavar="FILE",
        ),
    ] = None,
    hierarchy: Annotated[
        Literal["back-off", "consistent"] | None,
        Option(
            help="Use the broader labels of --labels: give the most specific labels that are sure "
            "enough, else those above; consistent gives a label only if all above it are accepted.",
        ),
    ] = None,
    labels_language: Annotated[
        str | None,
        Option(
            help="Language of the names to show, such as de.",
            show_default="English, else that of most names",
        ),
    ] = None,
    test: Annotated[
        bool,
        Option(
            "--test/--no-test",
            help="Measure the model: on the documents marked test, or if there are none, out of "
            "fold.",
        ),
    ] = True,
    threads: Threads = None,
    seed: Seed = 0,
    search: Annotated[
        bool,
        Option(
            "--search",
            help="Choose λ by cross-validation: from 10^-k for k = 0..6 in 5 folds, one λ for "
            "all categories.",
        ),
    ] = False,
    search_per_category: Annotated[
        bool, Option("--search-per-category", help="Choose a λ for each category.")
    ] = False,
    search_folds: Annotated[
        int | None, Option(min=2, help="Number of folds of the search.")
    ] = None,
    search_rounds: Annotated[
        int | None, Option(min=1, help="Number of folds that are held out (default: all).")
    ] = None,
    search_measure: Annotated[
        str | None,
        Option(
            help="Measure of the search: f1, error, loss, break-even, log-likelihood, or one as in "
            "--for (default: that of --for; else break-even if the recipe tunes thresholds, "
            "log-likelihood if one model has all classes, and else f1).",
        ),
    ] = None,
    search_over: Annotated[
        Unit | None, Option(help="Unit of the strengths in the search: lam, C or prior_variance.")
    ] = None,
    search_grid: Annotated[
        str | None, Option(help="Strengths to try, such as 1e-2,1e-3,1e-4, or auto.")
    ] = None,
    most_terms: Annotated[
        int | None, Option(min=1, help="Search with at most this many terms for each category.")
    ] = None,
    exactly: Annotated[
        bool, Option("--exactly", help="With --most-terms: keep exactly that many terms.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Learn a model from labelled documents and write it to a file.

    Without --recipe, postil tries words, pairs of words, stems, characters, titles kept apart and
    several strengths on folds of the training documents, and takes the simplest of the best.
    Ctrl-C ends the search, and training goes on with the best so far. --budget sets the time;
    --budget none uses the recipe default.

    Documents marked test are never learned from. If there are any, the model is measured on them;
    else on the training documents, out of fold: each is decided by a model that had not seen it.
    Decisions and probabilities come from the training documents only. If each of them has exactly
    one label, so will every other document, unless the recipe has a rule of its own; --many-labels
    and --one-label change this.

    A search chooses λ, the strength of regularization, by cross-validation on the training
    documents. Every search option asks for a search; the recipe's [search] table supplies the
    options that are not given. --search-grid auto starts each path at the strongest useful λ.

    With --for, thresholds are tuned for the measure, a search for λ uses it, and the report shows
    it first. Held-out folds then decide whether to learn for the measure too (maximal
    figure-of-merit learning). "recall>=0.95" means the highest precision with at least that recall
    in each category; "cost(fp=1, fn=5)" makes a missed document cost five times a wrongly accepted
    one.

    With --route, postil finds the least probability from which labels have the precision, with 95 %
    confidence out of fold. postil predict gives only such labels and marks the other documents.

    A line of a prior file is TERM MODE VARIANCE [ABS] [SKEW], after "class NAME" if it is for one
    category. The variance is relative to the variance of all terms, unless ABS follows
    (docs/bbr.md).

    With --labels, the labels of documents may be ids, notations or names of the file. The model
    calls its categories by id and shows their names (docs/labels.md).

    The vectors of an svmlight file (.svm) are used unchanged, and its terms are numbers.

    \b
    Examples:
      postil train demo -o demo.postil
      postil train mails.csv -o mails.postil --budget 10m
      postil train reuters-modapte -o modapte.postil --recipe mod-least-squares
      postil train mails.csv -o mails.postil --label-column folder --text-columns subject
      postil train demo -o searched.postil -r logistic --search
      postil train demo -o searched.postil --search-per-category --search-folds 3
      postil train demo -o searched.postil --search-grid auto --search-per-category
      postil train demo -o aimed.postil --for macro-f1
      postil train demo -o one.postil --one-label
      postil train demo -o aimed.postil --for "recall>=0.95"
      postil train demo -o routed.postil --route "precision>=0.9"
      postil train demo -o aimed.postil --for "cost(fp=1, fn=5)" --no-compare
      postil train demo -o ten.postil -r lasso-logistic --most-terms 10
      postil train mails.csv -o mails.postil -r logistic --priors words.txt
      postil train books.csv -o books.postil --labels subjects.ttl --labels-language de
      postil train books.csv -o books.postil --labels subjects.csv --hierarchy back-off
      postil train vectors.svm -o vectors.postil -r logistic
    """
    from postil.learn.term_priors.files import read_prior_file
    from postil.recipes.recipe import load_recipe

    given = {
        "folds": search_folds,
        "rounds": search_rounds,
        "measure": _search_measure(search_measure),
        "shared": False if search_per_category or most_terms is not None else None,
        "over": search_over,
        "grid": _search_grid(search_grid),
        "most_terms": most_terms,
        "exactly": True if exactly else None,
    }
    entries = {name: value for name, value in given.items() if value is not None}
    chosen = _trained_for(_budgeted(load_recipe(recipe), budget), measure, compare)
    chosen = _deciding(chosen, one_label, rule, calibration, route)
    if chosen.auto is not None and (search or entries or priors is not None):
        chosen = chosen.within("none")  # the search that was asked for takes the place of its own
    if search or entries:
        blamed = {
            f"--search-measure {search_measure}": search_measure is not None,
            f"--most-terms {most_terms}": most_terms is not None,
            f"--search-rounds {search_rounds}": search_rounds is not None,
            "--search-per-category": search_per_category,
            "--search": True,
        }
        option = next(name for name, applies in blamed.items() if applies)
        chosen = _searched(chosen, entries, option)
    settings = {
        "priors": None if priors is None else read_prior_file(priors),
        "labels": _vocabulary(labels, labels_language),
        "hierarchy": hierarchy,
        "threads": threads,
        "seed": seed,
        "notify": say,
    }
    check_model_output(output, *corpus, recipe, priors, labels)
    model, report, seconds = _train(corpus, chosen, output, reading, settings, test=test)
    if as_json:
        show_json(_as_dict(model, output, seconds, report))
    else:
        _show(model, output, seconds, report)


def _vocabulary(file: Path | None, language: str | None) -> LabelVocabulary | None:
    """Return the label vocabulary of ``--labels``, and print what it holds."""
    from postil.corpus.label_files import read_label_file

    if file is None:
        if language is not None:
            raise UsageError("--labels-language is the language of --labels: give both")
        return None
    found = read_label_file(file, language)
    say(f"{file}: {found.summary()}")
    return found


def _train(
    corpus: Inputs,
    recipe: Recipe,
    output: Path,
    reading: Reading,
    settings: dict[str, Any],
    *,
    test: bool,
) -> tuple[Model, Report | None, float]:
    """Train and save a model; return it with its report and the seconds.

    The report is on the documents marked test, or out of fold if there are none.
    """
    from postil.model.save import save_model
    from postil.train.search_cache import SearchCache
    from postil.train.train import train as train_model
    from postil.train.train import train_vectors

    begun = time.monotonic()
    runs: list[TrainingRun] = []
    settings = {**settings, "finished": runs.append}
    cache = SearchCache(output.with_name(f"{output.name}.search"))
    vectors = reading.vectors(corpus)
    with Spool() as tests:
        if vectors is not None:
            labels = settings.pop("labels")
            if settings.pop("hierarchy") is not None:
                raise UsageError("--hierarchy is for documents, and does not apply to vectors")
            recipe = recipe if recipe.auto is None else recipe.within("none")
            say(vectors.note(recipe.name, directions=recipe.representation.lsi is not None))
            with progress_bar() as bar:
                model = train_vectors(vectors, recipe, progress=bar.update, **settings)
            if labels is not None:  # the work is done: nothing may be lost for want of a name
                for note in (*labels.notes, *labels.notes_on(model.names)):
                    say(note)
                model = replace(model, labels=labels.of(model.names) or None)
        else:
            opened = reading.open(corpus, labels=settings["labels"])
            opened.tests = tests if test else None
            try:
                with reporting_problems(opened), progress_bar() as bar:
                    model = train_model(
                        opened,
                        recipe,
                        corpus=opened.name,
                        progress=bar.update,
                        cache=cache,
                        **settings,
                    )
            except KeyboardInterrupt:
                if cache.note():
                    say(cache.note())
                raise
        seconds = time.monotonic() - begun
        with naming_errors(output):
            save_model(model, output)
        cache.remove()
        if not test:
            return model, None, seconds
        if vectors is None and opened.tested:
            report: Report | None = _measured(model, tests, opened.name, settings["threads"])
        else:
            report = _out_of_fold(model, runs[0], corpus[0] if vectors is not None else opened.name)
    if report is not None:
        model = replace(model, evaluation=_evaluation(report))
        with naming_errors(output):
            save_model(model, output)
    return model, report, seconds


def _evaluation(report: Report) -> dict[str, str]:
    """Return the first numbers of a report, which the model keeps for its card."""
    from postil.evaluate.counts import shown

    found = {
        name.replace("_f1", "-F1"): f"{shown(each.value)} % ({each.level:.0%} interval "
        f"{shown(each.low)} to {shown(each.high)})"
        for name, each in report.headline.items()
    }
    return {"measured on": report.provenance.split or "", **found}


def _out_of_fold(model: Model, run: TrainingRun, corpus: str) -> Report | None:
    """Return the report on the training documents, if the recipe scored them out of fold."""
    from postil.train.out_of_fold import report_out_of_fold

    if not run.has_out_of_fold:
        say(
            "no document is marked test and the recipe tunes nothing out of fold, so nothing was "
            f"measured; {TO_MARK}, or train with --calibration auto"
        )
        return None
    with progress_bar() as bar:
        bar.update("measuring out of fold", 0, None)
        found = run.held_out(model.decision, model.calibration)
    return report_out_of_fold(model, found, corpus=corpus)


def _measured(model: Model, tests: Spool, corpus: str, threads: int | None) -> Report:
    from postil.train.assess import assessment

    with progress_bar() as bar:
        tested = assessment(model, tests, corpus=corpus, threads=threads, progress=bar.update)
    if tested.unknown:
        say(tested.unknown_note())
    return tested.report


def _trained_for(recipe: Recipe, measure: str | None, compare: bool | None) -> Recipe:
    """Return the recipe with ``--for`` and ``--compare`` applied."""
    if measure is None:
        if compare is not None:
            raise UsageError("--compare and --no-compare need --for: give a measure")
        return recipe
    try:
        return recipe.aimed_at(measure, compare=compare is not False)
    except SpecError as error:
        raise UsageError(f"--for: {error}") from None
    except UsageError as error:
        raise UsageError(f"--for {measure} with the recipe {recipe.name}: {error}") from None


def _budgeted(recipe: Recipe, budget: str | None) -> Recipe:
    """Return the recipe with the time for its search, or without a search."""
    try:
        return recipe if budget is None else recipe.within(budget)
    except UsageError as error:
        raise UsageError(f"--{error}") from None


def _deciding(
    recipe: Recipe,
    one_label: bool | None,
    rule: str | None,
    calibration: str | None,
    route: str | None,
) -> Recipe:
    """Return the recipe with the options of decisions applied."""
    if one_label is not None:
        recipe = recipe.deciding("one" if one_label else "many")
    given = {"rule": rule, "calibration": calibration, "route": route}
    for name, value in given.items():
        if value is None:
            continue
        changed: dict[str, Any] = {name: value}
        try:
            if name == "route":
                recipe = recipe.routed(value)
            else:
                recipe = replace(recipe, decide=replace(recipe.decide, **changed))
        except UsageError as error:
            message = str(error).removeprefix("[decide]").removeprefix(f" {name}:").strip()
            raise UsageError(f"--{name} {value!r}: {message}") from None
    return recipe


def _searched(recipe: Recipe, entries: dict[str, Any], option: str) -> Recipe:
    """Return the recipe with a search; ``option`` is the one that an error is most likely about."""
    limited = "most_terms" in entries or (recipe.search and recipe.search.most_terms)
    if "exactly" in entries and not limited:
        raise UsageError("--exactly needs --most-terms: give both")
    if "most_terms" in entries and recipe.search is None:
        entries = {"grid": AUTO} | entries
    try:
        return recipe.searching(**entries)
    except UsageError as error:
        # The recipe was valid before, so the error is about the options.
        message = str(error).removeprefix("[search]: ").replace("[search]", "the search")
        raise UsageError(f"{option} with the recipe {recipe.name}: {message}") from None


def _search_measure(name: str | None) -> str | None:
    from postil.common.suggest import near_names
    from postil.learn.search.measures import MEASURES, search_measure

    if name is None:
        return None
    try:
        return search_measure(name).name
    except SpecError as error:
        raise UsageError(f"--search-measure: {error}") from None
    except UsageError:
        near = near_names(name, MEASURES)
    advice = f"; did you mean {' or '.join(near)}?" if near else ""
    raise UsageError(
        f"--search-measure is one of {', '.join(MEASURES)}, or a figure of merit such as "
        f"recall>=0.95, not {name!r}{advice}"
    )


def _search_grid(text: str | None) -> tuple[float, ...] | str | None:
    if text is None or text == AUTO:
        return text
    try:
        grid = tuple(float(part) for part in text.split(","))
    except ValueError:
        grid = ()
    if not grid or len(set(grid)) < len(grid) or not all(0 < lam < math.inf for lam in grid):
        raise UsageError(
            "--search-grid takes finite numbers above 0 with commas between, each once, such as "
            f"1e-2,1e-3,1e-4, or auto, not {text!r}"
        )
    return grid


def _show(model: Model, output: Path, seconds: float, report: Report | None) -> None:
    from postil.model.route import route_sentence

    if report is not None:
        typer.echo(report.to_text(), nl=False)
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
    if "route" in model.method:
        say(route_sentence(model.method["route"]))
    kept = Counter(each["start"] for each in model.reports if each.get("start"))
    if kept:
        starts = ", ".join(f"{start} for {count}" for start, count in kept.most_common())
        say(f"kept the best of several starts: {starts}")
    for each in model.reports:
        if each["note"]:
            say(f"  {model.title(each['category'])}: {each['note']}")
    say_written(output)


def say_written(output: Path) -> None:
    """Print the size of a model file that was written."""
    size = output.stat().st_size
    shown = f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.0f} kB"
    say(f"wrote {output} ({shown}); see postil inspect {output}")


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
        "auto": model.method.get("auto"),
        "priors": model.method.get("priors"),
        "aim": model.method.get("aim"),
        "route": model.method.get("route"),
        "reports": list(model.reports),
        "evaluation": None if report is None else report.to_dict(),
    }
