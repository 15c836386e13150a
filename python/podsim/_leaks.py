"""Traced values that a function keeps from one call to the next."""

from __future__ import annotations

import inspect
from typing import Any, Iterable, Iterator, Mapping

from . import _wrapped

_DEEPEST = 3
_SAID = ("{0} keeps traced values of an earlier call{1}: a function is traced, not run at each "
         "step: compute from params and batch alone; run.losses has the history")


def _holds(value: Any, is_traced: Any, depth: int = 0) -> bool:
    if is_traced(value):
        return True
    if depth == _DEEPEST:
        return False
    parts: Iterable[Any] = ()
    if isinstance(value, Mapping):
        parts = value.values()
    elif isinstance(value, (list, tuple, set)):
        parts = value
    elif hasattr(value, "__dict__") and not isinstance(value, type) and not callable(value):
        parts = vars(value).values()
    return any(_holds(part, is_traced, depth + 1) for part in list(parts)[:1000])


def _variables(function: Any) -> Iterator[tuple[str, Any]]:
    """What a function can see beside its arguments."""
    owner = getattr(function, "__self__", None)
    inner = _wrapped.innermost(function)
    if owner is None and not hasattr(inner, "__code__"):
        owner = inner
    for name, value in getattr(owner, "__dict__", {}).items():
        yield f"self.{name}", value
    try:
        seen = inspect.getclosurevars(inner)
    except (TypeError, ValueError):
        return
    yield from seen.nonlocals.items()
    yield from seen.globals.items()
    for name, value in inspect.signature(inner).parameters.items():
        yield name, value.default


def text(what: str, function: Any) -> str:
    """what: "the loss function". The variable is named if it is found."""
    import jax

    def is_traced(value: Any) -> bool:
        return isinstance(value, jax.core.Tracer)

    names = [name for name, value in _variables(function) if _holds(value, is_traced)]
    return _SAID.format(what, f" (in {names[0]!r})" if names else "")


def is_in(closed: Any, arguments: Any) -> bool:
    """Whether what a function was traced to, with these arguments, needs more than them:
    JAX makes operands of values that come from an earlier call."""
    import jax

    return len(closed.jaxpr.invars) > len(jax.tree_util.tree_leaves(arguments))
