"""What a paper prints, by exhibit, row and column."""

from __future__ import annotations


def printed(paper):
    """All values of a paper."""
    return {
        (exhibit.id, value.row, value.column): value
        for exhibit in paper.exhibits
        for value in exhibit.values
    }


def printed_numbers(paper):
    """All values of a paper as numbers."""
    return {place: value.value for place, value in printed(paper).items()}
