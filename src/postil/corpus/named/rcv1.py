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

from collections.abc import Callable, Iterable, Iterator
from functools import partial
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


LONGEST_NUMBER = 18


def read_topics(
    lines: Iterable[bytes], report: Callable[[int, str], None]
) -> dict[int, tuple[str, ...]]:
    """Return the topics of each document from judgements, lines ``TOPIC DOCUMENT 1``.

    Blank lines are ignored; ``report`` is called with the number of a bad line and its fault.
    Documents with the same topics share one tuple.
    """
    topics: dict[int, tuple[str, ...]] = {}
    shared: dict[tuple[str, ...], tuple[str, ...]] = {}
    for number, line in enumerate(lines, 1):
        words = line.split()
        if (
            len(words) == 3
            and words[2] == b"1"
            and words[1].isdigit()
            and len(words[1]) <= LONGEST_NUMBER
        ):
            document, topic = int(words[1]), words[0].decode("utf-8", "backslashreplace")
            held = topics.get(document, ())
            if topic not in held:
                grown = (*held, topic)
                topics[document] = shared.setdefault(grown, grown)
        elif words:
            shown = repr(line[:40].decode("utf-8", "backslashreplace").rstrip())
            report(number, f"must be TOPIC DOCUMENT 1, received {shown}; get the file again")
    return topics


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
    Memory holds one document, and the topics and the ids of all (about 120 bytes a document).
    """

    def read(problems: Problems) -> Iterator[Document]:
        topics = _topics(path, problems)
        bar = sample_bar(topics) if sample else None
        seen, count = SeenIds(), 0
        for name, member in named_members(path, TOKEN_FILES):
            split = TOKEN_FILES[name]
            for record in records(member, _TAGS, problems):
                count += 1
                fault = _fault(record)
                earlier = seen.first_position(record.number, count) if fault is None else None
                if earlier is not None:
                    fault = (
                        f"document {record.number} was read before, as document {earlier:,} of the "
                        "collection; get the file again"
                    )
                if fault is not None:
                    problems.report(member.error(fault, record.line))
                    continue
                number = int(record.number)
                if bar is not None and split == "test" and sample_key(number) > bar:
                    continue
                labels = topics.get(number, ())
                if not labels:
                    problems.report(_without_topics(member, record, problems))
                    continue
                yield Document(record.number, {"body": record.fields[".W"]}, labels, split)

    return read


def _topics(path: Path, problems: Problems) -> dict[int, tuple[str, ...]]:
    """Read the judgements; raise CorpusError if a file is missing, before any document is read."""
    expected = (*TOKEN_FILES, TOPICS_FILE)
    found: set[str] = set()
    topics: dict[int, tuple[str, ...]] = {}
    for name, member in named_members(path, expected):
        found.add(name)
        if name == TOPICS_FILE:
            topics = read_topics(member.lines(), partial(_report, member, problems))
    missing = [name for name in expected if name not in found]
    if missing:
        raise CorpusError(
            f"{path}: lacks {', '.join(missing)} (plain or .gz) of RCV1-v2; "
            f"get what is missing from {DISTRIBUTION.homepage}"
        )
    return topics


def _report(member: Member, problems: Problems, line: int, fault: str) -> None:
    problems.report(member.error(fault, line))


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


def _without_topics(member: Member, record: Record, problems: Problems) -> DocumentError:
    return member.error(
        f"document {record.number} has no topic in {TOPICS_FILE}, and every document of RCV1-v2 "
        f"has one; get {TOPICS_FILE} again{problems.or_skip('such documents')}",
        record.line,
    )
