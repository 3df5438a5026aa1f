"""Documents of a hundred megabytes, and work that is stopped half-way."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from postil.vectors.vectorizer import Vectorizer
from postil.vectors.weighting import Weighting

from .samples import COUNTS

pytestmark = pytest.mark.slow

MEGABYTE = 10**6


def test_a_document_of_a_hundred_megabytes_of_words():
    text = "oil price " * (10 * MEGABYTE)
    vectorizer = Vectorizer("words lower", weighting=COUNTS, threads=2)
    matrix = vectorizer.fit_transform([text, "price"])
    assert vectorizer.vocabulary.names == ["price", "oil"]
    assert matrix.toarray().tolist() == [[10 * MEGABYTE, 10 * MEGABYTE], [1, 0]]


def test_a_document_of_a_hundred_megabytes_beyond_ascii():
    text = "öl " * (25 * MEGABYTE)
    matrix = Vectorizer("words lower", weighting=COUNTS).fit_transform([text.encode(), text[:300]])
    assert matrix.toarray().tolist() == [[25 * MEGABYTE], [100]]


def test_a_document_that_is_one_word_of_a_hundred_megabytes():
    word = "x" * (100 * MEGABYTE)
    vectorizer = Vectorizer("words", weighting=Weighting("counts", "smooth", "l2"), threads=1)
    matrix = vectorizer.fit_transform([word, word[1:], "wool"])
    assert matrix.toarray().max(axis=1).tolist() == [1.0, 1.0, 1.0]
    assert matrix.shape == (3, 3)
    assert vectorizer.transform([word[2:]]).nnz == 0


def test_a_hundred_megabytes_of_characters():
    vectorizer = Vectorizer("chars(2)", weighting=COUNTS, threads=1)
    matrix = vectorizer.fit_transform(["ab" * (50 * MEGABYTE)])
    assert vectorizer.vocabulary.names == ["ab", "ba"]
    assert matrix.sum() == 100 * MEGABYTE - 1


# Run in a process of its own: an interrupt that came too late would end the tests themselves.
# The texts are many times one string, so that minutes of work cost no memory.
INTERRUPTED = textwrap.dedent(
    """
    import os, signal, sys, threading, time
    from postil.vectors.vectorizer import Vectorizer

    signal.signal(signal.SIGINT, signal.default_int_handler)
    call, threads = sys.argv[1], int(sys.argv[2])
    text = " ".join(f"w{i * 7919 % 5003}" for i in range(150_000))
    vectorizer = Vectorizer("words lower", threads=threads).fit([text])
    sent = []

    def interrupt():
        time.sleep(0.5)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    stopper = threading.Thread(target=interrupt)
    stopper.start()
    try:
        getattr(vectorizer, call)([text] * 100_000)
    except KeyboardInterrupt:
        print("stopped", time.monotonic() - sent[0])
    stopper.join()
    assert vectorizer.transform([text]).nnz == 5003
    """
)


@pytest.mark.parametrize("call", ["fit", "fit_transform", "transform"])
@pytest.mark.parametrize("threads", ["1", "2"])
def test_an_interrupt_stops_the_native_core(call: str, threads: str):
    """It does so at once; that it does not run to the end, minutes later, is what is checked."""
    ran = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, call, threads],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.stderr == ""
    word, seconds = ran.stdout.split()
    assert word == "stopped"
    assert float(seconds) < 10
