"""The common beginning of all comparisons with LIBLINEAR on Reuters."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from benchmarks import liblinear_peer
from benchmarks.harness import Line, Settings
from benchmarks.learning import Lesson, reuters_lesson
from postil.errors import CorpusError


def against_liblinear(
    settings: Settings, measure: Callable[[Lesson, Settings], Iterator[Line]]
) -> Iterator[Line]:
    """Measure; what is absent, LIBLINEAR or the corpus, becomes a remark on how to get it."""
    if not liblinear_peer.is_installed():
        yield f"Left out: LIBLINEAR is not installed (pip install {liblinear_peer.PACKAGE})."
        return
    try:
        lesson = reuters_lesson(settings.documents)
    except CorpusError as error:
        yield f"Left out: {error}."
        return
    yield from measure(lesson, settings)
