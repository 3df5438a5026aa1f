"""What a model file of BBR, BMR or BXR says, whatever form it is written in.

The lines of a model file as statements: a keyword and its words.

What a model file says was done to vectors before they were used.

BBR's own form: a header, and for each topic its features and weights, the constant's last.

::

    Bayesian Binary Regression ver 2
    tfMethod 0
    idfMethod 0
    cosineNormalize 0
    featRestrict 75 98 115
    endofheader
    topic grain
    modelType 1 1 0 0
    design 0
    topicFeats 75 98 115
    beta 0.3 0.2 2.2 -11.0
    threshold 0.0
    endoftopic

The threshold is of scores, not of probabilities.

BMR's and BXR's form: a header, and for each class its weights with their features.

::

    Bayesian Polytomous Regression model file ver 2.5
    classes 1 2 3
    …
    endofheader
    betaClassSparse 1 0:-0.5 75:0.3 98:0.2
    betaClassSparse 2 0:0.1 115:2.2

Feature 0 is the constant. A class without weights is the reference class. Before version 2.5 a
class has all its weights in a row, the constant's last: ``betaDense 0 0.3 0.2 2.2 -11.0``, with
the features in ``topicFeats`` and classes numbered from 0 in their order.

BXR's form of one weight a line: the model's name, the class, the feature, the weight.

::

    Sparse Model File ver 1
    mine 1 @constant -0.5
    mine 1 75 0.3
    mine 2 98 0.2

A first line ``@allmodels CLASS`` names a reference class, which has no weights.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from postil.common.suggest import advice
from postil.errors import ModelFileError
from postil.model.numbered import is_number

CONSTANT = "@constant"
# The constant's number in model files, and the one that some of them have instead.
CONSTANT_IDS = frozenset({CONSTANT, "0", "-1"})

LINKS: Mapping[str, str] = {"0": "probit", "1": "logistic", "2": "SVM"}
LOGISTIC = "logistic"


@dataclass(slots=True)
class ParsedClass:
    """The weights of one class by feature, without the constant."""

    weights: dict[str, float] = field(default_factory=dict)
    intercept: float = 0.0
    threshold: float = 0.0


@dataclass(slots=True)
class ParsedModel:
    """Classes by name, in order, and how the file says they came to be.

    ``polytomous``: scores of a document are compared, exp(score) over their sum is a probability.
    Otherwise each class is decided for itself, at its threshold. ``transformed`` holds what the
    program did to vectors before it used them, where that is more than nothing.
    """

    polytomous: bool
    title: str
    classes: dict[str, ParsedClass] = field(default_factory=dict)
    link: str = LOGISTIC
    transformed: dict[str, str] = field(default_factory=dict)


def refuse(source: str, line: int, message: str) -> ModelFileError:
    """The error for a line of a model file."""
    return ModelFileError(f"{source}, line {line}: {message}")


COMMENT = "#"
SHOWN = 40
MOST_DIGITS = 10

Reader = TypeVar("Reader")


@dataclass(slots=True)
class Statement:
    """A keyword with what follows it, and where it stands."""

    source: str
    line: int
    keyword: str
    words: list[str]

    def refusal(self, message: str) -> ModelFileError:
        """The error for this statement."""
        return refuse(self.source, self.line, f"{self.keyword}: {message}")

    def number(self, word: str) -> float:
        """A finite number; programs write the largest there is for infinity."""
        try:
            value = math.nan if "_" in word else float(word)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise self.refusal(f"{word[:SHOWN]!r} is not a finite number")
        return value

    def only(self) -> str:
        """The one word that follows."""
        if len(self.words) != 1:
            raise self.refusal(f"one word is expected, and there are {len(self.words)}")
        return self.words[0]

    def whole(self) -> int:
        """The one whole number that follows."""
        word = self.only()
        if not (word.isascii() and word.isdigit() and len(word) <= MOST_DIGITS):
            raise self.refusal(
                f"{word[:SHOWN]!r} is not a whole number of at most {MOST_DIGITS} digits"
            )
        return int(word)


def statements(
    lines: Iterable[tuple[int, str]], source: str, known: Iterable[str]
) -> Iterator[Statement]:
    """Cut numbered lines into statements; one that begins with a number goes on with the last.

    Lines of comment and empty ones are passed over; a keyword that is not ``known`` is refused.
    """
    keywords = frozenset(known)
    last: Statement | None = None
    for number, line in lines:
        words = line.split()
        if not words or words[0].startswith(COMMENT):
            continue
        if words[0] in keywords:
            if last is not None:
                yield last
            last = Statement(source, number, words[0], words[1:])
        elif last is not None and last.words and _is_number(words[0]):
            last.words += words
        else:
            keyword = words[0][:SHOWN]
            raise refuse(
                source, number, f"no keyword {keyword!r}{advice(keyword, sorted(keywords))}"
            )
    if last is not None:
        yield last


def read_all(
    reader: Reader,
    takers: Mapping[str, Callable[[Reader, Statement], None]],
    lines: Iterable[tuple[int, str]],
    source: str,
) -> int:
    """Hand every statement to the taker of its keyword; the line of the last one."""
    last = 1
    for statement in statements(lines, source, takers):
        last = statement.line
        takers[statement.keyword](reader, statement)
    return last


def ignore(reader: object, statement: Statement) -> None:
    """The taker of what says nothing of the weights."""


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


TRANSFORMS = ("tfMethod", "idfMethod", "cosineNormalize")
IDF = "idf"
# Which features there were, and how many: said again by those that have weights.
PASSED_OVER = ("featRestrict", "featRestrictRange", "nclasses")

_SENTENCES = {
    "tfMethod": "the logarithm of counts was taken (tfMethod {})",
    "idfMethod": "weights were multiplied by an idf (idfMethod {})",
    "cosineNormalize": "vectors were divided by their norm (cosineNormalize {})",
}


def note_transform(model: ParsedModel, statement: Statement) -> None:
    """Keep what was done, as a sentence, where it was anything."""
    method = statement.whole()
    if method:
        model.transformed[statement.keyword] = _SENTENCES[statement.keyword].format(method)


def check_design(statement: Statement) -> None:
    """Refuse features that the program made of several."""
    if statement.whole() != 0:
        raise statement.refusal("only 0, features as they are, can be read; not interactions")


TITLE = "Bayesian Binary Regression"
UNNAMED = "1"
# Beyond this a threshold stands for never, or always.
ENDLESS = 1e300


class _BinaryReader:
    """Takes one statement after the other; a topic is complete at its end."""

    def __init__(self, source: str, title: str) -> None:
        self.source = source
        self.model = ParsedModel(polytomous=False, title=title)
        self.begin_topic()

    def begin_topic(self) -> None:
        self.name = self.model_name = ""
        self.features: Statement | None = None
        self.weights: Statement | None = None
        self.threshold = 0.0

    @property
    def inside(self) -> bool:
        """Whether a topic has begun, and not ended."""
        return self.features is not None or self.weights is not None or bool(self.name)

    def topic(self, statement: Statement) -> None:
        self.name = " ".join(statement.words)

    def modelname(self, statement: Statement) -> None:
        self.model_name = " ".join(statement.words)

    def model_type(self, statement: Statement) -> None:
        link = statement.words[0] if statement.words else ""
        if link not in LINKS:
            raise statement.refusal(f"the link {link!r} is none of {', '.join(LINKS)}")
        self.model.link = LINKS[link]

    def design(self, statement: Statement) -> None:
        check_design(statement)

    def topic_feats(self, statement: Statement) -> None:
        self._once(self.features, statement)
        self.features = statement

    def beta(self, statement: Statement) -> None:
        self._once(self.weights, statement)
        self.weights = statement

    def read_threshold(self, statement: Statement) -> None:
        value = statement.number(statement.only())
        self.threshold = value if abs(value) < ENDLESS else value * float("inf")

    def end_of_topic(self, statement: Statement) -> None:
        if self.features is None or self.weights is None:
            absent = "topicFeats" if self.features is None else "beta"
            raise statement.refusal(f"the topic has no {absent}")
        features, weights = self.features.words, self.weights.words
        if len(weights) != len(features) + 1:
            raise self.weights.refusal(
                f"there are {len(weights)} weights for {len(features)} features and the constant"
            )
        if len(set(features)) != len(features):
            raise self.features.refusal("a feature stands twice")
        *values, intercept = map(self.weights.number, weights)
        name = self.name or self.model_name or UNNAMED
        if name in self.model.classes:
            raise statement.refusal(f"there are two topics {name!r}")
        own = dict(zip(features, values, strict=True))
        self.model.classes[name] = ParsedClass(own, intercept, self.threshold)
        self.begin_topic()

    def transform(self, statement: Statement) -> None:
        note_transform(self.model, statement)

    def _once(self, before: Statement | None, statement: Statement) -> None:
        if before is not None:
            raise statement.refusal(f"stands in line {before.line} of the same topic already")


def _hierarchical(reader: _BinaryReader, statement: Statement) -> None:  # noqa: ARG001 - one form
    raise statement.refusal("a model of groups has weights for each group; that cannot be read")


def _of_bxr(reader: _BinaryReader, statement: Statement) -> None:  # noqa: ARG001
    raise statement.refusal(
        "the file is BXRtrain's --outputformat 1, which leaves out the weights of a class; write "
        "it anew with --outputformat 2"
    )


_STATEMENTS: Mapping[str, Callable[[_BinaryReader, Statement], None]] = {
    **dict.fromkeys(TRANSFORMS, _BinaryReader.transform),
    **dict.fromkeys((*PASSED_OVER, IDF, "endofheader"), ignore),
    **dict.fromkeys(("ngroups", "betaHierSparse"), _hierarchical),
    "nDesignParams": _of_bxr,
    "modelname": _BinaryReader.modelname,
    "topic": _BinaryReader.topic,
    "modelType": _BinaryReader.model_type,
    "design": _BinaryReader.design,
    "topicFeats": _BinaryReader.topic_feats,
    "beta": _BinaryReader.beta,
    "threshold": _BinaryReader.read_threshold,
    "endoftopic": _BinaryReader.end_of_topic,
}


def read_binary(lines: Iterable[tuple[int, str]], source: str, title: str) -> ParsedModel:
    """Read the lines that follow the title; time and memory are linear in the features."""
    reader = _BinaryReader(source, title)
    last = read_all(reader, _STATEMENTS, lines, source)
    if reader.inside or not reader.model.classes:
        raise refuse(source, last, "the file ends before endoftopic: it is cut short")
    return reader.model


TITLES = (
    "Bayesian Polytomous Regression",
    "Bayesian Multinomial Regression",
    "Multinomial logistic regression model format",
    "Model file produced by BMR train",
)


class _PolytomousReader:
    """Takes one statement after the other."""

    def __init__(self, source: str, title: str) -> None:
        self.source = source
        self.model = ParsedModel(polytomous=True, title=title)
        self.declared: list[str] = []
        self.count: int | None = None  # of classes numbered from 0, where they have no names
        self.features: list[str] = []
        self.ended = self.header_ended = False

    def classes(self, statement: Statement) -> None:
        if len(set(statement.words)) != len(statement.words) or len(statement.words) < 2:
            raise statement.refusal("two classes or more are expected, and none twice")
        self.declared = statement.words

    def number_of_classes(self, statement: Statement) -> None:
        self.count = statement.whole()

    def topic_feats(self, statement: Statement) -> None:
        self.features = statement.words

    def model_type(self, statement: Statement) -> None:
        link = statement.words[0] if statement.words else ""
        if LINKS.get(link) != "logistic":
            raise statement.refusal(f"the link {link!r} is not 1, logistic")

    def design(self, statement: Statement) -> None:
        check_design(statement)

    def end_of_header(self, statement: Statement) -> None:  # noqa: ARG002 - one form for all
        self.header_ended = True

    def end_of_weights(self, statement: Statement) -> None:  # noqa: ARG002
        self.ended = True

    def sparse(self, statement: Statement) -> None:
        own = self._begun(statement)
        for pair in statement.words[1:]:
            feature, colon, word = pair.rpartition(":")
            if not colon or not feature:
                raise statement.refusal(f"{pair[:SHOWN]!r} is not a feature, a colon and a weight")
            self._put(own, feature, statement.number(word), statement)

    def dense(self, statement: Statement) -> None:
        own = self._begun(statement, numbered=True)
        values = [statement.number(word) for word in statement.words[1:]]
        if len(values) != len(self.features) + 1:
            raise statement.refusal(
                f"there are {len(values)} weights for {len(self.features)} features and the "
                "constant"
            )
        for feature, value in zip((*self.features, "0"), values, strict=True):
            self._put(own, feature, value, statement)

    def transform(self, statement: Statement) -> None:
        note_transform(self.model, statement)

    def _begun(self, statement: Statement, *, numbered: bool = False) -> ParsedClass:
        """The class whose weights follow."""
        if not statement.words:
            raise statement.refusal("no class is named")
        name = self._named(statement) if numbered else statement.words[0]
        if not self._is_class(name):
            raise statement.refusal(f"the class {name!r} is not among the classes")
        if name in self.model.classes:
            raise statement.refusal(f"the weights of class {name!r} stand twice")
        return self.model.classes.setdefault(name, ParsedClass())

    def _named(self, statement: Statement) -> str:
        number = statement.words[0]
        known = len(self.declared) or self.count or 0
        if not is_number(number) or int(number) >= known:
            raise statement.refusal(f"there is no class number {number[:SHOWN]!r}")
        return self.declared[int(number)] if self.declared else number

    def _is_class(self, name: str) -> bool:
        if self.declared:
            return name in self.declared
        return self.count is None or (is_number(name) and int(name) < self.count)

    def _put(self, own: ParsedClass, feature: str, value: float, statement: Statement) -> None:
        if feature in CONSTANT_IDS:
            own.intercept += value
            return
        if feature in own.weights:
            raise statement.refusal(f"the feature {feature} stands twice")
        own.weights[feature] = value

    def finished(self, last: int) -> ParsedModel:
        if not self.header_ended:
            raise self._cut_short(last, "endofheader")
        self._name_classes(last)
        absent = [name for name in self.declared if name not in self.model.classes]
        # One class at most is the reference class, to which the program gives no weights.
        if len(absent) > 1 and not self.ended:
            raise self._cut_short(last, f"the weights of the classes {', '.join(absent[:5])}")
        found = self.model.classes
        if len(self.declared or found) < 2:
            raise self._cut_short(last, "there are weights of two classes")
        self.model.classes = {
            name: found.get(name, ParsedClass()) for name in self.declared or found
        }
        return self.model

    def _name_classes(self, last: int) -> None:
        """Name numbered classes, after what the file says of their number has proved true."""
        if self.declared or self.count is None:
            return
        found = len(self.model.classes)
        if self.count > found + 1:
            what = f"nclasses says {self.count}, and there are weights of {found}"
            raise refuse(self.source, last, f"{what}: one class, the reference, may have none")
        self.declared = [str(k) for k in range(self.count)]

    def _cut_short(self, line: int, what: str) -> ModelFileError:
        return refuse(self.source, line, f"the file ends before {what}: it is cut short")


_PASSED_OVER = {*PASSED_OVER, IDF, "nDesignParams", "modelname", "topic", "threshold"}
_STATEMENTS_POLYTOMOUS: Mapping[str, Callable[[_PolytomousReader, Statement], None]] = {
    **dict.fromkeys(TRANSFORMS, _PolytomousReader.transform),
    **dict.fromkeys(sorted(_PASSED_OVER), ignore),
    "nclasses": _PolytomousReader.number_of_classes,
    "classes": _PolytomousReader.classes,
    "modelType": _PolytomousReader.model_type,
    "design": _PolytomousReader.design,
    "topicFeats": _PolytomousReader.topic_feats,
    "endofheader": _PolytomousReader.end_of_header,
    "betaClassSparse": _PolytomousReader.sparse,
    "betaDense": _PolytomousReader.dense,
    "endofbeta": _PolytomousReader.end_of_weights,
}


def read_polytomous(lines: Iterable[tuple[int, str]], source: str, title: str) -> ParsedModel:
    """Read the lines that follow the title; time and memory are linear in the weights."""
    reader = _PolytomousReader(source, title)
    return reader.finished(read_all(reader, _STATEMENTS_POLYTOMOUS, lines, source))


SPARSE_TITLE = "Sparse Model File"
ALL_MODELS = "@allmodels"


def read_sparse(lines: Iterable[tuple[int, str]], source: str, title: str) -> ParsedModel:
    """Read the lines that follow the title; time and memory are linear in the weights."""
    model = ParsedModel(polytomous=True, title=title)
    name = ""
    last = 1
    for number, line in lines:
        words = line.split()
        if not words or words[0].startswith(COMMENT):
            continue
        last = number
        if words[0] == ALL_MODELS and len(words) == 2 and not model.classes:
            model.classes[words[1]] = ParsedClass()
            continue
        if len(words) != 4:
            raise refuse(source, number, "a line is a model's name, a class, a feature, a weight")
        if name and words[0] != name:
            raise refuse(
                source,
                number,
                f"the file holds the models {name} and {words[0]}: part it into a file for each",
            )
        name = words[0]
        _take(model, Statement(source, number, words[1], words[2:]))
    if len(model.classes) < 2:
        raise refuse(source, last, "there are not two classes with weights: it is cut short")
    return model


def _take(model: ParsedModel, statement: Statement) -> None:
    feature, word = statement.words
    own = model.classes.setdefault(statement.keyword, ParsedClass())
    value = statement.number(word)
    if feature in CONSTANT_IDS:
        own.intercept += value
    elif feature in own.weights:
        raise statement.refusal(f"the feature {feature} stands twice")
    else:
        own.weights[feature] = value
