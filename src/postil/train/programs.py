"""Programs that label documents: each reads documents as lines of JSON and answers with labels.

A program gets one object a line on standard input, with ``id`` and the fields of a document. For
each it writes one object a line on standard output, with the ``id`` and ``labels``: a list, or an
object with a probability for each label; ``not_labels`` may list labels that the document does
not have. In place of labels, ``error`` says why it has none. Answers may come in any order.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

from postil.corpus.document import Document
from postil.corpus.formats.jsonl import json_bytes
from postil.corpus.formats.records import BadValueError, judged
from postil.errors import UsageError

JOBS, TIMEOUT = 4, 60.0
BATCH, QUICK = 32, 0.1
"""The most documents that a program has not answered yet. It gets more at once while it answers
within so many seconds, and a slow one gets one after the other: no process waits for another."""
LONGEST_ANSWER = 1 << 24
SHOWN = 200
LAST_LINES = 3
LAST_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Failure:
    """A document without labels.

    Parameters
    ----------
    document : Document
        The document.
    reason : str
        Why it has none.
    refused : bool
        True if the program gave the reason itself.
    """

    document: Document
    reason: str
    refused: bool = False


Answered = Callable[[Document], None]
Failed = Callable[[Failure], None]


@dataclass(frozen=True, slots=True)
class Labeller:
    """A program that labels documents, run several times at once.

    A process that printed anything but answers, ended or took too long is replaced by a fresh one,
    which gets the documents without an answer one by one. The first of them, and any that was
    answered badly, is asked about once more; the others, which may not have been read, twice.

    Parameters
    ----------
    command : sequence of str
        The program and its arguments; no shell reads them.
    jobs : int
        The number of processes.
    timeout : float
        Seconds to wait for the next answer of a process that owes one.
    """

    command: Sequence[str]
    jobs: int = JOBS
    timeout: float = TIMEOUT

    def label(self, documents: Iterable[Document], answered: Answered, failed: Failed) -> None:
        """Ask for the labels of all documents.

        At most ``jobs`` × 32 documents are held. Ctrl-C, and an error that is raised by
        ``answered`` or ``failed``, ends the programs.

        Parameters
        ----------
        documents : iterable of Document
            The documents, read once.
        answered, failed : callable
            Called with each document and its new labels, in the order of the answers, or with
            the reason why it has none after it was asked about twice.
        """
        asyncio.run(self._run(iter(documents), answered, failed))

    async def _run(self, documents: Iterator[Document], answered: Answered, failed: Failed) -> None:
        """Run all jobs; the first error ends the others, and each ends its process."""
        try:
            async with asyncio.TaskGroup() as jobs:
                for _ in range(self.jobs):
                    jobs.create_task(self._work(documents, answered, failed))
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None

    async def _work(
        self, documents: Iterator[Document], answered: Answered, failed: Failed
    ) -> None:
        """Ask one process after the other until no document is left."""
        program: Program | None = None
        again: deque[Document] = deque()
        tried: set[str] = set()
        size = 1
        try:
            while batch := [again.popleft()] if again else list(islice(documents, size)):
                batch, repeated = _distinct(batch)
                again.extend(repeated)
                program = program or await Program.start(self.command)
                began = time.monotonic()
                failures, unread = await program.ask(batch, self.timeout, answered)
                size = min(2 * size, BATCH) if time.monotonic() - began < QUICK else 1
                if program.fault:
                    await program.stop()
                    program = None
                for failure in failures:
                    if failure.document.id in tried:
                        failed(failure)
                    else:
                        tried.add(failure.document.id)
                        again.append(failure.document)
                again.extend(unread)
            if program is not None:
                await program.finish()
        finally:
            if program is not None:
                await program.stop()


def _distinct(batch: Sequence[Document]) -> tuple[list[Document], list[Document]]:
    """Return documents with ids that differ, by which answers are told apart, and the others."""
    by_id: dict[str, Document] = {}
    repeated = [each for each in batch if by_id.setdefault(each.id, each) is not each]
    return list(by_id.values()), repeated


def parsed_command(text: str) -> tuple[str, ...]:
    """Return the program and the arguments of a command line; refuse an unknown program."""
    try:
        command = tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"{text!r} is no command: {error}; close the quotes") from None
    if not command:
        raise UsageError("the command is empty; name a program that labels documents")
    if shutil.which(command[0]) is None:
        raise UsageError(
            f"{command[0]}: there is no such program, or it may not be run; the command is run "
            "without a shell: write sh -c '…' for pipes and variables"
        )
    return command


@dataclass(slots=True)
class Program:
    """A running program.

    Attributes
    ----------
    fault : str
        The reason to stop it, empty while there is none.
    """

    process: asyncio.subprocess.Process
    listening: asyncio.Task[None]
    last_lines: deque[str]
    fault: str = ""
    _answers: int = 0
    _sending: asyncio.Task[None] | None = None

    @classmethod
    async def start(cls, command: Sequence[str]) -> Program:
        """Start a program in a group of its own, which Ctrl-C in a terminal does not reach."""
        starting = asyncio.create_task(_started(command))
        try:
            # asyncio may wait for ever for a process whose start is cancelled: let it finish.
            return cls(*await asyncio.shield(starting))
        except asyncio.CancelledError:
            with suppress(OSError):
                await cls(*await starting).stop()
            raise
        except OSError as error:
            raise UsageError(f"{command[0]}: cannot be run ({error.strerror})") from error

    async def ask(
        self, batch: Sequence[Document], timeout: float, answered: Answered
    ) -> tuple[list[Failure], list[Document]]:
        """Ask for the labels of documents; return the failures, and what may not have been read.

        Programs read documents in order: of those that are left at a fault, the first one failed.
        """
        assert self.process.stdout is not None
        pending = {document.id: document for document in batch}
        failures: list[Failure] = []
        # Write while answers are read, or a full pipe would stop both sides.
        self._sending = asyncio.create_task(_write(self.process.stdin, batch))
        while pending and not self.fault:
            try:
                async with asyncio.timeout(timeout):
                    line = await self.process.stdout.readline()
            except TimeoutError:
                self.fault = f"no answer in {timeout:g} seconds"
                if not self._answers:
                    self.fault += (
                        "; let the program flush each answer, or give it more time (--timeout)"
                    )
                continue
            except ValueError:
                self.fault = f"a line of its output is longer than {LONGEST_ANSWER:,} bytes"
                continue
            if not line:
                self.fault = await self._ending()
            elif line.strip():
                failure = self._take(line, pending, answered)
                failures += [failure] if failure else []
        left = list(pending.values())
        return failures + [Failure(document, self.fault) for document in left[:1]], left[1:]

    def _take(
        self, line: bytes, pending: dict[str, Document], answered: Answered
    ) -> Failure | None:
        """Pass on the answer in a line; return its document and the reason if it has no labels."""
        try:
            answer = json.loads(line)
            document = pending.get(str(answer["id"])) if isinstance(answer, dict) else None
        except (ValueError, KeyError, RecursionError):
            document = None
        if document is None:
            shown = line[:SHOWN].decode(errors="replace").strip()
            self.fault = (
                f"printed {shown!r}, which is not an answer to a document it was asked; an answer "
                "is an object with id and labels, and messages go to standard error"
            )
            return None
        del pending[document.id]
        if answer.get("error"):
            return Failure(document, str(answer["error"])[:SHOWN], refused=True)
        try:
            labelled = judged(document, answer)
        except BadValueError as error:
            return Failure(document, f"answered badly: {error}")
        self._answers += 1
        answered(labelled)
        return None

    async def _ending(self) -> str:
        """Return how a program ended that owes answers."""
        await asyncio.wait([self.listening], timeout=1)
        try:
            async with asyncio.timeout(1):
                code = await self.process.wait()
        except TimeoutError:
            return "closed its output without an answer"
        how = f"ended with the exit code {code}" if code >= 0 else f"was ended by signal {-code}"
        said = " | ".join(self.last_lines)
        return f"{how}: {said}" if said else f"{how}, without an answer"

    async def finish(self) -> None:
        """Let the program end by itself when it has read all documents."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_SECONDS):
                await self.process.wait()

    async def stop(self) -> None:
        """End the program, and whatever it started, at once."""
        for task in (self._sending, self.listening):
            if task is not None:
                task.cancel()
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_SECONDS):
                await self.process.wait()


async def _started(
    command: Sequence[str],
) -> tuple[asyncio.subprocess.Process, asyncio.Task[None], deque[str]]:
    """Start a program; return it with the task that listens to it, and the last lines it said."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        limit=LONGEST_ANSWER,
        start_new_session=True,
        # A Python script that does not flush would keep its answers.
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    last_lines: deque[str] = deque(maxlen=LAST_LINES)
    assert process.stderr is not None
    return process, asyncio.create_task(_listen(process.stderr, last_lines)), last_lines


async def _write(stdin: asyncio.StreamWriter | None, batch: Sequence[Document]) -> None:
    """Write documents as lines. A program that has ended says so at its output."""
    assert stdin is not None
    with suppress(ConnectionError):
        for document in batch:
            stdin.write(json_bytes({**document.fields, "id": document.id}) + b"\n")
            await stdin.drain()


async def _listen(stderr: asyncio.StreamReader, last_lines: deque[str]) -> None:
    """Read what a program says to the end, and keep the last lines."""
    while True:
        try:
            line = await stderr.readline()
        except ValueError:
            continue  # a line without an end: readline has dropped it
        if not line:
            return
        if line.strip():
            last_lines.append(line[:SHOWN].decode(errors="replace").strip())
