"""A batch that a loss function does not read: what it reads instead."""

from __future__ import annotations

from typing import Any, Callable, Mapping

import numpy as np

from . import _leaks, _roles, _wrapped
from ._said import is_array_of_jax


def _shapes(tree: Any) -> set[tuple[int, ...]]:
    """Those of an example."""
    import jax

    return {tuple(np.shape(leaf))[1:] for leaf in jax.tree_util.tree_leaves(tree)}


def _held(function: Callable[..., Any], examples: Any) -> list[str]:
    """The arrays like those of the batch that it sees beside its arguments, by name."""
    shapes = _shapes(examples)
    return [name for name, value in _leaks.variables(function)
            if (isinstance(value, np.ndarray) or is_array_of_jax(value)) and np.ndim(value)
            and tuple(np.shape(value))[1:] in shapes]


def _batch_of(function: Callable[..., Any]) -> str:
    """What the function calls its batch."""
    names = _roles.parameters(_wrapped.innermost(function)) or []
    return next((name for name in names if _roles.role(name) == "batch"), "batch")


def way(function: Callable[..., Any], examples: Any) -> str:
    """What to do: "take x, y = batch, not the x and y outside of the function"."""
    held, batch = _held(function, examples), _batch_of(function)
    if isinstance(examples, Mapping):
        taken = f"take its arrays by their keys, as in {batch}[{next(iter(examples))!r}]"
    elif isinstance(examples, (tuple, list)):
        are_names = len(held) == len(examples) and all(map(str.isidentifier, held))
        known = held if are_names else ["x", "y"] if len(examples) == 2 else []
        taken = f"take {', '.join(known)} = {batch}" if known else f"take {batch}[0]"
    else:
        taken = f"compute it from {batch}"
    outside = f", not the {' and '.join(held)} outside of the function" if held else ""
    return taken + outside
