"""What there is to reproduce of a paper."""

from __future__ import annotations

import pytest
from tests.papers.samples import small_experiments, small_paper

from postil.errors import UsageError
from postil_papers.cache import Question, ResultCache
from postil_papers.registry import listed
from postil_papers.runner import reproduce


def test_tables_and_figures_with_what_fills_them(tmp_path):
    found = listed(small_paper(), small_experiments(), ResultCache(tmp_path))
    assert [(each.id, each.experiments, each.seconds) for each in found] == [
        ("table1", ("lambda",), None),
        ("table2", ("quality", "broken"), None),
        ("table3", ("splits",), None),
        ("figure1", ("curve",), None),
    ]
    assert found[1].to_dict() == {
        "id": "table2",
        "title": "Quality",
        "where": "section 2, table 2",
        "corpora": [],
        "experiments": ["quality", "broken"],
        "seconds": None,
    }


def test_what_it_took_is_known_once_all_of_it_was_computed(tmp_path):
    cache = ResultCache(tmp_path)
    reproduce(small_paper(), small_experiments(), cache=cache)
    known = {each.id: each.seconds for each in listed(small_paper(), small_experiments(), cache)}
    assert known["table2"] is None  # one of its experiments fails
    assert known["table1"] is not None
    cache.put(Question("lambda", {}, "other documents", "1"), {"seconds": 90.0, "cells": []})
    cache.put(Question("lambda", {}, "yet others", "1"), {"seconds": 30.0, "cells": []})
    (table,) = listed(small_paper(), small_experiments(), cache, ["Table 1"])
    assert table.seconds == 90.0


@pytest.mark.parametrize("content", [b"", b"[]", b'{"question": 1}', b'{"question": {}}', b"\xff"])
def test_damaged_entries_are_passed_over(tmp_path, content):
    (tmp_path / ("0" * 64 + ".json")).write_bytes(content)
    cache = ResultCache(tmp_path)
    assert list(cache.kept()) == []
    cache.put(Question("lambda", {}, "", "1"), [1, 2])  # shared work has no seconds
    assert list(cache.kept()) == [("lambda", [1, 2])]
    assert listed(small_paper(), small_experiments(), cache)[0].seconds is None


def test_a_name_that_is_not_there_is_told_what_is(tmp_path):
    with pytest.raises(UsageError, match=r"did you mean 'table1'.*Allowed: table1, table2, table3"):
        listed(small_paper(), small_experiments(), ResultCache(tmp_path), ["tabel1"])
