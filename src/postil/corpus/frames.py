"""Frames and columns of pandas, polars, Arrow and Hugging Face, none of which is imported.

A frame has names and gives a column for each; a column can be made a list. What has neither, but
has the Arrow interface (``__arrow_c_stream__``), as streams of record batches do, is read by
pyarrow.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Protocol, TypeAlias

from postil.corpus.corpus import Corpus
from postil.corpus.document import Problems
from postil.corpus.formats.columns import LABEL_NAMES, SPLITS, Sample, chosen_column, find_columns
from postil.corpus.formats.records import TABLE_OPTIONS, Row, Table
from postil.corpus.options import ReadOptions, flag
from postil.errors import CorpusError, MissingExtraError, UsageError

TO_LIST = ("to_pylist", "to_list", "tolist")
SPLIT = "split"
EXPORTS = ("__arrow_c_stream__", "__arrow_c_array__")
SAMPLE_ROWS = 100
SHOWN = 60


class NamesColumns(Protocol):
    """A frame of pandas or polars, or a table of Arrow."""

    @property
    def columns(self) -> Any: ...  # noqa: ANN401, D102 - names, or in Arrow the columns
    def __getitem__(self, name: str, /) -> Any: ...  # noqa: ANN401


class Dataset(Protocol):
    """A dataset of Hugging Face."""

    @property
    def column_names(self) -> Any: ...  # noqa: ANN401, D102
    def __getitem__(self, name: str, /) -> Any: ...  # noqa: ANN401


class ArrowStream(Protocol):
    """Whatever has the Arrow interface."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...  # noqa: ANN401


Frame: TypeAlias = NamesColumns | Dataset | ArrowStream


def is_frame(value: object) -> bool:
    """Return True for a frame of pandas or polars, a table of Arrow, a dataset of Hugging Face."""
    if isinstance(value, (type, Mapping)) or _is_lazy(value):
        return False
    has_names = hasattr(value, "columns") or isinstance(getattr(value, "column_names", None), list)
    return has_names and hasattr(value, "__getitem__")


def as_frame(value: Any, what: str = "texts") -> Any:  # noqa: ANN401 - whatever the caller gave
    """Return what the caller gave, or a table of an Arrow stream.

    Raises UsageError for a lazy frame, and for several frames by split, as in a ``DatasetDict``.
    ``what`` is what the value stands for, for the message.
    """
    if _is_lazy(value):
        raise UsageError(f"a lazy frame holds no {what} yet: give frame.collect()")
    if _is_by_split(value):
        raise UsageError(
            f"{what} are frames by split, {', '.join(map(str, value))}: give one of them, as "
            f"frames[{next(iter(value))!r}], or documents of all to fit_documents, by "
            "postil.open_corpus(frames)"
        )
    has_values = is_frame(value) or any(hasattr(value, method) for method in TO_LIST)
    return _from_arrow(value) if _exports(value) and not has_values else value


def names_of(frame: Any) -> list[Any]:  # noqa: ANN401 - a frame
    """Return the names of a frame's columns, which must differ."""
    names = getattr(frame, "column_names", None)  # not a column of that name in pandas
    names = list(names if isinstance(names, list) else frame.columns)
    if len(set(map(str, names))) < len(names):
        raise UsageError(f"the columns of a frame must differ by name, got {shown(names)}")
    return names


def column_of(frame: Any, name: Any) -> Any:  # noqa: ANN401 - a frame, and what it calls columns
    """Return a column of a frame; numbers that stand for classes in a dataset become their names.

    Datasets of Hugging Face call such numbers a ``ClassLabel``; -1 is no label.
    """
    features = getattr(frame, "features", None)
    if not isinstance(features, Mapping):
        return frame[name]
    # As Arrow, which neither decodes pictures nor makes tensors; a streamed dataset has no length.
    column = (frame.with_format("arrow") if hasattr(frame, "__len__") else frame)[name]
    feature: Any = features.get(name)
    while hasattr(feature, "feature"):  # of a list
        feature = feature.feature
    classes = getattr(feature, "names", None)
    return _named(values_of(column), classes) if isinstance(classes, list) else column


def values_of(column: Any) -> list[Any]:  # noqa: ANN401 - whatever holds values
    """Return the values of a list, an array or a column as plain Python objects."""
    for method in TO_LIST:
        if hasattr(column, method):
            return list(getattr(column, method)())
    return list(column)


def is_missing(value: object) -> bool:
    """Return True for None, NaN and the missing values of pandas."""
    is_nan = isinstance(value, float) and value != value  # noqa: PLR0124 - what NaN is
    return value is None or is_nan or type(value).__name__ in ("NAType", "NaTType")


def guessed_labels(names: list[Any]) -> Any:  # noqa: ANN401 - as a frame calls its columns
    """Return the name of the column that holds labels by its name, or None."""
    called = {str(name): name for name in names}
    return called.get(chosen_column(None, list(called), LABEL_NAMES) or "")


def shown(value: object) -> str:
    """Return a value and its type for a message, on one line and shortened."""
    text = " ".join(repr(value).split())
    if len(text) > SHOWN:
        text = f"{text[:SHOWN]}…"
    return f"{text} ({type(value).__name__})"


def can_open(given: object) -> bool:
    """Return True for what :func:`open_frame` opens."""
    return is_frame(given) or _is_lazy(given) or _is_by_split(given) or _exports(given)


def open_frame(given: Any, options: ReadOptions | None = None) -> Corpus:  # noqa: ANN401
    """Open a frame, or frames by split, as a corpus, whose documents are its rows.

    Columns have parts as those of a table in a file, and are read again in every pass.
    """
    options = options or ReadOptions()
    source = type(given).__name__
    strange = sorted(options.given() - TABLE_OPTIONS)
    if options.format is not None or strange:
        raise UsageError(
            f"{', '.join(map(flag, strange)) or '--format'} means nothing when reading a "
            f"{source}, which takes: {', '.join(map(flag, sorted(TABLE_OPTIONS)))}"
        )
    is_split = _is_by_split(given)
    frames = {str(split): as_frame(frame) for split, frame in given.items()} if is_split else {}
    for split in frames:
        if split.casefold() not in SPLITS:
            raise CorpusError(
                f"{source}: a split is one of {', '.join(SPLITS)}, not {split!r}: leave it out, as "
                "in {name: frames[name] for name in ('train', 'test')}"
            )
    frames = frames or {"": as_frame(given, "documents")}
    if not all(map(is_frame, frames.values())):
        raise UsageError(f"a corpus is opened from named columns, not from a {source}")
    every = (str(name) for frame in frames.values() for name in names_of(frame))
    names = tuple(dict.fromkeys([*every, *([SPLIT] if is_split else [])]))
    sample = Sample(names, list(_records(frames, names, SAMPLE_ROWS)))
    if not sample.records:
        raise CorpusError(f"{source}: the frame has columns but no rows: no documents")
    columns = find_columns(sample, options, source)
    needed = [name for name in names if name not in columns.unused]

    def rows(_: Problems) -> Iterator[Row]:
        return enumerate(_records(frames, needed), 1)

    table = Table(source, "row", columns, options.label_separator or "", rows).reading()
    return Corpus(
        source,
        table.documents,
        problems=Problems(options.on_error),
        description=f"reading a {source}: {table.sentence}",
    )


def _records(
    frames: Mapping[str, Any], wanted: Iterable[str], most: int | None = None
) -> Iterator[Mapping[str, object]]:
    """Yield the rows of frames, with their split if it has a name; of each, at most ``most``."""
    for split, frame in frames.items():
        called = {str(name): name for name in names_of(frame)}
        names = [name for name in wanted if name in called and not (split and name == SPLIT)]
        columns = [_values(column_of(frame, called[name]), most) for name in names]
        for row in zip(*columns, strict=True):
            record = dict(zip(names, row, strict=True))
            yield {**record, SPLIT: split} if split else record


def _values(column: Any, most: int | None) -> list[object]:  # noqa: ANN401 - whatever holds values
    """Return values as a file would have them: missing ones are None, sets and arrays lists."""
    if most is not None:
        if hasattr(column, "head"):
            column = column.head(most)
        else:  # Arrow has "slice"; lists and streamed columns are iterated
            column = column.slice(0, most) if hasattr(column, "slice") else islice(column, most)
    values = [_plain(value) for value in values_of(column)]
    # pandas makes fractions of whole numbers where some are missing.
    numbers = [value for value in values if value is not None]
    if numbers and all(isinstance(value, float) and value.is_integer() for value in numbers):
        return [None if value is None else int(value) for value in values]
    return values


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever a column holds
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    value = value.tolist() if hasattr(value, "tolist") else value
    return None if is_missing(value) else value


def _is_lazy(value: object) -> bool:
    """Return True for a frame of polars that is not computed; its names would cost time, too."""
    return type(value).__name__ == "LazyFrame"


def _is_by_split(value: object) -> bool:
    """Return True for a mapping of names to frames."""
    return isinstance(value, Mapping) and len(value) > 0 and all(map(is_frame, value.values()))


def _exports(value: object) -> bool:
    """Return True for what has the Arrow interface."""
    return not isinstance(value, type) and any(hasattr(value, each) for each in EXPORTS)


def _named(values: list[Any], classes: list[str]) -> list[Any]:
    """Return numbers, or lists of numbers, as the names of classes; missing ones and -1 as None."""
    return [
        _named(value, classes)
        if isinstance(value, list)
        else (classes[value] if value is not None and value >= 0 else None)
        for value in values
    ]


def _from_arrow(value: Any) -> Any:  # noqa: ANN401 - whatever has the Arrow interface
    try:
        arrow = importlib.import_module("pyarrow")
    except ImportError:
        what = f"reading a {type(value).__name__}"
        raise MissingExtraError(what, "pyarrow", "arrow") from None
    try:
        column = arrow.chunked_array(value)
        is_table = arrow.types.is_struct(column.type)
        return arrow.Table.from_struct_array(column) if is_table else column
    except (arrow.ArrowException, TypeError) as error:
        raise UsageError(
            f"a {type(value).__name__} cannot be read by its Arrow interface ({error})"
        ) from error
