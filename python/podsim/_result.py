"""What a run leaves behind."""

from __future__ import annotations

import dataclasses
import json
import pathlib
from typing import Any

import numpy as np

from . import _safetensors


@dataclasses.dataclass(frozen=True)
class Run:
    """A run of training. A notebook draws it."""

    params: Any
    """The trained weights, in the caller's own tree."""
    state: Any
    """What the steps carried, likewise; None if the call had no state."""
    metrics: list[dict[str, Any]]
    """One dict a step: step, examples, loss, metrics, learning_rate, seconds of
    the wall clock, ..."""
    evaluations: list[dict[str, Any]]
    """One dict an evaluation."""
    plan: dict[str, Any]
    """The settings that the job ran with, and the plan's hash."""
    summary: dict[str, Any]
    """Times of the wall clock; simulated_step_seconds is the pod's."""
    model_dir: pathlib.Path | None
    """Where the checkpoints are, if the job named a place."""

    @property
    def losses(self) -> np.ndarray:
        return np.array([step["loss"] for step in self.metrics])

    def _repr_html_(self) -> str:
        return (_curve("loss", [(m["step"], m["loss"]) for m in self.metrics])
                + _curve("examples/s, wall", [(m["step"], m["examples_per_second"])
                                              for m in self.metrics[1:]]))


def _curve(title: str, points: list[tuple[float, float]]) -> str:
    """A line through `points` as SVG."""
    if len(points) < 2:
        return ""
    width, height, edge = 360, 160, 24
    xs, ys = (np.array(each, float) for each in zip(*points))
    low, high = min(0.0, ys.min()), ys.max() if ys.max() > 0 else 1.0
    x = edge + (xs - xs[0]) / max(xs[-1] - xs[0], 1) * (width - 2 * edge)
    y = height - edge - (ys - low) / max(high - low, 1e-30) * (height - 2 * edge)
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y))
    return (f'<svg width="{width}" height="{height}" font-family="sans-serif" font-size="11">'
            f'<text x="{edge}" y="14">{title}: {ys[-1]:.4g} at step {xs[-1]:.0f}</text>'
            f'<line x1="{edge}" y1="{height - edge}" x2="{width - edge}" y2="{height - edge}" '
            'stroke="#888"/>'
            f'<polyline points="{path}" fill="none" stroke="#1565c0" stroke-width="1.5"/>'
            f'<text x="{edge}" y="{height - 8}">{xs[0]:.0f}</text>'
            f'<text x="{width - edge}" y="{height - 8}" text-anchor="end">{xs[-1]:.0f}</text>'
            "</svg>")


class Metrics:
    """What a job adds to a metrics file. One that goes on writes behind the lines of
    the calls before it, any other moves such a file away."""

    def __init__(self, path: pathlib.Path) -> None:
        if path.exists() and not path.is_file():
            raise TypeError(f"metrics_file is {str(path)!r}, which is no file; run.metrics "
                            "are read from it: name a file")
        self.path = path
        self._before = _file_and_size(path)

    def read(self) -> dict[str, list[dict[str, Any]]]:
        file, size = self._before
        same = _file_and_size(self.path)[0] == file
        return read_metrics(self.path, size if same else 0)


def _file_and_size(path: pathlib.Path) -> tuple[int, int]:
    if not path.exists():
        return 0, 0
    stat = path.stat()
    return stat.st_ino, stat.st_size


def read_metrics(path: pathlib.Path, begin: int = 0) -> dict[str, list[dict[str, Any]]]:
    """The events of a metrics file from a byte on, by their kind."""
    events: dict[str, list[dict[str, Any]]] = {}
    for line in filter(None, path.read_bytes()[begin:].splitlines()):
        event = json.loads(line)
        events.setdefault(event.pop("event"), []).append(event)
    return events


def read_weights(checkpoint: pathlib.Path) -> dict[str, np.ndarray]:
    """All tensors of a checkpoint's files, by name."""
    weights: dict[str, np.ndarray] = {}
    for part in sorted(checkpoint.glob("model-*.safetensors")):
        weights |= _safetensors.read(part)
    return weights
