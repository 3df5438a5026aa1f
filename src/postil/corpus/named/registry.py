"""The table of the corpora that postil knows by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from postil.corpus.corpus import Corpus, DocumentSource
from postil.corpus.files.streams import Source
from postil.corpus.named import industry_sector, newsgroups, ohsumed, rcv1, reuters, webkb
from postil.corpus.named.entry import NamedCorpus, Option
from postil.corpus.options import ReadOptions, flag
from postil.errors import UsageError


def _read_jsonl(path: Path) -> DocumentSource:
    """Read a file with the keys id, title, body, labels and split, and perhaps others."""
    from postil.corpus.formats import jsonl

    columns = ReadOptions(
        id_column="id",
        text_columns={"title": "title", "body": "body"},
        label_column="labels",
        split_column="split",
    )
    return jsonl.read(Source(path), columns).documents


_READERS: dict[str, tuple[Callable[..., DocumentSource], tuple[Option, ...]]] = {
    "demo": (_read_jsonl, ()),
    "reuters-modapte": (partial(reuters.reuters, split="modapte"), reuters.OPTIONS),
    "reuters-modlewis": (partial(reuters.reuters, split="modlewis"), reuters.OPTIONS),
    "reuters-modhayes": (partial(reuters.reuters, split="modhayes"), reuters.OPTIONS),
    "20news-bydate": (partial(newsgroups.newsgroups, by_date=True), newsgroups.OPTIONS),
    "20news-19997": (partial(newsgroups.newsgroups, by_date=False), newsgroups.OPTIONS),
    "webkb": (webkb.webkb, webkb.OPTIONS),
    "industry-sector": (industry_sector.industry_sector, ()),
    "arxiv-120k": (_read_jsonl, ()),
    "rcv1-v2": (partial(rcv1.rcv1, sample=False), ()),
    "rcv1-v2-sample": (partial(rcv1.rcv1, sample=True), ()),
    "ohsumed": (ohsumed.ohsumed, ohsumed.OPTIONS),
}

NAMES: dict[str, NamedCorpus] = {
    name: NamedCorpus.load(name, reader, options) for name, (reader, options) in _READERS.items()
}


def open_named(
    name: str,
    options: ReadOptions | None = None,
    choices: Mapping[str, object] | None = None,
    *,
    path: Path | None = None,
) -> Corpus:
    """Open a corpus by its name, from ``path`` or else from a data folder.

    Parameters
    ----------
    name : str
        A key of ``NAMES``.
    options : ReadOptions, optional
        Only ``on_error`` may be set, since the layout of the corpus is known.
    choices : mapping of str to object, optional
        Values of the corpus's own options; words (``"yes"``) are accepted too.
    path : Path, optional
        A copy at another place.
    """
    corpus = named(name)
    options = options or ReadOptions()
    strange = sorted(options.given() | ({"format"} if options.format else set()))
    if strange:
        own = ", ".join(option.name for option in corpus.options) or "none"
        raise UsageError(
            f"{', '.join(map(flag, strange))} means nothing for {name}, whose layout is known; "
            f"its options: {own}"
        )
    return corpus.open(path if path is not None else corpus.find(), choices, options.on_error)


def named(name: str) -> NamedCorpus:
    """Return the corpus with this name."""
    if name not in NAMES:
        raise UsageError(f"there is no corpus called {name!r}; there are: {', '.join(NAMES)}")
    return NAMES[name]
