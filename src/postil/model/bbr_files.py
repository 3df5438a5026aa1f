"""Parse model files of BBR, BMR and BXR.

BBR writes a header, and for each topic its features and weights, the constant's last. The threshold
is of scores, not of probabilities::

    Bayesian Binary Regression ver 2
    tfMethod 0
    endofheader
    topic grain
    modelType 1 1 0 0
    design 0
    topicFeats 75 98 115
    beta 0.3 0.2 2.2 -11.0
    threshold 0.0
    endoftopic

BMR and BXR write a header, and for each class its weights with their features. Feature 0 is the
constant, and a class without weights is the reference class. Before version 2.5 a class has all its
weights in a row, the constant's last: ``betaDense 0 0.3 0.2 2.2 -11.0``, with the features in
``topicFeats`` and classes numbered from 0::

    Bayesian Polytomous Regression model file ver 2.5
    classes 1 2 3
    endofheader
    betaClassSparse 1 0:-0.5 75:0.3 98:0.2
    betaClassSparse 2 0:0.1 115:2.2

BXR also writes one weight a line: the model's name, the class, the feature, the weight. A first
line ``@allmodels CLASS`` names a reference class::

    Sparse Model File ver 1
    mine 1 @constant -0.5
    mine 1 75 0.3
    mine 2 98 0.2
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from postil.common.suggest import advice
from postil.errors import ModelFileError
from postil.model.numbered import is_number

# The constant's name and number in model files, and the number that some of them have instead.
CONSTANT_IDS = frozenset({"@constant", "0", "-1"})
LINKS: Mapping[str, str] = {"0": "probit", "1": "logistic", "2": "SVM"}
LOGISTIC = "logistic"
SHOWN = 40
MOST_DIGITS = 10
UNNAMED = "1"
WRONG_COUNT = "there are {} weights for {} features and the constant"
# A threshold beyond this means never, or always.
INFINITE = 1e300

TRANSFORMS = {
    "tfMethod": "the logarithm of counts was taken (tfMethod {})",
    "idfMethod": "weights were multiplied by an idf (idfMethod {})",
    "cosineNormalize": "vectors were divided by their norm (cosineNormalize {})",
}
_BOTH = {*TRANSFORMS, "featRestrict", "featRestrictRange", "nclasses", "idf", "endofheader"}
_BOTH |= {"modelType", "design", "topicFeats", "nDesignParams", "modelname", "topic", "threshold"}
BINARY_KEYWORDS = _BOTH | {"beta", "endoftopic", "ngroups", "betaHierSparse"}
POLYTOMOUS_KEYWORDS = _BOTH | {"classes", "betaClassSparse", "betaDense", "endofbeta"}


@dataclass(slots=True)
class ParsedClass:
    """The weights of one class by feature, without the constant."""

    weights: dict[str, float] = field(default_factory=dict)
    intercept: float = 0.0
    threshold: float = 0.0


@dataclass(slots=True)
class ParsedModel:
    """The contents of a model file: its classes by name, in order, and how they were made.

    In a ``polytomous`` model the scores of a document are compared, and exp(score) over their sum
    is a probability; otherwise each class is decided at its own threshold. ``transformed`` holds a
    sentence for each change that the program made to vectors.
    """

    polytomous: bool
    title: str
    classes: dict[str, ParsedClass] = field(default_factory=dict)
    link: str = LOGISTIC
    transformed: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Statement:
    """A keyword with the words after it, and its place in the file."""

    source: str
    line: int
    keyword: str
    words: list[str]

    def error(self, message: str) -> ModelFileError:
        return _error(self.source, self.line, f"{self.keyword}: {message}")

    def number(self, word: str) -> float:
        """Return a finite number; the programs write the largest one for infinity."""
        if not _is_float(word) or "_" in word or not math.isfinite(float(word)):
            raise self.error(f"{word[:SHOWN]!r} is not a finite number")
        return float(word)

    def only(self) -> str:
        """Return the one word of the statement."""
        if len(self.words) != 1:
            raise self.error(f"one word is expected, got {len(self.words)}")
        return self.words[0]

    def whole(self) -> int:
        """Return the one whole number of the statement."""
        word = self.only()
        if not (word.isascii() and word.isdigit() and len(word) <= MOST_DIGITS):
            raise self.error(
                f"{word[:SHOWN]!r} is not a whole number of at most {MOST_DIGITS} digits"
            )
        return int(word)


def _error(source: str, line: int, message: str) -> ModelFileError:
    return ModelFileError(f"{source}, line {line}: {message}")


def _is_float(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


Lines = Iterable[tuple[int, list[str]]]


def parse_model(content: bytes, source: str) -> ParsedModel:
    """Parse the bytes of a model file; time and memory are linear in the weights."""
    title, _, rest = content.partition(b"\n")
    head = title.decode("utf-8", "replace").strip()
    read = next((read for known, read in READERS.items() if head.startswith(known)), None)
    if read is None:
        raise _error(
            source,
            1,
            f"{head[:SHOWN]!r} is not the title of a model file of BBR, BMR or BXR, which begins "
            f"{next(iter(READERS))!r} or similar",
        )
    try:
        text = rest.decode("utf-8")
    except UnicodeDecodeError as error:
        at = rest.count(b"\n", 0, error.start) + 2
        raise _error(source, at, "the line is not text; the file is damaged") from None
    numbered = ((at, line.split()) for at, line in enumerate(text.split("\n"), 2))
    return read(
        ((at, words) for at, words in numbered if words and words[0][0] != "#"), source, head
    )


def _statements(lines: Lines, source: str, keywords: Iterable[str]) -> Iterator[_Statement]:
    """Cut lines into statements; a line that begins with a number continues the last one."""
    last: _Statement | None = None
    for number, words in lines:
        if words[0] in keywords:
            if last is not None:
                yield last
            last = _Statement(source, number, words[0], words[1:])
        elif last is not None and last.words and _is_float(words[0]):
            last.words += words
        else:
            keyword = words[0][:SHOWN]
            message = f"no keyword {keyword!r}{advice(keyword, sorted(keywords))}"
            raise _error(source, number, message)
    if last is not None:
        yield last


def _read_header(model: ParsedModel, statement: _Statement) -> None:
    """Take a statement that binary and polytomous models share, if it is one."""
    if statement.keyword == "design" and statement.whole() != 0:
        raise statement.error("only 0, features as they are, can be read; not interactions")
    if statement.keyword in TRANSFORMS and (method := statement.whole()):
        sentence = TRANSFORMS[statement.keyword].format(method)
        model.transformed[statement.keyword] = sentence
    if statement.keyword == "modelType":
        link = statement.words[0] if statement.words else ""
        if link not in LINKS:
            raise statement.error(f"the link {link!r} is none of {', '.join(LINKS)}")
        model.link = LINKS[link]
        if model.polytomous and model.link != LOGISTIC:
            raise statement.error(f"the link {link!r} is not 1, logistic")


def _read_binary(lines: Lines, source: str, title: str) -> ParsedModel:
    model = ParsedModel(polytomous=False, title=title)
    topic: dict[str, _Statement] = {}
    last = 1
    for statement in _statements(lines, source, BINARY_KEYWORDS):
        last = statement.line
        keyword = statement.keyword
        _read_header(model, statement)
        if keyword in ("ngroups", "betaHierSparse"):
            raise statement.error("a model of groups has weights for each group and cannot be read")
        if keyword == "nDesignParams":
            raise statement.error(
                "the file is BXRtrain's --outputformat 1, which leaves out the weights of a class; "
                "write it again with --outputformat 2"
            )
        if keyword == "endoftopic":
            _end_topic(model, topic, statement)
            topic = {}
        elif keyword in topic and keyword in ("topicFeats", "beta"):
            raise statement.error(f"is in line {topic[keyword].line} of the same topic already")
        elif keyword in ("topic", "modelname", "topicFeats", "beta", "threshold"):
            topic[keyword] = statement
    if topic.keys() & {"topic", "topicFeats", "beta"} or not model.classes:
        raise _error(source, last, "the file ends before endoftopic: it is cut short")
    return model


def _end_topic(model: ParsedModel, topic: dict[str, _Statement], end: _Statement) -> None:
    for needed in ("topicFeats", "beta"):
        if needed not in topic:
            raise end.error(f"the topic has no {needed}")
    features, beta = topic["topicFeats"], topic["beta"]
    if len(beta.words) != len(features.words) + 1:
        raise beta.error(WRONG_COUNT.format(len(beta.words), len(features.words)))
    if len(set(features.words)) != len(features.words):
        raise features.error("a feature is given twice")
    *weights, intercept = map(beta.number, beta.words)
    names = (" ".join(topic[name].words) for name in ("topic", "modelname") if name in topic)
    name = next(filter(None, names), UNNAMED)
    if name in model.classes:
        raise end.error(f"there are two topics {name!r}")
    threshold = 0.0
    if "threshold" in topic:
        threshold = topic["threshold"].number(topic["threshold"].only())
        threshold = threshold if abs(threshold) < INFINITE else threshold * math.inf
    own = dict(zip(features.words, weights, strict=True))
    model.classes[name] = ParsedClass(own, intercept, threshold)


def _read_polytomous(lines: Lines, source: str, title: str) -> ParsedModel:
    model = ParsedModel(polytomous=True, title=title)
    seen: dict[str, _Statement] = {}
    declared: list[str] = []
    count: int | None = None  # of classes numbered from 0, where they have no names
    for statement in _statements(lines, source, POLYTOMOUS_KEYWORDS):
        seen[statement.keyword] = statement
        _read_header(model, statement)
        match statement.keyword:
            case "classes":
                declared = statement.words
                if len(set(declared)) != len(declared) or len(declared) < 2:
                    raise statement.error("two or more different classes are expected")
            case "nclasses":
                count = statement.whole()
            case "betaClassSparse" | "betaDense":
                features = seen["topicFeats"].words if "topicFeats" in seen else []
                _add_class(model, statement, declared, count, features)
    last = max((statement.line for statement in seen.values()), default=1)
    found = model.classes
    if not declared and count is not None:
        if count > len(found) + 1:
            what = f"nclasses says {count}, and there are weights of {len(found)}"
            raise _error(source, last, f"{what}: only one class, the reference, may have none")
        declared = [str(number) for number in range(count)]
    model.classes = {name: found.get(name, ParsedClass()) for name in declared or found}
    absent = model.classes.keys() - found.keys()
    missing = ""
    if "endofheader" not in seen:
        missing = "endofheader"
    elif len(absent) > 1 and "endofbeta" not in seen:
        # One class at most is the reference class, to which the program gives no weights.
        shown = [name for name in declared if name in absent][:5]
        missing = f"the weights of the classes {', '.join(shown)}"
    elif len(model.classes) < 2:
        missing = "the weights of two classes"
    if missing:
        raise _error(source, last, f"the file ends before {missing}: it is cut short")
    return model


def _add_class(
    model: ParsedModel,
    statement: _Statement,
    declared: list[str],
    count: int | None,
    features: list[str],
) -> None:
    """Add the class of a statement: one of pairs, or one with a weight for each feature."""
    if not statement.words:
        raise statement.error("no class is named")
    name, *words = statement.words
    numbered = is_number(name) and int(name) < (len(declared) or count or 0)
    if statement.keyword == "betaDense":
        if not numbered:
            raise statement.error(f"there is no class number {name[:SHOWN]!r}")
        name = declared[int(name)] if declared else name
        if len(words) != len(features) + 1:
            raise statement.error(WRONG_COUNT.format(len(words), len(features)))
        pairs = list(zip((*features, "0"), words, strict=True))
    else:
        if not (name in declared if declared else count is None or numbered):
            raise statement.error(f"the class {name!r} is not among the classes")
        cut = [pair.rpartition(":") for pair in words]
        pairs = [(feature, word) for feature, _, word in cut]
        wrong = [pair for pair, (feature, _) in zip(words, pairs, strict=True) if not feature]
        if wrong:
            raise statement.error(f"{wrong[0][:SHOWN]!r} is not a feature, a colon and a weight")
    if name in model.classes:
        raise statement.error(f"the weights of class {name!r} are given twice")
    own = model.classes.setdefault(name, ParsedClass())
    for feature, word in pairs:
        _add_weight(own, statement, feature, word)


def _add_weight(own: ParsedClass, statement: _Statement, feature: str, word: str) -> None:
    value = statement.number(word)
    if feature in CONSTANT_IDS:
        own.intercept += value
    elif feature in own.weights:
        raise statement.error(f"the feature {feature} is given twice")
    else:
        own.weights[feature] = value


def _read_sparse(lines: Lines, source: str, title: str) -> ParsedModel:
    model = ParsedModel(polytomous=True, title=title)
    name = ""
    last = 1
    for last, words in lines:
        if words[0] == "@allmodels" and len(words) == 2 and not model.classes:
            model.classes[words[1]] = ParsedClass()
            continue
        if len(words) != 4:
            message = "a line must be a model's name, a class, a feature and a weight"
            raise _error(source, last, message)
        name = name or words[0]
        if words[0] != name:
            message = f"the file holds the models {name} and {words[0]}: split it, a file for each"
            raise _error(source, last, message)
        own = model.classes.setdefault(words[1], ParsedClass())
        _add_weight(own, _Statement(source, last, words[1], []), words[2], words[3])
    if len(model.classes) < 2:
        raise _error(source, last, "fewer than two classes have weights: the file is cut short")
    return model


READERS: Mapping[str, Callable[[Lines, str, str], ParsedModel]] = {
    "Bayesian Binary Regression": _read_binary,
    "Bayesian Polytomous Regression": _read_polytomous,
    "Bayesian Multinomial Regression": _read_polytomous,
    "Multinomial logistic regression model format": _read_polytomous,
    "Model file produced by BMR train": _read_polytomous,
    "Sparse Model File": _read_sparse,
}
