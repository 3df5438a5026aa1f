"""When training for a measure does better than thresholds tuned for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.exams import Exam, Learned, Learners
from benchmarks.harness import Cell, Line, Settings, benchmark
from postil.errors import CorpusError
from postil.evaluate.measures import Aimed
from postil.learn.merit.naming import figure_named
from postil.recipes.recipe import load_recipe
from postil.train.choice import OTHER_WAYS, TUNED, Standing, best_way

CORPORA: Mapping[str, str] = {
    "reuters-modapte": "Reuters",
    "20news-bydate": "20 Newsgroups",
    "demo": "demo",
}
F1, MICRO_F1, RECALL, COST = "f1", "micro-f1", "recall>=0.95", "cost(fp=1, fn=5)"
HEADS: Mapping[str, str] = {
    F1: "F1",
    MICRO_F1: "micro-F1",
    RECALL: "precision at recall ≥ 0.95 (held in)",
    COST: "cost of 100 documents",
}
"""The measures, and the headings of their columns."""

SVM: Mapping[str, Any] = {"loss": "hinge", "solver": "dual-coordinate", "C": 1.0}
CLIMB: Mapping[str, Any] = {"learner": "mfom", "starts": ["svm"], "lam": 1e-4}
OWN = "default"
RIVALS: Mapping[str, Any] = load_recipe("mfom-multi").learn
BALANCED = "balanced-error"
FEW = "few(10)"


@dataclass(frozen=True, slots=True)
class Way:
    """From an exam to decisions for a measure: who learns, and by which rule it decides.

    Where ``learn`` gives None, the way is not tried for the measure; an empty table stands for
    that of the recipe.
    """

    name: str
    learn: Callable[[str], Mapping[str, Any] | None]
    rule: Callable[[Exam, str], str]


def _climb(**told: Any) -> Callable[[str], Mapping[str, Any]]:
    return lambda measure: {**CLIMB, **told, "figure": measure}


def _rivals(measure: str) -> Mapping[str, Any]:
    return {**RIVALS, "figure": BALANCED if measure in (F1, MICRO_F1) else measure}


def _tuned(exam: Exam, measure: str) -> str:
    return exam.rule(measure)


def _own(exam: Exam, measure: str) -> str:  # noqa: ARG001 - 0 is the threshold of all
    return OWN


WAYS = (
    Way("SVM, threshold 0", lambda _: SVM, _own),
    Way("SVM, thresholds tuned", lambda _: SVM, _tuned),
    Way("mfom from the SVM, threshold 0", _climb(), _own),
    Way("mfom from the SVM, thresholds tuned", _climb(), _tuned),
    Way("mfom from the members' mean, threshold 0", _climb(starts=["members-mean"]), _own),
    Way("rivals, threshold 0", _rivals, _own),
    Way(
        "rivals, thresholds tuned",
        lambda measure: _rivals(measure) if measure in (F1, MICRO_F1) else None,
        lambda exam, measure: f"{exam.rule(measure)} {FEW}",
    ),
    Way("recipe default, thresholds tuned", lambda _: {}, _tuned),
)


@benchmark("measures", "training for a measure, and thresholds tuned for it, on test documents")
def run(settings: Settings) -> Iterator[Line]:
    """Every way for every measure on every corpus."""
    for name, title in CORPORA.items():
        try:
            exam = Exam.of(name, settings.documents)
        except CorpusError as error:
            yield f"Left out: {error}."
            continue
        yield from _rows(exam, title)
    yield (
        "Vectors are those of the recipe `default`; all that is tuned or chosen is tuned and "
        "chosen on training documents, over five folds, and every number is of test documents: F1 "
        "in %, the mean over the categories that have test documents, or of all of them together "
        "(micro-F1); mean precision in % where recall is to be 0.95 or more, and in how many "
        "categories it is; what the decisions on 100 documents cost, where a wrong category costs "
        "1 and a missed one 5 (the less the better). The SVM has C = 1; mfom is the learner of "
        f"that name, trained for the measure with λ = {CLIMB['lam']:g}; rivals are its form "
        "`unclaimed`, trained for the balanced error where the measure is F1, as the recipe "
        "`mfom-multi` is and in all else as it says; where their thresholds are tuned, categories "
        "of fewer than ten documents keep 0. The last two rows of a corpus are `postil train "
        "--for MEASURE`: what held-out folds say of thresholds tuned for the measure (of a cost: "
        "the share that is spared of what it costs to accept nothing, in %), of mfom as it is "
        "compared there, each category for itself (from the start `modified-squared`), and of "
        "rivals, both with thresholds tuned as well and with the error bar of their difference to "
        "the first; and what was taken, with "
        "its value on test documents. Seconds are those of all learning that the row needs, for "
        "all measures."
    )


def _rows(exam: Exam, title: str) -> Iterator[Line]:
    learners = Learners(exam)
    for way in WAYS:
        taken: dict[int, float] = {}
        row: dict[str, Cell] = {"corpus": title, "way": way.name}
        for measure, head in HEADS.items():
            learn = way.learn(measure)
            if learn is None:
                row[head] = "–"
                continue
            learned = learners[learn or exam.recipe.learn]
            rule = way.rule(exam, measure)
            row[head] = _told(exam, exam.measured(learned.accepted(rule), measure))
            taken[id(learned)] = _seconds(learned, with_folds=rule != OWN)
        yield row | {"seconds": sum(taken.values())}
    yield from _choice(exam, learners, title)


def _choice(exam: Exam, learners: Learners, title: str) -> Iterator[Line]:
    """Yield the held-out values of ``postil train --for``, its choice, and the test values."""
    seen: dict[str, Cell] = {"corpus": title, "way": f"held out: {', '.join((TUNED, *OTHER_WAYS))}"}
    row: dict[str, Cell] = {"corpus": title, "way": "postil train --for"}
    learned_once: dict[int, Learned] = {}
    for measure, head in HEADS.items():
        figure = figure_named(measure)
        ways = {TUNED: learners[exam.recipe.learn]} | {
            way: learners[table(figure)] for way, table in OTHER_WAYS.items()
        }
        found = {way: learned.standing(measure) for way, learned in ways.items()}
        taken = best_way(found)
        value = _told(exam, exam.measured(ways[taken].accepted(exam.rule(measure)), measure))
        seen[head] = ", ".join(_share(found[way], found[TUNED]) for way in ways)
        row[head] = f"{value}: {taken}"
        learned_once |= {id(learned): learned for learned in ways.values()}
    yield seen
    yield row | {"seconds": sum(_seconds(each, with_folds=True) for each in learned_once.values())}


def _share(found: Standing, own: Standing) -> str:
    bar = "" if found is own else f" ± {100 * found.error_bar(own):.1f}"
    held = "" if found.reached is None else f" ({found.reached} of {found.categories})"
    return f"{100 * found.value:.1f}{bar}{held}"


def _told(exam: Exam, found: Aimed) -> str:
    if found.total is not None:
        return f"{100 * found.total / exam.test.shape[0]:.1f}"
    value = found.micro if found.measure == MICRO_F1 else found.macro.value
    held = "" if found.reached is None else f" ({found.reached} of {found.categories})"
    return f"{100 * value:.1f}{held}"


def _seconds(learned: Learned, *, with_folds: bool) -> float:
    """Return the name of the learner; a rejected one was trained on folds only."""
    return sum(learned.seconds.get(part, 0.0) for part in ("all", "folds")[: 1 + with_folds])
