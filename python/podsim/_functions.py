"""Loss functions and evaluations, whatever they take and return."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Mapping

from . import _calling, _given, _random, _roles, _takes, _trees, _wrapped
from ._asking import Asked
from ._said import shown
from ._state import State


OF_EVALUATION = "what eval_fn returns"


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


def _counts_refused(what: str, function: Callable[..., Any], calls: list[tuple[str, ...]]
                    ) -> Exception:
    """That a function cannot be called in any of these ways."""
    asked = Asked(what, function)
    ways = ", or ".join(_roles.listed(roles) for roles in calls)
    taken = _needed(function)
    return TypeError(f"{asked.place()}{what} is called as {ways}; {asked.name()} takes "
                     f"{taken} argument{'s' * (taken != 1)}")


def _roles_of(state: State) -> tuple[str, ...]:
    return ("params", "batch") if state.is_none else ("params", "state", "batch")


def _takes_key(loss_fn: Callable[..., Any], state: State) -> bool:
    """Whether it has one more parameter without a default than it must have."""
    _takes.check("the loss function", loss_fn, "the mean loss")
    roles = _roles_of(state)
    needed = _needed(loss_fn)
    if needed not in (None, len(roles), len(roles) + 1):
        refused = _counts_refused("the loss function", loss_fn, [roles, (*roles, "key")])
        advice = _takes.advice(loss_fn) or (
                  _takes.of_outputs("the loss function") if _wrapped.is_model(loss_fn) else
                  _roles.labels_apart(loss_fn) or
                  ("give state= if it takes a state, too" if needed == 4 and state.is_none else
                   "the others must have defaults" if needed and needed > len(roles) else
                   f"write def {_roles.shown('loss_fn', roles)}"
                   + ", or leave state= out" * (not state.is_none)))
        raise TypeError(f"{refused}: {advice}")
    return needed == len(roles) + 1


def check_takes_no_key(eval_fn: Callable[..., Any], state: State) -> None:
    _takes.check("eval_fn", eval_fn, "a dict of numbers for each example")
    roles = _roles_of(state)
    if _needed(eval_fn) not in (None, len(roles)):
        refused = _counts_refused("eval_fn", eval_fn, [roles])
        advice = _takes.advice(eval_fn) or _roles.labels_apart(eval_fn) or (
            "leave the others out, or give them defaults (an evaluation draws nothing and takes no "
            "key)" if (_needed(eval_fn) or 0) > len(roles) else
            f"write def {_roles.shown('eval_fn', roles)}")
        raise TypeError(f"{refused}: {advice}")


def examples_of(batch: Any) -> int:
    """How many examples it has; 0: it has no array."""
    import jax

    leaves = jax.tree_util.tree_leaves(batch)
    return int(leaves[0].shape[0]) if leaves else 0


def _check_shape(name: str, shape: tuple[int, ...], what: str, examples: int) -> None:
    """Raises TypeError for a metric that is neither one number nor one for each example. That an
    evaluation's are one for each, _lowering.py checks."""
    if len(shape) < 2 and (what == OF_EVALUATION or shape in ((), (examples,))):
        return
    if what == OF_EVALUATION and shape[0] == examples:
        axes = "-1" if len(shape) == 2 else tuple(range(1, len(shape)))
        raise TypeError(f"eval_fn's {name!r} has the shape {shape}; it must be one number for each "
                        f"example: reduce the other axes, as in jnp.mean(..., axis={axes})")
    raise TypeError(f"{what} must be a dict of names and numbers, one or one for each example; "
                    f"{name!r} has the shape {shape}: take jnp.mean of it, or leave it out")


def _number(name: str, value: Any, what: str) -> Any:
    import jax.numpy as jnp

    try:
        return jnp.asarray(value, jnp.float32)
    except (TypeError, ValueError):
        way = ("; what steps carry goes through state=" if isinstance(value, Mapping)
               and what != OF_EVALUATION else "")
        raise TypeError(f"{what} must be a dict of names and arrays; {name!r} is {shown(value)}, "
                        f"not an array of numbers: leave it out{way}") from None


def checked_metrics(metrics: Any, what: str, examples: int) -> dict[str, Any]:
    """As float32. examples: how many the batch has."""
    if not isinstance(metrics, Mapping):
        shape = getattr(metrics, "shape", None)
        found = (shown(metrics) if shape is None else "one number" if shape == () else
                 f"an array of the shape {shape}")
        raise TypeError(f"{what} must be a dict of names and numbers, "
                        f"{'one or ' * (what != OF_EVALUATION)}one for each example, such as "
                        f'{{"accuracy": ...}}, not {found}')
    for name in metrics:
        if not isinstance(name, str):
            raise TypeError(f"{what} must be a dict of names and arrays; the key {name!r} "
                            f"is no str: write '{name}'")
    numbers = {name: _number(name, value, what) for name, value in metrics.items()}
    for name, number in numbers.items():
        _check_shape(name, tuple(number.shape), what, examples)
    return numbers


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


def _no_metrics(second: Any, has_state: bool) -> str:
    """What is said of a loss function that returns something else than metrics beside the loss:
    outputs, an accuracy, None."""
    found = "one number" if getattr(second, "shape", None) == () else _given.kind(second)
    returns = f"(loss, (new_state, {found}))" if has_state else f"(loss, {found})"
    alone = "loss, new_state" if has_state else "the loss alone"
    both = 'loss, (new_state, {"accuracy": ...})' if has_state else 'loss, {"accuracy": ...}'
    state = "; what steps carry goes through state=" * (isinstance(second, tuple) and not has_state)
    return (f"the loss function returns {returns}; the second thing of a pair is metrics, a dict "
            f"of numbers: return {alone}, or {both}{state}")


def _check_comes_first(loss: Any, second: Any) -> None:
    """Raises TypeError for (outputs, loss)."""
    shape = getattr(loss, "shape", ())
    if len(shape) > 1 and shape[-1] > 1 and getattr(second, "shape", None) == ():
        raise TypeError(f"the loss function returns ({_given.kind(loss)}, one number); the first "
                        'thing of a pair is the loss: return loss, or loss, {"accuracy": ...}')


def _no_number(loss: Any, loss_fn: Callable[..., Any]) -> str:
    """What is said of a loss that is not one number."""
    said = ("the loss must be one number, the mean over the examples; this one is "
            f"{(shown if isinstance(loss, (int, float, str)) else _trees.describe)(loss)}")
    if loss is None:
        return f"{said}: return the loss"
    transformed = Asked("the loss function", loss_fn).transformed()
    if transformed:
        return f"{said}: {transformed}"
    if isinstance(loss, Mapping):
        return f"{said}: return the loss, or (loss, metrics)"
    if isinstance(loss, list):
        return f"{said}: return one number, or (loss, metrics), a tuple"
    if isinstance(loss, (bool, int, float)):
        return f"{said}, which does not follow from params: compute it from them"
    if inspect.iscoroutine(loss) or inspect.isgenerator(loss):
        return f"{said}: write a plain function, without async and yield, that returns the loss"
    if len(getattr(loss, "shape", ())) > 1 and {*loss.shape} != {1}:
        return (f"what is trained is a loss, one number; this function returns {loss.shape}, as a "
                "network's outputs are: give a function of (params, batch) that returns the mean "
                "loss")
    if callable(loss):
        return f"{said}: call it, with its arguments, and return what comes"
    advice = "take jnp.mean of it" if hasattr(loss, "shape") else "return a float32 number"
    return f"{said}: {advice}"


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
        examples = examples_of(batch)
        returned = _calling.call("the loss function", self._loss_fn, again(params), *states,
                                 batch=batch, keys=tuple(keys) if self._takes_key else ())
        roles = (*_roles_of(self._state), *["key"] * self._takes_key)
        with _calling.checked(Asked("the loss function", self._loss_fn, roles)):
            return self._taken_apart(returned, params, examples)

    def _taken_apart(self, returned: Any, params: Any, examples: int) -> Any:
        """(loss, (what is carried, metrics)) of what the function returned. examples: how many
        it was given."""
        if inspect.iscoroutine(returned) or inspect.isgenerator(returned):
            raise TypeError(_no_number(returned, self._loss_fn))
        if not self._carries(returned):
            _check_is_no_gradient(returned, params)
        loss, rest = self._two_things(returned)
        if self._state.is_none:
            _check_comes_first(loss, rest)
        new_state, metrics = self._split(rest)
        if getattr(loss, "shape", None) != ():
            raise TypeError(_no_number(loss, self._loss_fn))
        if not isinstance(metrics, Mapping):
            raise TypeError(_no_metrics(metrics, not self._state.is_none))
        checked = checked_metrics(metrics, "metrics", examples)
        return loss, (new_state, _without_loss(checked))

    def _two_things(self, returned: Any) -> tuple[Any, Any]:
        """The loss, and what is returned beside it."""
        if not isinstance(returned, tuple):
            return returned, {} if self._state.is_none else None
        if len(returned) == 2:
            return returned[0], returned[1]
        wanted = ("a loss, or (loss, metrics)" if self._state.is_none else
                  "(loss, new_state), or (loss, (new_state, metrics))")
        many = "one thing" if len(returned) == 1 else f"{len(returned)} things"
        way = ("a comma behind a value makes a tuple: leave it out" if len(returned) == 1 else
               'put what is beside the loss into one dict, {"accuracy": ..., "norm": ...}')
        raise TypeError(f"the loss function returns {many} in a tuple; it must return "
                        f"{wanted}; {way}")

    def _carries(self, returned: Any) -> bool:
        """Whether it has a state of the structure of this one."""
        return (not self._state.is_none and isinstance(returned, tuple)
                and len(returned) > 0 and self._state.matches(returned[-1]))

    def _split(self, rest: Any) -> tuple[list[Any], Any]:
        if self._state.is_none:
            return [], rest
        if self._state.matches(rest):
            return self._state.carried(rest), {}
        if (isinstance(rest, tuple) and len(rest) == 2
                and self._state.matches(rest[0])):
            return self._state.carried(rest[0]), rest[1]
        if rest is None:
            raise TypeError("with a state the loss function returns (loss, new_state) or (loss, "
                            "(new_state, metrics)), but this one returns the loss alone; the "
                            f"state is {self._state.describe()}: return loss, new_state")
        raise TypeError("with a state the loss function returns (loss, new_state) or "
                        "(loss, (new_state, metrics)), new_state with the structure of the "
                        f"state; beside the loss this one returns {_trees.describe(rest)}, the "
                        f"state is {self._state.describe()}: return the same structure")
