"""`postil inspect` for people: the facts of a model as sentences and tables."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

from postil.cli.console import counted, show_bold, show_table
from postil.cli.search_text import aim_sentence, search_lines, search_sentence, search_symbol
from postil.common.escaping import visible
from postil.model.leaderboard import leaderboard

if TYPE_CHECKING:
    from postil.model.overview import Facts

SHOWN_NOTES = 10
SHOWN_TRIALS = 10
INDENT = "  "
UNKNOWN = "-"
NO_INTERVAL = "-"
HOLDS_ZERO = "?"
WIDTH = 96

# Entries of a method and of a report that are shown in a part of their own.
_OTHER_PARTS = ("aim", "auto", "fields", "route", "search", "updates", "vectors", "lsi")
_OTHER_LINES = ("category", "members", "nonzeros", "note")


def headline(name: str, whole: Facts) -> str:
    """Return the model in a line."""
    categories, documents = whole["weights"]["categories"], whole["training"]["documents"]
    corpus, vectorizer = whole["training"]["corpus"], whole["vectorizer"]
    terms = counted(vectorizer["terms"], "hash bucket" if vectorizer["hashed"] else "term")
    more = sum(update.get("documents", 0) for update in whole["method"].get("updates") or ())
    origin = f"trained on {counted(documents - more, 'document')}"
    origin += f" of {corpus}" if corpus else ""
    origin += f", updated by {more:,}" if more else ""
    imported = whole["method"].get("imported")
    if imported:
        origin = f"imported from {imported['file']}"
    return visible(f"{name}: {counted(categories, 'category', 'categories')}, {terms}, {origin}")


def show_model(whole: Facts, each: list[Facts]) -> None:
    """Print the facts of the whole model, and a line for each category."""
    _show_facts(whole)
    _show_leaderboard(whole)
    _show_search(whole)
    _show_updates(whole)
    show_report(whole)
    _show_bytes(whole)
    _show_categories(whole, each)


def _show_facts(whole: Facts) -> None:
    """Print how texts become decisions, and where the model comes from."""
    from postil.model.route import route_sentence

    recipe = whole["recipe"]
    source = " ".join(filter(None, [recipe.get("paper"), recipe.get("where")]))
    named = ": ".join(filter(None, [recipe.get("name"), recipe.get("title")]))
    selection = recipe.get("selection") or {}
    route = whole["method"].get("route")
    method = {name: v for name, v in whole["method"].items() if name not in _OTHER_PARTS}
    _show_pairs(
        {
            "recipe": f"{named} ({source})" if source else named,
            "learn": _settings(recipe.get("learn") or {}),
            "selection": _settings(selection) if selection.get("measure") else "",
            "method": _settings(method),
            **_representation(whole),
            **_scoring(whole),
            "aim": aim_sentence(whole["method"].get("aim")).removeprefix("aimed at "),
            "decision": _decision(whole),
            "hierarchy": _hierarchy(whole),
            "route": route_sentence(route) if route else "",
            "weights": _sparsity(whole["weights"]),
            "documents": f"sha256 {whole['training']['sha256']}",
            "written by": " ".join(filter(None, [whole["created_by"], whole["created"]])),
            "evaluation": _settings(whole["evaluation"] or {}),
        }
    )


def _title(facts: Facts) -> str:
    from postil.model.overview import title_of

    return title_of(facts)


def _settings(given: Mapping[str, Any]) -> str:
    from postil.model.overview import settings_text

    return settings_text(given)


def _representation(whole: Facts) -> dict[str, str]:
    """Describe how documents become vectors."""
    given = whole["method"].get("vectors")
    if given:
        terms = "their numbers" if given == "ids" else "the names of their numbers"
        return {"vectors": f"those of svmlight files; terms are {terms}"}
    vectorizer = whole["vectorizer"]
    fields = "all, joined"
    if vectorizer["fields"]:
        how = "apart" if vectorizer["apart"] else "joined"
        fields = f"{', '.join(vectorizer['fields'])}, {how}"
    if "also" in vectorizer:
        fields += f"; {', '.join(vectorizer['also'])} once more, apart"
    constant = ", a constant" if vectorizer["constant"] else ""
    return {
        "analyzer": vectorizer["analyzer"],
        "fields": fields,
        "vectors": (
            f"tf {vectorizer['tf']}, idf {vectorizer['idf']}, norm {vectorizer['norm']}{constant}; "
            f"learned from {counted(vectorizer['documents'], 'document')}"
        ),
    }


def _scoring(whole: Facts) -> dict[str, str]:
    """Describe how scores are made if they are not plain sums over terms."""
    lines = {}
    projection, combination = whole.get("projection"), whole.get("combination")
    lsi = whole["method"].get("lsi") or {}
    directions = (projection or lsi).get("directions")
    if projection:
        lines["directions"] = (
            f"{directions:,} of LSI; each document is scaled to the length "
            f"{projection['length']:g} in them"
        )
    elif isinstance(directions, int):
        lines["directions"] = f"learned in {directions:,} of LSI, folded back to terms"
    if combination:
        lines["scores"] = _combination(combination)
    return lines


def _combination(combination: Mapping[str, Any]) -> str:
    if combination["kind"] == "rivals":
        capped = ", held below 0" if combination.get("capped") else ""
        return (
            "rivals: a category's own score, less the bar that the others set (sharpness "
            f"{combination['sharpness']:g}{capped})"
        )
    if combination["kind"] == "trees":
        nodes = counted(combination["rows"], "node")
        return f"trees: {nodes} in all; the last one on the way decides"
    if combination["kind"] == "kernel":
        support = counted(combination["rows"], "support document")
        return f"sums of the kernel {combination['kernel']} with {support}"
    return _settings(combination)


def _decision(whole: Facts) -> str:
    calibration = whole["calibration"]
    probabilities = f"probabilities by {calibration}" if calibration else "no probabilities"
    least = whole["decision"].get("probability")
    from_least = "" if least is None else f" from {least:.3f} on"
    return f"{whole['decision']['rule']}{from_least}; {probabilities}"


def _hierarchy(whole: Facts) -> str:
    """Return how categories above others are decided, or nothing."""
    found = whole.get("hierarchy")
    if not found:
        return ""
    above = counted(found["above"], "category is", "categories are")
    limits = "; only if all above it are accepted" if found["consistent"] else ""
    one = "; one for each document" if found["one"] else ""
    return f"{above} above others: the most specific accepted are given{limits}{one}"


def _sparsity(weights: Facts) -> str:
    density = "" if weights["density"] is None else f" ({weights['density']:.2%})"
    cells = weights.get("rows", weights["categories"]) * weights["columns"]
    return (
        f"{weights['nonzeros']:,} of {cells:,} not 0{density}, "
        f"stored {weights['storage']} by {weights['order']}"
    )


def _show_leaderboard(whole: Facts) -> None:
    """Print the trials of the automatic search."""
    board = leaderboard(whole["method"])
    if board is None:
        return
    show_title("Automatic search")
    show_wrapped(board.sentence)
    rows = [[cell.text for cell in row] for row in board.rows[:SHOWN_TRIALS]]
    show_table(
        (f"{INDENT}{board.header[0]}", *board.header[1:]),
        [(INDENT + row[0], *row[1:]) for row in rows],
        right=" " + "r" * len(board.header),
    )
    if len(board.rows) > SHOWN_TRIALS:
        typer.echo(f"{INDENT}… and {len(board.rows) - SHOWN_TRIALS} more (--json)")


def _show_search(whole: Facts) -> None:
    """Print how the strength was searched: a line for each strength, the best marked."""
    search = whole["method"].get("search")
    if not search:
        return
    show_title(f"Search for {search_symbol(search)}")
    for line in (search_sentence(search), *search_lines(search)):
        typer.echo(f"{INDENT}{line}")


def _show_updates(whole: Facts) -> None:
    """Print a line for each update: its documents, and the terms and categories that are new."""
    updates = whole["method"].get("updates") or ()
    if not updates:
        return
    show_title("Updates")
    for number, update in enumerate(updates, 1):
        origin = f" of {update['corpus']}" if update.get("corpus") else ""
        names = update.get("new_categories", ())
        listed = f": {', '.join(names)}" if names else ""
        show_wrapped(
            f"{number}. {counted(update.get('documents', 0), 'document')}{origin}, "
            f"{counted(update.get('passes', 0), 'pass', 'passes')} at most; "
            f"{counted(update.get('new_terms', 0), 'new term')}, "
            f"{counted(len(names), 'new category', 'new categories')}{listed}"
        )


def show_report(whole: Facts) -> None:
    """Print how training went: iterations, why it stopped, the worst certificate, notes."""
    report = whole["report"]
    show_title("Training report")
    if not report["categories"]:
        typer.echo(f"{INDENT}the model keeps none")
    else:
        stopped = ", ".join(f"{reason}: {count}" for reason, count in report["stopped"].items())
        _show_pairs(
            {
                "stopped": stopped,
                "iterations": f"{report['iterations']:,} in all",
                "seconds": f"{report['seconds']:.3g} in all" if report.get("seconds") else "",
                "worst": _worst(report["worst"]),
                "smoothed": _smoothing(report.get("smoothing", 0.0)),
            }
        )
    notes = [*report["notes"], *whole["decision"]["notes"]]
    for note in notes[:SHOWN_NOTES]:
        show_wrapped(f"note: {note}")
    if len(notes) > SHOWN_NOTES:
        typer.echo(f"{INDENT}… and {len(notes) - SHOWN_NOTES} more notes (--json)")


def _worst(fit: Mapping[str, Any] | None) -> str:
    """Return the fit with the largest certificate."""
    if fit is None or fit["certificate"] is None:
        return "no certificate"
    return (
        f"{fit['category']}, {fit['kind']} {fit['certificate']:.1e} after "
        f"{counted(fit['iterations'] or 0, 'iteration')}"
    )


def _smoothing(most: float) -> str:
    """Return how near a smoothed SVM is to the SVM it stands for; empty if it is not smoothed."""
    return f"the smooth problem's minimum is at most {most:.2g} above the SVM's" if most else ""


def _show_bytes(whole: Facts) -> None:
    """Print the size of each part of the file."""
    sizes = whole["bytes"]
    show_title("Bytes")
    rows = [
        (f"{INDENT}{part}", f"{size:,}", f"{size / sizes['total']:.1%}")
        for part, size in sizes.items()
    ]
    show_table((f"{INDENT}part", "bytes", "share"), rows, right=" rr")


def _show_categories(whole: Facts, each: list[Facts]) -> None:
    """Print a line of numbers for each category, and its strongest terms."""
    show_title("Categories")
    measure = "share" if each and "share" in each[0] else "threshold"
    header = ["category", "members", "weights", measure, "iterations", "certificate", "stopped"]
    chosen = _strengths_by_category(whole)
    if chosen is not None:
        header.append(search_symbol(whole["method"]["search"]))
    rows = []
    for facts in each:
        report = facts["report"] or {}
        row = [
            INDENT + _title(facts),
            f"{facts['members']:,}",
            f"{facts['nonzeros']:,}",
            _measure(facts, measure),
            _shown(report.get("iterations")),
            _shown(certificate_of(facts), ".1e"),
            _shown(report.get("stopped")),
        ]
        if chosen is not None:
            row.append(_shown(chosen.get(facts["name"], report.get("lam")), ".6g"))
        rows.append(row)
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
    """Return the parts with weights of their own: the category, or each node of its tree."""
    if "nodes" not in facts:
        return {_title(facts): facts}
    return {f"{_title(facts)}: {node['node']}": node for node in facts["nodes"]}


def _terms(terms: list[dict[str, Any]]) -> str:
    return " ".join(term["term"] for term in terms)


def show_category(whole: Facts, facts: Facts) -> None:
    """Print one category in detail."""
    show_title(_title(facts))
    measure = "share" if "share" in facts else "threshold"
    columns = whole["weights"]["columns"] * len(facts.get("nodes", [facts]))
    documents = whole["training"]["documents"]
    of_all = f"{facts['members']:,} of {counted(documents, 'document')}"
    report = facts["report"]
    kept = {name: report[name] for name in report or () if name not in _OTHER_LINES}
    _show_pairs(
        {
            "id": facts["name"] if facts.get("title", facts["name"]) != facts["name"] else "",
            "members": of_all if documents else "",  # an imported model knows none
            measure: f"{_measure(facts, measure)} ({facts['origin']})",
            "decision": _decision(whole),
            "intercept": f"{facts['intercept']:.4g}{_intercept_interval(whole, facts)}",
            "weights": f"{facts['nonzeros']:,} of {columns:,} not 0",
            "support": counted(facts["support"], "document") if "support" in facts else "",
            "tree": counted(len(facts["nodes"]), "node") if "nodes" in facts else "",
            "report": "the model keeps none" if report is None else _settings(kept),
            "note": (report or {}).get("note", ""),
        }
    )
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
        show_wrapped(
            f"{NO_INTERVAL}: nothing was learned about the weight, which is the mode of its prior"
        )


def _show_terms(whole: Facts, title: str, terms: list[dict[str, Any]]) -> None:
    """Print terms with their weights, and with intervals if there are any."""
    rows = [[INDENT + term["term"], f"{term['weight']:+.4f}"] for term in terms]
    header = [f"{INDENT}{title}", str(whole["terms"])]
    if "interval" in whole:
        header += [f"{whole['interval']:.4g} interval", ""]
        for row, term in zip(rows, terms, strict=True):
            row += [_interval(term["interval"]), HOLDS_ZERO if term["holds_zero"] else ""]
    show_table(header, rows, right=" rr")


def _interval(interval: list[float] | None) -> str:
    return NO_INTERVAL if interval is None else f"{interval[0]:+.4f} to {interval[1]:+.4f}"


def _intercept_interval(whole: Facts, facts: Facts) -> str:
    if facts.get("intercept_interval") is None:
        return ""
    return f" ({whole['interval']:.4g} interval {_interval(facts['intercept_interval'])})"


def show_title(text: str) -> None:
    """Print the title of a part."""
    typer.echo()
    show_bold(text)


def _show_pairs(pairs: Mapping[str, str]) -> None:
    """Print names and texts in two columns, without the empty ones."""
    kept = {name: text for name, text in pairs.items() if text}
    wide = max(map(len, kept))
    for name, text in kept.items():
        lead = f"{INDENT}{name:<{wide}}  "
        show_wrapped(text, lead, " " * len(lead))


def show_wrapped(text: str, first: str = INDENT, further: str = INDENT * 2) -> None:
    """Print a text in lines of at most ``WIDTH`` characters."""
    for line in textwrap.wrap(
        visible(text), WIDTH, initial_indent=first, subsequent_indent=further
    ):
        typer.echo(line)


def _measure(facts: Facts, measure: str) -> str:
    if facts["given"] != "by score":
        return str(facts["given"])
    return f"{facts[measure]:.4f}"


def _shown(value: object, format: str = "") -> str:
    return UNKNOWN if value is None else f"{value:{format}}"


def _strengths_by_category(whole: Facts) -> Mapping[str, float] | None:
    """Return the strength of each category if a search chose them; old models know λ only."""
    search = whole["method"].get("search", {})
    if search.get("shared", True) and not search.get("categories"):
        return None
    over = search.get("over", "lam")
    return {row["category"]: row[over] for row in search.get("categories") or ()}


def certificate_of(facts: Facts) -> float | None:
    """Return the certificate of a category's fit, if it is known."""
    value = (facts["report"] or {}).get("certificate")
    return value if isinstance(value, int | float) else None
