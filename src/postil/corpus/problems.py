"""What to do with a bad document in a stream, and the account of what was done."""

from __future__ import annotations

from typing import Literal

from postil.errors import DocumentError

OnError = Literal["strict", "skip"]

REMEMBERED = 20


class Problems:
    """Collects the bad documents of one pass over a stream.

    ``strict`` raises the first; ``skip`` counts every one and remembers the first few, so that
    nothing is dropped in silence.
    """

    def __init__(self, policy: OnError = "strict") -> None:
        self.policy: OnError = policy
        self.count = 0
        self.first: list[DocumentError] = []

    def report(self, error: DocumentError) -> None:
        """Raise ``error`` under ``strict``; count it under ``skip``."""
        if self.policy == "strict":
            raise error
        self.count += 1
        if len(self.first) < REMEMBERED:
            self.first.append(error)

    def or_skip(self, what: str) -> str:
        """The end of an advice: to skip what is bad, unless that is what is done."""
        return f", or skip {what} (--on-error skip)" if self.policy == "strict" else ""

    def clear(self) -> None:
        """Forget everything: a new pass begins."""
        self.count = 0
        self.first.clear()
