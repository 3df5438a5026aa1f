"""The part each column of a table plays (id, labels, split, text, …), guessed from its name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from postil.common.escaping import escaped
from postil.corpus.document import Split
from postil.corpus.options import NONE, ReadOptions
from postil.errors import CorpusError

# In the order of preference; compared without case, spaces, hyphens and underscores.
ID_NAMES = ("id", "docid", "documentid", "uid", "uuid", "guid", "identifier", "key")
LABEL_NAMES = (
    *("labels", "label", "categories", "category", "topics", "topic", "tags", "tag"),
    *("classes", "class", "targets", "target", "subjects", "subjecturis", "y"),
)
SPLIT_NAMES = ("split", "partition", "subset", "set")
# Names that postil writes, compared alike. A "weight" may be that of a parcel.
WEIGHT, GROUP, NOT_LABELS = "sample_weight", "group", "not_labels"
TEXT_NAMES = frozenset(
    (
        *("title", "headline", "heading", "subject", "dateline", "lead", "abstract", "summary"),
        *("description", "body", "text", "content", "contents", "article", "document"),
        *("message", "sentence", "review", "comment", "question", "post", "tweet", "query"),
        *("story", "news", "paragraph", "note", "notes", "answer", "transcript", "utterance"),
    )
)

# Keys that `postil label` writes about labels. Their values may be sentences, but never a text.
LABELLED_BY, UNLABELLED = "labelled_by", "unlabelled"

SHOWN_VALUE = 40  # characters
LABEL_SEPARATOR = ";"  # in a cell
PROSE = 8  # words: a column is prose if half of its values have at least so many

SPLITS: Mapping[str, Split | None] = {
    "train": "train",
    "training": "train",
    "test": "test",
    "testing": "test",
    # A third part is neither: its documents are kept, in no split.
    **dict.fromkeys(("dev", "val", "valid", "validation"), None),
}


@dataclass(frozen=True, slots=True)
class Sample:
    """The column names of a table, in order, and its first records.

    ``repeated`` holds, by the names that tell them apart, the columns that have one name in the
    file. ``hint`` ends an error about the columns.
    """

    names: tuple[str, ...]
    records: Sequence[Mapping[str, object]]
    repeated: Mapping[str, str] = field(default_factory=dict)
    hint: str = ""

    def holds_text(self, name: str) -> bool:
        """Return True if the column holds strings; other values make bad documents."""
        values = [value for record in self.records if (value := record.get(name)) is not None]
        return not values or any(isinstance(value, str) for value in values)

    def holds_prose(self, name: str) -> bool:
        """Return True if at least half of the column's values are sentences."""
        values = [value for record in self.records if (value := record.get(name)) is not None]
        long = [isinstance(value, str) and len(value.split()) >= PROSE for value in values]
        return 2 * sum(long) >= len(long) > 0

    def holds_splits(self, name: str) -> bool:
        """Return True if the column holds names of splits; other values make bad documents."""
        values = [value for record in self.records if (value := record.get(name))]
        return not values or any(str(value).casefold() in SPLITS for value in values)


@dataclass(frozen=True, slots=True)
class Columns:
    """The part each column plays; ``fields`` maps text columns to field names, in order."""

    id: str | None = None
    labels: str | None = None
    split: str | None = None
    weight: str | None = None
    group: str | None = None
    not_labels: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    unused: tuple[str, ...] = ()


def find_columns(sample: Sample, options: ReadOptions, source: str) -> Columns:
    """Return the part of each column: as the options give it, else by its name.

    A column that an option names and the table lacks is an error; one that is named for one part
    is not guessed into another (a label must not leak into the text). A column is text if its name
    says so, if its values are sentences, or if a model reads it. Columns without a part are listed
    in ``unused``: a date or an author is text only if the caller says so.
    """
    names = sample.names
    asked = {
        "--label-column": options.label_column,
        "--id-column": options.id_column,
        "--split-column": options.split_column,
        "--weight-column": options.weight_column,
        "--group-column": options.group_column,
        "--not-label-column": options.not_label_column,
        **{f"--text-columns {name}": name for name in options.text_columns or ()},
    }
    for option, name in asked.items():
        if name and name not in names:
            raise CorpusError(
                f"{source}: there is no column {name!r} ({option.split()[0]}); its columns are: "
                f"{_listed(names)}{_several(name)}{sample.hint}"
            )
    free = [name for name in names if name not in asked.values()]
    label = chosen_column(options.label_column, free, LABEL_NAMES)
    if label is None and options.label_column is None and options.labels is not None:
        label = next((name for name in free if _holds_labels(sample, name, options)), None)
    identity = chosen_column(options.id_column, [n for n in free if n != label], ID_NAMES)
    splits = [name for name in free if sample.holds_splits(name)]
    split = chosen_column(options.split_column, splits, SPLIT_NAMES)
    weight = chosen_column(options.weight_column, free, (_plain(WEIGHT),))
    group = chosen_column(options.group_column, free, (GROUP,))
    not_labels = chosen_column(options.not_label_column, free, (_plain(NOT_LABELS),))
    parts = {label, identity, split, weight, group, not_labels}
    if options.text_columns is not None:
        fields = dict(options.text_columns)
    else:
        rest = [name for name in names if name not in parts]
        texts = [name for name in rest if name in options.fields and sample.holds_text(name)]
        if len(texts) < max(1, len(options.fields)):
            texts = _guessed_texts(sample, rest, texts, source)
        fields = {name: name for name in texts}
    unused = tuple(name for name in names if name not in parts and name not in fields)
    used = {*parts, *fields}
    twice = next((name for name in sample.repeated if name in used), None)
    if twice is not None:
        raise CorpusError(
            f"{source}: two columns are called {sample.repeated[twice]!r}; rename one, or if there "
            "is no header row say so (--no-header)"
        )
    return Columns(identity, label, split, weight, group, not_labels, fields, unused)


def told_apart(names: Sequence[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return names that differ, ``note (2)`` for a second ``note``; and those that did not.

    A second column without a name is called after its place, such as ``column 3``.
    """
    taken, found = set(names), dict[str, None]()
    repeated: dict[str, str] = {}
    last: dict[str, int] = {}
    for place, name in enumerate(names, 1):
        own, number = name, last.get(name, 1) if name else place - 1
        while own in found or (own != name and own in taken):
            number += 1
            own = f"{name} ({number})" if name else f"column {number}"
        if own != name:
            repeated |= {name: name, own: name}
            last[name] = number
        found[own] = None
    return tuple(found), repeated


def title_hint(names: Iterable[str]) -> str:
    """Return advice if the first row may be a title because it names one column at most."""
    if sum(bool(name) for name in names) > 1:
        return ""
    return "; if the first row is a title, delete it: the names of columns have to come first"


def _several(name: str) -> str:
    """Return advice for the names of several columns in one option."""
    return "; give each column an option of its own" if "," in name else ""


def chosen_column(asked: str | None, free: Sequence[str], known: Sequence[str]) -> str | None:
    """Return the column asked for (``""`` asks for none), else the best one by its name."""
    if asked is not None:
        return None if asked == NONE else asked
    plain = {_plain(name): name for name in reversed(free)}
    return next((plain[name] for name in known if name in plain), None)


def _holds_labels(sample: Sample, name: str, options: ReadOptions) -> bool:
    """Return True if most values of a column are labels of the vocabulary."""
    assert options.labels is not None
    values = [value for record in sample.records if (value := record.get(name))]
    separator = options.label_separator or LABEL_SEPARATOR
    known = 0
    for value in values:
        pieces = value if isinstance(value, list) else str(value).split(separator)
        known += all(options.labels.match(str(piece)) is not None for piece in pieces if piece)
    return 2 * known > len(values)


def _guessed_texts(
    sample: Sample, free: Sequence[str], read: Sequence[str], source: str
) -> list[str]:
    """Return the columns that hold text by their names or values, or because a model reads them."""
    about_labels = (LABELLED_BY, UNLABELLED)
    candidates = [name for name in free if name not in about_labels and sample.holds_text(name)]
    known = [
        name
        for name in candidates
        if name in read or _plain(name) in TEXT_NAMES or sample.holds_prose(name)
    ]
    if not known and len(candidates) == 1:
        known = candidates
    if not known:
        for name in free:
            if _plain(name) in TEXT_NAMES:
                raise CorpusError(
                    f"{source}: the column {name!r} should hold text, and no value in it is text "
                    f"(the first is {_first(sample, name)}); write texts as strings, or name "
                    f"another column (--text-columns COLUMN){sample.hint}"
                )
        raise CorpusError(
            f"{source}: no column is known to hold text; its columns are: "
            f"{_listed(sample.names)}; name them (--text-columns COLUMN){sample.hint}"
        )
    return known


def _first(sample: Sample, name: str) -> str:
    values = (record.get(name) for record in sample.records)
    shown = repr(next((value for value in values if value is not None), None))
    return shown if len(shown) <= SHOWN_VALUE else f"{shown[:SHOWN_VALUE]}…"


def comes_late(name: str, value: object, columns: Columns, options: ReadOptions) -> bool:
    """Return True if a key that first appears after the sample would have had a part."""
    plain = _plain(name)
    if plain in SPLIT_NAMES and str(value).casefold() not in SPLITS:
        return False
    parts: tuple[tuple[Collection[str], object, object], ...] = (
        (TEXT_NAMES, options.text_columns, None),
        (LABEL_NAMES, options.label_column, columns.labels),
        (SPLIT_NAMES, options.split_column, columns.split),
        ((_plain(WEIGHT),), options.weight_column, columns.weight),
        ((GROUP,), options.group_column, columns.group),
        ((_plain(NOT_LABELS),), options.not_label_column, columns.not_labels),
    )
    return any(plain in names and asked is None and had is None for names, asked, had in parts)


def describe(columns: Columns, separator: str, id_unit: str) -> str:
    """Return a sentence about the parts that were found."""
    texts = (
        column if column == field else f"{column} (as {field})"
        for column, field in columns.fields.items()
    )
    parts = ["text from " + ", ".join(texts)]
    if columns.labels is None:
        parts.append("no label column, so no labels")
    else:
        between = f" (separator {separator!r})" if separator else ""
        parts.append(f"labels from {columns.labels}{between}")
    parts.append(f"ids from {columns.id or f'{id_unit} numbers'}")
    if columns.split is not None:
        parts.append(f"splits from {columns.split}")
    if columns.weight is not None:
        parts.append(f"sample weights from {columns.weight}")
    if columns.group is not None:
        parts.append(f"groups from {columns.group}")
    if columns.not_labels is not None:
        parts.append(f"known-negative labels from {columns.not_labels}")
    if columns.unused:
        parts.append("not used: " + _listed(columns.unused))
    return escaped("; ".join(parts))


def _plain(name: str) -> str:
    return name.strip().casefold().replace("_", "").replace("-", "").replace(" ", "")


def _listed(names: Iterable[str], most: int = 30) -> str:
    shown = list(names)
    more = f", and {len(shown) - most} more" if len(shown) > most else ""
    return ", ".join(escaped(name) or "''" for name in shown[:most]) + more


def is_known(name: str) -> bool:
    """Return True if a column of this name would be guessed to hold texts, labels or ids."""
    return _plain(name) in TEXT_NAMES.union(LABEL_NAMES, ID_NAMES)


def is_about_documents(name: str) -> bool:
    """Return True if a column of this name would be guessed to hold something else than text."""
    others = (_plain(WEIGHT), GROUP, _plain(NOT_LABELS))
    return _plain(name) in {*ID_NAMES, *LABEL_NAMES, *SPLIT_NAMES, *others}
