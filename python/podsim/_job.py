"""A job as a command line of pod_launch."""

from __future__ import annotations

import difflib
import os
from typing import Any, Mapping

from . import _optax, _optimizers
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
