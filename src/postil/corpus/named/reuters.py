"""Reuters-21578, Distribution 1.0: the SGML files and the splits its README defines.

A document has the fields ``title``, ``dateline`` and ``body`` (empty where the story has none),
its NEWID as id, and the categories of one of five sets as labels.
``native/include/postil/readers/`` documents the fields of the types NORM, BRIEF and UNPROC, the
decoding of entities and the handling of control characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from postil.corpus.corpus import DocumentSource
from postil.corpus.document import Document, Problems, Split
from postil.corpus.files.archives import Member, members
from postil.corpus.named.entry import Option
from postil.errors import CorpusError, DocumentError

LABEL_SETS = ("topics", "places", "people", "orgs", "exchanges")

TOPICS_FLAGS = frozenset({"YES", "NO", "BYPASS"})

BLOCK = 1 << 18
LARGEST_STORY = 1 << 26

_START_TAG = b"<REUTERS"
_END_TAG = b"</REUTERS>"


class Story(NamedTuple):
    """One <REUTERS> element as the native scanner returns it."""

    line: int
    newid: str
    oldid: str
    lewis_split: str
    cgi_split: str
    topics_flag: str
    title: str
    dateline: str
    body: str
    labels: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class SplitRule:
    """A split of the README, section VIII: one attribute tells train or test.

    Stories whose TOPICS flag is not among ``topics_flags`` are not used.
    """

    attribute: str
    splits: Mapping[str, Split | None]
    topics_flags: frozenset[str]

    def split_of(self, story: Story) -> Split | None:
        """Return train or test, or None for a story that the split does not use."""
        if story.topics_flag not in TOPICS_FLAGS:
            raise ValueError(f"TOPICS must be YES, NO or BYPASS, received {story.topics_flag!r}")
        value = story.lewis_split if self.attribute == "LEWISSPLIT" else story.cgi_split
        if value not in self.splits:
            choices = " or ".join(self.splits)
            raise ValueError(f"{self.attribute} must be {choices}, received {value!r}")
        return self.splits[value] if story.topics_flag in self.topics_flags else None


_LEWIS: Mapping[str, Split | None] = {"TRAIN": "train", "TEST": "test", "NOT-USED": None}
_HAYES: Mapping[str, Split | None] = {"TRAINING-SET": "train", "PUBLISHED-TESTSET": "test"}

SPLIT_RULES: Mapping[str, SplitRule] = {
    "modapte": SplitRule("LEWISSPLIT", _LEWIS, frozenset({"YES"})),
    "modlewis": SplitRule("LEWISSPLIT", _LEWIS, frozenset({"YES", "NO"})),
    "modhayes": SplitRule("CGISPLIT", _HAYES, TOPICS_FLAGS),
}


def reuters(
    path: Path,
    split: str,
    *,
    label_set: str = "topics",
    unused: bool = False,
    loose_text: bool = True,
) -> DocumentSource:
    """Read a folder with the .sgm files, or a tar archive of them.

    ``split`` is a key of ``SPLIT_RULES``, ``label_set`` one of ``LABEL_SETS``. Stories that the
    split does not use are left out, or come with no split if ``unused`` is set. Without
    ``loose_text`` a body is the content of BODY, and a story that has none is empty. Memory holds
    part of one file at a time.
    """
    rule, labels = SPLIT_RULES[split], LABEL_SETS.index(label_set)

    def read(problems: Problems) -> Iterator[Document]:
        found = False
        for member in members(path):
            if not member.name.lower().endswith(".sgm"):
                continue
            found = True
            for story in _stories(member, problems, loose_text):
                try:
                    part = rule.split_of(story)
                except ValueError as error:
                    problems.report(member.error(f"{error}; get the file again", story.line))
                    continue
                if part is not None or unused:
                    fields = {
                        "title": story.title,
                        "dateline": story.dateline,
                        "body": story.body,
                    }
                    own = tuple(dict.fromkeys(story.labels[labels]))
                    yield Document(story.newid, fields, own, part)
        if not found:
            raise CorpusError(
                f"{path}: holds no .sgm file; Reuters-21578 has 22, reut2-000.sgm to reut2-021.sgm"
            )

    return read


def _stories(member: Member, problems: Problems, loose_text: bool) -> Iterator[Story]:
    from postil._native import scan_reuters

    line = 0
    for block in _blocks(member, problems):
        records, faults = scan_reuters(block, loose_text)
        for _, fault_line, message in faults:
            problems.report(member.error(f"{message}; get the file again", line + fault_line))
        for record in records:
            yield Story(line + record[0], *record[1:])
        line += block.count(b"\n")


def _blocks(member: Member, problems: Problems) -> Iterator[bytes]:
    """Yield the file in blocks that end behind an end tag, so that no story is cut in two.

    A story without an end within ``LARGEST_STORY`` bytes is cut there, which the scanner reports
    as a fault: no input can fill the memory.
    """
    pending = bytearray()
    try:
        for chunk in member.chunks(BLOCK):
            # The tag itself may lie across two chunks.
            seen = max(0, len(pending) - len(_END_TAG))
            pending += chunk
            end = pending.rfind(_END_TAG, seen)
            cut = end + len(_END_TAG) if end >= 0 else 0
            if not cut and len(pending) > LARGEST_STORY:
                # Another story may have begun, and may have an end.
                cut = max(0, pending.rfind(_START_TAG, 1)) or len(pending)
            if cut:
                yield bytes(pending[:cut])
                del pending[:cut]
    except DocumentError as error:
        problems.report(error)
        return
    if pending:
        yield bytes(pending)


OPTIONS = (
    Option("label_set", "the set of categories used as labels", "topics", LABEL_SETS),
    Option("unused", "also give the stories that the split leaves out, with no split", False),
    Option("loose_text", "take text that stands loose in a story into its body", True),
)
