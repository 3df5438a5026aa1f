"""Which problems a search has, by the kind of its method."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from postil.learn.method import Method
from postil.learn.multiclass_svm_method import MulticlassSvmMethod
from postil.learn.polychotomous_method import PolychotomousMethod
from postil.learn.search_blocks import Problems
from postil.learn.search_methods import SearchedMethod
from postil.learn.search_multiclass_svm import MulticlassSvmProblems
from postil.learn.search_polychotomous import PolychotomousProblems
from postil.learn.search_problems import SearchedProblems

KINDS: Mapping[type[SearchedMethod], type[SearchedProblems]] = MappingProxyType(
    {
        Method: Problems,
        PolychotomousMethod: PolychotomousProblems,
        MulticlassSvmMethod: MulticlassSvmProblems,
    }
)


def problems_of(method: SearchedMethod) -> type[SearchedProblems]:
    """One category against the rest, or all in one problem."""
    return KINDS[type(method)]
