"""README and docs show what really happens."""

from __future__ import annotations

import pytest
from tools import documents


@pytest.mark.parametrize("path", documents.documents(), ids=lambda path: path.name)
def test_document_shows_what_happens(path):
    assert documents.refreshed(path) == path.read_text(encoding="utf-8")


def test_ellipsis_stands_for_any_lines():
    assert documents.matches("a\n…\nd\n", "a\nb\nc\nd\n")
    assert not documents.matches("a\n…\nd\n", "a\nb\nc\n")
    assert not documents.matches("a\n", "a\nb\n")
