"""Label documents by a program and keep its answers; a model may spare it what is easy.

The answers are the training documents of a model that does the same for a fraction of the cost.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import islice
from pathlib import Path

from postil.common.progress import StepProgress
from postil.corpus.document import Document
from postil.corpus.formats.columns import LABELLED_BY, UNLABELLED
from postil.corpus.formats.jsonl import json_bytes, record_of
from postil.corpus.formats.records import judged, label_probabilities
from postil.errors import UsageError
from postil.model.model import Model
from postil.train.predict import Predictor
from postil.train.programs import Labeller

try:
    import fcntl
except ImportError:  # Windows, where two runs are not kept apart
    fcntl = None  # type: ignore[assignment]

READ_BYTES = 1 << 20  # of a file that a command names
ROUTED = 512  # documents that a model decides at once
DECIMALS = 6


class Answers:
    """The answers of a command in a file, which is appended to as they come.

    Memory is some 150 bytes an answer. An answer holds for all documents with the same texts, as
    long as the command and the files that it names are the same.

    Parameters
    ----------
    path : Path
        The file; it is made if it is absent.
    command : sequence of str
        The program and its arguments.
    """

    def __init__(self, path: Path, command: Sequence[str]) -> None:
        self.path = path
        self._asked = blake2b(json.dumps([command, *map(_state, command)]).encode()).digest()
        self._places: dict[bytes, int] = {}

    def __enter__(self) -> Answers:
        try:
            self._file = self.path.open("a+b")
        except OSError as error:
            raise UsageError(f"{self.path}: cannot be written ({error.strerror})") from error
        if fcntl is not None:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                self._file.close()
                raise UsageError(
                    f"{self.path}: another postil label writes its answers here; wait for it, or "
                    "name another output"
                ) from None
        self._read()
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, document: Document) -> bool:
        return self._key(document) in self._places

    def add(self, labelled: Document) -> None:
        """Append the labels of a document, which survive whatever happens to this process."""
        key = self._key(labelled)
        answer = {"key": key.hex(), "labels": label_probabilities(labelled) or labelled.labels}
        if labelled.not_labels is not None:
            answer["not_labels"] = labelled.not_labels
        self._places[key] = self._file.seek(0, 2)
        self._file.write(json_bytes(answer) + b"\n")
        self._file.flush()

    def labelled(self, document: Document) -> Document:
        """Return a document of which there is an answer with its labels."""
        self._file.seek(self._places[self._key(document)])
        return judged(document, json.loads(self._file.readline()))

    def _read(self) -> None:
        """Find the answers, and cut off a last one that a killed process left unfinished."""
        self._file.seek(0)
        place = 0
        for line in self._file:
            if not line.endswith(b"\n"):
                self._file.truncate(place)
                break
            with suppress(ValueError, KeyError, TypeError):  # a line that somebody else wrote
                self._places[bytes.fromhex(json.loads(line)["key"])] = place
            place += len(line)

    def _key(self, document: Document) -> bytes:
        texts = json_bytes(dict(document.fields))
        return blake2b(texts, key=self._asked, digest_size=16).digest()


def _state(word: str) -> list[object]:
    """Return what tells versions of a file apart; nothing if the word of a command names none."""
    try:
        path = Path(word)
        if not path.is_file():
            return []
        if path.stat().st_size > READ_BYTES:
            return [path.stat().st_size, path.stat().st_mtime_ns]
        return [blake2b(path.read_bytes()).hexdigest()]
    except (OSError, ValueError):
        return []


@dataclass(frozen=True, slots=True)
class Router:
    """A model that labels the documents it is sure of.

    Parameters
    ----------
    predictor : Predictor
        The model.
    name : str
        Its name, which goes with its labels.
    least : float
        The least probability of a label to be sure of.
    check : callable
        Called with documents before they are decided.
    """

    predictor: Predictor
    name: str
    least: float
    check: Callable[[Sequence[Document]], None]

    @property
    def model(self) -> Model:
        """The model."""
        return self.predictor.model

    def labelled(self, documents: Sequence[Document]) -> list[Document | None]:
        """Return each document with the labels of the model; None for those it is not sure of.

        It is sure if one of the labels has the least probability; its labels come with their
        probabilities. Of a text without a term that it knows it is never sure.
        """
        self.check(documents)
        columns = self.model.vectorizer.fields.columns_of(documents)
        scores = self.predictor.scores(columns)
        unknown = self.predictor.unknown(columns, scores)
        chances = self.predictor.probabilities(scores, self.predictor.variances(columns))
        assert chances is not None  # there is no least probability without
        found: list[Document | None] = []
        for row, given in enumerate(self.predictor.given(scores)):
            labels = {self.model.names[c]: round(float(chances[row, c]), DECIMALS) for c in given}
            sure = not unknown[row] and any(chances[row, c] >= self.least for c in given)
            found.append(judged(documents[row], {"labels": labels}) if sure else None)
        return found


@dataclass(slots=True)
class Labelling:
    """Labels documents in two passes: ``ask``, then ``records``.

    Parameters
    ----------
    labeller : Labeller
        The program to ask.
    answers : Answers
        Its answers, of this run and of earlier ones.
    source : str
        The name of the program, which goes with its labels.
    router : Router, optional
        A model that labels what it is sure of.
    ask_all : bool
        Label documents that have labels, too.

    Attributes
    ----------
    labelled, routed, asked, known : int
        The documents of the last pass that had labels, were labelled by the model, were labelled
        by the program, and those of the last that were answered in an earlier run.
    failures : dict of str to str
        Why documents have no labels, by id.
    """

    labeller: Labeller
    answers: Answers
    source: str
    router: Router | None = None
    ask_all: bool = False
    labelled: int = 0
    routed: int = 0
    asked: int = 0
    known: int = 0
    failures: dict[str, str] = field(default_factory=dict)

    def ask(self, documents: Iterable[Document], progress: StepProgress, total: int) -> None:
        """Ask for the labels of the documents that need it."""
        done = 0

        def step(count: int = 1) -> None:
            nonlocal done
            done += count
            progress(f"asking {self.source}", done, total)

        def to_ask() -> Iterator[Document]:
            for document, settled, _ in self._settled(documents):
                if settled is None and document not in self.answers:
                    yield document
                    continue
                self.known += settled is None
                step()

        def answered(labelled: Document) -> None:
            self.answers.add(labelled)
            step()

        def failed(document: Document, reason: str) -> None:
            self.failures[document.id] = reason
            step()

        self.labeller.label(to_ask(), answered, failed)

    def records(self, documents: Iterable[Document]) -> Iterator[dict[str, object]]:
        """Yield the record of each document with its labels and who gave them.

        A document without an answer keeps the labels it has. If it has none, its list of
        known-negative labels is empty: nothing is known of it, and it takes no part in training.
        """
        for document, settled, source in self._settled(documents):
            if settled is not None:
                self.routed += bool(source)
                self.labelled += not source
                yield record_of(settled) | ({LABELLED_BY: source} if source else {})
            elif document in self.answers:
                self.asked += 1
                yield record_of(self.answers.labelled(document)) | {LABELLED_BY: self.source}
            else:
                reason = self.failures.get(document.id, "")
                own = document if is_labelled(document) else replace(document, not_labels=())
                yield record_of(own) | {UNLABELLED: reason}

    def _settled(
        self, documents: Iterable[Document]
    ) -> Iterator[tuple[Document, Document | None, str]]:
        """Yield each document, the same labelled without the program or None, and by whom."""
        stream = iter(documents)
        while chunk := list(islice(stream, ROUTED if self.router else 1)):
            has = [not self.ask_all and is_labelled(document) for document in chunk]
            others = [each for each, labelled in zip(chunk, has, strict=True) if not labelled]
            found = iter(self.router.labelled(others) if self.router and others else ())
            for document, labelled in zip(chunk, has, strict=True):
                if labelled:
                    yield document, document, ""
                else:
                    source = self.router.name if self.router else ""
                    yield document, next(found, None), source


def is_labelled(document: Document) -> bool:
    """Return True if anything is known of the labels of a document."""
    return bool(document.labels or document.probabilities or document.not_labels)
