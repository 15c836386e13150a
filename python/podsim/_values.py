"""Values of settings as Python has them: rates, numbers, lists, paths."""

from __future__ import annotations

import os
from typing import Any, Mapping

import numpy as np

from . import _job, _kinds, _objects, _rates
from ._numbers import is_number
from ._said import shown


def _check_seed(seed: Any) -> None:
    if not callable(seed) and (_objects.is_raw_key(seed) or _objects.is_key(seed)):
        raise TypeError("seed is a random key of JAX; give a whole number from 0 up, such as "
                        "seed=0, from which podsim makes the keys of every step")


# Settings that are a type of numbers, and the types that all of them have.
_TYPED = ("precision", "wire_dtype", "ici_dtype")
_TYPES = ("bfloat16", "float32")


def _type_in(value: Any) -> str:
    """The name of a type of numbers: np.float32, float, np.dtype("float32"), or jnp.bfloat16,
    which holds its dtype; empty: it is none."""
    held = getattr(value, "dtype", None)
    if isinstance(value, np.dtype) or isinstance(value, type) and (
            issubclass(value, np.generic) or value in (bool, int, float, complex)):
        return np.dtype(value).name
    return held.name if callable(value) and isinstance(held, np.dtype) else ""


def _check_type(name: str, value: Any) -> None:
    """Raises TypeError for a type in the place of its name, and for a number."""
    kind = _type_in(value)
    if kind in _TYPES:
        raise TypeError(f'{name} is the type {kind}; give its name, {name}="{kind}"')
    if kind or not isinstance(value, (str, type(None))):
        raise TypeError(f"{name} is {f'the type {kind}' if kind else shown(value)}; give "
                        f'"bfloat16" or "float32", as in {name}="float32"')


def _check_parts(name: str, value: Any) -> None:
    """Raises ValueError for steps in the place of parts of the run."""
    given = value if isinstance(value, (list, tuple)) else [value]
    if any(is_number(each) and not 0 < each < 1 for each in given):
        raise ValueError(f"{name} is {shown(value)}; it has parts of the run, more than 0 and less "
                         "than 1, such as [0.3, 0.6, 0.9]: of steps or epochs say step / all")


def _check_switch(name: str, value: Any) -> None:
    """Raises TypeError for what stands for True or False without being it."""
    if value is None or isinstance(value, (bool, np.bool_)):
        return
    word = str(value).strip().capitalize()
    way = (f": without the quotes, {name}={word}" if isinstance(value, str) and
           word in ("True", "False") and value != word.lower() else "")
    if way or not isinstance(value, str):
        raise TypeError(f"{name} is {shown(value)}; it must be True or False{way}")


def check_values(settings: Mapping[str, Any], optimizer: Any = None) -> None:
    """Raises TypeError for a setting's value that no flag can say. optimizer: the one beside
    them."""
    for name, value in settings.items():
        if name in _TYPED:
            _check_type(name, value)
        if name in ("learning_rate", "base_learning_rate"):
            _rates.check(name, value, _rates.rule_of(optimizer))
        if name == "seed":
            _check_seed(value)
        if name == "lr_decay_at":
            _check_parts(name, value)
        if name == "job" and not isinstance(value, (str, os.PathLike)):
            raise TypeError(f"job is a {type(value).__name__}; give the path of a job's file, or "
                            "the settings themselves as keywords, such as train_steps=100")
        if isinstance(value, (str, os.PathLike)):
            _job.check_needs_no_shell(name, str(os.fspath(value)))
        if name == "run_name":
            _job.check_is_printable(name, value, "first")
        if name == "shuffle":
            _check_switch(name, value)
        _kinds.check_kind(name, value)


def check_is_kept(model_dir: Any, settings: Mapping[str, Any]) -> None:
    """Raises TypeError for checkpoints that would go when train returns, or that nothing
    names."""
    for name in ("checkpoint_every", "checkpoint_every_seconds", "keep"):
        if model_dir is None and settings.get(name) is not None:
            raise TypeError(f"{name} is {shown(settings[name])}, but there is no model_dir, where "
                            f'checkpoints go: say model_dir="run", or leave {name} out')
    if model_dir is None and settings.get("restore") is None and settings.get("mode") == "eval":
        raise TypeError('mode="eval" evaluates a checkpoint, and neither model_dir nor restore '
                        "says which: give the model_dir of a run that has saved one")
    check_is_restored(settings)


def check_is_restored(settings: Mapping[str, Any]) -> None:
    """Raises TypeError for weights of a checkpoint that nothing names."""
    if settings.get("restore_weights_only") and settings.get("restore") is None:
        raise TypeError("restore_weights_only takes the weights of restore=, which is not given: "
                        'say restore="runs/a/100"')
