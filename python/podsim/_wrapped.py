"""Loss functions that are another one in a transformation of JAX."""

from __future__ import annotations

import contextlib
import dis
import functools
import os
from typing import Any, Callable, Iterator

# Of the functions inside JAX that transformations return.
_MADE_BY = {"vmap_f": "jax.vmap", "grad_f": "jax.grad", "value_and_grad_f": "jax.value_and_grad",
            "jacfun": "jax.jacobian", "make_jaxpr_f": "jax.make_jaxpr", "pmap": "jax.pmap",
            "_shard_map": "jax.shard_map"}

# What to hand over instead.
_WAYS = {
    "jax.pmap": "give {0} itself; podsim divides the batch over the cores and reduces the "
                "gradients",
    "jax.shard_map": "give {0} itself; podsim divides the batch over the cores and reduces the "
                     "gradients",
    "jax.vmap": "give {0} itself if it takes a whole batch; if it takes one example, take the "
                "mean: lambda params, batch: jnp.mean(jax.vmap(f, in_axes=(None, 0))(params, "
                "batch))",
    "jax.make_jaxpr": "give {0} itself; podsim traces it",
    "jax.grad": "give {0} itself; podsim computes the gradients",
    "jax.value_and_grad": "give {0} itself; podsim computes the gradients",
    "jax.jacobian": "give {0} itself; podsim computes the gradients",
}


def held(function: Callable[..., Any]) -> Iterator[Any]:
    """What a function has of those around it."""
    for cell in getattr(function, "__closure__", None) or ():
        with contextlib.suppress(ValueError):  # it is empty
            yield cell.cell_contents


def _codes(function: Callable[..., Any]) -> Iterator[Any]:
    """Of a function, and of those that it holds."""
    for each in (function, *held(function)):
        code = getattr(each, "__code__", None)
        if code is not None and f"{os.sep}jax{os.sep}" in code.co_filename:
            yield code


def _made_by(function: Callable[..., Any]) -> str:
    """The transformation that returned it, or nothing."""
    for code in _codes(function):
        for part in (code.co_name, code.co_qualname.split(".")[0]):
            if part in _MADE_BY:
                return _MADE_BY[part]
    return ""


def _inside(function: Any) -> Any:
    return getattr(function, "__wrapped__", None)


def transformed(function: Any) -> tuple[str, Any] | None:
    """("jax.pmap", loss_fn) of jax.jit(jax.pmap(loss_fn)); None: there is none."""
    while function is not None:
        made_by = _made_by(function)
        if made_by:
            return made_by, _inside(function)
        function = _inside(function)
    return None


def innermost(function: Any) -> Any:
    """The caller's own function."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif _inside(function) is not None:
            function = _inside(function)
        else:
            return getattr(function, "__func__", function)


def code_of(function: Any) -> Any:
    """None: it has no source, or is an object of a class that has none."""
    function = innermost(function)
    if not hasattr(function, "__code__"):
        function = innermost(getattr(type(function), "__call__", None))
    return getattr(function, "__code__", None)


def codes_of(function: Any) -> list[Any]:
    """Its code, and that of the functions inside of it."""
    codes = [code_of(function)]
    for code in codes:
        codes += [each for each in getattr(code, "co_consts", ()) if hasattr(each, "co_code")]
    return [code for code in codes if code is not None]


def place_of(function: Any, name: str) -> str:
    """"train.py:12: ", where a function names a variable; empty: it does not itself."""
    for code in codes_of(function):
        line = 0
        for each in dis.get_instructions(code):
            line = each.starts_line or line
            if each.argval == name.rpartition(".")[2]:
                return f"{os.path.basename(code.co_filename)}:{line}: "
    return ""


def name_of(function: Any) -> str:
    """"the lambda", "loss_fn"."""
    if isinstance(function, functools.partial):
        return f"functools.partial of {name_of(function.func)}"
    name = getattr(innermost(function), "__name__", "")
    return "the lambda" if name == "<lambda>" else name or f"the {type(function).__name__}"


def is_model(function: Any) -> bool:
    """Whether it is a module of a library of layers."""
    return any(each.__module__.split(".")[0] in ("flax", "haiku", "equinox")
               for each in type(function).__mro__)


def advice(what: str, function: Any) -> str:
    """"the loss function is jax.pmap of loss_fn: give loss_fn itself; ...", or nothing."""
    found = transformed(function)
    if found is None:
        return ""
    made_by, inner = found
    name = name_of(inner) if inner is not None else "the function"
    way = _WAYS[made_by].format(name)
    if what == "eval_fn":
        mean, mapped = "take the mean: lambda params, batch: jnp.mean({0}(params, batch))", (
            "jax.vmap(f, in_axes=(None, 0))")
        way = way.replace(mean.format(mapped), f"give {mapped}")
    return f"{what} is {made_by} of {name}: {way}"
