"""`postil inspect` says how near a smooth problem is to the SVM it stands for."""

from __future__ import annotations

import pytest

from postil.cli.inspect_text import show_report
from postil.model.description import summary

REPORT = {
    "category": "a",
    "iterations": 200,
    "certificate": 1e-3,
    "kind": "duality gap",
    "stopped": "iterations",
}


def shown(capsys, reports):
    show_report({"report": summary(reports), "decision": {"notes": []}})
    return capsys.readouterr().out


def test_the_largest_is_shown(capsys):
    reports = [REPORT | {"smoothing": 0.0036}, REPORT | {"smoothing": 0.001}]
    assert summary(reports)["smoothing"] == 0.0036
    assert "the smooth problem's minimum is at most 0.0036 above the SVM's" in shown(
        capsys, reports
    )


def test_others_say_nothing_of_it(capsys):
    assert "smoothing" not in summary([REPORT])
    assert "smooth" not in shown(capsys, [REPORT])


@pytest.mark.parametrize("value", [None, "much"])
def test_what_is_no_number_is_nothing(value):
    assert "smoothing" not in summary([REPORT | {"smoothing": value}])
