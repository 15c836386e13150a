"""Waits for code of the caller's or for a compiler, which are told of while they last."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from typing import Iterator

from . import _display

THREAD = "podsim tells of a wait"
_FIRST = 1.0  # seconds, before which it is no wait
_OFTEN = 0.2  # on a terminal, where one line moves
_AGAIN = 10.0  # elsewhere, and then ever more seldom
_SELDOM = 60.0


def _text(what: str, begin: float) -> str:
    return f"podsim: {what}, {time.monotonic() - begin:.0f} s"


def _tell(what: str, done: threading.Event) -> None:
    begin = time.monotonic()
    out = sys.stderr
    if out is None or done.wait(_FIRST):  # there is none under pythonw, for one
        return
    live = _display.is_terminal(out)
    wait = _OFTEN if live else _AGAIN
    told = True
    while told:
        print(f"\r{_text(what, begin)}\033[K" if live else _text(what, begin), file=out,
              end="" if live else "\n", flush=True)
        told = not done.wait(wait)
        wait = wait if live else min(2 * wait, _SELDOM)
    if live:
        print("\r\033[K", file=out, end="", flush=True)


@contextlib.contextmanager
def spoken(what: str, wanted: bool = True) -> Iterator[None]:
    """Says on standard error what takes longer than a second, as long as it does.
    wanted: False says nothing."""
    if not wanted:
        yield
        return
    done = threading.Event()
    teller = threading.Thread(target=_tell, args=(what, done), daemon=True,
                              name=THREAD)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()
