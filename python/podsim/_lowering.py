"""A loss function of JAX as the message that pod_program imports.

What is lowered is `jax.value_and_grad(loss_fn)`, with several numbers of
examples: the importer finds the batch by comparing them."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any, Callable, Iterator

import numpy as np

from . import (_calling, _checks, _decompositions, _failures, _jaxprs, _leaks, _maps, _meshes,
               _random, _sums, _trees, _unread, _uses, _wide)
from ._asking import Asked
from ._counts import BATCHES, merged
from ._functions import (OF_EVALUATION, Loss, again, check_takes_no_key, checked_metrics,
                         examples_of)
from ._state import State
from ._wire import Message

Function = Callable[..., Any]

# Kinds of proto/import.proto.
_VARIABLE, _STATE, _INPUT, _KEY = 1, 2, 3, 4
_LOSS, _GRADIENT, _NEW_STATE, _METRIC = 1, 2, 3, 4


@dataclasses.dataclass(frozen=True)
class Result:
    """What one of a function's results is to podsim."""

    kind: int
    name: str = ""

    def message(self) -> Message:
        return Message().number(1, self.kind).sized(2, self.name)


@dataclasses.dataclass(frozen=True)
class Names:
    """The arrays of a call of the loss function, by name."""

    variables: list[str]
    states: list[str]
    inputs: list[str]


def example_type(leaf: Any, name: str) -> tuple[tuple[int, ...], np.dtype]:
    """Shape and type of one example of the array `name`, with examples along the first
    axis."""
    shape = tuple(np.shape(leaf))
    if not shape:
        raise ValueError(f"the array {name!r} of the batch has no dimension; examples lie along "
                         "the first axis of each array: give one value for each example, or hold "
                         "it in the function instead")
    dtype = np.dtype(leaf.dtype if hasattr(leaf, "dtype") else np.asarray(leaf).dtype)
    return shape[1:], narrow(dtype)


def narrow(dtype: np.dtype) -> np.dtype:
    """What JAX makes of a type by default: 64 bits become 32."""
    return np.dtype({"int64": "int32", "uint64": "uint32", "float64": "float32"}
                    .get(dtype.name, dtype.name))


def stored(dtype: np.dtype) -> np.dtype:
    """What a type is in the files of a data set: small whole numbers are int32."""
    return np.dtype({"int8": "int32", "int16": "int32", "uint16": "int32"}
                    .get(dtype.name, narrow(dtype)))


def _batch_of(examples: Any, count: int) -> Any:
    import jax

    struct: Any = jax.ShapeDtypeStruct

    def leaf_of(path: Any, leaf: Any) -> Any:
        shape, dtype = example_type(leaf, _trees.name_of(path, "batch"))
        return struct((count, *shape), dtype)

    return jax.tree_util.tree_map_with_path(leaf_of, examples)


def _traced(asked: Asked, function: Callable[..., Any], *arguments: Any) -> Any:
    """asked: the caller's function in it."""
    import jax

    with _calling.refusing(asked):
        traced = jax.jit(function, keep_unused=True).trace(*arguments)
    if _leaks.is_in(traced.jaxpr, arguments):
        raise _failures.leak(asked)
    return traced


def _lowered(asked: Asked, traced: Any) -> Any:
    with _calling.refusing(asked):
        return traced.lower()


def _failure_of(trace: Callable[[int], Any], count: int) -> Exception | None:
    """What tracing with another number of examples fails with."""
    try:
        trace(count)
    except Exception as error:
        return error
    return None


@contextlib.contextmanager
def _saying_n(count: int, other: Callable[[], Exception | None] = lambda: None) -> Iterator[None]:
    """A failure of tracing with `count` examples says N for what follows their number.
    other: what tracing with the second of BATCHES fails with."""
    try:
        yield
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        _failures.with_n(error, other(), count)
        raise


def _both_traced(trace: Callable[[int], Any]) -> list[Any]:
    """Of the first two of BATCHES."""
    with _saying_n(BATCHES[0], lambda: _failure_of(trace, BATCHES[1])):
        first = trace(BATCHES[0])
    with _saying_n(BATCHES[1]):
        return [first, trace(BATCHES[1])]


def _serialized(lowered: Any) -> bytes:
    return bytes(lowered.compiler_ir("hlo").as_serialized_hlo_module_proto())


def _bytes_of(leaf: Any) -> memoryview:
    return np.ascontiguousarray(leaf, "<f4").reshape(-1).view(np.uint8).data


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

    def describe(self, message: Message, begins: bool) -> None:
        """Adds ImportArguments. begins: with what the variables begin with."""
        import jax

        for kind, names, tree in ((_VARIABLE, self.names.variables, self.params),
                                  (_STATE, self.names.states, self.state)):
            for name, leaf in zip(names, jax.tree_util.tree_leaves(tree)):
                argument = Message().number(1, kind).sized(2, name)
                if begins:
                    argument.sized(3, _bytes_of(leaf))
                message.sized(2, argument)
        for name in self.names.inputs:
            message.sized(2, Message().number(1, _INPUT).sized(2, name))
        if self.takes_key:
            message.sized(2, Message().number(1, _KEY).sized(2, "key"))


# A function, of what is done to a user's function before it is called.
_Make = Callable[[Callable[[Function], Function]], Function]


def _function(asked: Asked, function_of: _Make, call: _Call,
              results_of: Callable[[Any], list[Result]], begins: bool
              ) -> tuple[Message, list[Any]]:
    """ImportFunction, and the jaxprs of BATCHES. results_of: names what the function
    returns for the first of them."""
    message = Message()
    results: list[Result] = []
    jaxprs: list[Any] = []
    plain = _both_traced(
        lambda count: _traced(asked, function_of(lambda f: f), *call.arguments(count)))
    _jaxprs.check(plain[0].jaxpr)
    _wide.check(asked, plain[0].jaxpr)
    maps = _maps.follows_examples([traced.jaxpr for traced in plain], BATCHES)
    for count in BATCHES:
        def change(function: Function, count: int = count) -> Function:
            return _maps.vmapped(function, count) if maps else function

        with _saying_n(count):
            traced = (plain.pop(0) if plain and not maps else
                      _traced(asked, function_of(change), *call.arguments(count)))
            lowered = _lowered(asked, traced)
        jaxprs.append(traced.jaxpr)
        results = results or results_of(lowered.out_info)
        message.sized(1, Message().number(1, count).sized(2, _serialized(lowered)))
    call.describe(message, begins)
    for result in results:
        message.sized(3, result.message())
    message.notes = _decompositions.notes(jaxprs[0], len(call.names.variables))
    return message, jaxprs


def _names(params: Any, states: list[str], examples: Any) -> Names:
    variables, leaves, _ = _trees.named_leaves(params, "params")
    inputs, _, _ = _trees.named_leaves(examples, "batch")
    _checks.check_params(variables, leaves)
    return Names(variables, states, inputs)


def _training(loss_fn: Callable[..., Any], params: Any, state: State, examples: Any,
              names: Names, begins: bool) -> Message:
    import jax
    import jax.numpy as jnp

    loss_of = Loss(loss_fn, state)
    asked = Asked("the loss function", loss_fn)

    def training_of(change: Callable[[Function], Function]) -> Function:
        changed = change(loss_of)

        def training(*arguments: Any) -> Any:
            value, gradients = jax.value_and_grad(changed, has_aux=True)(*arguments)
            loss, (new_state, metrics) = value
            return jnp.asarray(loss, jnp.float32), metrics, gradients, new_state

        return training

    def results_of(returned: Any) -> list[Result]:
        return ([Result(_LOSS)] + [Result(_METRIC, key) for key in sorted(returned[1])]
                + [Result(_GRADIENT, key) for key in names.variables]
                + [Result(_NEW_STATE, key) for key in names.states])

    call = _Call(params, state.carried(), examples, names, loss_of.draws)
    message, jaxprs = _function(asked, training_of, call, results_of, begins)
    with _calling.checked(asked):
        _uses.check(jaxprs[0], names.variables, len(names.states))
        _uses.check_batch(jaxprs[0], len(names.variables), len(names.states), len(names.inputs),
                          _unread.way(loss_fn, examples))
    _leaks.warn_of_kept(loss_fn)
    if not loss_of.draws:
        _sums.warn(jaxprs, BATCHES, loss_of, params, state.carried(), examples)
    return message


def _check_has_examples(returned: Any) -> None:
    for key, value in returned.items():
        if value.shape != (BATCHES[0],):
            raise TypeError(merged([
                f"eval_fn's {key!r} has the shape {value.shape}; it must be one number for each "
                "example, of which podsim takes the mean: do not take it yourself"]))


def _evaluation(eval_fn: Callable[..., Any], params: Any, state: State, examples: Any,
                names: Names) -> Message:
    check_takes_no_key(eval_fn, state)
    asked = Asked("eval_fn", eval_fn)

    def evaluation(params: Any, carried: list[Any], batch: Any) -> Any:
        states = [] if state.is_none else [state.whole(carried, _random.silent())]
        examples = examples_of(batch)
        returned = _calling.call("eval_fn", eval_fn, again(params), *states, batch=batch)
        with _calling.checked(asked):
            return checked_metrics(returned, OF_EVALUATION, examples)

    def results_of(returned: Any) -> list[Result]:
        with _calling.checked(asked):
            _check_has_examples(returned)
        return [Result(_METRIC, key) for key in sorted(returned)]

    call = _Call(params, state.carried(), examples, names)
    return _function(asked, lambda change: change(evaluation), call, results_of,
                     begins=False)[0]


def import_message(name: str, loss_fn: Callable[..., Any], params: Any, examples: Any,
                   eval_fn: Callable[..., Any] | None, state: Any = None,
                   begins: bool = True) -> Message:
    """ImportProto. `examples`: a batch, of which only shapes and types are read;
    begins: with the numbers of params and state, too. Raises what JAX raises for a
    function that it cannot trace."""
    _meshes.check()
    params, state = _meshes.unplaced(params), _meshes.unplaced(state)
    carried = State(state, params)
    names = _names(params, carried.names, examples)
    training = _training(loss_fn, params, carried, examples, names, begins)
    message = Message().sized(1, name).sized(2, training)
    message.notes = training.notes
    if eval_fn is not None:
        evaluation = _evaluation(eval_fn, params, carried, examples, names)
        message.sized(3, evaluation)
        message.notes = evaluation.notes | training.notes
    return message
