"""Figures as part of a page: they take the page's text colour and need no file."""

from __future__ import annotations

import re
from html import escape

from postil.escaping import visible
from postil.papers.plots.drawing import svg_bytes
from postil.papers.plots.figure import Figure

_PROLOG = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_ROOT = re.compile(r"<svg[^>]*>")
_VIEW = re.compile(r'viewBox="[^"]*"')
_HEAD = re.compile(r"<(title|metadata)>.*?</\1>\s*", re.DOTALL)
_NAMES = re.compile(r'(\bid="|href="#|url\(#)')
_GROUND = re.compile(r'<g id="patch_1">.*?</g>\s*', re.DOTALL)
BLACK = "#000000"


def inline_svg(figure: Figure) -> str:
    """Draw a figure for the inside of an HTML page.

    The ground is left out, what is black takes the colour of the text around, and names carry
    the figure's id, so that several figures fit on one page.
    """
    text = _PROLOG.sub("", svg_bytes(figure).decode("utf-8"))
    view = _VIEW.search(text)
    root = (
        f'<svg role="img" aria-label="{escape(visible(figure.title))}" '
        'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'fill="currentColor" {view.group() if view else ""}>'
    )
    text = _ROOT.sub(lambda _: root, text, count=1)
    text = _GROUND.sub("", _HEAD.sub("", text), count=1)
    text = _NAMES.sub(lambda found: f"{found.group()}{escape(figure.id)}-", text)
    return text.replace(BLACK, "currentColor").strip()
