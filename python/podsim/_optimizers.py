"""Update rules and their numbers, as pod_launch names them."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any, Sequence

from . import _values
from ._settings import SETTINGS


@dataclasses.dataclass(frozen=True)
class Optimizer:
    """Settings of pod_launch that say how weights follow gradients."""

    settings: dict[str, Any]

    def with_settings(self, **more: Any) -> "Optimizer":
        return Optimizer({**self.settings, **more})


_RULES = {"momentum": "sgd", "nesterov": "sgd"}
_MEANT = {**dict.fromkeys(("lr", "rate", "step_size"), "learning_rate"), "beta1": "b1",
          "beta2": "b2", "epsilon": "eps", "mask": "weight_decay_exclude=[...]",
          "max_norm": "clip_norm"}


def _check_known(rule: str, unknown: dict[str, Any]) -> None:
    """Raises TypeError for an argument that the update rule does not have."""
    for name in unknown:
        function = _RULES.get(rule, rule)
        taken = [*inspect.signature(globals()[function]).parameters][:-1]
        taken += ["weight_decay_exclude", "clip_norm"]
        meant = _MEANT.get(name, "")
        near = f"; say {meant}" if meant.split("=")[0] in taken else ""
        if not near and name in SETTINGS:
            near = f"; say {name}= beside optimizer="
        raise TypeError(f"podsim.{function} has no argument {name!r}{near}; it has "
                        f"{', '.join(taken)}")


def _optimizer(rule: str, learning_rate: float | None, numbers: dict[str, Any],
               weight_decay_exclude: Sequence[str] = (),
               clip_norm: float | None = None, **unknown: Any) -> Optimizer:
    _check_known(rule, unknown)
    if learning_rate is None:
        function = _RULES.get(rule, rule)
        raise TypeError(f"podsim.{function} has no learning_rate: give it first, as in "
                        f"podsim.{function}(1e-3)")
    _values.check_rate(learning_rate)
    settings = {"optimizer": rule, "learning_rate": learning_rate, **numbers}
    if weight_decay_exclude:
        settings["weight_decay_exclude"] = list(weight_decay_exclude)
    if clip_norm is not None:
        settings["clip_norm"] = clip_norm
    return Optimizer(settings)


def sgd(learning_rate: float | None = None, momentum: float = 0.0, nesterov: bool = False,
        **more: Any) -> Optimizer:
    """optax.sgd. `more`: weight_decay_exclude, clip_norm."""
    if not momentum:
        return _optimizer("sgd", learning_rate, {"momentum": 0}, **more)
    return _optimizer("nesterov" if nesterov else "momentum", learning_rate,
                      {"momentum": momentum}, **more)


def _adam_numbers(b1: float, b2: float, eps: float) -> dict[str, Any]:
    return {"beta1": b1, "beta2": b2, "epsilon": eps}


def adam(learning_rate: float | None = None, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8,
         **more: Any) -> Optimizer:
    """optax.adam."""
    return _optimizer("adam", learning_rate, _adam_numbers(b1, b2, eps), **more)


def adamw(learning_rate: float | None = None, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8,
          weight_decay: float = 1e-4, **more: Any) -> Optimizer:
    """optax.adamw."""
    numbers = _adam_numbers(b1, b2, eps) | {"weight_decay": weight_decay}
    return _optimizer("adamw", learning_rate, numbers, **more)


def lamb(learning_rate: float | None = None, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-6,
         weight_decay: float = 0.0, **more: Any) -> Optimizer:
    """optax.lamb."""
    numbers = _adam_numbers(b1, b2, eps) | {"weight_decay": weight_decay}
    return _optimizer("lamb", learning_rate, numbers, **more)


def lars(learning_rate: float | None = None, momentum: float = 0.9, weight_decay: float = 0.0,
         trust_coefficient: float = 1e-3, **more: Any) -> Optimizer:
    """optax.lars."""
    numbers = {"momentum": momentum, "weight_decay": weight_decay,
               "trust_coefficient": trust_coefficient}
    return _optimizer("lars", learning_rate, numbers, **more)
