"""Finds a loss that adds its examples up: what comes out would follow the slice."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from . import _checks, _jaxprs


def _floats(closed: Any) -> set[str]:
    """The real numbers that stand in a jaxpr."""
    found: set[str] = set()
    for each in _jaxprs.jaxprs(closed):
        numbers = list(getattr(each, "consts", ()))
        for equation in getattr(each, "jaxpr", each).eqns:
            numbers += [x.val for x in equation.invars if hasattr(x, "val")]
        found |= {repr(float(x)) for x in numbers
                  if np.shape(x) == () and _is_real(x)}
    return found


def _is_real(value: Any) -> bool:
    """A random key has a type of JAX's own, which has no kind."""
    return getattr(getattr(value, "dtype", np.dtype(type(value))), "kind", "") == "f"


def _doubles(loss_of: Callable[..., Any], params: Any, carried: Any, examples: Any,
             count: int) -> bool:
    """Whether the loss of an example `count` times is half of it twice as often."""
    import jax

    def loss(times: int) -> float:
        batch = jax.tree_util.tree_map(lambda x: np.repeat(x[:1], times, axis=0), examples)
        return float(jax.jit(lambda *arguments: loss_of(*arguments)[0])(params, carried, batch))

    once, twice = loss(count), loss(2 * count)
    return once != 0 and abs(twice - 2 * once) <= 1e-3 * abs(once)


def warn(jaxprs: Sequence[Any], counts: Sequence[int], loss_of: Callable[..., Any],
         params: Any, carried: Any, examples: Any) -> None:
    """jaxprs: the training's, with these numbers of examples. It is computed only if
    the same numbers stand in all: a mean has the number of examples in it."""
    import jax

    known = all(isinstance(x, np.ndarray) for x in jax.tree_util.tree_leaves(examples))
    known &= not any(isinstance(x, jax.ShapeDtypeStruct)
                     for x in jax.tree_util.tree_leaves((params, carried)))
    if not known or _floats(jaxprs[0]) != _floats(jaxprs[1]):
        return
    if _doubles(loss_of, params, carried, examples, counts[0]):
        _checks.warn("the loss is a sum over the examples (twice as many of them, twice the "
                     "loss); it must be their mean, else the result follows the slice and "
                     "batch_per_core: say jnp.mean, or divide by the number of examples")
