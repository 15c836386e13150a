"""Numbers of update rules: what each may be, before anything runs."""

from __future__ import annotations

import math
import numbers
from typing import Any, Callable, Iterable, Mapping, NamedTuple

import numpy as np

from ._said import is_traced, shown, with_kind


class _Range(NamedTuple):
    """What a number must be, in words and as a condition."""

    words: str
    holds: Callable[[float], bool]
    example: str


_POSITIVE = _Range("more than 0", lambda x: 0 < x < math.inf, "1")
_NOT_NEGATIVE = _Range("at least 0", lambda x: 0 <= x < math.inf, "1e-4")
_PART = _Range("at least 0 and less than 1", lambda x: 0 <= x < 1, "0.9")
_RANGES = {"learning_rate": _POSITIVE._replace(example="1e-3"), "momentum": _PART, "b1": _PART,
           "b2": _PART._replace(example="0.999"), "eps": _POSITIVE._replace(example="1e-8"),
           "weight_decay": _NOT_NEGATIVE,
           "trust_coefficient": _POSITIVE._replace(example="1e-3"), "clip_norm": _POSITIVE}


def is_number(value: Any) -> bool:
    """One real number: Python's, NumPy's, or an array without a dimension."""
    is_type = callable(value)  # jnp.float32 has a dtype and the shape of a number
    others = (bool, np.bool_, str, bytes, np.timedelta64)
    if is_type or isinstance(value, others) or is_traced(value):
        return False
    return isinstance(value, numbers.Real) or (
        hasattr(value, "dtype") and np.shape(value) == ()
        and getattr(value.dtype, "kind", "") in tuple("iuf"))


def is_optimizer(value: Any) -> bool:
    """Whether it is one of podsim or of optax."""
    return type(value).__name__ == "Optimizer" or (
        hasattr(value, "update") and hasattr(value, "init") and not isinstance(value, type))


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _instead(value: Any, name: str, wanted: _Range) -> str:
    if isinstance(value, str):
        try:
            return f"; without the quotes, {name}={float(value):g}"
        except ValueError:
            pass
    if is_number(value) and 10 <= _as_float(value) <= 100 and wanted.words == _PART.words:
        return f"; {float(value):g}% is {float(value) / 100:g}"
    off = "; for no clipping leave it out" if name == "clip_norm" and value == 0 else ""
    return f", such as {wanted.example}{off}"


def check_numbers(call: str, values: Mapping[str, Any]) -> None:
    """Raises TypeError or ValueError for an argument of `call`, such as "podsim.sgd", that
    no update rule can have."""
    for name, value in values.items():
        wanted = _RANGES[name]
        if not is_number(value):
            raise TypeError(f"{call}: {name} is {with_kind(value)}; it must be a number, "
                            f"{wanted.words}{_instead(value, name, wanted)}")
        number = _as_float(value)
        if not wanted.holds(number):
            finite = "" if math.isfinite(number) else "finite and "
            raise ValueError(f"{call}: {name} is {number:g}; it must be {finite}"
                             f"{wanted.words}"
                             f"{_instead(value, name, wanted)}")


def check_nesterov(call: str, value: Any) -> None:
    if not isinstance(value, (bool, np.bool_)):
        decay = (f"; weight decay is a keyword beside optimizer=: weight_decay={value:g}"
                 if is_number(value) else "")
        raise TypeError(f"{call}: nesterov, the third argument, is {shown(value)}; it must be "
                        f"True or False{decay}")


def excluded_parts(call: str, parts: Any) -> list[str]:
    """Parts of variables' names; a text has commas between them. Raises TypeError for
    what names none."""
    if isinstance(parts, str):
        return [part.strip() for part in parts.split(",") if part.strip()]
    is_list = isinstance(parts, Iterable) and not isinstance(parts, (bytes, Mapping))
    found = list(parts) if is_list else []
    if not is_list or not all(isinstance(part, str) for part in found):
        mask = ("; a mask is for optax: optimizer=optax.adamw(..., mask=mask)"
                if callable(parts) or isinstance(parts, Mapping) else "")
        raise TypeError(f"{call}: weight_decay_exclude is {shown(parts)}; it must be a list of "
                        f"texts that are in variables' names, such as [\"bias\", \"norm\"]{mask}")
    return found if isinstance(parts, (list, tuple)) else sorted(found)
