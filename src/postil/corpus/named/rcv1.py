"""RCV1-v2 in the LYRL2004 distribution: token files and topic judgements.

A document has one field, ``body``: its tokens, which the distributors lower-cased, stopped,
stemmed and put out of order, with spaces between them (the analyzer for them is ``whitespace``).
Its number is its id, its topics are its labels. The training file and the four test files are
the LYRL2004 split.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from postil.corpus.corpus import DocumentSource
from postil.corpus.document import Document, Split
from postil.corpus.files.archives import Member
from postil.corpus.formats.identity import SeenIds
from postil.corpus.named.collection_files import known_files, lines_of
from postil.corpus.named.distributions import RCV1_V2
from postil.corpus.named.rcv1_sample import sample_bar, sample_key
from postil.corpus.named.smart_records import Record, records
from postil.corpus.named.topic_qrels import LONGEST_NUMBER, TopicTable, read_topics
from postil.corpus.problems import Problems
from postil.errors import CorpusError, DocumentError

TOPICS_FILE = "rcv1-v2.topics.qrels"
TOKEN_FILES: dict[str, Split] = {
    "lyrl2004_tokens_train.dat": "train",
    **{f"lyrl2004_tokens_test_pt{part}.dat": "test" for part in range(4)},
}

_TAGS = frozenset({".W"})


def rcv1(path: Path, *, sample: bool = False) -> DocumentSource:
    """Read a folder or tar archive with the five token files and the judgements.

    Each file may be compressed. With ``sample`` only the test documents of
    :mod:`.rcv1_sample` are given. One pass is linear in the bytes. Memory holds one document,
    the topics (4 bytes a document) and the ids (24 to 48 bytes a document).
    """

    def read(problems: Problems) -> Iterator[Document]:
        topics = _topics(path, problems)
        bar = sample_bar(topics.documents()) if sample else None
        seen, count = SeenIds(), 0
        for name, member in known_files(path, TOKEN_FILES):
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
    """Read the judgements, and see that every file is there before any document is read."""
    expected = (*TOKEN_FILES, TOPICS_FILE)
    found: set[str] = set()
    table = TopicTable()
    for name, member in known_files(path, expected):
        found.add(name)
        if name == TOPICS_FILE:
            table = read_topics(lines_of(member), _reporter(member, problems))
    missing = [name for name in expected if name not in found]
    if missing:
        raise CorpusError(
            f"{path}: lacks {', '.join(missing)} (plain or .gz) of RCV1-v2; "
            f"get what is missing from {RCV1_V2.homepage}"
        )
    return table


def _reporter(member: Member, problems: Problems) -> Callable[[int, str], None]:
    return lambda line, message: problems.report(
        member.error(f"{message}; get the file again", line)
    )


def _fault(record: Record) -> str | None:
    """Say what is wrong with a record."""
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
