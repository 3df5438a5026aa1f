"""What `postil inspect` shows a person."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import typer

from postil.cli.console import show_table
from postil.cli.inspect_facts import Facts, certificate_of
from postil.explain.figures import visible

SHOWN_NOTES = 10
INDENT = "  "
UNKNOWN = "-"
WIDTH = 96


def headline(name: str, whole: Facts) -> str:
    """The model in a line."""
    categories, documents = whole["weights"]["categories"], whole["training"]["documents"]
    corpus = whole["training"]["corpus"]
    return visible(
        f"{name}: {_counted(categories, 'category', 'categories')}, {_vocabulary(whole)}, trained "
        f"on {_counted(documents, 'document')}{f' of {corpus}' if corpus else ''}"
    )


def show_facts(whole: Facts) -> None:
    """Print how texts become decisions, and where the model comes from."""
    recipe = whole["recipe"]
    facts = {
        "recipe": _recipe(recipe),
        "learn": _settings(recipe.get("learn") or {}),
        "selection": _settings(recipe.get("selection") or {}),
        "method": _settings(whole["method"]),
        "analyzer": whole["vectorizer"]["analyzer"],
        "fields": _fields(whole["vectorizer"]),
        "vectors": _vectors(whole["vectorizer"]),
        "decision": _decision(whole),
        "weights": _sparsity(whole["weights"]),
        "documents": f"sha256 {whole['training']['sha256']}",
        "written by": " ".join(filter(None, [whole["created_by"], whole["created"]])),
        "evaluation": _settings(whole["evaluation"] or {}),
    }
    _show_pairs({name: text for name, text in facts.items() if text})


def show_report(whole: Facts) -> None:
    """Print how training went: iterations, why it stopped, the worst certificate, notes."""
    report = whole["report"]
    _title("Training report")
    if not report["categories"]:
        typer.echo(f"{INDENT}the model keeps none")
    else:
        stopped = ", ".join(f"{reason}: {count}" for reason, count in report["stopped"].items())
        facts = {
            "stopped": stopped,
            "iterations": f"{report['iterations']:,} in all",
            "seconds": f"{report['seconds']:.3g} in all" if report["seconds"] else "",
            "worst": _worst(report["worst"]),
        }
        _show_pairs({name: text for name, text in facts.items() if text})
    notes = [*report["notes"], *whole["decision"]["notes"]]
    for note in notes[:SHOWN_NOTES]:
        _wrapped(f"note: {note}")
    if len(notes) > SHOWN_NOTES:
        typer.echo(f"{INDENT}… and {len(notes) - SHOWN_NOTES} more notes (--json)")


def show_bytes(whole: Facts) -> None:
    """Print what each part takes in the file."""
    sizes = whole["bytes"]
    _title("Bytes")
    rows = [
        (f"{INDENT}{part}", f"{size:,}", f"{size / sizes['total']:.1%}")
        for part, size in sizes.items()
    ]
    show_table((f"{INDENT}part", "bytes", "share"), rows, right=" rr")


def show_categories(whole: Facts, each: list[Facts]) -> None:
    """Print a line of numbers for each category, and its strongest terms."""
    _title("Categories")
    measure = "share" if each and "share" in each[0] else "threshold"
    header = ("category", "members", "weights", measure, "iterations", "certificate", "stopped")
    rows = [
        (
            INDENT + visible(facts["name"]),
            f"{facts['members']:,}",
            f"{facts['nonzeros']:,}",
            _measure(facts, measure),
            _of_report(facts, "iterations"),
            _certificate(facts),
            _of_report(facts, "stopped"),
        )
        for facts in each
    ]
    show_table((INDENT + header[0], *header[1:]), rows, right=" rrrrr")
    if any(facts["up"] or facts["down"] for facts in each):
        _title(f"Terms that speak for a category, and against it, by {whole['terms']}")
        show_table(
            (f"{INDENT}category", "for", "against"),
            [(INDENT + visible(f["name"]), _terms(f["up"]), _terms(f["down"])) for f in each],
        )


def show_category(whole: Facts, facts: Facts) -> None:
    """Print everything about one category."""
    _title(facts["name"])
    measure = "share" if "share" in facts else "threshold"
    columns = whole["weights"]["columns"]
    documents = _counted(whole["training"]["documents"], "document")
    pairs = {
        "members": f"{facts['members']:,} of {documents}",
        measure: f"{_measure(facts, measure)} ({facts['state'].replace('_', ' ')})",
        "decision": _decision(whole),
        "intercept": f"{facts['intercept']:.4g}",
        "weights": f"{facts['nonzeros']:,} of {columns:,} not 0",
        "report": _report(facts["report"]),
        "note": (facts["report"] or {}).get("note", ""),
    }
    _show_pairs({name: text for name, text in pairs.items() if text})
    for title, way in (("for", "up"), ("against", "down")):
        if facts[way]:
            typer.echo()
            rows = [(INDENT + visible(t["term"]), f"{t['weight']:+.4f}") for t in facts[way]]
            show_table((f"{INDENT}terms {title} it", whole["terms"]), rows, right=" r")


def _title(text: str) -> None:
    typer.echo()
    typer.secho(visible(text), bold=True)


def _show_pairs(pairs: Mapping[str, str]) -> None:
    wide = max(map(len, pairs))
    for name, text in pairs.items():
        lead = f"{INDENT}{name:<{wide}}  "
        _wrapped(text, lead, " " * len(lead))


def _wrapped(text: str, first: str = INDENT, further: str = INDENT * 2) -> None:
    for line in textwrap.wrap(
        visible(text), WIDTH, initial_indent=first, subsequent_indent=further
    ):
        typer.echo(line)


def _counted(count: int, noun: str, plural: str = "") -> str:
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def _settings(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {_plain(value)}" for name, value in settings.items())


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        return f"({_settings(value)})"
    if isinstance(value, list | tuple):
        return " ".join(map(_plain, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _recipe(recipe: Mapping[str, Any]) -> str:
    source = " ".join(filter(None, [recipe.get("paper"), recipe.get("where")]))
    named = ": ".join(filter(None, [recipe.get("name"), recipe.get("title")]))
    return f"{named} ({source})" if source else named


def _vocabulary(whole: Facts) -> str:
    vectorizer = whole["vectorizer"]
    return _counted(vectorizer["terms"], "hash bucket" if vectorizer["hashed"] else "term")


def _fields(vectorizer: Facts) -> str:
    if not vectorizer["fields"]:
        return "all, joined"
    return f"{', '.join(vectorizer['fields'])}, {'apart' if vectorizer['apart'] else 'joined'}"


def _vectors(vectorizer: Facts) -> str:
    constant = ", a constant" if vectorizer["constant"] else ""
    return (
        f"tf {vectorizer['tf']}, idf {vectorizer['idf']}, norm {vectorizer['norm']}{constant}; "
        f"learned from {_counted(vectorizer['documents'], 'document')}"
    )


def _decision(whole: Facts) -> str:
    calibration = whole["calibration"]
    return f"{whole['decision']['rule']}; " + (
        f"probabilities by {calibration}" if calibration else "no probabilities"
    )


def _sparsity(weights: Facts) -> str:
    density = "" if weights["density"] is None else f" ({weights['density']:.2%})"
    cells = weights["categories"] * weights["columns"]
    return (
        f"{weights['nonzeros']:,} of {cells:,} not 0{density}, "
        f"stored {weights['storage']} by {weights['order']}"
    )


def _worst(worst: Mapping[str, Any] | None) -> str:
    if worst is None or worst["certificate"] is None:
        return "no certificate"
    return (
        f"{worst['category']}, {worst['kind']} {worst['certificate']:.1e} after "
        f"{_counted(worst['iterations'] or 0, 'iteration')}"
    )


def _report(report: Mapping[str, Any] | None) -> str:
    if report is None:
        return "the model keeps none"
    kept = {name: report[name] for name in report if name not in _TOLD_ELSEWHERE}
    return _settings(kept)


_TOLD_ELSEWHERE = ("category", "members", "nonzeros", "note")


def _measure(facts: Facts, measure: str) -> str:
    if facts["given"] != "by score":
        return str(facts["given"])
    return f"{facts[measure]:.4f}"


def _of_report(facts: Facts, name: str) -> str:
    value = (facts["report"] or {}).get(name)
    return UNKNOWN if value is None else str(value)


def _certificate(facts: Facts) -> str:
    certificate = certificate_of(facts)
    return UNKNOWN if certificate is None else f"{certificate:.1e}"


def _terms(terms: list[dict[str, Any]]) -> str:
    return " ".join(visible(term["term"]) for term in terms)
