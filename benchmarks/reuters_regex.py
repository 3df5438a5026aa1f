"""Reuters-21578 read the straightforward way: regular expressions in pure Python.

This is the parser most people would write. It is the yardstick for the native scanner's speed,
and an independent reading of the same files for the tests. It expects well-formed files: what
does not match is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from postil.corpus.document import Document

LABEL_SETS = ("TOPICS", "PLACES", "PEOPLE", "ORGS", "EXCHANGES")

STORY = re.compile(r"<REUTERS([^>]*)>(.*?)</REUTERS>", re.DOTALL)
ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
TEXT = re.compile(r"<TEXT([^>]*)>(.*?)</TEXT>", re.DOTALL)
PART = re.compile(r"<(TITLE|AUTHOR|DATELINE|BODY)>(.*?)</\1>", re.DOTALL)
LABEL_LISTS = {name: re.compile(rf"<{name}>(.*?)</{name}>", re.DOTALL) for name in LABEL_SETS}
LABEL = re.compile(r"<D>(.*?)</D>", re.DOTALL)
REFERENCE = re.compile(r"&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(lt|gt|amp|quot|apos));")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}


@dataclass
class Story:
    """One story, with everything that postil reads of it."""

    newid: str
    oldid: str
    lewis_split: str
    cgi_split: str
    topics_flag: str
    title: str
    dateline: str
    body: str
    labels: dict[str, list[str]]


def stories(sgml: bytes) -> Iterator[Story]:
    """Yield the stories of one file."""
    for match in STORY.finditer(sgml.decode("latin-1")):
        attributes = dict(ATTRIBUTE.findall(match.group(1)))
        content = match.group(2)
        kind, text = TEXT.search(content).groups()
        parts = dict(PART.findall(text))
        loose = "" if "BRIEF" in kind else clean(PART.sub("\n", text))
        body = "\n".join(piece for piece in (loose, clean(parts.get("BODY", ""))) if piece)
        yield Story(
            newid=attributes["NEWID"],
            oldid=attributes.get("OLDID", ""),
            lewis_split=attributes.get("LEWISSPLIT", ""),
            cgi_split=attributes.get("CGISPLIT", ""),
            topics_flag=attributes.get("TOPICS", ""),
            title=clean(parts.get("TITLE", "")),
            dateline=clean(parts.get("DATELINE", "")),
            body=body,
            labels={name: labels(LABEL_LISTS[name], content) for name in LABEL_SETS},
        )


def labels(label_list: re.Pattern[str], content: str) -> list[str]:
    """Find the <D> elements of one label set."""
    match = label_list.search(content)
    return [clean(label) for label in LABEL.findall(match.group(1))] if match else []


def clean(raw: str) -> str:
    """Decode references, blank control characters, and trim."""
    text = raw.replace("\r\n", "\n").replace("\r", "\n")
    return CONTROL.sub(" ", REFERENCE.sub(character, text)).strip(" \t\n")


def character(match: re.Match[str]) -> str:
    """Look up the character a reference names."""
    decimal, hexadecimal, name = match.groups()
    if name:
        return NAMED[name]
    code = int(decimal) if decimal else int(hexadecimal, 16)
    exists = 0 < code <= 0x10FFFF and not 0xD800 <= code < 0xE000
    return chr(code) if exists else "\N{REPLACEMENT CHARACTER}"


def modapte(sgml: bytes) -> Iterator[Document]:
    """Yield the documents of the ModApte split with their topics."""
    for story in stories(sgml):
        if story.topics_flag == "YES" and story.lewis_split in ("TRAIN", "TEST"):
            yield Document(
                id=story.newid,
                fields={"title": story.title, "dateline": story.dateline, "body": story.body},
                labels=tuple(dict.fromkeys(story.labels["TOPICS"])),
                split="train" if story.lewis_split == "TRAIN" else "test",
            )
