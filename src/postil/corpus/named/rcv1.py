"""RCV1-v2 in the LYRL2004 distribution: token files and topic judgements.

A document has one field, ``body``: its tokens, which the distributors lower-cased, stopped,
stemmed and put out of order, with spaces between them (the analyzer for them is ``whitespace``).
Its number is its id, its topics are its labels. The training file and the four test files are
the LYRL2004 split.

genkin-lewis-madigan-2004 (section 5.2.2) tested on a fixed random subset of 77,993 of the 781,265
test documents, which was not published. The corpus ``rcv1-v2-sample`` has as many: each document
number is mixed with a seed into 64 bits, and the documents with the smallest results are chosen.
The choice depends on the numbers alone, not on the order or the packing of the files.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from heapq import nsmallest
from pathlib import Path

from postil.corpus.corpus import DocumentSource
from postil.corpus.document import Document, Problems, SeenIds, Split
from postil.corpus.files.archives import Member, named_members
from postil.corpus.named.entry import distribution_of
from postil.corpus.named.smart_records import Record, records
from postil.errors import CorpusError, DocumentError

SIZE = 77_993
SEED = 2004
FIRST_TEST_DOCUMENT = 26_151
"""The LYRL2004 split is by time, and documents are numbered in its order."""

_MASK = (1 << 64) - 1


def sample_key(document: int) -> int:
    """Mix the number of a document with the seed, by the steps of the generator SplitMix64.

    Each step can be undone, so different numbers give different keys.
    """
    key = (document + SEED * 0x9E3779B97F4A7C15) & _MASK
    key = ((key ^ key >> 30) * 0xBF58476D1CE4E5B9) & _MASK
    key = ((key ^ key >> 27) * 0x94D049BB133111EB) & _MASK
    return key ^ key >> 31


def sample_bar(documents: Iterable[int], size: int | None = None) -> int:
    """Return the largest key in the sample of ``size`` (by default ``SIZE``) test documents.

    ``documents`` are all of the collection, in any order. Memory grows with the sample.
    """
    keys = (sample_key(document) for document in documents if document >= FIRST_TEST_DOCUMENT)
    return max(nsmallest(SIZE if size is None else size, keys), default=-1)


PAGE_BITS = 8
PAGE = 1 << PAGE_BITS

LONGEST_NUMBER = 18


class TopicTable:
    """The topics of documents, which are whole numbers, in little memory.

    Many documents have the same topics, so a document holds only the number of its set of
    topics: four bytes if document numbers lie close together, as those of RCV1-v2 do (800,000 in
    about 4 MB), a page of 1 kB each if they lie far apart.
    """

    def __init__(self) -> None:
        self._sets: list[tuple[str, ...]] = [()]
        self._numbers: dict[tuple[str, ...], int] = {(): 0}
        self._grown: dict[tuple[int, str], int] = {}
        self._pages: dict[int, array[int]] = {}

    def add(self, document: int, topic: str) -> None:
        """Add a topic to a document, once."""
        page = self._pages.get(document >> PAGE_BITS)
        if page is None:
            page = self._pages[document >> PAGE_BITS] = array("i", bytes(4 * PAGE))
        place = document & (PAGE - 1)
        step = page[place], topic
        grown = self._grown.get(step)
        page[place] = self._grow(step) if grown is None else grown

    def _grow(self, step: tuple[int, str]) -> int:
        """Return the number of the set that has one more topic, making it if it is new."""
        held = self._sets[step[0]]
        topics = held if step[1] in held else (*held, step[1])
        number = self._numbers.setdefault(topics, len(self._sets))
        if number == len(self._sets):
            self._sets.append(topics)
        self._grown[step] = number
        return number

    def topics(self, document: int) -> tuple[str, ...]:
        """Return the topics of a document in the order of ``add``; none if it is unknown."""
        page = self._pages.get(document >> PAGE_BITS)
        return () if page is None else self._sets[page[document & (PAGE - 1)]]

    def documents(self) -> Iterator[int]:
        """Yield every document that has a topic, page by page."""
        for high, page in self._pages.items():
            for place, held in enumerate(page):
                if held:
                    yield (high << PAGE_BITS) + place


def read_topics(lines: Iterable[bytes], report: Callable[[int, str], None]) -> TopicTable:
    """Read judgements, lines ``TOPIC DOCUMENT 1``; blank lines are ignored.

    ``report`` is called with the number of a bad line and its fault.
    """
    table = TopicTable()
    names: dict[bytes, str] = {}
    for number, line in enumerate(lines, 1):
        words = line.split()
        if _is_judgement(words):
            topic, document, _ = words
            name = names.get(topic)
            if name is None:
                name = names[topic] = topic.decode("utf-8", "backslashreplace")
            table.add(int(document), name)
        elif words:
            report(number, f"must be TOPIC DOCUMENT 1, received {_shown(line)}")
    return table


def _is_judgement(words: list[bytes]) -> bool:
    return (
        len(words) == 3
        and words[2] == b"1"
        and words[1].isdigit()
        and len(words[1]) <= LONGEST_NUMBER
    )


def _shown(line: bytes) -> str:
    return repr(line[:40].decode("utf-8", "backslashreplace").rstrip())


TOPICS_FILE = "rcv1-v2.topics.qrels"
TOKEN_FILES: dict[str, Split] = {
    "lyrl2004_tokens_train.dat": "train",
    **{f"lyrl2004_tokens_test_pt{part}.dat": "test" for part in range(4)},
}

_TAGS = frozenset({".W"})

DISTRIBUTION = distribution_of("rcv1-v2")


def rcv1(path: Path, *, sample: bool = False) -> DocumentSource:
    """Read a folder or tar archive with the five token files and the judgements.

    Each file may be compressed. With ``sample`` only the test documents of the sample are read.
    Memory holds one document, the topics (4 bytes a document) and the ids (24 to 48 bytes a
    document).
    """

    def read(problems: Problems) -> Iterator[Document]:
        topics = _topics(path, problems)
        bar = sample_bar(topics.documents()) if sample else None
        seen, count = SeenIds(), 0
        for name, member in named_members(path, TOKEN_FILES):
            split = TOKEN_FILES[name]
            for record in records(member, _TAGS, problems):
                count += 1
                fault = _fault(record) or _repeated(record, seen, count)
                if fault is not None:
                    problems.report(member.error(fault, record.line))
                    continue
                number = int(record.number)
                if bar is not None and split == "test" and sample_key(number) > bar:
                    continue
                labels = topics.topics(number)
                if not labels:
                    problems.report(_without_topics(member, record, problems))
                    continue
                yield Document(record.number, {"body": record.fields[".W"]}, labels, split)

    return read


def _topics(path: Path, problems: Problems) -> TopicTable:
    """Read the judgements; raise CorpusError if a file is missing, before any document is read."""
    expected = (*TOKEN_FILES, TOPICS_FILE)
    found: set[str] = set()
    table = TopicTable()
    for name, member in named_members(path, expected):
        found.add(name)
        if name == TOPICS_FILE:
            table = read_topics(member.lines(), _reporter(member, problems))
    missing = [name for name in expected if name not in found]
    if missing:
        raise CorpusError(
            f"{path}: lacks {', '.join(missing)} (plain or .gz) of RCV1-v2; "
            f"get what is missing from {DISTRIBUTION.homepage}"
        )
    return table


def _reporter(member: Member, problems: Problems) -> Callable[[int, str], None]:
    return lambda line, message: problems.report(
        member.error(f"{message}; get the file again", line)
    )


def _fault(record: Record) -> str | None:
    """Return the fault of a record, else None."""
    if not (record.number.isascii() and record.number.isdigit()):
        return f"a document has a whole number behind .I, received {record.number[:40]!r}"
    if len(record.number) > LONGEST_NUMBER:
        return f"the document number {record.number[:40]} is too large"
    if ".W" not in record.fields:
        return f"document {record.number} has no .W, so it is cut off; get the file again"
    if record.cut is not None:
        return f"the file ends inside document {record.number}; get the file again"
    return None


def _repeated(record: Record, seen: SeenIds, count: int) -> str | None:
    earlier = seen.first_position(record.number, count)
    if earlier is None:
        return None
    return (
        f"document {record.number} was read before, as document {earlier:,} of the collection; "
        "get the file again"
    )


def _without_topics(member: Member, record: Record, problems: Problems) -> DocumentError:
    return member.error(
        f"document {record.number} has no topic in {TOPICS_FILE}, and every document of RCV1-v2 "
        f"has one; get {TOPICS_FILE} again{problems.or_skip('such documents')}",
        record.line,
    )
