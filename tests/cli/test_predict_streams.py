"""`postil predict -` as a filter that answers each document before it waits for more."""

from __future__ import annotations

import gzip
import json
import queue
import subprocess
import sys
import threading

import pytest

from .models import small_model

WAIT = 30  # seconds, on a machine with other work to do


class Filter:
    """The command on pipes; lines of its output are waited for, but not for ever."""

    def __init__(self, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "postil", "predict", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        for line in self._process.stdout:
            self._lines.put(line)

    def send(self, data: str) -> None:
        self._process.stdin.write(data.encode())
        self._process.stdin.flush()

    def answer(self):
        return json.loads(self._lines.get(timeout=WAIT))

    def end(self) -> tuple[int, str]:
        self._process.stdin.close()
        self._reader.join(WAIT)
        told = self._process.stderr.read().decode()
        self._process.stdout.close()
        self._process.stderr.close()
        return self._process.wait(WAIT), told

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            stream.close()
        self._reader.join()


@pytest.fixture
def live(tmp_path):
    model = small_model(tmp_path / "m.postil")
    begun = []

    def start(*arguments: str) -> Filter:
        begun.append(Filter(model, "-", *arguments))
        return begun[-1]

    yield start
    for one in begun:
        one.stop()


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (("--chunk", "1", "--format", "jsonl"), ['{"text": "road"}\n', '{"text": "snow"}\n']),
        ((), ['{"text": "road"}\n', '{"text": "snow"}\n']),
        ((), ["a road\n", "some snow\n"]),
        ((), ["text,label\nroad,x\n", "snow,y\n"]),
    ],
)
def test_each_line_is_answered_when_it_comes(live, arguments, lines):
    process = live(*arguments)
    process.send(lines[0])
    assert process.answer()["labels"] == ["transport"]
    process.send(lines[1])
    assert process.answer()["labels"] == ["weather"]
    code, told = process.end()
    assert code == 0
    assert "Traceback" not in told


def test_a_header_waits_for_a_row(live):
    process = live()
    process.send("text,label\n")
    process.send("roa")
    process.send("d,x\nsnow,")
    assert process.answer() | {"probabilities": {}} == {
        "id": "line-2",
        "labels": ["transport"],
        "probabilities": {},
    }
    process.send("y\n")
    assert process.answer()["id"] == "line-3"
    assert process.end()[0] == 0


def test_a_line_without_its_end_is_the_last(live):
    process = live()
    process.send('{"text": "road"}\n{"text": "sn')
    assert process.answer()["labels"] == ["transport"]
    process.send('ow"}')
    code, told = process.end()
    assert (code, process.answer()["labels"]) == (0, ["weather"])
    assert told.count("\n") == 1


def test_a_file_gives_the_same_lines(postil, tmp_path):
    model = small_model(tmp_path / "m.postil")
    rows = [{"text": f"{'road' if i % 2 else 'snow'} {i}"} for i in range(50)]
    (tmp_path / "many.jsonl").write_text("\n".join(map(json.dumps, rows)))
    filed = postil("predict", model, "many.jsonl")
    for size in ("1", "7", "4096"):
        piped = postil(
            "predict", model, "-", "--chunk", size, stdin=(tmp_path / "many.jsonl").read_bytes()
        )
        assert (piped.code, piped.out) == (0, filed.out)
    packed = gzip.compress((tmp_path / "many.jsonl").read_bytes())
    assert postil("predict", model, "-", stdin=packed).out == filed.out
