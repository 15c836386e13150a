"""pod_launch as a child that is shown, watched and stopped."""

from __future__ import annotations

import collections
import re
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


def _block(lines: Sequence[str]) -> list[str]:
    """The last block of a failed run (runtime/report/failure.h); none: there is none."""
    begins = [i for i, line in enumerate(lines) if line.startswith("FAILED: ")]
    return list(lines[begins[-1]:]) if begins else []


def _row(block: Sequence[str], name: str) -> str:
    return next((line[len(name) + 2:].strip() for line in block
                 if line.startswith(f"  {name} ")), "")


# Advice that a folder which is gone after the call cannot follow.
_GOES_BACK = re.compile(r", perhaps from an earlier checkpoint \(--restore=.*?/STEP\)"
                        r"|; there is no checkpoint yet to go back to.* saves sooner")


def failure(lines: Sequence[str], keeps: bool) -> str:
    """The cause, of what a failed job said. keeps: whether its checkpoints stay."""
    block = _block(lines)
    if not block:
        errors = [line for line in lines if line.startswith(("pod_launch:", "error:"))]
        return "\n".join(errors or list(lines)[-3:])
    reason = _row(block, "reason")
    if not keeps:
        reason = _GOES_BACK.sub("", reason)
    work = _row(block, "work") if keeps else "lost; model_dir=DIR keeps checkpoints"
    rows = {"reason": reason, "hint": _row(block, "hint"), "work": work}
    return "\n".join([f"{block[0].removeprefix('FAILED: ')} ({_row(block, 'doing')})",
                      *([] if reason else _last_output(block)),
                      *(f"{name}: {text}" for name, text in rows.items() if text)])


def _last_output(block: Sequence[str]) -> list[str]:
    return [line.strip(" |") for line in block if line.startswith("    | ")][-3:]


def launch(arguments: Sequence[str], progress: bool, keeps: bool = True) -> None:
    """Waits for the job. Ctrl-C drains it first, as in a terminal: what it saved
    stays. Raises PodsimError with the cause if it failed. keeps: whether its checkpoints
    outlast the call."""
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
        raise _programs.PodsimError(failure(list(kept), keeps) or f"pod_launch ended with "
                                    f"{code}{'; it said why above' if inherits else ''}")
