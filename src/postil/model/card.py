"""The card of a model: its purpose, data, decisions and limits, in Markdown, for publishing it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

import numpy as np

from postil.common.escaping import visible
from postil.decide.calibration import CALIBRATIONS
from postil.decide.rules import parse_rule
from postil.errors import SpecError
from postil.model.leaderboard import leaderboard
from postil.model.model import Model
from postil.model.overview import Facts, gather, settings_text, title_of
from postil.model.route import route_sentence

FEW = 10
SUM_TO_ONE = ("joint", "softmax")
SHOWN_FEW = 20
_SPECIAL = re.compile(r"[\\`*_\[\]<>|#~&$]")
_STOP = re.compile(r"stop\(([^)]*)\)")


def model_card(model: Model, name: str) -> str:
    """Return a description of a model in Markdown.

    Everything that comes from outside is escaped. The licence is left for the publisher.

    Parameters
    ----------
    model : Model
        The model to describe.
    name : str
        The name of its file.
    """
    whole, each = gather(model, 0, range(model.categories))
    sections = {
        f"# {plain_text(name)}": _purpose(whole),
        "## Data": _data(model, whole),
        "## Measures": _measures(model, name),
        "## Decisions and probabilities": _decisions(whole),
        "## Limits": _limits(whole, each),
        "## Use": _use(model, name),
        "## Licence": ["**To fill in by whoever publishes this model:** its licence."],
    }
    return "\n".join(f"{title}\n\n" + "\n".join(lines) + "\n" for title, lines in sections.items())


def plain_text(text: object) -> str:
    """Return a text of one line in which no character has a meaning in Markdown."""
    return _SPECIAL.sub(r"\\\g<0>", visible(str(text)))


def _purpose(whole: Facts) -> list[str]:
    recipe, weights = whole["recipe"], whole["weights"]
    title = recipe.get("title") or "a model without a recipe of its own"
    source = " ".join(filter(None, [recipe.get("paper"), recipe.get("where")]))
    one = (recipe.get("decide") or {}).get("rule") == "best"
    lines = [
        f"Gives {'each document one' if one else 'documents any'} of "
        f"{weights['categories']:,} categories.",
        "",
        f"- Recipe: {plain_text(recipe.get('name') or 'none')}, {plain_text(title)}"
        + (f" ({plain_text(source)})" if source else ""),
    ]
    learn = recipe.get("learn") or {}
    if learn:
        lines.append(f"- Learned by: {plain_text(settings_text(learn))}")
    if not whole["method"].get("vectors"):
        vectorizer = whole["vectorizer"]
        fields = ", ".join(vectorizer["fields"]) or "all fields"
        lines.append(
            f"- Reads: {plain_text(fields)}; words by the analyzer "
            f"{plain_text(vectorizer['analyzer'])}; {vectorizer['terms']:,} terms"
        )
    return [*lines, f"- Written by: {plain_text(whole['created_by'])}"]


def _data(model: Model, whole: Facts) -> list[str]:
    training = model.training
    if not training.documents or not model.categories:
        return ["The model does not know the documents that it was learned from."]
    labels = int(training.members.sum()) / training.documents
    updates = whole["method"].get("updates") or ()
    return [
        f"- Corpus: {plain_text(training.corpus or 'without a name')}",
        f"- Training documents: {training.documents:,}",
        f"- Categories: {model.categories:,}, with {int(training.members.min()):,} to "
        f"{int(training.members.max()):,} documents, "
        f"{float(np.median(training.members)):,g} at the median",
        f"- Labels for each document: {labels:.2f} on average",
        f"- Fingerprint of the documents: sha256 {training.sha256}",
        *([f"- Updates since: {len(updates)}"] if updates else []),
    ]


def _measures(model: Model, name: str) -> list[str]:
    lines = [
        f"- {plain_text(key[:1].upper() + key[1:])}: "
        + plain_text(f"{value:.4g}" if isinstance(value, float) else value)
        for key, value in (model.evaluation or {}).items()
        if isinstance(value, int | float | str)
    ]
    board = leaderboard(model.method)
    if board is not None and board.chosen:
        found = f"- Automatic search: {board.chosen} on held-out training documents"
        lines.append(plain_text(found))
    if lines:
        return lines
    return [
        "The model keeps no measures. This writes a page of them:",
        "",
        f"    postil report {_quoted(name)} CORPUS -o report.html",
    ]


def _decisions(whole: Facts) -> list[str]:
    spec, kind = whole["decision"]["rule"], whole["calibration"]
    try:
        meaning = f": {parse_rule(spec).rule.help}"
    except SpecError:  # a rule of a later version
        meaning = ""
    least = whole["decision"].get("probability")
    number = "" if least is None else f", here from {least:.3f} on"
    lines = [f"- Decision rule: {plain_text(spec)}{plain_text(meaning)}{number}"]
    if kind is None:
        return [*lines, "- Probabilities: none; scores only rank documents within a category"]
    lines.append(f"- Probabilities: {plain_text(kind)}, {plain_text(CALIBRATIONS[kind].help)}")
    together = (
        "the categories of a document add up to 1"
        if kind in SUM_TO_ONE
        else ("each category stands for itself, so that they need not add up to 1")
    )
    route = whole["method"].get("route")
    return [
        *lines,
        *([f"- Route: {plain_text(route_sentence(route))}"] if route else []),
        "- Meaning: of the documents that get a category with probability 0.8, about 80 % have it, "
        f"if they are like the training documents; {together}",
    ]


def _limits(whole: Facts, each: Sequence[Facts]) -> list[str]:
    few = sorted((facts["members"], title_of(facts)) for facts in each if facts["members"] < FEW)
    lines = ["- Documents unlike the training documents: neither decisions nor probabilities hold"]
    if few and whole["training"]["documents"]:
        named = ", ".join(f"{plain_text(name)} ({count})" for count, name in few[:SHOWN_FEW])
        more = f", and {len(few) - SHOWN_FEW:,} more" if len(few) > SHOWN_FEW else ""
        lines.append(f"- Categories with fewer than {FEW} training documents: {named}{more}")
    if not whole["method"].get("vectors"):
        stop = _STOP.findall(whole["vectorizer"]["analyzer"])
        listed = f"the stop list {', '.join(stop)} fixes the language" if stop else "no stop list"
        lines.append(
            f"- Language: that of the training documents; {plain_text(listed)}. Texts in another "
            "language have few known words"
        )
    notes = len(whole["decision"]["notes"])
    if notes:
        lines.append(
            f"- Categories whose threshold could not be tuned: {notes:,}; postil inspect lists them"
        )
    return lines


def _use(model: Model, name: str) -> list[str]:
    corpus = "vectors.svm" if "vectors" in model.method else "documents.csv"
    return [
        f"    postil predict {_quoted(name)} {corpus}",
        f"    postil explain {_quoted(name)} {corpus}",
        f"    postil inspect {_quoted(name)}",
    ]


def _quoted(name: str) -> str:
    return shlex.quote(visible(name))
