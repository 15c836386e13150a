"""What a job writes, shown while it runs: as it is in a terminal, as one line that
changes in a notebook, line by line elsewhere. What a job says of its failure is in the
exception, and is not shown a second time."""

from __future__ import annotations

import importlib
import re
import sys
from typing import Any, Callable, TextIO

from . import _errors

_RULE = "-" * 64  # around the block of a failed run
_HOST_ERROR = re.compile(r"\[[^]]*\] E ")  # which the block has again


def in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


def is_terminal(stream: TextIO | None) -> bool:
    """False for a stream that is closed, or that there is not."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


_RESUMES = re.compile(r"\r?\n? *the same command again resumes from here")


def of_a_call(text: str) -> str:
    """What a job says of its checkpoints, where they go with the call that it is of."""
    return _RESUMES.sub("", text.replace("finishes its step, saves and ends",
                                         "finishes its step and ends"))


class FailureFilter:
    """Hands on lines, but for those of a failure at the end. A block that a restart
    follows is handed on with it."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._held: list[str] = []
        self._in_block = False

    def line(self, text: str) -> None:
        if self._in_block:
            self._held.append(text)
            self._in_block = text != _RULE
        elif text.startswith("FAILED: "):
            self._held.append(text)
            self._in_block = True
        elif text == _RULE or _errors.is_refusal(text) or _HOST_ERROR.match(text):
            self._held.append(text)
        else:
            self.close(failed=False)
            self._show(text)

    def close(self, failed: bool) -> None:
        """No line follows. failed: the exception has what was held back."""
        held, self._held = self._held, []
        if not failed:
            for text in held:
                self._show(text)


# Lines of which a notebook keeps the last of each kind.
_CHANGING = ("step ", "evaluation after step ")


class Lines:
    """Shows lines in a file, a pipe or a notebook."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self._live = _LiveOutput() if stream is not None and in_notebook() else None

    def show(self, text: str) -> None:
        if self._stream is None:
            return
        kind = next(filter(text.startswith, _CHANGING), "")
        if self._live is not None and kind:
            self._live.update(kind, text)
        else:
            print(text, file=self._stream, flush=True)


class _LiveOutput:
    """One output of a notebook's cell, whose text changes: only the last is stored, so
    that the notebook does not grow with the steps."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._lines: dict[str, str] = {}

    def update(self, kind: str, text: str) -> None:
        self._lines[kind] = text
        display: Any = importlib.import_module("IPython.display").display
        data = {"text/plain": "\n".join(self._lines.values())}
        if self._handle is None:
            self._handle = display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)
