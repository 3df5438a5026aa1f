"""The compiled core of postil."""

from collections.abc import Callable, Sequence
import enum
from typing import Annotated, Final, overload

import numpy
import numpy.typing
from numpy.typing import NDArray


class TokenKind(enum.Enum):
    words = 0

    whole_runs = 1

    python_words = 2

    letters = 3

    compounds = 4

    whitespace = 5

    trec = 6

    chars = 7

    chars_in_words = 8

class LetterCase(enum.Enum):
    keep = 0

    lower = 1

    casefold = 2

class TokenizerOptions:
    """Normalisation of characters, and rules where tokens begin and end."""

    def __init__(self, *, kind: TokenKind, letter_case: LetterCase, fold_accents: bool = False, min_length: int = 1, gram_min: int = 1, gram_max: int = 1) -> None: ...

def tokenize(text: str | bytes, options: TokenizerOptions) -> list[str]:
    """Return the surface tokens of one text, in order."""

def count_tokens(texts: Sequence[str | bytes], options: TokenizerOptions, threads: int) -> list[int]:
    """Return the number of surface tokens of each text."""

class TermFrequency(enum.Enum):
    binary = 0

    counts = 1

    log = 2

class Norm(enum.Enum):
    none = 0

    l1 = 1

    l2 = 2

class Weighting:
    """Conversion of counts to weights."""

    def __init__(self, *, frequency: TermFrequency, norm: Norm, idf: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, unseen_idf: float = 0.0, constant: bool = False) -> None: ...

class Reading:
    """
    A column of texts, the space of its terms, and how they are made: the number of a word map, and the sizes of word n-grams.
    """

    def __init__(self, *, column: int, space: int, options: TokenizerOptions, word_map: int | None = None, grams: tuple[int, int] = (1, 1)) -> None: ...

class Batch:
    """Counted terms of several documents."""

    @property
    def documents(self) -> int: ...

    def rename_words(self, word_maps: Sequence[Callable[[list[str]], list[str | None]]], threads: int) -> None:
        """
        Rename or drop every distinct word of the readings that have a word map.
        """

    def form_grams(self, threads: int) -> None:
        """Convert sequences of words to n-gram counts."""

def count_texts(columns: Sequence[Sequence[str | bytes]], readings: Sequence[Reading], tallies: bool, threads: int) -> Batch:
    """
    Count the tokens of documents given as columns of texts, one for each field.

    tallies counts words for a TermCollector.
    """

class Vocabulary:
    """Terms in rank order with a hash table."""

    def __init__(self, spaces: Sequence[int], terms: Sequence[str]) -> None: ...

    def __len__(self) -> int: ...

    def terms(self) -> list[str]:
        """Return the terms, without their spaces."""

    def spaces(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]: ...

    def matrix(self, batch: Batch, weighting: Weighting, threads: int) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float32]]:
        """
        Return the batch as CSR arrays (row starts, terms, values); it is empty afterwards.
        """

def hashed_matrix(buckets: int, batch: Batch, weighting: Weighting, threads: int) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float32]]:
    """
    Return the batch as CSR arrays with hash buckets for terms; it is empty afterwards.
    """

class Ranking:
    """Terms within the bounds, in final order."""

    def __len__(self) -> int: ...

    @property
    def documents(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]: ...

    @property
    def occurrences(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]: ...

class TermCollector:
    """Collector of terms and rows, batch by batch."""

    def __init__(self, keep_rows: bool) -> None: ...

    @property
    def documents(self) -> int: ...

    def __len__(self) -> int: ...

    def add(self, batch: Batch, threads: int, learned: Sequence[bool] = ()) -> None:
        """
        Add a batch, which is empty afterwards; only learned documents are counted.
        """

    def add_terms(self, terms: Vocabulary, documents: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], occurrences: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], document_count: int) -> None:
        """Add a vocabulary counted elsewhere."""

    def rank(self, min_documents: int, max_documents: int, min_occurrences: int, max_terms: int, threads: int) -> Ranking:
        """Filter the terms and return them in their final order."""

    def vocabulary(self, ranking: Ranking) -> Vocabulary: ...

    def matrix(self, ranking: Ranking, weighting: Weighting, threads: int) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float32]]:
        """
        Return the rows as CSR arrays (row starts, terms, values); the collector keeps none.
        """

class CopyFinder:
    """Texts that are equal, and texts that share most of their shingles."""

    def __init__(self, options: TokenizerOptions, shingle_words: int) -> None: ...

    def __len__(self) -> int: ...

    def add(self, texts: Sequence[str | bytes], threads: int) -> None:
        """Add texts after those that were added before."""

    def words(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """Return the number of words of each text."""

    def equal(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """Return the first text equal to each, but for case and white space."""

    def groups(self, similar: float, threads: int, progress: object | None = None) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """
        Return the first text of the group of near copies of each.

        progress is called with the number of finished bands.
        """

    def similarity(self, first: int, second: int) -> float:
        """Return the Jaccard similarity of the shingles of two texts."""

    BANDS: Final[int] = ...
    """(arg: object, /) -> int"""

class LossName(enum.Enum):
    squared = 0

    modified_squared = 1

    hinge = 2

    logistic = 3

    probit = 4

    perceptron = 5

    smoothed_hinge = 6

class SolverName(enum.Enum):
    primal_coordinate = 0

    dual_coordinate = 1

    smo = 2

    newton_coordinate = 3

    em = 4

    mistake_driven = 5

    dual_gradient = 6

    conjugate_gradient = 7

    smoothed_conjugate_gradient = 8

class CgDirection(enum.Enum):
    hestenes_stiefel = 0

    polak_ribiere = 1

    fletcher_reeves = 2

class CgOptions:
    """Nonlinear conjugate gradients."""

    def __init__(self) -> None: ...

    @property
    def iterations(self) -> int: ...

    @iterations.setter
    def iterations(self, arg: int, /) -> None: ...

    @property
    def tolerance(self) -> float: ...

    @tolerance.setter
    def tolerance(self, arg: float, /) -> None: ...

    @property
    def direction(self) -> CgDirection: ...

    @direction.setter
    def direction(self, arg: CgDirection, /) -> None: ...

    @property
    def restart(self) -> int: ...

    @restart.setter
    def restart(self, arg: int, /) -> None: ...

    @property
    def powell(self) -> float: ...

    @powell.setter
    def powell(self, arg: float, /) -> None: ...

    @property
    def slope_share(self) -> float: ...

    @slope_share.setter
    def slope_share(self, arg: float, /) -> None: ...

    @property
    def is_scaled(self) -> bool: ...

    @is_scaled.setter
    def is_scaled(self, arg: bool, /) -> None: ...

    @property
    def trace(self) -> bool: ...

    @trace.setter
    def trace(self, arg: bool, /) -> None: ...

class SmoothingOptions:
    """Schedule of the smoothing of the hinge."""

    def __init__(self) -> None: ...

    @property
    def first_gamma(self) -> float: ...

    @first_gamma.setter
    def first_gamma(self, arg: float, /) -> None: ...

    @property
    def gamma_step(self) -> float: ...

    @gamma_step.setter
    def gamma_step(self, arg: float, /) -> None: ...

    @property
    def gamma_growth(self) -> float: ...

    @gamma_growth.setter
    def gamma_growth(self, arg: float, /) -> None: ...

    @property
    def steps_per_gamma(self) -> int: ...

    @steps_per_gamma.setter
    def steps_per_gamma(self, arg: int, /) -> None: ...

class Intercept(enum.Enum):
    none = 0

    penalised = 1

    free = 2

class TrustRegion(enum.Enum):
    doubled = 0

    halved = 1

class Movement(enum.Enum):
    sweep = 0

    steps = 1

class PrimalOptions:
    """Primal coordinate descent."""

    def __init__(self) -> None: ...

    @property
    def sweeps(self) -> int: ...

    @sweeps.setter
    def sweeps(self, arg: int, /) -> None: ...

    @property
    def tolerance(self) -> float: ...

    @tolerance.setter
    def tolerance(self, arg: float, /) -> None: ...

    @property
    def movement(self) -> float: ...

    @movement.setter
    def movement(self, arg: float, /) -> None: ...

    @property
    def movement_of(self) -> Movement: ...

    @movement_of.setter
    def movement_of(self, arg: Movement, /) -> None: ...

    @property
    def trust_region(self) -> TrustRegion: ...

    @trust_region.setter
    def trust_region(self, arg: TrustRegion, /) -> None: ...

    @property
    def initial_reach(self) -> float: ...

    @initial_reach.setter
    def initial_reach(self, arg: float, /) -> None: ...

    @property
    def reach_slack(self) -> float: ...

    @reach_slack.setter
    def reach_slack(self, arg: float, /) -> None: ...

    @property
    def least_reach(self) -> float: ...

    @least_reach.setter
    def least_reach(self, arg: float, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def shuffle(self) -> bool: ...

    @shuffle.setter
    def shuffle(self, arg: bool, /) -> None: ...

    @property
    def constant_visits(self) -> int: ...

    @constant_visits.setter
    def constant_visits(self, arg: int, /) -> None: ...

    @property
    def truncation(self) -> float: ...

    @truncation.setter
    def truncation(self, arg: float, /) -> None: ...

    @property
    def continuation(self) -> int: ...

    @continuation.setter
    def continuation(self, arg: int, /) -> None: ...

class DualOptions:
    """Dual coordinate descent."""

    def __init__(self) -> None: ...

    @property
    def passes(self) -> int: ...

    @passes.setter
    def passes(self, arg: int, /) -> None: ...

    @property
    def tolerance(self) -> float: ...

    @tolerance.setter
    def tolerance(self, arg: float, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def shuffle(self) -> bool: ...

    @shuffle.setter
    def shuffle(self, arg: bool, /) -> None: ...

    @property
    def shrink(self) -> bool: ...

    @shrink.setter
    def shrink(self, arg: bool, /) -> None: ...

class SmoOptions:
    """Sequential minimal optimisation."""

    def __init__(self) -> None: ...

    @property
    def steps(self) -> int: ...

    @steps.setter
    def steps(self, arg: int, /) -> None: ...

    @property
    def tolerance(self) -> float: ...

    @tolerance.setter
    def tolerance(self, arg: float, /) -> None: ...

    @property
    def cache_bytes(self) -> int: ...

    @cache_bytes.setter
    def cache_bytes(self, arg: int, /) -> None: ...

    @property
    def shrink(self) -> bool: ...

    @shrink.setter
    def shrink(self, arg: bool, /) -> None: ...

class NewtonOptions:
    """Proximal Newton steps over a working set."""

    def __init__(self) -> None: ...

    @property
    def steps(self) -> int: ...

    @steps.setter
    def steps(self, arg: int, /) -> None: ...

    @property
    def tolerance(self) -> float: ...

    @tolerance.setter
    def tolerance(self, arg: float, /) -> None: ...

    @property
    def passes(self) -> int: ...

    @passes.setter
    def passes(self, arg: int, /) -> None: ...

    @property
    def least_set(self) -> int: ...

    @least_set.setter
    def least_set(self, arg: int, /) -> None: ...

class EmOptions:
    """Expectation maximisation."""

    def __init__(self) -> None: ...

    @property
    def iterations(self) -> int: ...

    @iterations.setter
    def iterations(self, arg: int, /) -> None: ...

    @property
    def tolerance(self) -> float: ...

    @tolerance.setter
    def tolerance(self, arg: float, /) -> None: ...

    @property
    def least_weight(self) -> float: ...

    @least_weight.setter
    def least_weight(self, arg: float, /) -> None: ...

    @property
    def start_variance(self) -> float: ...

    @start_variance.setter
    def start_variance(self, arg: float, /) -> None: ...

    @property
    def passes(self) -> int: ...

    @passes.setter
    def passes(self, arg: int, /) -> None: ...

class OnlineOptions:
    """Updates document by document."""

    def __init__(self) -> None: ...

    @property
    def passes(self) -> int: ...

    @passes.setter
    def passes(self, arg: int, /) -> None: ...

    @property
    def tolerance(self) -> float: ...

    @tolerance.setter
    def tolerance(self, arg: float, /) -> None: ...

    @property
    def rate(self) -> float: ...

    @rate.setter
    def rate(self, arg: float, /) -> None: ...

    @property
    def shuffle(self) -> bool: ...

    @shuffle.setter
    def shuffle(self, arg: bool, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

class Entropy(enum.Enum):
    none = 0

    unnormalised = 1

    normalised = 2

class EntropyPrior:
    """Entropy prior of Winnow weights."""

    def __init__(self) -> None: ...

    @property
    def kind(self) -> Entropy: ...

    @kind.setter
    def kind(self, arg: Entropy, /) -> None: ...

    @property
    def mu(self) -> float: ...

    @mu.setter
    def mu(self, arg: float, /) -> None: ...

    @property
    def positive(self) -> bool: ...

    @positive.setter
    def positive(self, arg: bool, /) -> None: ...

    @property
    def threshold(self) -> float: ...

    @threshold.setter
    def threshold(self, arg: float, /) -> None: ...

    @property
    def total(self) -> float: ...

    @total.setter
    def total(self, arg: float, /) -> None: ...

    def value(self, weight: float) -> float: ...

    def slope(self, weight: float) -> float: ...

    def weight(self, exponent: float) -> float: ...

    def conjugate(self, exponent: float) -> float: ...

class LearnOptions:
    """Loss, solver, intercept and their options."""

    def __init__(self) -> None: ...

    @property
    def loss(self) -> LossName: ...

    @loss.setter
    def loss(self, arg: LossName, /) -> None: ...

    @property
    def solver(self) -> SolverName: ...

    @solver.setter
    def solver(self, arg: SolverName, /) -> None: ...

    @property
    def intercept(self) -> Intercept: ...

    @intercept.setter
    def intercept(self, arg: Intercept, /) -> None: ...

    @property
    def constant(self) -> float: ...

    @constant.setter
    def constant(self, arg: float, /) -> None: ...

    @property
    def rate(self) -> float: ...

    @rate.setter
    def rate(self, arg: float, /) -> None: ...

    @property
    def printed_bound(self) -> bool: ...

    @printed_bound.setter
    def printed_bound(self, arg: bool, /) -> None: ...

    @property
    def keep_duals(self) -> bool: ...

    @keep_duals.setter
    def keep_duals(self, arg: bool, /) -> None: ...

    @property
    def primal(self) -> PrimalOptions: ...

    @primal.setter
    def primal(self, arg: PrimalOptions, /) -> None: ...

    @property
    def dual(self) -> DualOptions: ...

    @dual.setter
    def dual(self, arg: DualOptions, /) -> None: ...

    @property
    def smo(self) -> SmoOptions: ...

    @smo.setter
    def smo(self, arg: SmoOptions, /) -> None: ...

    @property
    def newton(self) -> NewtonOptions: ...

    @newton.setter
    def newton(self, arg: NewtonOptions, /) -> None: ...

    @property
    def em(self) -> EmOptions: ...

    @em.setter
    def em(self, arg: EmOptions, /) -> None: ...

    @property
    def online(self) -> OnlineOptions: ...

    @online.setter
    def online(self, arg: OnlineOptions, /) -> None: ...

    @property
    def entropy(self) -> EntropyPrior: ...

    @entropy.setter
    def entropy(self, arg: EntropyPrior, /) -> None: ...

    @property
    def gamma(self) -> float: ...

    @gamma.setter
    def gamma(self, arg: float, /) -> None: ...

    @property
    def conjugate(self) -> CgOptions: ...

    @conjugate.setter
    def conjugate(self, arg: CgOptions, /) -> None: ...

    @property
    def smoothing(self) -> SmoothingOptions: ...

    @smoothing.setter
    def smoothing(self, arg: SmoothingOptions, /) -> None: ...

def loss_at(options: LearnOptions, margins: numpy.typing.NDArray[numpy.float64]) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
    """Return value, slope and curvature of the loss at each margin."""

def loss_bound(options: LearnOptions, margin: float, distance: float) -> float:
    """Return an upper bound of the curvature within a distance of a margin."""

def loss_conjugate(options: LearnOptions, dual: float) -> float:
    """Return k(-a) for a dual variable a."""

def loss_dual_step(options: LearnOptions, dual: float, margin: float, steepness: float) -> float:
    """
    Return the dual variable a for which k'(-a) = margin + steepness (a - dual).
    """

class Stop(enum.Enum):
    certified = 0

    movement = 1

    iterations = 2

    precision = 3

class Certificate(enum.Enum):
    duality_gap = 0

    kkt_residual = 1

    mistakes = 2

class Fits:
    """Results of training, one for each category and strength."""

    def __len__(self) -> int: ...

    def weights(self, category: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """Return the non-zero weights."""

    def places(self, category: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """Return the position of each weight in the category's terms."""

    def duals(self, category: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """Return the dual variables by document; empty if the solver has none."""

    def exponents(self, category: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """Return θ by position, the constant last; empty if the solver has none."""

    def factors(self, category: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """Return the factor of each document in the weights, if known."""

    def gap_duals(self, category: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """
        Return the dual variables of the gap if the weights do not determine them.
        """

    def trace_seconds(self, category: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """Return the seconds after each step, if a trace was requested."""

    def trace_objectives(self, category: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """Return the objective after each step, if a trace was requested."""

    def intercept(self, category: int) -> float: ...

    def unit(self, category: int) -> float: ...

    def objective(self, category: int) -> float: ...

    def certificate(self, category: int) -> float: ...

    def kind(self, category: int) -> Certificate: ...

    def stop(self, category: int) -> Stop: ...

    def iterations(self, category: int) -> int: ...

    def seconds(self, category: int) -> float: ...

    def smoothing(self, category: int) -> float: ...

class Design:
    """Matrix of documents and terms, by rows and by columns."""

    def __init__(self, row_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], row_terms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], column_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], column_documents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], column_values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class Lists:
    """Lists of positions of different lengths, concatenated."""

    def __init__(self, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], places: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class TermPriors:
    """Per-term priors: common to all categories, and per category."""

    def __init__(self, common: Annotated[NDArray[numpy.float64], dict(shape=(None, 7), order='C', device='cpu', writable=False)], own: Lists, own_priors: Annotated[NDArray[numpy.float64], dict(shape=(None, 7), order='C', device='cpu', writable=False)]) -> None: ...

class Assignment:
    """Categories, their members, weights and strengths."""

    def __init__(self, members: Lists, document_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], member_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], other_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], strengths: Annotated[NDArray[numpy.float64], dict(shape=(None, None, 2), order='C', device='cpu', writable=False)], term_priors: TermPriors | None, starts: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], initial_exponents: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]] = []) -> None: ...

def train(design: Design, terms: Lists | None, assignment: Assignment, options: LearnOptions, threads: int, progress: object | None) -> Fits: ...

def train_by_kernel(gram: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], assignment: Assignment, options: LearnOptions, threads: int, progress: object | None) -> Fits: ...

class PolychotomousOptions:
    """Proximal Newton steps for all classes."""

    def __init__(self) -> None: ...

    @property
    def intercept(self) -> Intercept: ...

    @intercept.setter
    def intercept(self, arg: Intercept, /) -> None: ...

    @property
    def constant(self) -> float: ...

    @constant.setter
    def constant(self, arg: float, /) -> None: ...

    @property
    def steps(self) -> int: ...

    @steps.setter
    def steps(self, arg: int, /) -> None: ...

    @property
    def tolerance(self) -> float: ...

    @tolerance.setter
    def tolerance(self, arg: float, /) -> None: ...

    @property
    def passes(self) -> int: ...

    @passes.setter
    def passes(self, arg: int, /) -> None: ...

    @property
    def least_set(self) -> int: ...

    @least_set.setter
    def least_set(self, arg: int, /) -> None: ...

class Classes:
    """Labels, weights, strengths and per-term priors of all classes."""

    def __init__(self, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], documents: float, strengths: Annotated[NDArray[numpy.float64], dict(shape=(None, 2), order='C', device='cpu', writable=False)], terms: Lists | None, term_priors: TermPriors | None, reference: int) -> None: ...

class PolychotomousFit:
    """Result of training all classes."""

    def starts(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """Return the start of each class in terms and weights."""

    def terms(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]:
        """Return the terms of the non-zero weights."""

    def weights(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """Return the non-zero weights, class by class."""

    def intercepts(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """Return the intercepts by class."""

    @property
    def objective(self) -> float: ...

    @property
    def certificate(self) -> float: ...

    @property
    def kind(self) -> Certificate: ...

    @property
    def stop(self) -> Stop: ...

    @property
    def iterations(self) -> int: ...

    @property
    def seconds(self) -> float: ...

    @property
    def smoothing(self) -> float: ...

def train_polychotomous(design: Design, classes: Classes, options: PolychotomousOptions, threads: int, progress: object | None) -> PolychotomousFit: ...

class MulticlassSvmOptions:
    """Conjugate gradients on smoothed multi-class SVMs."""

    def __init__(self) -> None: ...

    @property
    def intercept(self) -> Intercept: ...

    @intercept.setter
    def intercept(self, arg: Intercept, /) -> None: ...

    @property
    def constant(self) -> float: ...

    @constant.setter
    def constant(self, arg: float, /) -> None: ...

    @property
    def conjugate(self) -> CgOptions: ...

    @conjugate.setter
    def conjugate(self, arg: CgOptions, /) -> None: ...

    @property
    def smoothing(self) -> SmoothingOptions: ...

    @smoothing.setter
    def smoothing(self, arg: SmoothingOptions, /) -> None: ...

def train_multiclass_svm(design: Design, classes: Classes, options: MulticlassSvmOptions, threads: int, progress: object | None) -> PolychotomousFit: ...

@overload
def accept(scores: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], cases: Annotated[NDArray[numpy.int8], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], steepness: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], acceptances: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]: ...

@overload
def accept(scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], cases: Annotated[NDArray[numpy.int8], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], steepness: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], acceptances: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    Write soft acceptances; return smooth TP and FP of each problem, and those of score > 0.
    """

@overload
def slopes_of(acceptances: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], cases: Annotated[NDArray[numpy.int8], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], steepness: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], by_member: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], by_other: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

@overload
def slopes_of(acceptances: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], cases: Annotated[NDArray[numpy.int8], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], steepness: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], by_member: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], by_other: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """
    Convert acceptances to slopes of the merit, in place; return their sum by problem.
    """

@overload
def margins_over_rivals(scores: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], sharpness: float, margins: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], threads: int, is_capped: bool = False, absent: int = 0) -> None: ...

@overload
def margins_over_rivals(scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], sharpness: float, margins: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int, is_capped: bool = False, absent: int = 0) -> None:
    """Write the margin of each score over those of competing categories."""

@overload
def slopes_through_rivals(scores: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], sharpness: float, slopes: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], threads: int, is_capped: bool = False, absent: int = 0) -> None: ...

@overload
def slopes_through_rivals(scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], sharpness: float, slopes: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], threads: int, is_capped: bool = False, absent: int = 0) -> None:
    """Convert slopes by the margins to slopes by the scores, in place."""

@overload
def document_products(design: Design, table: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C')]: ...

@overload
def document_products(design: Design, table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """Return (documents × terms) times (terms × problems)."""

@overload
def term_products(design: Design, table: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C')]: ...

@overload
def term_products(design: Design, table: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]:
    """Return (terms × documents) times (documents × problems)."""

def token_places(text: str | bytes, options: TokenizerOptions) -> tuple[list[str], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int64]]:
    """
    Return the surface tokens of one text, in order, and the characters [begin, end) of each.
    """

def find_terms(vocabulary: Vocabulary, spaces: Sequence[int], terms: Sequence[str]) -> numpy.typing.NDArray[numpy.int64]:
    """Return the column of each term, -1 if it is not in the vocabulary."""

def hash_terms(buckets: int, spaces: Sequence[int], terms: Sequence[str]) -> numpy.typing.NDArray[numpy.int64]:
    """Return the hash bucket of each term."""

class Scorer:
    """
    Scorer of raw texts: sums the weights of their terms for each category.

    Weights are terms by categories, compressed by term, and read in place: they must not change. A word map is called once for each word.
    """

    def __init__(self, *, terms: Vocabulary | int, readings: Sequence[Reading], weighting: Weighting, row_starts: numpy.typing.NDArray[numpy.int64], categories: numpy.typing.NDArray[numpy.int32], weights: numpy.typing.NDArray[numpy.float32], intercepts: numpy.typing.NDArray[numpy.float64], word_maps: Sequence[Callable[[list[str]], list[str | None]]] = (), most_known_words: int = 1000000) -> None: ...

    @property
    def known_words(self) -> int: ...

    @property
    def dense_terms(self) -> int: ...

    def scores(self, columns: Sequence[Sequence[str | bytes]], threads: int) -> numpy.typing.NDArray[numpy.float64]:
        """Return the score of every document for every category."""

    def top(self, columns: Sequence[Sequence[str | bytes]], kept: int, threads: int) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float64]]:
        """
        Return the best categories of every document, best first, and their scores.
        """

    def above(self, columns: Sequence[Sequence[str | bytes]], thresholds: numpy.typing.NDArray[numpy.float64], threads: int) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float64]]:
        """
        Return the scores that reach their category's threshold, as CSR arrays (row starts, categories, scores).
        """

def scan_reuters(sgml: bytes, loose_text: bool = True) -> tuple[list[tuple[int, str, str, str, str, str, str, str, str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]]], list[tuple[int, int, str]]]:
    """
    Read the <REUTERS> elements of Latin-1 SGML.

    Returns documents, each (line, newid, oldid, lewis_split, cgi_split, topics_flag, title, dateline, body, labels), labels being the tuples TOPICS, PLACES, PEOPLE, ORGS, EXCHANGES; and problems, each (byte offset, line, message). With loose_text, text directly in TEXT (except of briefs) is part of the body.
    """
