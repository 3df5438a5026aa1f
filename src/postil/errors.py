"""The exceptions that postil raises on purpose.

::

    PostilError
    ├── UsageError            the caller asked for something impossible (exit code 2)
    │   ├── SpecError         an analyzer, weighting or other short spec does not parse
    │   └── MissingExtraError an optional dependency is needed and not installed
    ├── InputError            the input is wrong (exit code 1)
    │   ├── DocumentError     one document of a stream, with its source and position
    │   ├── CorpusError       a whole corpus: absent, empty, damaged, of unknown format
    │   └── ModelFileError    a model file: absent, damaged, foreign, too new or too old
    └── FetchError            a download failed or its checksum did not match

A message names the input, the rule, the received value and the way out. The command line and the
HTTP service translate exceptions into exit codes and responses.
"""

from __future__ import annotations


class PostilError(Exception):
    """Base class of the errors that postil raises on purpose."""


class UsageError(PostilError, ValueError):
    """The caller asked for something impossible."""


class SpecError(UsageError):
    """A short spec (analyzer, weighting) does not parse."""


class MissingExtraError(UsageError, ImportError):
    """An optional dependency is needed and not installed."""

    def __init__(self, what: str, package: str, extra: str) -> None:
        super().__init__(
            f"{what} needs the package {package}, which is not installed: pip install {package} "
            f"(it comes with the extra {extra} of postil)"
        )


class InputError(PostilError, ValueError):
    """The input is wrong."""


class DocumentError(InputError):
    """One document of a stream is bad.

    ``source`` names the file (or ``<stdin>``) and ``position`` the place in it ("line 17",
    "document 3"); the message begins with both.
    """

    def __init__(self, source: str, position: str, message: str) -> None:
        super().__init__(f"{source}, {position}: {message}")
        self.source = source
        self.position = position


class CorpusError(InputError):
    """A whole corpus is absent, empty, damaged or of unknown format."""


class ModelFileError(InputError):
    """A model file is absent, damaged, cut short, foreign, too new or too old."""


class FetchError(PostilError, OSError):
    """A download failed or its checksum did not match."""
