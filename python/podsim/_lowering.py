"""A loss function of JAX as the message that pod_program imports.

What is lowered is `jax.value_and_grad(loss_fn)`, with several numbers of
examples: the importer finds the batch by comparing them."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable

import numpy as np

from . import _random, _trees, _wire
from ._functions import Loss, again, check_takes_no_key, checked_metrics
from ._state import State

# Numbers of examples that hardly are a dimension of somebody's model by chance.
BATCHES = (19, 23, 29)

# Kinds of proto/import.proto.
_VARIABLE, _STATE, _INPUT, _KEY = 1, 2, 3, 4
_LOSS, _GRADIENT, _NEW_STATE, _METRIC = 1, 2, 3, 4


@dataclasses.dataclass(frozen=True)
class Result:
    """What one of a function's results is to podsim."""

    kind: int
    name: str = ""

    def message(self) -> bytes:
        return _wire.number(1, self.kind) + _wire.sized(2, self.name)


@dataclasses.dataclass(frozen=True)
class Names:
    """The arrays of a call of the loss function, by name."""

    variables: list[str]
    states: list[str]
    inputs: list[str]


def example_type(leaf: Any) -> tuple[tuple[int, ...], np.dtype]:
    """Shape and type of one example of `leaf`, whose first axis are examples."""
    shape = tuple(np.shape(leaf))
    if not shape:
        raise ValueError(
            "an array of the batch has no dimensions; the first one of each "
            "must be that of the examples")
    dtype = np.dtype(leaf.dtype if hasattr(leaf, "dtype") else np.asarray(leaf).dtype)
    return shape[1:], narrow(dtype)


def narrow(dtype: np.dtype) -> np.dtype:
    """What JAX makes of a type by default: 64 bits become 32."""
    return np.dtype({"int64": "int32", "uint64": "uint32", "float64": "float32"}
                    .get(dtype.name, dtype.name))


def _batch_of(examples: Any, count: int) -> Any:
    import jax

    struct: Any = jax.ShapeDtypeStruct

    def leaf_of(leaf: Any) -> Any:
        shape, dtype = example_type(leaf)
        return struct((count, *shape), dtype)

    return jax.tree_util.tree_map(leaf_of, examples)


def _lower(function: Callable[..., Any], *arguments: Any) -> bytes:
    import jax

    lowered = jax.jit(function, keep_unused=True).lower(*arguments)
    module: Any = lowered.compiler_ir("hlo")
    return bytes(module.as_serialized_hlo_module_proto())


@dataclasses.dataclass(frozen=True)
class _Call:
    """What a function is lowered with, and what its arguments are."""

    params: Any
    state: list[Any]
    examples: Any
    names: Names
    takes_key: bool = False

    def arguments(self, count: int) -> list[Any]:
        import jax

        struct: Any = jax.ShapeDtypeStruct
        key = [struct((2,), np.uint32)] if self.takes_key else []
        return [self.params, self.state, _batch_of(self.examples, count), *key]

    def described(self, begins: bool) -> bytes:
        """ImportArguments. begins: with what the variables begin with."""
        import jax

        message = b""
        for kind, names, tree in ((_VARIABLE, self.names.variables, self.params),
                                  (_STATE, self.names.states, self.state)):
            for name, leaf in zip(names, jax.tree_util.tree_leaves(tree)):
                argument = _wire.number(1, kind) + _wire.sized(2, name)
                if begins:
                    argument += _wire.sized(3, np.asarray(leaf, "<f4").tobytes())
                message += _wire.sized(2, argument)
        for name in self.names.inputs:
            message += _wire.sized(2, _wire.number(1, _INPUT) + _wire.sized(2, name))
        if self.takes_key:
            message += _wire.sized(2, _wire.number(1, _KEY) + _wire.sized(2, "key"))
        return message


def _function(function: Callable[..., Any], call: _Call, results: list[Result],
              begins: bool) -> bytes:
    """ImportFunction's bytes."""
    message = b""
    for count in BATCHES:
        module = _lower(function, *call.arguments(count))
        message += _wire.sized(1, _wire.number(1, count) + _wire.sized(2, module))
    message += call.described(begins)
    for result in results:
        message += _wire.sized(3, result.message())
    return message


def _names(params: Any, states: list[str], examples: Any) -> Names:
    variables, _, _ = _trees.named_leaves(params, "params")
    inputs, _, _ = _trees.named_leaves(examples, "batch")
    both = sorted(set(variables) & set(states))
    if both:
        raise ValueError(f"a parameter and a state are both called {both[0]!r}")
    return Names(variables, states, inputs)


def _training(loss_fn: Callable[..., Any], params: Any, state: State, examples: Any,
              names: Names, begins: bool) -> bytes:
    import jax
    import jax.numpy as jnp

    loss_of = Loss(loss_fn, state)
    call = _Call(params, state.carried(), examples, names, loss_of.draws)
    _, (_, probe) = jax.eval_shape(loss_of, *call.arguments(BATCHES[0]))
    metric_names = sorted(probe)

    def training(*arguments: Any) -> Any:
        value, gradients = jax.value_and_grad(loss_of, has_aux=True)(*arguments)
        loss, (new_state, metrics) = value
        as_float = [jnp.asarray(metrics[key], jnp.float32) for key in metric_names]
        return (jnp.asarray(loss, jnp.float32), as_float,
                jax.tree_util.tree_leaves(gradients), new_state)

    results = [Result(_LOSS)]
    results += [Result(_METRIC, key) for key in metric_names]
    results += [Result(_GRADIENT, key) for key in names.variables]
    results += [Result(_NEW_STATE, key) for key in names.states]
    return _function(training, call, results, begins)


def _evaluation(eval_fn: Callable[..., Any], params: Any, state: State, examples: Any,
                names: Names) -> bytes:
    import jax
    import jax.numpy as jnp

    check_takes_no_key(eval_fn, state)

    def metrics_of(params: Any, carried: list[Any], batch: Any) -> Any:
        states = [] if state.is_none else [state.whole(carried, _random.silent())]
        return checked_metrics(eval_fn(again(params), *states, batch), "what eval_fn returns")

    call = _Call(params, state.carried(), examples, names)
    probe = jax.eval_shape(metrics_of, *call.arguments(BATCHES[0]))
    for key, value in probe.items():
        if value.shape not in ((), (BATCHES[0],)):
            raise TypeError(f"eval_fn's {key!r} has the shape {value.shape}; it must be "
                            "one number for each example")

    def evaluation(*arguments: Any) -> Any:
        metrics = metrics_of(*arguments)
        return [jnp.asarray(metrics[key], jnp.float32) for key in sorted(probe)]

    results = [Result(_METRIC, key) for key in sorted(probe)]
    return _function(evaluation, call, results, begins=False)


def import_message(name: str, loss_fn: Callable[..., Any], params: Any, examples: Any,
                   eval_fn: Callable[..., Any] | None, state: Any = None,
                   begins: bool = True) -> bytes:
    """ImportProto's bytes. `examples`: a batch, of which only shapes and types
    are read; begins: with the numbers of params and state, too. Raises what JAX
    raises for a function that it cannot trace."""
    carried = State(state)
    names = _names(params, carried.names, examples)
    message = _wire.sized(1, name)
    message += _wire.sized(2, _training(loss_fn, params, carried, examples, names, begins))
    if eval_fn is not None:
        message += _wire.sized(3, _evaluation(eval_fn, params, carried, examples, names))
    return message
