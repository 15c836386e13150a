"""Whole numbers of 64 bits that a function holds, and that JAX narrows to 32 without a word."""

from __future__ import annotations

import functools
import types
from typing import Any, Callable, Iterator

import numpy as np

from . import _jaxprs, _leaks, _wrapped
from ._asking import Asked
from ._errors import said

_MOST = 1000  # parts of a container that are looked at
_NARROW = {"int64": np.dtype("int32"), "uint64": np.dtype("uint32")}


def _own_globals(function: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """Those that functions inside of it name."""
    known = getattr(_wrapped.innermost(function), "__globals__", {})
    for code in _wrapped.codes_of(function)[1:]:
        yield from ((name, known[name]) for name in code.co_names if name in known)


def _given(function: Any) -> Iterator[tuple[str, Any]]:
    """What functools.partial holds for it."""
    while isinstance(function, functools.partial):
        yield from function.keywords.items()
        function = function.func


def _is_own(value: Any) -> bool:
    """Whether it is a function of the caller's, perhaps in one of JAX."""
    kinds = (types.FunctionType, types.MethodType, functools.partial)
    if not isinstance(value, kinds) and type(value).__module__.split(".")[0] not in (
            "jax", "jaxlib"):
        return False
    code = _wrapped.code_of(value) if callable(value) else None
    return code is not None and not _jaxprs.is_library(code.co_filename)


def _held(function: Callable[..., Any]) -> Iterator[tuple[Any, str, Any]]:
    """(function, name, value) of what it and the caller's functions that it names see beside
    their arguments."""
    seen: set[int] = set()
    left: list[Any] = [function]
    while left:
        each = left.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        for name, value in (*_leaks.variables(each), *_own_globals(each), *_given(each)):
            yield each, name, value
            if _is_own(value):
                left.append(value)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = [*value.values()]
    if isinstance(value, (list, tuple)):
        for each in value[:_MOST]:
            yield from _leaves(each)
    else:
        yield value


def _too_wide(value: Any) -> tuple[Any, np.ndarray] | None:
    """Of an array or a number of NumPy's: the whole numbers that 32 bits do not hold, and
    where they are, in one axis; None: there are none."""
    if not isinstance(value, (np.ndarray, np.generic)) or value.dtype.name not in _NARROW:
        return None
    flat, limits = np.asarray(value).reshape(-1), np.iinfo(_NARROW[value.dtype.name])
    outside = (flat < limits.min) | (flat > limits.max)
    return (flat, outside) if outside.any() else None


def _constants(closed: Any) -> Iterator[Any]:
    """Those of a jaxpr and of the ones in it, that are numbers."""
    for each in _jaxprs.jaxprs(closed):
        found = [*getattr(each, "consts", ())]
        for equation in getattr(each, "jaxpr", each).eqns:
            found += [x.val for x in equation.invars if hasattr(x, "val")]
        yield from (x for x in found if str(getattr(x, "dtype", "")) in (
            "int32", "uint32", "float32"))


def _is_read(flat: Any, outside: np.ndarray, closed: Any) -> bool:
    """Whether what is traced computes with what JAX made of these numbers."""
    small = flat.astype(_NARROW[flat.dtype.name])
    constants = [np.asarray(x).reshape(-1) for x in _constants(closed)]
    if flat.size == 1:
        numbers = [x[0] for x in constants if x.size == 1]
        return (any(x == small[0].astype(x.dtype) for x in numbers)
                and not any(x == flat[0].astype(np.float32) for x in numbers))
    return any(x.dtype == small.dtype and x.size > 1 and bool(np.isin(x, small).all())
               and bool(np.isin(x, small[outside]).any()) for x in constants)


def _said(what: str, flat: Any, outside: np.ndarray) -> str:
    worst, kind = flat[outside.argmax()], _NARROW[flat.dtype.name]
    limits = np.iinfo(kind)
    return (f"{what} is {flat.dtype} and holds {worst}, of which JAX makes {kind}, "
            f"{worst.astype(kind)}, without a word: give numbers from {limits.min} to "
            f"{limits.max}, or float32, .astype(np.float32)")


def check(asked: Asked, closed: Any) -> None:
    """Raises ValueError if the function computes with such numbers. closed: what it was
    traced to."""
    for function, name, value in _held(asked.function):
        for leaf in _leaves(value):
            found = _too_wide(leaf)
            if found is not None and _is_read(*found, closed):
                place = _wrapped.place_of(function, name) or asked.place()
                what = name if leaf is value else f"an array in {name}"
                raise said(ValueError(place + _said(what, *found)))
