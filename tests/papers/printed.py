"""The printed and our values of a paper, by exhibit, row and column."""

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


def ours(reproduction, table):
    """Our cells of a table by row and column."""
    found = next(each for each in reproduction.tables if each.id == table)
    return {(c.key.row, c.key.column): c for c in found.cells if c.ours is not None}
