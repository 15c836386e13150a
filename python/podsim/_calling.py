"""A function of the caller's, called with what JAX traces; what it fails with is said in
one line, with its line and what it was given."""

from __future__ import annotations

import traceback
from typing import Any, Callable

import numpy as np

from . import _jaxprs, _tracing, _trees

# What a function fails with that takes its arguments for something else.
_PLAIN = (TypeError, ValueError, KeyError, IndexError, AttributeError)


def line_of(error: BaseException) -> str:
    """"train.py:41: ", where the caller's code was last; empty if it was not there."""
    lines = [f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno}: "
             for frame in traceback.extract_tb(error.__traceback__)
             if not _jaxprs.is_library(frame.filename)]
    return lines[-1] if lines else ""


def _shape(leaf: Any, has_examples: bool) -> str:
    if leaf is None or not hasattr(leaf, "dtype"):
        return type(leaf).__name__
    sizes = list(map(str, np.shape(leaf)))
    if has_examples and sizes:
        sizes[0] = "N"
    return f"{leaf.dtype}[{','.join(sizes)}]"


def shapes(tree: Any, has_examples: bool = False, most: int = 4) -> str:
    """"w: float32[8,4], b: float32[4]"; N: the number of examples."""
    import jax

    paths, _ = jax.tree_util.tree_flatten_with_path(tree, is_leaf=lambda leaf: leaf is None)
    named = [(_trees.name_of(path, ""), _shape(leaf, has_examples)) for path, leaf in paths]
    said = ", ".join(f"{name}: {shape}" if name else shape for name, shape in named[:most])
    more = f" and {len(named) - most} more" if len(named) > most else ""
    return f"{said}{more}"


def call(what: str, function: Callable[..., Any], params: Any, *arguments: Any,
         batch: Any, keys: tuple[Any, ...] = ()) -> Any:
    """function(params, *arguments, batch, *keys). what: "the loss function"."""
    try:
        return function(params, *arguments, batch, *keys)
    except _PLAIN as error:
        if type(error) not in _PLAIN or _tracing.in_one_line(error) or not line_of(error):
            raise
        why = next(iter(str(error).splitlines()), "")
        raise type(error)(
            f"{line_of(error)}{what} fails: {type(error).__name__}: {why.rstrip('.')}; its batch "
            f"is {shapes(batch, True)} (N examples), its params are {shapes(params)}: make the "
            "function fit what it is given, or the other way round") from error
