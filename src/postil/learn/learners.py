"""What a recipe's ``[learn]`` table can ask for, by name.

What learners of a kind answer alike.

Training for a figure of merit as a recipe asks for it.

The multi-class SVM as a recipe asks for it.

Polychotomous logistic regression as a recipe asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, Generic, NoReturn, Protocol, TypeVar

from postil.common.progress import Progress
from postil.common.suggest import advice
from postil.errors import UsageError
from postil.features.selection import Selection
from postil.learn.fit import LinearFit
from postil.learn.job import Design, Labels, SampleWeights
from postil.learn.merit.fit import fit_mfom
from postil.learn.merit.method import MFOM, TREE, MfomMethod, TreeMethod
from postil.learn.merit.trees import fit_trees
from postil.learn.method import Method
from postil.learn.multiclass_svm import MULTICLASS_SVM, MulticlassSvmMethod, fit_multiclass_svm
from postil.learn.naive_bayes import NaiveBayes
from postil.learn.one_vs_rest import check_takes_priors, fit
from postil.learn.options import find
from postil.learn.polychotomous import PolychotomousMethod, fit_polychotomous
from postil.learn.posterior import check_has_posterior, with_variances
from postil.learn.search.methods import SearchedMethod, check_unset
from postil.learn.strength import Regularization, Strengths
from postil.learn.term_priors.priors import EQUAL, VARIANCE_RULES, TermPriors, ruled_priors

ClassMethod = TypeVar("ClassMethod", "MulticlassSvmMethod", "PolychotomousMethod")


class AllClasses(Generic[ClassMethod]):
    """A learner with one problem for all classes; a document has exactly one."""

    __slots__ = ()
    method: ClassMethod

    @property
    def compares_scores(self) -> bool:
        """A score says something beside those of the other classes alone."""
        return True

    @property
    def tolerance(self) -> float:
        """How small a certificate is asked for."""
        return self.method.solver_options().tolerance

    def searched(self) -> ClassMethod:
        """The method, unless it says its own strength of regularization."""
        check_unset(self.method.regularization)
        return self.method


class WithoutTermPriors:
    """A learner that can believe nothing of single terms."""

    __slots__ = ()

    def check_takes_priors(self) -> None:
        """Refuse them, and say why."""
        raise NotImplementedError

    def priors(
        self,
        design: Design,  # noqa: ARG002 - as of all learners
        sample_weights: SampleWeights | None,  # noqa: ARG002
        given: TermPriors | None,
    ) -> TermPriors | None:
        """None; what is given is refused."""
        if given is not None:
            self.check_takes_priors()
        return None


class ForAFigure(WithoutTermPriors):
    """What learners that climb a figure of merit answer alike."""

    __slots__ = ()

    @property
    def calibrations(self) -> tuple[str, ...]:
        """None: scores are as high as the figure wants them, not log odds."""
        return ()

    @property
    def compares_scores(self) -> bool:
        """Scores are margins: above 0 is a yes for every category."""
        return False

    @property
    def tolerance(self) -> float:
        """None is asked for: a climb that stops before the top holds weights back."""
        return 0.0

    def searched(self) -> NoReturn:
        """There is none: what is climbed is the measure itself."""
        raise UsageError(
            "a search chooses the λ of a convex method, and this learner climbs a figure of merit: "
            "leave [search] out, and give lam in [learn] if weights are to be held back"
        )

    def check_takes_priors(self) -> None:
        """Refuse them."""
        raise UsageError(
            "training for a figure of merit takes no priors of single terms: use the learner linear"
        )

    def learn(
        self,
        design: Design,
        labels: Labels,
        *,
        selection: Selection | None = None,
        sample_weights: SampleWeights | None = None,
        strengths: Strengths | None = None,
        priors: TermPriors | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
        quiet: bool = False,  # noqa: ARG002 - there is nothing to warn of
    ) -> LinearFit:
        """Learn every category; strengths that a search has chosen are refused."""
        if strengths is not None:
            self.searched()
        self.priors(design, sample_weights, priors)
        fit = self.fitting()
        return fit(
            design,
            labels,
            selection=selection,
            sample_weights=sample_weights,
            threads=threads,
            progress=progress,
        )

    def fitting(self) -> Callable[..., LinearFit]:
        """What learns: a fit that knows its method."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class MfomLearner(ForAFigure):
    """Maximal figure-of-merit learning (gao-wu-lee-chua-2003)."""

    method: MfomMethod = field(default_factory=MfomMethod)

    def fitting(self) -> Callable[..., LinearFit]:
        """Training all categories for the figure."""
        return partial(fit_mfom, method=self.method)


@dataclass(frozen=True, slots=True)
class TreeLearner(ForAFigure):
    """A binary tree of linear decisions for each category (gao-wu-lee-chua-2003)."""

    method: TreeMethod = field(default_factory=TreeMethod)

    def fitting(self) -> Callable[..., LinearFit]:
        """Growing the trees of all categories."""
        return partial(fit_trees, method=self.method)


@dataclass(frozen=True, slots=True)
class MulticlassSvmLearner(AllClasses[MulticlassSvmMethod], WithoutTermPriors):
    """All classes in one SVM; a document has exactly one."""

    method: MulticlassSvmMethod = field(default_factory=MulticlassSvmMethod)

    @property
    def calibrations(self) -> tuple[str, ...]:
        """None: its scores are no probabilities."""
        return ()

    def check_takes_priors(self) -> None:
        """Refuse them."""
        raise UsageError(
            "a multi-class SVM takes no priors of single terms: use polychotomous learning"
        )

    def learn(
        self,
        design: Design,
        labels: Labels,
        *,
        selection: Selection | None = None,
        sample_weights: SampleWeights | None = None,
        strengths: Strengths | None = None,
        priors: TermPriors | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
        quiet: bool = False,
    ) -> LinearFit:
        """Learn all classes."""
        self.priors(design, sample_weights, priors)
        return fit_multiclass_svm(
            design,
            labels,
            self.method,
            selection=selection,
            sample_weights=sample_weights,
            strengths=strengths,
            threads=threads,
            progress=progress,
            quiet=quiet,
        )


@dataclass(frozen=True, slots=True)
class PolychotomousLearner(AllClasses[PolychotomousMethod]):
    """All classes in one model; a document has exactly one."""

    method: PolychotomousMethod = field(default_factory=PolychotomousMethod)

    @property
    def calibrations(self) -> tuple[str, ...]:
        """Scores of all classes together are probabilities."""
        return ("softmax",)

    def check_takes_priors(self) -> None:
        """It takes those of classes and of single terms."""

    def priors(
        self,
        design: Design,  # noqa: ARG002 - as of all learners
        sample_weights: SampleWeights | None,  # noqa: ARG002
        given: TermPriors | None,
    ) -> TermPriors | None:
        """What is believed of single terms: what is given."""
        return given

    def learn(
        self,
        design: Design,
        labels: Labels,
        *,
        selection: Selection | None = None,
        sample_weights: SampleWeights | None = None,
        strengths: Strengths | None = None,
        priors: TermPriors | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
        quiet: bool = False,
    ) -> LinearFit:
        """Learn all classes."""
        return fit_polychotomous(
            design,
            labels,
            self.method,
            selection=selection,
            sample_weights=sample_weights,
            strengths=strengths,
            priors=self.priors(design, sample_weights, priors),
            threads=threads,
            progress=progress,
            quiet=quiet,
        )


VARIANCE_RULE, POSTERIOR = "variance_rule", "posterior"
LOGISTIC, MODERATED, PROBIT = "logistic", "moderated", "probit"  # calibrations, of a later layer


class Learner(Protocol):
    """Learns the weights of all categories from a matrix."""

    @property
    def calibrations(self) -> tuple[str, ...]:
        """Those that make probabilities of what is learned as it is, the one to take first."""

    @property
    def compares_scores(self) -> bool:
        """Whether a score means nothing but beside those of the other categories."""

    @property
    def tolerance(self) -> float:
        """How small a certificate is asked for; 0 where none is."""

    def searched(self) -> SearchedMethod:
        """The method whose λ a search may choose; refused where there is none to choose."""

    def check_takes_priors(self) -> None:
        """Refuse a learner that can believe nothing of single terms."""

    def priors(
        self, design: Design, sample_weights: SampleWeights | None, given: TermPriors | None
    ) -> TermPriors | None:
        """What is believed of single terms; refused where a learner believes nothing."""

    def learn(
        self,
        design: Design,
        labels: Labels,
        *,
        selection: Selection | None = None,
        sample_weights: SampleWeights | None = None,
        strengths: Strengths | None = None,
        priors: TermPriors | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
        quiet: bool = False,
    ) -> LinearFit:
        """Learn every category; ``strengths``, one for each, are what a search has chosen.

        ``priors`` say what is believed of single terms.
        ``quiet`` leaves it to the caller to warn of fits that ran out of iterations.
        """


@dataclass(frozen=True, slots=True)
class LinearLearner:
    """A regularized linear method, one category against the rest.

    ``variance_rule`` says how wide the prior of each term is, where it is not said for the term.
    With ``posterior``, fits know how uncertain each weight is.
    """

    method: Method = field(default_factory=Method)
    variance_rule: str = EQUAL
    posterior: bool = False

    def __post_init__(self) -> None:
        find("variance rule", VARIANCE_RULES, self.variance_rule)
        if self.variance_rule != EQUAL:
            check_takes_priors(self.method)
        if self.posterior:
            check_has_posterior(self.method)

    @property
    def calibrations(self) -> tuple[str, ...]:
        """Log odds are ``logistic``; where weights have variances, ``moderated``, too.

        That comes first where few terms are kept: of many that go together each is uncertain, and
        the sum is not.
        """
        if "normal probability" in self.method.parts()[0].provides:
            return (PROBIT,)
        if not self.method.gives_probabilities:
            return ()
        if not self.posterior:
            return (LOGISTIC,)
        return (MODERATED, LOGISTIC) if self.method.share == 1.0 else (LOGISTIC, MODERATED)

    @property
    def compares_scores(self) -> bool:
        """Each category has a threshold of its own."""
        return False

    @property
    def tolerance(self) -> float:
        """How small a certificate is asked for."""
        return self.method.solver_options().tolerance

    def searched(self) -> Method:
        """The method, unless it says its own strength of regularization, or has none."""
        self.method.check_takes_strengths()
        check_unset(self.method.regularization)
        return self.method

    def check_takes_priors(self) -> None:
        """Refuse a solver that knows one prior for all terms."""
        check_takes_priors(self.method)

    def priors(
        self, design: Design, sample_weights: SampleWeights | None, given: TermPriors | None
    ) -> TermPriors | None:
        """What is believed of single terms: what is given, and else what the rule says."""
        if given is not None:
            self.check_takes_priors()
        return ruled_priors(self.variance_rule, design, sample_weights, given)

    def learn(
        self,
        design: Design,
        labels: Labels,
        *,
        selection: Selection | None = None,
        sample_weights: SampleWeights | None = None,
        strengths: Strengths | None = None,
        priors: TermPriors | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
        quiet: bool = False,
    ) -> LinearFit:
        """Learn every category."""
        believed = self.priors(design, sample_weights, priors)
        mode = fit(
            design,
            labels,
            self.method,
            selection=selection,
            sample_weights=sample_weights,
            strengths=strengths,
            priors=believed,
            threads=threads,
            progress=progress,
            quiet=quiet,
        )
        if not self.posterior:
            return mode
        return with_variances(
            mode,
            design,
            labels,
            self.method,
            selection=selection,
            sample_weights=sample_weights,
            strengths=strengths,
            priors=believed,
        )


@dataclass(frozen=True, slots=True)
class NaiveBayesLearner(WithoutTermPriors):
    """Naive Bayes in one of its two forms."""

    model: NaiveBayes = field(default_factory=NaiveBayes)

    @property
    def calibrations(self) -> tuple[str, ...]:
        """None: its scores are log odds, but of a model too naive to believe."""
        return ()

    @property
    def compares_scores(self) -> bool:
        """One-vs-rest has thresholds; multi-class suits ``best``, but may be asked for others."""
        return False

    @property
    def tolerance(self) -> float:
        """None is asked for: there is nothing to iterate."""
        return 0.0

    def searched(self) -> Method:
        """There is none: Naive Bayes is counted, not regularized."""
        raise UsageError(
            "Naive Bayes has no λ to search for: leave [search] out and give smoothing in [learn]"
        )

    def check_takes_priors(self) -> None:
        """Refuse them: there is nothing to believe of a count."""
        raise UsageError("Naive Bayes counts terms, and takes no priors of single ones")

    def learn(
        self,
        design: Design,
        labels: Labels,
        *,
        selection: Selection | None = None,
        sample_weights: SampleWeights | None = None,
        strengths: Strengths | None = None,
        priors: TermPriors | None = None,
        threads: int | None = None,  # noqa: ARG002 - over before a thread has started
        progress: Progress | None = None,  # noqa: ARG002
        quiet: bool = False,  # noqa: ARG002
    ) -> LinearFit:
        """Learn every category."""
        if strengths is not None:
            self.searched()
        self.priors(design, sample_weights, priors)
        return self.model.fit(design, labels, selection=selection, sample_weights=sample_weights)


def _parted(table: Mapping[str, Any]) -> tuple[Regularization, dict[str, Any]]:
    """What says how strongly weights are held back, and the rest."""
    strengths = _entries(Regularization)
    rest = {name: value for name, value in table.items() if name not in strengths}
    return Regularization(**{name: table[name] for name in table if name in strengths}), rest


def _entries(kind: type[SearchedMethod | Regularization]) -> set[str]:
    """What a ``[learn]`` table may say of it."""
    names = {each.name for each in fields(kind)}
    if "regularization" in names:
        return names - {"regularization"} | _entries(Regularization)
    return names


def _linear(table: Mapping[str, Any]) -> Learner:
    regularization, rest = _parted(table)
    own = {name: rest.pop(name) for name in (VARIANCE_RULE, POSTERIOR) if name in rest}
    _refuse_unknown(rest, _entries(Method) | {VARIANCE_RULE, POSTERIOR})
    return LinearLearner(Method(regularization=regularization, **rest), **own)


def _polychotomous(table: Mapping[str, Any]) -> Learner:
    regularization, rest = _parted(table)
    _refuse_unknown(rest, _entries(PolychotomousMethod))
    return PolychotomousLearner(PolychotomousMethod(regularization=regularization, **rest))


def _multiclass_svm(table: Mapping[str, Any]) -> Learner:
    regularization, rest = _parted(table)
    _refuse_unknown(rest, _entries(MulticlassSvmMethod))
    return MulticlassSvmLearner(MulticlassSvmMethod(regularization=regularization, **rest))


def _mfom(table: Mapping[str, Any]) -> Learner:
    return MfomLearner(MfomMethod(**_with_starts(table, {f.name for f in fields(MfomMethod)})))


def _tree(table: Mapping[str, Any]) -> Learner:
    return TreeLearner(TreeMethod(**_with_starts(table, {f.name for f in fields(TreeMethod)})))


def _with_starts(table: Mapping[str, Any], known: set[str]) -> dict[str, Any]:
    """The entries, with starts as a tuple: a file has a list."""
    _refuse_unknown(table, known)
    starts = {"starts": tuple(table["starts"])} if "starts" in table else {}
    return {**table, **starts}


def _naive_bayes(table: Mapping[str, Any]) -> Learner:
    _refuse_unknown(table, {f.name for f in fields(NaiveBayes)})
    return NaiveBayesLearner(NaiveBayes(**table))


LEARNERS: Mapping[str, Callable[[Mapping[str, Any]], Learner]] = {
    "linear": _linear,
    "naive-bayes": _naive_bayes,
    "polychotomous": _polychotomous,
    MULTICLASS_SVM: _multiclass_svm,
    MFOM: _mfom,
    TREE: _tree,
}


def learner_from(table: Mapping[str, Any]) -> Learner:
    """The learner that a ``[learn]`` table describes; ``learner`` names its kind."""
    rest = dict(table)
    kind = rest.pop("learner", "linear")
    if kind not in LEARNERS:
        raise UsageError(f"there is no learner {kind!r}{advice(str(kind), sorted(LEARNERS))}")
    return LEARNERS[kind](rest)


def _refuse_unknown(table: Mapping[str, Any], known: set[str]) -> None:
    for name in table:
        if name not in known:
            raise UsageError(f"[learn] has no entry {name!r}{advice(name, sorted(known))}")
