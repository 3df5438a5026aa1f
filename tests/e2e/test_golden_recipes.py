"""Every recipe trains to the numbers in ``golden/recipes.json``: weights, thresholds, reports.

Where ``CI`` is set, digests are compared bit by bit, but for probabilities and for thresholds made
of them, whose last bits depend on the processor, and for recipes with LSI, whose directions depend
on the linear algebra library; elsewhere the sums beside them are compared to nine digits, with LSI
to four. Record the file again with ``POSTIL_GOLDEN=write`` and no pytest-xdist, after a change that
is meant to change numbers.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.text import Text

from postil.corpus.opening import open_corpus
from postil.evaluate import Report
from postil.evaluate.details import aimed_table, details
from postil.evaluate.rendering import FULL_COLUMNS, categories_table, footing, heading
from postil.evaluate.text_tables import as_text
from postil.recipes.recipe import load_recipe, recipe_names
from postil.train.assess import assessment
from postil.train.predict import Predictor
from postil.train.train import train

GOLDEN = Path(__file__).parents[1] / "golden" / "recipes.json"
# The choice of auto is tested in tests/train/test_auto.py.
FIXED = [name for name in recipe_names() if name != "auto"]
CORPORA = {"demo": FIXED, "reuters-modapte": ["default", "lasso-logistic", "svm"]}
CASES = [(corpus, recipe) for corpus, recipes in CORPORA.items() for recipe in recipes]
ONE_LABEL = ("mmlr-cg", "polychotomous-lasso", "polychotomous-ridge")  # take no other documents
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


def _documents(corpus: str, *, one_label: bool):
    for document in open_corpus(corpus):
        if not one_label:
            yield document
        elif document.labels:
            yield replace(document, labels=document.labels[:1])


def _summary(values) -> dict[str, object]:
    array = np.ascontiguousarray(values)
    known = array[np.isfinite(array)].astype(np.float64)
    return {
        "sha256": hashlib.sha256(array.tobytes()).hexdigest(),
        "shape": list(array.shape),
        "sums": [float(known.sum()), float(np.abs(known).sum()), float((known**2).sum())],
    }


def _numbers(report: Report) -> list[str]:
    aim = [] if report.aimed is None else [aimed_table(report.aimed, report.counts)]
    categories = categories_table(report, 10, FULL_COLUMNS)
    parts = [Text(heading(report)), *aim, *details(report), categories, Text(footing(report))]
    return NUMBER.findall(as_text(parts))


def _facts(corpus: str, name: str) -> dict[str, object]:
    recipe = load_recipe(name)
    documents = list(_documents(corpus, one_label=name in ONE_LABEL))
    model = train(documents, recipe, threads=2)
    tested = [document for document in documents if document.split == "test"]
    columns = model.vectorizer.fields.columns_of(tested)
    predictor = Predictor(model, 2)
    scores = predictor.scores(columns)
    probabilities = predictor.probabilities(scores, predictor.variances(columns))
    weights = model.weights.tocsr()
    report = _numbers(assessment(model, documents, corpus=corpus).report)
    thresholds = model.decision.thresholds
    return {
        "weights": _summary(weights.data),
        "terms": _summary(weights.indices.astype(np.int64)),
        "intercepts": _summary(model.intercepts),
        "thresholds": None if thresholds is None else _summary(thresholds),
        "probabilities": None if probabilities is None else _summary(probabilities),
        "decisions": _summary(model.decision.accept(scores)),
        "report": report,
    }


@pytest.mark.parametrize(("corpus", "recipe"), CASES)
def test_a_recipe_trains_to_the_recorded_numbers(corpus, recipe, corpus_file):
    if corpus != "demo":
        corpus_file("reuters")
    found = _facts(corpus, recipe)
    case = f"{corpus}/{recipe}"
    if os.environ.get("POSTIL_GOLDEN") == "write":
        written = json.loads(GOLDEN.read_text(encoding="utf-8")) if GOLDEN.exists() else {}
        written[case] = found
        GOLDEN.write_text(json.dumps(written, sort_keys=True, indent=1) + "\n", encoding="utf-8")
        return
    expected = json.loads(GOLDEN.read_text(encoding="utf-8"))[case]
    assert found["report"] == expected["report"]
    has_lsi = load_recipe(recipe).representation.lsi is not None
    inexact = {"probabilities"}
    if load_recipe(recipe).for_documents(False).decide.rule == "probability":
        inexact.add("thresholds")
    for name, values in expected.items():
        if not isinstance(values, dict):
            continue
        if os.environ.get("CI") and not has_lsi and name not in inexact:
            assert found[name] == values
        assert found[name]["shape"] == values["shape"]
        tolerance = 1e-4 if has_lsi else 1e-7 if name in inexact else 1e-9
        np.testing.assert_allclose(found[name]["sums"], values["sums"], rtol=tolerance, atol=1e-12)
