"""Work that experiments share, and corpora that are absent."""

from __future__ import annotations

import pytest
from tests.papers.samples import experiment, small_paper

from postil.errors import UsageError
from postil_papers.cache import Question, ResultCache, shared, sharing
from postil_papers.experiment import (
    AbsentCorpusError,
    Experiment,
    Fill,
    by_name,
    corpus_fingerprint,
    no_data,
)
from postil_papers.render.html import html_page
from postil_papers.render.markdown import markdown_page
from postil_papers.render.terminal import terminal_text
from postil_papers.render.view import totals
from postil_papers.runner import reproduce

QUESTION = Question("work", {"size": 1}, "data", "code")


class Work:
    """Something that counts how often it is done."""

    def __init__(self):
        self.done = 0

    def __call__(self):
        self.done += 1
        return {"answer": self.done}


def test_shared_work_is_done_once():
    work = Work()
    with sharing(None):
        assert [shared(QUESTION, work) for _ in range(3)] == [{"answer": 1}] * 3
        other = Question("work", {"size": 2}, "data", "code")
        assert shared(other, work) == {"answer": 2}
    with sharing(None):  # nothing was kept
        assert shared(QUESTION, work) == {"answer": 3}


def test_shared_work_is_kept_and_can_be_refreshed(tmp_path):
    work, cache = Work(), ResultCache(tmp_path)
    for _ in range(2):
        with sharing(cache):
            assert shared(QUESTION, work) == {"answer": 1}
    with sharing(cache, refresh=True):
        assert [shared(QUESTION, work) for _ in range(2)] == [{"answer": 2}] * 2
    with sharing(cache):
        assert shared(QUESTION, work) == {"answer": 2}


def test_work_outside_a_reproduction_is_just_done():
    work = Work()
    assert [shared(QUESTION, work) for _ in range(2)] == [{"answer": 1}, {"answer": 2}]


def test_work_that_fails_is_not_kept():
    def fail():
        raise UsageError("no")

    with sharing(None):
        with pytest.raises(UsageError):
            shared(QUESTION, fail)
        assert shared(QUESTION, Work()) == {"answer": 1}


def test_experiments_of_a_reproduction_share():
    work = Work()

    def plugged(column):
        return Experiment(
            name=column,
            run=lambda _: {("table1", "lambda", column): float(shared(QUESTION, work)["answer"])},
            fills=(Fill("table1", columns=(column,)),),
            code="",
        )

    found = reproduce(small_paper(), by_name(plugged("One"), plugged("Two")), only=["table1"])
    assert [cell.ours for cell in found.cells()] == [1.0, 1.0]


# ------------------------------------------------------------------------- absent corpora


def absent():
    raise AbsentCorpusError("the corpus small is absent; get it with: postil corpus fetch small")


@pytest.fixture(params=[False, True], ids=["without a cache", "with a cache"])
def found(request, tmp_path):
    one = {("table3", "One", "Corpus_A"): 89.0}
    plugged = by_name(
        experiment("here", one, (Fill("table3", columns=("Corpus_A",)),), data=no_data),
        experiment("away", {}, (Fill("table3", columns=("Corpus|B",)),), data=absent),
    )
    cache = ResultCache(tmp_path) if request.param else None
    return reproduce(small_paper(), plugged, cache=cache, only=["table3"])


def test_an_absent_corpus_leaves_cells_empty_and_fails_nothing(found):
    here, away = found.tables[0].cells
    assert (here.ours, here.remark) == (89.0, "")
    assert (away.ours, away.error) == (None, "")
    assert "postil corpus fetch small" in away.remark
    assert [run.state for run in found.runs] == ["finished", "absent"]
    assert found.failures == ()
    assert found.absences == {found.runs[1].error: 1}


def test_every_rendering_tells_of_it(found):
    assert totals(found).endswith("; 1 not run: a corpus is absent")
    for text in (terminal_text(found, 120), markdown_page(found), html_page(found)):
        assert "postil corpus fetch small" in text
        assert "failed" not in text.replace('class="failed"', "").replace(".failed", "")
    assert "1 experiment not run: the corpus small is absent" in terminal_text(found, 120)


def test_a_corpus_without_its_file_is_absent(monkeypatch, tmp_path):
    monkeypatch.setenv("POSTIL_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(AbsentCorpusError, match="postil corpus fetch webkb"):
        corpus_fingerprint("webkb")
    with pytest.raises(UsageError, match="no corpus called 'webbk'"):
        corpus_fingerprint("webbk")
