"""What `postil corpus list` shows."""

from __future__ import annotations

import textwrap

from postil.corpus.formats import FORMATS
from postil.corpus.named.entry import NamedCorpus
from postil.corpus.named.locations import locate
from postil.corpus.named.registry import NAMES


def corpus_rows() -> list[tuple[str, str, str, str]]:
    """A row for each known corpus: name, documents, whether it is here, title."""
    return [
        (corpus.name, _size(corpus), "yes" if _is_here(corpus) else "no", corpus.title)
        for corpus in NAMES.values()
    ]


def format_rows() -> list[tuple[str, str, str, str]]:
    """A row for each format: name, extensions, whether it is written, description."""
    return [
        (
            format.name,
            " ".join(format.extensions),
            "no" if format.write is None else "yes",
            format.description,
        )
        for format in FORMATS.values()
    ]


def describe_corpora() -> str:
    """Every known corpus in full, with its terms and the options it takes."""
    return "\n\n".join(map(_describe, NAMES.values()))


def to_json() -> dict[str, object]:
    """The same for a program."""
    return {
        "corpora": [
            {
                "name": corpus.name,
                "title": corpus.title,
                "description": corpus.description,
                "terms": corpus.terms,
                "documents": sorted(corpus.sizes),
                "here": _is_here(corpus),
                "options": {option.name: option.help for option in corpus.options},
            }
            for corpus in NAMES.values()
        ],
        "formats": [
            {
                "name": format.name,
                "extensions": list(format.extensions),
                "description": format.description,
                "written": format.write is not None,
            }
            for format in FORMATS.values()
        ],
    }


def _size(corpus: NamedCorpus) -> str:
    return f"{max(corpus.sizes):,}" if corpus.sizes else "?"


def _is_here(corpus: NamedCorpus) -> bool:
    return corpus.distribution is None or locate(corpus.distribution) is not None


def _describe(corpus: NamedCorpus) -> str:
    lines = [
        f"{corpus.name}: {corpus.title}",
        *textwrap.wrap(corpus.description, 92, initial_indent="  ", subsequent_indent="  "),
        *textwrap.wrap(f"Terms: {corpus.terms}", 92, initial_indent="  ", subsequent_indent="  "),
    ]
    for option in corpus.options:
        default = {"True": "yes", "False": "no"}.get(str(option.default), option.default)
        values = "|".join(option.values)
        lines.append(f"  -O {option.name}={values} (default {default}): {option.help}")
    return "\n".join(lines)
