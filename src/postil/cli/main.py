"""The door of the command line, and every way it can end.

Nothing heavy is imported here: the command line is loaded inside :func:`run`, so that Ctrl-C
ends quietly from the first moment on.
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

from postil.cli.streams import open_streams
from postil.common.escaping import visible

Code = int | str | None

STDOUT = "standard output"
FAILURE, WRONG_USAGE = 1, 2
UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
INTERRUPTED = 130  # 128 and the number of SIGINT, as shells have it
CLOSED_PIPE = 141  # 128 and that of SIGPIPE: the reader has seen enough


def run() -> None:
    """Run the command line; errors become one line on stderr and an exit code.

    0 is success, 1 failure, 2 wrong usage, 130 Ctrl-C, 141 a closed pipe. It is the last thing
    that a process does: the streams and Ctrl-C stay as it sets them.
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
        code = _ending(error, interrupted=interrupts.seen)
    interrupts.ending = True
    sys.exit(_flushed(code, *streams))


class _Interrupts:
    """Remembers Ctrl-C, whatever an import or a library makes of it on its way up.

    While the process is ``ending`` (a last line, a last flush, what runs at exit) nothing is left
    to unwind, and an exception would be shown as a bug: Ctrl-C then ends it at once.
    """

    def __init__(self) -> None:
        self.seen = False
        self.ending = False
        # Where it is ignored, as in the background, or somebody else's, it stays so.
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            with suppress(ValueError):  # not the main thread, which alone hears of signals
                signal.signal(signal.SIGINT, self)

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.ending:
            os._exit(INTERRUPTED)
        self.seen = True
        signal.default_int_handler(number, frame)


def _ending(error: BaseException, *, interrupted: bool) -> Code:
    """The exit code of what ended the command line, once the user knows; a bug is raised again."""
    # typer turns Ctrl-C and closed pipes into exits of its own, raised while it handles them.
    cause = error.__context__ if isinstance(error, SystemExit) else error
    if interrupted or isinstance(cause, KeyboardInterrupt):
        _tell("interrupted; nothing was left half-written")
        return INTERRUPTED
    if isinstance(cause, BrokenPipeError):
        return CLOSED_PIPE
    if isinstance(error, SystemExit):
        return error.code
    from postil.errors import PostilError, UsageError

    if isinstance(error, PostilError):
        _tell(str(error))
        return WRONG_USAGE if isinstance(error, UsageError) else FAILURE
    if isinstance(error, OSError):
        # A full disk, a closed terminal: nothing of ours, but no reason for a traceback.
        # Files go by their names; what has none and cannot be written is where results go.
        nameless = STDOUT if error.errno in UNWRITABLE else ""
        where = STDOUT if error.filename == "-" else str(error.filename or nameless)
        _tell(": ".join(filter(None, [where, error.strerror or str(error)])))
        return FAILURE
    raise error


def _warn(
    message: Warning | str,
    category: type[Warning],  # noqa: ARG001 - what warnings call it with
    filename: str,  # noqa: ARG001
    lineno: int,  # noqa: ARG001
    file: TextIO | None = None,  # noqa: ARG001
    line: str | None = None,  # noqa: ARG001
) -> None:
    """Show a warning as a line of its own: where in our code it arose tells a user nothing."""
    _write(f"warning: {message}")


def _tell(message: str) -> None:
    _write(f"postil: {message}")


def _write(line: str) -> None:
    if sys.stderr is None:  # closed before we were called
        return
    with suppress(OSError):  # or nobody is there to be told
        print(visible(line), file=sys.stderr, flush=True)


def _flushed(code: Code, stdout: TextIO, stderr: TextIO) -> Code:
    """Write what the streams still hold; return the exit code, a failure where that fails."""
    failures = [_unwritten(stdout), _unwritten(stderr)]
    if any(isinstance(failure, BrokenPipeError) for failure in failures):
        return CLOSED_PIPE
    if failures[0] is not None and code == 0:
        _tell(f"{STDOUT}: {failures[0].strerror}")
        return FAILURE
    return code


def _unwritten(stream: TextIO | None) -> OSError | None:
    """Return why a stream cannot be written; it is then let go, or shutdown would complain."""
    if stream is None:  # closed before we were called
        return None
    try:
        stream.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return error
    return None
