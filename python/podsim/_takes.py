"""What stands in the place of the caller's own function, and how its parameters must be."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable

from . import _roles, _wrapped


def _check_is_no_class(what: str, loss_fn: Any) -> None:
    if inspect.isclass(loss_fn):
        raise TypeError(f"{what} is the class {loss_fn.__name__}: give an object of it, "
                        f"{loss_fn.__name__}(...), whose __call__ takes (params, batch), or a "
                        "function")


_LIBRARIES = ("builtins", "numpy", "jax", "optax", "jaxlib")


def _check_is_of_caller(what: str, function: Any, returns: str) -> None:
    """Raises TypeError for a function of a library in the place of the caller's own."""
    own = _wrapped.innermost(function)
    root = str(getattr(own, "__module__", None) or "").split(".")[0].lstrip("_")
    is_plain = inspect.isroutine(own) or type(own).__module__.split(".")[0] in ("jax", "jaxlib")
    if root in _LIBRARIES and is_plain and not _wrapped.transformed(function):
        taken = _roles.parameters(own)
        takes = f", which takes {_roles.listed(taken)}" if taken else ""
        raise TypeError(f"{what} is {own.__name__} of {root}{takes}: give a function of your own "
                        f"that takes (params, batch) and returns {returns}")


def _check_is_not_compiled(what: str, function: Any) -> None:
    if type(function).__name__ == "Compiled" and type(function).__module__.startswith("jax"):
        raise TypeError(f"{what} is compiled for one batch, jax.jit(f).lower(...).compile(): give "
                        "f itself, podsim compiles it")


def check(what: str, function: Any, returns: str) -> None:
    """Raises TypeError for what is no function of the caller's. what: "the loss function"."""
    _check_is_no_class(what, function)
    _check_is_not_compiled(what, function)
    _check_is_of_caller(what, function, returns)


def advice(function: Callable[..., Any]) -> str:
    """What to do about parameters that cannot be given by their places, or nothing."""
    if isinstance(function, functools.partial):
        return "bind neither params nor batch by functools.partial, podsim gives them"
    every = inspect.signature(function).parameters.values()
    named = [each.name for each in every if each.kind is each.KEYWORD_ONLY
             and each.default is each.empty]
    return f"{named[0]} is taken by its name alone: leave the * before it out" if named else ""


