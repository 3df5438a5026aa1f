"""Opens a corpus by name, by path, or from standard input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from os import PathLike
from pathlib import Path

from postil.corpus.corpus import Corpus
from postil.corpus.document import Problems
from postil.corpus.files.streams import STDIN, Source
from postil.corpus.formats.folders import FOLDERS
from postil.corpus.formats.guessing import doubt, format_named, guess_format
from postil.corpus.frames import Frame, can_open, open_frame
from postil.corpus.named import registry
from postil.corpus.options import ReadOptions
from postil.corpus.several import (
    Part,
    expanded,
    parts_of_folder,
    parts_of_inputs,
    read_several,
)
from postil.errors import CorpusError, DocumentError, UsageError


def open_corpus(
    name_or_path: str | Path | Sequence[str | Path] | Frame | Mapping[str, Frame],
    options: ReadOptions | None = None,
    choices: Mapping[str, object] | None = None,
) -> Corpus:
    """Open a corpus or a frame, which can be read any number of times (standard input once).

    Opening reads only the beginning. Reading holds one document at a time; if documents have
    ids of their own, finding duplicates keeps 24 to 48 bytes a document.

    Parameters
    ----------
    name_or_path : str, Path, sequence of them, or frame
        The name of a known corpus as ``str`` (write ``./demo`` for a file called demo), ``-`` for
        standard input, the path of a file, folder or archive, a pattern such as
        ``data/*.jsonl``, or several paths, which are one corpus; or a frame of pandas, polars,
        Arrow or Hugging Face, or a mapping of splits to frames, whose rows are the documents.
    options : ReadOptions, optional
        By default the format is guessed from the extension, else from the content, and the
        ``description`` of the corpus tells the guess. The name of a known corpus is a format
        too: that of a copy at another place.
    choices : mapping of str to object, optional
        Options of a known corpus (see ``postil.corpus.named.registry``).
    """
    several = _paths(name_or_path)
    if not several:
        if can_open(name_or_path) and not choices:
            return open_frame(name_or_path, options)
        raise UsageError(
            "a corpus is opened by its name or path, not from a "
            f"{type(name_or_path).__name__}: give texts and labels to TextCategorizer.fit"
        )
    options = options or ReadOptions()
    names = expanded(several)
    if len(names) > 1:
        corpus = _open_several(names, options, choices)
        if len(several) == 1:
            corpus.name = str(several[0])
        return corpus
    return _open_one(names[0], options, choices)


def _paths(given: object) -> list[str | Path]:
    """Return the names or paths that are given, or none for something else."""
    several = [given] if isinstance(given, (str, PathLike)) else given
    if not isinstance(several, (list, tuple)):
        return []
    paths = [Path(name) if isinstance(name, PathLike) else name for name in several]
    return paths if all(isinstance(name, (str, Path)) for name in paths) else []


def _open_one(
    name_or_path: str | Path, options: ReadOptions, choices: Mapping[str, object] | None
) -> Corpus:
    if isinstance(name_or_path, str) and name_or_path in registry.NAMES:
        return registry.open_named(name_or_path, options, choices)
    source = _source(name_or_path)
    if options.format in registry.NAMES:
        if source.path is None:
            raise UsageError(
                f"{options.format} cannot be read from standard input; save it to a file"
            )
        own = replace(options, format=None)
        return registry.open_named(options.format, own, choices, path=source.path)
    if choices:
        raise UsageError(
            f"{min(choices)} means nothing for {source.name}, which is not a known corpus"
        )
    format = format_named(options.format) if options.format else guess_format(source, options)
    if source.is_folder or format is FOLDERS:
        parts, tree = parts_of_folder(source, options)
        if parts:
            return _corpus_of(parts, source.name, options, tree.problems)
    if source.is_folder and format is not FOLDERS:
        raise CorpusError(f"{source.name}: there are no files in this folder, so no documents")
    format.check_options(options)
    reading = format.read(source, options)
    return Corpus(
        source.name,
        reading.documents,
        problems=Problems(options.on_error),
        description=(
            f"reading {source.name} as {format.name}: {reading.sentence}"
            f"{doubt(source, format, options)}"
        ),
        pauses=source.pauses,
        form=reading.form and replace(reading.form, format=format.name),
    )


def _open_several(
    names: Sequence[str | Path], options: ReadOptions, choices: Mapping[str, object] | None
) -> Corpus:
    """Open several files or folders as one corpus."""
    for name in names:
        if name == STDIN or (isinstance(name, str) and name in registry.NAMES):
            what = "standard input" if name == STDIN else "a known corpus"
            raise UsageError(f"{name}: {what} is read alone, not with other files")
    if options.format in registry.NAMES or choices:
        raise UsageError("a known corpus is one file or folder; give one")
    parts = parts_of_inputs([Path(name) for name in names])
    once = next((source for part in parts if (source := part.open()).once), None)
    if once is not None:
        raise UsageError(f"{once.name}: a pipe is read alone, not with other files")
    return _corpus_of(parts, f"{names[0]} and {len(names) - 1:,} more", options)


def _corpus_of(
    parts: Sequence[Part], name: str, options: ReadOptions, faults: Sequence[DocumentError] = ()
) -> Corpus:
    reading = read_several(parts, options, faults)
    return Corpus(
        name,
        reading.documents,
        problems=Problems(options.on_error),
        description=f"reading {name}: {reading.sentence}",
        form=reading.form,
    )


def _source(name_or_path: str | Path) -> Source:
    if name_or_path == STDIN:
        return Source(None)
    path = Path(name_or_path)
    try:
        return Source(path)
    except CorpusError as error:
        if path.exists():
            raise
        advice = f", nor a corpus of that name; known corpora: {', '.join(registry.NAMES)}"
        if near := get_close_matches(str(name_or_path).casefold(), registry.NAMES, n=1):
            advice = f"; did you mean the corpus {near[0]}?"
        raise CorpusError(f"{error}{advice}") from None
