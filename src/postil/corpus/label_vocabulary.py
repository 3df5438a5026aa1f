"""A label vocabulary: names, notations and broader labels of labels that documents hold by id."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from postil.common.suggest import near_names
from postil.corpus.document import Document, is_encodable
from postil.errors import InputError, UsageError

ENGLISH = "en"
ANY = ""
"""The language of a name that has none."""

SHOWN = 3
_FIELDS = {
    "names": dict,
    "notation": str,
    "alternatives": list,
    "broader": list,
    "deprecated": bool,
}


@dataclass(frozen=True, slots=True)
class LabelEntry:
    """A label of a vocabulary.

    Parameters
    ----------
    id : str
        The id or URI, which the categories of a model are called by.
    names : mapping of str to str
        The preferred name by language; a name without a language is under ``""``.
    notation : str
        The code of the label in a classification, such as ``QA76``.
    alternatives : tuple of str
        Other names, of any language.
    broader : tuple of str
        The ids of the labels directly above.
    deprecated : bool
        True if the label should no longer be given.
    """

    id: str
    names: Mapping[str, str] = field(default_factory=dict)
    notation: str = ""
    alternatives: tuple[str, ...] = ()
    broader: tuple[str, ...] = ()
    deprecated: bool = False

    def name(self, language: str) -> str:
        """Return the name in a language, in any if there is none; else notation or id."""
        if language in self.names:
            return self.names[language]
        alike = (tag for tag in self.names if _primary(tag) == _primary(language))
        found = next(alike, None) or next(
            (tag for tag in (ENGLISH, ANY) if tag in self.names), next(iter(self.names), None)
        )
        return self.notation or self.id if found is None else self.names[found]


def _primary(language: str) -> str:
    """Return ``en`` for ``en-gb``."""
    return language.partition("-")[0]


class LabelVocabulary:
    """Labels by id: their names, and the labels above and below them. It cannot be changed.

    A label may be below several others. Cycles raise InputError. A broader label that is not in
    the vocabulary is left out, and ``notes`` count these. One that is read from a model file
    (:meth:`from_json`) is parsed when first used.

    Parameters
    ----------
    entries : iterable of LabelEntry
        The labels.
    language : str, optional
        The language of the names to show: by default English if a label has an English name, else
        the language of most names.
    notes : sequence of str
        Sentences on how the labels were read.
    """

    def __init__(
        self,
        entries: Iterable[LabelEntry] = (),
        language: str | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        self._content: bytes | None = None
        self._parsed, found = _checked(entries)
        self._notes = (*notes, *found)
        self._language = _chosen_language(self._parsed.values(), language)
        self._root = _only_top(self._parsed.values())

    @classmethod
    def from_json(cls, content: bytes) -> LabelVocabulary:
        """Return the vocabulary that :meth:`to_json` wrote; it is checked when it is first used."""
        stored = cls()
        stored._content = content
        return stored

    def to_json(self) -> bytes:
        """Return the vocabulary as JSON in ASCII; equal vocabularies give equal bytes."""
        if self._content is not None:
            return self._content
        labels = []
        for entry in self._parsed.values():
            values = {"id": entry.id, **{name: getattr(entry, name) for name in _FIELDS}}
            values["names"] = dict(entry.names)
            labels.append({name: value for name, value in values.items() if value})
        whole = {"language": self._language, "root": self._root, "labels": labels}
        return json.dumps(whole, separators=(",", ":")).encode("ascii")

    @property
    def entries(self) -> Mapping[str, LabelEntry]:
        """The labels by id, in their order."""
        content = self._content  # two threads may both parse it
        if content is not None:
            try:
                language, root, labels = _read(content)
                parsed, notes = _checked(labels)
            except InputError as error:
                raise InputError(
                    f"the label vocabulary that the model keeps cannot be used ({error}); train "
                    "the model again"
                ) from None
            self._language, self._root, self._notes, self._parsed = language, root, notes, parsed
            self._content = None
        return self._parsed

    @property
    def language(self) -> str:
        """The language of the names to show."""
        _ = self.entries  # parses those of a file
        return self._language

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on how the labels were read."""
        _ = self.entries
        return self._notes

    def __contains__(self, label: object) -> bool:
        return label in self.entries

    def __len__(self) -> int:
        return len(self.entries)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelVocabulary):
            return NotImplemented
        mine, theirs = (dict(each.entries) for each in (self, other))
        return mine == theirs and self.language == other.language

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"LabelVocabulary({len(self)} labels, language {self.language!r})"

    def name(self, label: str, language: str | None = None) -> str:
        """Return the name of a label, in a language of its own or that of the vocabulary.

        A label that is not in the vocabulary, or has no name, is called by notation or id.
        """
        entry = self.entries.get(label)
        return label if entry is None else entry.name(language or self.language)

    def titles(self, labels: Sequence[str]) -> tuple[str, ...]:
        """Return a name for each label to show; those of one name have the id behind it."""
        names = [self.name(label) for label in labels]
        used = Counter(names)
        return tuple(
            name if used[name] == 1 or name == label else f"{name} ({label})"
            for name, label in zip(names, labels, strict=True)
        )

    def match(self, text: str) -> str | None:
        """Return the id of the label that a text names; None if it names none, or several.

        A text is an id; else a notation, a preferred name or an alternative name, in this order,
        of any case.
        """
        if text in self.entries:
            return text
        found = self._by_text.get(text.strip().casefold(), ())
        return found[0] if len(found) == 1 else None

    def id_or_text(self, text: str) -> str:
        """Return the id of the label that a text names, or the text itself."""
        return self.match(text) or text

    def find(self, text: str) -> str:
        """Return the id of the label that a text names, as :meth:`match` does.

        Raises UsageError if the text names no label, or several.
        """
        found = self.match(text)
        if found is not None:
            return found
        several = self._by_text.get(text.strip().casefold(), ())
        if several:
            listed = ", ".join(several[:SHOWN]) + (", …" if len(several) > SHOWN else "")
            raise UsageError(f"{text!r} names {len(several)} labels: give an id, of {listed}")
        near = near_names(text, self._known_texts)
        meant = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise UsageError(
            f"the label vocabulary has no label of the id, notation or name {text!r}{meant}"
        )

    @cached_property
    def _by_text(self) -> Mapping[str, tuple[str, ...]]:
        """The ids of the labels of each notation and name, in lower case.

        Labels that are not deprecated come before others, and better kinds of names before worse.
        """
        found: dict[str, tuple[str, ...]] = {}
        for kind in (_notations, _preferred, _alternatives):
            for deprecated in (False, True):
                own: dict[str, dict[str, None]] = {}
                for entry in self.entries.values():
                    if entry.deprecated == deprecated:
                        for text in kind(entry):
                            own.setdefault(text.strip().casefold(), {})[entry.id] = None
                for text, ids in own.items():
                    found.setdefault(text, tuple(ids))
        return found

    @property
    def _known_texts(self) -> Iterator[str]:
        for entry in self.entries.values():
            yield entry.id
            for kind in (_notations, _preferred, _alternatives):
                yield from kind(entry)

    def applied(
        self, documents: Iterable[Document], *, ancestors: bool = False
    ) -> Iterator[Document]:
        """Yield documents whose labels are ids where they name one label of the vocabulary.

        Parameters
        ----------
        documents : iterable of Document
            Documents with labels as ids, notations or names. Other labels are kept.
        ancestors : bool
            Add the labels above each label (:meth:`lineage`).
        """
        above: dict[str, tuple[str, ...]] = {}
        below: dict[str, tuple[str, ...]] = {}

        def reached(label: str, known: dict[str, tuple[str, ...]], way: Any) -> tuple[str, ...]:  # noqa: ANN401
            if label not in known:
                found = self.id_or_text(label)
                known[label] = (found, *(way(found) if ancestors else ()))
            return known[label]

        for document in documents:
            labels: dict[str, None] = {}
            certain: set[str] = set()
            chances: dict[str, float] = {}
            for label in document.labels:
                ids = reached(label, above, self.lineage)
                labels.update(dict.fromkeys(ids))
                if label not in document.probabilities:
                    certain.update(ids)
            for label, chance in document.probabilities.items():
                for each in reached(label, above, self.lineage):
                    chances[each] = max(chance, chances.get(each, 0.0))
            lacking = document.not_labels
            if lacking is not None:  # what is below a label that is lacking is lacking too
                every = dict.fromkeys(
                    each for label in lacking for each in reached(label, below, self.descendants)
                )
                lacking = tuple(each for each in every if each not in labels)
            yield replace(
                document,
                labels=tuple(labels),
                not_labels=lacking,
                probabilities={each: p for each, p in chances.items() if each not in certain},
            )

    @cached_property
    def narrower(self) -> Mapping[str, tuple[str, ...]]:
        """The labels directly below each label that has any."""
        below: dict[str, list[str]] = {}
        for entry in self.entries.values():
            for parent in entry.broader:
                below.setdefault(parent, []).append(entry.id)
        return {parent: tuple(children) for parent, children in below.items()}

    @property
    def has_broader(self) -> bool:
        """True if some label is below another."""
        return bool(self.narrower)

    def ancestors(self, label: str) -> tuple[str, ...]:
        """Return the ids of all labels above one, the nearest first."""
        return self._reached(label, lambda each: self.entries[each].broader)

    def descendants(self, label: str) -> tuple[str, ...]:
        """Return the ids of all labels below one, the nearest first."""
        return self._reached(label, lambda each: self.narrower.get(each, ()))

    def _reached(self, label: str, step: Any) -> tuple[str, ...]:  # noqa: ANN401 - a function
        found: dict[str, None] = {}
        layer = [label] if label in self.entries else []
        while layer:
            layer = [each for below in layer for each in step(below) if each not in found]
            found.update(dict.fromkeys(layer))
        return tuple(found)

    def lineage(self, label: str) -> tuple[str, ...]:
        """Return the labels above one that say something: not the only label at the top."""
        return tuple(each for each in self.ancestors(label) if each != self._root)

    def most_specific(self, labels: Iterable[str]) -> tuple[str, ...]:
        """Return those of some labels that are above no other of them."""
        given = tuple(labels)
        covered = {above for label in given for above in self.lineage(label)}
        return tuple(label for label in given if label not in covered)

    def of(self, labels: Iterable[str]) -> LabelVocabulary:
        """Return the part with some labels and all above them."""
        kept = {label for label in labels if label in self.entries}
        kept |= {above for label in kept for above in self.ancestors(label)}
        part = LabelVocabulary(entry for entry in self.entries.values() if entry.id in kept)
        part._language, part._root = self.language, self._root
        return part

    def notes_on(self, categories: Sequence[str]) -> list[str]:
        """Return notes on categories that the vocabulary lacks, and on deprecated ones."""
        absent = [name for name in categories if name not in self.entries]
        old = [name for name in categories if name in self and self.entries[name].deprecated]
        notes = []
        if absent:
            notes.append(
                f"{_counted(len(absent), 'label')} of the documents, of {len(categories):,}, "
                f"{'is' if len(absent) == 1 else 'are'} not in the label vocabulary, or "
                f"ambiguous in it, and kept as {'it is' if len(absent) == 1 else 'they are'}: "
                f"{_listed(absent)}"
            )
        if old:
            notes.append(
                f"{_counted(len(old), 'label')} of the documents "
                f"{'is' if len(old) == 1 else 'are'} deprecated in the label vocabulary: "
                f"{_listed(self.titles(old))}"
            )
        return notes

    def summary(self) -> str:
        """Return the vocabulary in a line."""
        below = sum(bool(entry.broader) for entry in self.entries.values())
        deep = f", {below:,} of them below another" if below else ""
        spoken = f"; names in {self.language}" if self.language else ""
        return f"{_counted(len(self), 'label')}{deep}{spoken}"


def _notations(entry: LabelEntry) -> Sequence[str]:
    return (entry.notation,) if entry.notation else ()


def _preferred(entry: LabelEntry) -> Iterable[str]:
    return entry.names.values()


def _alternatives(entry: LabelEntry) -> Sequence[str]:
    return entry.alternatives


def _listed(labels: Sequence[str]) -> str:
    more = f", … and {len(labels) - SHOWN:,} more" if len(labels) > SHOWN else ""
    return f"{', '.join(map(repr, labels[:SHOWN]))}{more}"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _chosen_language(entries: Iterable[LabelEntry], wanted: str | None) -> str:
    """Return the language to show names in; raise UsageError if no name has the wanted one."""
    used = Counter(language for entry in entries for language in entry.names)
    if wanted:
        language = wanted.lower()
        if used and not any(_primary(each) == _primary(language) for each in used):
            listed = ", ".join(each for each, _ in used.most_common() if each)
            there = f"there are: {listed}" if listed else "the file does not tell languages"
            raise UsageError(f"no label has a name in the language {wanted!r}; {there}")
        return language
    spoken = any(_primary(each) == ENGLISH for each in used)
    return ENGLISH if spoken else next((each for each, _ in used.most_common(1)), ANY)


def _only_top(entries: Iterable[LabelEntry]) -> str | None:
    """Return the label that all labels with a broader label are below; None without one."""
    entries = list(entries)
    above = {parent for entry in entries for parent in entry.broader}
    tops = [entry.id for entry in entries if entry.id in above and not entry.broader]
    return tops[0] if len(tops) == 1 else None


def _checked(entries: Iterable[LabelEntry]) -> tuple[dict[str, LabelEntry], tuple[str, ...]]:
    """Return the labels by id, without unknown broader labels, and a note on these.

    Raises InputError on an id that is given twice, on names that UTF-8 cannot encode, and on a
    cycle of broader labels.
    """
    found: dict[str, LabelEntry] = {}
    for entry in entries:
        if entry.id in found:
            raise InputError(f"the label {entry.id!r} is given twice: give each label one entry")
        if not entry.id:
            raise InputError("a label has an empty id: give each label an id of its own")
        texts = (entry.id, entry.notation, *entry.names.values(), *entry.alternatives)
        if not all(map(is_encodable, texts)):
            raise InputError(f"the label {entry.id!r} holds a lone surrogate; correct it")
        found[entry.id] = entry
    unknown: list[str] = []
    for label, entry in found.items():
        known = tuple(dict.fromkeys(each for each in entry.broader if each in found))
        if known != entry.broader:
            unknown += [each for each in entry.broader if each not in found]
            found[label] = replace(entry, broader=known)
    _check_no_cycle(found)
    if not unknown:
        return found, ()
    are = "broader label is" if len(unknown) == 1 else "broader labels are"
    note = f"{len(unknown):,} {are} not in the label vocabulary, and left out: {_listed(unknown)}"
    return found, (note,)


def _check_no_cycle(entries: Mapping[str, LabelEntry]) -> None:
    """Raise InputError that shows a cycle of broader labels, if there is one; linear in labels."""
    above = {label: len(entry.broader) for label, entry in entries.items()}
    below: dict[str, list[str]] = {}
    for label, entry in entries.items():
        for parent in entry.broader:
            below.setdefault(parent, []).append(label)
    ready = [label for label, count in above.items() if not count]
    while ready:
        label = ready.pop()
        del above[label]
        for child in below.get(label, ()):
            above[child] -= 1
            if not above[child]:
                ready.append(child)
    if not above:
        return
    # Every label that is left is in a cycle or below one: going up ends in a cycle.
    way: dict[str, None] = {}
    at = next(iter(above))
    while at not in way:
        way[at] = None
        at = next(parent for parent in entries[at].broader if parent in above)
    cycle = list(way)[list(way).index(at) :]
    shown = " → ".join([*cycle[:SHOWN], *(["…"] if len(cycle) > SHOWN else []), at])
    raise InputError(
        f"the label {at!r} is above itself: {shown}; take one of these broader labels away"
    )


def _read(content: bytes) -> tuple[str, str | None, list[LabelEntry]]:
    """Return language, root and labels of untrusted JSON, or raise InputError."""
    try:
        whole = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"it is not JSON: {error}") from None
    match whole:
        case {"language": str(language), "root": str() | None as root, "labels": [*labels], **rest}:
            if not rest:
                return language, root, [entry_from(each) for each in labels]
    raise InputError("it must have a language, a root and labels, and no more")


def entry_from(given: object) -> LabelEntry:
    """Return the label of a mapping of plain values, which may be anything, or raise InputError."""
    if not isinstance(given, dict) or not isinstance(given.get("id"), str):
        raise InputError(f"a label must be a mapping with an id that is a text, not {given!r:.80}")
    for name, value in given.items():
        if name == "id":
            continue
        if type(value) is not _FIELDS.get(name):
            raise InputError(f"the label {given['id']!r} has {name!r} as {value!r:.80}")
        texts: Iterable[object] = ()
        if isinstance(value, dict):
            texts = value.values()  # JSON has no other keys than texts
        elif isinstance(value, list):
            texts = value
        if not all(isinstance(text, str) for text in texts):
            raise InputError(f"the label {given['id']!r} has {name!r} that holds more than texts")
    return LabelEntry(
        given["id"],
        dict(given.get("names", {})),
        given.get("notation", ""),
        tuple(given.get("alternatives", ())),
        tuple(given.get("broader", ())),
        given.get("deprecated", False),
    )
