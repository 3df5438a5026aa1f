"""Running experiments: selection, failures, the cache, Ctrl-C."""

from __future__ import annotations

import numpy as np
import pytest
from tests.papers.samples import experiment, fail, small_experiments, small_paper

from postil.errors import CorpusError, UsageError
from postil_papers.cache import CacheWarning, ResultCache
from postil_papers.cells import CellKey, Measured
from postil_papers.experiment import Experiment, Fill, by_name
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


def test_a_corpus_that_is_absent_is_told_in_its_own_words(tmp_path):
    def absent():
        raise CorpusError("the corpus reuters is absent")

    plugged = by_name(experiment("lost", {}, (Fill("table1"),), data=absent))
    found = reproduce(small_paper(), plugged, cache=ResultCache(tmp_path))
    assert {cell.error for cell in found.tables[0].cells} == {"the corpus reuters is absent"}


def test_only_runs_what_is_needed():
    asked = []
    plugged = {
        name: Experiment(
            name=name, run=lambda _, name=name: asked.append(name) or {}, fills=each.fills, code=""
        )
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
        found = reproduce(small_paper(), plugged, cache=ResultCache(tmp_path), only=["table1"])
        assert [cell.ours for cell in found.cells()] == [0.5, 1.0]


def test_named_rows_and_columns_may_go_beyond_the_paper():
    fill = Fill("table2", ("F1, exact",), ("One",))
    plugged = by_name(experiment("more", {("table2", "F1, exact", "One"): 76.0}, (fill,)))
    table = reproduce(small_paper(), plugged).tables[1]
    assert table.rows == ("F1", "Recall", "F1, exact")
    assert cells(reproduce(small_paper(), plugged))["table2", "F1, exact", "One"].paper is None


def test_experiments_that_cannot_be_are_refused_before_any_runs():
    ran = []

    def run(_):
        ran.append(1)
        return {}

    first = Experiment(name="first", run=run, fills=(Fill("table1"),), code="")
    second = Experiment(name="second", run=run, fills=(Fill("table1", None, ("One",)),), code="")
    other = Experiment(name="other", run=run, fills=(Fill("table8"),), code="")
    with pytest.raises(UsageError, match="'first' and 'second' both fill table1, lambda, One"):
        reproduce(small_paper(), by_name(first, second))
    with pytest.raises(UsageError, match="experiment 'other': small-1999 has no 'table8'"):
        reproduce(small_paper(), by_name(other))
    with pytest.raises(UsageError, match="two experiments called 'first'"):
        by_name(first, first)
    with pytest.raises(UsageError, match="plugged in as 'second'"):
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

    def plugged(self, code="1", lam=1.0):
        return by_name(*(self._experiment(column, code, lam) for column in ("One", "Two")))

    def _experiment(self, column, code, lam):
        def run(settings):
            if column == self.stop_at:
                raise KeyboardInterrupt
            self.runs.append(column)
            return {("table1", "lambda", column): settings["lam"]}

        return Experiment(
            name=column,
            run=run,
            fills=(Fill("table1", columns=(column,)),),
            settings={"lam": lam},
            data=lambda: "data",
            code=code,
        )


def test_a_second_run_comes_from_the_cache(tmp_path):
    counted, cache = Counted(), ResultCache(tmp_path)
    first = reproduce(small_paper(), counted.plugged(), cache=cache)
    second = reproduce(small_paper(), counted.plugged(), cache=cache)
    assert counted.runs == ["One", "Two"]
    assert [run.state for run in second.runs] == ["cached", "cached"]
    assert [run.seconds for run in second.runs] == [run.seconds for run in first.runs]
    assert first.tables == second.tables
    reproduce(small_paper(), counted.plugged(code="2"), cache=cache)
    reproduce(small_paper(), counted.plugged(lam=2.0), cache=cache)
    assert len(counted.runs) == 6
    reproduce(small_paper(), counted.plugged(), cache=cache, refresh=True)
    assert len(counted.runs) == 8
    reproduce(small_paper(), counted.plugged())
    assert len(counted.runs) == 10


def test_ctrl_c_loses_nothing_that_was_finished(tmp_path):
    interrupted, cache = Counted(stop_at="Two"), ResultCache(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        reproduce(small_paper(), interrupted.plugged(), cache=cache)
    again = Counted()
    found = reproduce(small_paper(), again.plugged(), cache=cache)
    assert again.runs == ["Two"]
    assert [run.state for run in found.runs] == ["cached", "finished"]


def test_failures_are_not_kept(tmp_path):
    plugged = by_name(Experiment(name="x", run=fail, fills=(Fill("table1"),), code=""))
    for _ in range(2):
        [run] = reproduce(small_paper(), plugged, cache=ResultCache(tmp_path)).runs
        assert run.state == "failed"


def test_a_kept_result_that_no_longer_fits_is_computed_again(tmp_path):
    cache = ResultCache(tmp_path)
    values = {("table1", "lambda", "One"): 1.0}
    wide = by_name(experiment("x", values, (Fill("table1"),)))
    narrow = by_name(experiment("x", {}, (Fill("table2"),)))
    reproduce(small_paper(), wide, cache=cache)
    with pytest.warns(CacheWarning, match="cached result of 'x' cannot be used"):
        found = reproduce(small_paper(), narrow, cache=cache)
    assert found.runs[0].state == "finished"


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
