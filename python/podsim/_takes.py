"""What stands in the place of the caller's own function, and how its parameters must be."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable

from . import _roles, _wrapped
from ._asking import Asked
from ._said import article, kind_of


def _check_is_no_class(what: str, loss_fn: Any) -> None:
    if inspect.isclass(loss_fn):
        is_model = any(each.__module__.startswith("flax") for each in loss_fn.__mro__)
        raise TypeError(f"{what} is the class {loss_fn.__name__}: " + (
            of_outputs(what) if is_model else f"give an object of it, {loss_fn.__name__}(...), "
            "whose __call__ takes (params, batch), or a function"))


_LIBRARIES = ("builtins", "numpy", "jax", "optax", "jaxlib")


def _check_is_of_caller(what: str, function: Any, returns: str) -> None:
    """Raises TypeError for a function of a library in the place of the caller's own."""
    own = _wrapped.innermost(function)
    root = str(getattr(own, "__module__", None) or "").split(".")[0].lstrip("_")
    is_plain = inspect.isroutine(own) or type(own).__module__.split(".")[0] in _LIBRARIES[1:]
    if hasattr(function, "cache_info") and not root.startswith("jax"):
        raise TypeError(f"{what} keeps what it returned (functools.lru_cache), by arguments that "
                        "have a hash, as arrays have none: give the function itself")
    if root in _LIBRARIES and is_plain and not _wrapped.transformed(function):
        taken = _roles.parameters(own)
        takes = f", which takes {_roles.listed(taken)}" if taken else ""
        called = f"{own.__name__} of {root}" if inspect.isroutine(own) else kind_of(own)
        raise TypeError(f"{what} is {called}{takes}: give a function of your own that takes "
                        f"(params, batch) and returns {returns}")


def _check_is_not_compiled(what: str, function: Any) -> None:
    if type(function).__name__ == "Compiled" and type(function).__module__.startswith("jax"):
        raise TypeError(f"{what} is compiled for one batch, jax.jit(f).lower(...).compile(): give "
                        "f itself, podsim compiles it")


def of_outputs(what: str) -> str:
    """What to give instead of what returns a network's outputs."""
    return "give a function of its outputs, such as lambda params, batch: " + (
        '{"accuracy": model.apply(params, batch[0]).argmax(-1) == batch[1]}' if what == "eval_fn"
        else "jnp.mean((model.apply(params, batch[0]) - batch[1]) ** 2)") + (
        '; of the "params" alone that init gave, apply({"params": params}, ...)')


def _check_is_no_network(what: str, function: Any) -> None:
    """Raises TypeError for a module of flax, and for the method of a model that computes
    outputs."""
    owner = getattr(function, "__self__", None)
    computes = getattr(function, "__name__", "") in ("apply", "__call__")
    if owner is not None and computes and _wrapped.is_model(owner):
        raise TypeError(f"{what} is {function.__name__} of {article(type(owner).__name__)}, which "
                        f"returns outputs: {of_outputs(what)}")
    if any(each.__module__.startswith("flax.linen") for each in type(function).__mro__):
        raise TypeError(f"{what} is {article(type(function).__name__)}, a module of flax: "
                        f"{of_outputs(what)}")


def _check_is_bound(what: str, function: Any) -> None:
    """Raises TypeError for a method that is taken from its class."""
    taken = _roles.parameters(function) or [""]
    owner, _, name = str(getattr(_wrapped.innermost(function), "__qualname__", "")).rpartition(".")
    if taken[0] == "self" and owner and not owner.endswith("<locals>"):
        owner, place = owner.rpartition(".")[2], Asked(what, function).place()
        raise TypeError(f"{place}{what} is {owner}.{name}, a method without its object: give "
                        f"{owner}(...).{name}, of an object of the class")


def check(what: str, function: Any, returns: str) -> None:
    """Raises TypeError for what is no function of the caller's. what: "the loss function"."""
    _check_is_no_class(what, function)
    _check_is_bound(what, function)
    _check_is_not_compiled(what, function)
    _check_is_no_network(what, function)
    _check_is_of_caller(what, function, returns)


def advice(function: Callable[..., Any]) -> str:
    """What to do about parameters that cannot be given by their places, or nothing."""
    if isinstance(function, functools.partial):
        return "bind neither params nor batch by functools.partial, podsim gives them"
    every = inspect.signature(function).parameters.values()
    named = [each.name for each in every if each.kind is each.KEYWORD_ONLY
             and each.default is each.empty]
    return f"{named[0]} is taken by its name alone: leave the * before it out" if named else ""


