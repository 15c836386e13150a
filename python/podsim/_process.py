"""pod_launch as a child that is shown, watched and stopped."""

from __future__ import annotations

import collections
import contextlib
import os
import signal
import subprocess
import sys
import threading
from typing import Callable, Iterator, Protocol, Sequence

from . import _display, _errors, _programs
from ._terminal import Terminal

_LONGEST = 200  # lines that are kept of what a job says


class _Job(Protocol):
    """A child, and the lines that it writes."""

    child: subprocess.Popen[bytes]

    def lines(self) -> Iterator[str]:
        """To their end; may be called again after an exception in between."""

    def close(self) -> None:
        """The child has ended."""


class _Piped:
    """All that it writes is lines."""

    def __init__(self, command: Sequence[str]) -> None:
        self.child = subprocess.Popen(command, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, start_new_session=True,
                                      env=_programs.environment())

    def lines(self) -> Iterator[str]:
        assert self.child.stdout is not None
        for line in self.child.stdout:
            yield line.decode(errors="replace").rstrip("\n")

    def close(self) -> None:
        assert self.child.stdout is not None
        self.child.stdout.close()


class _InTerminal:
    """It draws by itself; the lines are those of its standard error. Its session is its
    own, so that Ctrl-C reaches it through this process alone, as a signal to it does."""

    def __init__(self, command: Sequence[str], said: Callable[[str], str]) -> None:
        assert sys.stdout is not None
        self._terminal = Terminal(sys.stdout, said)
        try:
            self.child = subprocess.Popen(command, stdout=self._terminal.child_end,
                                          stderr=subprocess.PIPE, start_new_session=True,
                                          env=_programs.environment())
        except OSError:
            self._terminal.close()
            raise
        self._terminal.child_started()

    def lines(self) -> Iterator[str]:
        assert self.child.stderr is not None
        return self._terminal.lines(self.child.stderr)

    def close(self) -> None:
        self._terminal.close()


def _start(command: Sequence[str], progress: bool, said: Callable[[str], str]
           ) -> tuple[_Job, Callable[[str], None]]:
    """The child, and how its lines are shown. said: what is shown of them."""
    if progress and all(map(_display.is_terminal, (sys.stdout, sys.stderr))):
        with contextlib.suppress(OSError):  # a machine without /dev/pts
            return _InTerminal(command, said), _display.Lines(sys.stderr).show
    return _Piped(command), _display.Lines(sys.stdout if progress else None).show


def launch(arguments: Sequence[str], progress: bool, keeps: bool = True,
           watching: Callable[[int], contextlib.AbstractContextManager[None]] | None = None
           ) -> None:
    """Waits for the job. Ctrl-C drains it first, as in a terminal: what it saved
    stays. Raises PodsimError with the cause if it failed. keeps: whether its checkpoints
    outlast the call; watching: entered with the number of its process."""
    command = [str(_programs.find("pod_launch")), *arguments]
    said = str if keeps else _display.of_a_call
    with _ended_after_the_job() as ending:
        job, show = _start(command, progress, said)
        ending.watch(job.child)
        with watching(job.child.pid) if watching else contextlib.nullcontext():
            _wait_for(job, lambda line: _show(line, said, show), keeps, ending)


class _Ending:
    """SIGTERMs, which the job is told of; Python ends behind it."""

    def __init__(self) -> None:
        self.told = False
        self._child: subprocess.Popen[bytes] | None = None

    def watch(self, child: subprocess.Popen[bytes]) -> None:
        self._child = child
        if self.told:
            child.send_signal(signal.SIGTERM)

    def tell(self, number: int, frame: object) -> None:
        self.told = True
        if self._child is not None:
            self._child.send_signal(signal.SIGTERM)


@contextlib.contextmanager
def _ended_after_the_job() -> Iterator[_Ending]:
    """Meanwhile a SIGTERM that would end Python at once lets the job save, and ends Python
    behind this. One that the program handles itself, or another thread's call, stays as it is."""
    ending = _Ending()
    if (threading.current_thread() is not threading.main_thread()
            or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL):
        yield ending
        return
    signal.signal(signal.SIGTERM, ending.tell)
    try:
        yield ending
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if ending.told:
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(OSError, ValueError):
                    stream.flush()
            os.kill(os.getpid(), signal.SIGTERM)


def _show(line: str, said: Callable[[str], str], show: Callable[[str], None]) -> None:
    text = said(line)
    if text or not line:
        show(text)


def _wait_for(job: _Job, show: Callable[[str], None], keeps: bool, ending: _Ending) -> None:
    shown = _display.FailureFilter(show)
    kept: collections.deque[str] = collections.deque(maxlen=_LONGEST)
    interrupted = False
    while True:
        try:
            for line in job.lines():
                kept.append(line)
                shown.line(line)
            code = job.child.wait()
            break
        except KeyboardInterrupt:
            interrupted = True
            job.child.send_signal(signal.SIGINT)
    job.close()
    shown.close(failed=code != 0 and not interrupted and not ending.told)
    if interrupted:
        raise KeyboardInterrupt(*() if keeps else ["nothing of the job is kept: "
                                                   "model_dir=DIR keeps its checkpoints"])
    if code != 0:
        raise _errors.of_job(list(kept), keeps, code)
