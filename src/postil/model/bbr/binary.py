"""BBR's own form: a header, and for each topic its features and weights, the constant's last.

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
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from postil.model.bbr.parsed import LINKS, ParsedClass, ParsedModel, refuse
from postil.model.bbr.statements import Statement, ignore, read_all
from postil.model.bbr.transforms import IDF, PASSED_OVER, TRANSFORMS, check_design, note_transform

TITLE = "Bayesian Binary Regression"
UNNAMED = "1"
# Beyond this a threshold stands for never, or always.
ENDLESS = 1e300


class _Reader:
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


def _hierarchical(reader: _Reader, statement: Statement) -> None:  # noqa: ARG001 - one form
    raise statement.refusal("a model of groups has weights for each group; that cannot be read")


def _of_bxr(reader: _Reader, statement: Statement) -> None:  # noqa: ARG001
    raise statement.refusal(
        "the file is BXRtrain's --outputformat 1, which leaves out the weights of a class; write "
        "it anew with --outputformat 2"
    )


_STATEMENTS: Mapping[str, Callable[[_Reader, Statement], None]] = {
    **dict.fromkeys(TRANSFORMS, _Reader.transform),
    **dict.fromkeys((*PASSED_OVER, IDF, "endofheader"), ignore),
    **dict.fromkeys(("ngroups", "betaHierSparse"), _hierarchical),
    "nDesignParams": _of_bxr,
    "modelname": _Reader.modelname,
    "topic": _Reader.topic,
    "modelType": _Reader.model_type,
    "design": _Reader.design,
    "topicFeats": _Reader.topic_feats,
    "beta": _Reader.beta,
    "threshold": _Reader.read_threshold,
    "endoftopic": _Reader.end_of_topic,
}


def read_binary(lines: Iterable[tuple[int, str]], source: str, title: str) -> ParsedModel:
    """Read the lines that follow the title; time and memory are linear in the features."""
    reader = _Reader(source, title)
    last = read_all(reader, _STATEMENTS, lines, source)
    if reader.inside or not reader.model.classes:
        raise refuse(source, last, "the file ends before endoftopic: it is cut short")
    return reader.model
