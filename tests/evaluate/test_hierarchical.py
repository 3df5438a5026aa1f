"""Hierarchical precision, recall and F1 against a computation by hand."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from postil.corpus.label_vocabulary import LabelEntry, LabelVocabulary
from postil.evaluate import measure_run

# all > science > (physics, optics < physics), all > arts > music; optics is below arts, too
LABELS = LabelVocabulary(
    [
        LabelEntry("all"),
        LabelEntry("science", broader=("all",)),
        LabelEntry("arts", broader=("all",)),
        LabelEntry("physics", broader=("science",)),
        LabelEntry("optics", broader=("physics", "arts")),
        LabelEntry("music", {"": "Music"}, broader=("arts",)),
    ]
)
NAMES = ["optics", "physics", "music", "unknown"]


def matrix(*rows):
    return sp.csr_matrix(np.array([[name in row for name in NAMES] for row in rows]))


def test_against_a_computation_by_hand():
    truth = matrix({"optics"}, {"physics", "music"}, {"unknown"}, set())
    given = matrix({"physics"}, {"music"}, {"unknown", "music"}, {"optics"})
    report = measure_run(truth, given, categories=NAMES, labels=LABELS)
    # with the labels above, without "all", which is above everything:
    #   {optics physics science arts}         {physics science}                   2 right
    #   {physics science music arts}          {music arts}                        2
    #   {unknown}                             {unknown music arts}                1
    #   {}                                    {optics physics science arts}       0
    precision, recall = 5 / (2 + 2 + 3 + 4), 5 / (4 + 4 + 1)
    assert report.hierarchical == pytest.approx(
        {
            "precision": precision,
            "recall": recall,
            "f1": 2 * precision * recall / (precision + recall),
        }
    )
    assert report.to_dict()["hierarchical"]["recall"] == pytest.approx(5 / 9)
    assert "with the labels above: F1 50.0 %, precision 45.5 %, recall 55.6 %" in report.to_text()
    assert report.micro["f1"] == pytest.approx(2 * 2 / (2 * 2 + 3 + 2))
    assert report.to_dict()["per_category"][2]["name"] == "Music"


def test_no_labels_above_no_measures():
    flat = LabelVocabulary([LabelEntry("physics")])
    for labels in (None, flat):
        report = measure_run(
            matrix({"physics"}), matrix({"music"}), categories=NAMES, labels=labels
        )
        assert report.hierarchical == {}
        assert "hierarchical" not in report.to_dict()
        assert "labels above" not in report.to_text()
