"""Values of settings as Python has them: rates, numbers, lists, paths."""

from __future__ import annotations

import numbers
import os
from typing import Any, Mapping

import numpy as np

from . import _kinds
from ._numbers import is_number
from ._said import article, shown, type_name

_RATE = ('give a number, the peak, with lr_schedule="cosine" and warmup_steps= beside it, or '
         "optimizer=optax.{0}(schedule), whose schedule is read")


def _name(value: Any) -> str:
    return f"the function {getattr(value, '__name__', type(value).__name__)}"


def check_rate(rate: Any, rule: str = "adamw") -> None:
    """Raises TypeError for a learning rate that is not one number. rule: the optimizer
    that it is of."""
    advice = _RATE.format(rule)
    if callable(rate):
        made_by = getattr(rate, "__qualname__", "").split(".")[0]
        name = f"the function {made_by}(...)" if made_by.endswith("_schedule") else _name(rate)
        raise TypeError(f"learning_rate is {name}; {advice}")
    if isinstance(rate, str) or not (isinstance(rate, numbers.Real) or np.shape(rate) == ()):
        raise TypeError(f"learning_rate is {shown(rate)}, "
                        f"{article(type_name(type(rate)))}; {advice}")


def _check_seed(seed: Any) -> None:
    if hasattr(seed, "dtype") and (np.shape(seed) or not np.issubdtype(
            getattr(seed.dtype, "type", object), np.integer)):
        raise TypeError("seed is a random key of JAX; give a whole number from 0 up, such as "
                        "seed=0, from which podsim makes the keys of every step")


def _is_scalar_type(value: Any) -> bool:
    """np.float32, or jnp.bfloat16, which holds its dtype."""
    return (isinstance(getattr(value, "dtype", None), np.dtype)
            or isinstance(value, type) and issubclass(value, np.generic))


def _dtype(value: Any) -> np.dtype:
    return np.dtype(value if isinstance(value, (type, np.dtype)) else value.dtype)


def _check_parts(name: str, value: Any) -> None:
    """Raises ValueError for steps in the place of parts of the run."""
    given = value if isinstance(value, (list, tuple)) else [value]
    if any(is_number(each) and not 0 < each < 1 for each in given):
        raise ValueError(f"{name} is {shown(value)}; it has parts of the run, more than 0 and less "
                         "than 1, such as [0.3, 0.6, 0.9]: of steps or epochs say step / all")


def check_values(settings: Mapping[str, Any]) -> None:
    """Raises TypeError for a setting's value that no flag can say."""
    for name, value in settings.items():
        if isinstance(value, np.dtype) or callable(value) and _is_scalar_type(value):
            raise TypeError(f"{name} is a type of numbers; give its name, "
                            f'{name}="{_dtype(value).name}"')
        if name in ("learning_rate", "base_learning_rate") and callable(value):
            raise TypeError(f"{name} is {_name(value)}; {_RATE}")
        if name == "seed":
            _check_seed(value)
        if name == "lr_decay_at":
            _check_parts(name, value)
        if name == "job" and not isinstance(value, (str, os.PathLike)):
            raise TypeError(f"job is a {type(value).__name__}; give the path of a job's file, or "
                            "the settings themselves as keywords, such as train_steps=100")
        if isinstance(value, (str, os.PathLike)) and os.fspath(value).startswith("~"):
            raise TypeError(f"{name} is {os.fspath(value)!r}; only a shell knows what ~ is: say "
                            f"os.path.expanduser({os.fspath(value)!r})")
        _kinds.check_kind(name, value)


def check_is_kept(model_dir: Any, settings: Mapping[str, Any]) -> None:
    """Raises TypeError for checkpoints that would go when train returns, or that nothing
    names."""
    for name in ("checkpoint_every", "checkpoint_every_seconds", "keep"):
        if model_dir is None and settings.get(name) is not None:
            raise TypeError(f"{name} is {shown(settings[name])}, but there is no model_dir, where "
                            "checkpoints go: give it, or leave this out")
    if model_dir is None and settings.get("restore") is None and settings.get("mode") == "eval":
        raise TypeError('mode="eval" evaluates a checkpoint, and neither model_dir nor restore '
                        "says which: give the model_dir of a run that has saved one")
    check_is_restored(settings)


def check_is_restored(settings: Mapping[str, Any]) -> None:
    """Raises TypeError for weights of a checkpoint that nothing names."""
    if settings.get("restore_weights_only") and settings.get("restore") is None:
        raise TypeError("restore_weights_only takes the weights of restore=, which is not given: "
                        'say restore="runs/a/100"')
