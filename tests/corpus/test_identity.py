"""Ids that were seen before are found, whatever their number."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from postil.corpus.document import SeenIds


@given(st.lists(st.text(max_size=3)))
def test_like_a_dictionary(identities):
    seen = SeenIds()
    first: dict[str, int] = {}
    for position, identity in enumerate(identities, start=1):
        assert seen.first_position(identity, position) == first.get(identity)
        first.setdefault(identity, position)


def test_growth():
    seen = SeenIds()
    for position in range(1, 5001):
        assert seen.first_position(f"document {position}", position) is None
    for position in range(1, 5001, 7):
        assert seen.first_position(f"document {position}", 9999) == position
