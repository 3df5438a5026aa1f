"""Explanations as one HTML page: no script, nothing fetched, everything from outside escaped."""

from __future__ import annotations

from collections.abc import Sequence

from postil.errors import UsageError
from postil.explain.explanation import Explanation
from postil.explain.markup import bdi, safe
from postil.explain.page_style import style_sheet
from postil.explain.panels import (
    circumstance_panels,
    field_panels,
    flip_panel,
    sum_panel,
    term_panel,
)
from postil.explain.sentences import answer, neutral_line, unknown_line, verdict

POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render_html(explanations: Sequence[Explanation], *, title: str = "") -> str:
    """Write a page on one document, with a tab for each category if there are several.

    The words stand highlighted in the text of each field. The page is whole in itself and shows
    in any browser, by its reader's choice light or dark; printed, it has every category. Cost:
    the text and its marks, for each category.
    """
    if not explanations:
        raise UsageError("a page needs at least one explanation, received none")
    document = explanations[0].document
    if any(other.document is not document for other in explanations):
        raise UsageError(
            "a page is on one document: explain its categories together, with explain_all or "
            "with what one call of read gave"
        )
    heading = title or (f"Why: {document.id}" if document.id else "Why")
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{safe(heading)}</title>",
            f"<style>\n{style_sheet(len(explanations))}\n</style>",
            "</head>",
            "<body>",
            f"<h1>{bdi(heading)}</h1>",
            *_tabs(explanations),
            *(_section(number, each) for number, each in enumerate(explanations)),
            "</body>",
            "</html>",
            "",
        ]
    )


def _tabs(explanations: Sequence[Explanation]) -> list[str]:
    """Radio buttons and their labels: arrow keys go from one category to the next."""
    if len(explanations) < 2:
        return []
    buttons = [
        f'<input class="tabs" type="radio" name="category" id="tab{number}"'
        f"{' checked' if number == 0 else ''}>"
        for number in range(len(explanations))
    ]
    labels = [
        f'<label for="tab{number}">{bdi(each.category)}: {answer(each.accepted)}</label>'
        for number, each in enumerate(explanations)
    ]
    return [*buttons, '<div class="labels">', *labels, "</div>"]


def _section(number: int, explanation: Explanation) -> str:
    """Everything about one category."""
    quiet = filter(None, [neutral_line(explanation), unknown_line(explanation)])
    return "\n".join(
        [
            f'<section class="of" id="of{number}">',
            f"<h2>{bdi(explanation.category)}: {safe(verdict(explanation))}</h2>",
            *([f"<p>{bdi(explanation.note)}</p>"] if explanation.note else []),
            *circumstance_panels(explanation),
            *field_panels(explanation),
            *term_panel("Pushed up", "u", explanation.up, explanation),
            *term_panel("Pushed down", "d", explanation.down, explanation),
            *sum_panel(explanation),
            *(f'<p class="quiet">{bdi(line)}</p>' for line in quiet),
            *flip_panel(explanation),
            "</section>",
        ]
    )
