"""A child whose standard output is a terminal of its own, copied to ours: it draws its
live line there, while this process reads what it writes to standard error."""

from __future__ import annotations

import codecs
import os
import pty
import select
import shutil
import termios
from typing import IO, Callable, Iterator, TextIO

_OUTPUT_FLAGS = 1  # in the list of termios.tcgetattr


class Terminal:
    """As wide as ours, even while that changes."""

    def __init__(self, shown_on: TextIO, said: Callable[[str], str]) -> None:
        """said: what is shown of what the child writes."""
        self._shown_on, self._said = shown_on, said
        self._parent_end, self.child_end = pty.openpty()
        modes = termios.tcgetattr(self.child_end)
        modes[_OUTPUT_FLAGS] &= ~termios.OPOST  # our own terminal does that
        termios.tcsetattr(self.child_end, termios.TCSANOW, modes)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._size = (0, 0)
        self._is_open = True
        self._errors = b""  # of a line that has not ended
        self._fit()

    def _fit(self) -> None:
        columns, rows = shutil.get_terminal_size()
        if (rows, columns) != self._size:
            self._size = (rows, columns)
            termios.tcsetwinsize(self._parent_end, self._size)

    def child_started(self) -> None:
        os.close(self.child_end)
        self.child_end = -1

    def close(self) -> None:
        for end in (self.child_end, self._parent_end):
            if end >= 0:
                os.close(end)

    def lines(self, errors: IO[bytes]) -> Iterator[str]:
        """What the child writes to standard error, until both are closed. May be called
        again after an exception that came in between."""
        while self._is_open or not errors.closed:
            self._fit()
            places = [self._parent_end] * self._is_open + [errors] * (not errors.closed)
            ready = select.select(places, [], [])[0]
            if self._parent_end in ready:
                self._copy()
            if errors in ready:
                yield from self._read(errors)

    def _copy(self) -> None:
        try:
            data = os.read(self._parent_end, 1 << 16)
        except OSError:  # EIO: the child has closed it
            data = b""
        self._is_open = bool(data)
        self._shown_on.write(self._said(self._decoder.decode(data)))
        self._shown_on.flush()

    def _read(self, errors: IO[bytes]) -> Iterator[str]:
        data = os.read(errors.fileno(), 1 << 16)
        *whole, self._errors = (self._errors + data).split(b"\n")
        if not data:
            errors.close()
            whole += [self._errors] if self._errors else []
        yield from (line.decode(errors="replace") for line in whole)
