"""The results of an experiment, to and from the cache."""

from __future__ import annotations

import warnings

from postil.errors import InputError, PostilError
from postil.papers.cache import CacheWarning, Question, ResultCache
from postil.papers.canonical import Json
from postil.papers.experiment import Experiment
from postil.papers.paper import Paper
from postil.papers.results import Results, results_from_json, results_to_json


def find_answer(
    cache: ResultCache, question: Question, experiment: Experiment, paper: Paper
) -> tuple[float, Results] | None:
    """Look up seconds and results; ``None`` where they are absent or cannot be used."""
    answer = cache.get(question)
    if answer is None:
        return None
    try:
        return _unpacked(answer.result, experiment, paper)
    except PostilError as error:
        warnings.warn(
            f"the cached result of {experiment.name!r} cannot be used ({error}); "
            "computing it again",
            CacheWarning,
            stacklevel=2,
        )
        return None


def keep_answer(cache: ResultCache, question: Question, seconds: float, results: Results) -> None:
    """Keep seconds and results."""
    cache.put(question, {"seconds": seconds, "cells": results_to_json(results)})


def _unpacked(kept: Json, experiment: Experiment, paper: Paper) -> tuple[float, Results]:
    if not isinstance(kept, dict) or not isinstance(seconds := kept.get("seconds"), float):
        raise InputError("it does not tell its seconds")
    return seconds, results_from_json(kept.get("cells"), experiment, paper)
