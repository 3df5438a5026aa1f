"""Word steps: asked once for each word, whoever asks, and never for a known one."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from postil.model.scoring import TextScorer
from postil.text.analyzer import Analyzer
from postil.vectors.fields import Fields
from postil.vectors.vectorizer import Vectorizer
from postil.vectors.weighting import Weighting

from .scoring_samples import FRESH, MAPPED, TRAINING, assert_scores, long_texts, scorer_of


class Listening(Analyzer):
    """Notes the words its steps are asked for."""

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        self.asked: list[list[str]] = []

    @property
    def word_map(self):
        steps = Analyzer(self.spec).word_map

        def ask(words: list[str]) -> list[str | None]:
            self.asked.append(words)
            return steps(words)

        return ask


def listening_scorer(**choices: object) -> tuple[TextScorer, list[list[str]]]:
    analyzer = Listening(MAPPED)
    vectorizer = Vectorizer(analyzer, weighting=Weighting.named("glm2004"), **choices)
    scorer = scorer_of(vectorizer.fit(TRAINING))
    analyzer.asked.clear()
    return scorer, analyzer.asked


@pytest.mark.parametrize("threads", [1, 3])
def test_a_word_is_asked_for_once(threads: int):
    scorer, asked = listening_scorer(threads=threads)
    scorer.scores(["wool the ferries", "Ferries wool", ""])
    assert [sorted(words) for words in asked] == [["ferries", "the", "wool"]]
    scorer.scores(["THE ferries", "wool wool"])
    assert len(asked) == 1
    scorer.scores(["wool unheard", "the"])
    assert asked[1:] == [["unheard"]]


def test_a_word_of_two_fields_is_asked_for_once():
    fields = Fields(("title", "body"), apart=True)
    analyzer = Listening(MAPPED)
    vectorizer = Vectorizer(analyzer, fields=fields).fit({"title": TRAINING, "body": TRAINING})
    scorer = scorer_of(vectorizer)
    analyzer.asked.clear()
    scorer.scores({"title": ["wool"], "body": ["wool ferries"]})
    assert [sorted(words) for words in analyzer.asked] == [["ferries", "wool"]]


def test_beyond_the_limit_words_are_forgotten_and_scores_stay():
    vectorizer = Vectorizer(MAPPED, weighting=Weighting.named("glm2004")).fit(TRAINING)
    scorer = scorer_of(vectorizer, most_known_words=3)
    known = []
    for text in ["wool ferry", "harbour winter", "wool timetable"]:
        scorer.scores([text])
        known.append(scorer._native.known_words)
    assert known == [2, 4, 2]
    for texts in (FRESH, TRAINING, ["harbour winter"]):
        assert_scores(scorer, texts)


def test_what_a_word_step_raises_comes_out(monkeypatch: pytest.MonkeyPatch):
    analyzer = Analyzer(MAPPED)
    vectorizer = Vectorizer(analyzer).fit(TRAINING)
    answers = iter([RuntimeError("no stems today"), ["only one"], [b"bytes", "x"]])

    def ask(words: list[str]) -> list[str | None]:
        answer = next(answers, None)
        if isinstance(answer, Exception):
            raise answer
        return words if answer is None else answer

    monkeypatch.setitem(analyzer.__dict__, "word_map", ask)
    scorer = scorer_of(vectorizer)
    with pytest.raises(RuntimeError, match="no stems today"):
        scorer.scores(["wool ferry"])
    for _ in range(2):
        with pytest.raises(ValueError, match="one name of valid text, or None, for every word"):
            scorer.scores(["wool ferry"])
    assert scorer.scores(["wool ferry"]).shape == (1, 13)


@pytest.mark.parametrize("most_known_words", [0, 500, 1_000_000])
def test_many_threads_may_share_a_scorer(most_known_words: int):
    texts = long_texts()
    vectorizer = Vectorizer(MAPPED, threads=2).fit(texts[:20])
    expected = scorer_of(vectorizer).scores(texts)
    shared = scorer_of(vectorizer, most_known_words=most_known_words)
    slices = [slice(start, start + size) for size in (1, 7, 30) for start in range(0, 60, size)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda part: shared.scores(texts[part]), slices))
    for part, scores in zip(slices, found, strict=True):
        np.testing.assert_array_equal(scores, expected[part])


# In a process of its own: an interrupt that came too late would end the tests themselves. The
# texts are many times one string, so that minutes of work cost no memory.
INTERRUPTED = textwrap.dedent(
    """
    import os, signal, sys, threading, time
    import numpy as np, scipy.sparse as sp
    from postil.model.scoring import TextScorer
    from postil.vectors.vectorizer import Vectorizer

    signal.signal(signal.SIGINT, signal.default_int_handler)
    spec, threads = sys.argv[1], int(sys.argv[2])
    text = " ".join(f"w{i * 7919 % 5003}" for i in range(150_000))
    vectorizer = Vectorizer(spec, threads=threads).fit([text])
    weights = sp.csr_matrix(np.ones((2, vectorizer.columns), dtype=np.float32))
    scorer = TextScorer(vectorizer, weights, [0.0, 0.0])
    sent = []

    def interrupt():
        time.sleep(0.5)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    stopper = threading.Thread(target=interrupt)
    stopper.start()
    try:
        scorer.scores([text] * 100_000)
    except KeyboardInterrupt:
        print("stopped", time.monotonic() - sent[0])
    stopper.join()
    assert scorer.scores([text]).shape == (1, 2)
    """
)


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["words lower", "words lower stem(porter)", "words ngrams(1,2)"])
@pytest.mark.parametrize("threads", ["1", "2"])
def test_an_interrupt_stops_the_scoring(spec: str, threads: str):
    """It does so at once; that it does not run to the end, minutes later, is what is checked."""
    ran = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, spec, threads],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.stderr == ""
    word, seconds = ran.stdout.split()
    assert word == "stopped"
    assert float(seconds) < 10
