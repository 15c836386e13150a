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
    with _ended_after_the_job():
        job, show = _start(command, progress, said)
        with watching(job.child.pid) if watching else contextlib.nullcontext():
            _wait_for(job, lambda line: _show(line, said, show), keeps)


class _Terminated(BaseException):
    """SIGTERM has come."""


@contextlib.contextmanager
def _ended_after_the_job() -> Iterator[None]:
    """Meanwhile a SIGTERM that would end Python at once raises _Terminated, and ends Python
    behind this. One that the program handles itself, or another thread's call, stays as it is."""
    if (threading.current_thread() is not threading.main_thread()
            or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL):
        yield
        return

    def terminated(number: int, frame: object) -> None:
        raise _Terminated

    signal.signal(signal.SIGTERM, terminated)
    try:
        yield
    except _Terminated:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTERM)
        raise
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _show(line: str, said: Callable[[str], str], show: Callable[[str], None]) -> None:
    text = said(line)
    if text or not line:
        show(text)


def _wait_for(job: _Job, show: Callable[[str], None], keeps: bool) -> None:
    shown = _display.FailureFilter(show)
    kept: collections.deque[str] = collections.deque(maxlen=_LONGEST)
    interrupted = False
    terminated = None
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
        except _Terminated as told:
            terminated = told
            job.child.send_signal(signal.SIGTERM)
    job.close()
    shown.close(failed=code != 0 and not interrupted and not terminated)
    if terminated:
        raise terminated
    if interrupted:
        raise KeyboardInterrupt(*() if keeps else ["nothing of the job is kept: "
                                                   "model_dir=DIR keeps its checkpoints"])
    if code != 0:
        raise _errors.of_job(list(kept), keeps, code)
