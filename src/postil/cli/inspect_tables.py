"""What `postil inspect` shows a person."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from functools import partial
from typing import Any

import typer

from postil.cli import inspect_words as words
from postil.cli.console import counted, show_bold, show_table
from postil.cli.inspect_facts import NO_INTERVAL, Facts, certificate_of, interval_text
from postil.cli.search import aim_sentence, search_lines, search_sentence, search_symbol
from postil.common.escaping import visible

SHOWN_NOTES = 10
INDENT = "  "
UNKNOWN = "-"
HOLDS_ZERO = "?"
WIDTH = 96

_TOLD_ELSEWHERE = ("aim", "search", "updates", "vectors", "lsi")

_counted = partial(counted, grouped=True)


def headline(name: str, whole: Facts) -> str:
    """The model in a line."""
    categories, documents = whole["weights"]["categories"], whole["training"]["documents"]
    corpus = whole["training"]["corpus"]
    more = sum(update.get("documents", 0) for update in whole["method"].get("updates") or ())
    origin = f"trained on {_counted(documents - more, 'document')}"
    origin += f" of {corpus}" if corpus else ""
    origin += f", updated by {more:,}" if more else ""
    imported = whole["method"].get("imported")
    if imported:
        origin = f"imported from {imported['file']}"
    return visible(
        f"{name}: {_counted(categories, 'category', 'categories')}, {words.vocabulary(whole)}, "
        f"{origin}"
    )


def show_model(whole: Facts, each: list[Facts]) -> None:
    """Print all there is to say of the whole, and a line for each category."""
    show_facts(whole)
    show_search(whole)
    show_updates(whole)
    show_report(whole)
    show_bytes(whole)
    show_categories(whole, each)


def show_facts(whole: Facts) -> None:
    """Print how texts become decisions, and where the model comes from."""
    recipe = whole["recipe"]
    facts = {
        "recipe": words.recipe(recipe),
        "learn": words.settings(recipe.get("learn") or {}),
        "selection": words.selection(recipe.get("selection") or {}),
        "method": words.settings(
            {k: v for k, v in whole["method"].items() if k not in _TOLD_ELSEWHERE}
        ),
        **words.representation(whole),
        **words.scoring(whole),
        "aim": aim_sentence(whole["method"].get("aim")).removeprefix("aimed at "),
        "decision": words.decision(whole),
        "weights": words.sparsity(whole["weights"]),
        "documents": f"sha256 {whole['training']['sha256']}",
        "written by": " ".join(filter(None, [whole["created_by"], whole["created"]])),
        "evaluation": words.settings(whole["evaluation"] or {}),
    }
    _show_pairs({name: text for name, text in facts.items() if text})


def show_search(whole: Facts) -> None:
    """Print how the strength was searched for, if it was: a line for each, the best marked."""
    search = whole["method"].get("search")
    if not search:
        return
    show_title(f"Search for {search_symbol(search)}")
    typer.echo(f"{INDENT}{search_sentence(search)}")
    for line in search_lines(search):
        typer.echo(f"{INDENT}{line}")


def show_updates(whole: Facts) -> None:
    """Print what was learned on top of the training, a line for each update."""
    updates = whole["method"].get("updates") or ()
    if not updates:
        return
    show_title("Updates")
    for number, update in enumerate(updates, 1):
        show_wrapped(f"{number}. {words.update(update)}")


def show_report(whole: Facts) -> None:
    """Print how training went: iterations, why it stopped, the worst certificate, notes."""
    report = whole["report"]
    show_title("Training report")
    if not report["categories"]:
        typer.echo(f"{INDENT}the model keeps none")
    else:
        stopped = ", ".join(f"{reason}: {count}" for reason, count in report["stopped"].items())
        facts = {
            "stopped": stopped,
            "iterations": f"{report['iterations']:,} in all",
            "seconds": f"{report['seconds']:.3g} in all" if report.get("seconds") else "",
            "worst": words.worst(report["worst"]),
            "smoothed": words.smoothing(report.get("smoothing", 0.0)),
        }
        _show_pairs({name: text for name, text in facts.items() if text})
    notes = [*report["notes"], *whole["decision"]["notes"]]
    for note in notes[:SHOWN_NOTES]:
        show_wrapped(f"note: {note}")
    if len(notes) > SHOWN_NOTES:
        typer.echo(f"{INDENT}… and {len(notes) - SHOWN_NOTES} more notes (--json)")


def show_bytes(whole: Facts) -> None:
    """Print what each part takes in the file."""
    sizes = whole["bytes"]
    show_title("Bytes")
    rows = [
        (f"{INDENT}{part}", f"{size:,}", f"{size / sizes['total']:.1%}")
        for part, size in sizes.items()
    ]
    show_table((f"{INDENT}part", "bytes", "share"), rows, right=" rr")


def show_categories(whole: Facts, each: list[Facts]) -> None:
    """Print a line of numbers for each category, and its strongest terms."""
    show_title("Categories")
    measure = "share" if each and "share" in each[0] else "threshold"
    header = ["category", "members", "weights", measure, "iterations", "certificate", "stopped"]
    chosen = _chosen_by_category(whole)
    if chosen is not None:
        header.append(search_symbol(whole["method"]["search"]))
    rows = [
        (
            INDENT + facts["name"],
            f"{facts['members']:,}",
            f"{facts['nonzeros']:,}",
            _measure(facts, measure),
            _of_report(facts, "iterations"),
            _certificate(facts),
            _of_report(facts, "stopped"),
            *([_strength(facts, chosen)] if chosen is not None else []),
        )
        for facts in each
    ]
    show_table((INDENT + header[0], *header[1:]), rows, right=" rrrrr r")
    if any(row["up"] or row["down"] for facts in each for row in _rows_of(facts).values()):
        show_title(f"Terms that speak for a category, and against it, by {whole['terms']}")
        show_table(
            (f"{INDENT}category", "for", "against"),
            [
                (INDENT + name, _terms(row["up"]), _terms(row["down"]))
                for facts in each
                for name, row in _rows_of(facts).items()
            ],
        )


def _rows_of(facts: Facts) -> dict[str, Facts]:
    """What has weights of its own: a category, or each node of its tree."""
    if "nodes" not in facts:
        return {facts["name"]: facts}
    return {f"{facts['name']}: {node['node']}": node for node in facts["nodes"]}


def show_category(whole: Facts, facts: Facts) -> None:
    """Print everything about one category."""
    show_title(facts["name"])
    measure = "share" if "share" in facts else "threshold"
    columns = whole["weights"]["columns"] * len(facts.get("nodes", [facts]))
    documents = whole["training"]["documents"]
    of_all = f"{facts['members']:,} of {_counted(documents, 'document')}"
    pairs = {
        "members": of_all if documents else "",  # an imported model knows none
        measure: f"{_measure(facts, measure)} ({facts['origin']})",
        "decision": words.decision(whole),
        "intercept": f"{facts['intercept']:.4g}{_intercept_interval(whole, facts)}",
        "weights": f"{facts['nonzeros']:,} of {columns:,} not 0",
        "tree": _counted(len(facts["nodes"]), "node") if "nodes" in facts else "",
        "report": words.report(facts["report"]),
        "note": (facts["report"] or {}).get("note", ""),
    }
    _show_pairs({name: text for name, text in pairs.items() if text})
    for name, row in _rows_of(facts).items():
        of = f"{name}: " if "nodes" in facts else ""
        for title, way in (("for", "up"), ("against", "down")):
            if row[way]:
                typer.echo()
                _show_terms(whole, f"{of}terms {title} it", row[way])
    shown = (*facts["up"], *facts["down"])
    if any(term.get("holds_zero") for term in shown):
        show_wrapped(f"{HOLDS_ZERO}: the interval holds 0, so that the term may speak either way")
    if any(term.get("interval", ()) is None for term in shown):
        show_wrapped(f"{NO_INTERVAL}: nothing was learned of the weight: it is its prior's mode")


def _show_terms(whole: Facts, title: str, terms: list[dict[str, Any]]) -> None:
    """Print terms with their weights, and with intervals where there are any."""
    rows = [[INDENT + term["term"], f"{term['weight']:+.4f}"] for term in terms]
    header = [f"{INDENT}{title}", str(whole["terms"])]
    if "interval" in whole:
        header += [f"{whole['interval']:.4g} interval", ""]
        for row, term in zip(rows, terms, strict=True):
            row += [interval_text(term["interval"]), HOLDS_ZERO if term["holds_zero"] else ""]
    show_table(header, rows, right=" rr")


def _intercept_interval(whole: Facts, facts: Facts) -> str:
    if facts.get("intercept_interval") is None:
        return ""
    return f" ({whole['interval']:.4g} interval {interval_text(facts['intercept_interval'])})"


def show_title(text: str) -> None:
    """Print the title of a part."""
    typer.echo()
    show_bold(text)


def _show_pairs(pairs: Mapping[str, str]) -> None:
    wide = max(map(len, pairs))
    for name, text in pairs.items():
        lead = f"{INDENT}{name:<{wide}}  "
        show_wrapped(text, lead, " " * len(lead))


def show_wrapped(text: str, first: str = INDENT, further: str = INDENT * 2) -> None:
    """Print a text in lines that are not too long."""
    for line in textwrap.wrap(
        visible(text), WIDTH, initial_indent=first, subsequent_indent=further
    ):
        typer.echo(line)


def _measure(facts: Facts, measure: str) -> str:
    if facts["given"] != "by score":
        return str(facts["given"])
    return f"{facts[measure]:.4f}"


def _of_report(facts: Facts, name: str) -> str:
    value = (facts["report"] or {}).get(name)
    return UNKNOWN if value is None else str(value)


def _chosen_by_category(whole: Facts) -> Mapping[str, float] | None:
    """What a search gave each category, if it gave each its own; models of before know λ alone."""
    search = whole["method"].get("search", {})
    if search.get("shared", True) and not search.get("categories"):
        return None
    over = search.get("over", "lam")
    return {row["category"]: row[over] for row in search.get("categories") or ()}


def _strength(facts: Facts, chosen: Mapping[str, float]) -> str:
    value = chosen.get(facts["name"], (facts["report"] or {}).get("lam"))
    return UNKNOWN if value is None else f"{value:.6g}"


def _certificate(facts: Facts) -> str:
    certificate = certificate_of(facts)
    return UNKNOWN if certificate is None else f"{certificate:.1e}"


def _terms(terms: list[dict[str, Any]]) -> str:
    return " ".join(term["term"] for term in terms)
