"""A planned job and its files, which outlast the call that made them."""

from __future__ import annotations

import contextlib
import pathlib
import tempfile
from typing import Any, Iterator, Mapping

from ._data import folder_in_memory


class Kept:
    """The settings of a plan, with the files of the call's own folder that they name: the
    model, and of a data set that is handed over one example of each split. They go where the
    plan goes, pickled too."""

    def __init__(self, settings: Mapping[str, Any], folder: pathlib.Path) -> None:
        self._settings = dict(settings)
        self._folder = folder
        self._files = {str(file.relative_to(folder)): file.read_bytes()
                       for file in sorted(folder.rglob("*")) if file.is_file()}

    @contextlib.contextmanager
    def settings(self, topology: str) -> Iterator[dict[str, Any]]:
        """Those of one slice; their files are there as long as the context lasts."""
        with tempfile.TemporaryDirectory(prefix="podsim-", dir=folder_in_memory()) as place:
            folder = pathlib.Path(place)
            for name, data in self._files.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(data)
            yield {**{name: self._moved(value, folder) for name, value in
                      self._settings.items()}, "topology": topology}

    def hardware(self) -> Any:
        """The file of figures that the job names; None: it has those that ship."""
        return self._settings.get("hardware")

    def _moved(self, value: Any, folder: pathlib.Path) -> Any:
        own = isinstance(value, pathlib.Path) and value.is_relative_to(self._folder)
        return folder / value.relative_to(self._folder) if own else value
