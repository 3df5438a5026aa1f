"""What `postil inspect` knows of a model, in words."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from postil.cli.console import counted
from postil.cli.inspect_facts import Facts

_TOLD_ELSEWHERE = ("category", "members", "nonzeros", "note")

_counted = partial(counted, grouped=True)


def settings(given: Mapping[str, Any]) -> str:
    """Names and values, as they come."""
    return ", ".join(f"{name} {_plain(value)}" for name, value in given.items())


def _plain(value: object) -> str:
    """A value, nested or not."""
    if isinstance(value, Mapping):
        return f"({settings(value)})"
    if isinstance(value, list | tuple):
        return " ".join(map(_plain, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def recipe(table: Mapping[str, Any]) -> str:
    """A recipe by its name, and where it was published."""
    source = " ".join(filter(None, [table.get("paper"), table.get("where")]))
    named = ": ".join(filter(None, [table.get("name"), table.get("title")]))
    return f"{named} ({source})" if source else named


def representation(whole: Facts) -> dict[str, str]:
    """How documents become vectors."""
    given = whole["method"].get("vectors")
    if given:
        terms = "their numbers" if given == "ids" else "the names of their numbers"
        return {"vectors": f"those of svmlight files; terms are {terms}"}
    vectorizer = whole["vectorizer"]
    return {
        "analyzer": vectorizer["analyzer"],
        "fields": fields(vectorizer),
        "vectors": vectors(vectorizer),
    }


def vocabulary(whole: Facts) -> str:
    """How many terms there are."""
    vectorizer = whole["vectorizer"]
    return _counted(vectorizer["terms"], "hash bucket" if vectorizer["hashed"] else "term")


def fields(vectorizer: Facts) -> str:
    """Which fields are read, and how."""
    if not vectorizer["fields"]:
        return "all, joined"
    return f"{', '.join(vectorizer['fields'])}, {'apart' if vectorizer['apart'] else 'joined'}"


def vectors(vectorizer: Facts) -> str:
    """How counts become weights."""
    constant = ", a constant" if vectorizer["constant"] else ""
    return (
        f"tf {vectorizer['tf']}, idf {vectorizer['idf']}, norm {vectorizer['norm']}{constant}; "
        f"learned from {_counted(vectorizer['documents'], 'document')}"
    )


def decision(whole: Facts) -> str:
    """How scores become decisions and probabilities."""
    calibration = whole["calibration"]
    return f"{whole['decision']['rule']}; " + (
        f"probabilities by {calibration}" if calibration else "no probabilities"
    )


def sparsity(weights: Facts) -> str:
    """How many weights there are."""
    density = "" if weights["density"] is None else f" ({weights['density']:.2%})"
    cells = weights.get("rows", weights["categories"]) * weights["columns"]
    return (
        f"{weights['nonzeros']:,} of {cells:,} not 0{density}, "
        f"stored {weights['storage']} by {weights['order']}"
    )


def scoring(whole: Facts) -> dict[str, str]:
    """How scores are made of what terms add up to; nothing where they are that."""
    told = {}
    projection, combination = whole.get("projection"), whole.get("combination")
    lsi = whole["method"].get("lsi") or {}
    directions = (projection or lsi).get("directions")
    if projection:
        told["directions"] = (
            f"{directions:,} of LSI; each document is scaled to the length "
            f"{projection['length']:g} in them"
        )
    elif isinstance(directions, int):
        told["directions"] = f"learned in {directions:,} of LSI, folded back to terms"
    if combination:
        told["scores"] = _COMBINED.get(combination["kind"], settings)(combination)
    return told


def _rivals(combination: Mapping[str, Any]) -> str:
    capped = ", held below 0" if combination.get("capped") else ""
    return (
        f"rivals: a category's own, less the bar that the others set (sharpness "
        f"{combination['sharpness']:g}{capped})"
    )


def _trees(combination: Mapping[str, Any]) -> str:
    return f"trees: {_counted(combination['rows'], 'node')} in all; the last one on the way decides"


_COMBINED = {"rivals": _rivals, "trees": _trees}


def worst(fit: Mapping[str, Any] | None) -> str:
    """The fit with the largest certificate."""
    if fit is None or fit["certificate"] is None:
        return "no certificate"
    return (
        f"{fit['category']}, {fit['kind']} {fit['certificate']:.1e} after "
        f"{_counted(fit['iterations'] or 0, 'iteration')}"
    )


def update(done: Mapping[str, Any]) -> str:
    """An update in a line: how many documents of what, and what they brought."""
    origin = f" of {done['corpus']}" if done.get("corpus") else ""
    names = done.get("new_categories", ())
    listed = f": {', '.join(names)}" if names else ""
    return (
        f"{_counted(done.get('documents', 0), 'document')}{origin}, "
        f"{_counted(done.get('passes', 0), 'pass', 'passes')} at most; "
        f"{_counted(done.get('new_terms', 0), 'new term')}, "
        f"{_counted(len(names), 'new category', 'new categories')}{listed}"
    )


def smoothing(most: float) -> str:
    """How near the smooth problem is to the SVM that it stands for; nothing where there is none."""
    if not most:
        return ""
    return f"the smooth problem's minimum is at most {most:.2g} above the SVM's"


def selection(chosen: Mapping[str, Any]) -> str:
    """Which terms a category keeps; nothing where it keeps them all."""
    return settings(chosen) if chosen.get("measure") else ""


def report(told: Mapping[str, Any] | None) -> str:
    """How a category was learned, but for what is told elsewhere."""
    if told is None:
        return "the model keeps none"
    kept = {name: told[name] for name in told if name not in _TOLD_ELSEWHERE}
    return settings(kept)
