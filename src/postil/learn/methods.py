"""The methods that a recipe's ``[learn]`` table can ask for, by the name of the learner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any

from postil.common.suggest import advice
from postil.errors import UsageError
from postil.learn.all_classes import (
    MULTICLASS_SVM,
    POLYCHOTOMOUS,
    MulticlassSvmMethod,
    PolychotomousMethod,
)
from postil.learn.kernel_method import KernelMethod
from postil.learn.merit.method import MFOM, TREE, MfomMethod, TreeMethod
from postil.learn.method import BaseMethod, Method
from postil.learn.naive_bayes import NaiveBayes
from postil.learn.strength import Regularization
from postil.learn.sum_method import SumMethod

LINEAR = "linear"

METHODS: Mapping[str, type[BaseMethod]] = MappingProxyType(
    {
        LINEAR: Method,
        "naive-bayes": NaiveBayes,
        POLYCHOTOMOUS: PolychotomousMethod,
        MULTICLASS_SVM: MulticlassSvmMethod,
        MFOM: MfomMethod,
        TREE: TreeMethod,
        "kernel": KernelMethod,
        "sum": SumMethod,
    }
)


def method_from(table: Mapping[str, Any]) -> BaseMethod:
    """Return the method that a ``[learn]`` table describes; ``learner`` names its kind."""
    given = dict(table)
    name = given.pop("learner", LINEAR)
    if name not in METHODS:
        raise UsageError(f"there is no learner {name!r}{advice(str(name), sorted(METHODS))}")
    method = METHODS[name]
    known = entries(method)
    for entry in given:
        if entry not in known:
            raise UsageError(f"[learn] has no entry {entry!r}{advice(entry, sorted(known))}")
    if "starts" in given:
        given["starts"] = tuple(given["starts"])  # a file has a list
    strengths = entries(Regularization) & entries(method)
    if "regularization" in _fields(method):
        own = {entry: given.pop(entry) for entry in strengths if entry in given}
        given["regularization"] = Regularization(**own)
    return method(**given)


def entries(kind: type[BaseMethod | Regularization]) -> set[str]:
    """Return the entries of ``[learn]`` that a method has."""
    names = _fields(kind)
    if "regularization" in names:
        return names - {"regularization"} | _fields(Regularization)
    return names


def _fields(kind: Any) -> set[str]:  # noqa: ANN401 - a dataclass
    return {each.name for each in fields(kind)}
