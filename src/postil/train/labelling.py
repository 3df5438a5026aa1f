"""Label documents by a program and keep its answers; a model may spare it what is easy.

The answers are the training documents of a model that does the same for a fraction of the cost.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from postil.errors import InputError, UsageError
from postil.model.model import Model
from postil.train.predict import Predictor
from postil.train.programs import Failure, Labeller

try:
    import fcntl
except ImportError:  # Windows, where two runs are not kept apart
    fcntl = None  # type: ignore[assignment]

READ_BYTES = 1 << 20  # of a file that a command names
ROUTED = 512  # documents that a model decides at once
DECIMALS = 6
MOST_FAILURES, FIRST_FAILURES = 20, 5
"""Documents without an answer, one after the other, after which a run is given up: usually, and
as long as there was no answer at all."""


class Answers:
    """The answers of a command in a file, which is appended to as they come.

    Memory is some 150 bytes an answer. An answer holds for all documents with the same texts, as
    long as the command and the files that it names are the same. A refusal is an answer; of other
    failures it is only known that there was one.

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
        self._failed: set[bytes] = set()
        self._begin = 0

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
        self._begin = self._file.seek(0, 2)
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, document: Document) -> bool:
        return self._key(document) in self._places

    def earlier(self, document: Document) -> bool:
        """Return True if the answer to a document was kept by an earlier run."""
        return self._places.get(self._key(document), self._begin) < self._begin

    def failed(self, document: Document) -> bool:
        """Return True if an earlier run kept that it had no answer to a document."""
        return self._key(document) in self._failed

    def add(self, labelled: Document) -> None:
        """Append the labels of a document, which survive whatever happens to this process."""
        answer = {"labels": label_probabilities(labelled) or labelled.labels}
        if labelled.not_labels is not None:
            answer["not_labels"] = labelled.not_labels
        self._places[self._key(labelled)] = self._append(labelled, answer)

    def add_failure(self, failure: Failure) -> None:
        """Append a refusal, which is an answer, or that there was none."""
        if failure.refused:
            answer = {"error": failure.reason}
            self._places[self._key(failure.document)] = self._append(failure.document, answer)
        elif not self.failed(failure.document):
            self._failed.add(self._key(failure.document))
            self._append(failure.document, {"failed": failure.reason})

    def answer(self, document: Document) -> Mapping[str, object]:
        """Return the answer to a document: its labels or an error; nothing if there is none."""
        place = self._places.get(self._key(document))
        if place is None:
            return {}
        self._file.seek(place)
        answer: dict[str, object] = json.loads(self._file.readline())
        return answer

    def _append(self, document: Document, answer: Mapping[str, object]) -> int:
        """Append an answer; return its place."""
        place = self._file.seek(0, 2)
        self._file.write(json_bytes({"key": self._key(document).hex(), **answer}) + b"\n")
        self._file.flush()
        return place

    def _read(self) -> None:
        """Find the answers, and cut off a last one that a killed process left unfinished."""
        self._file.seek(0)
        place = 0
        for line in self._file:
            if not line.endswith(b"\n"):
                self._file.truncate(place)
                break
            with suppress(ValueError, KeyError, TypeError):  # a line that somebody else wrote
                answer = json.loads(line)
                key = bytes.fromhex(answer["key"])
                if "failed" in answer:
                    self._failed.add(key)
                else:
                    self._places[key] = place
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
        by the program, and those of the last that were labelled in an earlier run.
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
    _in_a_row: list[Failure] = field(default_factory=list)
    _unexpected: int = 0

    def ask(self, documents: Iterable[Document], progress: StepProgress, total: int) -> None:
        """Ask for the labels of the documents that need it.

        Raise InputError if too many in a row have no answer, or if all that were asked about have
        none: usually the program is to blame, and what it refused is not kept as an answer.
        """
        done = 0
        useful = False

        def step(count: int = 1) -> None:
            nonlocal done
            done += count
            progress(f"asking {self.source}", done, total)

        def to_ask() -> Iterator[Document]:
            nonlocal useful
            for document, settled, source in self._settled(documents):
                if settled is None and document not in self.answers:
                    yield document
                    continue
                if settled is not None:
                    useful |= bool(source)
                elif "labels" in self.answers.answer(document):
                    useful = True
                    self.known += self.answers.earlier(document)
                step()

        def answered(labelled: Document) -> None:
            nonlocal useful
            useful = True
            self._keep_failures()
            self.answers.add(labelled)
            step()

        def failed(failure: Failure) -> None:
            self.failures[failure.document.id] = failure.reason
            self._in_a_row.append(failure)
            # What failed in an earlier run, too, does not tell that something is wrong now.
            self._unexpected += not self.answers.failed(failure.document)
            which = "last" if len(self.answers) else "first"
            if self._unexpected >= (MOST_FAILURES if which == "last" else FIRST_FAILURES):
                raise self._given_up(f"{which} {len(self._in_a_row):,} ")
            step()

        self.labeller.label(to_ask(), answered, failed)
        if self._in_a_row and not useful:
            raise self._given_up("")
        self._keep_failures()

    def _keep_failures(self) -> None:
        """Keep the failures since the last answer, refusals as answers."""
        for failure in self._in_a_row:
            self.answers.add_failure(failure)
        self._in_a_row.clear()
        self._unexpected = 0

    def _given_up(self, which: str) -> InputError:
        """Return an error with the last reason; keep the failures as what is to be asked again."""
        last = self._in_a_row[-1]
        self._in_a_row = [replace(failure, refused=False) for failure in self._in_a_row]
        self._keep_failures()
        return InputError(
            f"{self.source}: labelled none of the {which}documents; the reason for "
            f"{last.document.id!r}: {last.reason}"
        )

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
                continue
            answer = self.answers.answer(document)
            if "labels" in answer:
                self.asked += 1
                yield record_of(judged(document, answer)) | {LABELLED_BY: self.source}
            else:
                refusal = str(answer.get("error", ""))
                reason = self.failures.setdefault(document.id, refusal)
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
