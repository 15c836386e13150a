"""Runs beside the rows of a plan: what podsim.plan(..., measured=...) adds."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
from typing import Any, Mapping

from . import _errors
from ._job import path_of
from ._result import Run
from ._said import shown


@dataclasses.dataclass(frozen=True)
class Measured:
    """A run of a row's slice and global batch."""

    path: str
    """Its metrics file; of a podsim.Run where it stands in the call: "measured[0]"."""
    steps: int
    step_seconds_wall: float | None
    """Wall, of the machine that emulated the slice: the median of the steps but the first.
    None: it has no other."""
    simulated_step_seconds: float | None
    """As the run simulated it; other settings than the plan's make it differ from
    row.step_seconds. None: the run ended before it was known."""
    examples_per_second_wall: float | None
    loss: float | None
    """Of the last step; None: it was not finite."""
    eval_loss: float | None
    """Of the last evaluation; None: there was none."""


def read(found: Mapping[str, Any] | None) -> Measured | None:
    """Of what `pod_plan --json` writes of a row."""
    return None if found is None else Measured(**found)


class Runs:
    """What the call gives: runs, metrics files, or a list of both."""

    def __init__(self, measured: Any) -> None:
        """Raises TypeError or ValueError for what is neither."""
        several = isinstance(measured, (list, tuple))
        self._given = list(measured) if several else [] if measured is None else [measured]
        self._labels = [f"measured[{i}]" if several else "measured"
                        for i in range(len(self._given))]
        self._places: dict[str, str] = {}
        for label, one in zip(self._labels, self._given):
            if isinstance(one, Run):
                continue
            if not isinstance(one, (str, os.PathLike)):
                raise TypeError(f"{label} is {shown(one)}; it must be what podsim.train returned, "
                                'the path of a metrics file, such as "run.jsonl", or a list of '
                                "them")
            if "," in path_of(label, one, "run.jsonl"):
                raise ValueError(f"{label} is {str(one)!r}; a comma is between files: give a "
                                 "path without one")

    def flags(self, folder: pathlib.Path) -> list[str]:
        """Of pod_plan. folder: for the records of runs."""
        if not self._given:
            return []
        files = []
        for i, (label, one) in enumerate(zip(self._labels, self._given)):
            if isinstance(one, Run):
                file = folder / f"measured_{i}.jsonl"
                file.write_text("".join(json.dumps(event) + "\n" for event in one._events()))
                self._places[str(file)] = label
                files.append(str(file))
            else:
                files.append(path_of(label, one))
        return [f"--measured={','.join(files)}"]

    def named(self, text: str) -> str:
        """The text of a program, with runs as the call has them."""
        for place, label in self._places.items():
            text = text.replace(place, label)
        return text

    def in_words_of_call(self, error: _errors.PodsimError) -> _errors.PodsimError:
        said = self.named(str(error)).replace("--measured", "measured")
        return error if said == str(error) else _errors.PodsimError(
            said, details=error.details)
