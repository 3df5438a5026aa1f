"""The entry point of the command line, and its exit codes.

Nothing heavy is imported here: :func:`run` loads the commands, so that Ctrl-C ends quietly from
the first moment on.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import warnings
from contextlib import suppress
from types import FrameType
from typing import TextIO

from postil.cli.console import open_streams, say

Code = int | str | None

STDOUT = "standard output"
FAILURE, WRONG_USAGE = 1, 2
UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
INTERRUPTED = 130  # 128 and the number of SIGINT, as shells have it
CLOSED_PIPE = 141  # 128 and that of SIGPIPE: the reader has seen enough


def run() -> None:
    """Run the command line; errors become one line on stderr and an exit code.

    The code is 0 for success, 1 for a failure, 2 for wrong usage, 130 for Ctrl-C, 141 for a
    closed pipe. Call it last in a process: the streams and the handling of Ctrl-C stay changed.
    """
    interrupts = _Interrupts()
    code: Code = 0
    streams = (sys.stdout, sys.stderr)
    try:
        streams = open_streams()
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            from postil.cli.app import app

            app()
    except BaseException as error:
        interrupts.ending = True
        code = _exit_code(error, interrupted=interrupts.seen)
    interrupts.ending = True
    sys.exit(_flushed(code, *streams))


class _Interrupts:
    """Remembers Ctrl-C, even if an import or a library swallows the exception.

    While the process is ``ending`` (a last line, a last flush, exit handlers) nothing is left to
    unwind, and an exception would be shown as a bug: Ctrl-C then ends the process at once.
    """

    def __init__(self) -> None:
        self.seen = False
        self.ending = False
        # A handler that ignores Ctrl-C, as in the background, or a caller's own is left alone.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            with suppress(ValueError):  # only the main thread receives signals
                signal.signal(signal.SIGINT, self)

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.ending:
            os._exit(INTERRUPTED)
        self.seen = True
        signal.default_int_handler(number, frame)


def _exit_code(error: BaseException, *, interrupted: bool) -> Code:
    """Print why the command line ended and return its exit code; raise a bug again."""
    # typer turns Ctrl-C and closed pipes into exits of its own, raised while it handles them.
    cause = error.__context__ if isinstance(error, SystemExit) else error
    # A command that ended well took Ctrl-C as the wish to go on with what it had.
    finished = isinstance(error, SystemExit) and error.code in (0, None)
    if isinstance(cause, KeyboardInterrupt) or (interrupted and not finished):
        _report("interrupted; nothing was left half-written")
        return INTERRUPTED
    if isinstance(cause, BrokenPipeError):
        return CLOSED_PIPE
    if isinstance(error, SystemExit):
        return error.code
    from postil.errors import PostilError, UsageError

    if isinstance(error, PostilError):
        _report(str(error))
        return WRONG_USAGE if isinstance(error, UsageError) else FAILURE
    if isinstance(error, OSError):
        # A full disk or a closed terminal is no bug, and no reason for a traceback. An error of
        # writing that names no file is about standard output.
        nameless = STDOUT if error.errno in UNWRITABLE else ""
        where = STDOUT if error.filename == "-" else str(error.filename or nameless)
        _report(": ".join(filter(None, [where, error.strerror or str(error)])))
        return FAILURE
    raise error


def _warn(
    message: Warning | str,
    category: type[Warning],  # noqa: ARG001 - the signature of warnings.showwarning
    filename: str,  # noqa: ARG001
    lineno: int,  # noqa: ARG001
    file: TextIO | None = None,  # noqa: ARG001
    line: str | None = None,  # noqa: ARG001
) -> None:
    """Show a warning in a line, without the place in our code where it arose."""
    _print(f"warning: {message}")


def _report(message: str) -> None:
    _print(f"postil: {message}")


def _print(line: str) -> None:
    with suppress(OSError):  # standard error is closed or full, and there is no other place
        say(line)


def _flushed(code: Code, stdout: TextIO, stderr: TextIO) -> Code:
    """Flush the streams; return the exit code, that of a failure if they cannot be written."""
    failures = [_flush(stdout), _flush(stderr)]
    if any(isinstance(failure, BrokenPipeError) for failure in failures):
        return CLOSED_PIPE
    if failures[0] is not None and code == 0:
        _report(f"{STDOUT}: {failures[0].strerror}")
        return FAILURE
    return code


def _flush(stream: TextIO | None) -> OSError | None:
    """Flush a stream; on failure return the error and redirect the stream to nowhere.

    Otherwise Python would try again at shutdown, and complain.
    """
    if stream is None:  # closed before the start
        return None
    try:
        stream.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return error
    return None
