"""Traced values that a function keeps from one call to the next."""

from __future__ import annotations

import inspect
from typing import Any, Iterable, Iterator, Mapping

from . import _checks, _wrapped
from ._said import is_traced

_DEEPEST = 3
_SAID = ("{0} keeps traced values of an earlier call{1}: a function is traced, not run at each "
         "step: compute from params and batch alone; run.losses has the history")


def _holds(value: Any, depth: int = 0) -> bool:
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
    return any(_holds(part, depth + 1) for part in list(parts)[:1000])


def variables(function: Any) -> Iterator[tuple[str, Any]]:
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
    names = [name for name, value in variables(function) if _holds(value)]
    return _SAID.format(what, f" (in {names[0]!r})" if names else "")


def is_in(closed: Any, arguments: Any) -> bool:
    """Whether what a function was traced to, with these arguments, needs more than them:
    JAX makes operands of values that come from an earlier call."""
    import jax

    return len(closed.jaxpr.invars) > len(jax.tree_util.tree_leaves(arguments))


def warn_of_kept(function: Any) -> None:
    """Warns of variables and containers in which the loss function left traced values: nothing
    can be read from them after the call."""
    kept = [name for name, value in variables(function)
            if isinstance(value, (list, dict, set)) and _holds(value)
            or is_traced(value)]
    if kept:
        _checks.warn(f"the loss function keeps traced values in {_checks.some(kept)}: it is "
                     "traced, not run at each step, and they hold no numbers: run.losses has the "
                     "loss of each step, and metrics that the function returns are in run.metrics")
