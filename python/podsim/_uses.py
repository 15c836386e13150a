"""Which parameters a loss follows from: what it does not use is not trained."""

from __future__ import annotations

from typing import Any, Iterable, Sequence

from . import _checks, _jaxprs

_NOT_USED = ("the loss does not use params, so that nothing would be trained: compute it from the "
             "first argument of the loss function, not from arrays that it holds itself")
_NO_GRADIENT = ("the gradient of the loss is 0 for every parameter, so that nothing would be "
                "trained: it uses params behind jax.lax.stop_gradient alone, or through what has "
                "no gradient (round, //, sign, argmax, comparisons); take one of them at least "
                "without")


_NO_BATCH = "the loss does not use its batch: every step would see the same numbers; {0}"


def _variables(values: Iterable[Any]) -> set[Any]:
    """Those that are no numbers."""
    return {each for each in values if not hasattr(each, "val")}


def used(jaxpr: Any, wanted: Iterable[Any]) -> set[Any]:
    """The variables of a jaxpr that `wanted` of them follow from."""
    found = _variables(wanted)
    for equation in reversed(jaxpr.eqns):
        made = [each in found for each in equation.outvars]
        if any(made):
            found |= _operands(equation, made)
    return found


def _operands(equation: Any, made: Sequence[bool]) -> set[Any]:
    """What those of its results follow from; within a call that is asked of what it
    calls."""
    called = _jaxprs.called(equation)
    if called is None:
        return _variables(equation.invars)
    found = used(called, [each for each, is_used in zip(called.outvars, made) if is_used])
    return _variables(each for each, inside in zip(equation.invars, called.invars)
                      if inside in found)


def _zeros(jaxpr: Any) -> set[Any]:
    """The variables that are 0 throughout, as JAX makes them where no gradient flows."""
    found: set[Any] = set()
    for equation in jaxpr.eqns:
        if equation.primitive.name == "broadcast_in_dim" and _is_zero(equation.invars[0], found):
            found |= set(equation.outvars)
    return found


def _is_zero(value: Any, zeros: set[Any]) -> bool:
    return bool(value.val == 0) if hasattr(value, "val") else value in zeros


def check(closed: Any, names: Sequence[str], states: int) -> None:
    """Raises ValueError for a loss that trains nothing, and warns of parameters that it
    does not use. closed: of (params, ...) -> loss, metrics, gradients of `names` and so
    many states."""
    jaxpr = closed.jaxpr
    needed = used(jaxpr, jaxpr.outvars[:1])
    unused = [name for name, each in zip(names, jaxpr.invars) if each not in needed]
    if len(unused) == len(names):
        raise ValueError(_NOT_USED)
    end = len(jaxpr.outvars) - states
    zeros = _zeros(jaxpr)
    if all(_is_zero(each, zeros) for each in jaxpr.outvars[end - len(names):end]):
        raise ValueError(_NO_GRADIENT)
    if unused:
        _checks.warn(f"the loss does not use {_checks.some(unused)} of params: no gradient "
                     f"comes there and nothing is learned; {_way(unused)}")


def _way(unused: Sequence[str]) -> str:
    """What to do about them: flax's averages are a state, and never weights."""
    if unused[0].split("/")[0] == "batch_stats":
        return ("it is flax's state, no weight: give params=variables['params'] and "
                "state={'batch_stats': variables['batch_stats']}, and let "
                "loss_fn(params, state, batch) return (loss, new_state)")
    return "compute the loss with it, or leave it out of params"


def check_batch(closed: Any, params: int, states: int, inputs: int, way: str) -> None:
    """Raises ValueError for a loss that follows from none of the arrays of the batch, or warns
    of it if it follows from a state or a random key. closed: as for check, of so many params,
    states and arrays of a batch; way: what to do."""
    jaxpr = closed.jaxpr
    needed = used(jaxpr, jaxpr.outvars[:1])
    begin = params + states
    if any(each in needed for each in jaxpr.invars[begin:begin + inputs]):
        return
    others = [*jaxpr.invars[params:begin], *jaxpr.invars[begin + inputs:]]
    if any(each in needed for each in others):
        _checks.warn("the loss does not use its batch: no example of the data set reaches it; "
                     f"{way}")
    else:
        raise ValueError(_NO_BATCH.format(way))
