"""A job as a command line of pod_launch."""

from __future__ import annotations

import difflib
import json
import os
from typing import Any, Mapping

from . import _optax, _optimizers, _programs
from ._settings import SETTINGS


def optimizer_of(optimizer: Any, params: Any,
                 job: Mapping[str, Any]) -> _optimizers.Optimizer:
    """podsim's own, or one of optax. job: the settings beside it."""
    if isinstance(optimizer, _optimizers.Optimizer):
        return optimizer
    if hasattr(optimizer, "update") and hasattr(optimizer, "init"):
        return _optax.from_optax(optimizer, params, job)
    raise TypeError("optimizer must be podsim.adamw(...) and the like, or one of "
                    f"optax, not a {type(optimizer).__name__}")


def check_names(settings: Mapping[str, Any]) -> None:
    """Raises TypeError for a keyword that no setting has, naming the nearest."""
    for name in settings:
        if name in SETTINGS:
            continue
        near = difflib.get_close_matches(name, SETTINGS, 3)
        raise TypeError(f"there is no setting {name!r}"
                        + (f"; did you mean {', '.join(near)}?" if near else
                           "; pod_launch --help lists them"))


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(_text(each) for each in value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(value)
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def flags(settings: Mapping[str, Any]) -> list[str]:
    """Of a command line. None: not given; a switch is given if it is True."""
    check_names(settings)
    line = []
    for name, value in settings.items():
        if value is None or value is False and not SETTINGS[name].type:
            continue
        line.append(f"--{name}" if value is True and not SETTINGS[name].type
                    else f"--{name}={_text(value)}")
    return line


def examples_of(settings: Mapping[str, Any]) -> int | None:
    """How many examples the job consumes; None: it does not say its steps."""
    if settings.get("train_steps") is None:
        return None
    says = ("topology", "train_steps", "train_batch_size", "batch_per_core",
            "reference_topology", "reference_batch_size", "learning_rate",
            "base_learning_rate", "hardware")
    plan = json.loads(_programs.run("pod_plan", [
        "--json", *flags({name: settings.get(name) for name in says})]))
    return max(int(row["train_steps"] * row["global_batch"]) for row in plan["results"])
