"""Running experiments: selection, failures, the cache, Ctrl-C."""

from __future__ import annotations

import numpy as np
import pytest
from tests.papers.samples import experiment, fail, small_experiments, small_paper, terminal_text

from postil.errors import UsageError
from postil_papers import results
from postil_papers.experiment import CellKey, Experiment, Fill, Measured, by_name
from postil_papers.registry import listed
from postil_papers.render.pages import html_page, markdown_page
from postil_papers.render.view import totals
from postil_papers.results import ResultStore
from postil_papers.runner import reproduce


def cells(reproduction):
    return {cell.key: cell for cell in reproduction.cells()}


def test_everything_beside_the_paper():
    found = reproduce(small_paper(), small_experiments())
    cell = cells(found)
    assert [table.id for table in found.tables] == ["table1", "table2", "table3", "figure1"]
    assert cell["table1", "lambda", "One"].difference == pytest.approx(-1)
    assert cell["table1", "lambda", "Two"].ours is None
    assert cell["table2", "F1", "One"].verdict == "within"
    # 86.0 - 84.5 is the tolerance itself, which still counts as within.
    assert cell["table2", "F1", "Two"].verdict == "within"
    assert cell["table2", "F1", "A Longer Name"].verdict == "explained"
    assert cell["table2", "Recall", "One"].verdict is None
    assert cell["table3", "One", "Corpus_A"].ours_deviation == 0.44
    assert cell["figure1", "One", "1000"].paper is None
    assert found.beyond == ("table2, mean",)


def test_columns_of_a_figure_are_in_the_order_of_the_axis():
    figure = reproduce(small_paper(), small_experiments()).tables[-1]
    assert figure.columns == ("10", "100", "1000", "all")


def test_a_failure_is_in_its_cells_and_the_rest_goes_on():
    found = reproduce(small_paper(), small_experiments())
    broken = cells(found)["table2", "Recall", "A Longer Name"]
    assert (broken.ours, broken.error) == (None, "RuntimeError: out of luck")
    assert [run.experiment for run in found.failures] == ["broken"]
    assert [run.state for run in found.runs] == [
        "finished",
        "finished",
        "failed",
        "finished",
        "finished",
    ]


def test_only_runs_what_is_needed():
    asked = []
    plugged = {
        name: Experiment(name, lambda name=name, **_: asked.append(name) or {}, each.fills)
        for name, each in small_experiments().items()
    }
    found = reproduce(small_paper(), plugged, only=["Table 3", "figure-1"])
    assert asked == ["splits", "curve"]
    assert [table.id for table in found.tables] == ["table3", "figure1"]


def test_only_what_there_is():
    with pytest.raises(UsageError, match="small-1999 has no 'table7'; did you mean"):
        reproduce(small_paper(), {}, only=["table7"])
    with pytest.raises(UsageError, match="no table or figure is chosen"):
        reproduce(small_paper(), {}, only=[])


def test_nothing_plugged_in_leaves_ours_empty():
    found = reproduce(small_paper(), {})
    assert all(cell.ours is None and not cell.error for cell in found.cells())
    assert (found.runs, found.beyond) == ((), ())


def test_a_cell_without_a_value_says_so():
    plugged = by_name(experiment("half", {("table1", "lambda", "One"): 1.0}, (Fill("table1"),)))
    cell = cells(reproduce(small_paper(), plugged))["table1", "lambda", "Two"]
    assert cell.error == "the experiment 'half' gave no value"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({("table1", "lambda", "One"): float("nan")}, "nan for table1, lambda, One"),
        ({("table1", "lambda", "One"): -1.0}, "must be above 0"),
        ({("table1", "lambda", "One"): None}, "needs a finite number"),
        ({("table1", "lambda", "One"): True}, "needs a finite number"),
        ({("table1", "lambda", "One"): Measured(1.0, float("inf"))}, "needs a finite number"),
        ({("table1", "lambda", "Three"): 1.0}, "a cell it does not fill: table1, lambda, Three"),
        ({("table2", "F1", "One"): 1.0}, "a cell it does not fill"),
        ({"One": 1.0}, r"a cell called 'One'; it needs \(table, row, column\)"),
        ([1.0], "returned list, not a mapping"),
    ],
)
def test_results_that_make_no_sense_fail_the_experiment(values, message):
    found = reproduce(small_paper(), by_name(experiment("odd", values, (Fill("table1"),))))
    [run] = found.failures
    with pytest.raises(UsageError, match=message):
        raise UsageError(run.error)


def test_numpy_numbers_are_numbers(tmp_path):
    values = {
        ("table1", "lambda", "One"): np.float32(0.5),
        ("table1", "lambda", "Two"): np.int64(1),
    }
    plugged = by_name(experiment("numpy", values, (Fill("table1"),)))
    for _ in range(2):
        found = reproduce(small_paper(), plugged, store=ResultStore(tmp_path), only=["table1"])
        assert [cell.ours for cell in found.cells()] == [0.5, 1.0]


def test_named_rows_and_columns_may_go_beyond_the_paper():
    fill = Fill("table2", ("F1, exact",), ("One",))
    plugged = by_name(experiment("more", {("table2", "F1, exact", "One"): 76.0}, (fill,)))
    table = reproduce(small_paper(), plugged).tables[1]
    assert table.rows == ("F1", "Recall", "F1, exact")
    assert cells(reproduce(small_paper(), plugged))["table2", "F1, exact", "One"].paper is None


def test_experiments_that_cannot_be_are_refused_before_any_runs():
    ran = []

    def run():
        ran.append(1)
        return {}

    first = Experiment("first", run, (Fill("table1"),))
    second = Experiment("second", run, (Fill("table1", None, ("One",)),))
    other = Experiment("other", run, (Fill("table8"),))
    with pytest.raises(UsageError, match="'first' and 'second' both fill table1, lambda, One"):
        reproduce(small_paper(), by_name(first, second))
    with pytest.raises(UsageError, match="experiment 'other': small-1999 has no 'table8'"):
        reproduce(small_paper(), by_name(other))
    with pytest.raises(UsageError, match="two experiments called 'first'"):
        by_name(first, first)
    with pytest.raises(UsageError, match="registered as 'second'"):
        reproduce(small_paper(), {"second": first})
    assert not ran


def test_two_curves_through_one_place_are_refused():
    values = {("figure1", "Three", "10"): 1.0}
    plugged = by_name(
        experiment("a", values, (Fill("figure1", rows=("Three",)),)),
        experiment("b", values, (Fill("figure1", rows=("Three",)),)),
    )
    found = reproduce(small_paper(), plugged)
    assert [run.state for run in found.runs] == ["finished", "failed"]
    assert "figure1, Three, 10 was filled by another" in found.runs[1].error


class Counted:
    """Experiments that count how often they run."""

    def __init__(self, stop_at=None):
        self.runs = []
        self.stop_at = stop_at

    def plugged(self, lam=1.0):
        return by_name(*(self._experiment(column, lam) for column in ("One", "Two")))

    def _experiment(self, column, lam):
        def run(lam):
            if column == self.stop_at:
                raise KeyboardInterrupt
            self.runs.append(column)
            return {("table1", "lambda", column): lam}

        return Experiment(column, run, (Fill("table1", columns=(column,)),), {"lam": lam})


def test_a_second_run_comes_from_the_store(tmp_path):
    counted = Counted()
    first = reproduce(small_paper(), counted.plugged(), store=ResultStore(tmp_path))
    second = reproduce(small_paper(), counted.plugged(), store=ResultStore(tmp_path))
    assert counted.runs == ["One", "Two"]
    assert [run.state for run in second.runs] == ["cached", "cached"]
    assert [run.seconds for run in second.runs] == [run.seconds for run in first.runs]
    assert first.tables == second.tables
    reproduce(small_paper(), counted.plugged(lam=2.0), store=ResultStore(tmp_path))
    assert len(counted.runs) == 4
    reproduce(small_paper(), counted.plugged(), store=ResultStore(tmp_path, refresh=True))
    assert len(counted.runs) == 6
    reproduce(small_paper(), counted.plugged())
    assert len(counted.runs) == 8


def test_ctrl_c_loses_nothing_that_was_finished(tmp_path):
    interrupted, store = Counted(stop_at="Two"), ResultStore(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        reproduce(small_paper(), interrupted.plugged(), store=store)
    again = Counted()
    found = reproduce(small_paper(), again.plugged(), store=store)
    assert again.runs == ["Two"]
    assert [run.state for run in found.runs] == ["cached", "finished"]


def test_failures_are_not_kept(tmp_path):
    plugged = by_name(Experiment("x", fail, (Fill("table1"),)))
    for _ in range(2):
        [run] = reproduce(small_paper(), plugged, store=ResultStore(tmp_path)).runs
        assert run.state == "failed"


def test_results_that_make_no_sense_are_not_kept(tmp_path):
    plugged = by_name(experiment("x", {("table1", "lambda", "One"): -1.0}, (Fill("table1"),)))
    reproduce(small_paper(), plugged, store=ResultStore(tmp_path))
    assert ResultStore(tmp_path).seconds() == {}


def test_progress_is_told_step_by_step():
    steps = []
    reproduce(small_paper(), small_experiments(), only=["table2"], progress=steps.append)
    assert [(step.experiment, step.number, step.total, step.state) for step in steps] == [
        ("quality", 1, 2, "started"),
        ("quality", 1, 2, "finished"),
        ("broken", 2, 2, "started"),
        ("broken", 2, 2, "failed"),
    ]
    assert steps[-1].error == "RuntimeError: out of luck"


def test_mean_difference_is_judged_when_complete():
    paper = small_paper()
    row = ("table2", "F1")
    good = {(*row, "One"): 77.5, (*row, "Two"): 86.0, (*row, "A Longer Name"): 86.7}
    fill = Fill("table2", ("F1",), ("One", "Two", "A Longer Name"))
    table = reproduce(paper, by_name(experiment("x", good, (fill,)))).tables[1]
    assert table.mean_difference == pytest.approx(1 / 3)
    assert table.mean_verdict == "within"
    partly = {key: value for key, value in good.items() if key[2] != "Two"}
    table = reproduce(paper, by_name(experiment("x", partly, (fill,)))).tables[1]
    assert table.mean_verdict is None


def test_a_mean_at_its_tolerance_is_not_under_it():
    values = {
        ("table2", "F1", column): value + 0.8
        for column, value in (("One", 77.0), ("Two", 86.0), ("A Longer Name", 87.2))
    }
    fill = Fill("table2", rows=("F1",))
    table = reproduce(small_paper(), by_name(experiment("x", values, (fill,)))).tables[1]
    assert table.mean_verdict == "beyond"


def test_keys_are_plain_tuples_too():
    assert CellKey("table2", "F1", "SVM") == ("table2", "F1", "SVM")


# ------------------------------------------------------------------------- absent corpora


@pytest.fixture
def absent(monkeypatch, tmp_path):
    """A reproduction of two experiments, one of them on a corpus that is not there."""
    monkeypatch.setenv("POSTIL_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    one = {("table3", "One", "Corpus_A"): 89.0}
    plugged = by_name(
        experiment("here", one, (Fill("table3", columns=("Corpus_A",)),), corpus="demo"),
        experiment("away", {}, (Fill("table3", columns=("Corpus|B",)),), corpus="webkb"),
    )
    return reproduce(small_paper(), plugged, only=["table3"])


def test_an_absent_corpus_leaves_cells_empty_and_fails_nothing(absent):
    here, away = absent.tables[0].cells
    assert (here.ours, here.remark) == (89.0, "")
    assert (away.ours, away.error) == (None, "")
    assert "postil corpus fetch webkb" in away.remark
    assert [run.state for run in absent.runs] == ["finished", "absent"]
    assert absent.failures == ()
    assert absent.absences == {absent.runs[1].error: 1}


def test_every_rendering_tells_of_it(absent):
    assert totals(absent).endswith("; 1 not run: a corpus is absent")
    for text in (terminal_text(absent, 120), markdown_page(absent), html_page(absent)):
        assert "postil corpus fetch webkb" in text
        assert "failed" not in text.replace('class="failed"', "").replace(".failed", "")
    assert "1 experiment not run: the corpus webkb is absent" in terminal_text(absent, 120)


# ---------------------------------------------------------------------------------- listing


def test_tables_and_figures_are_listed_with_what_fills_them(tmp_path):
    found = listed(small_paper(), small_experiments(), ResultStore(tmp_path))
    assert [(each.id, each.experiments, each.seconds) for each in found] == [
        ("table1", ("lambda",), None),
        ("table2", ("quality", "broken"), None),
        ("table3", ("splits",), None),
        ("figure1", ("curve",), None),
    ]
    assert (found[1].title, found[1].where) == ("Quality", "section 2, table 2")
    with pytest.raises(UsageError, match=r"did you mean 'table1'.*Allowed: table1, table2, table3"):
        listed(small_paper(), small_experiments(), ResultStore(tmp_path), ["tabel1"])


def test_the_seconds_are_known_once_all_of_it_was_computed(tmp_path, monkeypatch):
    store = ResultStore(tmp_path)
    reproduce(small_paper(), small_experiments(), store=store)
    known = {each.id: each.seconds for each in listed(small_paper(), small_experiments(), store)}
    assert known["table2"] is None  # one of its experiments fails
    assert known["table1"] is not None
    monkeypatch.setattr(results.ResultStore, "seconds", lambda _: {"lambda": 90.0})
    (table,) = listed(small_paper(), small_experiments(), store, ["Table 1"])
    assert table.seconds == 90.0
