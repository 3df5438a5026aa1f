"""Stop lists by name: files of this package, lists of other packages, files of the user.

``stop/NOTICE.txt`` states source and licence of the lists that come with postil. A list is read
when it is first needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from postil.common.suggest import advise, near_names
from postil.errors import InputError, MissingExtraError, UsageError
from postil.text.grammar import ArgumentError
from postil.text.languages import NAME_OF, code_of

LISTS = Path(__file__).parent / "stop"

SNOWBALL_LANGUAGES = (
    "da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ru", "sv",
)  # fmt: skip

# A mark inside a word, as in c#, opens no comment.
_COMMENT = re.compile(r"(?:^|\s)[#|].*")


@dataclass(frozen=True, slots=True)
class StopSource:
    """A source of stop lists.

    ``complete`` checks the part after the colon (the empty string if the signature has no colon)
    and returns its canonical form; ``load`` returns the words.
    """

    signature: str
    help: str
    complete: Callable[[str], str]
    load: Callable[[str], Iterable[str]]


def canonical_name(received: str) -> str:
    """Return the canonical name of a list: ``Snowball:English`` becomes ``snowball:en``."""
    head, colon, rest = received.partition(":")
    source = SOURCES.get(head.lower())
    if source is None or bool(colon) != (":" in source.signature):
        raise ArgumentError(f"no stop list is called {received!r}{_advise(received)}")
    return head.lower() + colon + source.complete(rest)


def load(name: str) -> frozenset[str]:
    """Return the words of the list with this canonical name."""
    head, _, rest = name.partition(":")
    return frozenset(SOURCES[head].load(rest))


def read_stop_file(path: str | Path) -> frozenset[str]:
    """Read the words of a UTF-8 file: one or more on a line, comments after ``#`` or ``|``."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise UsageError(
            f"stop(file:{path}): the file cannot be read ({error.strerror}); "
            "check the path, which is relative to the working folder"
        ) from None
    words: set[str] = set()
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").splitlines(), 1):
        try:
            words.update(_COMMENT.sub("", line.decode()).split())
        except UnicodeDecodeError as error:
            raise InputError(
                f"{path}, line {number}: a stop list must be UTF-8, and byte "
                f"0x{line[error.start]:02x} in column {error.start + 1} is not; convert the file"
            ) from None
    if not words:
        raise InputError(f"{path}: a stop list must hold at least one word; this file holds none")
    return frozenset(words)


def _advise(received: str) -> str:
    head, _, rest = received.partition(":")
    if (code := code_of(received)) is not None:
        meant = [f"snowball:{code}", f"iso:{code}"]
    else:
        signatures = [SOURCES[name].signature for name in near_names(head, SOURCES)]
        meant = [re.sub("LANG|PATH", lambda part: rest or part[0], s) for s in signatures]
    return advise(meant, [source.signature for source in SOURCES.values()])


def _path(rest: str) -> str:
    if not rest:
        raise ArgumentError("a path goes after 'file:'")
    return rest


def _any_language(rest: str) -> str:
    code = code_of(rest)
    if code is None:
        near = near_names(rest, [*NAME_OF, *NAME_OF.values()])
        raise ArgumentError(f"no language is called {rest!r}{advise(near, NAME_OF)}")
    return code


def _snowball_language(rest: str) -> str:
    code = code_of(rest)
    if code not in SNOWBALL_LANGUAGES:
        names = [NAME_OF[code] for code in SNOWBALL_LANGUAGES]
        near = near_names(rest, [*SNOWBALL_LANGUAGES, *names])
        raise ArgumentError(
            f"the Snowball project has no stop list for {rest!r}"
            f"{advise(near, SNOWBALL_LANGUAGES)}; iso:LANG has more"
        )
    return code


def _load_sklearn(_: str) -> Iterable[str]:
    words: Iterable[str] = import_module("sklearn.feature_extraction.text").ENGLISH_STOP_WORDS
    return words


def _load_iso(code: str) -> Iterable[str]:
    try:
        package = import_module("stopwordsiso")
    except ImportError:
        raise MissingExtraError(f"stop(iso:{code})", "stopwordsiso", "stop") from None
    if not package.has_lang(code):
        raise UsageError(
            f"stop(iso:{code}): stopwords-iso has no list for {NAME_OF[code]}; "
            f"it has {', '.join(sorted(package.langs()))}"
        )
    words: Iterable[str] = package.stopwords(code)
    return words


SOURCES = {
    "sklearn": StopSource("sklearn", "scikit-learn's 318 English words", str, _load_sklearn),
    "smart": StopSource(
        "smart",
        "the SMART system's 570 English words",
        str,
        lambda _: read_stop_file(LISTS / "smart.txt"),
    ),
    "snowball": StopSource(
        "snowball:LANG",
        "the Snowball project's lists: " + " ".join(SNOWBALL_LANGUAGES),
        _snowball_language,
        lambda code: read_stop_file(LISTS / f"snowball-{code}.txt"),
    ),
    "iso": StopSource(
        "iso:LANG",
        "the stopwords-iso lists, 58 languages (needs stopwordsiso: the extra stop)",
        _any_language,
        _load_iso,
    ),
    "file": StopSource(
        "file:PATH", "a UTF-8 file of words; comments after # or |", _path, read_stop_file
    ),
}
