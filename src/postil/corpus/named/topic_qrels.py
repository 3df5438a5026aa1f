"""Topic judgements of RCV1-v2: lines ``TOPIC DOCUMENT 1``, held in little memory."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator

PAGE_BITS = 8
PAGE = 1 << PAGE_BITS

LONGEST_NUMBER = 18


class TopicTable:
    """The topics of documents, which are whole numbers.

    Many documents have the same topics, so that a document holds the number of its set of
    topics only: four bytes where document numbers lie close together, as those of RCV1-v2 do
    (800,000 in about 4 MB), a page of 1 kB each where they lie far apart.
    """

    def __init__(self) -> None:
        self._sets: list[tuple[str, ...]] = [()]
        self._numbers: dict[tuple[str, ...], int] = {(): 0}
        self._grown: dict[tuple[int, str], int] = {}
        self._pages: dict[int, array[int]] = {}

    def add(self, document: int, topic: str) -> None:
        """Give a document a topic, unless it has it."""
        page = self._pages.get(document >> PAGE_BITS)
        if page is None:
            page = self._pages[document >> PAGE_BITS] = array("i", bytes(4 * PAGE))
        place = document & (PAGE - 1)
        step = page[place], topic
        grown = self._grown.get(step)
        page[place] = self._grow(step) if grown is None else grown

    def _grow(self, step: tuple[int, str]) -> int:
        """Find or make the set that has one more topic."""
        held = self._sets[step[0]]
        topics = held if step[1] in held else (*held, step[1])
        number = self._numbers.setdefault(topics, len(self._sets))
        if number == len(self._sets):
            self._sets.append(topics)
        self._grown[step] = number
        return number

    def topics(self, document: int) -> tuple[str, ...]:
        """The topics of a document in the order they were given; none of one not met."""
        page = self._pages.get(document >> PAGE_BITS)
        return () if page is None else self._sets[page[document & (PAGE - 1)]]

    def documents(self) -> Iterator[int]:
        """Every document that has a topic, page by page."""
        for high, page in self._pages.items():
            for place, held in enumerate(page):
                if held:
                    yield (high << PAGE_BITS) + place


def read_topics(lines: Iterable[bytes], report: Callable[[int, str], None]) -> TopicTable:
    """Read judgements; ``report`` is told the number of a bad line and what is wrong with it.

    Blank lines are passed over. Time is linear in the lines.
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
