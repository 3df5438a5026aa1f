"""What a model was trained on: enough to say whether two were trained on the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from postil.errors import UsageError
from postil.model.settings import checked
from postil.model.tensors import Parts, Tensors, narrowed
from postil.vectors.fields import Text

_HEXADECIMAL = re.compile(r"[0-9a-f]{64}", re.ASCII)
_SCHEMA = {"corpus": str, "documents": int, "sha256": str}


class DocumentDigest:
    """SHA-256 over documents as they pass: their fields and labels, not their ids.

    The order of documents and of fields counts, that of labels does not. Costs one pass over
    the texts; nothing is kept of them.
    """

    def __init__(self) -> None:
        self.documents = 0
        self._digest = sha256()

    def add(self, fields: Mapping[str, Text], labels: Iterable[str] = ()) -> None:
        """Take in a document; bytes count as the text whose UTF-8 they are."""
        names = sorted(set(labels))
        pieces = [*(part for pair in fields.items() for part in pair), *names]
        encoded = [_encoded(piece) for piece in pieces]
        # With the lengths in front, no two documents have the same bytes.
        lengths = " ".join(str(len(piece)) for piece in encoded)
        self._digest.update(f"{len(fields)} {len(names)} {lengths}\n".encode("ascii"))
        self._digest.update(b"".join(encoded))
        self.documents += 1

    def hexdigest(self) -> str:
        """The digest of what has passed so far."""
        return self._digest.hexdigest()


@dataclass(frozen=True, slots=True, eq=False)
class TrainingFingerprint:
    """The training documents: of which corpus, how many, their digest, members by category."""

    corpus: str
    documents: int
    sha256: str
    members: NDArray[np.int64]

    def __post_init__(self) -> None:
        members = np.array(self.members)
        if members.ndim != 1 or (members.size and members.dtype.kind not in "iu"):
            raise UsageError("members are one whole number for each category")
        if members.size and not 0 <= int(members.min()) <= int(members.max()) <= self.documents:
            raise UsageError(f"a category has from 0 to {self.documents} members, the documents")
        if not _HEXADECIMAL.fullmatch(self.sha256):
            raise UsageError(f"a SHA-256 is 64 hexadecimal digits, not {self.sha256!r}")
        members = members.astype(np.int64)
        members.flags.writeable = False
        object.__setattr__(self, "members", members)

    def to_parts(self) -> Parts:
        """Take it apart for a file."""
        settings = {"corpus": self.corpus, "documents": self.documents, "sha256": self.sha256}
        return Parts(settings, {"training.members": narrowed(self.members)})

    @classmethod
    def from_parts(cls, settings: object, tensors: Tensors, categories: int) -> TrainingFingerprint:
        """Restore what :meth:`to_parts` gave."""
        members = tensors.take("training.members", "u", categories)
        return cls(members=members, **checked(settings, _SCHEMA, "training"))


def _encoded(text: Text) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
