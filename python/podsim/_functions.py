"""Loss functions and evaluations, whatever they take and return."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Mapping

from . import _calling, _random, _trees
from ._state import State


def _needed(function: Callable[..., Any]) -> int | None:
    """How many arguments it cannot do without; None: it does not say."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(each.kind == each.VAR_POSITIONAL for each in parameters):
        return None
    return sum(each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
               and each.default is each.empty for each in parameters)


def _takes_key(loss_fn: Callable[..., Any], state: State) -> bool:
    """Whether it has one more parameter without a default than it must have."""
    fixed = 2 if state.is_none else 3
    needed = _needed(loss_fn)
    if needed not in (None, fixed, fixed + 1):
        wanted = "params, batch" if state.is_none else "params, state, batch"
        raise TypeError(f"the loss function takes {wanted} and, if it draws random "
                        f"numbers, a key; this one takes {needed} arguments")
    return needed == fixed + 1


def check_takes_no_key(eval_fn: Callable[..., Any], state: State) -> None:
    needed = _needed(eval_fn)
    if needed not in (None, 2 if state.is_none else 3):
        wanted = "params, batch" if state.is_none else "params, state, batch"
        raise TypeError(f"eval_fn takes {wanted} and no key, as an evaluation draws "
                        f"nothing; this one takes {needed} arguments")


def _number(name: str, value: Any, what: str) -> Any:
    import jax.numpy as jnp

    try:
        return jnp.asarray(value, jnp.float32)
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be a dict of names and arrays; {name!r} is a "
                        f"{type(value).__name__}, not an array of numbers") from None


def checked_metrics(metrics: Any, what: str) -> dict[str, Any]:
    """As float32."""
    if not isinstance(metrics, Mapping):
        shape = getattr(metrics, "shape", None)
        found = (f"a {type(metrics).__name__}" if shape is None else
                 f"an array of the shape {shape}")
        raise TypeError(f"{what} must be a dict of names and arrays, such as "
                        f'{{"accuracy": ...}}, not {found}')
    for name in metrics:
        if not isinstance(name, str):
            raise TypeError(f"{what} must be a dict of names and arrays; the key {name!r} "
                            "is no str")
    return {name: _number(name, value, what) for name, value in metrics.items()}


def _without_loss(metrics: dict[str, Any]) -> dict[str, Any]:
    """Raises ValueError for a metric with the loss's own name."""
    if "loss" in metrics:
        raise ValueError("a metric is called 'loss', as the loss itself is, which run.metrics has "
                         "anyway: leave it out, or give it another name")
    return metrics


def again(tree: Any) -> Any:
    """The tree made anew: flax nnx lets nobody change a variable of an outer trace."""
    import jax

    return jax.tree_util.tree_map(lambda leaf: leaf, tree)


def _is_like(tree: Any, params: Any) -> bool:
    """Whether it has the structure and the shapes of params, not all of them numbers."""
    import jax

    def shape_of(leaf: Any) -> Any:
        return getattr(leaf, "shape", None)

    structure: Any = jax.tree_util.tree_structure(params)
    shapes = [shape_of(leaf) for leaf in jax.tree_util.tree_leaves(params)]
    return (bool(structure == jax.tree_util.tree_structure(tree)) and any(shapes)
            and [shape_of(leaf) for leaf in jax.tree_util.tree_leaves(tree)] == shapes)


def _check_is_no_gradient(returned: Any, params: Any) -> None:
    """Raises TypeError for what jax.grad or jax.value_and_grad return."""
    is_pair = isinstance(returned, tuple) and len(returned) == 2
    what = ("gradients" if _is_like(returned, params) else
            "a value and gradients" if is_pair and _is_like(returned[1], params) else "")
    if what:
        raise TypeError(f"the loss function returns {what} (a tree of the shapes of params), "
                        "as jax.grad and jax.value_and_grad make them; hand over the function "
                        "that returns the loss: podsim computes the gradients")


class Loss:
    """A loss function as (loss, (what is carried, metrics)), whatever it returns."""

    def __init__(self, loss_fn: Callable[..., Any], state: State) -> None:
        self._loss_fn = loss_fn
        self._state = state
        self._takes_key = _takes_key(loss_fn, state)
        self.draws = self._takes_key or state.draws

    def __call__(self, params: Any, carried: list[Any], batch: Any, *numbers: Any) -> Any:
        keys = [_random.wrap(each) for each in numbers]
        states = [] if self._state.is_none else [self._state.whole(carried, *keys)]
        returned = _calling.call("the loss function", self._loss_fn, again(params), *states,
                                 batch=batch, keys=tuple(keys) if self._takes_key else ())
        if not self._carries(returned):
            _check_is_no_gradient(returned, params)
        rest: Any = {} if self._state.is_none else None
        if not isinstance(returned, tuple):
            loss = returned
        elif len(returned) == 2:
            loss, rest = returned
        else:
            raise TypeError("the loss function must return a loss, or a loss and one more "
                            f"thing, not {len(returned)} things")
        new_state, metrics = self._split(rest)
        if getattr(loss, "shape", None) != ():
            raise TypeError("the loss must be one number, the mean over the examples; this one "
                            f"is {_trees.describe(loss)}")
        return loss, (new_state, _without_loss(checked_metrics(metrics, "metrics")))

    def _carries(self, returned: Any) -> bool:
        """Whether it has a state of the structure of this one."""
        return (not self._state.is_none and isinstance(returned, tuple)
                and self._state.matches(returned[-1]))

    def _split(self, rest: Any) -> tuple[list[Any], Any]:
        if self._state.is_none:
            return [], rest
        if self._state.matches(rest):
            return self._state.carried(rest), {}
        if (isinstance(rest, tuple) and len(rest) == 2
                and self._state.matches(rest[0])):
            return self._state.carried(rest[0]), rest[1]
        raise TypeError("with a state the loss function returns (loss, new_state) or "
                        "(loss, (new_state, metrics)), new_state with the structure of the "
                        f"state; beside the loss this one returns {_trees.describe(rest)}, the "
                        f"state is {self._state.describe()}")
