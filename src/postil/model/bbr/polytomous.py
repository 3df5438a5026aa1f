"""BMR's and BXR's form: a header, and for each class its weights with their features.

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
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from postil.errors import ModelFileError
from postil.model.bbr.parsed import CONSTANT_IDS, LINKS, ParsedClass, ParsedModel, refuse
from postil.model.bbr.statements import SHOWN, Statement, ignore, read_all
from postil.model.bbr.transforms import IDF, PASSED_OVER, TRANSFORMS, check_design, note_transform
from postil.model.numbered import is_number

TITLES = (
    "Bayesian Polytomous Regression",
    "Bayesian Multinomial Regression",
    "Multinomial logistic regression model format",
    "Model file produced by BMR train",
)


class _Reader:
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
_STATEMENTS: Mapping[str, Callable[[_Reader, Statement], None]] = {
    **dict.fromkeys(TRANSFORMS, _Reader.transform),
    **dict.fromkeys(sorted(_PASSED_OVER), ignore),
    "nclasses": _Reader.number_of_classes,
    "classes": _Reader.classes,
    "modelType": _Reader.model_type,
    "design": _Reader.design,
    "topicFeats": _Reader.topic_feats,
    "endofheader": _Reader.end_of_header,
    "betaClassSparse": _Reader.sparse,
    "betaDense": _Reader.dense,
    "endofbeta": _Reader.end_of_weights,
}


def read_polytomous(lines: Iterable[tuple[int, str]], source: str, title: str) -> ParsedModel:
    """Read the lines that follow the title; time and memory are linear in the weights."""
    reader = _Reader(source, title)
    return reader.finished(read_all(reader, _STATEMENTS, lines, source))
