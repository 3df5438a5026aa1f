"""Stop lists: words too common to tell documents apart.

No list lives in postil. Each comes from an installed package that carries it, or from a file of
the user's, and is read when first needed:

==================  ==========================================================================
``sklearn``         scikit-learn's 318 English words
``smart``           the SMART system's English words (genkin-lewis-madigan-2004), python-rake
``snowball:LANG``   the Snowball project's lists; English from python-rake (which has it under
                    another name), all others from Sphinx, whose search carries them
``iso:LANG``        the stopwords-iso collection, 58 languages, stopwordsiso
``file:PATH``       a file of the user's
==================  ==========================================================================

A user's own stop list, from a file.
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

# A mark inside a word, as in c#, opens no comment.
_COMMENT = re.compile(r"(?:^|\s)[#|].*")


def read_stop_file(path: str) -> frozenset[str]:
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
        words.update(_COMMENT.sub("", _decode(path, number, line)).split())
    if not words:
        raise InputError(f"{path}: a stop list must hold at least one word; this file holds none")
    return frozenset(words)


def _decode(path: str, number: int, line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}, line {number}: a stop list must be UTF-8, and byte "
            f"0x{line[error.start]:02x} in column {error.start + 1} is not; convert the file"
        ) from None


SNOWBALL_LANGUAGES = (
    "da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ru", "sv",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class StopSource:
    """Where lists come from.

    ``complete`` makes the part after the colon canonical (the empty string where there is
    none) and ``load`` fetches the words.
    """

    signature: str
    help: str
    complete: Callable[[str], str]
    load: Callable[[str], Iterable[str]]


def canonical_name(received: str) -> str:
    """Make a list's name canonical: ``Snowball:English`` becomes ``snowball:en``."""
    head, colon, rest = received.partition(":")
    source = SOURCES.get(head.lower())
    if source is None or bool(colon) != (":" in source.signature):
        raise ArgumentError(f"no stop list is called {received!r}{_advise(received)}")
    return head.lower() + colon + source.complete(rest)


def load(name: str) -> frozenset[str]:
    """Fetch the words of a list, by its canonical name."""
    head, _, rest = name.partition(":")
    return frozenset(SOURCES[head].load(rest))


def _advise(received: str) -> str:
    head, _, rest = received.partition(":")
    allowed = [source.signature for source in SOURCES.values()]
    if (code := code_of(received)) is not None:
        meant = [f"snowball:{code}", f"iso:{code}"]
    else:
        signatures = [SOURCES[name].signature for name in near_names(head, SOURCES)]
        meant = [re.sub("LANG|PATH", lambda part: rest or part[0], s) for s in signatures]
    return advise(meant, allowed)


def _nothing(rest: str) -> str:
    return rest


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


def _load_rake(module: str) -> Iterable[str]:
    words: Iterable[str] = import_module(f"RAKE.stoplists.{module}").words()
    return words


def _load_snowball(code: str) -> Iterable[str]:
    if code == "en":
        return _load_rake("RanksNLStoplist")
    try:
        languages = import_module("sphinx.search").languages
    except ImportError:
        raise MissingExtraError(f"stop(snowball:{code})", "sphinx", "stop") from None
    found = languages[code]
    if isinstance(found, str):  # a class by its full name, until Sphinx itself has used it
        module, _, attribute = found.rpartition(".")
        found = getattr(import_module(module), attribute)
    words: Iterable[str] = found.stopwords
    return words


def _load_iso(code: str) -> Iterable[str]:
    package = import_module("stopwordsiso")
    if not package.has_lang(code):
        raise UsageError(
            f"stop(iso:{code}): stopwords-iso has no list for {NAME_OF[code]}; "
            f"it has {', '.join(sorted(package.langs()))}"
        )
    words: Iterable[str] = package.stopwords(code)
    return words


SOURCES = {
    "sklearn": StopSource("sklearn", "scikit-learn's 318 English words", _nothing, _load_sklearn),
    "smart": StopSource(
        "smart",
        "the SMART system's 570 English words",
        _nothing,
        lambda _: _load_rake("SmartStopList"),
    ),
    "snowball": StopSource(
        "snowball:LANG",
        "the Snowball project's lists: " + " ".join(SNOWBALL_LANGUAGES),
        _snowball_language,
        _load_snowball,
    ),
    "iso": StopSource(
        "iso:LANG", "the stopwords-iso lists, 58 languages", _any_language, _load_iso
    ),
    "file": StopSource(
        "file:PATH",
        "a UTF-8 file of words; comments after # or |",
        _path,
        read_stop_file,
    ),
}
