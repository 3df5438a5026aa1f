"""The file that a loaded model lies in: as it was when it was loaded."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from postil.errors import ModelFileError


@dataclass(frozen=True, slots=True)
class MappedFile:
    """A model file that is mapped into memory, and what the system said of it at that time.

    Who writes into such a file changes the arrays of every model that was loaded from it. A file
    that was renamed, removed or replaced by another stays in memory as it was.
    """

    path: Path
    device: int
    inode: int
    size: int
    changed: int

    @classmethod
    def of(cls, path: Path, status: os.stat_result) -> MappedFile:
        """Remember the open file with this status."""
        return cls(
            path.absolute(), status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
        )

    def check_unchanged(self) -> None:
        """Refuse the file, and so the model, if it was written into since it was loaded."""
        try:
            status = self.path.stat()
        except OSError:
            return  # no longer under its name
        now = self.of(self.path, status)
        replaced = (now.device, now.inode) != (self.device, self.inode)
        if not replaced and now != self:
            raise ModelFileError(
                f"{self.path}: was written into after the model was loaded from it, and the model "
                "is damaged by that; load it again, and replace model files by renaming (mv), not "
                "by copying over them (cp)"
            )
