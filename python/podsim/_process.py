"""pod_launch as a child that is shown, watched and stopped."""

from __future__ import annotations

import collections
import signal
import subprocess
import sys
from typing import Sequence

from . import _programs

_LONGEST = 200  # lines that are kept of what a job says


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


class _Display:
    """A terminal gets pod_launch's own line; a notebook one line that changes;
    anything else each line as it comes."""

    def __init__(self, shown: bool) -> None:
        self._shown = shown
        self._notebook = _in_notebook()
        self._open = False

    def line(self, text: str) -> None:
        if not self._shown:
            return
        if self._notebook and text.startswith("step "):
            print("\r" + text.ljust(100), end="", flush=True)
            self._open = True
            return
        if self._open:
            print()
            self._open = False
        print(text, flush=True)


def launch(arguments: Sequence[str], progress: bool) -> None:
    """Waits for the job. Ctrl-C drains it first, as in a terminal: what it saved
    stays. Raises PodsimError with what it said last if it failed."""
    command = [str(_programs.find("pod_launch")), *arguments]
    inherits = progress and sys.stdout.isatty() and sys.stderr.isatty()
    pipe = None if inherits else subprocess.PIPE
    display = _Display(progress)
    kept: collections.deque[str] = collections.deque(maxlen=_LONGEST)
    interrupted = False
    with subprocess.Popen(command, stdout=pipe, stderr=subprocess.STDOUT if pipe else None,
                          text=True, start_new_session=not inherits,
                          env=_programs.environment()) as child:
        while True:
            try:
                if child.stdout is not None:
                    for line in child.stdout:
                        kept.append(line.rstrip("\n"))
                        display.line(kept[-1])
                code = child.wait()
                break
            except KeyboardInterrupt:
                interrupted = True
                if not inherits:
                    child.send_signal(signal.SIGINT)
    if interrupted:
        raise KeyboardInterrupt
    if code != 0:
        errors = [line for line in kept if line.startswith(("pod_launch:", "error:"))]
        raise _programs.PodsimError("\n".join(errors or list(kept)[-3:])
                                    or f"pod_launch ended with {code}; it said why above")
