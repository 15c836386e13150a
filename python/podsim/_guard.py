"""A folder of a call's own files, which is removed however this process ends: a small
shell waits for its end beside it."""

from __future__ import annotations

import contextlib
import pathlib
import subprocess
import tempfile
from typing import Iterator

# Reads the number of the job's process, until nobody is left who could write it; then
# lets the job save, and waits for at most a minute.
_SCRIPT = """
while read -r line; do pid=$line; done
if [ -n "$pid" ]; then
  kill -TERM "$pid"
  for _ in $(seq 600); do kill -0 "$pid" || break; sleep 0.1; done
  kill -KILL "$pid"
fi
rm -rf -- "$0"
"""


class Guarded:
    """path: the folder."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self._shell = subprocess.Popen(["/bin/sh", "-c", _SCRIPT, str(path)],
                                       stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, start_new_session=True)

    @contextlib.contextmanager
    def watching(self, pid: int) -> Iterator[None]:
        """The process that ends before the folder goes, should this one be killed."""
        self._tell(str(pid))
        try:
            yield
        finally:
            self._tell("")

    def _tell(self, text: str) -> None:
        assert self._shell.stdin is not None
        with contextlib.suppress(OSError):  # it was killed
            self._shell.stdin.write(f"{text}\n".encode())
            self._shell.stdin.flush()

    def close(self) -> None:
        assert self._shell.stdin is not None
        with contextlib.suppress(OSError):
            self._shell.stdin.close()
        self._shell.wait()


@contextlib.contextmanager
def folder(place: str | None) -> Iterator[Guarded]:
    """A new one in `place`; None: where temporary files go."""
    with tempfile.TemporaryDirectory(prefix="podsim-", dir=place) as name:
        guarded = Guarded(pathlib.Path(name))
        try:
            yield guarded
        finally:
            guarded.close()
