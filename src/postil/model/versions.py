"""What a file says of its format, and who reads which version."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from postil import __version__
from postil.errors import InputError, ModelFileError
from postil.model import version1, version2
from postil.model.container import foreign, text_checksum
from postil.model.model import Model
from postil.model.plain import from_text
from postil.model.tensors import Arrays, Parts

FORMAT = "postil"
PLAIN_VERSION, FORMAT_VERSION = 1, 2

Reader = Callable[[dict[str, Any], Arrays, int], Model]
Writer = Callable[[Model], Parts]
# A version once written is read for ever.
READERS: Mapping[int, Reader] = MappingProxyType(
    {PLAIN_VERSION: version1.from_parts, FORMAT_VERSION: version2.from_parts}
)
WRITERS: Mapping[int, Writer] = MappingProxyType(
    {PLAIN_VERSION: version1.to_parts, FORMAT_VERSION: version2.to_parts}
)

_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)


class Metadata(NamedTuple):
    """The texts beside the tensors, in the order they are written."""

    format: str
    format_version: str
    checksum: str
    manifest: str


def version_of(model: Model) -> int:
    """The oldest version that holds a model: those who know no newer one can read it, too."""
    plain = model.projection is None and model.combination is None
    return PLAIN_VERSION if plain else FORMAT_VERSION


def parts_of(model: Model) -> Parts:
    """Take a model apart as its version has it."""
    return WRITERS[version_of(model)](model)


def checked_metadata(found: Mapping[str, str]) -> Metadata:
    """Take the metadata of a postil file; another's is refused."""
    if found.get("format") != FORMAT:
        raise foreign("it is a safetensors file of something else")
    if found.keys() != set(Metadata._fields):
        # What stands beside the version may be another in a version that is not known here.
        reader_of(found.get("format_version", ""))
        raise ModelFileError("has a damaged header (its metadata are not complete); copy it again")
    return Metadata(**found)


def reader_of(version: str) -> Reader:
    """Who reads a version; one that nobody here reads is refused."""
    if not _NUMBER.fullmatch(version):
        raise ModelFileError(f"has a damaged header (format version {version!r}); copy it again")
    number, newest, oldest = int(version), max(READERS), min(READERS)
    if number > newest:
        raise ModelFileError(
            f"is of format version {number}, and this postil ({__version__}) reads none newer "
            f"than {newest}; upgrade postil"
        )
    if number < oldest:
        raise ModelFileError(
            f"is of format version {number}, and this postil ({__version__}) reads none older "
            f"than {oldest}; train the model again"
        )
    return READERS[number]


def manifest_of(metadata: Metadata) -> dict[str, Any]:
    """Read the manifest, once its checksum is found right."""
    if text_checksum(metadata.manifest) != metadata.checksum:
        raise ModelFileError("is damaged (its manifest does not match its checksum); copy it again")
    try:
        manifest = from_text(metadata.manifest)
    except (InputError, ValueError) as error:  # a number may have too many digits for Python
        raise ModelFileError(
            f"has a manifest that is none ({error}); train the model again"
        ) from error
    if not isinstance(manifest, dict) or not isinstance(manifest.get("checksums"), dict):
        raise ModelFileError("has a manifest that is no manifest; train the model again")
    return manifest
